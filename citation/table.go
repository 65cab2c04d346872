package citation

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// LastCell stands for the last row or column of a table, which RFC 7111 writes
// "*".
const LastCell = math.MaxInt

// Cells are a part of a table: rows and columns counted from 1. A header is the
// first row. The zero Range means all rows or columns.
type Cells struct{ Rows, Columns citekit.Range }

// CSVFragment returns parts of a table as a fragment of RFC 7111, such as
// "row=5-7", "col=2" or "cell=4,1-6,*;8,2". All parts must select alike: only
// rows, only columns, or both. For other parts, no parts, or a range that ends
// before it begins, the error matches [citekit.ErrSyntax].
func CSVFragment(cells ...Cells) (string, error) {
	specs := make([]string, len(cells))
	kind := ""
	for i, c := range cells {
		is, spec := c.spec()
		if is == "" || kind != "" && is != kind {
			return "", syntaxError("rows %v, columns %v of a table; give rows, or columns, or both, for all parts alike", c.Rows, c.Columns)
		}
		kind, specs[i] = is, spec
	}
	if kind == "" {
		return "", syntaxError("no part of a table")
	}
	return kind + "=" + strings.Join(specs, ";"), nil
}

func (c Cells) spec() (kind, spec string) {
	rows, columns := c.Rows.IsZero() || isRun(c.Rows), c.Columns.IsZero() || isRun(c.Columns)
	switch {
	case !rows || !columns || c == Cells{}:
		return "", ""
	case c.Columns.IsZero():
		return "row", runSpec(c.Rows)
	case c.Rows.IsZero():
		return "col", runSpec(c.Columns)
	}
	spec = cell(c.Rows.First) + "," + cell(c.Columns.First)
	if c.Rows.First != c.Rows.Last || c.Columns.First != c.Columns.Last {
		spec += "-" + cell(c.Rows.Last) + "," + cell(c.Columns.Last)
	}
	return "cell", spec
}

func isRun(r citekit.Range) bool { return r.First >= 1 && r.Last >= r.First }

func runSpec(r citekit.Range) string {
	if r.First == r.Last {
		return cell(r.First)
	}
	return cell(r.First) + "-" + cell(r.Last)
}

func cell(n int) string {
	if n == LastCell {
		return "*"
	}
	return strconv.Itoa(n)
}

// ParseCSVFragment parses a fragment of RFC 7111. Any other fragment is an
// error matching [citekit.ErrSyntax].
func ParseCSVFragment(fragment string) ([]Cells, error) {
	kind, value, _ := strings.Cut(fragment, "=")
	if kind != "row" && kind != "col" && kind != "cell" || len(value) > 1<<16 {
		return nil, syntaxError("table fragment %s; write row=5-7, col=2 or cell=4,1-6,*", message.Quote(fragment))
	}
	var cells []Cells
	for spec := range strings.SplitSeq(value, ";") {
		c, ok := parseCells(kind, spec)
		if !ok {
			return nil, syntaxError("%s=%s; rows and columns count from 1, and * is the last: write such as row=5-7 or cell=4,1-6,*", kind, message.Clip(spec))
		}
		cells = append(cells, c)
	}
	return cells, nil
}

func parseCells(kind, spec string) (c Cells, ok bool) {
	first, last, isRange := strings.Cut(spec, "-")
	if !isRange {
		last = first
	}
	switch kind {
	case "row":
		c.Rows = citekit.Range{First: parseCell(first), Last: parseCell(last)}
		return c, isRun(c.Rows)
	case "col":
		c.Columns = citekit.Range{First: parseCell(first), Last: parseCell(last)}
		return c, isRun(c.Columns)
	}
	row1, column1, _ := strings.Cut(first, ",")
	row2, column2, _ := strings.Cut(last, ",")
	c.Rows = citekit.Range{First: parseCell(row1), Last: parseCell(row2)}
	c.Columns = citekit.Range{First: parseCell(column1), Last: parseCell(column2)}
	return c, isRun(c.Rows) && isRun(c.Columns)
}

func parseCell(s string) int {
	if s == "*" {
		return LastCell
	}
	return plain.WholeNumber(s)
}

// Location returns c as a location in comma-separated values of extent e. The
// header is row 1. If c has [LastCell] as a column, or as a row while e.Rows is
// 0, the error matches [errors.ErrUnsupported]. If a row is after the last, it
// matches [citekit.ErrRange].
func (c Cells) Location(e citekit.Extent) (citekit.Location, error) {
	loc := citekit.Location{Modality: citekit.Text, Rows: c.Rows}
	for _, row := range []*int{&loc.Rows.First, &loc.Rows.Last} {
		if *row == LastCell {
			if *row = e.Rows; e.Rows == 0 {
				return citekit.Location{}, fmt.Errorf("the last row of a table whose rows were not counted: %w", errors.ErrUnsupported)
			}
		}
	}
	switch n := c.Columns.Len(); {
	case c.Columns.Last == LastCell:
		return citekit.Location{}, fmt.Errorf("the last column of a table, whose number is not known; write it: %w", errors.ErrUnsupported)
	case !c.Columns.IsZero() && n > maxColumns:
		return citekit.Location{}, fmt.Errorf("%d columns; at most %d: %w", n, maxColumns, citekit.ErrRange)
	case !c.Columns.IsZero():
		for column := c.Columns.First; column <= c.Columns.Last; column++ {
			loc.Cols = append(loc.Cols, strconv.Itoa(column))
		}
	}
	if err := loc.Validate(); err != nil {
		return citekit.Location{}, err
	}
	if e.Rows > 0 && loc.Rows.Last > e.Rows {
		return citekit.Location{}, fmt.Errorf("rows %v of %d: %w", loc.Rows, e.Rows, citekit.ErrRange)
	}
	return loc, nil
}

// maxColumns is the maximum number of columns in a location.
const maxColumns = 1 << 10

// TableCells returns the rows and columns of comma-separated values that l
// selects, in the form that [CSVFragment] takes: a part for each run of
// columns. A column is a name in the header, exactly as written there, or else
// a number; for any other column the error matches [citekit.ErrRange]. For a
// location without rows and columns, or in a member, part or message, it matches
// [errors.ErrUnsupported].
func TableCells(l citekit.Location, header []string) ([]Cells, error) {
	if err := checkOuter(l); err != nil {
		return nil, err
	}
	if l.Modality != citekit.Text || l.Rows.IsZero() && len(l.Cols) == 0 {
		return nil, fmt.Errorf("%s location without rows or cols has no table fragment: %w", message.Article(l.Modality), errors.ErrUnsupported)
	}
	if len(l.Cols) == 0 {
		return []Cells{{Rows: l.Rows}}, nil
	}
	runs := make([]citekit.Range, len(l.Cols))
	for i, name := range l.Cols {
		column := slices.Index(header, name) + 1
		if column == 0 {
			column = plain.WholeNumber(name)
		}
		if column < 1 {
			return nil, fmt.Errorf("no column %s in the header: %w", message.Quote(name), citekit.ErrRange)
		}
		runs[i] = citekit.Range{First: column, Last: column}
	}
	var cells []Cells
	for _, run := range (citekit.Location{}).WithPages(runs...).Pages {
		cells = append(cells, Cells{Rows: l.Rows, Columns: run})
	}
	return cells, nil
}

// Lines returns the lines of the rows of c in the text of a table, where a
// quoted field may have line ends. If c has rows after the last, the error
// matches [citekit.ErrRange].
func (c Cells) Lines(table string) (citekit.Range, error) {
	var lines citekit.Range
	row, line, start := 0, 0, 1
	for end := range rowEnds(table) {
		row, start, line = row+1, line+1, end
		if row == c.Rows.First {
			lines.First = start
		}
		if lines.First > 0 && row <= max(c.Rows.Last, 1) {
			lines.Last = line
		}
	}
	if c.Rows.First == LastCell && row > 0 {
		return citekit.Range{First: start, Last: line}, nil
	}
	if c.Rows.IsZero() && row > 0 {
		return citekit.Range{First: 1, Last: line}, nil
	}
	if lines.First == 0 || c.Rows.Last > row && c.Rows.Last != LastCell {
		return citekit.Range{}, fmt.Errorf("rows %s of %d: %w", runSpec(c.Rows), row, citekit.ErrRange)
	}
	return lines, nil
}

// RowsAt returns the rows of a table that the lines touch. If there are lines
// after the last, the error matches [citekit.ErrRange].
func RowsAt(table string, lines citekit.Range) (Cells, error) {
	var c Cells
	row, before := 0, 0
	for end := range rowEnds(table) {
		row++
		if end >= lines.First && before < lines.Last {
			if c.Rows.First == 0 {
				c.Rows.First = row
			}
			c.Rows.Last = row
		}
		before = end
	}
	if c.Rows.First == 0 || lines.Last > before {
		return Cells{}, fmt.Errorf("lines %v of %d: %w", lines, before, citekit.ErrRange)
	}
	return c, nil
}

// rowEnds yields the last line of each row of a table, counted from 1.
func rowEnds(table string) func(yield func(line int) bool) {
	return func(yield func(line int) bool) {
		line, quoted, open := 0, false, false
		for i := range len(table) {
			open = true
			switch c := table[i]; {
			case c == '"':
				quoted = !quoted
			case c == '\n' || c == '\r' && !strings.HasPrefix(table[i+1:], "\n"):
				line++
				open = false
				if !quoted && !yield(line) {
					return
				}
			}
		}
		if open {
			yield(line + 1)
		}
	}
}
