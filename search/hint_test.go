package search_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/index"
)

// TestHints asks for values that no resource has.
func TestHints(t *testing.T) {
	files := map[string]string{
		"a.md":    "---\nauthor: Ada Lovelace\ntags: [engine, \"evil\\x1b[2J\\u202e\"]\n---\n# A\n\nA zebra.\n",
		"gone.md": "---\ntags: [vanished]\n---\n# Gone\n\nA zebra.\n",
	}
	for i := range 30 {
		files[fmt.Sprintf("n%d.md", i)] = fmt.Sprintf("---\ntags: tag%d\n---\n# N\n\nwords\n", i)
	}
	s := newShelf(t, files)
	s.find(t, search.Request{Query: "zebra"})
	if _, err := ingest.Delete(ctx, s.Library, "gone", nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		filters index.Filters
		want    []string
	}{
		{index.Filters{Labels: []string{"Engin"}}, []string{`nothing has the label "Engin"; labels are: engine, evil`, " and more"}},
		{index.Filters{Labels: []string{"vanished"}}, []string{`nothing has the label "vanished"; labels are: engine`}},
		{index.Filters{Authors: []string{"Ada Lovelac"}}, []string{`nothing has the author "Ada Lovelac"; authors are: ada lovelace`}},
		{index.Filters{Types: []string{"sectoin"}, Modalities: []citekit.Modality{"vidio"}}, []string{`nothing has the modality "vidio"; modalities are: text; built in are: document, video, audio, image, text, virtual; nothing has the type "sectoin"; types are: section`}},
		{index.Filters{Labels: []string{"x1", "x2", "x3", "x4", "x5"}}, []string{`"x3"`}},
	} {
		found := s.find(t, search.Request{Query: "zebra", Filters: c.filters})
		for _, want := range c.want {
			if len(found.Results) != 0 || !strings.Contains(found.Hint, want) {
				t.Errorf("%+v: %q, want %q", c.filters, found.Hint, want)
			}
		}
		if strings.ContainsAny(found.Hint, "\x1b\u202e\n") || strings.Contains(found.Hint, "x4") || len(found.Hint) > 2500 {
			t.Errorf("%+v: %q", c.filters, found.Hint)
		}
		data, err := json.Marshal(found)
		if err != nil || !strings.Contains(string(data), `"hint":"nothing has the `) {
			t.Errorf("%s, %v", data, err)
		}
	}
	for _, req := range []search.Request{
		{Query: "zebra"}, {Query: "zebra", Filters: index.Filters{Labels: []string{"engine", "none"}}},
		{Query: "unicorn", Filters: index.Filters{Labels: []string{"ENGINE"}}},
	} {
		if found := s.find(t, req); found.Hint != "" {
			t.Errorf("%+v: %q", req, found.Hint)
		}
	}
	many := make([]string, 10_000)
	for i := range many {
		many[i] = fmt.Sprint("none", i)
	}
	if found := s.find(t, search.Request{Query: "zebra", Filters: index.Filters{Labels: many}}); len(found.Hint) > 2500 || found.Hint == "" {
		t.Errorf("%q", found.Hint)
	}
}

// TestHintOfExclusions checks that a query which only excludes words says what is
// missing.
func TestHintOfExclusions(t *testing.T) {
	s := newShelf(t, map[string]string{"a.md": "# A\n\nGreen tea is brewed with water.\n"})
	for query, hinted := range map[string]bool{
		"-green": true, `-"green tea" -wat* -title:x`: true, "tea -green": false, "zebra -green": false, "title:zebra": false, "- zebra": false,
	} {
		if found := s.find(t, search.Request{Query: query}); strings.Contains(found.Hint, "add a word to find") != hinted || len(found.Results) != 0 {
			t.Errorf("%s: %d results, hint %q", query, len(found.Results), found.Hint)
		}
	}
}

// TestHintWithoutMaps checks that a search of a folder without maps says so, and
// one that finds nothing elsewhere does not.
func TestHintWithoutMaps(t *testing.T) {
	if found := newShelf(t, nil).find(t, search.Request{Query: "zebra"}); !strings.Contains(found.Hint, "ingest") {
		t.Errorf("without maps: hint %q", found.Hint)
	}
	if found := newShelf(t, map[string]string{"a.md": "# A\n\nWords.\n"}).find(t, search.Request{Query: "zebra"}); found.Hint != "" {
		t.Errorf("nothing found: hint %q", found.Hint)
	}
}
