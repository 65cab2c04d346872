package command

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestScanNamesOCR reads a scan: the note names the flag that reads it, unless that was
// given.
func TestScanNamesOCR(t *testing.T) {
	sharedtest.Tool(t, "tesseract")
	f := newFolder(t)
	f.write("scan.pdf", string(pdftest.Rows("", nil, nil)))
	f.ran("ingest", ".")
	if out := f.ran("read", "scan"); !strings.Contains(out, "none of its 2 pages has text, as in a scan; --ocr reads it") {
		t.Errorf("got %q", out)
	}
	if out := f.ran("read", "--ocr", "scan"); !strings.Contains(out, "as in a scan") || strings.Contains(out, "--ocr") {
		t.Errorf("with --ocr: %q", out)
	}
}
