//go:build unix

package pdf_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/pdftest"
	"github.com/citekit/citekit/modality/document/pdf"
)

// processorTime returns what this process has taken.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// TestHostileTime maps hostile files, and extracts their first page.
func TestHostileTime(t *testing.T) {
	files := []pdftest.Hostile{{Name: "dense", Data: pdftest.Dense(400, 9000)}}
	files = append(files, pdftest.Wasted()...)
	for i, hostile := range pdftest.HostileFiles(6000) {
		if i%9 == 0 || os.Getenv("CITEKIT_LONG") != "" {
			files = append(files, hostile)
		}
	}
	most := 8 * time.Second
	if raced {
		most *= 8
	}
	r := &pdf.Resolver{CodeCacheDir: codeCache(t)} // with the limits of everybody
	mapOf(t, r, pdftest.Text(false, "one"))        // PDFium is started
	for _, hostile := range files {
		src := citekit.NewSource(bytes.NewReader(hostile.Data), citekit.SourceInfo{Name: "hostile.pdf", Size: int64(len(hostile.Data)), Identity: hostile.Name})
		begin := processorTime(t)
		x, resolveErr := r.Resolve(t.Context(), src, citekit.Request{Location: pages(1, 1)})
		if resolveErr == nil && x.Size > 20*src.Size()+1<<20 {
			t.Errorf("%s: %d bytes come of %d", hostile.Name, x.Size, src.Size())
		}
		s, mapErr := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
		if took := processorTime(t) - begin; took > most {
			t.Errorf("%s: %v of processor time", hostile.Name, took)
		} else if took > time.Second {
			t.Logf("%s: %v of processor time", hostile.Name, took)
		}
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
