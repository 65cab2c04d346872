package index_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

var ctx = context.Background()

// resource returns a resource of some texts, which are nodes n0, n1 and so on.
func resource(id, version string, texts ...string) index.Resource {
	entries := make([]index.Entry, len(texts))
	for i, text := range texts {
		entries[i] = index.Entry{Node: fmt.Sprint("n", i), Text: text, Ordinal: i}
	}
	return index.Resource{ID: id, Version: version, Entries: slices.Values(entries)}
}

func all(resources ...index.Resource) iter.Seq[index.Resource] { return slices.Values(resources) }

func put(t testing.TB, x index.Index, resources ...index.Resource) {
	t.Helper()
	if err := x.Put(ctx, all(resources...)); err != nil {
		t.Fatal(err)
	}
}

// found returns the hits of a query as resource.node, in their order.
func found(t testing.TB, x index.Index, q index.Query) string {
	t.Helper()
	result, err := x.Search(ctx, q)
	if err != nil {
		t.Fatalf("%q: %v", q.Text, err)
	}
	var hits []string
	last := math.Inf(1)
	for _, h := range result.Hits {
		hits = append(hits, h.Resource+"."+h.Entry.Node)
		if h.Score > last || h.Entry.Text != "" {
			t.Errorf("%q: hit %+v", q.Text, h)
		}
		last = h.Score
	}
	return strings.Join(hits, " ")
}

func check(t testing.TB, x index.Index, text, want string) {
	t.Helper()
	if got := found(t, x, index.Query{Text: text}); got != want {
		t.Errorf("%q finds %q, want %q", text, got, want)
	}
}

// each runs a test over a directory and in memory.
func each(t *testing.T, f func(t *testing.T, store index.Store)) {
	t.Run("memory", func(t *testing.T) { f(t, workspace.NewMemory(nil)) })
	t.Run("directory", func(t *testing.T) { f(t, directory(t, t.TempDir())) })
}

func directory(t testing.TB, dir string) *workspace.Directory {
	t.Helper()
	d, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func newIndex(t testing.TB, store index.Store) *index.Local {
	x := index.New(store, nil)
	t.Cleanup(func() { x.Close() })
	return x
}

func TestPutSearchDelete(t *testing.T) {
	each(t, func(t *testing.T, store index.Store) {
		x := newIndex(t, store)
		check(t, x, "whales", "")
		put(t, x, resource("moby", "1", "The whale swims.", "Ships sail."), resource("ark", "1", "A ship of animals; one whale."))
		check(t, x, "whales", "moby.n0 ark.n0")
		put(t, x, resource("moby", "2", "Nothing but water."))
		check(t, x, "whales", "ark.n0")
		check(t, x, "water", "moby.n0")
		for id, want := range map[string]string{"moby": "2", "ark": "1"} {
			if got, err := x.Holds(ctx, id); got != want || err != nil {
				t.Errorf("Holds(%s) = %q, %v", id, got, err)
			}
		}
		if err := x.Delete(ctx, "ark", "none"); err != nil {
			t.Fatal(err)
		}
		check(t, x, "whales", "")
		if _, err := x.Holds(ctx, "ark"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Holds: %v", err)
		}
		again := newIndex(t, store)
		check(t, again, "water", "moby.n0")
		put(t, x, resource("empty", "7"))
		time.Sleep(2 * index.Latency)
		if got, err := again.Holds(ctx, "empty"); got != "7" {
			t.Errorf("Holds = %q, %v", got, err)
		}
		stats, err := x.Stats(ctx)
		if err != nil || stats.Resources != 2 || stats.Entries != 1 || stats.Lost != 0 {
			t.Errorf("%+v, %v", stats, err)
		}
	})
}

func TestQueryLanguage(t *testing.T) {
	x := newIndex(t, workspace.NewMemory(nil))
	put(t, x, index.Resource{ID: "r", Version: "1", Entries: slices.Values([]index.Entry{
		{Node: "a", Title: "Red cars", Text: "The red car drives. Big wheels."},
		{Node: "b", Title: "Cars", Text: "A car is red; the wheel of fortune."},
		{Node: "c", Title: "Houses", Path: []string{"Building", "Living"}, Text: "A red house. parseFile reads snake_case names."},
		{Node: "d", Title: "東京都", Text: "日本の首都は東京です。"},
	})})
	for _, test := range []struct{ text, want string }{
		{"red car", "r.a r.b r.c"},
		{`"red car"`, "r.a"},
		{`"car red"`, "r.b"}, // stop words between do not count
		{"red -house", "r.a r.b"},
		{`red -"red car"`, "r.b r.c"},
		{"red -hou*", "r.a r.b"},
		{"title:red", "r.a"},
		{`title:"red cars" wheels`, "r.a"},
		{"wheel*", "r.a r.b"},
		{"dri*", "r.a"},
		{"hause", "r.c"},
		{"buildings", "r.c"},
		{"file", "r.c"},
		{"parsefile", "r.c"},
		{`"parse file"`, "r.c"},
		{"snake", "r.c"},
		{"東京", "r.d"},
		{"京都", "r.d"},
		{"首", "r.d"},
		{"", ""}, {"  ", ""}, {"the of and", "r.a r.b"}, {`"`, ""}, {`""`, ""}, {"-", ""}, {"*", ""}, {"-red", ""},
		{`"red`, "r.a r.b r.c"},
		{"title:", ""},
		{"- red", "r.a r.b r.c"},
		{"re\xffd\x00 house", "r.c"},
		{`-title:red house`, "r.c"},
		{`red"car"`, "r.a r.b"},
	} {
		got := strings.Fields(found(t, x, index.Query{Text: test.text}))
		slices.Sort(got)
		if strings.Join(got, " ") != test.want {
			t.Errorf("%q finds %q, want %q", test.text, got, test.want)
		}
	}
	check(t, x, "red cars", "r.a r.b r.c")
}

func TestFilters(t *testing.T) {
	x := newIndex(t, workspace.NewMemory(nil))
	day := func(n int) time.Time { return time.Date(2024, 5, n, 0, 0, 0, 0, time.UTC) }
	put(t, x,
		index.Resource{ID: "a", Version: "1", Entries: slices.Values([]index.Entry{
			{Node: "1", Type: "Section", Modality: citekit.Document, Text: "fish", Created: day(1), Authors: []string{"Ann", "Bob"}, SourcePath: "books/sea/a.pdf"},
			{Node: "2", Type: "figure", Modality: citekit.Document, Text: "fish", Created: day(3), Labels: []string{"new"}, SourcePath: "books/sea/a.pdf"},
		})},
		index.Resource{ID: "b", Version: "1", Entries: slices.Values([]index.Entry{
			{Node: "1", Modality: citekit.Video, Text: "fish", SourcePath: "films/b.mp4"},
		})})
	for _, test := range []struct {
		filters index.Filters
		want    string
	}{
		{index.Filters{}, "a.1 a.2 b.1"},
		{index.Filters{Resources: []string{"b", "none"}}, "b.1"},
		{index.Filters{Modalities: []citekit.Modality{citekit.Video, citekit.Audio}}, "b.1"},
		{index.Filters{Types: []string{"section"}}, "a.1"},
		{index.Filters{Authors: []string{"bob"}}, "a.1"},
		{index.Filters{Labels: []string{"new"}}, "a.2"},
		{index.Filters{After: day(2)}, "a.2"},
		{index.Filters{Before: day(2)}, "a.1"},
		{index.Filters{After: day(1), Before: day(3)}, "a.1 a.2"},
		{index.Filters{Path: "*.pdf"}, "a.1 a.2"},
		{index.Filters{Path: "books/"}, "a.1 a.2"},
		{index.Filters{Path: "books"}, "a.1 a.2"},
		{index.Filters{Path: "books/sea"}, "a.1 a.2"},
		{index.Filters{Path: "sea"}, ""},
		{index.Filters{Path: "book"}, ""},
		{index.Filters{Path: "book*"}, ""},
		{index.Filters{Path: "books/*/a.pdf"}, "a.1 a.2"},
		{index.Filters{Path: "*/b.*"}, "b.1"},
		{index.Filters{Path: "sea/"}, ""},
		{index.Filters{Types: []string{"section"}, Labels: []string{"new"}}, ""},
	} {
		got := strings.Fields(found(t, x, index.Query{Text: "fish", Filters: test.filters}))
		slices.Sort(got)
		if strings.Join(got, " ") != test.want {
			t.Errorf("%+v leaves %q, want %q", test.filters, got, test.want)
		}
	}
	if _, err := x.Search(ctx, index.Query{Text: "fish", Filters: index.Filters{Path: "[a"}}); !errors.Is(err, citekit.ErrSyntax) {
		t.Error(err)
	}
	many := index.Filters{}
	for i := range 10_000 {
		many.Labels = append(many.Labels, fmt.Sprint("label", i))
		many.Resources = append(many.Resources, fmt.Sprint("a", i))
	}
	if got := found(t, x, index.Query{Text: "fish", Filters: many}); got != "" {
		t.Error(got)
	}
}

// TestUmlauts checks that "ue" for "ü" is no error in a word, so that words in which
// one letter differs do not count beside it.
func TestUmlauts(t *testing.T) {
	x := newIndex(t, workspace.NewMemory(nil))
	var entries []index.Entry
	for i, text := range []string{
		"Die Würde des Menschen ist unantastbar.", "Sie werden nicht gehen.", "Wir werden das auch nicht.", "Die Größe der Blöcke ist überall gleich.", "Ein neuer Block und die Steuer.",
	} {
		entries = append(entries, index.Entry{Node: fmt.Sprint(i + 1), Ordinal: i, Modality: citekit.Text, Text: text})
	}
	put(t, x, index.Resource{ID: "r", Version: "1", Entries: slices.Values(entries)})
	check(t, x, "Wuerde", "r.1")
	check(t, x, "Würde", "r.1")
	check(t, x, "Groesse ueberall", "r.4")
	check(t, x, "Steuer", "r.5")
}

// TestPathFilter checks that a path that a source has is taken as it is written, and
// any other as a pattern.
func TestPathFilter(t *testing.T) {
	x := newIndex(t, workspace.NewMemory(nil))
	for id, source := range map[string]string{
		"a": "p/Talks [2024]/one #1.md", "b": "p/Talks 2/two.md", "c": "p/deep/down/three.md", "d": "p/Über.md", "e": "odd [/four*.md", "f": "odd [/fourth.md",
	} {
		put(t, x, index.Resource{ID: id, Version: "1", Entries: slices.Values([]index.Entry{{Node: "1", Modality: citekit.Text, Text: "fish", SourcePath: source}})})
	}
	check := func(path, want string) {
		t.Helper()
		got := strings.Fields(strings.ReplaceAll(found(t, x, index.Query{Text: "fish", Filters: index.Filters{Path: path}}), ".1", ""))
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s leaves %q, want %q", path, got, want)
		}
	}
	for _, c := range []struct{ path, want string }{
		{"p/Talks [2024]/one #1.md", "a"},
		{"p/Talks [2024]/", "a"},
		{"./p/Talks [2024]/", "a"},
		{"p/Talks [2024]", "a"},
		{"p/Talks [2024]/*.md", "a"},
		{`p/Talks \[2024\]`, "a"},
		{"p/Talks [[]2024]/*", "a"},
		{"p/Talks [0-9]/", "b"},
		{"p/**", "a b c d"},
		{"p/**/", "a b c"},
		{"p/**/*.md", "a b c d"},
		{"**/down/", "c"},
		{"?ber.md", "d"},
		{"odd [", "e f"},
		{"odd [/four*.md", "e"},
		{"odd [/f*", "e f"},
	} {
		check(c.path, c.want)
	}
	long := index.Query{Text: "fish", Filters: index.Filters{Path: strings.Repeat("*/", 1<<20)}}
	if _, err := x.Search(ctx, long); !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("a path of megabytes: %.100v", err)
	}
	if err := x.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	check("p/Talks [2024]/", "b") // now a pattern: "Talks " and one character
}

func TestEntryComesBack(t *testing.T) {
	x := newIndex(t, workspace.NewMemory(nil))
	e := index.Entry{
		Node: "chapter-1", Type: "chapter", Modality: citekit.Document, Title: "Whales", Path: []string{"Part one", "Whales"}, Summary: "Of whales.",
		Location: "pages=1-3", Ordinal: 7, Created: time.Date(1999, 1, 2, 3, 4, 5, 0, time.UTC), Authors: []string{"H. M."}, Labels: []string{"sea", "Whales"}, SourcePath: "a/b.pdf",
	}
	other := e
	other.Title, other.Node, other.Text = "Other whale", "n", "A whale is not the whaling ship of a WHALER."
	put(t, x, index.Resource{ID: "r", Version: "v", Entries: slices.Values([]index.Entry{other, e})})
	result, err := x.Search(ctx, index.Query{Text: "whale whaling", Explain: true})
	if err != nil || len(result.Hits) != 2 || result.Total != 2 || !result.Exact {
		t.Fatalf("%+v, %v", result, err)
	}
	for _, h := range result.Hits {
		want := e
		if h.Entry.Node == "n" {
			want = other
			want.Text = ""
		}
		if fmt.Sprint(h.Entry) != fmt.Sprint(want) || h.Version != "v" {
			t.Errorf("%+v, want %+v", h.Entry, want)
		}
		sum := 0.
		for _, p := range h.Parts {
			sum += p.Score
		}
		if math.Abs(sum-h.Score) > 1e-9 {
			t.Errorf("parts %+v of %v", h.Parts, h.Score)
		}
		if got := fmt.Sprint(h.Highlights(other.Text)); got != "[[2 7] [19 26]]" && h.Entry.Node == "n" {
			t.Errorf("highlights %s", got)
		}
	}
}

// Queries that are long or odd are answered.
func TestLongQueries(t *testing.T) {
	x := newIndex(t, workspace.NewMemory(nil))
	put(t, x, resource("r", "1", "whales and ships", "ships and more of them"))
	var long strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&long, "word%d whale ", i)
	}
	check(t, x, long.String(), "r.n0")
	check(t, x, strings.Repeat("a", 100_000), "")
	check(t, x, strings.Repeat(`"`, 100_000), "")
	check(t, x, strings.Repeat(`-"ships `, 10_000), "r.n0 r.n1")
	check(t, x, strings.Repeat(`s* `, 10_000), "r.n0 r.n1")
	check(t, x, strings.Repeat("whale ", 10_000), "r.n0")
	if result, err := x.Search(ctx, index.Query{Text: "ships", TopK: 1 << 40}); err != nil || len(result.Hits) != 2 {
		t.Errorf("%+v, %v", result, err)
	}
}

// Every language of the index is tried for each word.
func TestLanguages(t *testing.T) {
	x := newIndex(t, workspace.NewMemory(nil))
	put(t, x,
		resource("de", "1", "Die Häuser sind nicht groß, und das ist auch gut so für den Wald."),
		resource("en", "1", "The houses are not that large, and this is good for the forest."),
		resource("fr", "1", "Les maisons ne sont pas grandes et c'est bien pour la forêt qui est là."),
		resource("ru", "1", "Дома не большие, и это хорошо для леса."))
	for text, want := range map[string]string{"haus": "de.n0", "Häuser": "de.n0", "house": "en.n0", "maison": "fr.n0", "foret": "fr.n0", "forests": "en.n0", "дом": "ru.n0", "L'forêt": "fr.n0"} {
		check(t, x, text, want)
	}
}

func TestBadResources(t *testing.T) {
	x := newIndex(t, workspace.NewMemory(nil))
	put(t, x, resource("a", "1", "one"))
	for _, resources := range [][]index.Resource{{resource("", "1", "x")}, {resource("a", "2", "two"), resource("a", "3", "three")}} {
		if err := x.Put(ctx, all(resources...)); !errors.Is(err, citekit.ErrSyntax) {
			t.Error(err)
		}
	}
	check(t, x, "one", "a.n0")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := x.Put(ended, all(resource("b", "1", "two"))); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := x.Search(ended, index.Query{Text: "one"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	x.Close()
	if _, err := x.Search(ctx, index.Query{Text: "one"}); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
}

// TestChangedByOthers has two programs change an index in turn.
func TestChangedByOthers(t *testing.T) {
	ws := workspace.NewMemory(nil)
	mine, other := index.New(ws, nil), index.New(ws, nil)
	defer mine.Close()
	defer other.Close()
	ask := func(since citekit.Stamp, want bool) citekit.Stamp {
		t.Helper()
		time.Sleep(2 * index.Latency) // until mine sees what the other put
		got, err := mine.ChangedByOthers(ctx, since)
		if err != nil || got != want {
			t.Errorf("changed by others: %v, %v", got, err)
		}
		now, err := mine.Stamp(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	empty := ask(citekit.Stamp{}, false)
	put(t, mine, resource("a", "1", "tea"))
	one := ask(empty, false)
	put(t, mine, resource("b", "1", "tea"))
	two := ask(one, false)
	ask(empty, false)
	put(t, other, resource("a", "2", "tea"))
	three := ask(two, true)
	put(t, mine, resource("a", "3", "tea"))
	ask(two, true)
	ask(three, false)
}
