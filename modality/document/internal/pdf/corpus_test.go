package pdf_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// refused are the real files that have no right answer, or need a password.
var refused = map[string]error{
	"corrupted.pdf":                citekit.ErrFormat,
	"not-a-pdf-5-bytes.pdf":        citekit.ErrFormat,
	"encrypted-user-pw.pdf":        citekit.ErrEncrypted,
	"encrypted-user-pw-aes256.pdf": citekit.ErrEncrypted,
	"pages-tree-deep.pdf":          citekit.ErrFormat, // a loop without a page
	"no-page-count.pdf":            citekit.ErrFormat, // a node in two places
}

type truth struct {
	File      string            `json:"file"`
	Pages     int               `json:"poppler_pages"`
	TextProbe map[string]string `json:"text_probe"`
}

func truths(t *testing.T) []truth {
	data, err := os.ReadFile(sharedtest.Corpus(t, "truth/pdf.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []truth
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestCorpus(t *testing.T) {
	r := sharedResolver()
	for _, want := range truths(t) {
		name := strings.TrimPrefix(want.File, "pdf/")
		t.Run(name, func(t *testing.T) {
			path := sharedtest.Corpus(t, want.File)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			extent, err := r.Measure(t.Context(), source(data))
			if target := refused[name]; target != nil {
				if !errors.Is(err, target) {
					t.Errorf("got %v, %v; want an error that matches %q", extent, err, target)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if name == "lying-page-count.pdf" {
				want.Pages = 1
			}
			if extent.Pages != want.Pages {
				t.Fatalf("%d pages, want %d", extent.Pages, want.Pages)
			}
			got, err := resolve(t, r, data, pages(1, want.Pages))
			if err != nil {
				t.Fatal(err)
			}
			compareWithSource(t, path, got, want)
		})
	}
}

// compareWithSource compares an extract of all pages with its source.
func compareWithSource(t *testing.T, path string, got []byte, want truth) {
	extract := file(t, got)
	qpdfCheck(t, extract)
	for page, probe := range want.TextProbe {
		if filepath.Base(path) == "lying-page-count.pdf" {
			break // poppler cannot read the source
		}
		text := pdftotext(t, extract, "-f", page, "-l", page)
		if poppler := pdftotext(t, path, "-f", page, "-l", page); !strings.Contains(squeeze(poppler), squeeze(probe)) {
			continue // it lacks the language pack
		}
		if !strings.Contains(squeeze(text), squeeze(probe)) {
			t.Errorf("page %s reads %q, want %q in it", page, words(text), probe)
		}
	}
	compareSize(t, path, got, "1-z")
	if filepath.Base(path) == "lying-page-count.pdf" {
		return // poppler cannot read the source
	}
	if a, b := pdftotext(t, path), pdftotext(t, extract); a != b {
		t.Errorf("the text of the extract is %q, want %q", words(b), words(a))
	}
	for page := 1; page <= min(want.Pages, 6); page++ {
		n := strconv.Itoa(page)
		args := []string{"-r", "40", "-f", n, "-l", n}
		if !bytes.Equal(pdftoppm(t, path, args...), pdftoppm(t, extract, args...)) {
			t.Errorf("page %d looks different", page)
		}
	}
}

func squeeze(text string) string { return strings.Join(strings.Fields(text), "") }

// compareSize checks that an extract is no larger than that of qpdf by more
// than half.
func compareSize(t *testing.T, path string, got []byte, pages string) {
	t.Helper()
	theirs := filepath.Join(t.TempDir(), "qpdf.pdf")
	// qpdf exits with 3 after warnings.
	exec.Command(sharedtest.Tool(t, "qpdf"), "--empty", "--pages", path, pages, "--", theirs).Run()
	info, err := os.Stat(theirs)
	if err != nil {
		return // it cannot read the source
	}
	if size := int64(len(got)); size > info.Size()*3/2 {
		t.Errorf("%d bytes, qpdf needs %d", size, info.Size())
	}
}

// TestCorpusText compares the text that ReadText yields with the probes.
func TestCorpusText(t *testing.T) {
	sharedtest.NotShort(t)
	r := sharedResolver()
	for _, want := range truths(t) {
		name := strings.TrimPrefix(want.File, "pdf/")
		if refused[name] != nil || name == "rtl-hebrew.pdf" {
			continue // right to left, the tools order characters differently
		}
		data, err := os.ReadFile(sharedtest.Corpus(t, want.File))
		if err != nil {
			t.Fatal(err)
		}
		for page, probe := range want.TextProbe {
			n, err := strconv.Atoi(page)
			if err != nil {
				t.Fatal(err)
			}
			for run, err := range r.ReadText(t.Context(), source(data), pages(n, n)) {
				if err != nil {
					t.Errorf("%s, page %d: %v", name, n, err)
				} else if share := shared(run.Text, probe); share < 0.9 {
					t.Errorf("%s, page %d: only %.2f of the words of %q are in %q", name, n, share, probe, words(run.Text))
				}
			}
		}
	}
}

// shared returns the share of the words in want that text has.
func shared(text, want string) float64 {
	all := strings.Fields(want)
	if len(all) == 0 {
		return 1
	}
	squeezed, n := squeeze(text), 0
	for _, word := range all {
		if strings.Contains(squeezed, word) {
			n++
		}
	}
	return float64(n) / float64(len(all))
}

func TestCorpusPageByPage(t *testing.T) {
	path := sharedtest.Corpus(t, "pdf/manual-bzip2.pdf")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := sharedResolver()
	for _, page := range []int{1, 2, 5, 17, 38} {
		got, err := resolve(t, r, data, pages(page, page))
		if err != nil {
			t.Fatal(err)
		}
		n := strconv.Itoa(page)
		if a, b := pdftotext(t, path, "-f", n, "-l", n), pdftotext(t, file(t, got)); a != b {
			t.Errorf("page %d reads %q, want %q", page, words(b), words(a))
		}
		compareSize(t, path, got, n)
	}
}
