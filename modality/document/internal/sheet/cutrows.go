package sheet

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/citekit/citekit"
)

// maxSheetBytes is the largest size of a part in evidence.
const maxSheetBytes = 256 << 20

var errEvidence = fmt.Errorf("evidence of more than %d MiB; choose fewer cells: %w", maxSheetBytes>>20, citekit.ErrTooLarge)

// An edit replaces some bytes of a row by text.
type edit struct {
	from, to int32
	text     string
}

// row writes the cells of a row that are in the area.
func (c *cutter) row(w *row) error {
	if c.text.Len() > maxSheetBytes {
		return errEvidence
	}
	var edits []edit
	if !w.hasRef {
		edits = refEdits(edits, w.data, w.attrs, strconv.Itoa(int(w.number)))
	}
	c.splice(w.data, w.head, edits)
	if bytes.HasSuffix(w.head.of(w.data), []byte("/>")) {
		return nil
	}
	for i := range w.cells {
		cell := &w.cells[i]
		if cell.col < c.area.left || cell.col > c.area.right {
			continue
		}
		if err := c.cell(w, cell); err != nil {
			return err
		}
	}
	c.text.Write(w.data[bytes.LastIndex(w.data, []byte("</")):])
	return nil
}

// refEdits appends the edits that set the address of a row or cell.
func refEdits(edits []edit, data []byte, attrs span, ref string) []edit {
	for at := 0; ; {
		a, next := nextAttr(attrs.of(data), at)
		if next < 0 {
			return append(edits, edit{attrs.from, attrs.from, ` r="` + ref + `"`})
		}
		if string(a.name) == "r" {
			from := attrs.from + int32(a.valueFrom)
			return append(edits, edit{from, from + int32(len(a.value)), ref})
		}
		at = next
	}
}

// splice writes a span of a row with edits applied.
func (c *cutter) splice(data []byte, part span, edits []edit) {
	if len(edits) > 1 {
		slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	}
	from := part.from
	for _, e := range edits {
		c.text.Write(data[from:e.from])
		c.text.WriteString(e.text)
		from = e.to
	}
	c.text.Write(data[from:part.to])
}

// cell writes a cell.
func (c *cutter) cell(w *row, cell *cell) error {
	var edits []edit
	if !cell.hasRef {
		edits = refEdits(edits, w.data, cell.attrs, citekit.Cell{Col: cell.col, Row: w.number}.String())
	}
	edits = withoutMetadata(edits, w.data, cell.attrs)
	if cell.kind == typeShared && cell.value.from < cell.value.to {
		if number, err := strconv.Atoi(string(bytes.TrimSpace(cell.value.of(w.data)))); err == nil {
			edits = append(edits, edit{cell.value.from, cell.value.to, strconv.Itoa(c.stringNumber(number))})
		}
	}
	if !cell.formula.isZero() {
		edits = c.formula(edits, w, cell)
	}
	c.splice(w.data, cell.all, edits)
	return nil
}

// withoutMetadata appends edits that drop references to the metadata of cells and
// values. Evidence does not have that part.
func withoutMetadata(edits []edit, data []byte, attrs span) []edit {
	for at := 0; ; {
		a, next := nextAttr(attrs.of(data), at)
		if next < 0 {
			return edits
		}
		if name := string(a.name); name == "cm" || name == "vm" {
			edits = append(edits, edit{attrs.from + int32(a.from), attrs.from + int32(next), ""})
		}
		at = next
	}
}

// stringNumber returns the index of a shared string in the evidence.
func (c *cutter) stringNumber(old int) int {
	number, ok := c.ids[old]
	if !ok {
		number = len(c.order)
		c.ids[old] = number
		c.order = append(c.order, old)
	}
	return number
}

// A master is the cell with a formula that other cells share.
type master struct {
	formula  formula
	col, row int32
	stays    bool
}

// formula appends the edits of the formula of a cell.
func (c *cutter) formula(edits []edit, w *row, cell *cell) []edit {
	raw := string(cell.formula.of(w.data))
	kind, number, ref := attrOf(raw, "t"), attrOf(raw, "si"), attrOf(raw, "ref")
	text := elementText(raw)
	stays := false
	switch kind {
	case "", "normal":
		stays = c.stays(parseFormula(text), 0, 0)
	case "shared":
		m := c.masters[number]
		if text != "" && ref != "" {
			m = &master{formula: parseFormula(text), col: cell.col, row: w.number}
			m.stays = c.stays(m.formula, 0, 0)
			c.masters[number] = m
		}
		stays = m != nil && m.stays && c.stays(m.formula, cell.col-m.col, w.number-m.row)
	}
	if !stays {
		c.formulas.lose(cell.col, w.number, cell.value.from < cell.value.to || cell.kind == typeText)
		return append(edits, edit{cell.formula.from, cell.formula.to, ""})
	}
	if a, ok := areaOf(ref); ok && !c.area.contains(a) {
		clipped := withAttrs(raw, func(name, _ string) (string, bool) {
			if name == "ref" {
				return c.area.meet(a).String(), true
			}
			return "", true
		})
		return append(edits, edit{cell.formula.from, cell.formula.to, clipped})
	}
	return edits
}

// elementText returns the characters of an element.
func elementText(raw string) string {
	end, ok := quotedEnd([]byte(raw))
	if !ok || raw[end-1] == '/' {
		return ""
	}
	last := bytes.LastIndex([]byte(raw), []byte("</"))
	if last <= end {
		return ""
	}
	return plainText([]byte(raw[end+1 : last]))
}

// stays reports whether everything that a formula depends on is kept, for a cell that
// is cols columns and rows rows away from the cell with the formula.
func (c *cutter) stays(f formula, cols, rows int32) bool {
	if f.away {
		return false
	}
	for _, ref := range f.refs {
		a := ref.shifted(cols, rows)
		if !c.isOwn(ref.sheet) || a.left < 1 || a.top < 1 || !c.area.contains(a) {
			return false
		}
	}
	for _, name := range f.tables {
		if !slices.ContainsFunc(c.tables, func(t table) bool { return equalFold(t.name, name) }) {
			return false
		}
	}
	for _, name := range f.names {
		if !c.nameStays(name, 0) {
			return false
		}
	}
	return true
}
