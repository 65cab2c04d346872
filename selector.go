package citekit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	form "github.com/citekit/citekit/internal/selector"
)

// A selector is one way to select a part of a resource: a parameter of an address, a
// member of JSON and a field of [Location].
//
// To add one, add its field to Location, its row to selectors, and its name to families
// and jsonOrder, and say in [Location.IsWhole], [Location.Equal] and
// [Location.Contains] what it means. Package internal/selector has the forms of values
// as text and as JSON, and the words that people write instead of a name.
type selector struct {
	name string
	of   func(l *Location) form.Value
}

// selectors are all selectors, in the order of the canonical form of an address.
var selectors = []selector{
	{"member", func(l *Location) form.Value { return form.Member{Name: (*form.Name)(&l.Member)} }},
	{"message", func(l *Location) form.Value { return (*form.Number)(&l.Message) }},
	{"part", func(l *Location) form.Value { return (*form.Part)(&l.Part) }},
	{"sheet", func(l *Location) form.Value { return (*form.Name)(&l.Sheet) }},
	{"pages", func(l *Location) form.Value { return (*form.Pages[Range])(&l.Pages) }},
	{"table", func(l *Location) form.Value { return (*form.Name)(&l.Table) }},
	{"blocks", func(l *Location) form.Value { return (*form.Run)(&l.Blocks) }},
	{"cells", func(l *Location) form.Value { return (*form.Cells[Cell])(&l.Cells) }},
	{"rows", func(l *Location) form.Value { return (*form.Run)(&l.Rows) }},
	{"cols", func(l *Location) form.Value { return (*form.Columns)(&l.Cols) }},
	{"t", func(l *Location) form.Value { return (*form.Span)(&l.Time) }},
	{"lines", func(l *Location) form.Value { return form.Lines{Run: (*form.Run)(&l.Lines)} }},
	{"bbox", func(l *Location) form.Value { return (*form.Box)(&l.Box) }},
}

// jsonOrder is the order of the selectors in JSON, which has "start" and "end" for t.
var jsonOrder = func(names ...string) (ordered []selector) {
	for _, name := range names {
		ordered = append(ordered, *selectorNamed(name))
	}
	return ordered
}("pages", "lines", "t", "bbox", "member", "message", "part", "table", "sheet", "blocks", "rows", "cells", "cols")

// families are the selectors of a built-in modality that may stand together, besides
// member: each list is one way to say what is meant.
var families = map[Modality][][]string{
	Document: {
		{"pages", "bbox"}, {"blocks", "cells"}, {"part", "blocks", "cells"},
		{"sheet", "cells"}, {"sheet", "rows"}, {"sheet", "cols"}, {"table", "rows", "cols"}, {"pages", "table", "cells"}, {"part", "table", "cells"},
	},
	Video: {{"t"}},
	Audio: {{"t"}},
	Image: {{"bbox"}},
	Text:  {{"lines"}, {"message", "part", "lines"}, {"rows", "cols"}, {"blocks", "cells"}, {"table", "cells"}},
}

func selectorNamed(name string) *selector {
	if i := slices.IndexFunc(selectors, func(s selector) bool { return s.name == name }); i >= 0 {
		return &selectors[i]
	}
	return nil
}

// selectorsIn lists the names of the selectors of l, but for member.
func (l Location) selectorsIn() (names []string) {
	for _, s := range selectors[1:] {
		if !s.of(&l).IsZero() {
			names = append(names, s.name)
		}
	}
	return names
}

// String returns the selectors of l as they are in an address after "#", in the
// canonical form of [Address], such as "pages=3-5" or "t=1.5-20". It is "" if l is the
// whole resource or virtual. [ParseFragment] reads it.
func (l Location) String() string {
	var params []string
	for _, s := range selectors {
		switch v := s.of(&l); {
		case v.IsZero():
		case s.name == "cells" && l.oddCells() != "":
			params = append(params, s.name+"="+form.Columns{plain.Shorten(l.oddCells(), maxShown)}.String())
		default:
			params = append(params, s.name+"="+v.String())
		}
	}
	return strings.Join(params, "&")
}

// Validate returns an error matching [ErrSyntax] if l is invalid whatever its source
// is: if its Modality is not valid, a number that counts from 1 is less, a range ends
// before it begins, a time is negative or too large, a box is empty or outside 0 to 1,
// Pages are not sorted, a name is too long or has control characters, or the selectors
// do not belong to the modality or do not go together. [Extent.Check] checks the bounds
// of a source.
func (l Location) Validate() error {
	if err := l.odd.issue(); err != nil {
		return err
	}
	if err := l.Modality.Validate(); err != nil {
		return err
	}
	if foreign := l.foreignSelector(); foreign != "" {
		return syntaxError("%s location cannot have %s", message.Article(l.Modality), foreign)
	}
	if cells := l.oddCells(); cells != "" {
		return syntaxError("cells %s are not in A1 notation; write such as B5:D10", message.Quote(cells))
	}
	for _, s := range jsonOrder {
		if err := s.of(&l).Check(s.name); err != nil {
			return asSyntax(err)
		}
	}
	return cmp.Or(asSyntax(form.CheckVirtual(l.VirtualAddress)), l.checkTogether())
}

// foreignSelector returns the JSON name of a selector that the modality does not have,
// or "". Of modalities that are not built in their resolver decides.
func (l Location) foreignSelector() string {
	switch {
	case l.VirtualAddress != "" && l.Modality != Virtual:
		return "virtual_address"
	case !l.Modality.BuiltIn():
		return ""
	}
	allowed := slices.Concat(families[l.Modality]...)
	for _, name := range l.selectorsIn() {
		switch {
		case slices.Contains(allowed, name):
		case name == "t":
			return "start and end"
		default:
			return name
		}
	}
	return ""
}

// checkTogether refuses selectors that do not go together, or that lack the one that
// they are within.
func (l Location) checkTogether() error {
	if l.Modality == Virtual && l.Member != "" {
		return syntaxError("a virtual location cannot have member")
	}
	if first, last := l.SheetCols(); l.Sheet != "" && len(l.Cols) > 0 && (first == 0 || form.ColRun(first, last) != l.Cols[0]) {
		return syntaxError("cols=%s; columns of a sheet are letters, such as B:D", message.Clip(strings.Join(l.Cols, ",")))
	}
	if !l.Modality.BuiltIn() || l.Modality == Virtual {
		return nil
	}
	names := l.selectorsIn()
	if len(names) > 0 && !slices.ContainsFunc(families[l.Modality], func(family []string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(family, name) })
	}) {
		return syntaxError("%s do not go together", strings.Join(names, " and "))
	}
	switch c := l.Cells; {
	case l.Modality == Document && !l.Box.IsZero() && l.PageCount() != 1:
		return syntaxError("bbox with %d pages; a box is on exactly one page", l.PageCount())
	case l.Modality == Document && strings.Contains(l.Part, "."):
		return syntaxError("part %s; parts of a book are whole numbers from 1", message.Quote(l.Part))
	case l.Modality == Text && strings.Contains(l.Part, "-"):
		return syntaxError("part %s; a mail is cited by one part", l.Part)
	case strings.Contains(l.Part, "-") && !l.Blocks.IsZero():
		return syntaxError("blocks %s of parts %s; blocks are of one part, such as part=%d&blocks=%[1]s", l.Blocks, l.Part, l.Parts().First)
	case !c.IsZero() && l.Sheet == "" && l.Table == "" && l.Blocks.IsZero():
		return syntaxError("cells %s without a sheet; write such as sheet=Results&cells=%[1]s, or blocks=14&cells=%[1]s for a table of a text, or pages=5&table=2&cells=%[1]s", c)
	case !c.IsZero() && l.Sheet == "" && l.Table == "" && l.Blocks.Len() != 1:
		return syntaxError("cells %s of %d blocks; they are of one table, such as blocks=14&cells=%[1]s", c, l.Blocks.Len())
	case l.Modality == Document && (!l.Rows.IsZero() || len(l.Cols) > 0) && l.Sheet == "" && l.Table == "":
		return syntaxError("rows or cols without a sheet or a table; write such as sheet=Results&rows=5-7")
	case l.Table != "" && l.Rows.IsZero() && len(l.Cols) == 0 && (l.Modality == Text || len(names) > 1):
		return asSyntax(form.CheckTable(l.Table, l.PageCount(), l.Part))
	}
	return nil
}
