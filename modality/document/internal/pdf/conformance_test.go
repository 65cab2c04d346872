package pdf_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	document "github.com/citekit/citekit/modality/document/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
	"github.com/citekit/citekit/modality/modalitytest"
)

func pages(runs ...int) citekit.Location {
	loc := citekit.Location{Modality: citekit.Document}
	for i := 0; i < len(runs); i += 2 {
		loc.Pages = append(loc.Pages, citekit.Range{First: runs[i], Last: runs[i+1]})
	}
	return loc
}

func boxed(page int, x1, y1, x2, y2 float64) citekit.Location {
	loc := pages(page, page)
	loc.Box = citekit.Box{X1: x1, Y1: y1, X2: x2, Y2: y2}
	return loc
}

// hasPages returns a check of the number of pages.
func hasPages(n int) func(testing.TB, []byte, *citekit.Content) {
	return func(t testing.TB, got []byte, x *citekit.Content) {
		d, err := pdf.Open(pdf.NewFile(t.Context(), bytes.NewReader(got), int64(len(got))))
		if err != nil {
			t.Errorf("the extract does not open: %v", err)
			return
		}
		if len(d.Pages) != n {
			t.Errorf("%d pages, want %d", len(d.Pages), n)
		}
		if x.MediaType != "application/pdf" || x.Ext != ".pdf" {
			t.Errorf("media type %q, ext %q", x.MediaType, x.Ext)
		}
	}
}

func simple(packed bool) []byte { return pdftest.Text(packed, "one", "two", "three", "four") }

func TestConformance(t *testing.T) {
	for _, packed := range []bool{false, true} {
		if testing.Short() && !packed {
			continue // takes seconds
		}
		name := "table"
		if packed {
			name = "object streams"
		}
		t.Run(name, func(t *testing.T) {
			r := &document.Resolver{CodeCacheDir: codeCache(t)}
			document.AllowOneJob(r)
			modalitytest.Test(t, r, modalitytest.Fixture{
				Name:   "simple.pdf",
				Source: simple(packed),
				Good: []modalitytest.Case{
					{Name: "middle", Location: pages(2, 3), WantText: "This is page twoThis is page three", Check: hasPages(2)},
					{Name: "apart", Location: pages(1, 1, 4, 4), WantText: "This is page oneThis is page four", Check: hasPages(2)},
					{Name: "region", Location: boxed(3, 0, 0, 1, 0.5), WantText: "This is page three", Check: hasPages(1)},
					{Name: "empty region", Location: boxed(3, 0, 0.5, 1, 1), Check: hasPages(1)},
				},
				OutOfRange: []citekit.Location{pages(5, 5), pages(1, 5), pages(2, 2, 2000000000, 2000000000)},
				Foreign:    citekit.Location{Modality: citekit.Audio, Time: citekit.Span{End: 1}},
				Extent:     citekit.Extent{Modality: citekit.Document, Pages: 4, MediaType: "application/pdf"},
			})
		})
	}
}

// TestConformanceOCR has pages without text, which a program reads that answers
// at once: a job waits for the program, and the program for its picture.
func TestConformanceOCR(t *testing.T) {
	sharedtest.NotShort(t)
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	program := filepath.Join(t.TempDir(), "tesseract")
	answer := `1\t1\t0\t0\t0\t0\t0\t0\t100\t100\t-1\t\n2\t1\t1\t0\t0\t0\t10\t10\t50\t20\t-1\t\n3\t1\t1\t1\t0\t0\t10\t10\t50\t20\t-1\t\n4\t1\t1\t1\t1\t0\t10\t10\t50\t20\t-1\t\n5\t1\t1\t1\t1\t1\t10\t10\t50\t20\t95\tLighthouse\n`
	if err := os.WriteFile(program, []byte("#!/bin/sh\ncat >/dev/null\nprintf '"+answer+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := &document.Resolver{CodeCacheDir: codeCache(t), OCR: true, Tesseract: program}
	document.AllowOneJob(r)
	modalitytest.Test(t, r, modalitytest.Fixture{
		Name:       "scan.pdf",
		Source:     bytes.ReplaceAll(simple(false), []byte("Tj"), []byte("  ")),
		Good:       []modalitytest.Case{{Name: "middle", Location: pages(2, 3), WantText: "LighthouseLighthouse", Check: hasPages(2)}},
		OutOfRange: []citekit.Location{pages(5, 5)},
		Extent:     citekit.Extent{Modality: citekit.Document, Pages: 4, MediaType: "application/pdf"},
		Slow:       true,
	})
}

const (
	revenue = "Table 1: Revenue by quarter\nItem|Q1|Q2|Q3\nRevenue|4,100|4,350|4,512\nCosts|3,900|3,950|4,001\n"
	staff   = "Table 2: Staff\nSite|Count\nNorth|12\nSouth|31\n"
)

// inTable returns the location of the first table of a page, or of cells of it.
func inTable(page int, cells string) citekit.Location {
	loc := pages(page, page)
	loc.Table = "1"
	if cells != "" {
		_ = loc.Cells.UnmarshalText([]byte(cells))
	}
	return loc
}

func TestConformanceCells(t *testing.T) {
	r := &document.Resolver{CodeCacheDir: codeCache(t)}
	document.AllowOneJob(r)
	second := inTable(1, "A1")
	second.Table = "2"
	modalitytest.Test(t, r, modalitytest.Fixture{
		Name:   "tables.pdf",
		Source: pdftest.Ruled(revenue, staff),
		Good: []modalitytest.Case{
			{Name: "table", Location: inTable(2, ""), WantText: "Site\tCount\nNorth\t12\nSouth\t31\n", Check: hasPages(1)},
			{Name: "cells", Location: inTable(1, "B2:D3"), WantText: "4,100\t4,350\t4,512\n3,900\t3,950\t4,001\n", Check: hasPages(1)},
			{Name: "cell", Location: inTable(1, "D2"), WantText: "4,512\n", Check: hasPages(1)},
		},
		OutOfRange: []citekit.Location{second, inTable(1, "E1"), inTable(1, "A4"), inTable(3, "")},
		Extent:     citekit.Extent{Modality: citekit.Document, Pages: 2, MediaType: "application/pdf"},
		Slow:       true,
	})
}

// TestCells has what is known of a table: where its cells are, and what errors say.
func TestCells(t *testing.T) {
	r := &document.Resolver{CodeCacheDir: codeCache(t)}
	src := doctest.Source("tables.pdf", pdftest.Ruled(revenue, staff))
	tables, err := r.Tables(t.Context(), src, pages(1, 2))
	if err != nil || len(tables) != 2 || tables[1].Location.String() != "pages=2&table=1" || tables[0].Extent.String() != "A1:D3" || tables[0].Evidence == "" || tables[0].Confidence <= 0 {
		t.Fatalf("%+v, %v", tables, err)
	}
	if got, want := tables[0].CSV(), "Item,Q1,Q2,Q3\r\nRevenue,\"4,100\",\"4,350\",\"4,512\"\r\nCosts,\"3,900\",\"3,950\",\"4,001\"\r\n"; got != want {
		t.Errorf("%q", got)
	}
	boxes, err := r.Boxes(t.Context(), src, inTable(1, "A2:D2"), len("Revenue\t4,1"), len("Revenue\t4,100\t"))
	if err != nil || len(boxes) != 1 || boxes[0].X1 < .2 || boxes[0].X2 > .5 || boxes[0].Y1 < .2 || boxes[0].Y2 > .32 {
		t.Errorf("boxes %v, %v", boxes, err)
	}
	out, err := r.Resolve(t.Context(), src, citekit.Request{Location: inTable(1, "D2")})
	if err != nil || out.Actual == nil || out.Actual.Box.IsZero() || out.Actual.Table != "" {
		t.Errorf("the region: %+v, %v", out, err)
	}
	for cells, want := range map[string]string{"E1": "cells run A1:D3", "A4:B9": "cells run A1:D3"} {
		if _, err := r.Tables(t.Context(), src, inTable(1, cells)); !errors.Is(err, citekit.ErrRange) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", cells, err)
		}
	}
	d, err := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatal(err)
	}
	var nodes []string
	for _, n := range d.Nodes {
		for _, n := range n.Children {
			nodes = append(nodes, n.Type+" "+n.Title+" ("+n.Summary+") "+n.Location.String())
		}
	}
	if want := []string{"table Table 1: Revenue by quarter (Item | Q1 | Q2 | Q3) pages=1&table=1", "table Table 2: Staff (Site | Count) pages=2&table=1"}; !slices.Equal(nodes, want) {
		t.Errorf("%q", nodes)
	}
}
