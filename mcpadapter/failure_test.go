package mcpadapter_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// TestStorageFault has an evidence directory that cannot be made: the answer
// says so, and does not blame the source.
func TestStorageFault(t *testing.T) {
	answer := resolvePoem(t, &workspace.Options{EvidenceDir: strings.Repeat("x", 300)})
	if !strings.Contains(answer, "the evidence directory cannot be ") || !strings.Contains(answer, "Hint: The source is not at fault") {
		t.Errorf("%s", answer)
	}
}

// TestEvidenceLimit has no room for evidence: a smaller node would not help.
func TestEvidenceLimit(t *testing.T) {
	answer := resolvePoem(t, &workspace.Options{MaxEvidenceBytes: 1})
	if !strings.Contains(answer, "Code: TOO_LARGE") || !strings.Contains(answer, "Hint: The node is not at fault") || strings.Contains(answer, "smaller") {
		t.Errorf("%s", answer)
	}
}

// resolvePoem returns what resolve says of a node whose evidence cannot be stored. It
// must not name the directory.
func resolvePoem(t *testing.T, opts *workspace.Options) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string]string{"poem.txt": poem, ".resource_maps/poem.json": poemMap} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &text.Resolver{}}, nil)
	defer lib.Close()
	answer, result := callTool(t, connect(t, mcpadapter.NewServer(lib, nil), nil), "resolve", map[string]any{"resource_id": "poem", "node_id": "second"})
	if !result.IsError || strings.Contains(answer, dir) {
		t.Errorf("%s", answer)
	}
	return answer
}
