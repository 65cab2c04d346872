package verify_test

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/verify"
)

// TestQuoteOfScan looks for quotes where there is no text.
func TestQuoteOfScan(t *testing.T) {
	sharedtest.Tool(t, "tesseract") // which reads the picture
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	written := []pdftest.Row{{X: 72, Y: 100, Size: 11, Text: "The kettle boils water for the tea."}}
	s := newShelf(t, map[string]string{
		"scan.pdf":  string(pdftest.Rows("", nil, nil)),
		"mixed.pdf": string(pdftest.Rows("", written, nil)),
		"photo.png": picture.String(),
		"old.pdf":   string(pdftest.Unnamed("The captains log", 80)),
	})
	for _, test := range []struct {
		quote, address string
		class          verify.Class
		problem        string
	}{
		{"The lighthouse keeper", "doc://scan", verify.Unchecked, "none of its 2 pages has text, as in a scan; look at its picture"},
		{"The lighthouse keeper", "doc://scan#pages=2", verify.Unchecked, "as in a scan"},
		{"The lighthouse keeper", "doc://mixed#pages=2", verify.Unchecked, "it has no text, as in a scan"},
		{"The lighthouse keeper", "doc://mixed#pages=1", verify.NotFound, ""},
		{"The lighthouse keeper", "doc://mixed", verify.NotFound, ""},
		{"The lighthouse keeper", "image://photo", verify.Unchecked, "it has no text"},
		{"The lighthouse keeper", "doc://old", verify.Unchecked, "not all of its text could be searched: page 1: 80 of the"},
		{"The captains log", "doc://old#pages=1", verify.Exact, ""},
		{"The kettle boils water", "doc://scan#pages=1", verify.Elsewhere, ""},
		{"The kettle boils water", "doc://mixed#pages=2", verify.Elsewhere, ""},
	} {
		a, err := citekit.ParseAddress(test.address)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Quote(t.Context(), verify.Request{Quote: test.quote, Address: a})
		if err != nil {
			t.Fatal(err)
		}
		problem := ""
		if got.Problem != nil {
			problem = got.Problem.Error()
		}
		if noted := strings.Contains(strings.Join(got.Notes, ""), "the cited place was not searched: "); noted != (got.Class == verify.Elsewhere) {
			t.Errorf("%q at %s: notes %q", test.quote, test.address, got.Notes)
		}
		if got.Class != test.class || (test.problem == "") != (problem == "") || !strings.Contains(problem, test.problem) {
			t.Errorf("%q at %s: %s, %q", test.quote, test.address, got.Class, problem)
		}
	}
}
