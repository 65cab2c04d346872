package pdf_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf"
)

// minLikeness is the mean F1 of words that what is read must have in common
// with what pdftotext reads.
const minLikeness = 0.94

// TestLikePdftotext compares the words of documents with those that pdftotext
// finds, in any order. CITEKIT_PDFS names a directory of more files.
func TestLikePdftotext(t *testing.T) {
	program := sharedtest.Tool(t, "pdftotext")
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(sharedtest.Corpus(t, "pdf/linearized-3p.pdf")), "*.pdf"))
	if dir := os.Getenv("CITEKIT_PDFS"); dir != "" {
		more, _ := filepath.Glob(filepath.Join(dir, "*.pdf"))
		files = append(files, more...)
	}
	const manual = "/usr/share/R/doc/manual/fullrefman.pdf"
	if _, err := os.Stat(manual); err == nil && sharedtest.Long() {
		files = append(files, manual)
	}
	r := &pdf.Resolver{CodeCacheDir: codeCache(t)}
	sum, n := 0.0, 0
	for _, path := range files {
		want, err := exec.Command(program, "-q", "-enc", "UTF-8", path, "-").Output()
		theirs := wordCounts(string(want))
		if err != nil || len(theirs) == 0 {
			continue // damaged, locked, a scan, or in a font that it lacks: nothing to compare with
		}
		got, err := allText(t, r, path)
		if err != nil {
			t.Logf("%s: %v", filepath.Base(path), err)
			continue
		}
		f1 := likeness(wordCounts(got), theirs)
		t.Logf("%.4f %s", f1, filepath.Base(path))
		sum, n = sum+f1, n+1
	}
	if mean := sum / float64(n); n == 0 || mean < minLikeness {
		t.Errorf("mean %.4f of %d files; want %.2f", mean, n, minLikeness)
	} else {
		t.Logf("mean %.4f of %d files", mean, n)
	}
}

func allText(t *testing.T, r *pdf.Resolver, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	src := citekit.NewSource(f, citekit.SourceInfo{Name: "a.pdf", Size: info.Size(), Identity: path})
	defer src.Close()
	var text strings.Builder
	for run, err := range r.ReadText(t.Context(), src, citekit.Location{Modality: citekit.Document}) {
		if err != nil {
			return "", err
		}
		text.WriteString(run.Text + "\n")
	}
	return text.String(), nil
}

// wordCounts counts the words of a text: runs of letters and digits in lower case.
func wordCounts(text string) map[string]int {
	counts := map[string]int{}
	for _, w := range strings.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) }) {
		counts[strings.ToLower(w)]++
	}
	return counts
}

// likeness returns the F1 of two bags of words, which are not both empty.
func likeness(a, b map[string]int) float64 {
	common, all := 0, 0
	for word, n := range a {
		common += min(n, b[word])
		all += n
	}
	for _, n := range b {
		all += n
	}
	return 2 * float64(common) / float64(all)
}
