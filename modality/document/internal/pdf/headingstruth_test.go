package pdf_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf"
)

// leadingNumber matches the number that a heading may show and its entry in
// the outline may not.
var leadingNumber = regexp.MustCompile(`^(?:(?i:chapter|appendix|section)\s+)?(?:[0-9]+|[A-Z])?(?:\.[0-9]+)*[.:]?\s+`)

func normalHeading(title string) string {
	title = leadingNumber.ReplaceAllString(title+" ", "")
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

// headingsOf returns how often each title begins on each page of a PDF, and by
// which method that was found.
func headingsOf(t *testing.T, path string) (headings map[string]int, method string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	src := citekit.NewSource(f, citekit.SourceInfo{Name: filepath.Base(path), Size: info.Size()})
	r := &pdf.Resolver{} // what is found is judged, not what it costs
	s, err := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(path), err)
	}
	headings = make(map[string]int)
	m := citekit.ResourceMap{Nodes: s.Nodes}
	for n := range m.All() {
		if n.Type == "section" && len(n.Location.Pages) > 0 {
			page := n.Location.Pages[0]
			page.Last = page.First
			headings[page.String()+" "+normalHeading(n.Title)]++
		}
	}
	return headings, s.Method
}

// TestHeadingsLikeOutline takes the outline out of PDFs and compares the
// headings that are found then with it: in the files that CITEKIT_HEADINGS
// names, a list as of PATH, else in manuals of R.
func TestHeadingsLikeOutline(t *testing.T) {
	if testing.Short() {
		t.Skip("reads manuals of thousands of pages")
	}
	qpdf := sharedtest.Tool(t, "qpdf")
	var paths []string
	for _, pattern := range filepath.SplitList(os.Getenv("CITEKIT_HEADINGS")) {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	if len(paths) == 0 {
		for _, name := range []string{"R-admin.pdf", "R-intro.pdf", "R-data.pdf"} {
			if path := filepath.Join("/usr/share/R/doc/manual", name); exists(path) {
				paths = append(paths, path)
			}
		}
	}
	if len(paths) == 0 {
		sharedtest.Missing(t, "no manuals of R: install r-doc-pdf, or name PDFs in CITEKIT_HEADINGS")
	}
	var truth, found, matched int
	for _, path := range paths {
		want, method := headingsOf(t, path)
		if method != "outline" {
			t.Logf("%s: no outline to compare with", filepath.Base(path))
			continue
		}
		bare := filepath.Join(t.TempDir(), "bare.pdf")
		if out, err := exec.Command(qpdf, "--empty", "--pages", path, "--", bare).CombinedOutput(); err != nil {
			t.Fatalf("qpdf: %v: %s", err, out)
		}
		got, method := headingsOf(t, bare)
		truths, finds, matches := total(want), total(got), 0
		for heading, n := range want {
			matches += min(n, got[heading])
		}
		t.Logf("%s (%s): %d headings in the outline, %d found, %d the same", filepath.Base(path), method, truths, finds, matches)
		truth, found, matched = truth+truths, found+finds, matched+matches
	}
	recall, precision := float64(matched)/float64(truth), float64(matched)/float64(max(found, 1))
	t.Logf("%d headings: recall %.3f, precision %.3f", truth, recall, precision)
	if recall < 0.9 || precision < 0.7 {
		t.Errorf("recall %.3f, precision %.3f", recall, precision)
	}
}

func total(headings map[string]int) (n int) {
	for _, count := range headings {
		n += count
	}
	return n
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
