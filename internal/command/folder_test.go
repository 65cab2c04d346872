package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A testFolder is a base directory of a person who has no settings.
type testFolder struct {
	t   *testing.T
	dir string
}

func newFolder(t *testing.T) testFolder {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	return testFolder{t, t.TempDir()}
}

// write writes a file.
func (f testFolder) write(name, content string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// must fails the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run runs the program and returns what it prints.
func (f testFolder) run(args ...string) (out, errs string, code int) {
	f.t.Helper()
	return runCommand(f.t, append([]string{"--dir", f.dir}, args...)...)
}

// ran runs the program and returns what it prints on both streams.
func (f testFolder) ran(args ...string) string {
	f.t.Helper()
	return ran(f.t, append([]string{"--dir", f.dir}, args...)...)
}

func runCommand(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
	return stdout.String(), stderr.String(), code
}

// ran runs the program and returns what it prints, on both streams.
func ran(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	run(t.Context(), args, strings.NewReader(""), &out, &out)
	return out.String()
}
