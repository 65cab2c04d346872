package sheet

import (
	"context"
	"io"
	"sort"

	"github.com/citekit/citekit/internal/ooxml"
	"github.com/citekit/citekit/internal/xmlspan"
)

// An index is what is known of a sheet after it was read once: where its rows
// are, how far its cells reach, and what stands around the rows. It holds no
// cells.
type index struct {
	stream   *stream
	rowsFrom int64  // where the rows begin in the part; 0 if there are none
	marks    []mark // in the order of the part
	inOrder  bool   // the rows are in the order of their numbers

	// around is the part without its rows: they would stand at rowsAt.
	around string
	rowsAt int

	used   area // of all cells, also those that have a format alone
	merged []area
	blocks []block
	more   bool // there are more blocks
}

// A mark says which row begins somewhere.
type mark struct {
	offset int64
	before int32 // number of the row before
}

// markEvery is how many bytes lie between two marks at least.
const markEvery = 256 << 10

// bytes is roughly how much memory the index takes.
func (x *index) bytes() int64 {
	return x.stream.bytes() + int64(len(x.around)+len(x.marks)*16+len(x.merged)*16+len(x.blocks)*256) + 512
}

// readIndex reads a sheet from its beginning to its end.
func readIndex(ctx context.Context, part *ooxml.Part) (*index, error) {
	s, packed, err := openStream(ctx, part)
	if err != nil {
		return nil, err
	}
	r, err := decoded(s, packed)
	if err != nil {
		return nil, err
	}
	x := &index{stream: s, inOrder: true}
	t := newTagReader(r, 0)
	if err := x.read(t); err != nil {
		return nil, err
	}
	s.finish(packed)
	return x, x.readAround()
}

// decoded returns a reader of a part in UTF-8.
func decoded(s *stream, packed io.Reader) (io.Reader, error) {
	head := make([]byte, 256)
	n, err := io.ReadFull(packed, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	return s.decode(head[:n], packed)
}

// read reads what stands before the rows, the rows, and what stands after them.
func (x *index) read(t *tagReader) error {
	t.keep = 0
	for {
		if err := t.next(); err != nil {
			return err
		}
		if t.kind == atEnd { // without rows, as a sheet of charts
			x.around = string(t.buf[:t.end])
			x.rowsAt = len(x.around)
			return nil
		}
		if t.kind != closeTag && t.is("sheetData") {
			break
		}
	}
	open := string(t.buf[t.tag:t.pos])
	prefix := string(t.buf[t.nameFrom : t.nameFrom+lenPrefix(t)])
	if t.kind == emptyTag {
		open = open[:len(open)-2] + ">"
	}
	before := string(t.buf[:t.tag]) + open
	if t.kind == openTag {
		t.keep = -1
		x.rowsFrom = t.base + int64(t.pos)
		if err := x.readRows(&rowReader{tags: t}); err != nil {
			return err
		}
	}
	after, err := rest(t)
	if err != nil {
		return err
	}
	x.around = before + "</" + prefix + "sheetData>" + after
	x.rowsAt = len(before)
	return nil
}

// lenPrefix is how long the prefix of the name of the tag at hand is, with its
// colon.
func lenPrefix(t *tagReader) int {
	name := t.buf[t.nameFrom:t.pos]
	for i := range name {
		if name[i] == ':' {
			return i + 1
		}
		if name[i] <= ' ' || name[i] == '>' || name[i] == '/' {
			break
		}
	}
	return 0
}

// rest returns what stands after the tag at hand.
func rest(t *tagReader) (string, error) {
	t.keep = t.pos
	for {
		if err := t.next(); err != nil {
			return "", err
		}
		if t.kind == atEnd {
			return string(t.buf[t.keep:t.end]), nil
		}
	}
}

func (x *index) readRows(rows *rowReader) error {
	var found blocks
	before := int32(0)
	for {
		ok, err := rows.next()
		if err != nil {
			return err
		}
		if !ok {
			x.blocks, x.more = found.finish()
			return nil
		}
		w := &rows.row
		if n := len(x.marks); n == 0 || w.offset-x.marks[n-1].offset >= markEvery {
			x.marks = append(x.marks, mark{w.offset, before})
		}
		if w.number <= before {
			x.inOrder = false
		}
		before = w.number
		if len(w.cells) > 0 {
			x.used = x.used.join(extentOf(w))
			found.add(w)
		}
	}
}

func extentOf(w *row) area {
	left, right := w.cells[0].col, w.cells[0].col
	if w.inOrder {
		right = w.cells[len(w.cells)-1].col
	} else {
		for i := range w.cells {
			left, right = min(left, w.cells[i].col), max(right, w.cells[i].col)
		}
	}
	return area{left, w.number, right, w.number}
}

// readAround checks what stands around the rows, and finds merged cells.
func (x *index) readAround() error {
	s := ooxml.Scan(x.around)
	for s.Next() {
		if s.Kind != xmlspan.Start || s.Local != "mergeCell" || s.Depth != 3 {
			continue
		}
		if a, ok := areaOf(s.Get("", "ref")); ok {
			x.merged = append(x.merged, a)
			x.used = x.used.join(a)
		}
	}
	return ooxml.KnownXML(s.Err())
}

// rows reads the rows of a sheet from a row on, which need not be there. A
// sheet whose rows are out of order is read from its beginning.
func (x *index) rows(ctx context.Context, p *ooxml.Package, from int32) (*rowReader, error) {
	if x.rowsFrom == 0 || len(x.marks) == 0 {
		return &rowReader{done: true}, nil
	}
	at := 0
	if x.inOrder {
		at = max(sort.Search(len(x.marks), func(i int) bool { return x.marks[i].before >= from })-1, 0)
	}
	m := x.marks[at]
	r, err := x.stream.from(ctx, p, m.offset)
	if err != nil {
		return nil, err
	}
	return &rowReader{tags: newTagReader(r, m.offset), last: m.before}, nil
}

// each calls do with each row in an area. What do is given is valid until it
// returns.
func (x *index) each(ctx context.Context, p *ooxml.Package, a area, do func(*row) error) error {
	rows, err := x.rows(ctx, p, a.top)
	if err != nil {
		return err
	}
	for {
		ok, err := rows.next()
		if err != nil || !ok {
			return err
		}
		w := &rows.row
		if w.number > a.bottom && x.inOrder {
			return nil
		}
		if w.number < a.top || w.number > a.bottom {
			continue
		}
		if err := do(w); err != nil {
			return err
		}
	}
}
