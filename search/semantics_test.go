package search_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

// A thesaurus is an Embedder in which the words of one line are the same.
type thesaurus struct {
	name  string
	lines []string
	fail  func(kind search.TextKind, texts []string) error // nil never fails

	mu       sync.Mutex
	passages []string // that were embedded
}

func newThesaurus(lines ...string) *thesaurus { return &thesaurus{name: "thesaurus", lines: lines} }

func (e *thesaurus) Name() string    { return e.name }
func (e *thesaurus) Dimensions() int { return len(e.lines) }

func (e *thesaurus) Embed(ctx context.Context, kind search.TextKind, texts []string) ([][]float32, error) {
	if e.fail != nil {
		if err := e.fail(kind, texts); err != nil {
			return nil, err
		}
	}
	var vectors [][]float32
	for _, text := range texts {
		v := make([]float32, len(e.lines))
		for i, line := range e.lines {
			for word := range strings.FieldsSeq(line) {
				v[i] += float32(strings.Count(strings.ToLower(text), word))
			}
		}
		vectors = append(vectors, v)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if kind == search.PassageText {
		e.passages = append(e.passages, texts...)
	}
	return vectors, ctx.Err()
}

// taken returns the passages that were embedded since the last call.
func (e *thesaurus) taken() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := e.passages
	e.passages = nil
	return list
}

// openSemantic opens a Searcher with semantics over a directory.
func openSemantic(t testing.TB, dir string, o search.Semantics) *shelf {
	t.Helper()
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if o.Wait == 0 {
		o.Wait = time.Minute
	}
	s := &shelf{dir: dir, Library: citekit.New(ws, modality.All(), nil)}
	s.Searcher = search.New(s.Library, &search.Options{Semantics: &o})
	t.Cleanup(func() { s.Close() })
	return s
}

func newSemantic(t testing.TB, files map[string]string, o search.Semantics) *shelf {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		write(t, dir, name, content)
	}
	s := openSemantic(t, dir, o)
	s.ingest(t)
	return s
}

// resources returns what was found, in order.
func resources(found *search.Results) string {
	var list []string
	for _, r := range found.Results {
		list = append(list, r.ResourceID)
	}
	return strings.Join(list, " ")
}

var garage = map[string]string{
	"a.md": "# Engines\n\nAn automobile has a motor and four wheels.\n",
	"b.md": "# Bread\n\nBread is baked in an oven from flour.\n",
	"c.md": "# Tax\n\nA car is taxed by its weight.\n",
}

// What means the like is found without its words, by filters too.
func TestSemantics(t *testing.T) {
	e := newThesaurus("car automobile vehicle", "bread loaf oven", "tax duty")
	s := newSemantic(t, garage, search.Semantics{Embedder: e})
	for _, c := range []struct {
		req  search.Request
		want string
	}{
		{search.Request{Query: "car"}, "c a"},
		{search.Request{Query: "vehicle"}, "a c"},
		{search.Request{Query: "loaf", By: search.ByResources}, "b"},
		{search.Request{Query: "loaf", By: search.ByNodes}, "b"},
		{search.Request{Query: "vehicle -motor"}, "c"},
		{search.Request{Query: `vehicle "four wheels"`}, "a"},
		{search.Request{Query: "vehicle", Filters: index.Filters{Without: []string{"a"}}}, "c"},
		{search.Request{Query: "vehicle", Filters: index.Filters{Path: "c.*"}}, "c"},
		{search.Request{Query: "vehicle", TopK: 1}, "a"},
		{search.Request{Query: "car", Expand: true}, "c a"},
		{search.Request{Query: "zither"}, ""},
		{search.Request{Query: "-motor"}, ""},
	} {
		found := s.find(t, c.req)
		if got := resources(found); got != c.want {
			t.Errorf("%+v finds %q, want %q", c.req, got, c.want)
		}
		if !found.Complete || found.Degraded != "" || found.Total < len(found.Results) {
			t.Errorf("%+v: %d of %d, complete %v, degraded %q", c.req, len(found.Results), found.Total, found.Complete, found.Degraded)
		}
	}
	found := s.find(t, search.Request{Query: "vehicle", TopK: 1, Rationale: true})
	if why := found.Results[0].Rationale; len(why) != 1 || why[0].Fields[0] != "vector" || found.Total != 2 {
		t.Errorf("rationale %+v, total %d", why, found.Total)
	}
	similar, err := s.Similar(ctx, search.SimilarRequest{Text: "vehicle"})
	if err != nil || len(similar.Results) != 0 {
		t.Errorf("Similar finds %q, %v; it goes by words", resources(similar), err)
	}
}

// An unsized is an embedder that does not know how many numbers it makes.
type unsized struct{ *thesaurus }

func (unsized) Dimensions() int { return 0 }

// How many numbers vectors have is learned, whichever text comes first.
func TestUnsizedEmbedder(t *testing.T) {
	e := newThesaurus("car automobile vehicle", "bread loaf oven", "tax duty")
	s := newSemantic(t, garage, search.Semantics{Embedder: unsized{e}})
	for range 2 {
		if found := s.find(t, search.Request{Query: "vehicle"}); resources(found) != "a c" || !found.Complete {
			t.Errorf("found %q, degraded %q", resources(found), found.Degraded)
		}
		e.taken()
		s.Close()
		s = openSemantic(t, s.dir, search.Semantics{Embedder: unsized{e}})
	}
	if err := s.Embed(ctx); err != nil {
		t.Fatal(err)
	}
	if got := e.taken(); len(got) > 1 {
		t.Errorf("embedded %q again", got)
	}
}

// Scores of both rankings add up as weights say.
func TestWeights(t *testing.T) {
	e := newThesaurus("car automobile vehicle", "bread loaf oven", "tax duty")
	s := newSemantic(t, garage, search.Semantics{Embedder: e, LexicalWeight: 1, VectorWeight: 3, K: 1})
	found := s.find(t, search.Request{Query: "car tax"})
	// By words c alone is found. By vectors c is first, then a.
	want := []float64{1, (1. + 1) / (1 + 3) * 3 / (1 + 2)}
	for i, w := range want {
		if got := found.Results[i].Score; math.Abs(got-w) > 1e-9 {
			t.Errorf("score %d is %v, want %v", i, got, w)
		}
	}
}

// Vectors are made once, also for another Searcher, and again only for what
// changed.
func TestVectorsAreKept(t *testing.T) {
	lines := []string{"car automobile vehicle", "bread loaf oven", "tax duty"}
	e := newThesaurus(lines...)
	s := newSemantic(t, garage, search.Semantics{Embedder: e})
	if err := s.Embed(ctx); err != nil {
		t.Fatal(err)
	}
	if n := len(e.taken()); n != 3 {
		t.Errorf("%d passages were embedded, want 3", n)
	}
	s.Close()

	s = openSemantic(t, s.dir, search.Semantics{Embedder: e})
	if got := resources(s.find(t, search.Request{Query: "vehicle"})); got != "a c" {
		t.Errorf("found %q", got)
	}
	write(t, s.dir, "b.md", garage["b.md"]+"\n# Butter\n\nA vehicle brings it.\n")
	s.ingest(t)
	if got := resources(s.find(t, search.Request{Query: "automobile", By: search.ByResources})); got != "a b c" {
		t.Errorf("found %q", got)
	}
	if got := e.taken(); len(got) != 1 || !strings.Contains(got[0], "vehicle") {
		t.Errorf("embedded %q, want the new passage", got)
	}
	s.Close()

	other := newThesaurus(lines...)
	other.name = "another"
	s = openSemantic(t, s.dir, search.Semantics{Embedder: other})
	s.find(t, search.Request{Query: "vehicle"})
	if n := len(other.taken()); n != 4 {
		t.Errorf("another model embedded %d passages, want 4", n)
	}
}

// What was made before a failure or the end is kept, and the search goes on by
// words.
func TestInterruptedVectors(t *testing.T) {
	sharedtest.NotShort(t)
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("f%02d.md", i)] = fmt.Sprintf("# Part\n\nCar number%d.\n", i)
	}
	e := newThesaurus("car automobile", "bread")
	var calls int
	e.fail = func(kind search.TextKind, texts []string) error {
		if kind == search.QueryText {
			return nil
		}
		if calls++; calls > 2 {
			return errors.New("secret text " + texts[0])
		}
		return nil
	}
	s := newSemantic(t, files, search.Semantics{Embedder: e, Batch: 4})
	found := s.find(t, search.Request{Query: "number7", By: search.ByResources})
	if !strings.HasPrefix(resources(found), "f07") || found.Complete || found.Degraded != "the vectors of 12 resources are not made yet" {
		t.Errorf("found %q, complete %v, degraded %q", resources(found), found.Complete, found.Degraded)
	}
	if err := s.Embed(ctx); err == nil {
		t.Error("no error of the embedder")
	}
	s.Close()
	e.fail = nil
	e.taken()
	s = openSemantic(t, s.dir, search.Semantics{Embedder: e, Batch: 4})
	if err := s.Embed(ctx); err != nil {
		t.Fatal(err)
	}
	if n := len(e.taken()); n != 12 {
		t.Errorf("%d passages were embedded, want 12", n)
	}
	if found := s.find(t, search.Request{Query: "automobile"}); !found.Complete || found.Total != 20 {
		t.Errorf("%d found, complete %v", found.Total, found.Complete)
	}
}

// A part of a resource that was embedded is not embedded again.
func TestInterruptedResource(t *testing.T) {
	var b strings.Builder
	for i := range 10 {
		fmt.Fprintf(&b, "# Part %d\n\nCar number%d.\n\n", i, i)
	}
	e := newThesaurus("car automobile", "bread")
	calls := 0
	e.fail = func(search.TextKind, []string) error {
		if calls++; calls > 3 {
			return errors.New("no more")
		}
		return nil
	}
	s := newSemantic(t, map[string]string{"a.md": b.String()}, search.Semantics{Embedder: e, Batch: 2})
	if err := s.Embed(ctx); err == nil {
		t.Fatal("no error")
	}
	s.Close()
	if n := len(e.taken()); n != 6 {
		t.Fatalf("embedded %d passages, want 6", n)
	}
	e.fail = nil
	s = openSemantic(t, s.dir, search.Semantics{Embedder: e, Batch: 2})
	if err := s.Embed(ctx); err != nil {
		t.Fatal(err)
	}
	if n := len(e.taken()); n != 4 {
		t.Errorf("embedded %d passages after that, want 4", n)
	}
}

// Texts that a model refuses keep no other from its vector, however many are
// embedded at once.
func TestRefusedText(t *testing.T) {
	sharedtest.NotShort(t)
	for _, refused := range []string{"Bread", "#"} { // one, or all
		for batch := range 4 {
			e := newThesaurus("car automobile vehicle", "bread loaf oven", "tax duty")
			e.fail = func(kind search.TextKind, texts []string) error {
				if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, refused) }) {
					return errors.New("refused")
				}
				return nil
			}
			s := newSemantic(t, garage, search.Semantics{Embedder: e, Batch: batch})
			if err := s.Embed(ctx); err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"Bread": "a c", "#": ""}[refused]
			if found := s.find(t, search.Request{Query: "vehicle"}); resources(found) != want || !found.Complete {
				t.Errorf("%s, %d at once: found %q, degraded %q", refused, batch, resources(found), found.Degraded)
			}
		}
	}
}

// A resource that is gone lacks no vectors, though the index may still have it.
func TestVectorsOfNone(t *testing.T) {
	s := newSemantic(t, garage, search.Semantics{Embedder: newThesaurus("car automobile vehicle", "bread loaf oven", "tax duty")})
	if err := s.Embed(ctx); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(s.dir, ".resource_maps", "b.json")); err != nil {
		t.Fatal(err)
	}
	if err := s.Embed(ctx); err != nil {
		t.Fatal(err)
	}
	if found := s.find(t, search.Request{Query: "vehicle"}); resources(found) != "a c" || !found.Complete || found.Degraded != "" {
		t.Errorf("found %q, degraded %q", resources(found), found.Degraded)
	}
}

// A source that changed since it was indexed lacks no vectors, and is left out.
func TestVectorsOfChanged(t *testing.T) {
	s := newShelf(t, garage)
	if err := s.Update(ctx); err != nil {
		t.Fatal(err)
	}
	s.Close()
	write(t, s.dir, "b.md", "# Butter\n\nAnother text.\n")
	s = openSemantic(t, s.dir, search.Semantics{Embedder: newThesaurus("car automobile vehicle", "bread loaf oven", "tax duty")})
	if err := s.Embed(ctx); err != nil {
		t.Fatal(err)
	}
	if found := s.find(t, search.Request{Query: "vehicle"}); resources(found) != "a c" || !found.Complete || found.Degraded != "" || found.LeftOut != 1 {
		t.Errorf("found %q, degraded %q, %d left out", resources(found), found.Degraded, found.LeftOut)
	}
}

// A countingStore counts how often vectors are opened.
type countingStore struct {
	*workspace.Directory
	opened atomic.Int64
}

func (c *countingStore) OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	content, stored, err := c.Directory.OpenEvidence(ctx, key)
	if err == nil && strings.HasSuffix(stored.Name, ".vec") {
		c.opened.Add(1)
	}
	return content, stored, err
}

// Vectors that have no room are not read again and again, and get what others
// leave.
func TestCrowdedVectors(t *testing.T) {
	dir := t.TempDir()
	for name, content := range garage {
		write(t, dir, name, content)
	}
	directory, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	ws := &countingStore{Directory: directory}
	e := newThesaurus("car automobile vehicle", "bread loaf oven", "tax duty")
	s := &shelf{dir: dir, Library: citekit.New(ws, modality.All(), nil)}
	s.Searcher = search.New(s.Library, &search.Options{Semantics: &search.Semantics{Embedder: e, MaxBytes: 2 * (4 + 3), Wait: time.Minute}})
	defer s.Close()
	s.ingest(t)
	for range 3 {
		if err := s.Embed(ctx); err != nil {
			t.Fatal(err)
		}
		found := s.find(t, search.Request{Query: "vehicle"})
		if resources(found) != "a" || found.Degraded != "the vectors of 1 resource have no room" {
			t.Errorf("found %q, degraded %q", resources(found), found.Degraded)
		}
	}
	if n := ws.opened.Load(); n != 0 {
		t.Errorf("vectors were opened %d times", n)
	}
	if err := os.Remove(filepath.Join(dir, ".resource_maps", "b.json")); err != nil {
		t.Fatal(err)
	}
	if err := s.Embed(ctx); err != nil {
		t.Fatal(err)
	}
	if found := s.find(t, search.Request{Query: "vehicle"}); resources(found) != "a c" || found.Degraded != "" {
		t.Errorf("found %q, degraded %q", resources(found), found.Degraded)
	}
	if n := len(e.taken()); n != 3 {
		t.Errorf("%d passages were embedded, want 3", n)
	}
}

// Damaged and foreign vectors are made again.
func TestDamagedVectors(t *testing.T) {
	e := newThesaurus("car automobile vehicle", "bread loaf oven", "tax duty")
	s := newSemantic(t, garage, search.Semantics{Embedder: e})
	if err := s.Embed(ctx); err != nil {
		t.Fatal(err)
	}
	s.Close()
	e.taken()
	damaged := 0
	filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".vec") {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			data[len(data)-1] ^= 0x40
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			damaged++
		}
		return nil
	})
	s = openSemantic(t, s.dir, search.Semantics{Embedder: e})
	if err := s.Embed(ctx); err != nil {
		t.Fatal(err)
	}
	if n := len(e.taken()); damaged != 3 || n != 3 {
		t.Errorf("%d files were damaged, and %d passages embedded again", damaged, n)
	}
}

// Whatever a model does, a search answers by words.
func TestFailingModels(t *testing.T) {
	sharedtest.NotShort(t)
	words := []string{"car automobile vehicle", "bread loaf oven", "tax duty"}
	for name, c := range map[string]struct {
		embedder search.Embedder
		reranker search.Reranker
		want     string
	}{
		"error":     {embedder: broken{err: errors.New("secret")}, want: "the embedder failed"},
		"hangs":     {embedder: broken{hang: true}, want: "the embedder did not answer in time"},
		"panics":    {embedder: broken{panics: true}, want: "the embedder failed"},
		"few":       {embedder: broken{vectors: [][]float32{}}, want: "the embedder failed"},
		"empty":     {embedder: broken{vectors: [][]float32{{}}}, want: "the embedder failed"},
		"infinite":  {embedder: broken{vectors: [][]float32{{float32(math.Inf(1)), 0, 0}}}, want: "the embedder failed"},
		"size":      {embedder: broken{vectors: [][]float32{{1, 2}}}, want: "the embedder failed"},
		"rerank":    {reranker: judge(func([]string) ([]float64, error) { return nil, errors.New("secret") }), want: "the reranker failed"},
		"few marks": {reranker: judge(func([]string) ([]float64, error) { return []float64{}, nil }), want: "the reranker failed"},
		"nan":       {reranker: judge(func(texts []string) ([]float64, error) { return []float64{math.NaN(), 0}[:len(texts)], nil }), want: "the reranker failed"},
		"panic":     {reranker: judge(func([]string) ([]float64, error) { panic("secret") }), want: "the reranker failed"},
		"slow":      {reranker: judge(func([]string) ([]float64, error) { select {} }), want: "the reranker did not answer in time"},
		"both":      {embedder: newThesaurus(words...), reranker: judge(func([]string) ([]float64, error) { return nil, errors.New("secret") }), want: "the reranker failed"},
	} {
		t.Run(name, func(t *testing.T) {
			o := search.Semantics{Embedder: c.embedder, Reranker: c.reranker}
			if strings.Contains(c.want, "in time") {
				o.Wait = 50 * time.Millisecond
			}
			s := newSemantic(t, garage, o)
			found := s.find(t, search.Request{Query: "car"})
			if !strings.HasPrefix(resources(found), "c") || found.Complete || found.Degraded != c.want {
				t.Errorf("found %q, complete %v, degraded %q", resources(found), found.Complete, found.Degraded)
			}
		})
	}
}

// A broken is an Embedder that does what it should not.
type broken struct {
	err          error
	hang, panics bool
	vectors      [][]float32
}

func (broken) Name() string    { return "broken" }
func (broken) Dimensions() int { return 3 }

func (b broken) Embed(context.Context, search.TextKind, []string) ([][]float32, error) {
	switch {
	case b.hang:
		select {}
	case b.panics:
		panic("secret")
	}
	return b.vectors, b.err
}

// judge is a Reranker.
type judge func(texts []string) ([]float64, error)

func (j judge) Rerank(_ context.Context, _ string, texts []string) ([]float64, error) {
	return j(texts)
}

// The Reranker sees the best passages with their titles, and its order counts.
func TestRerank(t *testing.T) {
	var seen []string
	shortest := judge(func(texts []string) (scores []float64, err error) {
		seen = append(seen, texts...)
		for _, text := range texts {
			scores = append(scores, -float64(len(text)))
		}
		return scores, nil
	})
	s := newSemantic(t, map[string]string{
		"a.md": "# Car\n\nA car, a car, a car, a car and a car.\n",
		"b.md": "# Bus\n\nA car.\n",
		"c.md": "# Tram\n\nThe car of a tram.\n",
	}, search.Semantics{Reranker: shortest})
	found := s.find(t, search.Request{Query: "car"})
	if resources(found) != "b c a" || !found.Complete || found.Total != 3 {
		t.Errorf("found %q of %d, degraded %q", resources(found), found.Total, found.Degraded)
	}
	if len(seen) != 3 || !slices.Contains(seen, "# Bus\n\nA car.\n") {
		t.Errorf("the reranker saw %q", seen)
	}
	found = s.find(t, search.Request{Query: "car", By: search.ByResources, TopK: 1})
	if resources(found) != "b" {
		t.Errorf("found %q", resources(found))
	}
}

// Options that mean nothing are errors.
func TestSemanticsOptions(t *testing.T) {
	s := newShelf(t, nil)
	e := newThesaurus("car")
	for _, o := range []search.Semantics{
		{Embedder: e, Rerank: 201}, {Embedder: e, Rerank: -1}, {Embedder: e, Batch: -1}, {Embedder: e, Batch: 3000},
		{Embedder: e, K: math.NaN()}, {Embedder: e, VectorWeight: -1}, {Embedder: e, Wait: -1}, {Embedder: e, MaxBytes: -1},
		{Embedder: &thesaurus{}},
	} {
		wrong := search.New(s.Library, &search.Options{Semantics: &o})
		if _, err := wrong.Search(t.Context(), search.Request{Query: "car"}); !errors.Is(err, citekit.ErrSyntax) || err != wrong.Err() {
			t.Errorf("%+v: %v", o, err)
		}
		wrong.Close()
	}
}

// Any number of searches at once share one pass, while maps change.
func TestSemanticsAtOnce(t *testing.T) {
	s := newSemantic(t, garage, search.Semantics{Embedder: newThesaurus("car automobile vehicle", "bread loaf oven", "tax duty")})
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 5 {
				found, err := s.Search(ctx, search.Request{Query: "vehicle"})
				if err != nil {
					t.Error(err)
				} else if got := resources(found); got != "a c" {
					t.Errorf("found %q, degraded %q", got, found.Degraded)
				}
			}
		})
	}
	wait.Wait()
}
