package search_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/internal/index"
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
		"-green": true, `-"green tea" -wat* -title:x`: true, "zebra -green": false, "title:zebra": false, "- zebra": false,
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
	if found := newShelf(t, map[string]string{"a.md": "# A\n\nWords.\n"}).find(t, search.Request{Query: "zebra"}); found.Hint == "" || strings.Contains(found.Hint, "ingest") {
		t.Errorf("nothing found: hint %q", found.Hint)
	}
}

// TestNothingFound checks what a search without results says to try.
func TestNothingFound(t *testing.T) {
	s := newShelf(t, map[string]string{"mail/a.md": "# A\n\nThe small option -s uses less memory.\n", "b.md": "# B\n\nMemory is needed.\n"})
	for _, c := range []struct {
		req     search.Request
		results int
		want    string
	}{
		{search.Request{Query: "unicorn"}, 0, "no text has the words; try others, in the language of the resources"},
		{search.Request{Query: `"memory small"`}, 2, "nothing has the words in quotes as written; the results are without that order"},
		{search.Request{Query: `"unicorn small"`, Syntax: index.Expression}, 1, "nothing has the words in quotes as written; the results are without that order"},
		{search.Request{Query: `"unicorn horn"`}, 0, "no text has the words in quotes as written; try them without quotes"},
		{search.Request{Query: `title:option memory -needed`}, 2, `nothing has "option" in its title and the words without "needed"; the results are without that order`},
		{search.Request{Query: `option -memory`}, 1, `nothing has the words without "memory"; the results are without that order`},
		{search.Request{Query: "unicorn", Filters: index.Filters{Types: []string{"section"}}}, 0, "nothing that the filters leave has the words; try other words, or fewer filters"},
		{search.Request{Query: "memory", Filters: index.Filters{Path: "post"}}, 0, `nothing with the words has a path such as "post"; a path is a pattern such as *.md, or a folder such as docs/`},
		{search.Request{Query: "memory", Filters: index.Filters{Path: "mail"}}, 1, ""},
		{search.Request{Query: "option -s"}, 1, ""},
		{search.Request{Query: "memory -s"}, 2, ""},
		{search.Request{Query: "memory -s", Syntax: index.Expression}, 1, `left out passages with 's'; write "-s" in quotes to find it`},
		{search.Request{Query: "memory -option"}, 1, `left out passages with 'option'; write "-option" in quotes to find it`},
		{search.Request{Query: `memory "-s"`}, 1, ""},
		{search.Request{Query: "memory"}, 2, ""},
		{search.Request{Query: `""`}, 0, "the query has no words; give some"},
		{search.Request{Query: "-small"}, 0, "the query only says what to leave out; add a word to find, such as tea -green"},
	} {
		if found := s.find(t, c.req); len(found.Results) != c.results || !strings.Contains(found.Hint, c.want) || c.want == "" && found.Hint != "" {
			t.Errorf("%+v: %d results, %q", c.req, len(found.Results), found.Hint)
		}
	}
}
