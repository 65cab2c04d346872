package e2e

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document"
)

// The validator is a large module. It is imported here, as this package is
// one that no other module imports: "go mod tidy" of theirs does not fetch it.

// validate checks a PDF against the specification with a reader that is not
// ours.
func validate(data []byte) (err error) {
	defer func() {
		if p := recover(); p != nil { // it panics on some real files
			err = citekit.ErrFormat
		}
	}()
	conf := model.NewDefaultConfiguration()
	conf.Offline = true
	return api.Validate(bytes.NewReader(data), conf)
}

// TestExtractsAreValid has pdfcpu validate extracts of files that it finds
// valid themselves.
func TestExtractsAreValid(t *testing.T) {
	api.DisableConfigDir()
	sources := map[string][]byte{
		"manual": pdftest.Manual(30), "connected": pdftest.Connected(), "packed": pdftest.Text(true, "one", "two"), "plain": pdftest.Text(false, "one", "two"),
	}
	corpus, err := filepath.Glob(sharedtest.Corpus(t, "pdf/*.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range corpus {
		if sources[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	r, checked := &document.PDF{}, 0
	for name, data := range sources {
		if validate(data) != nil {
			continue
		}
		extract, err := firstPageOf(t, r, data)
		if err != nil {
			if citekit.CodeOf(err) == message.CodeInternal {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		checked++
		if err := validate(extract); err != nil {
			t.Errorf("%s: pdfcpu finds the extract invalid: %v", name, err)
		}
	}
	if checked < 20 {
		t.Errorf("only %d extracts were checked", checked)
	}
}

func firstPageOf(t *testing.T, r citekit.Resolver, data []byte) ([]byte, error) {
	t.Helper()
	src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "a.pdf", Size: int64(len(data))})
	loc := citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: 1, Last: 1}}}
	x, err := r.Resolve(t.Context(), src, citekit.Request{Location: loc})
	if err != nil {
		return nil, err
	}
	defer x.Body.Close()
	return io.ReadAll(x.Body)
}
