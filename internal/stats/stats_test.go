package stats_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/stats"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

const teaMap = `{"resource_id": "tea", "type": "text", "title": "Tea", "source_path": "tea.txt",
	"nodes": [{"id": "all", "title": "Tea", "type": "section", "location": {"modality": "text", "lines": [1, 2]}},
		{"id": "last", "title": "Pot", "type": "section", "location": {"modality": "text", "lines": [2, 2]}}]}`

// otherMaps have no source that can be read, or are none.
var otherMaps = map[string]string{
	"outside": `{"resource_id": "outside", "type": "text", "title": "", "source_path": "../outside.txt", "nodes": []}`,
	"gone":    `{"resource_id": "gone", "type": "text", "title": "", "source_path": "gone.txt", "nodes": []}`,
	"ballad":  `{"resource_id": "ballad", "type": "ballad", "title": "", "source_path": "tea.txt", "nodes": []}`,
	"linked":  `{"resource_id": "linked", "type": "virtual", "title": "", "source_path": "", "nodes": []}`,
	"broken":  `{"resource_id": "broken", `,
}

// keepAll returns a store that keeps the text of small sources too.
func keepAll(lib *citekit.Library) *textlayer.Store {
	return textlayer.New(lib, &textlayer.Options{SmallBytes: -1})
}

// newLibrary returns a library over a directory with a text, and a Searcher.
func newLibrary(t *testing.T) (*citekit.Library, *search.Searcher) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"base/tea.txt": "Green tea wants water of eighty degrees.\nWarm the pot.\n", "outside.txt": "secret"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(filepath.Join(dir, "base"), &workspace.Options{KeyDir: filepath.Join(dir, "key")})
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	searcher := search.New(lib, &search.Options{Layers: keepAll(lib)})
	t.Cleanup(func() {
		searcher.Close()
		lib.Close()
	})
	write(t, lib, "tea", teaMap)
	return lib, searcher
}

func write(t *testing.T, lib *citekit.Library, id, data string) {
	t.Helper()
	if err := lib.Workspace().WriteMap(t.Context(), id, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

func collect(t *testing.T, c *stats.Collector) *stats.Stats {
	t.Helper()
	s, err := c.Collect(t.Context())
	if err != nil || !s.Complete {
		t.Fatal(s, err)
	}
	return s
}

func TestCounts(t *testing.T) {
	sharedtest.NotShort(t)
	lib, _ := newLibrary(t)
	for id, data := range otherMaps {
		write(t, lib, id, data)
	}
	c := stats.New(lib, nil)
	want := stats.Counts{
		Resources: 6, Modalities: map[citekit.Modality]int{"text": 3, "other": 1, "virtual": 1},
		Nodes: 2, Unreadable: 1, OutsideRoots: 1, Vanished: 1,
	}
	for range 2 { // the second time nothing is read
		if diff := cmp.Diff(want, collect(t, c).Counts); diff != "" {
			t.Error(diff)
		}
	}
	write(t, lib, "tea", strings.Replace(teaMap, `"type": "text", "title": "Tea"`, `"type": "document", "title": "Tea"`, 1))
	write(t, lib, "broken", `{"resource_id": "broken", "type": "text", "title": "", "source_path": "tea.txt", "nodes": []}`)
	want.Modalities = map[citekit.Modality]int{"document": 1, "text": 3, "other": 1, "virtual": 1}
	want.Unreadable = 0
	if diff := cmp.Diff(want, collect(t, c).Counts); diff != "" {
		t.Error(diff)
	}
}

// TestMatching checks which resources have some words in their ids, titles and paths.
func TestMatching(t *testing.T) {
	lib, _ := newLibrary(t)
	write(t, lib, "pot", strings.NewReplacer(`"tea"`, `"pot"`, "tea.txt", "Core/tea.txt").Replace(teaMap))
	c := stats.New(lib, nil)
	for query, want := range map[string]string{"": "pot tea", "tea": "pot tea", "core/ TEA": "pot", "core/ coffee": ""} {
		ids, err := c.Matching(t.Context(), query)
		if got := strings.Join(ids, " "); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", query, got, err, want)
		}
	}
	before := c.MapsStamp(t.Context())
	write(t, lib, "cup", strings.ReplaceAll(teaMap, `"tea"`, `"cup"`))
	if after := c.MapsStamp(t.Context()); after == before && after != (citekit.Stamp{}) {
		t.Error("the stamp stays")
	}
}

func TestSizesIndexAndCache(t *testing.T) {
	sharedtest.NotShort(t)
	lib, searcher := newLibrary(t)
	c := stats.New(lib, &stats.Options{Version: "1.2.3", Searcher: searcher})
	s := collect(t, c)
	if s.Sources != int64(len("Green tea wants water of eighty degrees.\nWarm the pot.\n")) {
		t.Errorf("sources of %d bytes", s.Sources)
	}
	if s.Version != "1.2.3" || s.Sizes != (stats.Sizes{Maps: int64(len(teaMap))}) || s.Index.Resources != 0 || s.Cache.HitRate != nil {
		t.Errorf("at first: %+v, %+v, %+v", s, s.Index, s.Cache)
	}
	if _, err := searcher.Search(t.Context(), search.Request{Query: "pot"}); err != nil {
		t.Fatal(err)
	}
	var size int64
	for range 4 {
		e, err := lib.Resolve(t.Context(), "tea", "last", nil)
		if err != nil {
			t.Fatal(err)
		}
		size = e.Size
	}
	s = collect(t, c)
	if s.Index.Resources != 1 || s.Index.Segments != 1 || s.Sizes.Index != s.Index.Bytes || s.Sizes.Text == 0 || s.Sizes.Evidence != size {
		t.Errorf("sizes %+v, index %+v, evidence %d", s.Sizes, s.Index, size)
	}
	if s.Cache.Hits != 3 || s.Cache.Misses != 1 || s.Cache.HitRate == nil || *s.Cache.HitRate != .75 {
		t.Errorf("cache %+v", s.Cache)
	}
}

// TestTextAlone checks that reading texts does not count as evidence.
func TestTextAlone(t *testing.T) {
	sharedtest.NotShort(t)
	lib, _ := newLibrary(t)
	layers := keepAll(lib)
	for range 2 {
		layer, err := layers.Open(t.Context(), "tea")
		if err != nil {
			t.Fatal(err)
		}
		layer.Close()
	}
	if s := collect(t, stats.New(lib, nil)); s.Cache.Hits != 0 || s.Cache.Misses != 0 || s.Sizes.Text == 0 || s.Sizes.Evidence != 0 {
		t.Errorf("cache %+v, sizes %+v", s.Cache, s.Sizes)
	}
}

func TestMemory(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("tea.txt", []byte("a\nb\n"))
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	write(t, lib, "tea", teaMap)
	if _, err := lib.Resolve(t.Context(), "tea", "last", nil); err != nil {
		t.Fatal(err)
	}
	if s := collect(t, stats.New(lib, nil)); s.Counts.Resources != 1 || s.Sizes.Evidence != 2 || s.Cache.Misses != 1 || s.Index != nil {
		t.Errorf("%+v, %+v", s, s.Cache)
	}
}

// A programUser is a resolver that runs programs.
type programUser struct {
	citekit.Resolver
	found   map[string]string
	missing []string
}

func (u programUser) Programs(context.Context) (map[string]string, []string) {
	if u.found == nil && u.missing == nil {
		panic("a resolver of somebody else")
	}
	return u.found, u.missing
}

func TestPrograms(t *testing.T) {
	lib := citekit.New(workspace.NewMemory(nil), citekit.Resolvers{
		"video": programUser{found: map[string]string{"cutter": "7.1", "viewer": ""}},
		"audio": programUser{missing: []string{"cutter", "reader"}},
		"text":  nil,
		"image": programUser{},
	}, nil)
	defer lib.Close()
	want := []stats.Program{{Name: "cutter", Found: true, Version: "7.1"}, {Name: "reader"}, {Name: "viewer", Found: true}}
	if diff := cmp.Diff(want, collect(t, stats.New(lib, nil)).Programs); diff != "" {
		t.Error(diff)
	}
	for m, r := range modality.All() {
		_, is := r.(stats.ProgramUser)
		if want := m != citekit.Text && m != citekit.Virtual; is != want {
			t.Errorf("%s runs programs: %t", m, is)
		}
	}
}

// TestTime checks that a time that is over leaves out what is not counted.
func TestTime(t *testing.T) {
	lib, searcher := newLibrary(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err := stats.New(lib, &stats.Options{Version: "1", Searcher: searcher}).Collect(ctx)
	if err != nil || s.Complete || s.Version != "1" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestJSON(t *testing.T) {
	lib, _ := newLibrary(t)
	data, err := json.Marshal(collect(t, stats.New(lib, nil)))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"counts", "sizes", "cache", "programs", "uptime", "complete"} {
		if _, ok := got[key]; !ok {
			t.Errorf("no %s in %s", key, data)
		}
	}
	lib = citekit.New(workspace.NewMemory(nil), nil, nil)
	defer lib.Close()
	if data, err := json.Marshal(collect(t, stats.New(lib, nil))); err != nil || !strings.Contains(string(data), `"programs":[]`) {
		t.Errorf("without programs: %s, %v", data, err)
	}
	if rate, ok := got["cache"].(map[string]any)["hit_rate"]; !ok || rate != nil {
		t.Errorf("a hit rate of nothing: %s", data)
	}
}
