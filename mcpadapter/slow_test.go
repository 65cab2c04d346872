package mcpadapter_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sharedtest"
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
		got, _ := callTool(t, connect(t, mcpadapter.NewServer(lib, nil), nil), "listResources", nil)
		return got
	}
	fast, slow := list(0), list(25*time.Millisecond)
	if n := strings.Count(fast, `"state":"vanished"`); n != many || slow != fast {
		t.Errorf("%d states; slow:\n%s\nfast:\n%s", n, slow, fast)
	}
}
