package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// mounted mounts a small file system that is in memory.
func mounted(t *testing.T, dir, options string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skip("may not mount:", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

// oneLineEach checks that what a failed run says is a line for each failure,
// without paths of the machine.
func oneLineEach(t *testing.T, y *yard, r runEnd, want string) {
	t.Helper()
	if r.code != 1 || strings.Contains(r.stderr, y.base) || strings.Contains(r.stderr, "tmp-") || !strings.Contains(r.stderr, want) {
		t.Errorf("code %d, %.2000s", r.code, r.stderr)
	}
	for line := range strings.Lines(r.stderr) {
		if !strings.HasPrefix(line, "citekit: ") {
			t.Errorf("says %q", line)
		}
	}
}

// TestIngestDiskFull has the file system of the maps, or all of it, fill up in
// the middle of an ingest, of bytes or of files.
func TestIngestDiskFull(t *testing.T) {
	for _, test := range []struct{ name, dir, options string }{
		{"maps", ".resource_maps", "size=200k"},
		{"files", ".resource_maps", "nr_inodes=60"},
		{"evidence", ".citekit_output", "size=8k"},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := newYard(t, sharedtest.Rand(t), 280)
			mounted(t, filepath.Join(y.base, test.dir), test.options)
			r := finished(t, y.base, "ingest", ".")
			t.Logf("%d lines, the first %.200s", strings.Count(r.stderr, "\n"), r.stderr)
			oneLineEach(t, y, r, "no space left")
			mapped := y.check(t)
			t.Logf("%d mapped", len(mapped))
			if left := y.temporary(t); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
			if err := syscall.Mount("tmpfs", filepath.Join(y.base, test.dir), "tmpfs", syscall.MS_REMOUNT, "size=64m,nr_inodes=10000"); err != nil {
				t.Fatal(err)
			}
			y.finish(t)
		})
	}
}

// TestIngestReadOnly has the maps, the evidence or everything be read-only.
func TestIngestReadOnly(t *testing.T) {
	for _, test := range []struct{ name, dir string }{{"maps", ".resource_maps"}, {"evidence", ".citekit_output"}, {"everything", "."}} {
		t.Run(test.name, func(t *testing.T) {
			y := newYard(t, sharedtest.Rand(t), 28)
			dir := filepath.Join(y.base, test.dir)
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mount(dir, dir, "", syscall.MS_BIND, ""); err != nil {
				t.Skip("may not mount:", err)
			}
			t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
			if err := syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
				t.Fatal(err)
			}
			r := finished(t, y.base, "ingest", ".")
			t.Logf("%d lines, the first %.200s", strings.Count(r.stderr, "\n"), r.stderr)
			oneLineEach(t, y, r, "read-only")
			y.check(t)
			if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
				t.Fatal(err)
			}
			y.finish(t)
		})
	}
}
