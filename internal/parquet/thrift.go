package parquet

import (
	"encoding/binary"
	"fmt"
)

// A thrift walks over values in Thrift's compact protocol. It allocates nothing for
// them, because lists may claim any length.
type thrift struct {
	data  []byte
	depth int
}

// The types of the compact protocol.
const (
	thriftStop   = 0
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

const maxThriftDepth = 32

var errThrift = fmt.Errorf("a header cannot be read: %w", ErrDamaged)

// fields walks over a struct and calls visit for each field, before its value. Visit
// returns true if it consumes the value itself.
func (r *thrift) fields(visit func(field int16, kind byte) (done bool, err error)) error {
	if r.depth++; r.depth > maxThriftDepth {
		return errThrift
	}
	defer func() { r.depth-- }()
	field := int16(0)
	for {
		head, err := r.byte()
		if err != nil || head == thriftStop {
			return err
		}
		kind := head & 0x0f
		if delta := head >> 4; delta != 0 {
			field += int16(delta)
		} else {
			number, err := r.varint()
			if err != nil {
				return err
			}
			field = int16(number)
		}
		done := false
		if visit != nil {
			if done, err = visit(field, kind); err != nil {
				return err
			}
		}
		if !done {
			if err := r.skip(kind, false); err != nil {
				return err
			}
		}
	}
}

// structs walks over a list of up to most structs, each consumed by visit.
func (r *thrift) structs(most uint64, visit func() error) error {
	n, kind, err := r.listHead()
	if err != nil {
		return err
	}
	if n > 0 && kind != thriftStruct {
		return errThrift
	}
	if n > most {
		return fmt.Errorf("a list of %d in a footer; at most %d: %w", n, most, ErrLarge)
	}
	for range n {
		if err := visit(); err != nil {
			return err
		}
	}
	return nil
}

// skip skips a value. A boolean takes a byte of its own in lists, but not in structs.
func (r *thrift) skip(kind byte, inList bool) error {
	switch kind {
	case thriftTrue, thriftFalse:
		if inList {
			return r.pass(1)
		}
		return nil
	case thriftByte:
		return r.pass(1)
	case thriftI16, thriftI32, thriftI64:
		_, err := r.varint()
		return err
	case thriftDouble:
		return r.pass(8)
	case thriftBinary:
		_, err := r.text()
		return err
	case thriftList, thriftSet:
		n, kind, err := r.listHead()
		if err != nil {
			return err
		}
		return r.repeat(n, kind)
	case thriftMap:
		n, err := r.uvarint()
		if err != nil || n == 0 {
			return err
		}
		kinds, err := r.byte()
		if err != nil {
			return err
		}
		return r.repeat(n, kinds>>4, kinds&0x0f)
	case thriftStruct:
		return r.fields(nil)
	}
	return errThrift
}

func (r *thrift) listHead() (n uint64, kind byte, err error) {
	head, err := r.byte()
	if err != nil {
		return 0, 0, err
	}
	if n = uint64(head >> 4); n == 15 {
		if n, err = r.uvarint(); err != nil {
			return 0, 0, err
		}
	}
	if n > uint64(len(r.data)) {
		return 0, 0, errThrift
	}
	return n, head & 0x0f, nil
}

func (r *thrift) repeat(n uint64, kinds ...byte) error {
	if n > uint64(len(r.data)) {
		return errThrift
	}
	if r.depth++; r.depth > maxThriftDepth {
		return errThrift
	}
	defer func() { r.depth-- }()
	for range n {
		for _, kind := range kinds {
			if err := r.skip(kind, true); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *thrift) byte() (byte, error) {
	if len(r.data) == 0 {
		return 0, errThrift
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b, nil
}

func (r *thrift) pass(n uint64) error {
	if n > uint64(len(r.data)) {
		return errThrift
	}
	r.data = r.data[n:]
	return nil
}

func (r *thrift) text() (string, error) {
	n, err := r.uvarint()
	if err != nil {
		return "", err
	}
	before := r.data
	if err := r.pass(n); err != nil {
		return "", err
	}
	return string(before[:n]), nil
}

func (r *thrift) uvarint() (uint64, error) {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		return 0, errThrift
	}
	r.data = r.data[n:]
	return v, nil
}

// varint reads a signed number in zigzag encoding.
func (r *thrift) varint() (int64, error) {
	v, err := r.uvarint()
	return int64(v>>1) ^ -int64(v&1), err
}

func (r *thrift) into(n *int64) (err error) {
	*n, err = r.varint()
	return err
}

// A record writes a struct in the compact protocol.
type record struct {
	out  []byte
	last int16
}

// number writes a numeric field of type thriftI32 or thriftI64. Fields must be written
// in ascending order, at most 15 apart.
func (w *record) number(field int16, kind byte, n int64) {
	w.field(field, kind)
	w.out = binary.AppendVarint(w.out, n)
}

func (w *record) text(field int16, text string) {
	w.field(field, thriftBinary)
	w.out = binary.AppendUvarint(w.out, uint64(len(text)))
	w.out = append(w.out, text...)
}

// list writes a list of encoded values.
func (w *record) list(field int16, kind byte, values [][]byte) {
	w.field(field, thriftList)
	w.out = append(w.out, 0xf0|kind)
	w.out = binary.AppendUvarint(w.out, uint64(len(values)))
	for _, v := range values {
		w.out = append(w.out, v...)
	}
}

// record writes an encoded struct.
func (w *record) record(field int16, inner []byte) {
	w.field(field, thriftStruct)
	w.out = append(w.out, inner...)
}

func (w *record) field(field int16, kind byte) {
	w.out = append(w.out, byte(field-w.last)<<4|kind)
	w.last = field
}

// end returns the struct.
func (w *record) end() []byte { return append(w.out, thriftStop) }
