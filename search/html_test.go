package search_test

import (
	"os"
	"strings"
	"testing"

	"github.com/citekit/citekit/search"
)

// TestHTML finds and shows what a page shows, at the lines where it stands.
func TestHTML(t *testing.T) {
	const page = "<!DOCTYPE html>\n<html><head><title>Weather</title><style>.kumquat { color: red }</style>\n" +
		"<script>var walnut = 'walnut walnut';</script></head><body class=pomelo>\n" +
		"<h1>Rain &amp; <i>sun</i></h1>\n<p>It rained on <b>Mon</b>day &mdash;\nall <a href=quince.html>day</a> long.</p>\n" +
		"<h2>Wind</h2>\n<p>The wind came from the caf&eacute;.</p>\n<!-- medlar -->\n</body></html>\n"
	s := newShelf(t, map[string]string{"rain.html": page})
	for query, want := range map[string]string{
		`"rain & sun"`: "text://rain#lines=4-6", "Monday all day": "text://rain#lines=4-6", "café": "text://rain#lines=7-8",
		"walnut": "", "kumquat": "", "pomelo": "", "quince": "", "medlar": "",
	} {
		found := s.find(t, search.Request{Query: query})
		if got := addresses(found); got != want {
			t.Errorf("%s: found %q, want %q", query, got, want)
		}
		for _, r := range found.Results {
			if strings.ContainsAny(r.Snippet, "<>;") {
				t.Errorf("%s: the snippet is %q", query, r.Snippet)
			}
			e, err := s.ResolveAddress(ctx, r.Address, nil)
			if err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(e.OutputPath); err != nil || !strings.Contains(page, string(data)) || !strings.Contains(string(data), "<p>") {
				t.Errorf("%s: the evidence is %q, %v", query, data, err)
			}
		}
	}
}
