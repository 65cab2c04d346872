package verify_test

import (
	"errors"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/verify"
	"github.com/citekit/citekit/workspace"
)

// TestNoResolver verifies a quote of a resource that only another program reads.
func TestNoResolver(t *testing.T) {
	s := newShelf(t, map[string]string{"tea.md": "# Tea\n\nGreen leaves are steeped.\n"})
	s.write(t, "plant.jsonl", "chat\nThe fern likes shade and water.\n")
	ws, err := workspace.Open(s.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	resolvers := modality.All()
	resolvers[linetest.Chat] = linetest.Chats{}
	own := citekit.New(ws, resolvers, nil)
	defer own.Close()
	if _, err := ingest.Run(t.Context(), own, []string{"."}, nil); err != nil {
		t.Fatal(err)
	}
	const quote = "The fern likes shade and water"
	searcher := search.New(own, nil)
	defer searcher.Close()

	for name, v := range map[string]*verify.Verifier{"with a searcher": s.Verifier, "without": verify.New(s.Library, nil)} {
		got, err := v.Quote(t.Context(), verify.Request{Quote: quote})
		if err != nil || got.Class != verify.NotFound || got.LeftOut != 1 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		var missing *citekit.NoResolverError
		got, err = v.Quote(t.Context(), verify.Request{Quote: quote, Address: citekit.Address{Resource: "plant"}})
		if err != nil || got.Class != verify.Unchecked || !errors.As(got.Problem, &missing) {
			t.Errorf("%s, at its address: %+v, %v", name, got, err)
		}
	}
	got, err := verify.New(own, &verify.Options{Searcher: searcher}).Quote(t.Context(), verify.Request{Quote: quote})
	if err != nil || got.Class != verify.Exact || got.LeftOut != 0 {
		t.Errorf("with its resolver: %+v, %v", got, err)
	}
}
