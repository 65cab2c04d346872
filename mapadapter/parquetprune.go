package mapadapter

import (
	"encoding/binary"
)

// A pruned lists the fields of a Thrift struct to keep, by number. A field that
// has fields itself, or a list of structs, is pruned too; other fields are kept
// unchanged.
type pruned map[int16]pruned

// footerFields are the fields that the decoder needs from the metadata of a
// Parquet file (FileMetaData). It panics on columns whose logical type is NULL
// and refuses statistics that newer programs write; the values need neither.
var footerFields = pruned{
	1: nil, 3: nil,
	2: { // SchemaElement, without its logical type
		1: nil, 2: nil, 3: nil, 4: nil, 5: nil, 6: nil, 7: nil, 8: nil,
	},
	4: { // RowGroup
		1: { // ColumnChunk
			2: nil,
			3: { // ColumnMetaData, without statistics
				1: nil, 2: nil, 3: nil, 4: nil, 5: nil, 6: nil, 7: nil, 9: nil, 11: nil,
			},
		},
		2: nil, 3: nil,
	},
}

// pruneFooter returns the Parquet file, which [checkFooter] has checked, with
// only the metadata needed to read its values.
func pruneFooter(data []byte) ([]byte, error) {
	end := len(data) - 8
	start := end - int(binary.LittleEndian.Uint32(data[end:]))
	r := &thriftReader{data: data[start:end]}
	footer, err := r.prune(nil, footerFields)
	if err != nil {
		return nil, err
	}
	file := append(data[:start:start], footer...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(footer)))
	return append(file, data[end+4:]...), nil
}

// prune appends the struct at the position of r to out, with only the fields to
// keep.
func (r *thriftReader) prune(out []byte, keep pruned) ([]byte, error) {
	last := int16(0)
	err := r.structure(func(field int16, kind byte) (bool, error) {
		inner, kept := keep[field]
		if !kept {
			return false, nil
		}
		out = appendField(out, field, last, kind)
		last = field
		var err error
		out, err = r.pruneValue(out, kind, inner)
		return true, err
	})
	return append(out, thriftStop), err
}

func (r *thriftReader) pruneValue(out []byte, kind byte, keep pruned) ([]byte, error) {
	switch {
	case keep != nil && kind == thriftStruct:
		return r.prune(out, keep)
	case keep != nil && kind == thriftList:
		return r.pruneList(out, keep)
	}
	before := r.data
	err := r.skip(kind, false)
	return append(out, before[:len(before)-len(r.data)]...), err
}

// pruneList prunes the structs in a list.
func (r *thriftReader) pruneList(out []byte, keep pruned) ([]byte, error) {
	before := r.data
	head, err := r.byte()
	if err != nil {
		return nil, err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = r.uvarint(); err != nil {
			return nil, err
		}
	}
	out = append(out, before[:len(before)-len(r.data)]...)
	if n > maxThriftList || n > uint64(len(r.data)) || n > 0 && head&0x0f != thriftStruct {
		return nil, errThrift
	}
	for range n {
		if out, err = r.prune(out, keep); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// appendField appends the head of a field; last is the field before it.
func appendField(out []byte, field, last int16, kind byte) []byte {
	if delta := field - last; delta > 0 && delta < 16 {
		return append(out, byte(delta)<<4|kind)
	}
	out = append(out, kind)
	return binary.AppendUvarint(out, uint64(uint16(field<<1)^uint16(field>>15)))
}
