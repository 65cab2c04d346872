package search_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace"
)

// A slowWorkspace takes a while to open each source, once it is slow.
type slowWorkspace struct {
	*workspace.Memory
	takes *time.Duration
}

func (w slowWorkspace) OpenSource(ctx context.Context, path string) (*citekit.Source, error) {
	select {
	case <-time.After(*w.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return w.Memory.OpenSource(ctx, path)
}

// TestSlowSources looks at sources that take long to open: the answer is that of a
// fast machine, or, if the caller gave too little time, says that it is not complete;
// the look then goes on for the next search.
func TestSlowSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws, takes := workspace.NewMemory(nil), time.Duration(0)
		lib := citekit.New(slowWorkspace{ws, &takes}, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
		defer lib.Close()
		s := search.New(lib, nil)
		defer s.Close()
		const many = 150
		for i := range many {
			source := fmt.Sprintf("s%03d.txt", i)
			data := fmt.Appendf(nil, "Kettle %d.\n", i)
			ws.AddSource(source, data)
			m := &citekit.ResourceMap{ResourceID: fmt.Sprintf("s%03d", i), Type: citekit.Text, SourcePath: source, Nodes: []*citekit.Node{}, Metadata: map[string]any{"source_hash": fmt.Sprintf("%x", sha256.Sum256(data))}}
			if err := lib.Save(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Update(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{3, 77, 149} {
			ws.AddSource(fmt.Sprintf("s%03d.txt", i), []byte("Other.\n"))
		}
		find := func(within time.Duration) *search.Results {
			time.Sleep(time.Second) // a look that began before does not count
			ctx := t.Context()
			if within > 0 {
				limited, cancel := context.WithTimeout(ctx, within)
				defer cancel()
				ctx = limited
			}
			found, err := s.Search(ctx, search.Request{Query: "nowhere"})
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		want := []string{"s003", "s077", "s149"}
		fast := find(0)
		takes = time.Minute
		slow := find(0)
		for name, found := range map[string]*search.Results{"fast": fast, "slow": slow} {
			if !found.Complete || !slices.Equal(found.LeftOutIDs, want) || found.Hint != fast.Hint {
				t.Errorf("%s: complete %v, %q left out, %q", name, found.Complete, found.LeftOutIDs, found.Hint)
			}
		}
		if found := find(10 * time.Minute); found.Complete || !strings.Contains(found.Hint, "no time to see whether all sources") {
			t.Errorf("with too little time: complete %v, %q", found.Complete, found.Hint)
		}
		// That look goes on, and the next one follows it.
		if found := find(0); !found.Complete || !slices.Equal(found.LeftOutIDs, want) {
			t.Errorf("then: complete %v, %q", found.Complete, found.LeftOutIDs)
		}
	})
}
