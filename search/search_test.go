package search_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/test/faulttest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

var ctx = context.Background()

// A shelf is a Library over files that a test made, with a Searcher.
type shelf struct {
	dir string
	*citekit.Library
	*search.Searcher
}

func (s *shelf) Close() error { return errors.Join(s.Searcher.Close(), s.Library.Close()) }

func newShelf(t testing.TB, files map[string]string) *shelf {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		write(t, dir, name, content)
	}
	s := openShelf(t, dir)
	s.ingest(t)
	return s
}

func openShelf(t testing.TB, dir string) *shelf {
	t.Helper()
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{dir: dir, Library: citekit.New(ws, modality.All(), nil)}
	s.Searcher = search.New(s.Library, nil)
	t.Cleanup(func() { s.Close() })
	return s
}

func write(t testing.TB, dir, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s *shelf) ingest(t testing.TB) {
	t.Helper()
	report, err := ingest.Run(ctx, s.Library, []string{"."}, nil)
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// find searches, and checks what holds of every answer: scores descend,
// snippets are text of the addresses, and highlights words in them.
func (s *shelf) find(t testing.TB, req search.Request) *search.Results {
	t.Helper()
	found, err := s.Search(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	layers := textlayer.New(s.Library, nil)
	score := found.Results
	for i, r := range found.Results {
		if i > 0 && r.Score > score[i-1].Score {
			t.Errorf("result %d has a higher score than the one before", i)
		}
		checkSnippet(t, layers, r)
	}
	if req.TopK == 0 {
		data, err := json.Marshal(found)
		if n := plain.CountTokens(string(data)); err != nil || n > 1000 {
			t.Errorf("an answer of %d tokens, %v", n, err)
		}
	}
	return found
}

func checkSnippet(t testing.TB, layers *textlayer.Store, r *search.Result) {
	t.Helper()
	if _, err := citekit.ParseAddress(r.Address.String()); err != nil {
		t.Error(err)
	}
	layer, err := layers.Open(ctx, r.ResourceID)
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer layer.Close()
	loc := r.Address.Location
	if loc.Table != "" && len(loc.Pages) > 0 {
		loc = textlayer.Widened(loc)
	}
	ranges, err := layer.Ranges(loc)
	if err != nil || len(ranges) != 1 {
		t.Fatal(ranges, err)
	}
	text, err := layer.Text(ctx, ranges[0].From, ranges[0].To)
	if shown := strings.Trim(r.Snippet, "…"); err != nil || !strings.Contains(text, shown) {
		t.Errorf("the text at %s has no %q", r.Address, shown)
	}
	points, at := []rune(r.Snippet), 0
	for _, h := range r.Highlights {
		if h[0] < at || h[1] <= h[0] || h[1] > len(points) || strings.ContainsAny(string(points[h[0]:h[1]]), " \n…") {
			t.Errorf("highlight %v in %q", h, r.Snippet)
		}
		at = h[1]
	}
}

func addresses(found *search.Results) string {
	var list []string
	for _, r := range found.Results {
		list = append(list, r.Address.String())
	}
	return strings.Join(list, " ")
}

var library = map[string]string{
	"tea.md":     "# Tea\n\nGreen or black.\n\n## Water\n\nEighty degrees for green tea.\n\n## Time\n\nThree minutes.\n",
	"coffee.md":  "# Coffee\n\nGround finely.\n\n## Water\n\nNinety degrees, never boiling.\n",
	"talk.srt":   "1\n00:00:01,000 --> 00:00:04,000\nWelcome to the greenhouse.\n\n2\n00:01:30,000 --> 00:01:34,000\nTomatoes need warm nights.\n",
	"src/pot.go": "package pot\n\n// Boil heats the kettle.\nfunc Boil(degrees int) {\n\theatKettle(degrees)\n}\n\n// Pour fills a cup.\nfunc Pour() {}\n",
}

func TestSearch(t *testing.T) {
	s := newShelf(t, library)
	m, err := s.Map(ctx, "coffee")
	if err != nil {
		t.Fatal(err)
	}
	m = m.Clone()
	m.Metadata["author"], m.Metadata["tags"] = "Byron, Ada; C. Babbage", []any{"drinks", "hot"}
	if err := s.Save(ctx, m); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		req  search.Request
		want string
	}{
		{search.Request{Query: "three minutes"}, "text://tea#lines=9-11"},
		{search.Request{Query: "boiling"}, "text://pot#lines=3-6 text://coffee#lines=5-7"},
		{search.Request{Query: "kettle"}, "text://pot#lines=3-6"},
		{search.Request{Query: "tomatoes"}, "text://talk#lines=5-7"},
		{search.Request{Query: "degrees -ninety", Filters: index.Filters{Path: "*.md"}}, "text://tea#lines=5-8"},
		{search.Request{Query: `"warm nights"`}, "text://talk#lines=5-7"},
		{search.Request{Query: "title:water green"}, "text://tea#lines=5-8 text://coffee#lines=5-7"},
		{search.Request{Query: "degrees", Filters: index.Filters{Authors: []string{"Byron, Ada"}}}, "text://coffee#lines=5-7"},
		{search.Request{Query: "degrees", Filters: index.Filters{Labels: []string{"hot"}}}, "text://coffee#lines=5-7"},
		{search.Request{Query: "degrees", Filters: index.Filters{Resources: []string{"tea"}}}, "text://tea#lines=5-8"},
		{search.Request{Query: "degrees", Filters: index.Filters{Modalities: []citekit.Modality{citekit.Video}}}, ""},
		{search.Request{Query: "degrees", Filters: index.Filters{After: time.Now().Add(time.Hour)}}, ""},
		{search.Request{Query: "water", By: search.ByResources, Filters: index.Filters{Resources: []string{"tea"}}}, "text://tea"},
		{search.Request{Query: "zebra"}, ""},
		{search.Request{Query: "the of and"}, "text://talk#lines=1-3 text://pot#lines=3-6"},
	} {
		found := s.find(t, test.req)
		if got := addresses(found); got != test.want || !found.Complete {
			t.Errorf("%v: found %s, want %s", test.req, got, test.want)
		}
	}
}

func TestResult(t *testing.T) {
	s := newShelf(t, library)
	found := s.find(t, search.Request{Query: "eighty DEGREES", Rationale: true})
	r := found.Results[0]
	if r.NodeID != "tea.water" || r.Title != "Water" || fmt.Sprint(r.Path) != "[Tea]" || r.Modality != citekit.Text {
		t.Errorf("node %s, title %s, path %v, modality %s", r.NodeID, r.Title, r.Path, r.Modality)
	}
	var words []string
	for _, h := range r.Highlights {
		words = append(words, string([]rune(r.Snippet)[h[0]:h[1]]))
	}
	if got := strings.Join(words, " "); got != "Eighty degrees" {
		t.Errorf("highlights are %q of %q", got, r.Snippet)
	}
	if len(r.Rationale) < 2 || r.Rationale[0].Score <= 0 || len(r.Rationale[0].Fields) == 0 {
		t.Errorf("rationale %v", r.Rationale)
	}
	if found.Total != 3 || !found.Exact {
		t.Errorf("total %d", found.Total)
	}
}

func TestByNodesAndResources(t *testing.T) {
	text := "# Long\n\n"
	for i := range 200 {
		text += fmt.Sprintf("Paragraph %d is about whales and the sea, and goes on for some time.\n\n", i)
	}
	s := newShelf(t, map[string]string{"long.md": text})
	if n := len(s.find(t, search.Request{Query: "whales", TopK: 5}).Results); n != 5 {
		t.Errorf("%d passages", n)
	}
	for _, by := range []search.By{search.ByNodes, search.ByResources} {
		found := s.find(t, search.Request{Query: "whales", By: by, TopK: 5})
		if len(found.Results) != 1 || found.Total != 1 {
			t.Errorf("by %s: %d results of %d", by, len(found.Results), found.Total)
		}
	}
}

// A node that is found by the words above it is shown with them.
func TestByNodesWithLead(t *testing.T) {
	s := newShelf(t, library)
	for _, by := range []search.By{search.ByPassages, search.ByNodes} {
		first := s.find(t, search.Request{Query: "heats kettle", By: by}).Results[0]
		if got := first.Address.String(); got != "text://pot#lines=3-6" || first.NodeID != "Boil" {
			t.Errorf("by %s: %s of %s", by, got, first.NodeID)
		}
	}
}

// TestChanges changes sources and maps in every way, and searches in the same
// process, in another, and again with the same Searcher.
func TestChanges(t *testing.T) {
	s := newShelf(t, library)
	other := openShelf(t, s.dir)
	both := func(query, want string) {
		t.Helper()
		for i, shelf := range []*shelf{s, other, openShelf(t, s.dir)} {
			if got := addresses(shelf.find(t, search.Request{Query: query})); got != want {
				t.Errorf("%q: searcher %d found %q, want %q", query, i, got, want)
			}
		}
	}
	both("minutes", "text://tea#lines=9-11")
	write(t, s.dir, "tea.md", "# Tea\n\nFive minutes, at least.\n")
	both("minutes", "") // the source is not what was mapped
	s.ingest(t)
	both("minutes", "text://tea#lines=1-3")
	both("eighty", "")
	write(t, s.dir, "cake.md", "# Cake\n\nForty minutes in the oven.\n")
	s.ingest(t)
	both("oven", "text://cake#lines=1-3")
	if err := os.Remove(filepath.Join(s.dir, "cake.md")); err != nil {
		t.Fatal(err)
	}
	both("oven", "")
	if _, err := ingest.Delete(ctx, s.Library, "cake", nil); err != nil {
		t.Fatal(err)
	}
	both("oven", "")
	both("kettle", "text://pot#lines=3-6")
}

func TestLeftOutIsCounted(t *testing.T) {
	s := newShelf(t, library)
	s.find(t, search.Request{Query: "degrees"})
	write(t, s.dir, "tea.md", "# Other\n")
	found := s.find(t, search.Request{Query: "degrees"})
	if found.LeftOut != 1 || strings.Contains(addresses(found), "tea") {
		t.Errorf("%d left out of %s", found.LeftOut, addresses(found))
	}
	if !slices.Equal(found.LeftOutIDs, []string{"tea"}) {
		t.Errorf("left out: %q", found.LeftOutIDs)
	}
	var other string
	for id := range library {
		if id != "tea.md" && strings.HasSuffix(id, ".md") {
			other = strings.TrimSuffix(id, ".md")
		}
	}
	if found := s.find(t, search.Request{Query: "degrees", Filters: index.Filters{Resources: []string{other}}}); found.LeftOut != 0 {
		t.Errorf("in %s alone %d are left out", other, found.LeftOut)
	}
}

// TestLostIndex deletes everything that is kept beside the maps.
func TestLostIndex(t *testing.T) {
	s := newShelf(t, library)
	s.find(t, search.Request{Query: "degrees"})
	if err := os.RemoveAll(filepath.Join(s.dir, ".citekit_output")); err != nil {
		t.Fatal(err)
	}
	for _, shelf := range []*shelf{openShelf(t, s.dir), s} {
		if got := addresses(shelf.find(t, search.Request{Query: "kettle"})); got != "text://pot#lines=3-6" {
			t.Errorf("found %q", got)
		}
	}
}

func TestBadRequests(t *testing.T) {
	s := newShelf(t, library)
	for _, req := range []search.Request{
		{},
		{Query: " \t\n"},
		{Query: "x", TopK: 51},
		{Query: "x", TopK: -1},
		{Query: "x", By: "pages"},
		{Query: "x", Filters: index.Filters{Path: "[a"}},
		{Query: "x", Filters: index.Filters{Modalities: []citekit.Modality{"No!"}}},
		{Query: "x", Filters: index.Filters{Authors: make([]string, 10_001)}},
		{Query: "x", Filters: index.Filters{After: time.Now(), Before: time.Now().Add(-time.Hour)}},
	} {
		if found, err := s.Search(ctx, req); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("%v: %v, %v", req, found, err)
		}
	}
	for _, query := range []string{"a", `"`, "-", "-tea", "* * *", "title:", "\x00\x1b[31m", "\xff\xfe", strings.Repeat("tea ", 25_000), "(((", "検"} {
		s.find(t, search.Request{Query: query})
	}
}

// TestPhrases checks that what is in quotes is there as it is written.
func TestPhrases(t *testing.T) {
	s := newShelf(t, map[string]string{
		"is.md":   "# Is\n\nCompression is generally good, and must permit sending.\n",
		"not.md":  "# Not\n\nCompression is not generally good, and must not permit sending.\n",
		"cjk.md":  "# 水\n\n水温は九十度である。\n",
		"boil.md": "# Boiling\n\nThe user boils it daily. Été à la plage.\n",
	})
	for query, want := range map[string]string{
		`"compression is not generally"`: "not",
		`"compression is generally"`:     "is",
		`"must not permit"`:              "not",
		`"must   PERMIT"`:                "is",
		`"boils it daily"`:               "boil",
		`"九十度"`:                          "cjk",
		`"été à la plage"`:               "boil",
	} {
		found := s.find(t, search.Request{Query: query})
		if got := resources(found); got != want || found.Hint != "" {
			t.Errorf("%s: found %q of %d, want %q; hint %q", query, got, found.Total, want, found.Hint)
		}
	}
	found := s.find(t, search.Request{Query: `"users boil daily"`})
	if want := "nothing has the words in quotes as written; the results are without that order"; resources(found) != "boil" || found.Hint != want {
		t.Errorf("found %q, hint %q", resources(found), found.Hint)
	}
}

// TestLongQueries checks that of a query that is too long what must not be there
// counts, and that the answer says what does not.
func TestLongQueries(t *testing.T) {
	s := newShelf(t, library)
	var filler strings.Builder
	for i := range 1100 {
		fmt.Fprintf(&filler, " fil%d", i)
	}
	short := resources(s.find(t, search.Request{Query: "degrees -ninety"}))
	long := s.find(t, search.Request{Query: "degrees" + filler.String() + " -ninety", Syntax: index.Expression})
	if resources(long) != short || long.Hint == "" {
		t.Errorf("found %q, want %q; hint %q", resources(long), short, long.Hint)
	}
}

func TestEndedContext(t *testing.T) {
	s := newShelf(t, library)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Search(cancelled, search.Request{Query: "tea"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	soon, cancel := context.WithTimeout(ctx, time.Nanosecond)
	defer cancel()
	if _, err := s.Search(soon, search.Request{Query: "tea"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if got := addresses(s.find(t, search.Request{Query: "three minutes"})); got != "text://tea#lines=9-11" {
		t.Errorf("found %q", got)
	}
}

// A search while a text is still being read is not complete.
func TestIncomplete(t *testing.T) { synctest.Test(t, testIncomplete) }

func testIncomplete(t *testing.T) {
	ws := workspace.NewMemory(nil)
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: faulttest.StuckText{Resolver: new(text.Resolver)}}, nil)
	defer lib.Close()
	s := search.New(lib, nil)
	defer s.Close()
	for _, name := range []string{"a.txt", "stuck.txt"} {
		ws.AddSource(name, []byte("The kettle boils at noon.\n"))
		if _, err := ingest.Run(t.Context(), lib, []string{"."}, nil); err != nil {
			t.Fatal(err)
		}
		limited, cancel := context.WithTimeout(t.Context(), time.Second)
		found, err := s.Search(limited, search.Request{Query: "kettle"})
		cancel()
		if err != nil || addresses(found) != "text://a#lines=1-1" || found.Complete != (name == "a.txt") {
			t.Errorf("with %s: %+v, %v", name, found, err)
		}
	}
}

func TestMemoryWorkspace(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "tea.md", library["tea.md"])
	lib := citekit.New(workspace.NewMemory(os.DirFS(dir)), modality.All(), nil)
	defer lib.Close()
	if _, err := ingest.Run(ctx, lib, []string{"."}, nil); err != nil {
		t.Fatal(err)
	}
	s := search.New(lib, nil)
	defer s.Close()
	found, err := s.Search(ctx, search.Request{Query: "eighty"})
	if err != nil || addresses(found) != "text://tea#lines=5-8" {
		t.Errorf("found %v, %v", found, err)
	}
}

func BenchmarkSearch(b *testing.B) {
	s := newShelf(b, library)
	for b.Loop() {
		if _, err := s.Search(ctx, search.Request{Query: "green tea water"}); err != nil {
			b.Fatal(err)
		}
	}
}

func filterOf(ids ...string) index.Filters { return index.Filters{Resources: ids} }

// TestClosedWhileSearched closes a Searcher while others begin to use it.
func TestClosedWhileSearched(t *testing.T) {
	sharedtest.NotShort(t)
	for range 20 {
		s := newShelf(t, map[string]string{"a.md": "# Tea\n\nEighty degrees.\n"})
		var using sync.WaitGroup
		for range 4 {
			using.Go(func() {
				s.Search(ctx, search.Request{Query: "degrees"}) // whatever it answers
			})
		}
		s.Searcher.Close()
		using.Wait()
	}
}

// TestLookOfClosed: a search that runs on while its Searcher is closed ends.
func TestLookOfClosed(t *testing.T) {
	s := newShelf(t, map[string]string{"a.md": "# Tea\n"})
	s.Searcher.Close()
	if err := search.LookAtSources(s.Searcher); !errors.Is(err, context.Canceled) {
		t.Errorf("the look ended with %v", err)
	}
}

// TestSearchWithFullBudget checks that a text that cannot be stored is not taken for
// one without the words.
func TestSearchWithFullBudget(t *testing.T) {
	dir := t.TempDir()
	// Not in UTF-8, so that the text is not the bytes of its source.
	write(t, dir, "large.txt", "\xff\xfe"+strings.Repeat("a\x00n\x00c\x00h\x00o\x00r\x00\n\x00", 20_000))
	ws, err := workspace.Open(dir, &workspace.Options{MaxEvidenceBytes: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{dir: dir, Library: citekit.New(ws, modality.All(), nil)}
	s.Searcher = search.New(s.Library, nil)
	t.Cleanup(func() { s.Close() })
	s.ingest(t)
	found := s.find(t, search.Request{Query: "anchor"})
	if found.Complete || found.LeftOut != 0 || !strings.Contains(found.Hint, "could not be stored") {
		t.Errorf("complete %v, %d left out, hint %q", found.Complete, found.LeftOut, found.Hint)
	}
}

// A closedStore is a workspace that cannot open what it stores.
type closedStore struct{ citekit.Workspace }

// TestStoreThatCannotOpen checks that a search is refused, not empty, where texts
// cannot be kept, wherever the index is.
func TestStoreThatCannotOpen(t *testing.T) {
	lib := citekit.New(closedStore{workspace.NewMemory(nil)}, nil, nil)
	defer lib.Close()
	elsewhere := index.New(workspace.NewMemory(nil), nil)
	defer elsewhere.Close()
	for _, opts := range []*search.Options{nil, search.WithIndex(elsewhere)} {
		s := search.New(lib, opts)
		for name, call := range map[string]func() error{
			"Err":       s.Err,
			"Search":    func() error { _, err := s.Search(t.Context(), search.Request{Query: "tea"}); return err },
			"Similar":   func() error { _, err := s.Similar(t.Context(), search.SimilarRequest{Text: "tea"}); return err },
			"Update":    func() error { return s.Update(t.Context()) },
			"Embed":     func() error { return s.Embed(t.Context()) },
			"Index":     func() error { _, err := s.Index(t.Context(), nil); return err },
			"Stats":     func() error { _, err := s.Stats(t.Context()); return err },
			"Words":     func() error { _, _, err := s.Words(t.Context(), "tea"); return err },
			"Unindexed": func() error { _, err := s.Unindexed(t.Context()); return err },
			"SetAside":  func() error { _, err := s.SetAside(t.Context()); return err },
		} {
			if err := call(); !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%+v: %s: error %v; want ErrUnsupported", opts, name, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
