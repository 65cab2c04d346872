// Package oracle compares package sheet with excelize, in a module of its own
// so that nobody who imports citekit needs that library.
package oracle

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/sheet"
)

// TestWorkbooks compares the workbooks in the folder that CITEKIT_WORKBOOKS
// names, and one that excelize makes.
func TestWorkbooks(t *testing.T) {
	t.Run("made here", func(t *testing.T) { compare(t, made(t)) })
	files, err := filepath.Glob(filepath.Join(os.Getenv("CITEKIT_WORKBOOKS"), "*.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, data)
			n := 0
			for d := range differences(t, data, &n) {
				if familyOf(d) == nil {
					t.Errorf("%s of %s shows %.60q, and in excelize %.60q", d.code, d.raw, d.ours, d.theirs)
				}
			}
		})
	}
}

func made(t *testing.T) []byte {
	f := excelize.NewFile()
	for cell, value := range map[string]any{"A1": "text", "B1": 1.5, "C1": true, "A2": "ümlaut & <more>", "B2": -1e30, "D9": "far", "C3": 12345678901} {
		if err := f.SetCellValue("Sheet1", cell, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.SetCellFormula("Sheet1", "B3", "B1*2"); err != nil {
		t.Fatal(err)
	}
	return pack(t, f)
}

func pack(t *testing.T, f *excelize.File) []byte {
	var data bytes.Buffer
	if err := f.Write(&data); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// compare holds the values of the evidence of each sheet, and of the upper left
// quarter of its cells, to those of the source, as excelize reads both.
func compare(t *testing.T, data []byte) {
	source, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		t.Skipf("excelize: %v", err)
	}
	defer source.Close()
	r := new(sheet.Resolver)
	src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "a.xlsx", Size: int64(len(data))})
	draft, err := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range draft.Nodes {
		want := values(t, source, n.Location.Sheet)
		compareCut(t, r, src, n.Location, want)
		compareText(t, r, src, n.Location, want)
		for _, child := range n.Children {
			compareCut(t, r, src, child.Location, want)
		}
	}
}

type cells map[citekit.Cell]string

func values(t *testing.T, f *excelize.File, name string) cells {
	rows, err := f.GetRows(name, excelize.Options{RawCellValue: true})
	if err != nil {
		return nil // a sheet of charts
	}
	found := make(cells)
	for i, row := range rows {
		for k, value := range row {
			if value != "" {
				found[citekit.Cell{Col: int32(k + 1), Row: int32(i + 1)}] = value
			}
		}
	}
	return found
}

func compareCut(t *testing.T, r *sheet.Resolver, src *citekit.Source, loc citekit.Location, want cells) {
	t.Helper()
	out, err := r.Resolve(t.Context(), src, citekit.Request{Location: loc})
	if err != nil {
		t.Errorf("%s %v: %v", loc.Sheet, loc.Cells, err)
		return
	}
	data, err := io.ReadAll(out.Body)
	if err != nil {
		t.Fatal(err)
	}
	cut, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		t.Errorf("%s %v: the evidence does not open: %v", loc.Sheet, loc.Cells, err)
		return
	}
	defer cut.Close()
	got := values(t, cut, loc.Sheet)
	for cell, value := range want {
		if loc.Cells.Has(cell) && got[cell] != value {
			t.Errorf("%s %v: %v is %.60q, want %.60q", loc.Sheet, loc.Cells, cell, got[cell], value)
		}
	}
	for cell := range got {
		if !loc.Cells.Has(cell) || want[cell] == "" {
			t.Errorf("%s %v: %v travels along", loc.Sheet, loc.Cells, cell)
		}
	}
}

// compareText looks for what shows where excelize reads nothing.
func compareText(t *testing.T, r *sheet.Resolver, src *citekit.Source, loc citekit.Location, want cells) {
	t.Helper()
	shown := make(cells)
	for run, err := range r.ReadText(t.Context(), src, loc) {
		if err != nil {
			t.Errorf("%s: %v", loc.Sheet, err)
			return
		}
		at := run.Location.Cells.First
		for i, text := range strings.Split(strings.TrimSuffix(run.Text, "\n"), "\t") {
			shown[citekit.Cell{Col: at.Col + int32(i), Row: at.Row}] = text
		}
	}
	for cell, text := range shown {
		if text != "" && want[cell] == "" {
			t.Errorf("%s %v shows %.60q, and excelize reads nothing", loc.Sheet, cell, text)
		}
	}
}
