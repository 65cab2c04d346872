package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// mapped returns a library over a folder with some files, all mapped. It is closed at
// the end of the test.
func mapped(t *testing.T, files map[string][]byte) *citekit.Library {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir, &workspace.Options{KeyDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	t.Cleanup(func() { lib.Close() })
	report, err := ingest.Run(t.Context(), lib, []string{"."}, nil)
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		t.Fatal(err)
	}
	return lib
}
