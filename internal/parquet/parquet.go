// Package parquet reads rows of Parquet files, and writes files with some of them. It
// reads footers, headers and levels itself, within bounds: existing libraries allocate
// whatever a header asks for, and panic on columns that newer programs write.
//
// The format is https://github.com/apache/parquet-format, version 2.11.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Errors of this package match one of these, or are an error of the reader or
// ctx.Err().
var (
	ErrDamaged     = errors.New("the Parquet file is damaged")
	ErrLarge       = errors.New("larger than what is read of a Parquet file")
	ErrEncrypted   = errors.New("the Parquet file is encrypted")
	ErrUnsupported = errors.New("not read in Parquet files")
)

const (
	magic     = "PAR1"
	encrypted = "PARE" // at the end of a file whose footer is encrypted

	maxFooter   = 64 << 20 // bytes
	maxElements = 20_000   // elements of the schema
	maxDepth    = 32       // depth of the schema
	maxChunks   = 4 << 20  // columns of all row groups
	maxRows     = 1 << 53

	chunkBytes   = 40 // bytes of memory
	elementBytes = 400
)

// A Footer is the metadata of a file. It does not change after it has been read.
type Footer struct {
	Name    string // name of the schema's root, chosen by the writing program
	Columns []*Column
	Groups  []Group
	Rows    int
	Pairs   bool // whether there are key-value pairs

	size    int64
	version int64
	leaves  []*node
	schema  [][]byte // the elements as stored, in order
	bytes   int64
}

// Bytes estimates the memory that the footer takes, in bytes.
func (f *Footer) Bytes() int64 { return f.bytes }

// Of returns a File that reads rows from r, the file of this footer.
func (f *Footer) Of(r io.ReaderAt) *File { return &File{Footer: f, r: r} }

// A File is an open Parquet file. It is safe for concurrent use.
type File struct {
	*Footer
	r io.ReaderAt
}

// A Column is a child of the schema's root.
type Column struct {
	Name string
	Type string // such as "INT64", "STRING" or "list<STRING>"

	root   *node
	leaves span // indexes in Footer.leaves
	schema span // indexes in Footer.schema
}

// A span is the range [first, last).
type span struct{ first, last int }

// A Group is a row group: rows that are stored together.
type Group struct {
	First int // first row, from 1; if the group is empty, the row after the previous group
	Rows  int

	chunks []chunk
}

// A chunk says where the values of one leaf of one group are.
type chunk struct {
	start, end int64
	values     int64
	codec      uint8
	kind       int8
}

// ReadFooter reads the footer of a file of size bytes.
func ReadFooter(r io.ReaderAt, size int64) (*Footer, error) {
	data, err := footerBytes(r, size)
	if err != nil {
		return nil, err
	}
	f := &Footer{size: size}
	if err := f.read(data); err != nil {
		return nil, err
	}
	return f, nil
}

func footerBytes(r io.ReaderAt, size int64) ([]byte, error) {
	const trailer = 8
	var head, tail [trailer]byte
	if size < trailer+4 {
		return nil, fmt.Errorf("it ends too early: %w", ErrDamaged)
	}
	if err := readFull(r, head[:4], 0); err != nil {
		return nil, err
	}
	if err := readFull(r, tail[:], size-trailer); err != nil {
		return nil, err
	}
	switch end := string(tail[4:]); {
	case end == encrypted:
		return nil, ErrEncrypted
	case end != magic || string(head[:4]) != magic:
		return nil, fmt.Errorf("it has no footer, or ends too early: %w", ErrDamaged)
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if length > size-trailer-4 {
		return nil, fmt.Errorf("it is shorter than it says: %w", ErrDamaged)
	}
	if length > maxFooter {
		return nil, fmt.Errorf("a footer of %d bytes; at most %d: %w", length, maxFooter, ErrLarge)
	}
	footer := make([]byte, length)
	return footer, readFull(r, footer, size-trailer-length)
}

func readFull(r io.ReaderAt, p []byte, at int64) error {
	n, err := r.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == io.EOF || err == nil {
		return fmt.Errorf("it ends too early: %w", ErrDamaged)
	}
	return err
}

// read reads the file metadata (FileMetaData).
func (f *Footer) read(footer []byte) error {
	var elements []element
	chunks := 0
	r := &thrift{data: footer}
	err := r.fields(func(field int16, kind byte) (bool, error) {
		switch {
		case field == 1 && kind == thriftI32:
			return true, r.into(&f.version)
		case field == 2 && kind == thriftList:
			return true, r.structs(maxElements, func() error {
				before := r.data
				e, err := readElement(r)
				elements = append(elements, e)
				f.schema = append(f.schema, before[:len(before)-len(r.data)])
				return err
			})
		case field == 4 && kind == thriftList:
			return true, r.structs(maxChunks, func() error {
				g, err := f.readGroup(r)
				if chunks += len(g.chunks); chunks > maxChunks {
					return fmt.Errorf("more than %d columns in row groups: %w", maxChunks, ErrLarge)
				}
				f.Groups = append(f.Groups, g)
				return err
			})
		case field == 5:
			f.Pairs = true
		case field == 8:
			return false, ErrEncrypted
		}
		return false, nil
	})
	if err != nil {
		return err
	}
	f.bytes = int64(chunks)*chunkBytes + int64(len(elements))*elementBytes
	for i, raw := range f.schema {
		f.schema[i] = []byte(string(raw)) // a copy, so that the rest of the footer can be freed
	}
	if err := f.shape(elements); err != nil {
		return err
	}
	return f.checkGroups()
}

// readGroup reads a RowGroup.
func (f *Footer) readGroup(r *thrift) (g Group, err error) {
	rows := int64(-1)
	err = r.fields(func(field int16, kind byte) (bool, error) {
		switch {
		case field == 1 && kind == thriftList:
			return true, r.structs(maxElements, func() error {
				c, err := readChunk(r)
				g.chunks = append(g.chunks, c)
				return err
			})
		case field == 3 && kind == thriftI64:
			return true, r.into(&rows)
		}
		return false, nil
	})
	if err == nil && (rows < 0 || rows > maxRows) {
		err = fmt.Errorf("a row group of %d rows: %w", rows, ErrDamaged)
	}
	g.Rows = int(rows)
	return g, err
}

// readChunk reads a ColumnChunk.
func readChunk(r *thrift) (c chunk, err error) {
	var kind, codec, size, data, dictionary int64 = -1, -1, -1, -1, 0
	c.values = -1
	elsewhere := false
	err = r.fields(func(field int16, is byte) (bool, error) {
		switch {
		case field == 1:
			elsewhere = true
		case field == 8 || field == 9:
			return false, ErrEncrypted
		case field == 3 && is == thriftStruct:
			return true, r.fields(func(field int16, is byte) (bool, error) {
				to := map[int16]*int64{1: &kind, 4: &codec, 5: &c.values, 7: &size, 9: &data, 11: &dictionary}[field]
				if to == nil || is != thriftI32 && is != thriftI64 {
					return false, nil
				}
				return true, r.into(to)
			})
		}
		return false, nil
	})
	switch {
	case err != nil:
		return c, err
	case elsewhere:
		return c, fmt.Errorf("columns that lie in another file: %w", ErrUnsupported)
	}
	c.start = data
	if dictionary > 0 && dictionary < data {
		c.start = dictionary
	}
	if c.start < 4 || size < 0 || c.values < 0 || c.values > maxRows || c.start+size < c.start || codec < 0 || codec > 255 {
		return c, fmt.Errorf("a column is nowhere: %w", ErrDamaged)
	}
	c.end, c.codec, c.kind = c.start+size, uint8(codec), int8(kind)
	return c, nil
}

// checkGroups checks the row groups against the schema, and counts their rows.
func (f *Footer) checkGroups() error {
	for i := range f.Groups {
		g := &f.Groups[i]
		if len(g.chunks) != len(f.leaves) {
			return fmt.Errorf("a row group has %d columns of %d: %w", len(g.chunks), len(f.leaves), ErrDamaged)
		}
		for k, c := range g.chunks {
			if c.end > f.size || kind(c.kind) != f.leaves[k].kind || f.leaves[k].rep == 0 && c.values != int64(g.Rows) {
				return fmt.Errorf("a column is not as its schema says: %w", ErrDamaged)
			}
		}
		g.First = f.Rows + 1
		if f.Rows += g.Rows; f.Rows > maxRows {
			return fmt.Errorf("too many rows: %w", ErrDamaged)
		}
	}
	return nil
}
