package search_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

// A gated reads texts, those whose names begin with "slow" only once the gate is open.
type gated struct {
	*text.Resolver
	gate chan struct{}
}

func (g gated) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		if strings.HasPrefix(src.Name(), "slow") {
			select {
			case <-g.gate:
			case <-ctx.Done():
				yield(citekit.TextRun{}, ctx.Err())
				return
			}
		}
		for run, err := range g.Resolver.ReadText(ctx, src, loc) {
			if !yield(run, err) {
				return
			}
		}
	}
}

// A table is a Library in memory whose texts are gated.
type table struct {
	*citekit.Library
	ws   *workspace.Memory
	gate chan struct{}
}

func newTable(t *testing.T) *table {
	d := &table{ws: workspace.NewMemory(nil), gate: make(chan struct{})}
	d.Library = citekit.New(d.ws, citekit.Resolvers{citekit.Text: gated{new(text.Resolver), d.gate}}, nil)
	t.Cleanup(func() { d.Close() })
	return d
}

// add maps a text.
func (d *table) add(t *testing.T, id, content string) {
	t.Helper()
	d.ws.AddSource(id+".txt", []byte(content))
	m := &citekit.ResourceMap{ResourceID: id, Type: citekit.Text, SourcePath: id + ".txt", Nodes: []*citekit.Node{}, Metadata: map[string]any{"source_hash": fmt.Sprintf("%x", sha256.Sum256([]byte(content)))}}
	if err := d.Save(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

// TestSlowFile searches for texts beside one that takes for ever to read, for what was
// mapped before it, with it, and after it.
func TestSlowFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTable(t)
		s := search.New(d.Library, nil)
		defer s.Close()
		find := func(query string) *search.Results {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			found, err := s.Search(ctx, search.Request{Query: query})
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		d.add(t, "a", "A kettle.\n")
		d.add(t, "slow", "A spoon.\n")
		d.add(t, "z", "A teapot.\n")
		for i, query := range []string{"kettle", "teapot", "cup0", "cup1", "cup2"} {
			if strings.HasPrefix(query, "cup") {
				d.add(t, query, "A "+query+".\n")
			}
			if found := find(query); found.Total != 1 || found.Complete || !strings.Contains(found.Hint, "still being read") {
				t.Errorf("%d: %q: %d found, complete %v, %q", i, query, found.Total, found.Complete, found.Hint)
			}
		}
		close(d.gate)
		if found := find("spoon"); found.Total != 1 || !found.Complete {
			t.Errorf("at last: %d found, complete %v, %q", found.Total, found.Complete, found.Hint)
		}
	})
}

// A closer is an index that has its Searcher closed while the first batch is put.
type closer struct {
	*index.Local
	close func()
}

func (c *closer) Put(ctx context.Context, resources iter.Seq[index.Resource]) error {
	return c.Local.Put(ctx, func(yield func(index.Resource) bool) {
		for r := range resources {
			ok := yield(r)
			if c.close != nil {
				go c.close()
				synctest.Wait()
				c.close = nil
			}
			if !ok {
				return
			}
		}
	})
}

// TestClosedKeeps closes a Searcher, as a program does that ends, while it reads a text
// that takes for ever: what is read stays, and a Searcher after it goes on from there.
func TestClosedKeeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTable(t)
		d.add(t, "a", "A kettle.\n")
		d.add(t, "slow", "A spoon.\n")
		local := index.New(d.ws, nil)
		defer local.Close()
		closing := &closer{Local: local}
		s := search.New(d.Library, search.WithIndex(closing))
		ended := make(chan struct{})
		closing.close = func() { s.Close(); close(ended) }
		if err := s.Update(t.Context()); !errors.Is(err, context.Canceled) {
			t.Errorf("the update ends with %v", err)
		}
		<-ended
		if _, err := local.Holds(t.Context(), "a"); err != nil {
			t.Errorf("what was read is lost: %v", err)
		}
		if _, err := local.Holds(t.Context(), "slow"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("what was not read: %v", err)
		}
	})
}

// A stopper is an index that has its Searcher closed while a piece is put.
type stopper struct {
	*index.Local
	after int // pieces; then stop is called
	stop  func()
	had   []int // how many entries there were before each piece
}

func (c *stopper) Continue(ctx context.Context, r index.Resource, have int, last bool) error {
	c.had = append(c.had, have)
	if c.after--; c.after == 0 {
		go c.stop()
		synctest.Wait()
	}
	return c.Local.Continue(ctx, r, have, last)
}

// TestLongGoesOn indexes a long text in pieces by one Searcher after the other, each of
// which is closed after some pieces: each goes on where the last one was.
func TestLongGoesOn(t *testing.T) {
	defer search.SetLimits(16<<20, 3000)()
	synctest.Test(t, func(t *testing.T) {
		d := newTable(t)
		var long strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&long, "Word%d of a long text about kettles, and more of it.\n\n", i)
		}
		d.add(t, "long", long.String())
		had, rounds := -1, 0
		for ; ; rounds++ {
			local := index.New(d.ws, nil)
			in := &stopper{Local: local, after: 2}
			s := search.New(d.Library, search.WithIndex(in))
			ended := make(chan struct{})
			in.stop = func() { s.Close(); close(ended) }
			err := s.Update(t.Context())
			for _, n := range in.had {
				if n <= had {
					t.Fatalf("round %d: a piece after %d entries, once there were %d", rounds, n, had)
				}
				had = n
			}
			if err == nil {
				for _, query := range []string{"word0", "word500", "word999"} {
					if found, err := s.Search(t.Context(), search.Request{Query: query}); err != nil || found.Total != 1 || !found.Complete {
						t.Errorf("%q: %+v, %v", query, found, err)
					}
				}
				if stats, err := local.Stats(t.Context()); err != nil || stats.Entries < had || stats.Resources != 1 {
					t.Errorf("the index has %+v, %v", stats, err)
				}
				s.Close()
				local.Close()
				break
			}
			<-ended
			local.Close()
			if rounds > 20 {
				t.Fatal(err)
			}
		}
		if rounds < 3 {
			t.Errorf("only %d rounds", rounds)
		}
	})
}

// TestSetAside indexes a small source with a text that is too much for it: its beginning
// is found, and each answer says that the rest is not. Another Searcher does not try
// again.
func TestSetAside(t *testing.T) {
	for _, held := range []int{1 << 20, 50_000} { // it is held, and it is not
		t.Run(fmt.Sprint(held), func(t *testing.T) {
			defer search.SetLimits(60_000, held)()
			s := newShelf(t, map[string]string{"a.md": "# Tea\n\nGreen leaves.\n", "bomb.epub": string(bookOf(1, strings.Repeat("<p>A kettle of tea, and a spoon.</p>", 20_000)))})
			for _, searcher := range []*search.Searcher{s.Searcher, openShelf(t, s.dir).Searcher} {
				for query, want := range map[string]string{"kettle": "bomb", "leaves": "a"} {
					found, err := searcher.Search(t.Context(), search.Request{Query: query, By: search.ByResources})
					if err != nil || found.Total != 1 || found.Results[0].ResourceID != want || found.LeftOut != 0 || !strings.Contains(found.Hint, "only the beginning of 1 resource is searched") || !strings.Contains(found.Hint, ": bomb;") {
						t.Fatalf("%q: %+v, %v", query, found, err)
					}
				}
				if parts, err := searcher.SetAside(t.Context()); err != nil || !slices.Equal(parts.Begun, []string{"bomb"}) {
					t.Errorf("set aside are %+v, %v", parts, err)
				}
			}
			if found := s.find(t, search.Request{Query: "leaves", Filters: filterOf("a")}); found.Hint != "" {
				t.Errorf("in another resource: %q", found.Hint)
			}
			held, err := s.Stats(t.Context())
			if err != nil || held.Resources != 2 || held.Entries >= 200 { // of 309
				t.Errorf("the index has %+v, %v", held, err)
			}
		})
	}
}
