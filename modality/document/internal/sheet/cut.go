package sheet

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
)

const mainType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"

func itoa(n int) string { return strconv.Itoa(n) }

// A cutter holds the state while one evidence is made.
type cutter struct {
	*job
	ctx    context.Context
	number int // index of the sheet, from 0
	entry  *entry
	x      *index
	area   area

	reader *cellReader
	tables []table        // tables that are kept
	named  map[string]int // states of names: see nameStays

	rels      map[string]bool // relationships of the sheet that are kept
	changes   []string
	lostRules lostRules

	text     strings.Builder // text of the sheet part
	ids      map[int]int     // new indexes of shared strings, by old ones
	order    []int           // old indexes, by new ones
	masters  map[string]*master
	formulas lostFormulas
}

// cut returns the workbook with the cells that a location selects.
func (j *job) cut(ctx context.Context, loc citekit.Location) ([]byte, []string, error) {
	i, err := j.book.find(loc.Sheet)
	if err != nil {
		return nil, nil, err
	}
	c := &cutter{job: j, ctx: ctx, number: i, entry: &j.book.sheets[i], rels: make(map[string]bool)}
	isPart := !loc.Cells.IsZero() || !loc.Rows.IsZero() || len(loc.Cols) > 0
	if c.entry.kind == chartSheet && !isPart {
		return c.chart()
	}
	if c.x, err = j.index(ctx, c.entry); err != nil {
		return nil, nil, err
	}
	if c.area, err = selected(loc, c.x.used); err != nil {
		return nil, nil, err
	}
	c.ids, c.named, c.masters = make(map[int]int), make(map[string]int), make(map[string]*master)
	c.reader = j.cellReader(ctx)
	return c.cells()
}

func (c *cutter) isWhole() bool { return c.area == everywhere }

// change records a difference from the source.
func (c *cutter) change(what string) { c.changes = append(c.changes, what) }

// lost records how many things of a kind are left out.
func (c *cutter) lost(n int, thing string) {
	if n > 0 {
		c.change(message.Count(n, thing) + " left out")
	}
}

// cells returns the workbook with a sheet of cells.
func (c *cutter) cells() ([]byte, []string, error) {
	if err := c.keepTables(); err != nil {
		return nil, nil, err
	}
	if err := c.sheet(); err != nil {
		return nil, nil, err
	}
	if c.entry.hidden {
		c.change("the sheet shown, which is hidden in the source")
	}
	out := ooxml.NewCut(c.p)
	out.Replace(c.entry.part, c.text.String())
	if c.book.stringsPart != "" {
		list, err := c.sharedStrings()
		if err != nil {
			return nil, nil, err
		}
		out.Replace(c.book.stringsPart, list)
	}
	for _, t := range c.tables {
		out.Replace(t.part, c.table(t))
	}
	out.Follow = func(part string, rel ooxml.Rel) bool {
		if part == c.entry.part {
			return c.rels[rel.ID]
		}
		return c.follow(part, rel)
	}
	return c.write(out)
}

// follow reports whether to keep a relationship of a part other than the sheet.
func (c *cutter) follow(part string, rel ooxml.Rel) bool {
	if part == c.p.Main() {
		switch rel.Kind() {
		case "styles", "theme", "sharedStrings":
			return !rel.External
		}
		return rel.ID == c.entry.rel
	}
	return rel.Kind() == "image" && !rel.External // pictures of the theme
}

// write writes the package, whose main part has one sheet.
func (c *cutter) write(out *ooxml.Cut) ([]byte, []string, error) {
	main, err := c.main()
	if err != nil {
		return nil, nil, err
	}
	out.Replace(c.p.Main(), main)
	out.Retype(c.p.Main(), mainType)
	if c.book.macros {
		c.change("macros left out")
	}
	var data bytes.Buffer
	if err := out.WriteTo(c.ctx, &data); err != nil {
		return nil, nil, err
	}
	return data.Bytes(), c.changes, nil
}

// main returns the main part with the one sheet.
func (c *cutter) main() (string, error) {
	open, end, list, err := children(c.book.text)
	if err != nil {
		return "", err
	}
	kept := make(map[string]string)
	for _, part := range list {
		prefix := prefixOf(part.raw)
		switch part.local {
		case "workbookPr":
			kept["workbookPr"] = without(part.raw, "codeName")
		case "sheets":
			kept["bookViews"] = "<" + prefix + "bookViews><" + prefix + "workbookView/></" + prefix + "bookViews>"
			sheets := part.within()
			if c.number < len(sheets) {
				name := rawName(part.raw)
				kept["sheets"] = "<" + name + ">" + without(sheets[c.number].raw, "state") + "</" + name + ">"
			}
		case "definedNames":
			kept["definedNames"] = c.definedNames(part)
		case "calcPr":
			kept["calcPr"] = without(part.raw, "fullCalcOnLoad", "forceFullCalc")
		}
	}
	if kept["sheets"] == "" {
		return "", errMalformed
	}
	for _, local := range []string{"workbookPr", "bookViews", "sheets", "definedNames", "calcPr"} {
		open += kept[local]
	}
	return open + end, nil
}

// chart returns the workbook with a chart sheet.
func (c *cutter) chart() ([]byte, []string, error) {
	part := c.p.Part(c.entry.part)
	text, err := part.Text(c.ctx)
	if err != nil {
		return nil, nil, err
	}
	sheet, end, list, err := children(text)
	if err != nil {
		return nil, nil, err
	}
	drawing := ""
	for _, part := range list {
		switch part.local {
		case "sheetPr", "pageMargins", "headerFooter":
			sheet += part.raw
		case "sheetViews":
			name := rawName(part.raw)
			prefix := prefixOf(part.raw)
			sheet += "<" + name + "><" + prefix + `sheetView tabSelected="1" workbookViewId="0"/></` + name + ">"
		case "pageSetup":
			sheet += without(part.raw, ":id")
		case "drawing":
			drawing = attrOf(part.raw, ":id")
			sheet += part.raw
		}
	}
	c.named = make(map[string]int)
	out := ooxml.NewCut(c.p)
	out.Replace(c.entry.part, sheet+end)
	if c.book.stringsPart != "" {
		out.Replace(c.book.stringsPart, emptyStrings(c.book.text))
	}
	out.Follow = func(part string, rel ooxml.Rel) bool {
		switch part {
		case c.entry.part:
			return rel.ID == drawing
		case c.p.Main():
			return c.follow(part, rel)
		}
		return !rel.External && chartParts[rel.Kind()]
	}
	c.change("the chart shows the values that the source kept for it")
	return c.write(out)
}

// chartParts are the kinds of the parts of a chart.
var chartParts = map[string]bool{
	"chart": true, "chartEx": true, "chartStyle": true, "chartColorStyle": true, "chartUserShapes": true, "image": true, "themeOverride": true,
}

func emptyStrings(workbook string) string {
	space := "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	if strings.Contains(workbook, "http://purl.oclc.org/ooxml/spreadsheetml/main") {
		space = "http://purl.oclc.org/ooxml/spreadsheetml/main"
	}
	return `<sst xmlns="` + space + `" count="0" uniqueCount="0"/>`
}

const maxListed = 8 // most cells that a change names

// lostFormulas are the cells whose formulas are not in evidence: those that have a
// value in their place, and those for which the source stores none.
type lostFormulas struct{ replaced, left someCells }

// someCells are how many cells there are, and the first of them.
type someCells struct {
	first []string
	n     int
}

// lose records a cell whose formula is not kept.
func (l *lostFormulas) lose(col, row int32, hasValue bool) {
	cells := &l.replaced
	if !hasValue {
		cells = &l.left
	}
	if cells.n++; cells.n <= maxListed {
		cells.first = append(cells.first, citekit.Cell{Col: col, Row: row}.String())
	}
}

// changes says which formulas were replaced or left out.
func (l *lostFormulas) changes() (all []string) {
	if n := l.replaced.n; n == 1 {
		all = append(all, l.replaced.named()+" replaced by its value")
	} else if n > 1 {
		all = append(all, l.replaced.named()+" replaced by their values")
	}
	if n := l.left.n; n == 1 {
		all = append(all, l.left.named()+" left out, as the source stores no value")
	} else if n > 1 {
		all = append(all, l.left.named()+" left out, as the source stores no values")
	}
	return all
}

// named names the formulas of some cells.
func (c *someCells) named() string {
	list := strings.Join(c.first, ", ")
	switch more := c.n - len(c.first); {
	case c.n == 1:
		return "the formula of " + list
	case more == 0:
		return "the formulas of " + list
	default:
		return fmt.Sprintf("the formulas of %s and %d more cells", list, more)
	}
}

// sharedStrings returns the list of the shared strings that are used.
func (c *cutter) sharedStrings() (string, error) {
	if _, err := c.reader.sharedString(-1); err != nil {
		return "", err
	}
	root := c.reader.strings.root
	if root == "" {
		return emptyStrings(c.book.text), nil
	}
	name, prefix := rawName(root), prefixOf(root)
	root = without(root, "count", "uniqueCount")
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(strings.TrimSuffix(root, ">"), "/") + ">")
	for _, old := range c.order {
		raw, err := c.reader.sharedString(old)
		if err != nil {
			return "", err
		}
		if raw == nil {
			raw = []byte("<" + prefix + "si><" + prefix + "t/></" + prefix + "si>")
		}
		if b.Len()+len(raw) > maxSheetBytes {
			return "", errEvidence
		}
		b.Write(raw)
	}
	b.WriteString("</" + name + ">")
	return b.String(), nil
}
