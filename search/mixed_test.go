package search_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

// A partial reads texts without the runs that have "kettle", as a program without
// OCR reads documents without their scans.
type partial struct{ *text.Resolver }

func (p partial) Version() string { return p.Resolver.Version() + " without kettles" }

func (p partial) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		for run, err := range p.Resolver.ReadText(ctx, src, loc) {
			if !strings.Contains(run.Text, "kettle") && !yield(run, err) {
				return
			}
		}
	}
}

// TestTwoForms has two programs that read texts differently search one folder in
// turn. Each finds all that it reads, and no source counts as changed. What the other
// put is seen after index.Latency.
func TestTwoForms(t *testing.T) {
	whole := newShelf(t, map[string]string{"tea.md": "# Tea\n\nGreen leaves.\n", "pot.md": "# Pot\n\nClay.\n\nIt has a lid.\n\n" + strings.Repeat("It is round.\n", 400) + "A kettle.\n"})
	ws, err := workspace.Open(whole.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	resolvers := modality.All()
	resolvers[citekit.Text] = partial{resolvers[citekit.Text].(*text.Resolver)}
	some := &shelf{dir: whole.dir, Library: citekit.New(ws, resolvers, nil)}
	some.Searcher = search.New(some.Library, nil)
	defer some.Close()
	for range 2 {
		for _, test := range []struct {
			s     *shelf
			query string
			total int
		}{
			{whole, "kettle", 1}, {some, "kettle", 0}, {whole, "leaves", 1}, {some, "leaves", 1},
			{some, "kettle", 0}, {whole, "kettle", 1},
		} {
			time.Sleep(2 * index.Latency)
			got := test.s.find(t, search.Request{Query: test.query})
			if !got.Complete || got.LeftOut != 0 || got.Total != test.total || len(got.Results) != test.total {
				t.Fatalf("%q: %d results of %d, complete %v, %d left out, hint %q", test.query, len(got.Results), got.Total, got.Complete, got.LeftOut, got.Hint)
			}
		}
	}
}

// A meddled is an index that another process changes right before a search.
type meddled struct {
	*index.Local
	before func()
}

func (m *meddled) Search(ctx context.Context, q index.Query) (*index.Result, error) {
	if before := m.before; before != nil {
		m.before = nil
		before()
	}
	return m.Local.Search(ctx, q)
}

// TestChangedMeanwhile has a program that reads less put its texts into the index
// between the check that the index is up to date and the search.
func TestChangedMeanwhile(t *testing.T) {
	whole := newShelf(t, map[string]string{"pot.md": "# Pot\n\nClay.\n\nIt has a lid.\n\n" + strings.Repeat("It is round.\n", 400) + "A kettle.\n"})
	local := index.New(whole.Workspace().(index.Store), nil)
	defer local.Close()
	changing := &meddled{Local: local}
	mine := search.New(whole.Library, search.WithIndex(changing))
	defer mine.Close()
	resolvers := modality.All()
	resolvers[citekit.Text] = partial{resolvers[citekit.Text].(*text.Resolver)}
	other := search.New(citekit.New(whole.Workspace(), resolvers, nil), nil)
	defer other.Close()
	for range 3 { // at first, what mine has just put is changed
		changing.before = func() {
			if err := other.Update(t.Context()); err != nil {
				t.Error(err)
			}
			time.Sleep(2 * index.Latency) // until mine sees it
		}
		got, err := mine.Search(t.Context(), search.Request{Query: "kettle"})
		if err != nil || got.Total != 1 || !got.Complete {
			t.Fatalf("%+v, %v", got, err)
		}
	}
}
