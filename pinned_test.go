package citekit_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// The version that a map was first used with is recorded, once for each version
// of the map.
func TestPinned(t *testing.T) {
	directory, err := workspace.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, ws := range []citekit.Workspace{directory, workspace.NewMemory(nil)} {
		lib := citekit.New(ws, nil, nil)
		defer lib.Close()
		for _, s := range []struct{ id, guard, version, want string }{
			{"a", "1", "v1", "v1"},
			{"a", "1", "v2", "v1"},
			{"b", "1", "v2", "v2"},
			{"a", "2", "v3", "v3"},
			{"a", "2", "v4", "v3"},
			{"é", "", "", ""},
			{"é", "", "v", ""},
		} {
			if got, err := lib.Pinned(t.Context(), s.id, s.guard, s.version); err != nil || got != s.want {
				t.Errorf("%T: pinned(%q, %q, %q) = %q, %v; want %q", ws, s.id, s.guard, s.version, got, err, s.want)
			}
		}
	}
}

// Of many who use a map first at once, all are held to one version.
func TestPinnedAtOnce(t *testing.T) {
	lib := citekit.New(workspace.NewMemory(nil), nil, nil)
	defer lib.Close()
	got := make([]string, 32)
	var pinning sync.WaitGroup
	for i := range got {
		pinning.Go(func() {
			var err error
			if got[i], err = lib.Pinned(t.Context(), "a", "1", fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
		})
	}
	pinning.Wait()
	for _, v := range got {
		if v != got[0] {
			t.Fatalf("pinned: %v", got)
		}
	}
}

// A record that is damaged is never replaced by the version that the source has
// now.
func TestPinnedDamaged(t *testing.T) {
	for name, change := range map[string]func(*damagedNotes){
		"damaged":     func(ws *damagedNotes) { ws.err = fmt.Errorf("a record: %w", citekit.ErrDamaged) },
		"not ours":    func(ws *damagedNotes) { ws.data = []byte("v1") },
		"another way": func(ws *damagedNotes) { ws.data = []byte(`{"guard":1}`) },
	} {
		ws := &damagedNotes{Workspace: workspace.NewMemory(nil)}
		change(ws)
		lib := citekit.New(ws, nil, nil)
		v, err := lib.Pinned(t.Context(), "a", "1", "now")
		if !errors.Is(err, citekit.ErrDamaged) || v != "" || ws.wrote {
			t.Errorf("%s: %q, %v; written: %v", name, v, err, ws.wrote)
		}
		lib.Close()
	}
}

// damagedNotes has a note that is not what was written.
type damagedNotes struct {
	citekit.Workspace
	data  []byte
	err   error
	wrote bool
}

func (d *damagedNotes) ReadNote(context.Context, string, string) ([]byte, citekit.Stamp, error) {
	return d.data, citekit.Stamp{Identity: "1"}, d.err
}

func (d *damagedNotes) WriteNoteIf(context.Context, string, string, []byte, citekit.Stamp) (citekit.Stamp, error) {
	d.wrote = true
	return citekit.Stamp{}, nil
}
