package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
)

// TestErrorsAreNotBare has errors about what a person wrote, which end with what to write,
// and not with the name of their class.
func TestErrorsAreNotBare(t *testing.T) {
	s, dir := newStoreTest(t), t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "d.csv"), []byte("a,b\n1,2\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "answer.md"), []byte("\"One\" [text://d#lines=x].\n"), 0o600))
	s.must("--dir", dir, "ingest", ".")
	for _, args := range []string{
		"resolve text://d#lines=x", "resolve text://d#lines=9-3", "resolve text://d#foo=3", "resolve d.csv#rows=", "read text://d#lines=2-y",
		"resolve doc://d#bbox=1,2", "cite text://d#v=zz", "resolve video://d#t=a-b", "search --path [ x", "list --id .. d", "verify --quote x text://d#rows=0",
		"verify --text answer.md", "resolve --json text://d#lines=x", "inspect text://d#lines=x",
	} {
		code, stdout, stderr := s.run(append([]string{"--dir", dir}, strings.Fields(strings.ReplaceAll(args, "answer.md", filepath.Join(dir, "answer.md")))...)...)
		if code == exitOK || strings.Contains(stdout+stderr, citekit.ErrSyntax.Error()) || strings.Contains(stdout+stderr, "strconv") {
			t.Errorf("%s: exit code %d, %q, %q", args, code, stdout, stderr)
		}
	}
}
