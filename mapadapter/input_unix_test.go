//go:build unix

package mapadapter_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mapadapter"
)

// TestPipe reads a named pipe that nobody writes to: it must not wait.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "docstore.json"), 0o600); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{".", "docstore.json"} {
		in := mapadapter.Input{FS: os.DirFS(dir), Name: name}
		if _, err := (mapadapter.LlamaIndex{}).Adapt(t.Context(), in, nil); !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
