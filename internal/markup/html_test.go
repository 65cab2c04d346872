package markup_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/markup"
	"github.com/citekit/citekit/internal/sharedtest"
)

// TestHTMLParser compares the headings of every HTML file at hand with those
// that Python's parser of HTML finds.
func TestHTMLParser(t *testing.T) {
	python := sharedtest.Tool(t, "python3")
	files := realFiles(t, ".html", ".htm", ".xhtml")
	want := oracle(t, exec.Command(python, "testdata/headings.py", "html"), files)
	var count tally
	for i, name := range files {
		src, _ := readText(name)
		count.agree(t, name, titlesOf(t, markup.HTML, src), nest(want[i]))
	}
	t.Logf("%d of %d files agree; %d headings", count.same, count.files, count.titles)
	if count.same < count.files {
		t.Errorf("%d of %d files differ", count.files-count.same, count.files)
	}
}

// oracle gives the names of files to another program, one on a line, and
// returns the headings that it finds in each.
func oracle(t *testing.T, cmd *exec.Cmd, files []string) [][]title {
	t.Helper()
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var titles [][]title
	if err := json.Unmarshal(out, &titles); err != nil {
		t.Fatal(err)
	}
	if len(titles) != len(files) {
		t.Fatalf("%d answers for %d files", len(titles), len(files))
	}
	return titles
}
