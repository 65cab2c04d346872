package mapadapter

import (
	"encoding/binary"
)

// A thriftReader walks over values in the compact protocol of Thrift, the
// format of the headers in a Parquet file. It allocates nothing for them,
// because lists may claim any length.
type thriftReader struct {
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

const (
	maxThriftDepth = 32
	maxThriftList  = 100_000 // elements
)

var errThrift = formatError("the Parquet file is damaged")

// structure walks over a struct. It calls visit, if not nil, for each field,
// before the value. Visit returns true if it walked over the value itself.
func (r *thriftReader) structure(visit func(field int16, kind byte) (done bool, err error)) error {
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

// skip walks over a value. In lists, unlike in structs, a truth value takes a
// byte of its own.
func (r *thriftReader) skip(kind byte, inList bool) error {
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
		n, err := r.uvarint()
		if err != nil {
			return err
		}
		return r.pass(n)
	case thriftList, thriftSet:
		return r.list()
	case thriftMap:
		return r.pairs()
	case thriftStruct:
		return r.structure(nil)
	}
	return errThrift
}

func (r *thriftReader) list() error {
	head, err := r.byte()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = r.uvarint(); err != nil {
			return err
		}
	}
	return r.repeat(n, head&0x0f)
}

func (r *thriftReader) repeat(n uint64, kinds ...byte) error {
	if n > maxThriftList || n > uint64(len(r.data)) {
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

func (r *thriftReader) pairs() error {
	n, err := r.uvarint()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := r.byte()
	if err != nil {
		return err
	}
	return r.repeat(n, kinds>>4, kinds&0x0f)
}

func (r *thriftReader) byte() (byte, error) {
	if len(r.data) == 0 {
		return 0, errThrift
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b, nil
}

func (r *thriftReader) pass(n uint64) error {
	if n > uint64(len(r.data)) {
		return errThrift
	}
	r.data = r.data[n:]
	return nil
}

func (r *thriftReader) uvarint() (uint64, error) {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		return 0, errThrift
	}
	r.data = r.data[n:]
	return v, nil
}

// varint reads a signed number, in zigzag.
func (r *thriftReader) varint() (int64, error) {
	v, err := r.uvarint()
	return int64(v>>1) ^ -int64(v&1), err
}
