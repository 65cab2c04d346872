package localfile_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit/internal/localfile"
)

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, second := open(t, path), open(t, path)
	if err := localfile.Lock(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := localfile.Lock(ctx, second); !errors.Is(err, context.Canceled) {
		t.Fatalf("a second lock while the first is held: %v", err)
	}
	got := make(chan error)
	go func() { got <- localfile.Lock(t.Context(), second) }()
	localfile.Unlock(first)
	if err := <-got; err != nil {
		t.Fatal(err)
	}
}
