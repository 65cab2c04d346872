package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestFirstCompile has PDFium compiled once, which a person at a terminal and
// the client of a server hear of, and nobody where the code is cached.
func TestFirstCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles PDFium")
	}
	script, err := exec.LookPath("script")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("needs script(1) of util-linux")
	}
	dir, cache := t.TempDir(), t.TempDir()
	if !sharedtest.Long() {
		haveCompiled(t, cache)
	}
	for _, name := range []string{"first", "second", "third", "fourth"} {
		must(t, os.WriteFile(filepath.Join(dir, name+".pdf"), pdftest.Text(true, name), 0o600))
	}
	run := func(stdin string, name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, "HOME="+cache, "XDG_CONFIG_HOME="+cache, "TERM=xterm")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v: %s", name, args, err, out)
		}
		return string(out)
	}
	onTerminal := func(command string) string { return run("", script, "-qec", command, "/dev/null") }
	if got := onTerminal("citekit ingest first.pdf"); !strings.Contains(got, "\r\x1b[K"+preparing+": ") || !strings.Contains(got, "mapped first.pdf") {
		t.Errorf("the first time: %q", got)
	}
	if got := onTerminal("citekit ingest second.pdf"); strings.Contains(got, preparing) || !strings.Contains(got, "mapped second.pdf") {
		t.Errorf("the second time: %q", got)
	}
	request := strings.TrimSuffix(initialize, "\n") + `
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"progressToken":"p"},"name":"ingest","arguments":{"paths":["NAME.pdf"]}}}
`
	heard := `"message":"` + preparing + `"`
	if got := run(strings.Replace(request, "NAME", "third", 1), "citekit", "serve", "--ingest"); strings.Contains(got, heard) || !strings.Contains(got, `"mapped"`) {
		t.Errorf("a server with the cache: %s", got)
	}
	marks, err := filepath.Glob(filepath.Join(cache, "citekit", "pdfium", "compiled-*"))
	if err != nil || len(marks) != 1 {
		t.Fatalf("marks %v, %v", marks, err)
	}
	if err := os.Remove(marks[0]); err != nil { // as after an upgrade
		t.Fatal(err)
	}
	if got := run(strings.Replace(request, "NAME", "fourth", 1), "citekit", "serve", "--ingest"); !strings.Contains(got, heard) || !strings.Contains(got, `"progressToken":"p"`) {
		t.Errorf("a server without: %s", got)
	}
}

// haveCompiled copies what was compiled for other tests, without the mark that it is
// complete, so that a test does not take the seconds of a compilation again.
func haveCompiled(t *testing.T, cache string) {
	t.Helper()
	user, err := os.UserCacheDir()
	if err != nil {
		return
	}
	code, err := filepath.Glob(filepath.Join(user, "citekit", "pdfium", "wazero-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range code {
		must(t, os.CopyFS(filepath.Join(cache, "citekit", "pdfium", filepath.Base(dir)), os.DirFS(dir)))
	}
}

// TestCompilingInAPipe checks that nothing is written where nobody looks on.
func TestCompilingInAPipe(t *testing.T) {
	var stderr bytes.Buffer
	s := &session{stderr: &stderr}
	if s.compiling(t.Context()) != nil || stderr.Len() > 0 {
		t.Errorf("wrote %q", stderr.String())
	}
}
