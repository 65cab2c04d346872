package sheet

import (
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/selector"
)

const (
	maxCellsOfRow = 1 << 16
	maxColumn     = 16384 // XFD
)

// A cellType says how the value of a cell is written.
type cellType uint8

const (
	typeNumber cellType = iota
	typeShared          // the value is the index of a shared string
	typeText            // the text result of a formula
	typeInline          // the value is rich text in the element "is" of the cell
	typeBool
	typeError
	typeDate // ISO 8601
)

// A span is a range of the bytes of a row.
type span struct{ from, to int32 }

func (s span) of(data []byte) []byte { return data[s.from:s.to] }
func (s span) isZero() bool          { return s == span{} }

// A cell is a cell of a row. Its spans refer to the bytes of the row.
type cell struct {
	col     int32
	style   int32
	kind    cellType
	hasRef  bool
	all     span // the whole element
	attrs   span // attributes of its tag
	value   span // content of v, or of is for inline text
	formula span // the element f, or zero if there is none
}

// isEmpty reports whether the cell has at most a format.
func (c *cell) isEmpty() bool { return c.value.from == c.value.to && c.formula.isZero() }

// A row is a row of a sheet. It is valid until the next one is read.
type row struct {
	number int32
	hasRef bool
	offset int64 // where it begins in the part
	data   []byte
	head   span // its tag
	attrs  span // attributes of its tag
	cells  []cell

	inOrder bool // whether its cells are sorted by column
}

// A rowReader reads the rows of a sheet. It starts after the tag of sheetData.
type rowReader struct {
	tags *tagReader
	row  row
	last int32 // number of the previous row
	done bool  // whether the end tag of sheetData was read
}

// next reads the next row. It returns false after the last.
func (r *rowReader) next() (bool, error) {
	if r.done {
		return false, nil
	}
	for {
		if err := r.tags.next(); err != nil {
			return false, err
		}
		switch {
		case r.tags.kind == atEnd:
			return false, errMalformed
		case r.tags.kind == closeTag && r.tags.is("sheetData"):
			r.done = true
			return false, nil
		case r.tags.kind != closeTag && r.tags.is("row"):
			return true, r.read()
		case r.tags.kind == closeTag:
			return false, errMalformed
		}
	}
}

// read reads the row that begins with the current tag.
func (r *rowReader) read() error {
	t := r.tags
	t.keep = t.tag
	w := &r.row
	*w = row{number: r.last + 1, offset: t.offset(), cells: w.cells[:0], inOrder: true}
	if ref, ok := get(t.attrs, "r"); ok {
		if n, ok := wholeNumber(ref); ok && n > 0 && n <= selector.MaxRow {
			w.number, w.hasRef = int32(n), true
		}
	}
	if w.number < 1 {
		return errMalformed
	}
	r.last = w.number
	w.head = span{0, int32(t.pos - t.keep)}
	w.attrs = spanOf(t, t.attrs)
	if t.kind == openTag {
		if err := r.readCells(); err != nil {
			return err
		}
	}
	w.data = t.buf[t.keep:t.pos]
	t.keep = -1
	return nil
}

// spanOf returns the span in the row of a part of the buffer.
func spanOf(t *tagReader, part []byte) span {
	from := cap(t.buf) - cap(part) - t.keep
	return span{int32(from), int32(from + len(part))}
}

func (r *rowReader) readCells() error {
	t := r.tags
	col := int32(0)
	for {
		if err := t.next(); err != nil {
			return err
		}
		switch {
		case t.kind == atEnd:
			return errMalformed
		case t.kind == closeTag:
			if t.is("row") {
				return nil
			}
			return errMalformed
		case !t.is("c"):
			if t.kind == openTag {
				return errMalformed // no other element there may contain elements
			}
			continue
		}
		if len(r.row.cells) == maxCellsOfRow {
			return fmt.Errorf("a row of more than %d cells; save the sheet as CSV: %w", maxCellsOfRow, citekit.ErrTooLarge)
		}
		c := cell{col: col + 1, all: span{from: int32(t.tag - t.keep)}, attrs: spanOf(t, t.attrs)}
		c.readAttrs(t.attrs)
		if c.col <= col {
			r.row.inOrder = false
		}
		col = c.col
		if t.kind == openTag {
			if err := r.readCell(&c); err != nil {
				return err
			}
		}
		c.all.to = int32(t.pos - t.keep)
		r.row.cells = append(r.row.cells, c)
	}
}

func (c *cell) readAttrs(attrs []byte) {
	for at := 0; ; {
		var a attr
		if a, at = nextAttr(attrs, at); at < 0 {
			return
		}
		if len(a.name) != 1 {
			continue
		}
		switch a.name[0] {
		case 'r':
			if col := columnOf(a.value); col > 0 {
				c.col, c.hasRef = col, true
			}
		case 's':
			if n, ok := wholeNumber(a.value); ok {
				c.style = int32(min(n, 1<<30))
			}
		case 't':
			c.kind = typeOf(a.value)
		}
	}
}

func typeOf(name []byte) cellType {
	switch string(name) {
	case "s":
		return typeShared
	case "str":
		return typeText
	case "inlineStr":
		return typeInline
	case "b":
		return typeBool
	case "e":
		return typeError
	case "d":
		return typeDate
	}
	return typeNumber
}

// columnOf returns the column of a reference such as "B5", or 0.
func columnOf(ref []byte) int32 {
	n := int32(0)
	for i, c := range ref {
		if c |= 0x20; c < 'a' || c > 'z' {
			if i == 0 || i > 3 || ref[i] < '0' || ref[i] > '9' {
				return 0
			}
			break
		}
		if i >= 3 {
			return 0
		}
		n = n*26 + int32(c-'a') + 1
	}
	if n > maxColumn {
		return 0
	}
	return n
}

// wholeNumber parses decimal digits, at most nine of them significant.
func wholeNumber(s []byte) (int64, bool) {
	if len(s) == 0 || len(s) > 10 {
		return 0, false
	}
	n := int64(0)
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// readCell reads the content of a cell, up to its end tag. The text of a cell of type
// inlineStr is in the element is. Some programs write it to v instead, as for the
// result of a formula, and spreadsheet programs show that too.
func (r *rowReader) readCell(c *cell) error {
	t := r.tags
	isInline := c.kind == typeInline
	for {
		if err := t.next(); err != nil {
			return err
		}
		at := func(i int) int32 { return int32(i - t.keep) }
		switch {
		case t.kind == atEnd:
			return errMalformed
		case t.kind == closeTag && t.is("c"):
			return nil
		case t.kind == closeTag && (t.is("row") || t.is("sheetData")), t.kind != closeTag && (t.is("row") || t.is("c")):
			return errMalformed
		case t.kind == closeTag && t.is("v") && (!isInline || c.value.isZero()):
			c.value = span{at(t.text), at(t.tag)}
			if isInline {
				c.kind = typeText
			}
		case t.kind == openTag && t.is("is"):
			from := at(t.pos)
			if err := r.skipTo("is"); err != nil {
				return err
			}
			if isInline {
				c.value, c.kind = span{from, at(t.tag)}, typeInline
			}
		case t.kind == emptyTag && t.is("f"):
			c.formula = span{at(t.tag), at(t.pos)}
		case t.kind == openTag && t.is("f"):
			c.formula.from = at(t.tag)
			if err := r.skipTo("f"); err != nil {
				return err
			}
			c.formula.to = at(t.pos)
		case t.kind == openTag && t.is("extLst"):
			if err := r.skipTo("extLst"); err != nil {
				return err
			}
		}
	}
}

// skipTo skips to the end tag of an element.
func (r *rowReader) skipTo(name string) error {
	for {
		if err := r.tags.next(); err != nil {
			return err
		}
		switch {
		case r.tags.kind == atEnd:
			return errMalformed
		case r.tags.kind == closeTag && r.tags.is(name):
			return nil
		}
	}
}
