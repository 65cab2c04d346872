package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestScanNamesOCR reads a scan: the note names the flag that reads it, unless that was
// given.
func TestScanNamesOCR(t *testing.T) {
	sharedtest.Tool(t, "tesseract")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "scan.pdf"), pdftest.Rows("", nil, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	ran(t, "ingest", "--dir", dir, ".")
	if out := ran(t, "read", "--dir", dir, "scan"); !strings.Contains(out, "none of its 2 pages has text, as in a scan; --ocr reads it") {
		t.Errorf("got %q", out)
	}
	if out := ran(t, "read", "--dir", dir, "--ocr", "scan"); !strings.Contains(out, "as in a scan") || strings.Contains(out, "--ocr") {
		t.Errorf("with --ocr: %q", out)
	}
}
