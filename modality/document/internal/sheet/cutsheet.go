package sheet

import (
	"strings"

	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// sheet writes the sheet part: the rows, and the elements around them. Many of these
// are clipped or left out.
func (c *cutter) sheet() error {
	open, end, list, err := children(c.x.around)
	if err != nil {
		return err
	}
	if c.isWhole() {
		c.text.Grow(int(min(c.p.Part(c.entry.part).Size()+4096, maxSheetBytes)))
	}
	c.text.WriteString(open)
	for _, part := range list {
		if part.local != "sheetData" {
			c.text.WriteString(c.around(part))
			continue
		}
		name := rawName(part.raw)
		c.text.WriteString("<" + name + ">")
		if err := c.x.each(c.ctx, c.p, c.area, c.row); err != nil {
			return err
		}
		c.text.WriteString("</" + name + ">")
		c.changes = append(c.changes, c.formulas.changes()...)
	}
	c.text.WriteString(end)
	return c.reportLost()
}

// around returns the new text of an element of the sheet other than its rows.
func (c *cutter) around(part child) string {
	switch part.local {
	case "sheetPr":
		return without(part.raw, "codeName", "filterMode")
	case "sheetFormatPr", "pageMargins", "printOptions", "phoneticPr":
		return part.raw
	case "pageSetup":
		return without(part.raw, ":id")
	case "headerFooter", "rowBreaks", "colBreaks":
		if c.isWhole() {
			return part.raw
		}
	case "dimension":
		a := c.area.meet(c.x.used)
		if a.isEmpty() {
			a = area{1, 1, 1, 1}
		}
		return "<" + rawName(part.raw) + ` ref="` + a.String() + `"/>`
	case "sheetViews":
		return c.views(part)
	case "cols":
		return c.cols(part)
	case "mergeCells":
		return c.mergedCells(part)
	case "autoFilter":
		if a, ok := areaOf(attrOf(part.raw, "ref")); ok && c.area.contains(a) {
			return part.raw
		}
	case "conditionalFormatting":
		return c.conditional(part)
	case "dataValidations":
		return c.validations(part)
	case "hyperlinks":
		return c.links(part)
	case "tableParts":
		return c.tableParts(part)
	case "sheetProtection":
		c.change("the protection of the sheet left out")
	case "extLst":
		c.extensions(part)
	}
	return ""
}

// views returns one view, which begins at the area.
func (c *cutter) views(part child) string {
	views := part.within()
	if len(views) == 0 {
		return ""
	}
	prefix, name := prefixOf(part.raw), rawName(part.raw)
	view := views[0]
	tag := without(view.raw, "tabSelected", "topLeftCell", "workbookViewId", "view")
	stop, ok := quotedEnd([]byte(tag))
	if !ok {
		return ""
	}
	attrs := strings.TrimSuffix(tag[len("<")+len(rawName(tag)):stop], "/")
	start, pane := "", ""
	if !c.isWhole() {
		corner := area{c.area.left, c.area.top, c.area.left, c.area.top}
		start = ` topLeftCell="` + corner.String() + `"`
	} else {
		for _, inner := range view.within() {
			if inner.local == "pane" {
				pane = inner.raw
			}
		}
	}
	return "<" + name + "><" + prefix + "sheetView" + attrs + ` tabSelected="1"` + start + ` workbookViewId="0">` + pane + "</" + prefix + "sheetView></" + name + ">"
}

// cols returns the column widths of the area.
func (c *cutter) cols(part child) string {
	var kept []string
	for _, col := range part.within() {
		first, _ := wholeNumber([]byte(attrOf(col.raw, "min")))
		last, _ := wholeNumber([]byte(attrOf(col.raw, "max")))
		first, last = max(first, int64(c.area.left)), min(last, int64(c.area.right))
		if first > last {
			continue
		}
		kept = append(kept, withAttrs(col.raw, func(name, _ string) (string, bool) {
			switch name {
			case "min":
				return itoa(int(first)), true
			case "max":
				return itoa(int(last)), true
			}
			return "", true
		}))
	}
	if len(kept) == 0 {
		return ""
	}
	name := rawName(part.raw)
	return "<" + name + ">" + strings.Join(kept, "") + "</" + name + ">"
}

// mergedCells returns the merged areas, clipped to the area.
func (c *cutter) mergedCells(part child) string {
	var kept []string
	prefix := prefixOf(part.raw)
	for _, a := range c.area.clip(c.x.merged) {
		if a.left != a.right || a.top != a.bottom {
			kept = append(kept, "<"+prefix+`mergeCell ref="`+a.String()+`"/>`)
		}
	}
	return wrap(part.raw, kept)
}

// rule returns the new text of a rule for cells. The rule stays unchanged if all of
// its cells, and all cells that its formulas refer to, are kept. It is clipped if
// alone is set and it needs only constants. Otherwise it is lost. A rule for no cell
// of the area is dropped and does not count as lost.
func (c *cutter) rule(raw, sqref string, formulas []string, alone bool) (kept string, lost bool) {
	areas, ok := areasOf(sqref)
	clipped := c.area.clip(areas)
	if !ok || len(clipped) == 0 {
		return "", !ok
	}
	around := area{}
	for _, a := range areas {
		around = around.join(a)
	}
	constant := true
	for _, text := range formulas {
		f := parseFormula(text)
		constant = constant && !f.away && len(f.refs)+len(f.names)+len(f.tables) == 0
		if !c.stays(f, 0, 0) || !c.stays(f, around.right-around.left, around.bottom-around.top) {
			return "", true
		}
	}
	if c.area.allIn(areas) {
		return raw, false
	}
	if !constant || !alone {
		return "", true
	}
	return withAttrs(raw, func(name, _ string) (string, bool) {
		if name == "sqref" {
			return listOf(clipped), true
		}
		return "", true
	}), false
}

// conditional returns the new text of conditional formats. Only formats that consider
// each cell alone can be clipped.
func (c *cutter) conditional(part child) string {
	var formulas []string
	alone := true
	s := part.scan()
	inFormula := false
	var text strings.Builder
	for s.Next() {
		switch {
		case s.Kind == xmlspan.Text && inFormula:
			text.WriteString(s.Value())
		case s.Kind == xmlspan.Start && s.Local == "cfRule":
			alone = alone && s.Get("", "type") == "cellIs"
		case s.Kind == xmlspan.Start && s.Local == "cfvo":
			formulas = append(formulas, s.Get("", "val"))
		case s.Local == "formula" && s.Kind == xmlspan.Start:
			inFormula = true
			text.Reset()
		case s.Local == "formula" && s.Kind == xmlspan.End:
			inFormula = false
			formulas = append(formulas, text.String())
		}
	}
	kept, lost := c.rule(part.raw, attrOf(part.raw, "sqref"), formulas, alone)
	if lost {
		c.lostRules.formats++
	}
	return kept
}

// validations returns the new text of data validations.
func (c *cutter) validations(part child) string {
	var kept []string
	for _, v := range part.within() {
		if v.local != "dataValidation" {
			continue
		}
		var formulas []string
		for _, f := range v.within() {
			formulas = append(formulas, elementText(f.raw))
		}
		raw, lost := c.rule(v.raw, attrOf(v.raw, "sqref"), formulas, true)
		if lost {
			c.lostRules.validations++
		} else if raw != "" {
			kept = append(kept, raw)
		}
	}
	return wrap(part.raw, kept)
}

// links returns the links of the cells in the area, if they are external or lead to
// cells of the area.
func (c *cutter) links(part child) string {
	var kept []string
	for _, link := range part.within() {
		areas, ok := areasOf(attrOf(link.raw, "ref"))
		clipped := c.area.clip(areas)
		if !ok || len(clipped) == 0 {
			continue
		}
		id, place := attrOf(link.raw, ":id"), attrOf(link.raw, "location")
		if id != "" {
			c.rels[id] = true
		} else if refs, ok := references(place); !ok || len(refs) == 0 || !c.stays(formula{refs: refs}, 0, 0) {
			c.lostRules.links++
			continue
		}
		kept = append(kept, withAttrs(link.raw, func(name, _ string) (string, bool) {
			if name == "ref" {
				return listOf(clipped), true
			}
			return "", true
		}))
	}
	if len(kept) == 0 {
		return ""
	}
	name := rawName(part.raw)
	return "<" + name + ">" + strings.Join(kept, "") + "</" + name + ">"
}

// keepTables finds the tables to keep: those entirely in the area.
func (c *cutter) keepTables() error {
	tables, err := c.job.tables(c.ctx, c.entry.part)
	if err != nil {
		return err
	}
	for _, t := range tables {
		switch {
		case c.area.contains(t.area) && !t.query:
			c.tables = append(c.tables, t)
		case !c.area.meet(t.area).isEmpty():
			c.lostRules.tables++
		}
	}
	return nil
}

func (c *cutter) tableParts(part child) string {
	var kept []string
	for _, p := range part.within() {
		id := attrOf(p.raw, ":id")
		for _, t := range c.tables {
			if t.rel == id && !c.rels[id] {
				kept = append(kept, p.raw)
				c.rels[id] = true
			}
		}
	}
	return wrap(part.raw, kept)
}

// table returns the part of a table, without formulas that cannot be kept.
func (c *cutter) table(t table) string {
	var edits []xmlspan.Edit
	s := ooxml.Scan(t.text)
	for range s.Starts() {
		if s.Local != "calculatedColumnFormula" && s.Local != "totalsRowFormula" {
			continue
		}
		pos := s.Pos
		if s.Skip() && !c.stays(parseFormula(elementText(t.text[pos:s.Stop])), 0, 0) {
			edits = append(edits, xmlspan.Edit{Pos: pos, Stop: s.Stop})
		}
	}
	return xmlspan.Splice(t.text, 0, len(t.text), edits)
}

// lostRules counts what is left out of the area, by kind.
type lostRules struct{ formats, validations, links, tables int }

// extensions records extensions of later versions, which evidence leaves out.
func (c *cutter) extensions(part child) {
	for _, e := range []struct{ sign, what string }{
		{"sparklineGroup", "sparklines left out"}, {"conditionalFormatting", "conditional formats of a later version left out"},
		{"dataValidation ", "data validations of a later version left out"}, {"slicerList", "slicers left out"},
	} {
		if strings.Contains(part.raw, e.sign) {
			c.change(e.what)
		}
	}
}

// reportLost records what is left out of the area.
func (c *cutter) reportLost() error {
	c.lost(c.lostRules.tables, "table")
	c.lost(c.lostRules.formats, "conditional format")
	c.lost(c.lostRules.validations, "data validation")
	c.lost(c.lostRules.links, "link")
	return c.reportParts()
}
