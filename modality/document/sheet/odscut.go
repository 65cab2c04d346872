package sheet

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/odf"
	"github.com/citekit/citekit/internal/xmlspan"
)

// An odsCut makes evidence: the document with one sheet, of which the cells of
// an area are left at their own place. Rows and columns before them are empty.
type odsCut struct {
	ctx    context.Context
	b      *odsBook
	e      *odsSheet
	area   area
	prefix string // of elements of tables, with its colon
	out    strings.Builder
	merged []area // of the cells that are kept, clipped; those that end above are gone

	formulas []string // cells that lost theirs
	pictures bool
}

// cut returns the evidence of a location.
func (j *odsJob) cut(ctx context.Context, loc citekit.Location) ([]byte, []string, error) {
	e, err := j.book.find(loc.Sheet)
	if err != nil {
		return nil, nil, err
	}
	a, err := selected(loc, e.used)
	if err != nil {
		return nil, nil, err
	}
	c := &odsCut{ctx: ctx, b: j.book, e: e, area: a.meet(e.used), prefix: prefixOf(j.book.text[e.all.pos:e.all.stop]), pictures: e.dropped}
	if err := c.write(); err != nil {
		return nil, nil, err
	}
	cut := odf.NewCut(j.p)
	cut.Replace(odf.Content, c.out.String())
	if j.p.Has(odf.Styles) {
		text, err := odsStyles(ctx, j.p)
		if err != nil {
			return nil, nil, err
		}
		cut.Replace(odf.Styles, text)
	}
	var data bytes.Buffer
	if err := cut.WriteTo(ctx, &data); err != nil {
		return nil, nil, err
	}
	return data.Bytes(), c.changes(), nil
}

// odsStyles returns the styles without what pages have beside the cells.
func odsStyles(ctx context.Context, p *odf.Package) (string, error) {
	text, err := p.Text(ctx, odf.Styles)
	if err != nil {
		return "", err
	}
	text, err = xmlspan.Without(odf.Scan(text), func(s *xmlspan.Scanner) bool {
		switch s.Space + ":" + s.Local {
		case "style:header", "style:header-left", "style:header-first", "style:footer", "style:footer-left", "style:footer-first",
			"style:background-image", "draw:fill-image", "office:scripts":
			return true
		}
		return false
	})
	if err != nil {
		return "", fmt.Errorf("%w: %w", err, citekit.ErrFormat)
	}
	return text, nil
}

func (c *odsCut) changes() []string {
	var changes []string
	switch n := len(c.formulas); {
	case n == 1:
		changes = append(changes, "the formula of "+c.formulas[0]+" replaced by its value")
	case n > 1 && n <= 10:
		changes = append(changes, "the formulas of "+strings.Join(c.formulas, ", ")+" replaced by their values")
	case n > 10:
		changes = append(changes, fmt.Sprintf("%d formulas replaced by their values, of %s and others", n, c.formulas[0]))
	}
	if c.pictures {
		changes = append(changes, "pictures, charts and forms left out")
	}
	return changes
}

func (c *odsCut) write() error {
	text, b, e := c.b.text, c.b, c.e
	c.out.WriteString(xmlspan.Splice(text, 0, b.inner.pos, b.drops))
	c.out.WriteString(text[b.calc.pos:b.calc.stop])
	c.out.WriteString(c.tag(e.all.pos, e.tag, func(a xmlspan.Attr) bool {
		return a.Space == "table" && (a.Local == "print-ranges" || a.Local == "print")
	}))
	if e.end > e.all.pos {
		if err := c.content(); err != nil {
			return err
		}
		c.out.WriteString(text[e.end:e.all.stop])
	}
	c.names()
	c.out.WriteString(text[b.inner.stop:])
	return nil
}

// tag returns a start tag without some of its attributes.
func (c *odsCut) tag(pos, stop int, drop func(xmlspan.Attr) bool) string {
	var edits []xmlspan.Edit
	s := c.b.root.Fragment(pos, stop)
	if s.Next() {
		for a := range s.Attrs() {
			if drop(a) {
				edits = append(edits, xmlspan.Edit{Pos: a.Pos, Stop: a.Stop})
			}
		}
	}
	return xmlspan.Splice(c.b.text, pos, stop, edits)
}

// content writes the columns and the rows of the sheet.
func (c *odsCut) content() error {
	for _, col := range c.e.columns {
		c.out.WriteString(c.b.text[col.pos:col.stop])
	}
	if c.area.isEmpty() {
		c.out.WriteString("<" + c.prefix + "table-row>" + c.empty("table-cell", "", 1) + "</" + c.prefix + "table-row>")
		return nil
	}
	if n := c.area.top - 1; n > 0 {
		c.out.WriteString(c.open("table-row", "number-rows-repeated", n) + ">" + c.empty("table-cell", "", 1) + "</" + c.prefix + "table-row>")
	}
	for i := range c.e.rows {
		w := &c.e.rows[i]
		first, last := max(w.number, c.area.top), min(w.last(), c.area.bottom)
		if first > last {
			continue
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
		c.row(w, first, last)
	}
	return nil
}

const odsTable = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"

// open returns the beginning of a start tag with a number that repeats it.
func (c *odsCut) open(local, attr string, n int32) string {
	tag := "<" + c.prefix + local
	switch {
	case n == 1:
		return tag
	case c.prefix == "":
		return tag + fmt.Sprintf(` xmlns:t="%s" t:%s="%d"`, odsTable, attr, n)
	}
	return tag + fmt.Sprintf(` %s%s="%d"`, c.prefix, attr, n)
}

func (c *odsCut) empty(local, attr string, n int32) string { return c.open(local, attr, n) + "/>" }

// row writes what a row has in the area.
func (c *odsCut) row(w *odsRow, first, last int32) {
	text := c.b.text
	kept := c.merged[:0]
	for _, m := range c.merged {
		if m.bottom >= first {
			kept = append(kept, m)
		}
	}
	c.merged = kept
	s := c.b.root.Fragment(w.all.pos, w.all.stop)
	if !s.Next() {
		return
	}
	isEmpty := strings.HasSuffix(text[w.all.pos:w.tag], "/>")
	c.out.WriteString(xmlspan.Splice(text, w.all.pos, w.tag, repeatEdits(s, "number-rows-repeated", last-first+1)))
	if isEmpty {
		return
	}
	if n := c.area.left - 1; n > 0 {
		c.out.WriteString(c.empty("table-cell", "number-columns-repeated", n))
	}
	some := c.area.left > 1
	for _, cell := range c.b.cells(w) {
		left, right := max(cell.col, c.area.left), min(cell.last(), c.area.right)
		if left > right {
			continue
		}
		some = true
		if cell.covered && !c.isCovered(left, first) {
			c.out.WriteString(c.empty("table-cell", "number-columns-repeated", right-left+1))
			continue
		}
		c.cell(cell, left, right, first)
	}
	if !some {
		c.out.WriteString(c.empty("table-cell", "", 1))
	}
	c.out.WriteString("</" + rawName(text[w.all.pos:w.all.stop]) + ">")
}

func (c *odsCut) isCovered(col, row int32) bool {
	for _, m := range c.merged {
		if m.has(col, row) {
			return true
		}
	}
	return false
}

// repeatEdits set how often the element at hand is repeated.
func repeatEdits(s *xmlspan.Scanner, local string, n int32) []xmlspan.Edit {
	for a := range s.Attrs() {
		if a.Space != "table" || a.Local != local {
			continue
		}
		if n == 1 {
			return []xmlspan.Edit{{Pos: a.Pos, Stop: a.Stop}}
		}
		return []xmlspan.Edit{{Pos: a.ValuePos, Stop: a.ValueStop, Text: strconv.Itoa(int(n))}}
	}
	return nil
}

// cell writes a cell, or some of those that it stands for.
func (c *odsCut) cell(cell odsCell, left, right, row int32) {
	s := c.b.root.Fragment(cell.all.pos, cell.all.stop)
	if !s.Next() {
		return
	}
	whole := area{left, row, left + cell.cols - 1, row + cell.rows - 1}
	spanned := whole.meet(c.area)
	if cell.cols > 1 || cell.rows > 1 {
		c.merged = append(c.merged, spanned)
	}
	keepsFormula := cell.formula == "" || odsStays(cell.formula, c.e.name, c.area)
	if !keepsFormula {
		c.formulas = append(c.formulas, citekit.Cell{Col: left, Row: row}.String())
	}
	edits := repeatEdits(s, "number-columns-repeated", right-left+1)
	for a := range s.Attrs() {
		edit := xmlspan.Edit{Pos: a.ValuePos, Stop: a.ValueStop}
		switch a.Space + ":" + a.Local {
		case "table:number-columns-spanned":
			edit.Text = strconv.Itoa(int(spanned.right - spanned.left + 1))
		case "table:number-rows-spanned":
			edit.Text = strconv.Itoa(int(spanned.bottom - spanned.top + 1))
		case "table:formula", "table:number-matrix-columns-spanned", "table:number-matrix-rows-spanned":
			if keepsFormula && !isMatrix(s) {
				continue
			}
			if keepsFormula && a.Local == "formula" {
				c.formulas = append(c.formulas, citekit.Cell{Col: left, Row: row}.String())
			}
			edit = xmlspan.Edit{Pos: a.Pos, Stop: a.Stop}
		case "table:content-validation-name":
			edit = xmlspan.Edit{Pos: a.Pos, Stop: a.Stop}
		default:
			continue
		}
		edits = append(edits, edit)
	}
	edits = append(edits, c.inner(s)...)
	c.out.WriteString(xmlspan.Splice(c.b.text, cell.all.pos, cell.all.stop, edits))
}

// isMatrix reports whether the formula at hand fills several cells.
func isMatrix(s *xmlspan.Scanner) bool {
	_, cols := s.Attr("table", "number-matrix-columns-spanned")
	_, rows := s.Attr("table", "number-matrix-rows-spanned")
	return cols || rows
}

// inner drops what is in a cell and is neither text nor a note.
func (c *odsCut) inner(s *xmlspan.Scanner) (edits []xmlspan.Edit) {
	for s.Next() {
		if s.Kind != xmlspan.Start {
			continue
		}
		picture := s.Space == "draw" || s.Space == "dr3d" || s.Space == "form"
		drop := picture || s.Space == "table" || s.Space == "script" || s.Is("office", "event-listeners") || s.Is("office", "dde-source")
		if s.Is("office", "annotation") {
			s.Skip() // its shape is its own
			continue
		}
		if pos := s.Pos; drop {
			c.pictures = c.pictures || picture
			s.Skip()
			edits = append(edits, xmlspan.Edit{Pos: pos, Stop: s.Stop})
		}
	}
	return edits
}

// names writes the names of ranges that are kept as a whole.
func (c *odsCut) names() {
	var named, databases strings.Builder
	for i := range c.b.names {
		n := &c.b.names[i]
		if n.sheet != c.e.name || !c.area.contains(n.area) || n.base != "" && n.base != c.e.name {
			continue
		}
		if !n.database {
			named.WriteString(c.b.text[n.all.pos:n.all.stop])
			continue
		}
		databases.WriteString(c.b.text[n.all.pos:n.tag]) // without filters and sources
		if tag := c.b.text[n.all.pos:n.tag]; !strings.HasSuffix(tag, "/>") {
			databases.WriteString("</" + rawName(tag) + ">")
		}
	}
	for _, list := range []struct{ local, inner string }{{"named-expressions", named.String()}, {"database-ranges", databases.String()}} {
		if list.inner != "" {
			c.out.WriteString("<" + c.prefix + list.local + ">" + list.inner + "</" + c.prefix + list.local + ">")
		}
	}
}
