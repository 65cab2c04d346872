package handover_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/command/internal/handover"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestFilesOfOthers marks a line of a page of each PDF of the corpus, and puts all into a
// dossier, whose pages of evidence must have the text of the evidence.
func TestFilesOfOthers(t *testing.T) {
	sharedtest.NotShort(t)
	paths, err := filepath.Glob(sharedtest.Corpus(t, "pdf/*.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	const largest = 2 << 20 // bytes of a file, so that the test takes seconds
	files := make(map[string]string)
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Size() <= largest && (sharedtest.Long() || len(files) < 12) {
			files[filepath.Base(path)] = string(sharedtest.Read(t, path))
		}
	}
	c := open(t, files)
	maker := handover.New(c)
	var text strings.Builder
	var cited []citekit.Address
	for _, name := range slices.Sorted(maps.Keys(files)) {
		id := strings.TrimSuffix(name, ".pdf")
		for run, err := range c.ReadText(t.Context(), id, citekit.Location{}) {
			line := longest(run.Text)
			if err != nil || len(cited) >= handover.MaxCitations {
				break
			}
			if line == "" || run.Location.PageCount() != 1 {
				continue
			}
			a := citekit.Address{Resource: id, Location: run.Location}
			piece, err := maker.Cite(t.Context(), a.String(), line)
			if err != nil {
				t.Logf("%s: %v", a, err)
				break
			}
			made, err := maker.PDF(t.Context(), piece)
			if errors.Is(err, handover.ErrUnmarked) {
				t.Logf("%s: %v", a, err)
				break
			}
			if err != nil {
				t.Errorf("%s: %v", a, err)
				break
			}
			data, evidence := sharedtest.Read(t, made.OutputPath), sharedtest.Read(t, piece.Evidence.OutputPath)
			if !bytes.HasPrefix(data, evidence) {
				t.Errorf("%s: the evidence is not the beginning of the file", a)
			}
			check(t, made.OutputPath)
			fmt.Fprintf(&text, "> %s\n\n[%s]\n\n", line, a)
			cited = append(cited, a)
			break
		}
	}
	if len(cited) == 0 {
		t.Fatal("nothing could be cited")
	}
	made, err := maker.Dossier(t.Context(), text.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "dossier.pdf")
	if err := os.WriteFile(file, made.Data, 0o600); err != nil {
		t.Fatal(err)
	}
	check(t, file)
	compareDossier(t, c, made, file, cited)
	t.Logf("%d cited, %d included, %d bytes", len(cited), made.Included, len(made.Data))
}

// longest returns the longest line of letters and digits of a text, or "".
func longest(text string) (line string) {
	for one := range strings.Lines(text) {
		one = strings.TrimSpace(one)
		if len(one) > len(line) && len(one) >= 6 && len(one) < 200 && !strings.ContainsAny(one, `"“”<>[]*_\…`) && !strings.Contains(one, "...") {
			line = one
		}
	}
	return line
}

// check has qpdf check a file. It may warn of what it finds in the evidence too.
func check(t *testing.T, file string) {
	t.Helper()
	out, err := exec.Command(sharedtest.Tool(t, "qpdf"), "--check", file).CombinedOutput()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() != 3 || strings.Contains(string(out), "xref") && err != nil {
		t.Errorf("%s: %v\n%s", file, err, out)
	}
}

// compareDossier compares the text of each page of evidence with that of the evidence.
func compareDossier(t *testing.T, c *corpus.Corpus, made *handover.Dossier, file string, cited []citekit.Address) {
	doc, err := api.ReadContext(bytes.NewReader(made.Data), model.NewDefaultConfiguration())
	if err == nil {
		err = doc.EnsurePageCount()
	}
	if err != nil {
		t.Fatal(err)
	}
	covers := doc.PageCount - 2*made.Included // each piece has a sheet and a page
	for i, a := range cited[:min(len(cited), made.Included)] {
		e, err := c.ResolveAddress(t.Context(), a, nil)
		if err != nil {
			t.Fatal(err)
		}
		at := fmt.Sprint(covers + 2*i + 2)
		want, got := run(t, "pdftotext", "-q", e.OutputPath, "-"), run(t, "pdftotext", "-q", "-f", at, "-l", at, file, "-")
		if want != got {
			t.Errorf("%s: the text is\n%s\nand that of the evidence\n%s", a, got, want)
		}
		compare(t, a, pixels(t, e.OutputPath, "1"), pixels(t, file, at))
	}
}
