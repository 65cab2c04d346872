//go:build unix

package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A folderUnderFire is a base directory in which commands are killed.
type folderUnderFire struct {
	t    *testing.T
	base string
	took time.Duration // what the last command took that was let be
}

func newFolderUnderFire(t *testing.T, files int) *folderUnderFire {
	f := &folderUnderFire{t: t, base: t.TempDir()}
	for i := range files {
		f.write(fmt.Sprintf("old/n%02d.md", i), fmt.Sprintf("# Note %d\n", i))
	}
	return f
}

func (f *folderUnderFire) write(name, content string) {
	f.t.Helper()
	path := filepath.Join(f.base, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// run runs a command to its end.
func (f *folderUnderFire) run(args ...string) string {
	f.t.Helper()
	cmd := exec.Command("citekit", append([]string{"--dir", f.base}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	out, err := cmd.Output()
	if f.took = time.Since(start); err != nil {
		f.t.Fatalf("%v: %v\n%s%s", args, err, out, stderr.String())
	}
	return string(out)
}

// kill runs a command and kills it a while after it has changed a first map.
func (f *folderUnderFire) kill(after time.Duration, args ...string) {
	f.t.Helper()
	before := f.maps()
	cmd := exec.Command("citekit", append([]string{"--dir", f.base}, args...)...)
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	deadline := time.After(3 * time.Minute)
	for maps.Equal(f.maps(), before) {
		select {
		case err := <-ended:
			f.t.Fatalf("%v changed no map: %v", args, err)
		case <-deadline:
			_ = cmd.Process.Kill()
			f.t.Fatalf("%v changed no map in three minutes", args)
		case <-time.After(time.Millisecond):
		}
	}
	time.Sleep(after)
	_ = cmd.Process.Kill()
	<-ended
}

// maps returns when each map was stored, by its file.
func (f *folderUnderFire) maps() map[string]time.Time {
	f.t.Helper()
	entries, err := os.ReadDir(filepath.Join(f.base, ".resource_maps"))
	if err != nil {
		f.t.Fatal(err)
	}
	stored := make(map[string]time.Time)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !strings.HasPrefix(e.Name(), ".") { // else it is gone meanwhile
			stored[e.Name()] = info.ModTime()
		}
	}
	return stored
}

func (f *folderUnderFire) ids() []string { return strings.Fields(f.run("list")) }

// ingest returns how many sources became what.
func (f *folderUnderFire) ingest() map[string]int {
	f.t.Helper()
	var report struct {
		Summary map[string]int `json:"summary"`
	}
	if err := json.Unmarshal([]byte(f.run("ingest", ".", "--json")), &report); err != nil {
		f.t.Fatal(err)
	}
	return report.Summary
}

// TestDeleteKilled kills rm and prune: afterwards each map is there or not, and
// the next ingest makes those that are not, under the same ids.
func TestDeleteKilled(t *testing.T) {
	if !sharedtest.Long() {
		t.Skip("kills processes, as TestKilledWriters of package workspace does: only with CITEKIT_LONG=1")
	}
	random := sharedtest.Rand(t)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	const files, rounds = 60, 8
	f := newFolderUnderFire(t, files)
	f.ingest()
	ids := f.ids()
	f.run(append([]string{"rm"}, ids...)...)
	whole := f.took
	for round := range rounds {
		if n := f.ingest(); n["mapped"]+n["copied"]+n["unchanged"] != files || len(n) > 3 || !slices.Equal(f.ids(), ids) {
			t.Fatalf("round %d: %v, %q", round, n, f.ids())
		}
		for _, id := range ids[:5] {
			f.run("resolve", id)
		}
		after := time.Duration(random.Int64N(int64(whole)))
		if round%2 == 0 {
			f.kill(after, append([]string{"rm"}, ids...)...)
		} else {
			must(t, os.Rename(filepath.Join(f.base, "old"), filepath.Join(f.base, "away")))
			f.kill(after, "prune", "--yes")
			must(t, os.Rename(filepath.Join(f.base, "away"), filepath.Join(f.base, "old")))
		}
		left := f.ids()
		t.Logf("round %d: killed after %v, %d maps are left", round, after, len(left))
		for _, id := range left {
			if !slices.Contains(ids, id) {
				t.Errorf("a map %q", id)
			}
		}
		f.run("prune", "--yes")
		f.checkEvidence(left)
	}
}

// checkEvidence checks that what was pruned left evidence of those maps alone.
func (f *folderUnderFire) checkEvidence(ids []string) {
	f.t.Helper()
	entries, err := os.ReadDir(filepath.Join(f.base, ".citekit_output"))
	if err != nil {
		f.t.Fatal(err)
	}
	for _, e := range entries {
		id, _, _ := strings.Cut(e.Name(), "_")
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(ids, id) {
			f.t.Errorf("evidence %s is left", e.Name())
		}
	}
}

// TestRenameKilled kills an ingest while maps follow a folder that was renamed:
// the next one leaves every map under its id, and makes no second one.
func TestRenameKilled(t *testing.T) {
	if !sharedtest.Long() {
		t.Skip("kills processes, as TestIngestKilled of e2e does: only with CITEKIT_LONG=1")
	}
	random := sharedtest.Rand(t)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	const files, rounds = 60, 8
	f := newFolderUnderFire(t, files)
	f.ingest()
	ids := f.ids()
	name, whole := "old", time.Duration(0)
	for round := range rounds + 1 {
		next := fmt.Sprintf("folder%d", round)
		must(t, os.Rename(filepath.Join(f.base, name), filepath.Join(f.base, next)))
		name = next
		if round > 0 {
			f.kill(time.Duration(random.Int64N(int64(whole))), "ingest", ".")
		}
		n := f.ingest()
		if n["renamed"]+n["unchanged"] != files || len(n) > 2 {
			t.Errorf("round %d: %v", round, n)
		}
		if got := f.ids(); !slices.Equal(got, ids) {
			t.Fatalf("round %d: %q", round, got)
		}
		if round == 0 {
			f.run("list")
			whole = 10 * f.took
		}
		t.Logf("round %d: %v", round, n)
		for _, id := range []string{ids[0], ids[files-1]} {
			if text := f.run("structure", id); !strings.Contains(text, name+"/") {
				t.Errorf("round %d: %s", round, text)
			}
		}
	}
}
