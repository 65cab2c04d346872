package relations_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/relations"
	"github.com/citekit/citekit/workspace"
)

// A linkReader yields one link, then panics if it shall.
type linkReader struct {
	linetest.Resolver
	panics bool
}

func (r *linkReader) ReadLinks(context.Context, *citekit.Source) iter.Seq2[relations.Link, error] {
	return func(yield func(relations.Link, error) bool) {
		yield(relations.Link{Kind: "hyperlink", Target: "b"}, nil)
		if r.panics {
			panic("a bug")
		}
	}
}

// TestReadLinks reads links, and what cannot be read: a resolver that panics, a
// source that changed, a modality without links.
func TestReadLinks(t *testing.T) {
	const hash = "0000000000000000000000000000000000000000000000000000000000000000"
	for _, test := range []struct {
		name     string
		resolver citekit.Resolver
		metadata string
		links    int
		want     string // in the error
		is       error
	}{
		{"links", &linkReader{}, "", 1, "", nil},
		{"panic", &linkReader{panics: true}, "", 0, "the text resolver failed", nil},
		{"stale", &linkReader{}, `,"metadata":{"source_hash":"` + hash + `"}`, 0, "map it again", citekit.ErrStale},
		{"none", &linetest.Resolver{}, "", 0, "the links of a text source", errors.ErrUnsupported},
	} {
		ws := workspace.NewMemory(nil)
		ws.AddSource("a.txt", []byte("one\n"))
		if err := ws.WriteMap(t.Context(), "a", []byte(`{"resource_id":"a","type":"text","source_path":"a.txt","nodes":[]`+test.metadata+`}`)); err != nil {
			t.Fatal(err)
		}
		lib := citekit.New(ws, citekit.Resolvers{citekit.Text: test.resolver}, nil)
		defer lib.Close()
		links, failed := 0, error(nil)
		for _, err := range relations.ReadLinks(t.Context(), lib, "a") {
			if failed = err; err == nil {
				links++
			}
		}
		switch {
		case links != test.links, (failed != nil) != (test.want != ""):
			t.Errorf("%s: %d links, %v", test.name, links, failed)
		case failed != nil && !strings.Contains(failed.Error(), test.want), test.is != nil && !errors.Is(failed, test.is):
			t.Errorf("%s: %v", test.name, failed)
		}
	}
}
