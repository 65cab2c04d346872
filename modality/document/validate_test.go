package document_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/pdftest"
	"github.com/citekit/citekit/internal/sharedtest"
)

// validate checks a PDF against the specification with a reader that is not
// ours.
func validate(data []byte) error {
	conf := model.NewDefaultConfiguration()
	conf.Offline = true
	return api.Validate(bytes.NewReader(data), conf)
}

// TestExtractsAreValid has pdfcpu validate extracts of files that it finds
// valid themselves.
func TestExtractsAreValid(t *testing.T) {
	api.DisableConfigDir()
	sources := map[string][]byte{
		"manual": pdftest.Manual(30), "connected": connected(), "packed": simple(true), "plain": simple(false),
	}
	corpus, err := filepath.Glob(filepath.Join(sharedtest.Dir(t), "corpus", "pdf", "*.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range corpus {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sources[filepath.Base(path)] = data
	}
	r, checked := newResolver(t), 0
	for name, data := range sources {
		if safely(func() error { return validate(data) }) != nil {
			continue
		}
		extract, err := resolve(t, r, data, pages(1, 1))
		if err != nil {
			if citekit.CodeOf(err) == citekit.CodeInternal {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		checked++
		if err := safely(func() error { return validate(extract) }); err != nil {
			t.Errorf("%s: pdfcpu finds the extract invalid: %v", name, err)
		}
	}
	if checked < 20 {
		t.Errorf("only %d extracts were checked", checked)
	}
}

// safely turns a panic into an error: pdfcpu panics on one real file.
func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = citekit.ErrFormat
		}
	}()
	return f()
}
