package search_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/search"
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
// turn. Each finds all that it reads, and no source counts as changed.
func TestTwoForms(t *testing.T) {
	whole := newShelf(t, map[string]string{"tea.md": "# Tea\n\nGreen leaves.\n", "pot.md": "# Pot\n\nClay.\n\nIt has a lid.\n\n" + strings.Repeat("It is round.\n", 400) + "A kettle.\n"})
	ws, err := workspace.Open(whole.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	resolvers := modality.All()
	resolvers[citekit.Text] = partial{resolvers[citekit.Text].(*text.Resolver)}
	some := &shelf{dir: whole.dir, Library: citekit.New(ws, resolvers, nil)}
	if some.Searcher, err = search.New(some.Library, nil); err != nil {
		t.Fatal(err)
	}
	defer some.Close()
	for range 4 {
		for _, test := range []struct {
			s     *shelf
			query string
			total int
		}{
			{whole, "kettle", 1}, {some, "kettle", 0}, {whole, "leaves", 1}, {some, "leaves", 1},
			{some, "kettle", 0}, {whole, "kettle", 1},
		} {
			got := test.s.find(t, search.Request{Query: test.query})
			if !got.Complete || got.LeftOut != 0 || got.Total != test.total || len(got.Results) != test.total {
				t.Fatalf("%q: %d results of %d, complete %v, %d left out, hint %q", test.query, len(got.Results), got.Total, got.Complete, got.LeftOut, got.Hint)
			}
		}
	}
}
