package citekit

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// A Cell is one cell of a sheet or a table: its column and its row, both counted
// from 1. Its text form is A1 notation: letters for the column, digits for the
// row, so that {2, 5} is "B5".
type Cell struct{ Col, Row int32 }

// Bounds of a [Cell]. Spreadsheets have fewer; a column has at most three
// letters.
const (
	MaxCol = 26 + 26*26 + 26*26*26 // largest column, ZZZ
	MaxRow = 1<<31 - 1             // largest row
)

// ColName returns the letters of a column, counted from 1, such as "A" for 1
// and "AB" for 28; "" for a number out of range.
func ColName(col int) string {
	if col < 1 || col > MaxCol {
		return ""
	}
	var letters []byte
	for ; col > 0; col = (col - 1) / 26 {
		letters = append(letters, byte('A'+(col-1)%26))
	}
	slices.Reverse(letters)
	return string(letters)
}

// ColNumber returns the number of the column with the given letters, of either
// case, or 0 if there is no such column.
func ColNumber(letters string) int {
	n := 0
	for i := range len(letters) {
		c := letters[i] &^ 0x20
		if c < 'A' || c > 'Z' || i >= 3 {
			return 0
		}
		n = n*26 + int(c-'A') + 1
	}
	return n
}

// String returns A1 notation, such as "B5".
func (c Cell) String() string {
	return ColName(int(c.Col)) + strconv.Itoa(int(c.Row))
}

// ParseCell parses a cell in A1 notation, such as "B5" or "$B$5". The error
// matches [ErrSyntax].
func ParseCell(s string) (Cell, error) {
	rest := strings.TrimPrefix(s, "$")
	n := len(rest) - len(strings.TrimLeft(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))
	col := ColNumber(rest[:n])
	row := plain.WholeNumber(strings.TrimPrefix(rest[n:], "$"))
	if col < 1 || row < 1 || row > MaxRow {
		return Cell{}, syntaxError("cell %s; write its column in letters and its row in digits, such as B5", message.Quote(s))
	}
	return Cell{int32(col), int32(row)}, nil
}

// Cells are a rectangle of cells, both corners included. The zero Cells select
// everything.
type Cells struct{ First, Last Cell }

// IsZero reports whether c selects everything.
func (c Cells) IsZero() bool { return c == Cells{} }

// Has reports whether c contains the cell. The zero Cells contain every cell.
func (c Cells) Has(cell Cell) bool {
	return c.IsZero() || c.First.Col <= cell.Col && cell.Col <= c.Last.Col && c.First.Row <= cell.Row && cell.Row <= c.Last.Row
}

// contains reports whether inner lies in c; neither is zero.
func (c Cells) contains(inner Cells) bool { return c.Has(inner.First) && c.Has(inner.Last) }

// String returns A1 notation, such as "B5:D10", or "B5" for one cell.
func (c Cells) String() string {
	if c.First == c.Last {
		return c.First.String()
	}
	return c.First.String() + ":" + c.Last.String()
}

// ParseCells parses cells in A1 notation, such as "B5:D10" or "B5". Corners in
// another order, such as "D5:B10", are put in order. The error matches
// [ErrSyntax].
func ParseCells(s string) (Cells, error) {
	first, last, isRange := strings.Cut(s, ":")
	if !isRange {
		last = first
	}
	a, err := ParseCell(first)
	if err != nil {
		return Cells{}, err
	}
	b, err := ParseCell(last)
	if err != nil {
		return Cells{}, err
	}
	return Cells{Cell{min(a.Col, b.Col), min(a.Row, b.Row)}, Cell{max(a.Col, b.Col), max(a.Row, b.Row)}}, nil
}

// Blocks selects the blocks from first to last, counted from 1, both included.
func Blocks(first, last int) Location { return Location{Blocks: counted(first, last)} }

// Sheet selects a sheet by its name, and cells of it in A1 notation, such as
// "B5:D10"; "" selects all of it. [Location.Validate] reports malformed
// notation.
func Sheet(name, cells string) Location {
	loc := Location{Sheet: named(name)}
	if cells != "" {
		if parsed, err := ParseCells(cells); err == nil {
			loc.Cells = parsed
		} else {
			loc.Cells = Cells{First: Cell{-1, -1}} // which Validate refuses
			loc.odd = &oddLocation{cells: cells}
		}
	}
	return loc
}

// Member selects a member of an archive by its name. [Location.In] selects
// within it.
func Member(name string) Location { return Location{Member: named(name)} }

// noName stands for an empty name that a location was made with. An empty name would
// select everything; [Location.Validate] refuses this one.
const noName = "\x00"

func named(name string) string { return cmp.Or(name, noName) }

// MemberSeparator separates the two names in Location.Member: first an archive
// within the archive, then a member of that inner archive.
const MemberSeparator = "!/"

// MaxMemberDepth is the maximum number of names in Location.Member: two, where
// the first is an archive within the archive.
const MaxMemberDepth = 2

// In returns l as a location in the member with the given name. The other
// selectors of l then select a part of that member.
func (l Location) In(member string) Location {
	l.Member = member
	return l
}

// cutMember returns the name of the member that a location begins with, and the
// location within that; "" if it has none.
func (l Location) cutMember() (name string, inner Location) {
	name, l.Member, _ = strings.Cut(l.Member, MemberSeparator)
	return name, l
}

const (
	maxName = 4 << 10 // bytes of the name of a sheet, a table, a member or a column
	maxCols = 1 << 10
)

// families are the selectors of a built-in modality that may stand together:
// each list is one way to say what is meant.
var families = map[Modality][][]string{
	Document: {
		{"pages", "bbox"}, {"blocks", "cells"}, {"part", "blocks", "cells"},
		{"sheet", "cells"}, {"sheet", "rows"}, {"sheet", "cols"}, {"table", "rows", "cols"},
	},
	Video: {{"start and end"}},
	Audio: {{"start and end"}},
	Image: {{"bbox"}},
	Text:  {{"lines"}, {"message", "part", "lines"}, {"rows", "cols"}, {"blocks", "cells"}},
}

// selectorsIn lists the JSON names of the selectors of l, in the order of the
// canonical form, but for members and virtual addresses.
func (l Location) selectorsIn() []string {
	var names []string
	for _, s := range []struct {
		name  string
		there bool
	}{
		{"message", l.Message != 0}, {"part", l.Part != ""}, {"table", l.Table != ""}, {"sheet", l.Sheet != ""},
		{"pages", len(l.Pages) > 0}, {"blocks", !l.Blocks.IsZero()}, {"cells", !l.Cells.IsZero()}, {"rows", !l.Rows.IsZero()}, {"cols", len(l.Cols) > 0},
		{"start and end", !l.Time.IsZero()}, {"lines", !l.Lines.IsZero()}, {"bbox", !l.Box.IsZero()},
	} {
		if s.there {
			names = append(names, s.name)
		}
	}
	return names
}

// checkFamily refuses selectors that do not go together, or that lack the one
// that they are within.
func (l Location) checkFamily() error {
	if !l.Modality.builtIn() || l.Modality == Virtual {
		return nil
	}
	names := l.selectorsIn()
	for _, family := range families[l.Modality] {
		if !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(family, name) }) {
			return l.checkWithin()
		}
	}
	if len(names) == 0 {
		return nil
	}
	return syntaxError("%s do not go together", strings.Join(names, " and "))
}

// checkWithin refuses a selector without the one that it is within.
func (l Location) checkWithin() error {
	switch {
	case !l.Cells.IsZero() && l.Sheet == "" && l.Blocks.IsZero():
		return syntaxError("cells %s without a sheet; write such as sheet=Results&cells=%s, or blocks=14&cells=%s for a table of a text", l.Cells, l.Cells, l.Cells)
	case !l.Cells.IsZero() && l.Sheet == "" && l.Blocks.Len() != 1:
		return syntaxError("cells %s of %d blocks; they are of one table, such as blocks=14&cells=%s", l.Cells, l.Blocks.Len(), l.Cells)
	case l.Modality == Document && (!l.Rows.IsZero() || len(l.Cols) > 0) && l.Sheet == "" && l.Table == "":
		return syntaxError("rows or cols without a sheet or a table; write such as sheet=Results&rows=5-7")
	}
	return nil
}

func (l Location) checkRange(name string, r Range) error {
	switch {
	case r.IsZero():
		return nil
	case r.First < 1:
		return syntaxError("%s %d; %s count from 1", name, r.First, name)
	case r.Last < r.First:
		return syntaxError("%s %d-%d end before they begin", name, r.First, r.Last)
	}
	return nil
}

func (l Location) checkBlocks() error { return l.checkRange("blocks", l.Blocks) }
func (l Location) checkRows() error   { return l.checkRange("rows", l.Rows) }

func (l Location) checkCells() error {
	c := l.Cells
	switch {
	case c.IsZero():
		return nil
	case c.First.Col < 1 || c.First.Row < 1 || c.Last.Col > MaxCol:
		if l.odd != nil && l.odd.cells != "" {
			return syntaxError("cells %s are not in A1 notation; write such as B5:D10", message.Quote(l.odd.cells))
		}
		return syntaxError("cells are not in A1 notation; write such as B5:D10")
	case c.Last.Col < c.First.Col || c.Last.Row < c.First.Row:
		return syntaxError("cells %s; write the top left corner first", c)
	}
	return nil
}

func (l Location) checkNames() error {
	for _, n := range []struct{ name, value string }{{"sheet", l.Sheet}, {"table", l.Table}, {"member", l.Member}} {
		if err := checkName(n.name, n.value); err != nil {
			return err
		}
	}
	return l.checkMember()
}

func checkName(name, value string) error {
	if len(value) > maxName {
		return syntaxError("%s of %d bytes; at most %d", name, len(value), maxName)
	}
	if value == noName {
		return syntaxError("a %s without a name; an empty name is none", name)
	}
	if !message.IsPlain(value) {
		return syntaxError("%s has control characters or is not UTF-8", name)
	}
	return nil
}

func (l Location) checkMember() error {
	if l.Member == "" {
		return nil
	}
	if l.Modality == Virtual {
		return syntaxError("a virtual location cannot have member")
	}
	names := strings.Split(l.Member, MemberSeparator)
	if len(names) > MaxMemberDepth {
		return syntaxError("member %s is %d deep; at most %d", message.Quote(l.Member), len(names), MaxMemberDepth)
	}
	for _, name := range names {
		for part := range strings.SplitSeq(strings.TrimSuffix(name, "/"), "/") {
			if part == "" || part == "." || part == ".." {
				return syntaxError("member %s; it is the name in the archive, such as dir/a.pdf, and leads to no folder outside it", message.Quote(l.Member))
			}
		}
	}
	return nil
}

func (l Location) checkCols() error {
	if len(l.Cols) > maxCols {
		return syntaxError("%d cols; at most %d", len(l.Cols), maxCols)
	}
	for _, col := range l.Cols {
		if col == "" {
			return syntaxError("cols has an empty name")
		}
		if err := checkName("cols", col); err != nil {
			return err
		}
	}
	if l.Sheet == "" || len(l.Cols) == 0 {
		return nil
	}
	first, last := l.SheetCols()
	if len(l.Cols) != 1 || first == 0 || colRun(first, last) != l.Cols[0] {
		return syntaxError("cols=%s; columns of a sheet are letters, such as B:D", message.Clip(strings.Join(l.Cols, ",")))
	}
	return nil
}

// SheetCols returns the first and the last column that Cols selects of a
// sheet, counted from 1, or zeros if Cols are not letters.
func (l Location) SheetCols() (first, last int) {
	if len(l.Cols) != 1 {
		return 0, 0
	}
	from, to, isRange := strings.Cut(l.Cols[0], ":")
	if !isRange {
		to = from
	}
	first, last = ColNumber(from), ColNumber(to)
	if first == 0 || last < first {
		return 0, 0
	}
	return first, last
}

// normalizeCols writes columns of a sheet in upper case, and one column without
// a range.
func (l *Location) normalizeCols() {
	if first, last := l.SheetCols(); l.Sheet != "" && first > 0 {
		l.Cols = []string{colRun(first, last)}
	}
}

// isStructured reports whether l selects by the structure of a text.
func (l Location) isStructured() bool {
	return !l.Blocks.IsZero() || !l.Cells.IsZero() || !l.Rows.IsZero() || len(l.Cols) > 0 || l.Part != ""
}

// colRun returns the canonical form of a run of columns.
func colRun(first, last int) string {
	if first == last {
		return ColName(first)
	}
	return ColName(first) + ":" + ColName(last)
}
