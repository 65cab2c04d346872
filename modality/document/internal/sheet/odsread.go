package sheet

import (
	"cmp"
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/sheet/internal/numfmt"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// An odsBook is a parsed content.xml of an ODS workbook (ODF 1.3, part 3, section 9).
// It holds offsets.
type odsBook struct {
	text   string
	root   *xmlspan.Scanner // its fragments know the prefixes of the document
	inner  span64           // content of office:spreadsheet
	drops  []xmlspan.Edit   // macros before it
	calc   span64           // table:calculation-settings, or zero
	sheets []odsSheet
	first  map[string]int // the first sheet with each name
	names  []odsName
	named  map[string][]int // names by sheet
	count  int              // number of row elements
	styles odsStyleNames
	spans  odf.Spans
	lost   odsLost
}

type span64 struct{ pos, stop int }

// An odsSheet is a table:table.
type odsSheet struct {
	name     string
	all      span64
	tag, end int // offsets of the end of its start tag and the start of its end tag
	columns  []span64
	defaults []odsDefault // of columns
	rows     []odsRow
	used     area // from A1 to the last cell with content
	merged   area
	filled   int64 // number of cells with content
	bytes    int64 // their bytes, including repeats
	style    string
	hidden   bool
	beside   odsBeside // what evidence leaves out
}

// An odsRow is one row, or several equal ones.
type odsRow struct {
	all    span64
	tag    int
	number int32
	repeat int32
	filled bool   // whether a cell of it has content
	style  string // of its cells that name none, or "" for those of the columns
}

// An odsDefault is the style of cells that name none in the columns up to the last one.
type odsDefault struct {
	last  int32
	style string
}

func (w *odsRow) last() int32 { return w.number + w.repeat - 1 }

// An odsCell is one cell, or several equal ones.
type odsCell struct {
	all           span64
	col, repeat   int32
	cols, rows    int32 // its size in columns and rows
	covered       bool
	filled        bool
	kind, formula string
	value         string // the stored value, for cells without text
	style         string // its name or that of the row, or "" for that of the column
}

func (c *odsCell) last() int32 { return c.col + c.repeat - 1 }

// An odsName is a named range or database range.
type odsName struct {
	name, sheet string
	area        area
	all         span64
	tag         int
	database    bool
	filtered    bool   // has filters or sources
	buttons     bool   // shows filter buttons
	base        string // sheet for relative references, or ""
}

const (
	maxOdsRow    = 1 << 20  // limit of LibreOffice
	maxOdsCells  = 1 << 22  // most cells with content in a sheet, including repeats
	maxOdsRows   = 1 << 21  // most row elements in a workbook
	maxOdsStyles = 16 << 20 // bytes of styles.xml in which styles of text are looked for
	maxOdsBytes  = 1 << 30  // most bytes of the cells of a sheet, including repeats
)

func (b *odsBook) bytes() int64 {
	n := int64(len(b.text)) + 4096
	for i := range b.sheets {
		n += int64(len(b.sheets[i].rows))*64 + int64(len(b.sheets[i].defaults))*24 + 256
	}
	return n + int64(len(b.names))*128
}

// readODS reads the content of a package.
func readODS(ctx context.Context, p *odf.Package) (*odsBook, error) {
	text, err := p.Text(ctx, odf.Content)
	if err != nil {
		return nil, err
	}
	b := &odsBook{text: text, first: make(map[string]int), named: make(map[string][]int)}
	s := odf.Scan(text)
	for s.Next() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		switch {
		case s.Kind == xmlspan.End && s.Depth == 3 && b.inner.stop == 0 && s.Is("office", "spreadsheet"):
			b.inner.stop = s.Pos
		case s.Kind != xmlspan.Start:
		case s.Depth == 2 && s.Is("office", "scripts"):
			scripts := s.Drop()
			b.drops = append(b.drops, scripts)
			b.lost.macros = b.lost.macros || b.hasElements(s, scripts.Pos)
		case s.Depth == 2 && s.Is("office", "automatic-styles"):
			b.readStyles(s)
		case s.Depth == 3 && s.Is("office", "spreadsheet") && b.root == nil:
			b.inner.pos, b.root = s.Stop, s.Fragment(0, len(text))
		case s.Depth == 4 && b.root != nil && b.inner.stop == 0:
			if err := b.child(ctx, s); err != nil {
				return nil, err
			}
		}
	}
	switch err := s.Err(); {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", err, citekit.ErrFormat)
	case b.root == nil || len(b.sheets) == 0 || b.inner.stop < b.inner.pos:
		return nil, fmt.Errorf("an OpenDocument file without sheets: %w", citekit.ErrFormat)
	}
	b.spans, err = p.Spans(ctx, text, maxOdsStyles)
	return b, err
}

// child reads a child of office:spreadsheet.
func (b *odsBook) child(ctx context.Context, s *xmlspan.Scanner) error {
	pos := s.Pos
	switch {
	case s.Is("table", "table"):
		return b.table(ctx, s)
	case s.Is("table", "calculation-settings"):
		s.Skip()
		b.calc = span64{pos, s.Stop}
	case s.Is("table", "named-expressions"), s.Is("table", "database-ranges"):
		b.readNames(s)
	case s.Is("table", "data-pilot-tables"):
		b.pivots(s)
	default:
		b.lost.revisions = b.lost.revisions || s.Is("table", "tracked-changes")
		s.Skip()
	}
	return nil
}

// readNames reads the range names in the current element.
func (b *odsBook) readNames(s *xmlspan.Scanner) {
	for range s.Starts() {
		n := odsName{name: s.Get("table", "name"), all: span64{pos: s.Pos}, tag: s.Stop, database: s.Is("table", "database-range"), buttons: s.Get("table", "display-filter-buttons") == "true"}
		ref := s.Get("table", "cell-range-address")
		if n.database {
			ref = s.Get("table", "target-range-address")
		}
		if base := s.Get("table", "base-cell-address"); base != "" {
			n.base, _, _ = odsRange(base)
		}
		ok := n.database || s.Is("table", "named-range")
		s.Skip()
		n.all.stop = s.Stop
		n.filtered = n.database && b.hasElements(s, n.all.pos)
		if n.sheet, n.area, _ = odsRange(ref); ok && n.sheet != "" && !n.area.isEmpty() && len(b.names) < maxNames {
			b.named[n.sheet] = append(b.named[n.sheet], len(b.names))
			b.names = append(b.names, n)
		}
	}
}

// table reads the current sheet.
func (b *odsBook) table(ctx context.Context, s *xmlspan.Scanner) error {
	if len(b.sheets) == maxSheets {
		return fmt.Errorf("a workbook of more than %d sheets; split it: %w", maxSheets, citekit.ErrTooLarge)
	}
	e := odsSheet{name: s.Get("table", "name"), style: s.Get("table", "style-name"), all: span64{pos: s.Pos}, tag: s.Stop}
	e.hidden = b.styles.hidden[e.style]
	next := int32(1)
	for range s.Starts() {
		pos := s.Pos
		switch {
		case s.Is("table", "table-row"):
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := b.row(s, &e, &next); err != nil {
				return err
			}
		case s.Space == "table" && (s.Local == "table-rows" || s.Local == "table-header-rows" || s.Local == "table-row-group"):
		case s.Space == "table" && (s.Local == "table-column" || s.Local == "table-columns" || s.Local == "table-header-columns" || s.Local == "table-column-group"):
			e.readColumns(s)
			e.columns = append(e.columns, span64{pos, s.Stop})
		case s.Is("table", "named-expressions"):
			b.readNames(s)
		default:
			b.leave(&e, s)
		}
	}
	e.end, e.all.stop = s.Pos, s.Stop
	e.used = e.used.join(e.merged)
	if _, known := b.first[e.name]; !known {
		b.first[e.name] = len(b.sheets)
	}
	b.sheets = append(b.sheets, e)
	return nil
}

// count parses an attribute as a number from 1 to limit; it returns 1 if the
// attribute is missing or invalid.
func count(s *xmlspan.Scanner, local string, limit int32) int32 {
	n, err := strconv.ParseInt(s.Get("table", local), 10, 64)
	if err != nil {
		return 1
	}
	return int32(min(max(n, 1), int64(limit)))
}

// row reads the current row. Rows and columns beyond the limits of LibreOffice are
// left out.
func (b *odsBook) row(s *xmlspan.Scanner, e *odsSheet, next *int32) error {
	w := odsRow{all: span64{pos: s.Pos}, tag: s.Stop, number: *next, repeat: count(s, "number-rows-repeated", maxOdsRow), style: s.Get("table", "default-cell-style-name")}
	w.repeat = min(w.repeat, maxOdsRow+1-w.number)
	cells, bytes := int64(0), int64(0)
	eachCell(s, func(c odsCell) {
		if w.repeat < 1 {
			return
		}
		if c.cols > 1 || c.rows > 1 {
			e.merged = e.merged.join(area{1, 1, min(c.col+c.cols-1, maxColumn), min(w.number+c.rows-1, maxOdsRow)})
		}
		if c.filled {
			w.filled = true
			cells += int64(c.repeat)
			bytes += int64(c.repeat) * int64(c.all.stop-c.all.pos)
			e.used = e.used.join(area{1, 1, c.last(), w.last()})
		}
	})
	w.all.stop = s.Stop
	if w.repeat < 1 {
		return nil
	}
	*next += w.repeat
	if e.filled += cells * int64(w.repeat); e.filled > maxOdsCells {
		return fmt.Errorf("a sheet of more than %d cells; split it, or save it as XLSX or CSV: %w", maxOdsCells, citekit.ErrTooLarge)
	}
	if e.bytes += bytes * int64(w.repeat); e.bytes > maxOdsBytes || bytes > maxHeld {
		return fmt.Errorf("a sheet or a row whose cells have more bytes, with those repeated, than are read; split the sheet, or save it as XLSX or CSV: %w", citekit.ErrTooLarge)
	}
	if b.count++; b.count > maxOdsRows {
		return fmt.Errorf("a workbook of more than %d elements of rows; split it, or save it as XLSX: %w", maxOdsRows, citekit.ErrTooLarge)
	}
	e.rows = append(e.rows, w)
	return nil
}

// eachCell calls f for the cells of the row whose Start is the current token, and
// stops at its End.
func eachCell(s *xmlspan.Scanner, f func(c odsCell)) {
	col := int32(1)
	for range s.Starts() {
		if !s.Is("table", "table-cell") && !s.Is("table", "covered-table-cell") {
			s.Skip()
			continue
		}
		c := readODSCell(s, col)
		if c.repeat = min(c.repeat, maxColumn+1-col); c.repeat < 1 {
			continue
		}
		col += c.repeat
		f(c)
	}
}

func readODSCell(s *xmlspan.Scanner, col int32) odsCell {
	c := odsCell{all: span64{pos: s.Pos}, col: col, covered: s.Local == "covered-table-cell", repeat: 1, cols: 1, rows: 1}
	for a := range s.Attrs() {
		switch a.Space + ":" + a.Local {
		case "table:number-columns-repeated":
			c.repeat = count(s, a.Local, maxColumn)
		case "table:number-columns-spanned":
			c.cols = count(s, a.Local, maxColumn)
		case "table:number-rows-spanned":
			c.rows = count(s, a.Local, maxOdsRow)
		case "table:formula":
			c.formula, c.filled = a.Value, true
		case "table:style-name":
			c.style = a.Value
		case "office:value-type":
			c.kind, c.filled = a.Value, true
		case "office:value", "office:date-value", "office:time-value", "office:boolean-value", "office:string-value":
			c.value, c.filled = a.Value, true // even without a type, since the formula may be dropped
		}
	}
	for range s.Starts() {
		c.filled = true
		s.Skip()
	}
	c.all.stop = s.Stop
	return c
}

// cells returns the cells of a row.
func (b *odsBook) cells(w *odsRow) []odsCell {
	var cells []odsCell
	s := b.root.Fragment(w.all.pos, w.all.stop)
	if s.Next() {
		eachCell(s, func(c odsCell) {
			c.style = cmp.Or(c.style, w.style)
			cells = append(cells, c)
		})
	}
	return cells
}

// readColumns reads the element of columns whose Start is the current token.
func (e *odsSheet) readColumns(s *xmlspan.Scanner) {
	one := func() {
		last := int32(0)
		if n := len(e.defaults); n > 0 {
			last = e.defaults[n-1].last
		}
		style, n := s.Get("table", "default-cell-style-name"), min(count(s, "number-columns-repeated", maxColumn), maxColumn-last)
		switch {
		case n < 1:
		case len(e.defaults) > 0 && e.defaults[len(e.defaults)-1].style == style:
			e.defaults[len(e.defaults)-1].last += n
		default:
			e.defaults = append(e.defaults, odsDefault{last + n, style})
		}
	}
	if s.Local == "table-column" {
		one()
	}
	for range s.Starts() {
		if s.Is("table", "table-column") {
			one()
		}
	}
}

// shownRuns calls f for the columns of a cell from first to last, with what it shows in
// them: a cell that repeats may take its style from several columns.
func (b *odsBook) shownRuns(e *odsSheet, c odsCell, first, last int32, f func(first, last int32, text string)) {
	texts := make(map[odf.Look]string)
	show := func(style string) string {
		look := b.spans.Look(odf.OfCell, cmp.Or(style, defaultCellStyle), odf.Look{})
		text, known := texts[look]
		if !known {
			text = b.shown(c, look)
			texts[look] = text
		}
		return text
	}
	if c.style == "" {
		i := sort.Search(len(e.defaults), func(i int) bool { return e.defaults[i].last >= first })
		for ; i < len(e.defaults) && first <= last; i++ {
			until := min(e.defaults[i].last, last)
			f(first, until, show(e.defaults[i].style))
			first = until + 1
		}
	}
	if first <= last {
		f(first, last, show(c.style))
	}
}

// appendShown appends what a cell shows in those of its columns that are in an area.
func (b *odsBook) appendShown(shown []shownCell, e *odsSheet, c odsCell, a area) []shownCell {
	first, last := max(c.col, a.left), min(c.last(), a.right)
	if !c.filled || first > last {
		return shown
	}
	b.shownRuns(e, c, first, last, func(first, last int32, text string) {
		for col := first; col <= last && text != ""; col++ {
			shown = append(shown, shownCell{col, text})
		}
	})
	return shown
}

// maxOdsSpaces is the largest length of a text in which one space element may stand
// for many spaces.
const maxOdsSpaces = 64 << 10

// shown returns the paragraphs of a cell, whose style gives text that look, on one line, as
// its program displayed them. For a cell without paragraphs it returns the value.
func (b *odsBook) shown(c odsCell, look odf.Look) string {
	var out strings.Builder
	s := b.root.Fragment(c.all.pos, c.all.stop)
	paragraphs := 0
	cell, around := look, []odf.Look(nil)
	var strike htmlblocks.Strike
	for s.Next() {
		switch {
		case s.Kind == xmlspan.Text && look.Hidden:
		case s.Kind == xmlspan.Text && s.Depth > 1:
			strike.Write(&out, look.Script.Write(s.Value()), look.Struck)
		case s.Kind == xmlspan.End && s.Is("text", "span") && len(around) > 0:
			look, around = around[len(around)-1], around[:len(around)-1]
		case s.Kind != xmlspan.Start || s.Depth == 1:
		case s.Space == "text" && s.Depth == 2 && (s.Local == "p" || s.Local == "h"):
			if paragraphs++; paragraphs > 1 {
				strike.Write(&out, " ", look.Struck)
			}
			look, around = b.spans.Look(odf.OfParagraph, s.Get("text", "style-name"), cell), around[:0]
		case s.Is("text", "span"):
			around = append(around, look)
			look = b.spans.Look(odf.OfText, s.Get("text", "style-name"), look)
		case s.Is("text", "s"):
			n, err := strconv.Atoi(s.Get("text", "c"))
			if err != nil {
				n = 1
			}
			if out.Len() > maxOdsSpaces {
				n = 1
			}
			strike.Write(&out, strings.Repeat(" ", min(max(n, 1), 1000)), look.Struck)
		case s.Is("text", "tab"), s.Is("text", "line-break"):
			strike.Write(&out, " ", look.Struck)
		case s.Depth == 2, s.Space == "draw", s.Space == "office", s.Space == "form", s.Is("text", "ruby-text"):
			s.Skip() // notes and pictures
		}
	}
	if paragraphs == 0 {
		strike.Write(&out, look.Script.Write(c.stored()), look.Struck)
	}
	strike.End(&out)
	return oneLine(out.String())
}

// hasValue reports whether the source stores what a cell shows, which may be "".
func (b *odsBook) hasValue(c odsCell) bool {
	return c.kind == "string" || c.value != "" || b.shown(c, odf.Look{}) != ""
}

// stored returns the value of a cell without text.
func (c *odsCell) stored() string {
	if c.kind == "boolean" {
		return truth(c.value)
	}
	if v, err := strconv.ParseFloat(c.value, 64); err == nil && c.kind != "string" {
		return numfmt.General(v)
	}
	return c.value
}
