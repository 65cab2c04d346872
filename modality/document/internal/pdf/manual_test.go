package pdf_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// manual returns the path of a real manual of thousands of pages: the one
// that CITEKIT_MANUAL names, else the reference manual of R, which Debian has
// in the package r-doc-pdf.
func manual(t testing.TB) string {
	t.Helper()
	path := os.Getenv("CITEKIT_MANUAL")
	if path == "" {
		path = "/usr/share/R/doc/manual/fullrefman.pdf"
	}
	if _, err := os.Stat(path); err != nil {
		t.Skip("no manual of thousands of pages: set CITEKIT_MANUAL to a PDF file, or install r-doc-pdf")
	}
	return path
}

func TestRealManual(t *testing.T) {
	sharedtest.Once(t)
	path := manual(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := sharedResolver()
	extent, err := r.Measure(t.Context(), source(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range []int{1, extent.Pages / 3, extent.Pages / 2, extent.Pages - 2} {
		got, err := resolve(t, r, data, pages(first, first+2))
		if err != nil {
			t.Fatal(err)
		}
		a, b := strconv.Itoa(first), strconv.Itoa(first+2)
		extract := file(t, got)
		qpdfCheck(t, extract)
		if want, text := pdftotext(t, path, "-f", a, "-l", b), pdftotext(t, extract); text != want {
			t.Errorf("pages %s-%s read %q, want %q", a, b, words(text), words(want))
		}
		compareSize(t, path, got, a+"-"+b)
	}
}
