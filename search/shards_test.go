package search_test

import (
	"reflect"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace"
)

// A Searcher with several shards is brought up to date and finds what one without finds.
func TestShards(t *testing.T) {
	ws := workspace.NewMemory(nil)
	shelve(t, ws, 0, 1, 2, 3, 4, 5)
	var want []*search.Result
	for _, shards := range []int{0, 4} {
		lib := citekit.New(ws, modality.All(), nil)
		defer lib.Close()
		s := search.New(lib, &search.Options{Shards: shards})
		defer s.Close()
		if err := s.Update(ctx); err != nil {
			t.Fatal(err)
		}
		if err := s.Ready(ctx); err != nil {
			t.Error(err)
		}
		results, err := s.Search(ctx, search.Request{Query: "shared own3", TopK: 20})
		if err != nil || len(results.Results) != 12 || !results.Complete {
			t.Fatalf("%d shards: %+v, %v", shards, results, err)
		}
		if want == nil {
			want = results.Results
		}
		if !reflect.DeepEqual(results.Results, want) {
			t.Errorf("%d shards: %+v, and of one index %+v", shards, results.Results, want)
		}
		if missing, err := s.Unindexed(ctx); err != nil || len(missing) != 0 {
			t.Errorf("%d shards: not indexed are %q, %v", shards, missing, err)
		}
	}
}
