//go:build unix

package workspace_test

import (
	"os"
	"syscall"
	"testing"
)

func mkfifo(t testing.TB, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

// withUmask runs f under a umask. It must not run beside other tests.
func withUmask(t testing.TB, mask int, f func()) {
	t.Helper()
	t.TempDir() // made under the usual umask
	old := syscall.Umask(mask)
	defer syscall.Umask(old)
	f()
}

func symlink(t testing.TB, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}
