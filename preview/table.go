package preview

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/strictjson"
)

// A Tabler is a [citekit.Resolver] that knows the cells of tables.
type Tabler interface {
	// Tables returns the tables on the pages or in the blocks that loc selects, in their
	// order; or the one table that loc selects, with only the cells that it selects.
	//
	// Errors are as for Resolve. Where loc selects a table that is not there, the error
	// matches [citekit.ErrRange]. If there may be tables that are not known, it matches
	// [errors.ErrUnsupported].
	Tables(ctx context.Context, src *citekit.Source, loc citekit.Location) ([]Table, error)
}

// A Table is a table of a source, or some cells of one.
type Table struct {
	// Location is that of the table, or of the cells that were asked for.
	Location citekit.Location

	// Extent is that of the whole table, or of the part of it on this page: rows count on
	// from the page before in a table that continues.
	Extent citekit.Cells

	Headers   int              // rows at the top that are headers
	Caption   string           // or ""
	Continues citekit.Location // the table on the page before that this one continues; or zero

	// Evidence says what proves that this is a table with these cells: "tagged" in the
	// source, by "ruled" lines, or "aligned" columns and rows. It is "" where the format
	// has tables.
	Evidence   string
	Confidence float64 // in the evidence, 0 to 1, set by hand for each; 0 where the format has tables

	Box   citekit.Box // on its page, of the cells that were asked for; zero if it is unknown
	Cells []TableCell // by rows
}

// A TableCell is a cell of a table, or several that are merged.
type TableCell struct {
	Cells  citekit.Cells // the places that it takes
	Text   string        // on one line
	Notes  []string      // marks of footnotes, such as "a"
	Header bool
	Box    citekit.Box // on its page; zero if it is unknown
}

// Tables returns the tables on the pages or in the blocks at an address, or the cells of
// the table there. Errors are as for [Maker.Boxes] and [Tabler].
func (m *Maker) Tables(ctx context.Context, a citekit.Address) (tables []Table, err error) {
	err = m.read(ctx, a, func(ctx context.Context, r citekit.Resolver, opened *citekit.Opened) error {
		tabler, ok := r.(Tabler)
		if !ok {
			return fmt.Errorf("the tables of %s source: %w", message.Article(opened.Location.Modality), errors.ErrUnsupported)
		}
		tables, err = m.tables.Get(ctx, m.placeKey(opened, "tables"), func(ctx context.Context) ([]Table, int64, error) {
			found, err := m.keptTables(ctx, opened, tabler)
			cost := int64(200)
			for i := range found {
				found[i].Location = opened.Located(found[i].Location)
				if !found[i].Continues.IsWhole() {
					found[i].Continues = opened.Located(found[i].Continues)
				}
				for _, c := range found[i].Cells {
					cost += int64(len(c.Text)) + 120
				}
			}
			return found, cost, err
		})
		tables = slices.Clone(tables)
		return err
	})
	var failed *citekit.ResolveError
	if errors.As(err, &failed) {
		err = failed.Err
	}
	if err != nil {
		return nil, &citekit.ResolveError{Op: "find the tables", Address: a, Err: localfile.WithoutPath(err)}
	}
	return tables, nil
}

// tablesFormat is part of every key of tables.
const tablesFormat = "tables/1"

// keptTables returns the tables of a place. Those of pages are kept with the evidence,
// because it takes long to find them.
func (m *Maker) keptTables(ctx context.Context, o *citekit.Opened, by Tabler) ([]Table, error) {
	ws := m.lib.Workspace()
	opener, ok := ws.(citekit.EvidenceOpener)
	version := m.placeKey(o, tablesFormat)
	if !ok || version == "" || o.Location.PageCount() != 1 || o.Location.Table != "" {
		return by.Tables(ctx, o.Source, o.Location)
	}
	key := ctxio.HashParts(tablesFormat, version, o.Address.Resource)
	if content, _, err := opener.OpenEvidence(ctx, key); err == nil {
		data, err := io.ReadAll(io.LimitReader(content, maxBytes))
		content.Close()
		var tables []Table
		if err == nil && json.Unmarshal(data, &tables) == nil {
			return tables, nil
		}
	}
	tables, err := by.Tables(ctx, o.Source, o.Location)
	if err != nil {
		return nil, err
	}
	data, err := encode(tables)
	if err != nil || len(data) > maxBytes {
		return tables, err
	}
	_, err = ws.StoreEvidence(ctx, key, citekit.EvidenceMeta{
		Name: plain.EvidenceName(o.Address.Resource, "tables_"+o.Address.Fragment(), key, ".json"), Size: int64(len(data)),
		Resource: o.Address.Resource, MediaType: "application/json", SourceHash: o.SourceHash(),
	}, bytes.NewReader(data))
	return tables, err
}

func encode(tables []Table) ([]byte, error) {
	all := make([]*Table, len(tables))
	for i := range tables {
		all[i] = &tables[i]
	}
	return json.Marshal(all)
}

// Rows returns the rows of the cells, each with the texts of its columns: the text of
// merged cells is at their first place. The numbers are those of the rows in the source.
func (t *Table) Rows() (rows [][]string, numbers []int) {
	cells := t.shown()
	at := make(map[int]int) // by number
	for _, c := range t.Cells {
		n := int(max(c.Cells.First.Row, cells.First.Row))
		for ; n <= int(min(c.Cells.Last.Row, cells.Last.Row)); n++ {
			if _, ok := at[n]; !ok {
				at[n] = 0
				numbers = append(numbers, n)
			}
		}
	}
	slices.Sort(numbers)
	width := int(cells.Last.Col-cells.First.Col) + 1
	for i, n := range numbers {
		at[n] = i
		rows = append(rows, make([]string, width))
	}
	for _, c := range t.Cells {
		if cells.Has(c.Cells.First) {
			rows[at[int(c.Cells.First.Row)]][c.Cells.First.Col-cells.First.Col] = c.Text
		}
	}
	return rows, numbers
}

// Header returns the caption and the header rows, each on a line, with tabs between columns;
// the first row if none is known as a header. A part that continues another has those that it
// repeats.
func (t *Table) Header() string {
	lines := []string{t.Caption}
	top := t.Within(citekit.Cells{First: citekit.Cell{Col: 1, Row: 1}, Last: citekit.Cell{Col: t.Extent.Last.Col, Row: int32(max(t.Headers, 1))}})
	for run := range top.Runs() {
		lines = append(lines, strings.TrimSuffix(run.Text, "\n"))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// Within returns the table with only the cells that are in a rectangle, even if only in
// part, and with the box around them.
func (t *Table) Within(cells citekit.Cells) Table {
	made := *t
	made.Location.Cells, made.Cells, made.Box = cells, nil, citekit.Box{}
	for _, c := range t.Cells {
		if first, last := c.Cells.First, c.Cells.Last; first.Col <= cells.Last.Col && first.Row <= cells.Last.Row && last.Col >= cells.First.Col && last.Row >= cells.First.Row {
			made.Cells = append(made.Cells, c)
			made.Box = around(made.Box, c.Box)
		}
	}
	return made
}

func around(a, b citekit.Box) citekit.Box {
	switch {
	case a.IsZero():
		return b
	case b.IsZero():
		return a
	}
	return citekit.Box{X1: min(a.X1, b.X1), Y1: min(a.Y1, b.Y1), X2: max(a.X2, b.X2), Y2: max(a.Y2, b.Y2)}
}

// Runs yields the text of the table as a [citekit.TextReader] does: a run for each row, with
// a tab between the columns.
func (t *Table) Runs() iter.Seq[citekit.TextRun] {
	return func(yield func(citekit.TextRun) bool) {
		rows, numbers := t.Rows()
		cells := t.shown()
		for i, row := range rows {
			run := citekit.TextRun{Text: strings.Join(row, "\t") + "\n", Location: t.Location}
			cells.First.Row, cells.Last.Row = int32(numbers[i]), int32(numbers[i])
			if run.Location.Cells = cells; !yield(run) {
				return
			}
		}
	}
}

// BoxesOf returns the boxes of the cells that a part of the text of [Table.Runs] is in, the
// bytes [start, end) of all runs.
func (t *Table) BoxesOf(start, end int) (boxes []citekit.Box) {
	boxed := make(map[citekit.Cell]citekit.Box)
	for _, c := range t.Cells {
		if !c.Box.IsZero() {
			boxed[c.Cells.First] = c.Box
		}
	}
	at := 0
	for run := range t.Runs() {
		cell := run.Location.Cells.First
		for text := range strings.SplitSeq(strings.TrimSuffix(run.Text, "\n"), "\t") {
			if b, ok := boxed[cell]; ok && at < end && at+len(text) > start {
				boxes = append(boxes, b)
			}
			at += len(text) + 1
			cell.Col++
		}
	}
	return boxes
}

// FirstRows returns the first ten rows of the cells of the table.
func (t *Table) FirstRows() citekit.Cells {
	c := t.shown()
	c.Last.Row = min(c.Last.Row, c.First.Row+9)
	return c
}

// shown returns the cells that the table has of its extent.
func (t *Table) shown() citekit.Cells {
	if t.Location.Cells.IsZero() {
		return t.Extent
	}
	return t.Location.Cells
}

// CSV returns the cells as comma-separated values (RFC 4180), as they are printed: a text
// that a spreadsheet program would take for a formula is not changed.
func (t *Table) CSV() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	rows, _ := t.Rows()
	for _, row := range rows {
		_ = w.Write(row) // a Builder does not fail
	}
	w.Flush()
	return b.String()
}

// MarshalJSON returns an object with "at" (the selectors of the table or the cells), "extent"
// (in A1 notation), "cells" (objects with "at", "text", and, if there are any, "notes",
// "header" and "bbox"), and, if they are known, "headers", "caption", "continues",
// "evidence", "confidence" and "bbox".
func (t *Table) MarshalJSON() ([]byte, error) {
	w := new(strictjson.Writer)
	w.Open()
	w.Text("at", t.Location.String())
	w.Text("extent", t.Extent.String())
	if t.Headers > 0 {
		w.Value("headers", t.Headers)
	}
	w.Optional("caption", t.Caption)
	if !t.Continues.IsWhole() {
		w.Text("continues", t.Continues.String())
	}
	w.Optional("evidence", t.Evidence)
	if t.Confidence > 0 {
		w.Value("confidence", t.Confidence)
	}
	writeBox(w, t.Box)
	w.Key("cells")
	w.WriteByte('[')
	for i, c := range t.Cells {
		if i > 0 {
			w.WriteByte(',')
		}
		c.write(w)
	}
	w.WriteByte(']')
	w.Close()
	return w.Bytes(), w.Err
}

func (c *TableCell) write(w *strictjson.Writer) {
	w.Open()
	w.Text("at", c.Cells.String())
	w.Text("text", c.Text)
	if len(c.Notes) > 0 {
		w.Value("notes", c.Notes)
	}
	w.Flag("header", c.Header)
	writeBox(w, c.Box)
	w.Close()
}

// UnmarshalJSON reads what [Table.MarshalJSON] writes.
func (t *Table) UnmarshalJSON(data []byte) error {
	var in struct {
		At, Extent, Caption, Continues, Evidence string
		Headers                                  int
		Confidence                               float64
		BBox                                     [4]float64
		Cells                                    []struct {
			At, Text string
			Notes    []string
			Header   bool
			BBox     [4]float64
		}
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	made := Table{Headers: in.Headers, Caption: in.Caption, Evidence: in.Evidence, Confidence: in.Confidence, Box: boxOf(in.BBox)}
	var err error
	if made.Location, _, err = citekit.ParseFragment(in.At); err != nil {
		return err
	}
	if made.Continues, _, err = citekit.ParseFragment(in.Continues); err != nil {
		return err
	}
	if err := made.Extent.UnmarshalText([]byte(in.Extent)); err != nil {
		return err
	}
	for _, c := range in.Cells {
		cell := TableCell{Text: c.Text, Notes: c.Notes, Header: c.Header, Box: boxOf(c.BBox)}
		if err := cell.Cells.UnmarshalText([]byte(c.At)); err != nil {
			return err
		}
		made.Cells = append(made.Cells, cell)
	}
	*t = made
	return nil
}

func boxOf(b [4]float64) citekit.Box { return citekit.Box{X1: b[0], Y1: b[1], X2: b[2], Y2: b[3]} }

func writeBox(w *strictjson.Writer, b citekit.Box) {
	if !b.IsZero() {
		w.Value("bbox", [4]float64{b.X1, b.Y1, b.X2, b.Y2})
	}
}
