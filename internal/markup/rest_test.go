package markup_test

import (
	"os/exec"
	"testing"

	"github.com/citekit/citekit/internal/markup"
	"github.com/citekit/citekit/internal/sharedtest"
)

// TestDocutils compares the sections of the reStructuredText files at hand with
// those that docutils finds.
func TestDocutils(t *testing.T) {
	python := sharedtest.Tool(t, "python3")
	if exec.Command(python, "-c", "import docutils").Run() != nil {
		sharedtest.Missing(t, "Python has no docutils")
	}
	files := realFiles(t, ".rst")
	if most := 400; len(files) > most && !sharedtest.Long() {
		files = sample(files, most)
	}
	want := oracle(t, exec.Command(python, "testdata/headings.py", "rest"), files)
	var count tally
	for i, name := range files {
		src, _ := readText(name)
		got := titlesOf(t, markup.ReST, src)
		count.agree(t, name, got, want[i])
	}
	t.Logf("%d of %d files agree; %d titles", count.same, count.files, count.titles)
}

// sample returns n files, evenly spread over files.
func sample(files []string, n int) []string {
	taken := make([]string, n)
	for i := range taken {
		taken[i] = files[i*len(files)/n]
	}
	return taken
}
