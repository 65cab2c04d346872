package pdf_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/citekit/citekit"
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
