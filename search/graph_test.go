package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/faulttest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

var linked = map[string]string{
	"kettle.md":    "# Kettle\n\nA zebra boils water, zebra. See [limescale](scale.md#cause).\n",
	"scale.md":     "# Scale\n\nWhite.\n\n## Cause\n\nHard water leaves chalk.\n",
	"manual.md":    "# Manual\n\n## Care\n\nRead [about kettles](kettle.md) first.\n",
	"go/main.py":   "import helper\n\n# a zebra in code\n",
	"go/helper.py": "def help():\n    return 1\n",
	"other.md":     "# Other\n\nNothing is linked.\n",
}

func TestModes(t *testing.T) {
	s := newShelf(t, linked)
	for _, c := range []struct {
		mode search.Mode
		by   search.By
		want string
	}{
		{"", "", "text://kettle#lines=1-3 text://main#lines=1-3"},
		{search.Auto, "", "text://kettle#lines=1-3 text://main#lines=1-3"},
		{search.Knowledge, "", "text://kettle#lines=1-3 text://main#lines=1-3"},
		{search.Graph, "", "text://scale#lines=5-7 text://manual#lines=3-5 text://helper#lines=1-2"},
		{search.Hybrid, "", "text://kettle#lines=1-3 text://main#lines=1-3 text://scale#lines=5-7 text://manual#lines=3-5 text://helper#lines=1-2"},
		{search.Graph, search.ByResources, "text://scale text://manual text://helper"},
		{search.Graph, search.ByNodes, "text://scale#lines=5-7 text://manual#lines=3-5 text://helper"},
	} {
		found := s.find(t, search.Request{Query: "zebra", Mode: c.mode, By: c.by})
		if got := addresses(found); got != c.want || found.Total != len(found.Results) {
			t.Errorf("%s by %s: %s of %d, want %s", c.mode, c.by, got, found.Total, c.want)
		}
	}
	found := s.find(t, search.Request{Query: "zebra", Mode: search.Graph, TopK: 1})
	if len(found.Results) != 1 || found.Exact {
		t.Errorf("at most one: %+v", found)
	}
	data, err := json.Marshal(found)
	if err != nil || !strings.Contains(string(data), `"rationale":[{"relation":"hyperlink","from":"text://kettle#lines=3-3","to":"text://scale#lines=5-7","score":`) {
		t.Errorf("%s, %v", data, err)
	}
	if r := found.Results[0]; !strings.Contains(r.Snippet, "leaves chalk") || len(r.Highlights) > 0 || r.Title != "Cause" {
		t.Errorf("%+v", r)
	}
	found = s.find(t, search.Request{Query: "zebra", Mode: search.Hybrid, TopK: 3})
	if got := addresses(found); got != "text://kettle#lines=1-3 text://main#lines=1-3 text://scale#lines=5-7" {
		t.Errorf("three of both: %s", got)
	}
	found = s.find(t, search.Request{Query: "zebra", Mode: search.Hybrid, TopK: 2})
	if got := addresses(found); got != "text://kettle#lines=1-3 text://main#lines=1-3" {
		t.Errorf("two of both: %s", got)
	}
	if _, err := s.Search(ctx, search.Request{Query: "zebra", Mode: "near"}); citekit.CodeOf(err) != message.CodeInvalidInput {
		t.Errorf("no mode: %v", err)
	}
	for _, mode := range []search.Mode{search.Graph, search.Hybrid} {
		if found := s.find(t, search.Request{Query: "unicorn", Mode: mode}); len(found.Results) > 0 || !found.Complete {
			t.Errorf("%s finds %+v", mode, found)
		}
	}
}

// TestGraphFilters checks that filters are for hits and for what is related.
func TestGraphFilters(t *testing.T) {
	s := newShelf(t, linked)
	for _, c := range []struct {
		filters index.Filters
		want    string
	}{
		{index.Filters{Resources: []string{"kettle"}}, ""},
		{index.Filters{Resources: []string{"kettle", "scale"}}, "text://scale#lines=5-7"},
		{index.Filters{Path: "*.py"}, "text://helper#lines=1-2"},
		{index.Filters{Types: []string{"none"}}, ""},
	} {
		if got := addresses(s.find(t, search.Request{Query: "zebra", Mode: search.Graph, Filters: c.filters})); got != c.want {
			t.Errorf("%+v: %s, want %s", c.filters, got, c.want)
		}
	}
}

// A search that has no time for all links is not complete.
func TestGraphLate(t *testing.T) { synctest.Test(t, testGraphLate) }

func testGraphLate(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("a.md", []byte("A zebra, see [b](b.md).\n"))
	if err := ws.WriteMap(ctx, "a", []byte(`{"resource_id":"a","type":"text","title":"","source_path":"a.md","nodes":[]}`)); err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: faulttest.StuckLinks{Resolver: &text.Resolver{}}}, nil)
	defer lib.Close()
	s := search.New(lib, nil)
	defer s.Close()
	if err := s.Update(ctx); err != nil {
		t.Fatal(err)
	}
	limited, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	found, err := s.Search(limited, search.Request{Query: "zebra", Mode: search.Hybrid})
	if err != nil || len(found.Results) != 1 || found.Complete {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestGraphOutdated follows links to a source that changed, to one that is gone,
// and to one outside the roots.
func TestGraphOutdated(t *testing.T) {
	s := newShelf(t, map[string]string{
		"a.md": "# A\n\nA zebra [b](b.md) [c](c.md) [secret](secret.md)\n",
		"b.md": "# B\n\nold words\n", "c.md": "# C\n\ngone words\n", "d.md": "# D\n\n[a](a.md) old link\n",
	})
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("# Secret\n\n[a](a.md)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := fmt.Sprintf(`{"resource_id":"secret","type":"text","title":"","source_path":%q,"nodes":[]}`, outside)
	write(t, s.dir, ".resource_maps/secret.json", m)
	all := func() string { return addresses(s.find(t, search.Request{Query: "zebra", Mode: search.Graph})) }
	if got := all(); got != "text://b#lines=1-3 text://c#lines=1-3 text://d#lines=1-3" {
		t.Errorf("before: %s", got)
	}
	write(t, s.dir, "b.md", "# B\n\nnew words\n")
	write(t, s.dir, "d.md", "# D\n\nno link\n")
	if err := os.Remove(filepath.Join(s.dir, "c.md")); err != nil {
		t.Fatal(err)
	}
	if got := all(); got != "" {
		t.Errorf("after: %s", got)
	}
	write(t, s.dir, "a.md", "# A\n\nA zebra alone\n")
	if got := all(); got != "" {
		t.Errorf("from a source that changed: %s", got)
	}
}

// What is shown of a long text is cut between characters.
func TestGraphCut(t *testing.T) {
	s := newShelf(t, map[string]string{
		"a.md": "A zebra, see [b](b.md), [c](c.md), [d](d.md).\n",
		"b.md": strings.Repeat("水", 3000), "c.md": "x" + strings.Repeat("水", 3000), "d.md": strings.Repeat("水\u3000", 3000),
	})
	for _, by := range []search.By{search.ByPassages, search.ByNodes, search.ByResources} {
		found := s.find(t, search.Request{Query: "zebra", Mode: search.Graph, By: by})
		if len(found.Results) != 3 {
			t.Errorf("by %s: %s", by, addresses(found))
		}
		for _, r := range found.Results {
			if p := r.Passage; !utf8.ValidString(p.Text) || len(p.Text) < 1990 || p.To-p.From != int64(len(p.Text)) {
				t.Errorf("by %s: %d bytes of %d-%d of %s end with %q", by, len(p.Text), p.From, p.To, r.Address, p.Text[max(0, len(p.Text)-3):])
			}
		}
	}
}

// TestGraphHub searches a circle of pages with one that has 10,000 links.
func TestGraphHub(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	ws := workspace.NewMemory(nil)
	var hub strings.Builder
	add := func(id, content string) {
		ws.AddSource(id+".md", []byte(content))
		m := fmt.Sprintf(`{"resource_id":%q,"type":"text","title":%q,"source_path":%q,"nodes":[]}`, id, id, id+".md")
		if err := ws.WriteMap(ctx, id, []byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	hub.WriteString("zebra\n")
	for i := range 10_000 {
		fmt.Fprintf(&hub, "[p](p%d.md#L%d)", i%100, i/100+1)
	}
	add("hub", hub.String())
	for i := range 100 {
		add(fmt.Sprintf("p%d", i), fmt.Sprintf("[hub](hub.md) [next](p%d.md)\n", (i+1)%100)+strings.Repeat("word\n", 99))
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	s := search.New(lib, search.WithIndex(index.New(ws, nil)))
	defer s.Close()
	for _, mode := range []search.Mode{search.Graph, search.Hybrid} {
		found, err := s.Search(ctx, search.Request{Query: "zebra", Mode: mode, TopK: 50})
		if err != nil || len(found.Results) < 20 || found.Exact {
			t.Errorf("%s: %d results, %v", mode, len(found.Results), err)
			continue
		}
		var seen []string
		for _, r := range found.Results {
			seen = append(seen, r.Address.String())
		}
		slices.Sort(seen)
		if n := len(slices.Compact(seen)); n != len(found.Results) {
			t.Errorf("%s: %d addresses in %d results", mode, n, len(found.Results))
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Search(cancelled, search.Request{Query: "zebra", Mode: search.Graph}); err == nil {
		t.Error("a search that was cancelled succeeds")
	}
}

// TestGraphEntities finds by the relations that an adapter brought into a map.
func TestGraphEntities(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("farm.txt", []byte("Rain fell on the zebra.\nThe farmer sows.\nA plough helps.\n"))
	const farm = `{"resource_id":"farm","type":"text","title":"","source_path":"farm.txt","nodes":[
		{"id":"rain","type":"entity","title":"Rain","location":{"modality":"virtual","virtual_address":"virtual://farm#rain"}},
		{"id":"farmer","type":"entity","title":"Farmer","location":{"modality":"virtual","virtual_address":"virtual://farm#farmer"}},
		{"id":"one","type":"text_unit","location":{"modality":"text","lines":[1,1]}},
		{"id":"two","type":"text_unit","location":{"modality":"text","lines":[2,2]}},
		{"id":"three","type":"text_unit","location":{"modality":"text","lines":[3,3]}}],
		"metadata":{"adapter":"graphrag","relations":[{"from":"rain","to":"farmer","text":"helps","evidence":["one","three"]}]}}`
	if err := ws.WriteMap(ctx, "farm", []byte(farm)); err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	s := search.New(lib, search.WithIndex(index.New(ws, nil)))
	defer s.Close()
	found, err := s.Search(ctx, search.Request{Query: "zebra", Mode: search.Graph})
	if err != nil || addresses(found) != "text://farm#lines=3-3" {
		t.Errorf("%s, %v", addresses(found), err)
	}
}

// TestAddressOnce finds two passages of one page, which have one address.
func TestAddressOnce(t *testing.T) {
	long := strings.Repeat("Some words about a zebra that runs. ", 200)
	s := newShelf(t, map[string]string{"one.txt": long})
	for same, want := range map[bool]bool{false: true, true: false} {
		found := s.find(t, search.Request{Query: "zebra", SameAddress: same, TopK: 50})
		seen := make(map[string]bool)
		for _, r := range found.Results {
			seen[r.Address.String()] = true
		}
		if once := len(seen) == len(found.Results); once != want || len(seen) == 0 {
			t.Errorf("same %t: %s", same, addresses(found))
		}
	}
}
