package index_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
)

// A filelessStore has evidence that is in no file of this machine.
type filelessStore struct{ *workspace.Directory }

func (s filelessStore) OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	content, stored, err := s.Directory.OpenEvidence(ctx, key)
	return struct{ io.ReadSeekCloser }{content}, stored, err
}

// A cachedStore has evidence that a file of this machine holds, such as one of a cache.
type cachedStore struct{ *workspace.Directory }

func (s cachedStore) OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	content, stored, err := s.Directory.OpenEvidence(ctx, key)
	if err != nil {
		return nil, nil, err
	}
	return cachedContent{content, content.(*os.File)}, stored, nil
}

type cachedContent struct {
	io.ReadSeekCloser
	file *os.File
}

func (c cachedContent) LocalFile() (*os.File, error) { return c.file, nil }

// stores are the kinds of stores that an index can be in.
var stores = map[string]func(t testing.TB) index.Store{
	"directory": func(t testing.TB) index.Store { return directory(t, t.TempDir()) },
	"memory":    func(testing.TB) index.Store { return workspace.NewMemory(nil) },
	"driver":    func(testing.TB) index.Store { return workspace.FromDriver(driver.NewMemory(), nil) },
	"no file":   func(t testing.TB) index.Store { return filelessStore{directory(t, t.TempDir())} },
	"a cache":   func(t testing.TB) index.Store { return cachedStore{directory(t, t.TempDir())} },
}

// words are those of the texts of these tests. The first are the most common.
var words = []string{"whale", "ship", "sea", "captain", "harpoon", "rope", "island", "storm", "lantern", "anchor", "Haus", "Zugspitze"}

// library returns resources of random texts, some of them large enough that their segment
// is not a small one.
func library(n int) (all []index.Resource) {
	random := rand.New(rand.NewPCG(7, 7))
	for i := range n {
		texts := make([]string, 1+random.IntN(20))
		for j := range texts {
			for range 5 + random.IntN(40) {
				texts[j] += words[min(random.IntN(len(words)), random.IntN(len(words)))] + " "
			}
			texts[j] += fmt.Sprint("number", i)
		}
		all = append(all, resource(fmt.Sprintf("r%03d", i), "1", texts...))
	}
	return all
}

// questions are queries about a library.
var questions = []index.Query{
	{Text: "whale"},
	{Text: "the captain of the ship", TopK: 50},
	{Text: `"whale ship" storm`, TopK: 1000},
	{Text: "lantern -anchor", Explain: true},
	{Text: "isl* zugspitze", TopK: 100},
	{Text: "hapoon number17"}, // one is misspelled
	{Text: "sea rope", Filters: index.Filters{Resources: []string{"r003", "r021"}}, TopK: 30},
	{Text: "whale ship sea captain harpoon rope", TopK: 20},
	{Text: "nothing of this"},
}

// answers returns what an index answers to all questions.
func answers(t testing.TB, x *index.Local) (all []index.Result) {
	t.Helper()
	for _, q := range questions {
		for _, search := range []func(context.Context, index.Query) (*index.Result, error){
			x.Search,
			func(ctx context.Context, q index.Query) (*index.Result, error) { return x.Similar(ctx, q, 1) },
			func(ctx context.Context, q index.Query) (*index.Result, error) {
				return x.Expand(ctx, q, []index.Feedback{{Text: "a storm at sea", Language: "en", Weight: 1}})
			},
			func(ctx context.Context, q index.Query) (*index.Result, error) {
				return x.Score(ctx, q, func(resource, _ string) index.Scores {
					return func(ordinal int) (float64, bool) { return float64(len(resource)*7919%(ordinal+13)) / 8, true }
				})
			},
		} {
			got, err := search(ctx, q)
			if err != nil {
				t.Fatalf("%q: %v", q.Text, err)
			}
			got.Weights = nil
			all = append(all, *got)
		}
	}
	return all
}

// An index gives the same answers, with the same scores, whatever its store is.
func TestStoresAnswerAlike(t *testing.T) {
	var want []index.Result
	for name, store := range stores {
		x := index.New(store(t), &index.Options{MergeAll: true})
		t.Cleanup(func() { x.Close() })
		put(t, x, library(400)...)
		put(t, x, resource("r100", "2", "the whale of another version"))
		if err := x.Delete(ctx, "r007"); err != nil {
			t.Fatal(err)
		}
		if stats, err := x.Stats(ctx); err != nil || stats.Bytes < 4<<16 {
			t.Errorf("%s: the segments are small: %+v, %v", name, stats, err)
		}
		got := answers(t, x)
		if want == nil {
			want = got
		}
		if hits := len(got[0].Hits); hits != 10 {
			t.Errorf("%s: %d hits", name, hits)
		}
		for i := range got {
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Errorf("%s: answer %d is\n%+v, and in another store\n%+v", name, i, got[i], want[i])
			}
		}
	}
}
