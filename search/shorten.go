package search

import (
	"strings"

	"github.com/citekit/citekit/internal/plain"
)

// The size of an answer, in tokens.
const (
	tokensPerResult = 95 // of its JSON, snippet included
	mostSnippet     = 60
	leastSnippet    = 12
	mostTitle       = 120 // bytes
	mostPathTitles  = 4
)

// shorten returns the results of candidates. Their snippets share the space of
// the answer.
func shorten(shown []candidate, req Request) []*Result {
	results := make([]*Result, len(shown))
	for i, c := range shown {
		results[i] = c.result
		c.result.shortenTitles()
	}
	for room := mostSnippet; ; room = room * 4 / 5 {
		for _, c := range shown {
			c.result.Snippet, c.result.Highlights = snippet(c.text, c.marks, room)
			if c.goesOn && !strings.HasSuffix(c.result.Snippet, cutMark) {
				c.result.Snippet += cutMark
			}
			if req.NoHighlights {
				c.result.Highlights = nil
			}
		}
		data, err := (&Results{Results: results}).MarshalJSON()
		if err != nil || room <= leastSnippet || plain.CountTokens(string(data)) <= tokensPerResult*req.TopK {
			return results
		}
	}
}

// shortenTitles cuts titles that are too long to show, and removes the middle
// of a long path.
func (r *Result) shortenTitles() {
	r.Title = plain.Shorten(strings.TrimSpace(r.Title), mostTitle)
	path := r.Path
	if n := len(path); n > mostPathTitles {
		path = append(append([]string{}, path[:mostPathTitles/2]...), append([]string{cutMark}, path[n-mostPathTitles/2:]...)...)
	}
	r.Path = nil
	for _, title := range path {
		r.Path = append(r.Path, plain.Shorten(title, mostTitle/2))
	}
}
