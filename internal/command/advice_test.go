package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestAdvice checks what commands say about sources that changed, citations that cannot
// be checked, and numbers of tokens.
func TestAdvice(t *testing.T) {
	sharedtest.NotShort(t)
	f := newFolder(t)
	for i := range 400 {
		f.write(fmt.Sprintf("a-long-name-of-a-file-%d.md", i), "# Leaves\n\nGreen.\n")
	}
	f.write("rows.csv", "name,n\na,1\nb,2\nc,3\n")
	f.write("tea.md", "# Tea\n\nGreen leaves are steamed.\n")
	f.ran("ingest", ".")
	f.write("rows.csv", "name,n\na,1\nb,2\nc,3\nd,4\n")
	f.write("tea.md", "# Tea\n\nGreen leaves are steamed. Twice.\n")
	notes := filepath.Join(t.TempDir(), "notes.md")
	must(t, os.WriteFile(notes, []byte("“Green leaves are steamed” [text://tea#lines=3]\n\nIt is green (text://a-long-name-of-a-file-1#lines=3).\n"), 0o600))
	for _, test := range []struct {
		args []string
		want string
		not  string
	}{
		{[]string{"resolve", "rows.csv#rows=4"}, "changed since it was mapped: 'citekit ingest' maps it again", "no map"},
		{[]string{"verify", "--text", notes}, "once it is mapped again ('citekit ingest')", ""},
		{[]string{"reanchor", notes}, "3: text://a-long-name-of-a-file-1#lines=3: unchecked, ", ""},
		{[]string{"context", "--all"}, "--tokens sets how many", ""},
		{[]string{"context", "--task", "green", "--tokens", "60"}, "--tokens 60; with --task it is 100 to 100000", "token_budget"},
		{[]string{"search", "--type", "pdf", "green"}, "built in are: document, ", ""},
		{[]string{"help", "rm"}, "'citekit ingest .' maps a file again", ""},
		{[]string{"help", "man"}, "man -M ~/.local/share/man citekit-resolve", ""},
		{[]string{"help", "cite"}, `"named" means`, ""},
	} {
		if out := f.ran(test.args...); !strings.Contains(out, test.want) || test.not != "" && strings.Contains(out, test.not) {
			t.Errorf("%v: %.2000s", test.args, out)
		}
	}
}
