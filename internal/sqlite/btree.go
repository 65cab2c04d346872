package sqlite

import (
	"context"
	"encoding/binary"
	"sort"
)

// The kinds of pages of b-trees.
const (
	indexInterior = 0x02
	tableInterior = 0x05
	indexLeaf     = 0x0a
	tableLeaf     = 0x0d
)

const (
	maxTreeDepth = 40
	maxEntries   = 1 << 22 // of a directory
	maxPayload   = 64 << 20
)

// A Directory holds the places of the rows of a table, in order. It can be used with
// any [Database] of the same bytes.
type Directory struct{ entries []entry }

// An entry is a leaf, or one cell of an interior page of an index.
type entry struct {
	page  uint32
	cell  int32 // -1 means all
	after int   // rows up to and including this entry
}

// Rows returns the number of rows.
func (d *Directory) Rows() int {
	if len(d.entries) == 0 {
		return 0
	}
	return d.entries[len(d.entries)-1].after
}

// Bytes estimates the memory that d uses, in bytes.
func (d *Directory) Bytes() int64 { return 64 + 16*int64(cap(d.entries)) }

// directory walks a b-tree. Of leaves it reads only the number of cells.
func (db *Database) directory(ctx context.Context, root uint32, rowids bool) (*Directory, error) {
	w := walker{ctx: ctx, db: db, rowids: rowids, dir: &Directory{}}
	if err := w.walk(root, 0); err != nil {
		return nil, err
	}
	return w.dir, nil
}

type walker struct {
	ctx     context.Context
	db      *Database
	rowids  bool
	dir     *Directory
	visited uint32
}

func (w *walker) walk(number uint32, depth int) error {
	if w.visited++; w.visited > w.db.pages || depth > maxTreeDepth {
		return damaged("page %d is its own part", number)
	}
	if w.visited%256 == 0 && w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	offset := 0
	if number == 1 {
		offset = headerSize
	}
	var head [headerSize + 12]byte
	if err := w.db.page(number, head[:offset+12]); err != nil {
		return err
	}
	kind, cells := head[offset], int(binary.BigEndian.Uint16(head[offset+3:]))
	leaf, interior := byte(tableLeaf), byte(tableInterior)
	if !w.rowids {
		leaf, interior = indexLeaf, indexInterior
	}
	switch kind {
	case leaf:
		return w.add(number, -1, cells)
	case interior:
		return w.children(number, offset, cells, binary.BigEndian.Uint32(head[offset+8:]), depth)
	}
	return damaged("page %d is of kind %d", number, kind)
}

func (w *walker) add(page uint32, cell int32, rows int) error {
	if cell < 0 && rows > w.db.pageSize/3 {
		return damaged("page %d has %d cells", page, rows)
	}
	if len(w.dir.entries) == maxEntries {
		return ErrLarge
	}
	if rows > 0 {
		w.dir.entries = append(w.dir.entries, entry{page, cell, w.dir.Rows() + rows})
	}
	return nil
}

// children walks the children of an interior page.
func (w *walker) children(number uint32, offset, cells int, last uint32, depth int) error {
	page := make([]byte, w.db.pageSize)
	if err := w.db.page(number, page); err != nil {
		return err
	}
	for i := range cells {
		at := offset + 12 + 2*i
		if at+2 > w.db.usable {
			return damaged("page %d has %d cells", number, cells)
		}
		cell := int(binary.BigEndian.Uint16(page[at:]))
		if cell+4 > w.db.usable {
			return damaged("cell %d of page %d", i+1, number)
		}
		if err := w.walk(binary.BigEndian.Uint32(page[cell:]), depth+1); err != nil {
			return err
		}
		if !w.rowids {
			if err := w.add(number, int32(i), 1); err != nil {
				return err
			}
		}
	}
	return w.walk(last, depth+1)
}

// A Row is a stored row.
type Row struct {
	Rowid   int64
	payload []byte
}

// read calls yield for the rows from first to last, counted from 1, until yield returns
// false. The rows must exist.
func (db *Database) read(ctx context.Context, d *Directory, rowids bool, first, last int, yield func(Row) bool) error {
	page := make([]byte, db.pageSize)
	left := int64(db.pages) * int64(db.pageSize) // bytes of rows that are not the same bytes
	i := sort.Search(len(d.entries), func(i int) bool { return d.entries[i].after >= first })
	for row := first; row <= last; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		e, before := d.entries[i], 0
		if i > 0 {
			before = d.entries[i-1].after
		}
		if err := db.page(e.page, page); err != nil {
			return err
		}
		for ; row <= min(last, e.after); row++ {
			cell := int(e.cell)
			if cell < 0 {
				cell = row - before - 1
			}
			r, err := db.row(page, e.page, cell, e.cell >= 0, rowids)
			if err != nil {
				return err
			}
			if left -= int64(len(r.payload)); left < 0 {
				return damaged("its rows share their bytes")
			}
			if !yield(r) {
				return nil
			}
		}
	}
	return nil
}

// row reads a cell of a page.
func (db *Database) row(page []byte, number uint32, cell int, interior, rowids bool) (r Row, err error) {
	pointers := 8
	if interior {
		pointers = 12
	}
	if number == 1 {
		pointers += headerSize
	}
	at := pointers + 2*cell
	if at+2 > db.usable {
		return r, damaged("cell %d of page %d", cell+1, number)
	}
	at = int(binary.BigEndian.Uint16(page[at:]))
	if interior {
		at += 4
	}
	if at >= db.usable {
		return r, damaged("cell %d of page %d", cell+1, number)
	}
	rest := page[at:db.usable]
	size, n := varint(rest)
	rest = rest[n:]
	if rowids {
		var id uint64
		id, n = varint(rest)
		r.Rowid, rest = int64(id), rest[n:]
	}
	if n == 0 || size > maxPayload {
		return r, damaged("a row of %d bytes on page %d", size, number)
	}
	r.payload, err = db.payload(rest, int(size), rowids)
	return r, err
}

// localSize returns how many bytes of a payload are in its cell; the rest is in
// overflow pages.
func localSize(size, usable int, rowids bool) int {
	most := (usable-12)*64/255 - 23
	if rowids {
		most = usable - 35
	}
	if size <= most {
		return size
	}
	least := (usable-12)*32/255 - 23
	if local := least + (size-least)%(usable-4); local <= most {
		return local
	}
	return least
}

// payload returns a whole payload, whose beginning is in rest.
func (db *Database) payload(rest []byte, size int, rowids bool) ([]byte, error) {
	local := localSize(size, db.usable, rowids)
	if local > len(rest) || local < size && local+4 > len(rest) {
		return nil, damaged("a row ends early")
	}
	if int64(size) > int64(db.pages)*int64(db.pageSize) {
		return nil, damaged("a row of %d bytes", size)
	}
	payload := make([]byte, local, size)
	copy(payload, rest)
	if local == size {
		return payload, nil
	}
	next := binary.BigEndian.Uint32(rest[local:])
	page := make([]byte, db.usable)
	for len(payload) < size {
		if err := db.page(next, page); err != nil {
			return nil, err
		}
		next = binary.BigEndian.Uint32(page)
		payload = append(payload, page[4:min(len(page), 4+size-len(payload))]...)
	}
	return payload, nil
}

// varint reads a number of one to nine bytes; n is 0 if b is too short.
func varint(b []byte) (v uint64, n int) {
	for i := range min(len(b), 9) {
		if i == 8 {
			return v<<8 | uint64(b[i]), 9
		}
		v = v<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// appendVarint appends a number as varint reads it.
func appendVarint(b []byte, v uint64) []byte {
	if v > 1<<56-1 {
		for shift := 57; shift >= 8; shift -= 7 {
			b = append(b, byte(v>>shift)|0x80)
		}
		return append(b, byte(v))
	}
	n := 1
	for rest := v >> 7; rest > 0; rest >>= 7 {
		n++
	}
	for i := n - 1; i > 0; i-- {
		b = append(b, byte(v>>(7*i))|0x80)
	}
	return append(b, byte(v&0x7f))
}
