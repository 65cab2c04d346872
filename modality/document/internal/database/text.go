package database

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sqlite"
)

const maxValue = 1 << 20 // bytes of one value in the text

// errStop ends reading without an error.
var errStop = errors.New("stop")

// ReadText implements [citekit.TextReader]. Each row is a line with tabs between its
// values; line ends and tabs in values become spaces. Null is empty. Columns that were
// added later are left out at the end of rows that do not store them. A blob appears
// as its number of bytes. Each run is a row; after 100,000 rows runs have up to 500, as
// a text may have no more than some 250,000 runs. The text of the whole database is that
// of all tables, in order.
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		err := r.readText(ctx, src, loc, func(run citekit.TextRun) error {
			if !yield(run, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && err != errStop {
			yield(citekit.TextRun{}, err)
		}
	}
}

func (r *Resolver) readText(ctx context.Context, src *citekit.Source, loc citekit.Location, yield func(citekit.TextRun) error) error {
	db, err := open(ctx, src, loc)
	if err != nil {
		return err
	}
	tables := []string{loc.Table}
	if loc.IsWhole() {
		tables = nil
		for _, table := range db.Tables {
			tables = append(tables, table.Name)
		}
	}
	read := 0
	for _, name := range tables {
		loc.Table = name
		c, err := r.find(ctx, src, db, loc)
		if err == nil {
			err = c.runs(ctx, &read, yield)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// The first rows of a text are runs of their own. Further ones are together, as long as
// they have no more text than a run may.
const (
	singleRows = 100_000
	joinedRows = 500
	joinedText = 64 << 10 // bytes
)

// runs calls yield for each run. So many rows were read before.
func (c *cut) runs(ctx context.Context, read *int, yield func(citekit.TextRun) error) error {
	var text strings.Builder
	first, row := c.first, c.first
	columns := c.columns
	if columns == nil {
		for i := range c.table.Columns {
			columns = append(columns, i)
		}
	}
	flush := func() error {
		if row == first {
			return nil
		}
		loc := citekit.Location{Modality: citekit.Document, Table: c.name, Rows: citekit.Range{First: first, Last: row - 1}, Cols: c.names}
		run := citekit.TextRun{Text: text.String(), Location: loc}
		first = row
		text.Reset()
		return yield(run)
	}
	var values []sqlite.Value
	err := c.read(ctx, func(r sqlite.Row) (err error) {
		if values, err = c.table.Values(r, values); err != nil {
			return err
		}
		c.line(&text, values, columns)
		row++
		if *read++; *read > singleRows && row-first < joinedRows && text.Len() < joinedText {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// line writes the values of the columns of a row.
func (c *cut) line(text *strings.Builder, values []sqlite.Value, columns []int) {
	for i, column := range columns {
		if column >= len(values) { // and all columns after it: they are sorted
			break
		}
		if i > 0 {
			text.WriteByte('\t')
		}
		text.WriteString(shown(c.db, values[column]))
	}
	text.WriteByte('\n')
}

// shown returns a value as text on one line.
func shown(db *sqlite.Database, v sqlite.Value) string {
	switch v.Kind {
	case sqlite.Integer:
		return strconv.FormatInt(v.Int, 10)
	case sqlite.Real:
		return real(v.Float)
	case sqlite.Blob:
		return fmt.Sprintf("blob of %d bytes", len(v.Bytes))
	case sqlite.Text:
		b := v.Bytes[:min(len(v.Bytes), maxValue)]
		text := strings.ToValidUTF8(db.DecodeText(b), "\ufffd")
		return strings.Map(func(r rune) rune {
			if r == '\n' || r == '\r' || r == '\t' || r == 0 {
				return ' '
			}
			return r
		}, text)
	}
	return ""
}

// real returns a number with a decimal point or an exponent.
func real(f float64) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return fmt.Sprint(f)
	}
	if size := math.Abs(f); size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// sortedOnce returns numbers sorted and without duplicates.
func sortedOnce(numbers []int) []int {
	slices.Sort(numbers)
	return slices.Compact(numbers)
}
