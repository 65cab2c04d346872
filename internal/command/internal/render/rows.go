package render

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lineform"
	"github.com/citekit/citekit/preview"
)

// maxCells bounds the cells of rows that are given at once.
const maxCells = 1 << 20

// sampleRows is how many rows tell what separates their fields.
const sampleRows = 16

// A rowReader reads rows of a source as cells of a table.
type rowReader struct {
	text  citekit.TextReader
	src   *citekit.Source
	table preview.Table
	cols  []int32 // of the cells of each row, if not one after the other
	cells int
}

// rowTable returns the cells of rows at a location of a workbook or of comma-separated
// values, or nil if the source is neither.
func rowTable(ctx context.Context, resolver citekit.Resolver, src *citekit.Source, loc citekit.Location) (*preview.Table, error) {
	measurer, ok := resolver.(citekit.Measurer)
	text, reads := resolver.(citekit.TextReader)
	if !ok || !reads || loc.Modality != citekit.Text && loc.Modality != citekit.Document {
		return nil, nil
	}
	extent, err := measurer.Measure(ctx, src)
	if err != nil {
		return nil, err
	}
	r := &rowReader{text: text, src: src, table: preview.Table{Location: loc}}
	switch {
	case extent.Sheets > 0:
		err = r.sheet(ctx)
	case extent.Rows > 0 && loc.Lines.IsZero():
		err = r.values(ctx, extent.Rows)
	default:
		return nil, nil
	}
	return &r.table, err
}

func (r *rowReader) runs(ctx context.Context, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return r.text.ReadText(ctx, r.src, loc)
}

// row adds a row whose first cell is at a place.
func (r *rowReader) row(at citekit.Cell, texts []string, header bool) error {
	if r.cells += len(texts); r.cells > maxCells {
		return fmt.Errorf("there are more than %d cells; choose some of the rows: %w", maxCells, citekit.ErrTooLarge)
	}
	for i, text := range texts {
		if i < len(r.cols) {
			at.Col = r.cols[i]
		}
		r.table.Cells = append(r.table.Cells, preview.TableCell{Cells: citekit.Cells{First: at, Last: at}, Text: text, Header: header})
		r.table.Extent.Last.Col = max(r.table.Extent.Last.Col, at.Col)
		at.Col++
	}
	r.table.Extent.Last.Row = max(r.table.Extent.Last.Row, at.Row)
	return nil
}

// sheet reads the cells of one sheet. Rows between them that show nothing have an empty cell.
func (r *rowReader) sheet(ctx context.Context) error {
	t := &r.table
	wanted, next := t.Location.Cells, int32(1)
	if t.Extent.First = (citekit.Cell{Col: 1, Row: 1}); !wanted.IsZero() {
		next = wanted.First.Row
	} else if !t.Location.Rows.IsZero() {
		next = int32(t.Location.Rows.First)
		t.Extent.First.Row = next
	}
	first := max(wanted.First.Col, 1)
	if len(t.Location.Cols) > 0 {
		first = 0 // that of the first run
	}
	for run, err := range r.runs(ctx, t.Location) {
		at := run.Location.Cells.First
		if err == nil && t.Location.Sheet != "" && run.Location.Sheet != t.Location.Sheet {
			err = fmt.Errorf("it has several sheets with cells; write one, such as sheet=%s: %w", t.Location.Sheet, errors.ErrUnsupported)
		}
		if err != nil {
			return err
		}
		t.Location.Sheet = run.Location.Sheet
		if first == 0 {
			first = at.Col
			t.Extent.First.Col = first
		}
		for ; next < at.Row; next++ {
			if err := r.row(citekit.Cell{Col: first, Row: next}, []string{""}, false); err != nil {
				return err
			}
		}
		next = at.Row + 1
		if err := r.row(at, strings.Split(strings.TrimSuffix(run.Text, "\n"), "\t"), false); err != nil {
			return err
		}
	}
	if len(t.Cells) == 0 {
		return fmt.Errorf("no cell there shows anything: %w", errors.ErrUnsupported)
	}
	return nil
}

// narrowed returns a table without the columns that have no cells.
func narrowed(t preview.Table) preview.Table {
	var cols []int32
	for _, c := range t.Cells {
		cols = append(cols, c.Cells.First.Col)
	}
	slices.Sort(cols)
	cols = slices.Compact(cols)
	t.Cells = slices.Clone(t.Cells)
	for i := range t.Cells {
		at := &t.Cells[i].Cells
		n, _ := slices.BinarySearch(cols, at.First.Col)
		at.First.Col, at.Last.Col = int32(n)+1, int32(n)+1
	}
	t.Extent.First.Col, t.Extent.Last.Col = 1, int32(len(cols))
	return t
}

// values reads some of all rows of comma-separated values, with their header.
func (r *rowReader) values(ctx context.Context, all int) error {
	t := &r.table
	if t.Location.Rows.IsZero() {
		t.Location.Rows = citekit.Range{First: 1, Last: all}
	}
	var sample strings.Builder
	var first string // row
	for run, err := range r.runs(ctx, citekit.Location{Modality: t.Location.Modality, Rows: citekit.Range{First: 1, Last: min(all, sampleRows)}}) {
		if err != nil {
			return err
		}
		if first == "" {
			first = run.Text
		}
		sample.WriteString(run.Text)
	}
	delimiter := lineform.Delimiter([]byte(sample.String()))
	for _, name := range t.Location.Cols { // the text has them in the order of the source
		i, _ := lineform.Column(name, lineform.Fields([]byte(first), delimiter))
		r.cols = append(r.cols, int32(i)+1)
	}
	slices.Sort(r.cols)
	r.cols = slices.Compact(r.cols)
	t.Headers, t.Extent.First = 1, citekit.Cell{Col: 1, Row: 1}
	if len(r.cols) > 0 {
		t.Extent.First.Col = r.cols[0]
	}
	parts := []citekit.Location{t.Location}
	if t.Location.Rows.First > 1 {
		header := t.Location
		header.Rows = citekit.Range{First: 1, Last: 1}
		parts = []citekit.Location{header, t.Location}
	}
	for _, part := range parts {
		for run, err := range r.runs(ctx, part) {
			if err != nil {
				return err
			}
			n := int32(run.Location.Rows.First)
			if err := r.row(citekit.Cell{Col: 1, Row: n}, lineform.Fields([]byte(run.Text), delimiter), n == 1); err != nil {
				return err
			}
		}
	}
	return nil
}
