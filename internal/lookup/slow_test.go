package lookup_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// A slowWorkspace takes a while for each map.
type slowWorkspace struct {
	*workspace.Memory
	takes time.Duration
}

func (w slowWorkspace) ReadMap(ctx context.Context, id string, maxBytes int64) ([]byte, citekit.Stamp, error) {
	select {
	case <-time.After(w.takes):
	case <-ctx.Done():
		return nil, citekit.Stamp{}, ctx.Err()
	}
	return w.Memory.ReadMap(ctx, id, maxBytes)
}

// TestSlowMachine asks what was meant in a library whose maps take long to read: the
// answers are those of one that is fast.
func TestSlowMachine(t *testing.T) {
	const maps = 400
	ask := func(takes time.Duration) (answers []string) {
		synctest.Test(t, func(t *testing.T) {
			ws := workspace.NewMemory(nil)
			lib := citekit.New(slowWorkspace{ws, takes}, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
			defer lib.Close()
			for i := range maps {
				source := fmt.Sprintf("folder/note %d.txt", i)
				ws.AddSource(source, []byte("one\n"))
				m := &citekit.ResourceMap{ResourceID: fmt.Sprintf("r%03d", i), Type: citekit.Text, SourcePath: source, Nodes: []*citekit.Node{
					{ID: fmt.Sprintf("part%d", i), Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 1}}},
				}}
				if err := lib.Save(t.Context(), m); err != nil {
					t.Fatal(err)
				}
			}
			for _, text := range []string{"note 399.txt", "part398", "nothing.txt"} {
				answers = append(answers, fmt.Sprint(lookup.Meant(t.Context(), lib, text)))
			}
			answers = append(answers, lookup.NewNamer(lib).Address(t.Context(), "Note 397.txt, line 1").String())
		})
		return answers
	}
	fast, slow := ask(0), ask(time.Minute)
	if want := []string{"[text://r399]", "[text://r398#lines=1-1]", "[]", "text://r397#lines=1-1"}; !slices.Equal(fast, want) {
		t.Errorf("fast: %q, want %q", fast, want)
	}
	if !slices.Equal(slow, fast) {
		t.Errorf("slow: %q, fast: %q", slow, fast)
	}
}

// TestNodesBoundTheSearch has maps with so many nodes that not all are looked at.
func TestNodesBoundTheSearch(t *testing.T) {
	ws := workspace.NewMemory(nil)
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	defer lib.Close()
	large := make([]*citekit.Node, 100_000)
	for i := range large {
		large[i] = &citekit.Node{ID: fmt.Sprintf("n%d", i), Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 1}}}
	}
	for i, nodes := range [][]*citekit.Node{large, large, large[:1], large[:1]} {
		source := fmt.Sprintf("s%d.txt", i)
		ws.AddSource(source, []byte("one\n"))
		if err := lib.Save(t.Context(), &citekit.ResourceMap{ResourceID: fmt.Sprintf("r%d", i), Type: citekit.Text, SourcePath: source, Nodes: nodes}); err != nil {
			t.Fatal(err)
		}
	}
	for source, want := range map[string]int{"x/s1.txt": 1, "x/s2.txt": 1, "x/s3.txt": 0} { // the third map is the one that exceeds 200,000 nodes
		if meant := lookup.Meant(t.Context(), lib, source); len(meant) != want {
			t.Errorf("%s: %v, want %d", source, meant, want)
		}
	}
}
