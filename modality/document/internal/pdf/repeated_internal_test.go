package pdf

import (
	"bytes"
	"errors"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
)

// TestTextLimit ends the text of a source whose pages take too much work in all, with
// the pages before.
func TestTextLimit(t *testing.T) {
	sharedtest.Once(t)
	data := pdftest.Dense(3*textPages, 5)
	read := func() (pages int, err error) {
		src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "a.pdf", Size: int64(len(data))})
		for run, err := range new(Resolver).ReadText(t.Context(), src, citekit.Location{Modality: citekit.Document}) {
			if err != nil {
				return pages, err
			}
			if run.Text != "" {
				pages++
			}
		}
		return pages, nil
	}
	if n, err := read(); n != 3*textPages || err != nil {
		t.Errorf("%d pages, %v", n, err)
	}
	usual := textLimit
	defer func() { textLimit = usual }()
	textLimit = func(int64) pdfium.Work { return callWork + 1 }
	if n, err := read(); n < textPages || n >= 3*textPages || !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("with a lower limit: %d pages, %v", n, err)
	}
}
