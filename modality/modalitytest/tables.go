package modalitytest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/preview"
)

// checkTables checks the cells of the good cases that are in a table, and asks for tables
// that cannot exist.
func (s *suite) checkTables(t testing.TB) {
	tabler, ok := s.resolver.(preview.Tabler)
	if !ok {
		return
	}
	src := s.memory(s.Source, true)
	for _, c := range s.Good {
		if c.Location.Table == "" && (c.Location.Cells.IsZero() || c.Location.Blocks.IsZero()) {
			continue
		}
		tables, err := tabler.Tables(t.Context(), src, c.Location)
		if err != nil || len(tables) != 1 {
			t.Errorf("%v: Tables: %d tables, %v; want 1", label(c.Location), len(tables), err)
			continue
		}
		s.inspectTable(t, c.Location, &tables[0])
		text, err := s.readText(t, t.Context(), src, c.Location)
		var all strings.Builder
		for run := range tables[0].Runs() {
			all.WriteString(run.Text)
		}
		if err != nil || text != all.String() {
			t.Errorf("%v: ReadText gives %q, %v; the cells are %q", label(c.Location), excerpt([]byte(text)), err, excerpt([]byte(all.String())))
		}
	}
	for _, loc := range s.OutOfRange {
		if _, err := tabler.Tables(t.Context(), src, loc); !matches(err, citekit.ErrRange, errors.ErrUnsupported) {
			t.Errorf("%v: Tables: the error %v, want one that matches ErrRange", label(loc), err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tabler.Tables(ctx, src, s.Good[0].Location); !matches(err, context.Canceled, errors.ErrUnsupported, citekit.ErrRange) {
		t.Errorf("Tables with a context that is done: %v", err)
	}
}

// inspectTable checks that each cell is in the table, and that each place is in one cell.
func (s *suite) inspectTable(t testing.TB, loc citekit.Location, table *preview.Table) {
	if err := table.Location.Validate(); err != nil || len(loc.Pages) > 0 && !loc.Contains(table.Location) || !table.Continues.IsWhole() && table.Continues.Validate() != nil {
		t.Errorf("%v: a table at %v: %v", label(loc), label(table.Location), err)
	}
	taken := make(map[citekit.Cell]bool)
	for _, c := range table.Cells {
		if c.Box != (citekit.Box{}) && (citekit.Location{Modality: citekit.Image, Box: c.Box}).Validate() != nil {
			t.Errorf("%v: cell %v has the box %v", label(loc), c.Cells, c.Box)
		}
		if last := c.Cells.Last; strings.ContainsAny(c.Text, "\t\n") || last.Col > table.Extent.Last.Col || last.Row > table.Extent.Last.Row || c.Cells.First.Col < 1 || c.Cells.First.Row < 1 {
			t.Errorf("%v: cell %v of a table of %v has the text %q", label(loc), c.Cells, table.Extent, c.Text)
			return
		}
		for row := c.Cells.First.Row; row <= c.Cells.Last.Row; row++ {
			for col := c.Cells.First.Col; col <= c.Cells.Last.Col; col++ {
				if at := (citekit.Cell{Col: col, Row: row}); taken[at] {
					t.Errorf("%v: two cells at %v", label(loc), at)
				} else {
					taken[at] = true
				}
			}
		}
	}
}
