package access_test

import (
	"os"
	"testing"

	"github.com/citekit/citekit/internal/localfile"
)

// lockFile locks a file as another process does.
func lockFile(t *testing.T, path string) (release func()) {
	t.Helper()
	lock, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := localfile.Lock(t.Context(), lock); err != nil {
		t.Fatal(err)
	}
	return func() {
		localfile.Unlock(lock)
		lock.Close()
	}
}
