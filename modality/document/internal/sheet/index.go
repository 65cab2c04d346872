package sheet

import (
	"context"
	"io"
	"sort"

	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// An index holds what is known of a sheet after one pass: the positions of its rows,
// its extent, and the elements around the rows. It holds no cells.
type index struct {
	stream   *stream
	rowsFrom int64  // where the rows begin in the part; 0 if there are none
	marks    []mark // in part order
	inOrder  bool   // whether the rows are sorted by number

	// around is the part without its rows, which belong at rowsAt.
	around string
	rowsAt int

	used   area // extent of all cells, including those with only a format
	merged []area
	blocks []block
	more   bool // whether some blocks were left out
}

// A mark says which row begins at an offset.
type mark struct {
	offset int64
	before int32 // number of the previous row
}

// markEvery is the minimum number of bytes between two marks.
const markEvery = 256 << 10

// bytes returns the approximate memory of the index.
func (x *index) bytes() int64 {
	return x.stream.bytes() + int64(len(x.around)+len(x.marks)*16+len(x.merged)*16+len(x.blocks)*256) + 512
}

// readIndex reads a whole sheet.
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

// read reads the text before the rows, the rows, and the text after them.
func (x *index) read(t *tagReader) error {
	t.keep = 0
	for {
		if err := t.next(); err != nil {
			return err
		}
		if t.kind == atEnd { // no rows, as in a chart sheet
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

// lenPrefix returns the length of the prefix of the current tag's name, including the
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

// rest returns the text after the current tag.
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

// readAround checks the elements around the rows, and finds merged cells.
func (x *index) readAround() error {
	s := ooxml.Scan(x.around)
	for range s.Starts() {
		if s.Local != "mergeCell" || s.Depth != 3 {
			continue
		}
		if a, ok := areaOf(s.Get("", "ref")); ok {
			x.merged = append(x.merged, a)
			x.used = x.used.join(a)
		}
	}
	return xmlspan.Known(s.Err())
}

// rows reads the rows from number from on. That row may be missing. If the rows of
// the sheet are out of order, reading starts at the first.
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

// each calls do with each row in an area. The row is valid until do returns.
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
