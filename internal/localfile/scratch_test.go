package localfile_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/localfile"
)

const prefix = "citekit-test-"

// TestKilled kills a process that has a folder: the next sweep removes it, and nothing
// that is in use or has another shape.
func TestKilled(t *testing.T) {
	if os.Getenv("CITEKIT_TEST_VICTIM") != "" {
		dir, err := localfile.NewScratch(prefix)
		if err != nil {
			t.Fatal(err)
		}
		os.WriteFile(dir.Path("data"), []byte("x"), 0o600)
		os.Stdout.WriteString(dir.Path() + "\n")
		// It waits for its end in a read: the runtime ends a process in which all sleep.
		io.Copy(io.Discard, os.Stdin)
		dir.Remove()
	}
	temp := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temp)
	}
	victim := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	victim.Env = append(os.Environ(), "CITEKIT_TEST_VICTIM=1")
	if _, err := victim.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	left, err := bufio.NewReader(out).ReadString('\n')
	if left = strings.TrimSpace(left); err != nil || filepath.Dir(left) != temp {
		t.Fatalf("%q, %v", left, err)
	}

	used, err := localfile.NewScratch(prefix)
	if err != nil {
		t.Fatal(err)
	}
	var keep []string
	add := func(name, lock string) {
		path := filepath.Join(temp, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if lock != "none" {
			if err := os.WriteFile(filepath.Join(path, "lock"), []byte(lock), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		keep = append(keep, name)
	}
	add(prefix+"none", "none") // has no lock, as on a file system without
	add(prefix+"new", "")      // is being made
	add("other-left", "in use")
	keep = append(keep, filepath.Base(used.Path()))

	names := func() (all []string) {
		entries, err := os.ReadDir(temp)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			all = append(all, e.Name())
		}
		return all
	}
	localfile.SweepScratch(prefix)
	slices.Sort(keep)
	if got := names(); len(got) != len(keep)+1 || !slices.Contains(got, filepath.Base(left)) {
		t.Errorf("while the process lives: %q", got)
	}
	victim.Process.Kill()
	victim.Wait()
	localfile.SweepScratch(prefix)
	if got := names(); !slices.Equal(got, keep) {
		t.Errorf("once it is killed: %q, want %q", got, keep)
	}
	used.Remove()
	if _, err := os.Stat(used.Path()); err == nil {
		t.Error("a folder stays after it is removed")
	}
}
