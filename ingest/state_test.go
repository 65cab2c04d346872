package ingest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/workspace"
)

// TestStates checks that each state is told, and that of unchanged sources
// none is hashed.
func TestStates(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"same.txt": "same\n", "grown.txt": "one\n", "turned.txt": "one\n", "gone.txt": "gone\n"})
	f.ingest(t, nil, ".")
	f.write(t, "grown.txt", "one\ntwo\n")
	f.write(t, "turned.txt", "eno\n")
	if err := os.Remove(filepath.Join(f.dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	maps := filepath.Join(f.dir, ".resource_maps")
	for name, content := range map[string]string{
		"broken":  "{",
		"outside": `{"resource_id": "outside", "type": "text", "source_path": "../x.txt", "nodes": []}`,
		"holo":    `{"resource_id": "holo", "type": "hologram", "source_path": "same.txt", "nodes": [{"id": "a", "location": {"modality": "hologram", "lines": [1, 1]}}]}`,
		"odd":     `{"resource_id": "odd", "type": "Docu Ment", "source_path": "same.txt", "nodes": [{"id": "a", "location": {"modality": "text", "lines": [1, 1]}}]}`,
		"nodes":   `{"resource_id": "nodes", "source_path": "same.txt", "nodes": [{"id": "a", "location": {"modality": "text", "lines": [1, 1]}}]}`,
		"nothing": `{"resource_id": "nothing", "source_path": "same.txt", "nodes": [{"id": "a"}]}`,
		"lost":    `{"resource_id": "lost", "type": "hologram", "source_path": "gone.txt", "nodes": []}`,
		"virtual": `{"resource_id": "virtual", "type": "virtual", "source_path": "none", "nodes": []}`,
	} {
		if err := os.WriteFile(filepath.Join(maps, name+".json"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ids, err := f.lib.Resources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	states, err := ingest.States(t.Context(), f.lib, append(ids, "none"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range states {
		got = append(got, s.ResourceID+" "+string(s.State))
		if (s.Err == nil) != (s.State == ingest.StateOK) {
			t.Errorf("%s is %s: %v", s.ResourceID, s.State, s.Err)
		}
	}
	want := "broken unreadable, gone vanished, grown stale, holo unreadable, lost vanished, nodes ok, nothing unreadable, odd unreadable, outside unreadable, same ok, turned stale, virtual ok, none unreadable"
	if strings.Join(got, ", ") != want {
		t.Errorf("states\n%s, want\n%s", strings.Join(got, ", "), want)
	}
}

// An unhashed workspace fails the test when a source is hashed.
type unhashed struct {
	*workspace.Directory
	t *testing.T
}

func (u unhashed) OpenSource(ctx context.Context, path string) (*citekit.Source, error) {
	src, err := u.Directory.OpenSource(ctx, path)
	if err != nil {
		return nil, err
	}
	return citekit.NewSource(src, citekit.SourceInfo{
		Name: src.Name(), Size: src.Size(), Identity: src.Identity(),
		HashFunc: func(context.Context) (string, error) {
			u.t.Errorf("%s was hashed", path)
			return "", nil
		},
	}), nil
}

func TestStatesHashNothing(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "a\n", "b/c.txt": "c\n"})
	for _, name := range []string{"a.txt", "b/c.txt"} { // long enough ago to be told from a further change
		past := time.Now().Add(-time.Hour)
		if err := os.Chtimes(filepath.Join(f.dir, name), past, past); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(200 * time.Millisecond) // the times of the change of times
	f.ingest(t, nil, ".")
	ws, err := workspace.Open(f.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(unhashed{ws, t}, nil, nil)
	defer lib.Close()
	states, err := ingest.States(t.Context(), lib, []string{"a", "c"})
	if err != nil || len(states) != 2 || states[0].State != ingest.StateOK || states[1].State != ingest.StateOK {
		t.Errorf("states %v, %v", states, err)
	}
}
