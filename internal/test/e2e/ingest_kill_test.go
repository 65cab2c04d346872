package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A storedMap is what the tests read of a map.
type storedMap struct {
	ResourceID string            `json:"resource_id"`
	SourcePath string            `json:"source_path"`
	Nodes      []json.RawMessage `json:"nodes"`
	Metadata   struct {
		SourceHash string `json:"source_hash"`
	} `json:"metadata"`
}

// A yard is a folder of small sources that change, with what every map in it
// must agree with.
type yard struct {
	base    string
	random  *rand.Rand
	sources []string
	hashes  map[string][]string // by source, the newest last
	owners  map[string]string   // source by id: an id never changes hands
}

// newYard makes sources of several kinds, many with the same name in other
// folders and some with the same bytes.
func newYard(t *testing.T, random *rand.Rand, n int) *yard {
	t.Helper()
	y := &yard{base: t.TempDir(), random: random, hashes: make(map[string][]string), owners: make(map[string]string)}
	forms := map[string]string{
		"md":   "# Title %d\n\nText.\n\n## Part\n\nMore.\n",
		"go":   "package p\n\n// F%d does it.\nfunc F() {\n}\n",
		"json": "{\"number\": %d,\n\"list\": [1, 2]}\n",
		"csv":  "a,b\n%d,2\n3,4\n",
		"txt":  "Line %d.\n\nAnother.\n",
		"srt":  "1\n00:00:01,000 --> 00:00:02,000\nNumber %d.\n",
		"bin":  "\x00\x01\xff%d",
	}
	kinds := slices.Sorted(maps.Keys(forms))
	for i := range n {
		kind := kinds[i%len(kinds)]
		source := fmt.Sprintf("d%d/e%d/f%d.%s", i%5, i%3, i/14, kind)
		for slices.Contains(y.sources, source) {
			source = "x/" + source
		}
		y.sources = append(y.sources, source)
		y.write(t, source, fmt.Appendf(nil, forms[kind], i-i%4))
	}
	return y
}

func (y *yard) write(t *testing.T, source string, data []byte) {
	t.Helper()
	writeFile(t, filepath.Join(y.base, filepath.FromSlash(source)), data)
	sum := sha256.Sum256(data)
	y.hashes[source] = append(y.hashes[source], hex.EncodeToString(sum[:]))
}

// change adds to some of the sources.
func (y *yard) change(t *testing.T, n int) {
	t.Helper()
	for range n {
		source := y.sources[y.random.IntN(len(y.sources))]
		data, err := os.ReadFile(filepath.Join(y.base, filepath.FromSlash(source)))
		if err != nil {
			t.Fatal(err)
		}
		y.write(t, source, fmt.Appendf(data, "\nAdded %d\n", y.random.Uint64()))
	}
}

// check checks that every map is a whole one of its own source, and returns
// the sources that have one, with the hash that is in it.
func (y *yard) check(t *testing.T) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(y.base, ".resource_maps"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	mapped := make(map[string]string)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		var m storedMap
		readJSON(t, filepath.Join(y.base, ".resource_maps", e.Name()), &m)
		if m.ResourceID+".json" != e.Name() || len(m.Nodes) == 0 {
			t.Fatalf("%s is the map of %q, of %d nodes", e.Name(), m.ResourceID, len(m.Nodes))
		}
		if other := y.owners[m.ResourceID]; other != "" && other != m.SourcePath {
			t.Fatalf("the id %s was that of %s and is that of %s", m.ResourceID, other, m.SourcePath)
		}
		y.owners[m.ResourceID] = m.SourcePath
		if mapped[m.SourcePath] != "" {
			t.Fatalf("%s has two maps, one of them %s", m.SourcePath, m.ResourceID)
		}
		if !slices.Contains(y.hashes[m.SourcePath], m.Metadata.SourceHash) {
			t.Fatalf("%s is of bytes that %s never had", m.ResourceID, m.SourcePath)
		}
		mapped[m.SourcePath] = m.Metadata.SourceHash
	}
	return mapped
}

// finish checks that an ingest does what was left to do, that nothing is left
// after it, and that dead processes leave no files for ever.
func (y *yard) finish(t *testing.T) {
	t.Helper()
	report := finished(t, y.base, "ingest", "--json", ".").report(t)
	s := report.Summary
	if s["mapped"]+s["copied"]+s["unchanged"]+s["skipped"] != len(y.sources) || len(report.Items) != len(y.sources) {
		for _, item := range report.Items {
			if item.Status == "failed" {
				t.Errorf("%s: %s", item.Path, item.Reason)
			}
		}
		t.Fatalf("%v of %d sources", s, len(y.sources))
	}
	mapped := y.check(t)
	if len(mapped) != len(y.sources)-s["skipped"] {
		t.Errorf("%d maps of %d sources, %d skipped", len(mapped), len(y.sources), s["skipped"])
	}
	for source, hash := range mapped {
		if history := y.hashes[source]; hash != history[len(history)-1] {
			t.Errorf("the map of %s is old", source)
		}
	}
	again := finished(t, y.base, "ingest", "--json", ".").report(t).Summary
	if again["unchanged"]+again["skipped"] != len(y.sources) {
		t.Errorf("after all is done: %v", again)
	}
	if out := finished(t, y.base, "check-map", "--all"); out.code != 0 {
		t.Errorf("check-map: %s%s", out.stdout, out.stderr)
	}
}

// sweep checks that temporary files of dead processes are gone after the next
// ingest that stores something, once they are old.
func (y *yard) sweep(t *testing.T) {
	t.Helper()
	long := time.Now().Add(-3 * time.Hour)
	left := y.temporary(t)
	for _, path := range left {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	y.write(t, y.sources[0], []byte("# All new\n"))
	finished(t, y.base, "ingest", ".")
	if still := y.temporary(t); len(still) > 0 {
		t.Errorf("of %d temporary files are left: %q", len(left), still)
	}
}

// temporary returns the paths of the temporary files.
func (y *yard) temporary(t *testing.T) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(y.base, func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.Contains(e.Name(), "tmp-") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// A runEnd is what came of a run of the command.
type runEnd struct {
	stdout, stderr string
	code           int
}

// commandIn returns a run of the command in dir that has not begun.
func commandIn(t *testing.T, dir string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), scratchBinary(t), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(scratch, "config"))
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd, stdout, stderr
}

// finished returns what came of a run of the command in dir.
func finished(t *testing.T, dir string, args ...string) runEnd {
	t.Helper()
	cmd, stdout, stderr := commandIn(t, dir, args...)
	_ = cmd.Run()
	return runEnd{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func (r runEnd) report(t *testing.T) ingestReport {
	t.Helper()
	var report ingestReport
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil {
		t.Fatalf("%v: %s\n%s", err, r.stdout, r.stderr)
	}
	return report
}

// dying runs an ingest that is killed a while after it has stored something. It
// reports whether it was killed before it ended.
func (y *yard) dying(t *testing.T, after time.Duration) bool {
	t.Helper()
	before := y.storedFiles(t)
	cmd, _, _ := commandIn(t, y.base, "ingest", ".")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	deadline := time.After(3 * time.Minute)
	for maps.Equal(y.storedFiles(t), before) {
		select {
		case <-ended: // it had nothing to store
			return false
		case <-deadline:
			_ = cmd.Process.Kill()
			t.Fatal("an ingest stored nothing in three minutes")
		case <-time.After(time.Millisecond):
		}
	}
	time.Sleep(after)
	_ = cmd.Process.Kill()
	return <-ended != nil && !cmd.ProcessState.Exited()
}

// storedFiles returns when each map was stored, by its file.
func (y *yard) storedFiles(t *testing.T) map[string]time.Time {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(y.base, ".resource_maps"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	stored := make(map[string]time.Time)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !strings.HasPrefix(e.Name(), ".") { // else it was replaced meanwhile
			stored[e.Name()] = info.ModTime()
		}
	}
	return stored
}

// kills is how often a test kills an ingest.
func kills() int {
	if sharedtest.Long() {
		return 300
	}
	return 6
}

// TestIngestKilled kills ingests of a new folder, some time after their first map,
// and has a second one at work at the same time.
func TestIngestKilled(t *testing.T) {
	died, total, random := 0, 0, sharedtest.Rand(t)
	for total < kills() {
		y := newYard(t, random, 210)
		for range 6 {
			total++
			other := make(chan runEnd, 1)
			both := total%3 == 0
			if both {
				go func() { other <- finished(t, y.base, "ingest", "--json", ".") }()
			}
			if y.dying(t, time.Duration(y.random.IntN(60))*time.Millisecond) {
				died++
			}
			if both {
				if r := <-other; r.code != 0 {
					t.Errorf("the other ingest: code %d, %s", r.code, r.stderr)
				}
			}
			y.check(t)
		}
		y.finish(t)
		y.sweep(t)
	}
	t.Logf("%d ingests, %d killed", total, died)
}

// TestIngestKilledWhileSourcesChange is TestIngestKilled over a folder that
// was mapped before and changes from ingest to ingest.
func TestIngestKilledWhileSourcesChange(t *testing.T) {
	if !sharedtest.Long() {
		t.Skip("kills many ingests, as TestIngestKilled does: only with CITEKIT_LONG=1")
	}
	y := newYard(t, sharedtest.Rand(t), 280)
	y.finish(t)
	died := 0
	for i := range kills() / 2 {
		y.change(t, 60)
		if y.dying(t, time.Duration(y.random.IntN(100))*time.Millisecond) {
			died++
		}
		y.check(t)
		if i%5 == 4 {
			y.finish(t)
		}
	}
	y.finish(t)
	y.sweep(t)
	t.Logf("%d ingests, %d killed", kills()/2, died)
}

// TestIngestInterrupted ends an ingest with the signal of Ctrl-C. On a machine where
// the ingest ends before the signal comes, it tries more files.
func TestIngestInterrupted(t *testing.T) {
	if !sharedtest.Long() {
		t.Skip("TestInterruptEndsChildren of internal/command sees to the signal, TestIngestKilled to the maps: only with CITEKIT_LONG=1")
	}
	for _, files := range []int{700, 2000, 6000} {
		if interruptIngest(t, files) {
			return
		}
	}
	t.Skip("each ingest ended before the signal came")
}

// interruptIngest reports whether the signal came before the end of the ingest.
func interruptIngest(t *testing.T, files int) bool {
	t.Helper()
	y := newYard(t, sharedtest.Rand(t), files)
	cmd, _, stderr := commandIn(t, y.base, "ingest", "-c", "1", ".")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	for len(y.check(t)) < 20 {
		select {
		case <-ended:
			return false
		case <-time.After(time.Millisecond):
		}
	}
	err := cmd.Process.Signal(syscall.SIGINT)
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Skip("no such signal here:", err)
	}
	<-ended
	if err != nil || cmd.ProcessState.ExitCode() == 0 {
		return false
	}
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.HasSuffix(stderr.String(), "citekit: interrupted\n") || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("code %d, %q", code, stderr)
	}
	done := len(y.check(t))
	if done < 20 {
		t.Errorf("%d sources were mapped before the signal", done)
	}
	if left := y.temporary(t); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	report := finished(t, y.base, "ingest", "--json", ".").report(t)
	if report.Summary["unchanged"] != done || report.Summary["failed"] > 0 {
		t.Errorf("%d were mapped; then %v", done, report.Summary)
	}
	y.finish(t)
	return true
}
