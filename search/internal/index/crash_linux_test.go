package index_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/faulttest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A writer is killed at, or gets an error from, each system call of putting,
// deleting and merging. What it said it had done is there, of what it had begun
// all or nothing, and the index can be written again.
func TestFaultAtEachSystemCall(t *testing.T) {
	strace := sharedtest.Tool(t, "strace")
	faults, most := []string{"renameat:signal=SIGKILL", "fsync:signal=SIGKILL", "write:error=ENOSPC"}, 3
	if sharedtest.Long() {
		most = 80
		// A close that fails, as on no local disk, may cost a segment, whose
		// entries are then put again: see
		// docs/decisions/0022-segments-are-evidence-the-manifest-is-a-note.md.
		faults = slices.DeleteFunc(faulttest.SystemCalls(), func(fault string) bool { return fault == "close:error=EIO" })
	}
	runs := 0
	for _, fault := range faults {
		untouched := 0
		for n := 1; n <= most && untouched < 2; n++ {
			runs++
			if !writeWithFault(t, strace, fault, n) {
				untouched++
			}
			if t.Failed() {
				t.Fatalf("%s #%d", fault, n)
			}
		}
	}
	t.Logf("%d runs", runs)
}

// writeWithFault runs writeOnce over a new index with a fault at the n-th of
// some calls. It reports whether there was one.
func writeWithFault(t *testing.T, strace, fault string, n int) bool {
	t.Helper()
	dir, scratch, m := t.TempDir(), t.TempDir(), make(model)
	x := newIndex(t, directory(t, dir))
	for id := range 4 {
		put(t, x, versioned(id, 1))
		m[id] = []int{1}
	}
	x.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	call, _, _ := strings.Cut(fault, ":")
	trace := filepath.Join(scratch, "trace")
	cmd := exec.Command(strace, "-f", "-qq", "-o", trace, "-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:when=%d", fault, n), self)
	cmd.Env = append(os.Environ(), writerVar+"="+dir, "ONCE=1")
	out, err := cmd.Output()
	defer func() {
		if t.Failed() {
			said, _ := os.ReadFile(trace)
			t.Logf("%s #%d: %v\n%s\n%s", fault, n, err, out, said)
		}
	}()
	w := &writerProcess{model: m}
	for line := range strings.Lines(string(out)) {
		if strings.HasSuffix(line, "\n") { // else it was killed while it said so
			w.note(t, line)
		}
	}
	x = newIndex(t, directory(t, dir))
	m.check(t, x)
	put(t, x, versioned(1, 5))
	m[1] = []int{5}
	m.check(t, x)
	x.Close()
	said, _ := os.ReadFile(trace)
	return err != nil || bytes.Contains(said, []byte("INJECTED"))
}
