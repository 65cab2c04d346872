package pdf_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf"
)

// scan returns a PDF of one page that is a picture of text, as a scanner
// makes it.
func scan(t *testing.T) []byte {
	t.Helper()
	convert := sharedtest.Convert(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "text.pdf")
	if err := os.WriteFile(path, pdftest.Text(false, "seventeen"), 0o600); err != nil {
		t.Fatal(err)
	}
	picture := filepath.Join(dir, "page")
	if out, err := exec.Command(sharedtest.Tool(t, "pdftoppm"), "-r", "200", "-gray", "-singlefile", path, picture).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	pixels, err := exec.Command(convert, picture+".pgm", "-depth", "8", "gray:-").Output()
	if err != nil {
		t.Fatal(err)
	}
	f := &pdftest.File{}
	root, tree := f.Reserve(), f.Reserve()
	size, err := exec.Command(convert, picture+".pgm", "-format", "/Width %w /Height %h", "info:").Output()
	if err != nil {
		t.Fatal(err)
	}
	image := f.Deflate("/Type /XObject /Subtype /Image /ColorSpace /DeviceGray /BitsPerComponent 8 "+string(size), pixels)
	content := f.Stream("", []byte("300 0 0 200 0 0 cm /I Do"))
	page := f.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 300 200] /Contents %d 0 R /Resources << /XObject << /I %d 0 R >> >> >>", tree, content, image)
	f.Set(tree, "<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", page)
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R >>", tree)
	f.Root(root)
	return f.Bytes()
}

func readText(t *testing.T, r *pdf.Resolver, data []byte, loc citekit.Location) (string, error) {
	t.Helper()
	var b strings.Builder
	for run, err := range r.ReadText(t.Context(), source(data), loc) {
		if err != nil {
			return "", err
		}
		b.WriteString(run.Text)
	}
	return b.String(), nil
}

func TestOCR(t *testing.T) {
	sharedtest.Tool(t, "tesseract")
	data := scan(t)
	with := newResolver(t)
	with.OCR = true
	if got, err := readText(t, sharedResolver(), data, pages(1, 1)); got != "" || err != nil {
		t.Errorf("without OCR: %q, %v", got, err)
	}
	if got, err := readText(t, with, data, pages(1, 1)); strings.TrimSpace(got) != "This is page seventeen" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := readText(t, with, data, boxed(1, 0, 0, 1, 0.5)); strings.TrimSpace(got) != "This is page seventeen" {
		t.Errorf("upper half: got %q, %v", got, err)
	}
	if got, err := readText(t, with, data, boxed(1, 0, 0.5, 1, 1)); got != "" || err != nil {
		t.Errorf("lower half: got %q, %v", got, err)
	}
	if got, err := readText(t, with, simple(false), boxed(1, 0, 0.5, 1, 1)); got != "" || err != nil {
		t.Errorf("an empty region of a page with text: %q, %v", got, err)
	}
	if s := mapOf(t, with, data); s.Metadata["text_layer"] != false || s.Method != "pages" {
		t.Errorf("the map of a scan: %s, %v", s.Method, s.Metadata)
	}
	if with.Version() == sharedResolver().Version() {
		t.Error("OCR does not change the version")
	}
}

func TestOCRWithoutTesseract(t *testing.T) {
	sharedtest.Once(t)
	r := newResolver(t)
	r.OCR, r.Tesseract = true, filepath.Join(t.TempDir(), "none")
	if got, err := readText(t, r, simple(false), pages(2, 2)); got != "This is page two" || err != nil {
		t.Errorf("a page with text: %q, %v", got, err)
	}
	blank := bytes.ReplaceAll(simple(false), []byte("Tj"), []byte("  "))
	if _, err := readText(t, r, blank, pages(2, 2)); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "tesseract") {
		t.Errorf("a page without: %v", err)
	}
}

// TestRealScan maps and reads a scan.
func TestRealScan(t *testing.T) {
	data, err := os.ReadFile(sharedtest.Corpus(t, "pdf/scanned-2p-no-text.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	s := mapOf(t, sharedResolver(), data)
	if s.Metadata["text_layer"] != false || s.Metadata["pages"] != 2 || len(s.Nodes) != 2 || s.Method != "pages" {
		t.Errorf("%s, %v\n%s", s.Method, s.Metadata, told(s.Nodes))
	}
	checkStructure(t, s)
}
