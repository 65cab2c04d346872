package sheet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// odsLost records what evidence leaves out of a workbook.
type odsLost struct {
	macros, revisions bool
	pivots            []odsPlace
}

type odsPlace struct {
	sheet string
	area  area
}

// odsBeside records what evidence leaves out of a sheet.
type odsBeside struct {
	pictures, source, validations, formats, filters, links bool
	headers, backgrounds                                   bool
	rules                                                  []area // areas of conditional formats
}

// odsStyleNames holds facts about the styles in content.xml.
type odsStyleNames struct {
	cells       odsCellStyles
	backgrounds bool
	tables      []odsTableStyle
	hidden      map[string]bool // whether tables with it are hidden
}

// An odsTableStyle is a sheet style.
type odsTableStyle struct {
	name, page string
	all        span64
	show       xmlspan.Edit // edit that makes its sheets visible
}

// hasElements reports whether the current element, which begins at pos and was
// skipped, contains elements.
func (b *odsBook) hasElements(s *xmlspan.Scanner, pos int) bool {
	return strings.Count(b.text[pos:s.Stop], "<") > 2
}

// readStyles reads the styles in content.xml.
func (b *odsBook) readStyles(s *xmlspan.Scanner) {
	n := &b.styles
	n.cells, n.hidden = newODSCellStyles(), make(map[string]bool)
	name, cell, table := "", "", (*odsTableStyle)(nil)
	for depth := s.Depth; s.Next() && (s.Kind != xmlspan.End || s.Depth != depth); {
		if s.Kind == xmlspan.End && s.Depth == depth+1 && table != nil {
			table.all.stop = s.Stop
			n.tables, table = append(n.tables, *table), nil
		}
		if s.Kind != xmlspan.Start {
			continue
		}
		_, parent := s.Parent()
		switch pos := s.Pos; {
		case s.Is("style", "style") && s.Depth == depth+1:
			name, cell = s.Get("style", "name"), n.cells.begin(s)
			if s.Get("style", "family") == "table" {
				table = &odsTableStyle{name: name, page: s.Get("style", "master-page-name"), all: span64{pos: pos}}
			}
		case s.Is("style", "table-properties") && table != nil:
			for a := range s.Attrs() {
				if a.Space == "table" && a.Local == "display" && a.Value == "false" {
					n.hidden[name] = true
					table.show = xmlspan.Edit{Pos: a.ValuePos, Stop: a.ValueStop, Text: "true"}
				}
			}
		case s.Is("style", "map") && parent == "style":
			n.cells.mapped[cell] = true
			b.drop(s)
		case s.Is("style", "background-image"):
			n.backgrounds = n.backgrounds || s.Get("xlink", "href") != ""
			b.drop(s)
		}
	}
}

// drop removes the current element from all evidence.
func (b *odsBook) drop(s *xmlspan.Scanner) {
	b.drops = append(b.drops, s.Drop())
}

// leave records the current element, which is outside the cells of a sheet.
func (b *odsBook) leave(e *odsSheet, s *xmlspan.Scanner) {
	pos, space, local := s.Pos, s.Space, s.Local
	if local == "conditional-formats" {
		for range s.Starts() {
			if s.Local == "conditional-format" {
				e.beside.rules = append(e.beside.rules, odsAreas(s.Get(s.Space, "target-range-address"))...)
			}
		}
		return
	}
	s.Skip()
	switch some := b.hasElements(s, pos); {
	case space == "table" && local == "shapes", space == "office" && local == "forms":
		e.beside.pictures = e.beside.pictures || some
	case space == "table" && local == "table-source", space == "office" && local == "dde-source":
		e.beside.source = true
	case space == "office" && local == "event-listeners":
		b.lost.macros = true
	}
}

// odsAreas parses a list of addresses. An address that it cannot parse means all
// cells.
func odsAreas(list string) (areas []area) {
	for ref := range strings.FieldsSeq(list) {
		_, a, ok := odsRange(ref)
		if !ok {
			a = everywhere
		}
		areas = append(areas, a)
	}
	return areas
}

// pivots records the pivot tables in the current element.
func (b *odsBook) pivots(s *xmlspan.Scanner) {
	for range s.Starts() {
		if sheet, a, ok := odsRange(s.Get("table", "target-range-address")); ok {
			b.lost.pivots = append(b.lost.pivots, odsPlace{sheet, a})
		}
		s.Skip()
	}
}

// head returns the text before the sheet, without the styles of other sheets. A
// hidden sheet becomes visible.
func (c *odsCut) head() string {
	edits := slices.Clone(c.b.drops)
	for _, t := range c.b.styles.tables {
		switch {
		case t.name != c.e.style:
			edits = append(edits, xmlspan.Edit{Pos: t.all.pos, Stop: t.all.stop})
		case c.e.hidden:
			edits = append(edits, t.show)
		}
	}
	return xmlspan.Splice(c.b.text, 0, c.b.inner.pos, outer(edits))
}

// outer drops edits inside other edits.
func outer(edits []xmlspan.Edit) []xmlspan.Edit {
	slices.SortFunc(edits, func(a, b xmlspan.Edit) int { return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(b.Stop, a.Stop)) })
	end := 0
	return slices.DeleteFunc(edits, func(e xmlspan.Edit) bool {
		within := e.Stop <= end
		end = max(end, e.Stop)
		return within
	})
}

// page returns the name of the sheet's page style.
func (c *odsCut) page() string {
	for _, t := range c.b.styles.tables {
		if t.name == c.e.style && t.page != "" {
			return t.page
		}
	}
	return "Default"
}

// styles returns the styles with only the page style of the sheet, without headers
// and footers.
func (c *odsCut) styles(ctx context.Context, p *odf.Package) (string, error) {
	text, err := p.Text(ctx, odf.Styles)
	if err != nil {
		return "", err
	}
	page, named := c.page(), ""
	common := newODSCellStyles()
	isOwn := false
	text, err = xmlspan.Without(odf.Scan(text), func(s *xmlspan.Scanner) bool {
		_, parent := s.Parent()
		switch s.Space + ":" + s.Local {
		case "style:style":
			named = common.begin(s)
		case "style:master-page":
			isOwn = s.Get("style", "name") == page
			return !isOwn
		case "style:header", "style:header-left", "style:header-first", "style:footer", "style:footer-left", "style:footer-first":
			c.lost.headers = c.lost.headers || isOwn && s.Get("style", "display") != "false"
			return true
		case "style:background-image":
			c.lost.backgrounds = c.lost.backgrounds || s.Get("xlink", "href") != ""
			return true
		case "style:map":
			if parent == "style" {
				common.mapped[named] = true
			}
			return parent == "style"
		case "draw:fill-image", "office:scripts":
			return true
		}
		return false
	})
	if err != nil {
		return "", fmt.Errorf("%w: %w", err, citekit.ErrFormat)
	}
	c.lost.formats = c.lost.formats || c.hasMapped(c.b.styles.cells, common)
	return text, nil
}

// changes lists how evidence differs from the source.
func (c *odsCut) changes() []string {
	said := cutter{changes: c.formulas.changes()}
	meets := func(a area) bool { return !c.area.meet(a).isEmpty() }
	isPivot := func(p odsPlace) bool { return p.sheet == c.e.name && meets(p.area) }
	for _, l := range []struct {
		is   bool
		what string
	}{
		{c.e.hidden, "the sheet shown, which is hidden in the source"},
		{c.lost.pictures, "pictures, charts and forms left out"},
		{c.lost.formats || slices.ContainsFunc(c.lost.rules, meets), "conditional formats left out"},
		{c.lost.validations, "data validations left out"},
		{c.lost.filters, "filters left out"},
		{c.lost.links, "links to other cells left out"},
		{slices.ContainsFunc(c.b.lost.pivots, isPivot), "pivot tables left out, with their values kept"},
		{c.lost.source, "the source that the sheet is filled from left out"},
		{c.lost.headers, "headers and footers of pages left out"},
		{c.lost.backgrounds || c.b.styles.backgrounds, "background images left out"},
		{c.b.lost.revisions, "tracked changes left out"},
		{c.b.lost.macros, "macros left out"},
	} {
		if l.is {
			said.change(l.what)
		}
	}
	return said.changes
}

// odsMerged are the merged areas that may cover cells of a row, sorted by column.
type odsMerged struct {
	row         int32
	above, here []area
}

// begin moves to a row.
func (m *odsMerged) begin(row int32) {
	m.row = row
	all := append(m.above, m.here...)
	all = slices.DeleteFunc(all, func(a area) bool { return a.bottom < row })
	slices.SortFunc(all, func(a, b area) int { return cmp.Compare(a.left, b.left) })
	m.above, m.here = all, m.here[:0]
}

// open records a merged area that begins in the current row. Of areas that overlap,
// only the first counts.
func (m *odsMerged) open(a area) {
	if !m.has(a.left) {
		m.here = append(m.here, a)
	}
}

// has reports whether a column of the current row is covered. Columns must be asked
// in ascending order.
func (m *odsMerged) has(col int32) bool {
	if n := len(m.here); n > 0 && m.here[n-1].left <= col && col <= m.here[n-1].right {
		return true
	}
	i, found := slices.BinarySearchFunc(m.above, col, func(a area, col int32) int { return cmp.Compare(a.left, col) })
	return found || i > 0 && m.above[i-1].right >= col
}

// uncover turns the covered cell whose tag is at pos into an ordinary one, as the
// cell that covers it is outside the area.
func (c *odsCut) uncover(pos int) xmlspan.Edit {
	const covered = "covered-"
	if i := strings.Index(c.b.text[pos:], covered+"table-cell"); i >= 0 {
		return xmlspan.Edit{Pos: pos + i, Stop: pos + i + len(covered)}
	}
	return xmlspan.Edit{Pos: -1, Stop: -1}
}
