package database

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sqlite"
	"github.com/citekit/citekit/modality/document/internal/rows"
)

const maxValue = 1 << 20 // bytes of one value in the text

// ReadText implements [citekit.TextReader]. Each row is a line with tabs between its
// values; line ends and tabs in values become spaces. Null is empty. Columns that were
// added later are left out at the end of rows that do not store them. A blob appears
// as its number of bytes. Each run is a row; after 100,000 rows runs have up to 500, as
// a text may have no more than some 250,000 runs. The text of the whole database is that
// of all tables, in order.
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		if err := r.readText(ctx, src, loc, yield); err != nil {
			yield(citekit.TextRun{}, err)
		}
	}
}

// readText yields runs, and returns the error that the caller has to yield.
func (r *Resolver) readText(ctx context.Context, src *citekit.Source, loc citekit.Location, yield func(citekit.TextRun, error) bool) error {
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
	text := rows.Text{Yield: yield}
	for _, name := range tables {
		loc.Table = name
		c, err := r.find(ctx, src, db, loc)
		if err != nil {
			return err
		}
		if more, err := c.text(ctx, &text); err != nil || !more {
			return err
		}
	}
	return nil
}

// text yields the rows of c. It returns false if no more rows are wanted.
func (c *cut) text(ctx context.Context, text *rows.Text) (more bool, err error) {
	columns := c.columns
	if columns == nil {
		for i := range c.table.Columns {
			columns = append(columns, i)
		}
	}
	text.Begin(citekit.Location{Modality: citekit.Document, Table: c.name, Cols: c.names}, c.first)
	var values []sqlite.Value
	line := make([]string, 0, len(columns))
	more = true
	err = c.read(ctx, func(r sqlite.Row) (err error) {
		if values, err = c.table.Values(r, values); err != nil {
			return err
		}
		line = line[:0]
		for _, column := range columns {
			if column >= len(values) { // and all columns after it: they are sorted
				break
			}
			line = append(line, shown(c.db, values[column]))
		}
		if more = text.Add(line); !more {
			return errStop
		}
		return nil
	})
	if !more {
		return false, nil
	}
	return err == nil && text.End(), err
}

// errStop ends reading without an error.
var errStop = errors.New("stop")

// shown returns a value as text.
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
		return strings.ToValidUTF8(db.DecodeText(b), "\ufffd")
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
