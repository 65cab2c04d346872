package sheet

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// An odsCut makes evidence: the document with one sheet, in which the cells of an
// area keep their positions. Rows and columns before them are empty.
type odsCut struct {
	ctx    context.Context
	b      *odsBook
	e      *odsSheet
	area   area
	prefix string // prefix of table elements, including the colon
	out    strings.Builder
	merged odsMerged

	named map[string]bool // styles used by the written elements

	formulas lostFormulas
	lost     odsBeside
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
	c := &odsCut{ctx: ctx, b: j.book, e: e, area: a.meet(e.used), prefix: prefixOf(j.book.text[e.all.pos:e.all.stop]), lost: e.beside, named: make(map[string]bool)}
	if err := c.write(); err != nil {
		return nil, nil, err
	}
	cut := odf.NewCut(j.p)
	cut.Replace(odf.Content, c.out.String())
	if j.p.Has(odf.Styles) {
		text, err := c.styles(ctx, j.p)
		if err != nil {
			return nil, nil, err
		}
		cut.Replace(odf.Styles, text)
	} else {
		c.lost.formats = c.lost.formats || c.hasMapped(j.book.styles.cells, newODSCellStyles())
	}
	var data bytes.Buffer
	if err := cut.WriteTo(ctx, &data); err != nil {
		return nil, nil, err
	}
	return data.Bytes(), c.changes(), nil
}

func (c *odsCut) write() error {
	text, b, e := c.b.text, c.b, c.e
	c.out.WriteString(c.head())
	c.out.WriteString(text[b.calc.pos:b.calc.stop])
	c.out.WriteString(c.tag(e.all.pos, e.tag, func(a xmlspan.Attr) bool {
		return a.Space == "table" && (a.Local == "print-ranges" || a.Local == "print" || strings.HasPrefix(a.Local, "protect"))
	}))
	if e.end < e.all.stop { // it has an end tag
		if err := c.content(); err != nil {
			return err
		}
		c.out.WriteString(text[e.end:e.all.stop])
	}
	c.names()
	c.out.WriteString(text[b.inner.stop:])
	return nil
}

// tag returns a start tag without the attributes that drop selects.
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
	c.columnStyles()
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

// open returns the beginning of a start tag, with a repeat count of n.
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

// row writes the part of a row that is in the area.
func (c *odsCut) row(w *odsRow, first, last int32) {
	text := c.b.text
	c.merged.begin(first)
	s := c.b.root.Fragment(w.all.pos, w.all.stop)
	if !s.Next() {
		return
	}
	c.name(s)
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
		c.cell(cell, left, right, first)
	}
	if !some {
		c.out.WriteString(c.empty("table-cell", "", 1))
	}
	c.out.WriteString("</" + rawName(text[w.all.pos:w.all.stop]) + ">")
}

// repeatEdits returns the edits that set the repeat count of the current element.
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

// cell writes a cell, or some of its repeats.
func (c *odsCut) cell(cell odsCell, left, right, row int32) {
	s := c.b.root.Fragment(cell.all.pos, cell.all.stop)
	if !s.Next() {
		return
	}
	whole := area{left, row, left + cell.cols - 1, row + cell.rows - 1}
	spanned := whole.meet(c.area)
	if cell.cols > 1 || cell.rows > 1 {
		c.merged.open(spanned)
	}
	keepsFormula := cell.formula == "" || odsStays(cell.formula, c.e.name, c.area)
	if !keepsFormula {
		c.formulas.lose(left, row, c.b.hasValue(cell))
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
				c.formulas.lose(left, row, c.b.hasValue(cell))
			}
			edit = xmlspan.Edit{Pos: a.Pos, Stop: a.Stop}
		case "table:content-validation-name":
			c.lost.validations = true
			edit = xmlspan.Edit{Pos: a.Pos, Stop: a.Stop}
		case "table:style-name":
			c.named[a.Value] = true
			continue
		default:
			continue
		}
		edits = append(edits, edit)
	}
	isUncovered := cell.covered && !c.merged.has(left)
	if isUncovered {
		edits = append(edits, c.uncover(cell.all.pos))
	}
	edits = append(edits, c.inner(s)...)
	if end := s.Pos; isUncovered && end < s.Stop {
		edits = append(edits, c.uncover(end))
	}
	c.out.WriteString(xmlspan.Splice(c.b.text, cell.all.pos, cell.all.stop, edits))
}

// isMatrix reports whether the current formula fills several cells.
func isMatrix(s *xmlspan.Scanner) bool {
	_, cols := s.Attr("table", "number-matrix-columns-spanned")
	_, rows := s.Attr("table", "number-matrix-rows-spanned")
	return cols || rows
}

// inner returns the edits that drop the content of a cell other than text and notes.
func (c *odsCut) inner(s *xmlspan.Scanner) (edits []xmlspan.Edit) {
	link := 0 // depth of the open link
	for s.Next() {
		if s.Kind == xmlspan.End && s.Depth == link {
			edits, link = append(edits, xmlspan.Edit{Pos: s.Pos, Stop: s.Stop}), 0
		}
		if s.Kind != xmlspan.Start {
			continue
		}
		if link == 0 && s.Is("text", "a") && c.isAway(s.Get("xlink", "href")) {
			c.lost.links, link = true, s.Depth
			edits = append(edits, xmlspan.Edit{Pos: s.Pos, Stop: s.Stop})
		}
		picture := s.Space == "draw" || s.Space == "dr3d" || s.Space == "form"
		drop := picture || s.Space == "table" || s.Space == "script" || s.Is("office", "event-listeners") || s.Is("office", "dde-source")
		if s.Is("office", "annotation") {
			s.Skip() // its shape belongs to the note
			continue
		}
		if pos := s.Pos; drop {
			c.lost.pictures = c.lost.pictures || picture
			s.Skip()
			edits = append(edits, xmlspan.Edit{Pos: pos, Stop: s.Stop})
		}
	}
	return edits
}

// isAway reports whether a link leads to a place in the workbook outside the area.
func (c *odsCut) isAway(link string) bool {
	place, ok := strings.CutPrefix(link, "#")
	if !ok {
		return false
	}
	sheet, a, ok := odsRange(place)
	return !ok || sheet != c.e.name || !c.area.contains(a)
}

// names writes the range names that are kept entirely.
func (c *odsCut) names() {
	var named, databases strings.Builder
	for _, i := range c.b.named[c.e.name] {
		n := &c.b.names[i]
		c.lost.filters = c.lost.filters || !c.area.meet(n.area).isEmpty() && (n.filtered || n.buttons && !c.area.contains(n.area))
		if !c.area.contains(n.area) || n.base != "" && n.base != c.e.name {
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
