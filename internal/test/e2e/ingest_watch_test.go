package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A watch is an ingest that goes on.
type watch struct {
	t      *testing.T
	base   string
	cmd    *exec.Cmd
	stderr *bytes.Buffer
	log    string // path of what it prints
}

func startWatch(t *testing.T, base string, args ...string) *watch {
	t.Helper()
	cmd, _, stderr := commandIn(t, base, append([]string{"ingest", "--json", "--watch"}, args...)...)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &watch{t, base, cmd, stderr, log.Name()}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return w
}

// told returns the number of lines that were printed.
func (w *watch) told() int {
	data, err := os.ReadFile(w.log)
	if err != nil {
		w.t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		if bytes.HasSuffix(line, []byte("\n")) && !json.Valid(line) {
			w.t.Errorf("printed %q", line)
		}
	}
	return bytes.Count(data, []byte("\n"))
}

// until waits for something to come about. Twenty seconds are less than it
// takes until everything is looked over.
func (w *watch) until(what string, holds func() bool) {
	w.t.Helper()
	start := time.Now()
	for !holds() {
		if time.Since(start) > 3*time.Minute {
			data, _ := os.ReadFile(w.log)
			w.t.Fatalf("not in time: %s; printed:\n%s%s", what, data, w.stderr)
		}
		time.Sleep(20 * time.Millisecond)
	}
	w.t.Logf("%s: %v", what, time.Since(start).Round(10*time.Millisecond))
}

// maps reports whether there is a map of a source whose text has want in it.
func (w *watch) maps(source, want string) bool {
	paths, _ := filepath.Glob(filepath.Join(w.base, "*maps", "*.json"))
	for _, path := range paths {
		data, err := os.ReadFile(path)
		var m storedMap
		if err == nil && json.Unmarshal(data, &m) == nil && m.SourcePath == source && bytes.Contains(data, []byte(want)) {
			return true
		}
	}
	return false
}

// prints reports whether the watch has printed a line about a source, which it does
// once it has stored the map.
func (w *watch) prints(source string) bool {
	data, _ := os.ReadFile(w.log)
	return bytes.Contains(data, []byte(`"path":`+strconv.Quote(source)))
}

// end ends the watch as a person would.
func (w *watch) end() {
	w.t.Helper()
	if err := w.cmd.Process.Signal(syscall.SIGINT); err != nil {
		w.t.Skip("no such signal here:", err)
	}
	_ = w.cmd.Wait()
	if code := w.cmd.ProcessState.ExitCode(); code != 130 || w.stderr.Len() > 0 {
		w.t.Errorf("the watch ended with code %d, %s", code, w.stderr)
	}
}

func (w *watch) write(name, text string) {
	w.t.Helper()
	writeFile(w.t, filepath.Join(w.base, name), []byte(text))
}

// TestIngestWatch changes files in every way while they are watched.
func TestIngestWatch(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"."}, {"--maps-dir", "my_maps", "--output-dir", "my_output", "--hidden", "."}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			writeFile(t, filepath.Join(base, "first.md"), []byte("# First\n"))
			w := startWatch(t, base, args...)
			w.until("what is there", func() bool { return w.maps("first.md", "First") })
			w.write("second.md", "# Second\n")
			w.until("a new file", func() bool { return w.maps("second.md", "Second") })
			w.write("first.md", "# Changed\n")
			w.until("a changed file", func() bool { return w.maps("first.md", "Changed") })
			w.write("new/folder/third.md", "# Third\n")
			w.until("a new folder", func() bool { return w.maps("new/folder/third.md", "Third") })
			w.write("new/folder/fourth.md", "# Fourth\n")
			w.until("a file in it", func() bool { return w.maps("new/folder/fourth.md", "Fourth") })
			rename(t, filepath.Join(base, "second.md"), filepath.Join(base, "renamed.md"))
			w.until("a renamed file", func() bool { return w.maps("renamed.md", "Second") })
			rename(t, filepath.Join(base, "new"), filepath.Join(base, "moved"))
			w.until("a renamed folder", func() bool { return w.maps("moved/folder/third.md", "Third") })
			w.write("moved/folder/fifth.md", "# Fifth\n")
			w.until("a file in the renamed folder", func() bool { return w.maps("moved/folder/fifth.md", "Fifth") })
			w.write("editor.tmp", "# Saved\n")
			rename(t, filepath.Join(base, "editor.tmp"), filepath.Join(base, "first.md"))
			w.until("a file replaced as editors do", func() bool { return w.maps("first.md", "Saved") })
			if err := os.Remove(filepath.Join(base, "renamed.md")); err != nil {
				t.Fatal(err)
			}
			w.until("a file that is gone", func() bool {
				data, _ := os.ReadFile(w.log)
				return bytes.Contains(data, []byte(`"path":"renamed.md","status":"vanished"`))
			})
			w.undisturbed("last.md")
			w.end()
			if out := finished(t, base, "ingest", "--json", args[len(args)-1]); len(args) == 1 && out.report(t).Summary["mapped"] > 0 {
				t.Errorf("left to do: %s", out.stdout)
			}
		})
	}
}

// TestIngestWatchSome watches a file that is taken away and comes back, and
// patterns that files in new folders match.
func TestIngestWatchSome(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	writeFile(t, filepath.Join(base, "docs", "one.md"), []byte("# One\n"))
	writeFile(t, filepath.Join(base, "src", "first.md"), []byte("# First\n"))
	w := startWatch(t, base, "docs/one.md", "src/**/*.md")
	w.until("what is there", func() bool { return w.maps("docs/one.md", "One") && w.maps("src/first.md", "First") })
	w.write("src/new/folder/second.md", "# Second\n")
	w.write("src/new/folder/other.txt", "Other.\n")
	w.until("a new folder", func() bool { return w.maps("src/new/folder/second.md", "Second") })
	for _, gone := range []string{"docs/one.md", "docs"} {
		if err := os.RemoveAll(filepath.Join(base, gone)); err != nil {
			t.Fatal(err)
		}
		told := w.told()
		w.until("a file that is gone", func() bool { return w.told() > told || gone == "docs" })
		w.write("docs/one.md", "# Back, after "+gone+"\n")
		w.until("a file that is back", func() bool { return w.maps("docs/one.md", "Back, after "+gone+`"`) })
	}
	w.write("docs/two.md", "# Two\n")
	w.write("src/third.md", "# Third\n")
	w.until("one more", func() bool { return w.maps("src/third.md", "Third") && w.prints("src/third.md") })
	if w.maps("docs/two.md", "") || w.maps("src/new/folder/other.txt", "") {
		t.Error("what was not named was mapped")
	}
	w.undisturbed("src/last.md")
	w.end()
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// undisturbed checks that what the watch writes itself does not wake it: it watches
// neither maps nor evidence, and after a further change it prints nothing else.
func (w *watch) undisturbed(name string) {
	w.t.Helper()
	w.watchesOthers()
	told := w.told()
	w.write(name, "# Last\n")
	w.until("a last file", func() bool { return w.maps(name, "Last") && w.told() > told })
	data, err := os.ReadFile(w.log)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[told:] {
		if !strings.Contains(line, strconv.Quote(name)) {
			w.t.Errorf("%s has changed, and the watch printed %s", name, line)
		}
	}
}
