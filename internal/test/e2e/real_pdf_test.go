package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// manualPaths is where the reference manual of R is once the Debian package
// r-doc-pdf is installed: 2,415 pages, typeset by pdfTeX.
var manualPaths = []string{"/usr/share/R/doc/manual/fullrefman.pdf", "/usr/share/R/doc/manual/fullrefman.pdf.gz"}

// manual returns the path of a real manual of at least 2,400 pages.
func manual(t *testing.T) string {
	t.Helper()
	for _, path := range manualPaths {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if filepath.Ext(path) != ".gz" {
			return path
		}
		return gunzip(t, path)
	}
	sharedtest.Missing(t, "no manual of 2,400 pages: install the Debian package r-doc-pdf")
	return ""
}

func gunzip(t *testing.T, path string) string {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	unpacked, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(path), ".gz")))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := io.Copy(out, unpacked); err != nil {
		t.Fatal(err)
	}
	return out.Name()
}

// sourceText returns the text of each page of a PDF as pdftotext reads it.
func sourceText(t *testing.T, path string) [][]byte {
	t.Helper()
	pages := bytes.SplitAfter(output(t, "pdftotext", path, "-"), []byte("\f"))
	return pages[:len(pages)-1]
}

// pagesOf returns the pages asked for, in the order of the canonical address.
func (a answer) pagesOf(t *testing.T, count int) []int {
	t.Helper()
	var pages []int
	for _, run := range a.wanted(t).Pages {
		for page := run.First; page <= run.Last; page++ {
			pages = append(pages, page)
		}
	}
	if pages == nil {
		for page := range count {
			pages = append(pages, page+1)
		}
	}
	return pages
}

// comparePages checks that evidence has the text of the pages asked for.
func comparePages(t *testing.T, source [][]byte, a answer) {
	t.Helper()
	got := sourceText(t, a.OutputPath)
	want := a.pagesOf(t, len(source))
	if len(got) != len(want) {
		t.Errorf("%v has %d pages", a, len(got))
		return
	}
	for i, page := range want {
		if !bytes.Equal(got[i], source[page-1]) {
			t.Errorf("%v: page %d is %.200q, in the source %.200q", a, page, got[i], source[page-1])
		}
	}
}

// compareLook checks that up to most pages of evidence look as in the source.
func compareLook(t *testing.T, a answer, count, most int) {
	t.Helper()
	pages := a.pagesOf(t, count)
	step := max(1, len(pages)/most)
	for i := 0; i < len(pages); i += step {
		want, got := render(t, a.path, pages[i]), render(t, a.OutputPath, i+1)
		if !bytes.Equal(got, want) {
			t.Errorf("%v: page %d looks different", a, pages[i])
		}
	}
}

func render(t *testing.T, path string, page int) []byte {
	t.Helper()
	n := strconv.Itoa(page)
	return output(t, "pdftoppm", "-r", "50", "-f", n, "-l", n, path)
}

// checkStructure has qpdf check a PDF.
func checkStructure(t *testing.T, a answer) {
	t.Helper()
	if out, err := tryOutput(t, "qpdf", "--check", a.OutputPath); err != nil {
		t.Errorf("%v: %v\n%s", a, err, out)
	}
}

// checkSize compares the size with that of what qpdf makes.
func checkSize(t *testing.T, a answer) {
	t.Helper()
	var pages []string
	for _, run := range a.wanted(t).Pages {
		pages = append(pages, run.String())
	}
	path := filepath.Join(t.TempDir(), "qpdf.pdf")
	output(t, "qpdf", "--empty", "--pages", a.path, strings.Join(pages, ","), "--", path)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if a.Size > info.Size()*3/2 {
		t.Errorf("%v has %d bytes, qpdf's %d", a, a.Size, info.Size())
	}
}

// pageSets returns sets of pages of a document: both ends, runs, scattered
// ones, and some at random.
func pageSets(count, random int) []location {
	sets := [][]int{{1}, {count}, {count/2 + 1}, run(1, min(count, 5)), run(max(1, count-12), count), {1, count/2 + 1, count}}
	r := rand.New(rand.NewPCG(uint64(count), 1))
	for range random {
		first := 1 + r.IntN(count)
		sets = append(sets, run(first, min(count, first+r.IntN(20))))
		var scattered []int
		for range 2 + r.IntN(12) {
			scattered = append(scattered, 1+r.IntN(count))
		}
		sets = append(sets, []int{1 + r.IntN(count)}, scattered)
	}
	locations := make([]location, len(sets))
	for i, pages := range sets {
		locations[i] = location{"pages": pages}
	}
	return locations
}

func run(first, last int) []int {
	var pages []int
	for page := first; page <= last; page++ {
		pages = append(pages, page)
	}
	return pages
}

// TestRealManual resolves pages of a manual of 2,400 pages.
func TestRealManual(t *testing.T) {
	path := manual(t)
	source := sourceText(t, path)
	if len(source) < 2400 {
		t.Fatalf("the manual has %d pages", len(source))
	}
	c := cite(t, filepath.Dir(path))
	c.add("document", filepath.Base(path), append(pageSets(len(source), usually(0, 8)), location{"pages": run(301, 700)})...)
	for i, a := range c.evidence() {
		comparePages(t, source, a)
		checkStructure(t, a)
		if i%4 == 0 {
			compareLook(t, a, len(source), 2)
			checkSize(t, a)
		}
	}
}

// TestRealDocuments resolves pages of PDFs of every kind of structure.
func TestRealDocuments(t *testing.T) {
	c := cite(t, sharedtest.Corpus(t, "pdf"))
	texts := make(map[string][][]byte)
	for _, name := range []string{
		"manual-bzip2.pdf", "outline-and-page-labels.pdf", "encrypted-owner-only-rc4.pdf", "encrypted-owner-only-aes256.pdf",
		"linearized-objstm-30p.pdf", "hybrid-xref.pdf", "incremental-updates.pdf", "leading-junk.pdf", "rotated-6p.pdf",
		"page-sizes-mixed.pdf", "form-two-pages.pdf", "cjk-japanese-form.pdf", "tagged-multipage.pdf", "page-no-content.pdf",
		"scanned-2p-no-text.pdf", "outline-5pages-damaged-xref.pdf", "name with #hash and space.pdf",
	} {
		path := filepath.Join(c.root, name)
		texts[path] = sourceText(t, path)
		c.add("document", name, pageSets(len(texts[path]), usually(0, 1))...)
	}
	for _, a := range c.evidence() {
		comparePages(t, texts[a.path], a)
		compareLook(t, a, len(texts[a.path]), usually(1, 3))
		checkStructure(t, a)
	}
}

// TestRealRegion compares regions of pages with what pdftotext and pdftoppm
// cut out of the source.
func TestRealRegion(t *testing.T) {
	path := manual(t)
	c := cite(t, filepath.Dir(path))
	boxes := [][]float64{{0.25, 0.25, 0.75, 0.75}, {0, 0, 0.5, 1}, {0, 0.5, 1, 1}, {0.125, 0.125, 0.875, 0.25}}
	for _, page := range []int{1, 77, 1234, 2415} {
		var locations []location
		for _, box := range boxes {
			locations = append(locations, location{"pages": []int{page}, "bbox": box})
		}
		c.add("document", filepath.Base(path), locations...)
	}
	for _, a := range c.evidence() {
		checkStructure(t, a)
		loc := a.wanted(t)
		page := strconv.Itoa(loc.Pages[0].First)
		// 144 dots per inch make the edges of all boxes whole pixels.
		x1, y1, x2, y2 := loc.Box.Pixels(2*612, 2*792)
		want := output(t, "pdftoppm", "-r", "144", "-f", page, "-l", page, "-x", strconv.Itoa(x1), "-y", strconv.Itoa(y1),
			"-W", strconv.Itoa(x2-x1), "-H", strconv.Itoa(y2-y1), a.path)
		got := output(t, "pdftoppm", "-r", "144", "-cropbox", a.OutputPath)
		if !bytes.Equal(got, want) {
			t.Errorf("%v looks different: %.20q, in the source %.20q", a, got, want)
		}
	}
}
