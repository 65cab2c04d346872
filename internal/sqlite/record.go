package sqlite

import (
	"encoding/binary"
	"math"
	"unicode/utf16"
)

// A Kind is the storage class of a value.
type Kind byte

// The storage classes.
const (
	Null Kind = iota
	Integer
	Real
	Text
	Blob
)

// A Value is a stored value of a row.
type Value struct {
	Kind  Kind
	Int   int64
	Float float64
	Bytes []byte // of a Text, in the encoding of the database, or of a Blob

	serial uint64
	raw    []byte // as stored
}

const maxFields = 1 << 15

// Fields are the values of a record that are not read yet.
type fields struct {
	header, body []byte
	read         int
}

func newFields(payload []byte) (fields, error) {
	size, n := varint(payload)
	if n == 0 || size > uint64(len(payload)) || size < uint64(n) {
		return fields{}, damaged("a row has a header of %d bytes", size)
	}
	return fields{header: payload[n:size], body: payload[size:]}, nil
}

// next returns the next value; ok is false at the end. A record that ends early is
// damaged.
func (f *fields) next() (v Value, ok bool, err error) {
	if len(f.header) == 0 {
		return v, false, nil
	}
	serial, n := varint(f.header)
	length := serialSize(serial)
	if n == 0 || length > uint64(len(f.body)) || f.read == maxFields {
		return v, false, damaged("column %d of a row", f.read+1)
	}
	v = newValue(serial, f.body[:length:length])
	f.header, f.body, f.read = f.header[n:], f.body[length:], f.read+1
	return v, true, nil
}

// skip reads the other values, to see whether the record is damaged.
func (f *fields) skip() error {
	for {
		if _, ok, err := f.next(); !ok {
			return err
		}
	}
}

// serialSize returns the size in bytes of a value of a serial type.
func serialSize(serial uint64) uint64 {
	if serial < 12 {
		return [...]uint64{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0}[serial]
	}
	return (serial - 12) / 2
}

func newValue(serial uint64, raw []byte) Value {
	v := Value{serial: serial, raw: raw}
	switch {
	case serial == 0 || serial == 10 || serial == 11:
		v.serial = 0
	case serial <= 6:
		v.Kind, v.Int = Integer, bigEndian(raw)
	case serial == 7:
		v.Kind, v.Float = Real, math.Float64frombits(binary.BigEndian.Uint64(raw))
	case serial <= 9:
		v.Kind, v.Int = Integer, int64(serial-8)
	case serial%2 == 0:
		v.Kind, v.Bytes = Blob, raw
	default:
		v.Kind, v.Bytes = Text, raw
	}
	return v
}

// bigEndian reads a two's-complement number.
func bigEndian(b []byte) int64 {
	v := int64(int8(b[0]))
	for _, c := range b[1:] {
		v = v<<8 | int64(c)
	}
	return v
}

func intValue(v int64) Value {
	raw := binary.BigEndian.AppendUint64(nil, uint64(v))
	return Value{Kind: Integer, Int: v, serial: 6, raw: raw}
}

func realValue(v float64) Value {
	return Value{Kind: Real, Float: v, serial: 7, raw: binary.BigEndian.AppendUint64(nil, math.Float64bits(v))}
}

func textValue(s string, e Encoding) Value {
	raw := encodeText(s, e)
	return Value{Kind: Text, Bytes: raw, serial: 13 + 2*uint64(len(raw)), raw: raw}
}

// record encodes values as a record, each with its stored bytes.
func record(values []Value) []byte {
	var types []byte
	size := 0
	for _, v := range values {
		types = appendVarint(types, v.serial)
		size += len(v.raw)
	}
	head := len(types) + 1
	for len(appendVarint(nil, uint64(head)))+len(types) != head {
		head++
	}
	payload := append(appendVarint(make([]byte, 0, head+size), uint64(head)), types...)
	for _, v := range values {
		payload = append(payload, v.raw...)
	}
	return payload
}

func encodeText(s string, e Encoding) []byte {
	switch e {
	case UTF16LE, UTF16BE:
		var b []byte
		for _, u := range utf16.Encode([]rune(s)) {
			if e == UTF16LE {
				b = binary.LittleEndian.AppendUint16(b, u)
			} else {
				b = binary.BigEndian.AppendUint16(b, u)
			}
		}
		return b
	}
	return []byte(s)
}

// DecodeText returns stored text as a string, which need not be valid UTF-8.
func (db *Database) DecodeText(b []byte) string {
	if db.Encoding == UTF8 {
		return string(b)
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		if db.Encoding == UTF16LE {
			units[i] = binary.LittleEndian.Uint16(b[2*i:])
		} else {
			units[i] = binary.BigEndian.Uint16(b[2*i:])
		}
	}
	return string(utf16.Decode(units))
}
