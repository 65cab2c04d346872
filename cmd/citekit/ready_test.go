package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit/cmd/citekit/internal/config"
)

// A workspace whose maps cannot be read is not ready.
func TestReadyMaps(t *testing.T) {
	w := config.Workspace{Dir: t.TempDir(), MapsDir: "maps"}
	ready, err := readiness(w, true)
	if err != nil {
		t.Fatal(err)
	}
	maps := filepath.Join(w.Dir, w.MapsDir)
	if err := ready(t.Context()); err != nil {
		t.Errorf("before anything is mapped: %v", err)
	}
	must(t, os.Mkdir(maps, 0o700))
	if err := ready(t.Context()); err != nil {
		t.Errorf("with an empty folder: %v", err)
	}
	must(t, os.Remove(maps))
	if err := os.WriteFile(maps, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := ready(t.Context()); err == nil {
		t.Error("ready with a file in place of the folder")
	}
}
