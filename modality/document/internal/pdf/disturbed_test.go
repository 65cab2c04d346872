package pdf_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf"
)

// TestDisturbed maps files, one of which reaches the limit of work, and again while
// other work takes most of the processors: the maps and errors are the same.
func TestDisturbed(t *testing.T) {
	if !sharedtest.Long() {
		t.Skip("maps each file twice, once very slowly")
	}
	files := map[string][]byte{"dense": pdftest.Dense(400, 9000), "manual": pdftest.Manual(60)}
	paths, _ := filepath.Glob(filepath.Join(filepath.Dir(sharedtest.Corpus(t, "pdf/linearized-3p.pdf")), "*.pdf"))
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = data
	}
	want := mapsOf(t, files)
	var done atomic.Bool
	defer done.Store(true)
	for range 9 * runtime.GOMAXPROCS(0) {
		go func() {
			for !done.Load() {
			}
		}()
	}
	for name, got := range mapsOf(t, files) {
		if got != want[name] {
			t.Errorf("%s: disturbed %s\nundisturbed %s", name, got, want[name])
		}
	}
}

// mapsOf returns the map of each file, or its error.
func mapsOf(t *testing.T, files map[string][]byte) map[string]string {
	r := &pdf.Resolver{CodeCacheDir: codeCache(t)} // with the limits of everybody
	maps := map[string]string{}
	for name, data := range files {
		m, err := r.Map(t.Context(), source(data), citekit.MapRequest{Modality: citekit.Document})
		text, failed := json.Marshal(m)
		if failed != nil {
			t.Fatal(failed)
		}
		maps[name] = fmt.Sprintf("%s %v", text, err)
	}
	return maps
}
