package pdf_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	document "github.com/citekit/citekit/modality/document/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
)

// codeCache returns a directory that the tests of all runs share, so that
// PDFium starts quickly. It is not below the directory of temporary files,
// which the conformance suite watches.
func codeCache(t testing.TB) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir()
	}
	return filepath.Join(dir, "citekit", "pdfium")
}

// newResolver returns a Resolver that takes its time, as the race detector does:
// what is found is tested, not what it costs.
func newResolver(t testing.TB) *document.Resolver {
	return &document.Resolver{CodeCacheDir: codeCache(t)}
}

// sharedResolver returns one Resolver like that of newResolver for all tests that
// do not change it, as starting PDFium for each takes seconds in all.
var sharedResolver = sync.OnceValue(func() *document.Resolver {
	return &document.Resolver{CodeCacheDir: pdfium.DefaultCacheDir()}
})

func source(data []byte) *citekit.Source {
	sum := sha256.Sum256(data)
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{
		Name: "source.pdf", Size: int64(len(data)), Hash: hex.EncodeToString(sum[:]),
	})
}

func resolve(t testing.TB, r *document.Resolver, data []byte, loc citekit.Location) ([]byte, error) {
	t.Helper()
	x, err := r.Resolve(t.Context(), source(data), citekit.Request{Location: loc})
	if err != nil {
		return nil, err
	}
	defer x.Body.Close()
	got, err := io.ReadAll(x.Body)
	if int64(len(got)) != x.Size {
		t.Errorf("%d bytes, but Size is %d", len(got), x.Size)
	}
	return got, err
}

func mustResolve(t testing.TB, data []byte, loc citekit.Location) []byte {
	t.Helper()
	got, err := resolve(t, sharedResolver(), data, loc)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// An extract is evidence opened for inspection.
type extract struct {
	t testing.TB
	*pdf.Document
	f *pdf.File
}

func read(t testing.TB, data []byte) extract {
	t.Helper()
	f := pdf.NewFile(t.Context(), bytes.NewReader(data), int64(len(data)))
	d, err := pdf.Open(f)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return extract{t, d, f}
}

func (r extract) page(i int) pdf.Dict {
	r.t.Helper()
	page, err := r.PageDict(r.f, i)
	if err != nil {
		r.t.Fatal(err)
	}
	return page
}

func (r extract) dict(o pdf.Object) pdf.Dict {
	r.t.Helper()
	dict, err := r.Dict(r.f, o)
	if err != nil {
		r.t.Fatal(err)
	}
	return dict
}

func (r extract) array(o pdf.Object) pdf.Array {
	r.t.Helper()
	array, err := r.Array(r.f, o)
	if err != nil {
		r.t.Fatal(err)
	}
	return array
}

// file writes data to a temporary file.
func file(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "extract.pdf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// pdftotext returns the text that poppler reads.
func pdftotext(t testing.TB, path string, args ...string) string {
	t.Helper()
	cmd := exec.Command(sharedtest.Tool(t, "pdftotext"), append(args, path, "-")...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("pdftotext %v: %v", args, err)
	}
	return string(out)
}

// pdftoppm returns the pixels of the first page in range that poppler draws.
func pdftoppm(t testing.TB, path string, args ...string) []byte {
	t.Helper()
	args = append([]string{"-cropbox", "-singlefile", "-gray"}, append(args, path)...)
	out, err := exec.Command(sharedtest.Tool(t, "pdftoppm"), args...).Output()
	if err != nil {
		t.Fatalf("pdftoppm %v: %v", args, err)
	}
	return out
}

// qpdfCheck reports what qpdf finds wrong with a file.
func qpdfCheck(t testing.TB, path string) {
	t.Helper()
	out, err := exec.Command(sharedtest.Tool(t, "qpdf"), "--check", path).CombinedOutput()
	if err != nil {
		t.Errorf("qpdf --check: %v\n%s", err, out)
	}
}

func words(text string) string { return strings.Join(strings.Fields(text), " ") }
