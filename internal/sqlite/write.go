package sqlite

import (
	"encoding/binary"
	"strings"
)

// A Writer makes a database of one table, in memory.
type Writer struct {
	values []Value // of the last row, whose memory is used again
	// Verbatim means that the table is declared as in its source; otherwise its columns
	// are declared with names and types only.
	Verbatim bool

	table   *Table
	columns []int // nil means all, as stored
	out     []byte
	size    int // of a page
	leaf    leafPage
	level   []child // pages below the next level
	limit   int
	rows    int64
}

// A child is a page of a b-tree and the last rowid in it.
type child struct {
	page uint32
	key  int64
}

// A leafPage is a page that is being filled.
type leafPage struct {
	cells [][]byte
	used  int
	last  int64
}

// NewWriter returns a writer for rows of t with the given columns, counted from 0; nil
// means all. The database has at most limit bytes.
func (t *Table) NewWriter(columns []int, limit int) *Writer {
	w := &Writer{table: t, columns: columns, size: t.db.pageSize, limit: limit, Verbatim: columns == nil && t.plain}
	if columns == nil {
		for i := range t.Columns {
			w.columns = append(w.columns, i)
		}
	}
	w.out = make([]byte, w.size) // room for the first page, which is written last
	return w
}

// Add adds a row. Rows must be in rowid order. The error matches [ErrLarge] or
// [ErrDamaged].
func (w *Writer) Add(r Row) error {
	payload := r.payload
	if w.rows++; !w.table.Rowids {
		r.Rowid = w.rows
	}
	if w.rows > 1 && r.Rowid <= w.leaf.last {
		return damaged("rows are not in their order")
	}
	if !w.Verbatim {
		values, err := w.table.Values(r, w.values)
		if err != nil {
			return err
		}
		w.values = values
		picked := make([]Value, len(w.columns))
		for i, column := range w.columns {
			if column < len(values) && !w.table.Columns[column].rowid {
				picked[i] = values[column]
			}
		}
		payload = record(picked)
	}
	if len(w.out)+len(payload) > w.limit {
		return ErrLarge
	}
	w.place(r.Rowid, payload)
	return nil
}

// place puts a cell on the current leaf, or on a new one.
func (w *Writer) place(rowid int64, payload []byte) {
	cell := w.cell(rowid, payload)
	if w.leaf.used+len(cell)+2 > w.size-8 {
		w.flush()
	}
	w.leaf.cells = append(w.leaf.cells, cell)
	w.leaf.used += len(cell) + 2
	w.leaf.last = rowid
}

// cell returns the cell of a row, and writes the overflow of its payload.
func (w *Writer) cell(rowid int64, payload []byte) []byte {
	cell := appendVarint(nil, uint64(len(payload)))
	cell = appendVarint(cell, uint64(rowid))
	local := localSize(len(payload), w.size, true)
	cell = append(cell, payload[:local]...)
	rest := payload[local:]
	if len(rest) == 0 {
		return cell
	}
	cell = binary.BigEndian.AppendUint32(cell, w.next())
	for len(rest) > 0 {
		part := rest[:min(len(rest), w.size-4)]
		rest = rest[len(part):]
		page := make([]byte, w.size)
		if len(rest) > 0 {
			binary.BigEndian.PutUint32(page, w.next()+1)
		}
		copy(page[4:], part)
		w.out = append(w.out, page...)
	}
	return cell
}

// next returns the number of the next page to be written.
func (w *Writer) next() uint32 { return uint32(len(w.out)/w.size) + 1 }

// flush writes the current leaf.
func (w *Writer) flush() {
	if len(w.leaf.cells) == 0 {
		return
	}
	w.level = append(w.level, child{w.next(), w.leaf.last})
	w.out = append(w.out, w.page(tableLeaf, 0, w.leaf.cells, 0)...)
	w.leaf.cells, w.leaf.used = nil, 0
}

// page returns a page of cells, with its first offset bytes left free.
func (w *Writer) page(kind byte, offset int, cells [][]byte, right uint32) []byte {
	page := make([]byte, w.size)
	page[offset] = kind
	head := offset + 8
	if kind == tableInterior {
		binary.BigEndian.PutUint32(page[head:], right)
		head += 4
	}
	at := w.size
	for i, cell := range cells {
		at -= len(cell)
		copy(page[at:], cell)
		binary.BigEndian.PutUint16(page[head+2*i:], uint16(at))
	}
	binary.BigEndian.PutUint16(page[offset+3:], uint16(len(cells)))
	binary.BigEndian.PutUint16(page[offset+5:], uint16(at)) // 65,536 is written as 0
	return page
}

// root writes the pages above the leaves, and returns the number of the root.
func (w *Writer) root() uint32 {
	w.flush()
	if len(w.level) == 0 {
		w.level = []child{{page: w.next()}}
		w.out = append(w.out, w.page(tableLeaf, 0, nil, 0)...)
	}
	const cellSize = 4 + 9 + 2
	for most := (w.size - 12) / cellSize; len(w.level) > 1; {
		var above []child
		for rest := w.level; len(rest) > 0; {
			n := min(len(rest), most+1)
			if len(rest)-n == 1 { // an interior page needs two children
				n--
			}
			var cells [][]byte
			for _, c := range rest[:n-1] {
				cells = append(cells, appendVarint(binary.BigEndian.AppendUint32(nil, c.page), uint64(c.key)))
			}
			above = append(above, child{w.next(), rest[n-1].key})
			w.out = append(w.out, w.page(tableInterior, 0, cells, rest[n-1].page)...)
			rest = rest[n:]
		}
		w.level = above
	}
	return w.level[0].page
}

// Finish returns the database.
func (w *Writer) Finish() []byte {
	root := w.root()
	db := w.table.db
	cell := w.cell(1, w.schema(root))
	copy(w.out, w.page(tableLeaf, headerSize, [][]byte{cell}, 0))
	h := w.out[:headerSize]
	copy(h, magic)
	binary.BigEndian.PutUint16(h[16:], uint16(w.size)) // 65,536 is written as 1
	if w.size == maxPage {
		h[17] = 1
	}
	copy(h[18:], []byte{1, 1, 0, 64, 32, 32})
	for offset, v := range map[int]uint32{
		24: 1, 28: uint32(len(w.out) / w.size), 40: 1, 44: 4, 56: uint32(db.Encoding), 92: 1, 96: writerVersion,
	} {
		binary.BigEndian.PutUint32(h[offset:], v)
	}
	return w.out
}

// schema returns the schema row of the table. It pads the statement with spaces if the
// row would not fit on the first page, which also holds the header.
func (w *Writer) schema(root uint32) []byte {
	text := func(s string) Value { return textValue(s, w.table.db.Encoding) }
	name, statement := text(w.table.Name), w.statement()
	with := func(pad int) []byte {
		return record([]Value{text("table"), name, name, intValue(int64(root)), text(statement + strings.Repeat(" ", pad))})
	}
	const slack = 40 // for the pointers, and for a growing record header
	pad, size := 0, len(with(0))
	for unit := len(text(" ").raw); localSize(size+pad*unit, w.size, true) > w.size-headerSize-slack; {
		pad++
	}
	return with(pad)
}

// writerVersion is the SQLite version whose files the written ones resemble.
const writerVersion = 3046000

// statement returns the declaration of the written table.
func (w *Writer) statement() string {
	if w.Verbatim {
		return w.table.sql
	}
	var columns []string
	for _, i := range w.columns {
		c := w.table.Columns[i]
		definition := quoteName(c.Name)
		if c.Type != "" {
			definition += " " + c.Type
		}
		if c.rowid {
			definition += " PRIMARY KEY"
		}
		columns = append(columns, definition)
	}
	return "CREATE TABLE " + quoteName(w.table.Name) + "(" + strings.Join(columns, ", ") + ")"
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
