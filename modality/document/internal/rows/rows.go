// Package rows has what the resolvers of tables with rows and named columns share:
// which rows and columns a location selects, and the text of rows.
package rows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// Range returns the rows that a location selects in a table of count rows: all if it
// names none, so that first is 1 and last 0 in an empty table. The error for rows
// beyond the end matches [citekit.ErrRange].
func Range(loc citekit.Location, count int) (first, last int, err error) {
	if loc.Rows.IsZero() {
		return 1, count, nil
	}
	if loc.Rows.Last > count {
		return 0, 0, fmt.Errorf("rows %v of a table of %s: %w", loc.Rows, message.Count(count, "row"), citekit.ErrRange)
	}
	return loc.Rows.First, loc.Rows.Last, nil
}

// Columns returns the indexes from 0 of the columns with names, ascending and each
// once. A name is an exact one of columns, else one in any case, else a number from 1.
// The error for any other name matches [citekit.ErrRange].
func Columns(columns, names []string) (indexes []int, err error) {
	for _, name := range names {
		i := slices.Index(columns, name)
		if i < 0 {
			i = slices.IndexFunc(columns, func(known string) bool { return strings.EqualFold(known, name) })
		}
		if n := plain.WholeNumber(name); i < 0 && 1 <= n && n <= len(columns) {
			i = n - 1
		}
		if i < 0 {
			return nil, fmt.Errorf("no column %s; there are %s: %w", message.Quote(name), List(columns), citekit.ErrRange)
		}
		indexes = append(indexes, i)
	}
	slices.Sort(indexes)
	return slices.Compact(indexes), nil
}

// Bounds of what [List] joins.
const (
	maxListed      = 20
	maxListedBytes = 500
)

// List joins the first of many names.
func List(names []string) string {
	text := ""
	for i, name := range names {
		if i == maxListed || len(text) > maxListedBytes {
			return text + fmt.Sprintf(" and others, %d in all", len(names))
		}
		if i > 0 {
			text += ", "
		}
		text += message.Clip(name)
	}
	return text
}

// The first rows of a text are runs of their own. Further ones are together, as long as
// they have no more text than a run may.
const (
	singleRows = 100_000
	joinedRows = 500
	joinedText = 64 << 10 // bytes
)

// A Text yields the rows of one table after another as runs: first each row, and after
// 100,000 rows up to 500 together, as a text may have no more than some 250,000 runs.
type Text struct {
	// Yield takes a run. It returns false if no more are wanted.
	Yield func(citekit.TextRun, error) bool

	line  strings.Builder
	at    citekit.Location // of the table, with the columns
	first int              // row that line begins with
	row   int              // row that comes next
	read  int              // rows of all tables
}

// Begin begins a table, whose next row is first. At is its location with the columns.
func (t *Text) Begin(at citekit.Location, first int) {
	t.at, t.first, t.row = at, first, first
	t.at.Rows = citekit.Range{}
}

// Add adds a row with tabs between its values, in which line ends, tabs and NUL become
// spaces. It returns false if no more rows are wanted.
func (t *Text) Add(values []string) bool {
	for i, value := range values {
		if i > 0 {
			t.line.WriteByte('\t')
		}
		t.write(value)
	}
	t.line.WriteByte('\n')
	t.row++
	if t.read++; t.read > singleRows && t.row-t.first < joinedRows && t.line.Len() < joinedText {
		return true
	}
	return t.End()
}

func (t *Text) write(value string) {
	for {
		at := strings.IndexAny(value, "\t\r\n\x00")
		if at < 0 {
			t.line.WriteString(value)
			return
		}
		t.line.WriteString(value[:at])
		t.line.WriteByte(' ')
		value = value[at+1:]
	}
}

// End yields the rows of the table that were not yielded yet.
func (t *Text) End() bool {
	if t.row == t.first {
		return true
	}
	at := t.at
	at.Rows = citekit.Range{First: t.first, Last: t.row - 1}
	run := citekit.TextRun{Text: t.line.String(), Location: at}
	t.first = t.row
	t.line.Reset()
	return t.Yield(run, nil)
}
