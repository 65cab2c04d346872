package pdf_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/modality/document/internal/pdf"
)

// TestHostileAnswers maps hostile files and extracts their first page. What that
// takes is measured by BenchmarkHostile.
func TestHostileAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("reads hundreds of damaged files")
	}
	r := &pdf.Resolver{CodeCacheDir: codeCache(t)} // with the limits of everybody
	for _, hostile := range hostileFiles() {
		src := hostileSource(hostile)
		x, resolveErr := r.Resolve(t.Context(), src, citekit.Request{Location: pages(1, 1)})
		if resolveErr == nil && x.Size > 20*src.Size()+1<<20 {
			t.Errorf("%s: %d bytes come of %d", hostile.Name, x.Size, src.Size())
		}
		s, mapErr := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
		for _, err := range []error{resolveErr, mapErr} {
			if err != nil {
				checkKnown(t, err)
			}
		}
		if hostile.Name == "dense" && (mapErr != nil || s.Method != "pages" || !strings.Contains(fmt.Sprint(s.Metadata["incomplete"]), "headings")) {
			t.Errorf("%s: %+v, %v", hostile.Name, s, mapErr)
		}
	}
}

// BenchmarkHostile reports what one file takes at most: "most-s" are seconds of
// the clock for its first page and its map.
func BenchmarkHostile(b *testing.B) {
	r := &pdf.Resolver{}
	var most time.Duration
	var name string
	for b.Loop() {
		for _, hostile := range hostileFiles() {
			src := hostileSource(hostile)
			begin := time.Now()
			_, _ = r.Resolve(b.Context(), src, citekit.Request{Location: pages(1, 1)})
			_, _ = r.Map(b.Context(), src, citekit.MapRequest{Modality: citekit.Document})
			if took := time.Since(begin); took > most {
				most, name = took, hostile.Name
			}
		}
	}
	b.Logf("the longest: %s", name)
	b.ReportMetric(most.Seconds(), "most-s")
}

// hostileFiles are a ninth of all, or all of them in a long run.
func hostileFiles() []pdftest.Hostile {
	files := []pdftest.Hostile{{Name: "dense", Data: pdftest.Dense(400, 9000)}}
	files = append(files, pdftest.Wasted()...)
	for i, hostile := range pdftest.HostileFiles(6000) {
		if i%9 == 0 || os.Getenv("CITEKIT_LONG") != "" {
			files = append(files, hostile)
		}
	}
	return files
}

// TestHostileTables reads a million lines and structures of a hundred thousand levels; fewer
// without CITEKIT_LONG. What is found beside them is not a table.
func TestHostileTables(t *testing.T) {
	n := 5_000
	if os.Getenv("CITEKIT_LONG") != "" {
		n = 100_000
	}
	r := &pdf.Resolver{CodeCacheDir: codeCache(t)}
	for _, hostile := range pdftest.HostileTables(n) {
		src := hostileSource(hostile)
		begin := time.Now()
		x, resolveErr := r.Resolve(t.Context(), src, citekit.Request{Location: pages(1, 1)})
		if resolveErr == nil && x.Size > 2*src.Size()+1<<20 {
			t.Errorf("%s: %d bytes come of %d", hostile.Name, x.Size, src.Size())
		}
		_, mapErr := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
		tables, tablesErr := r.Tables(t.Context(), src, pages(1, 1))
		for _, err := range []error{resolveErr, mapErr, tablesErr} {
			if err != nil {
				checkKnown(t, err)
			}
		}
		if len(tables) > 1 {
			t.Errorf("%s: %d tables", hostile.Name, len(tables))
		}
		t.Logf("%s of %d bytes: %v, %v, %v, %d tables, %v", hostile.Name, len(hostile.Data), resolveErr, mapErr, tablesErr, len(tables), time.Since(begin))
	}
}

func hostileSource(hostile pdftest.Hostile) *citekit.Source {
	return citekit.NewSource(bytes.NewReader(hostile.Data), citekit.SourceInfo{Name: "hostile.pdf", Size: int64(len(hostile.Data)), Identity: hostile.Name})
}
