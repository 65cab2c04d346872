package markup_test

import (
	"os/exec"
	"testing"

	"github.com/citekit/citekit/internal/markup"
	"github.com/citekit/citekit/internal/sharedtest"
)

// TestAsciidoctor compares the sections of the AsciiDoc files at hand with
// those that Asciidoctor finds.
func TestAsciidoctor(t *testing.T) {
	ruby := sharedtest.Tool(t, "ruby")
	sharedtest.Tool(t, "asciidoctor")
	files := realFiles(t, ".adoc", ".asciidoc")
	want := oracle(t, exec.Command(ruby, "testdata/headings.rb"), files)
	var count tally
	for i, name := range files {
		src, _ := readText(name)
		count.agree(t, name, titlesOf(t, markup.AsciiDoc, src), want[i])
	}
	t.Logf("%d of %d files agree; %d titles", count.same, count.files, count.titles)
}
