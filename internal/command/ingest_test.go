package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A watched is a run of ingest --watch.
type watched struct {
	testFolder
	lines *bufio.Scanner
	seen  []string
	end   func() int
}

func watch(t *testing.T, dir string, flags ...string) *watched {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	stdout, output := io.Pipe()
	code := make(chan int, 1)
	go func() {
		args := append([]string{"ingest", "--dir", dir, "--watch", dir}, flags...)
		code <- run(ctx, args, strings.NewReader(""), output, io.Discard)
		output.Close()
	}()
	w := &watched{testFolder: testFolder{t, dir}, lines: bufio.NewScanner(stdout)}
	w.end = func() int {
		cancel()
		for w.lines.Scan() {
			w.seen = append(w.seen, w.lines.Text())
		}
		return <-code
	}
	return w
}

// wait reads lines until one begins with start.
func (w *watched) wait(start string) {
	w.t.Helper()
	for w.lines.Scan() {
		w.seen = append(w.seen, w.lines.Text())
		if strings.HasPrefix(w.lines.Text(), start) {
			return
		}
	}
	w.t.Fatalf("no %q in %q", start, w.seen)
}

// count returns how many lines have begun with start.
func (w *watched) count(start string) (n int) {
	for _, line := range w.seen {
		if strings.HasPrefix(line, start) {
			n++
		}
	}
	return n
}

// TestWatch checks that everything is told once: failures at once, and what
// stays as it is not again.
func TestWatch(t *testing.T) {
	sharedtest.NotShort(t)
	f := newFolder(t)
	f.write("bad.pdf", "%PDF-1.7\nnothing more")
	f.write("a.md", "# A\n")
	f.write("gone.md", "# Gone\n")
	w := watch(t, f.dir, "--verbose")
	w.wait("failed bad.pdf: ")
	w.wait("mapped gone.md")
	must(t, os.Remove(filepath.Join(w.dir, "gone.md")))
	w.wait("vanished gone.md")
	for _, name := range []string{"c", "d"} {
		w.write(name+".md", "# Another\n"+name+"\n")
		w.wait("mapped " + name + ".md")
	}
	w.write("a.md", "# A\n\nchanged\n")
	w.wait("mapped a.md")
	if code := w.end(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	for start, want := range map[string]int{"failed": 1, "vanished": 1, "mapped a.md": 2, "unchanged": 0} {
		if n := w.count(start); n != want {
			t.Errorf("%d times %q in %q", n, start, w.seen)
		}
	}
}

// TestWatchBesideMaps checks that maps written into the folder that is
// watched are not mapped.
func TestWatchBesideMaps(t *testing.T) {
	sharedtest.NotShort(t)
	f := newFolder(t)
	f.write("a.md", "# A\n")
	w := watch(t, f.dir, "--maps-dir", ".", "--json", "--hidden")
	for _, name := range []string{"a", "b", "c"} {
		w.write(name+".md", "# Now\n"+name+"\n")
		w.wait(`{"path":"` + name + `.md","status":"mapped"`)
	}
	w.end()
	for _, line := range w.seen {
		if strings.Contains(line, ".json\"") {
			t.Errorf("a map was mapped: %s", line)
		}
	}
}

// TestIngestOneJSON checks that --json prints one value, whatever happens.
func TestIngestOneJSON(t *testing.T) {
	f := newFolder(t)
	f.write("a.md", "# A\n")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		ctx  context.Context
		args []string
		code string // of the error, or of an item
		exit int
	}{
		{t.Context(), []string{"--type", "picture"}, "INVALID_INPUT", exitUsage},
		{t.Context(), []string{"none.txt"}, "NOT_FOUND", exitFailure},
		{cancelled, nil, "TIMEOUT", exitInterrupted},
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"ingest", "--json", "--dir", f.dir, "a.md"}, test.args...)
		code := run(test.ctx, args, strings.NewReader(""), &stdout, &stderr)
		if code != test.exit || !json.Valid(stdout.Bytes()) || !strings.Contains(stdout.String(), `"code": "`+test.code+`"`) {
			t.Errorf("%q: exit code %d, stdout %q", test.args, code, stdout.String())
		}
	}
}
