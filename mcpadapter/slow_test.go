package mcpadapter_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// A slowSources is a workspace that takes a while to open each source.
type slowSources struct {
	*workspace.Memory
	takes time.Duration
}

func (w slowSources) OpenSource(ctx context.Context, path string) (*citekit.Source, error) {
	time.Sleep(w.takes)
	return w.Memory.OpenSource(ctx, path)
}

// TestStatesOnSlowMachine lists resources whose sources are gone, also on a machine
// that needs seconds to see it: each state is told.
func TestStatesOnSlowMachine(t *testing.T) {
	sharedtest.NotShort(t)
	const many = 60
	list := func(takes time.Duration) string {
		ws := workspace.NewMemory(nil)
		lib := citekit.New(slowSources{Memory: ws, takes: takes}, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
		t.Cleanup(func() { lib.Close() })
		for i := range many {
			id := fmt.Sprintf("r%02d", i)
			if err := lib.Save(t.Context(), &citekit.ResourceMap{ResourceID: id, Type: citekit.Text, SourcePath: id + ".txt", Nodes: []*citekit.Node{}}); err != nil {
				t.Fatal(err)
			}
		}
		got, _ := mcptest.CallTool(t, mcptest.Connect(t, mcpadapter.NewServer(lib, nil), nil), "listResources", nil)
		return got
	}
	fast, slow := list(0), list(25*time.Millisecond)
	if n := strings.Count(fast, `"state":"vanished"`); n != many || slow != fast {
		t.Errorf("%d states; slow:\n%s\nfast:\n%s", n, slow, fast)
	}
}

// TestUncheckedState lists a source that was written since it was mapped and is too
// large for a list to hash: that it is not known is said, each time alike. A smaller
// one beside it is checked.
func TestUncheckedState(t *testing.T) {
	dir := t.TempDir()
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	t.Cleanup(func() { lib.Close() })
	for id, size := range map[string]int64{"large": 513 << 20, "small": 1 << 10} {
		name := filepath.Join(dir, id+".txt")
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, size); err != nil { // without blocks on the disk
			t.Skip("no sparse files:", err)
		}
		old := fmt.Sprintf("%x", sha256.Sum256([]byte(id)))
		m := &citekit.ResourceMap{ResourceID: id, Type: citekit.Text, SourcePath: id + ".txt", Nodes: []*citekit.Node{}, Metadata: map[string]any{"source_hash": old, "source_size": size}}
		if err := lib.Save(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	session := mcptest.Connect(t, mcpadapter.NewServer(lib, nil), nil)
	for range 2 {
		got, _ := mcptest.CallTool(t, session, "listResources", nil)
		if !strings.Contains(got, `"state":"unchecked"`) || !strings.Contains(got, `"state":"stale"`) || !strings.Contains(got, `"hint":"sources that are unchecked`) {
			t.Error(got)
		}
	}
}
