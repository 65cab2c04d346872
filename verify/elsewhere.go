package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
)

const (
	// maxPassages is the maximum number of passages searched for a quote
	// without a stated source.
	maxPassages = 20

	// around is the length of the text before and behind a passage that is
	// searched too, in addition to the length of the quote.
	around = 2000

	// maxPhrase is the maximum number of words for which a quote is first
	// searched as a phrase: phrases of only common words occur in many
	// passages.
	maxPhrase = 16

	// maxQueryWords is the maximum number of words of a quote in one search.
	maxQueryWords = 40
)

// errUnread is the problem of a quote that is not in the texts that were indexed in time.
var errUnread = fmt.Errorf("some texts are not in the index yet; verify again to include them: %w", context.DeadlineExceeded)

// decideAnywhere decides about a quote that may be in any resource.
func (c *call) decideAnywhere(ctx context.Context) error {
	all := c.newElsewhere("")
	defer all.close()
	found, like, err := all.look(ctx)
	switch {
	case err != nil:
		return err
	case len(found) > 0:
		best := 0
		for i, p := range found {
			if p.Exact {
				best = i
				break
			}
		}
		found[0], found[best] = found[best], found[0]
		return c.settle(ctx, found, []textlayer.Bytes{{From: 0, To: found[0].source.Len()}})
	}
	if like != nil {
		if err := c.settleAltered(ctx, *like); err != nil {
			return err
		}
	}
	if all.unread {
		c.verdict.Problem, c.verdict.LeftOut = errUnread, all.out
		return nil
	}
	c.verdict.LeftOut, err = all.leftOut(ctx)
	return err
}

// An otherSources searches all resources except one for a quote.
type otherSources struct {
	*call
	but     string
	sources map[string]*source // by resource; nil for one that cannot be read
	opened  bool               // some could be read
	failed  error              // why the first of the others could not
	out     int                // resources known to have changed or not to be readable
	unread  bool               // not all texts were read and searched in time

	found []place
	like  *place
}

func (c *call) newElsewhere(but string) *otherSources {
	return &otherSources{call: c, but: but, sources: make(map[string]*source)}
}

func (e *otherSources) close() {
	for _, s := range e.sources {
		if s != nil {
			s.Close()
		}
	}
}

// look returns the places of the quote, or the most similar place if there are
// none.
func (e *otherSources) look(ctx context.Context) ([]place, *place, error) {
	if e.searcher == nil {
		return e.lookThroughAll(ctx)
	}
	words := wordsOf(e.req.Quote)
	if len(words) == 0 {
		return nil, nil, nil
	}
	queries := []string{strings.Join(words, " ")}
	if len(words) <= maxPhrase {
		queries = append([]string{`"` + queries[0] + `"`}, queries...)
	}
	for _, query := range queries {
		req := search.Request{Query: query, Syntax: search.Question, TopK: maxPassages, SameAddress: true, Whole: true, NoHighlights: true}
		if query[0] == '"' {
			req.Syntax = search.Expression
		}
		if e.but != "" { // which was searched as a whole, and must not take the place of others
			req.Filters.Without = []string{e.but}
		}
		results, err := e.searcher.Search(ctx, req)
		if err != nil {
			return nil, nil, err
		}
		e.out = max(e.out, results.LeftOut)
		e.unread = e.unread || !results.Complete && results.Degraded == ""
		if err := e.lookAt(ctx, results); err != nil {
			return nil, nil, err
		}
		if len(e.found) > 0 {
			e.verdict.Counted = false // there may be more passages
			break
		}
	}
	return e.found, e.like, nil
}

// maxChecked is how many resources are asked whether they could be searched.
const maxChecked = 1000

// leftOut returns how many resources were not searched, because their sources have
// changed, are gone or cannot be read. A search knows of those only that it met, so
// the others are asked; of more than maxChecked, the first.
func (e *otherSources) leftOut(ctx context.Context) (int, error) {
	if e.searcher == nil {
		return e.out, nil
	}
	ids, err := e.lib.ResourcesAfter(ctx, "", maxChecked)
	if err != nil {
		return 0, err
	}
	out := 0
	for _, id := range ids {
		layer, err := e.layers.Open(ctx, id)
		switch {
		case err == nil:
			layer.Close()
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case !textlayer.HasNoText(err): // what has no text is not missed
			out++
		}
	}
	return max(out, e.out), nil
}

// wordsOf returns words of a quote for a search: all words, or, for a long
// quote, some from each part of it.
func wordsOf(quote string) []string {
	words := strings.FieldsFunc(quote, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)
	})
	if len(words) <= maxQueryWords {
		return words
	}
	some := make([]string, maxQueryWords)
	for i := range some {
		some[i] = words[i*len(words)/maxQueryWords]
	}
	return some
}

// lookAt searches the text around passages.
func (e *otherSources) lookAt(ctx context.Context, results *search.Results) error {
	for _, r := range results.Results {
		if r.Passage == nil || r.ResourceID == e.but {
			continue
		}
		s, err := e.source(ctx, r.ResourceID)
		if err != nil {
			return err
		}
		if s == nil || s.stale || s.SourceHash() != r.Passage.SourceHash {
			continue
		}
		reach := int64(len(e.req.Quote) + around)
		text, err := e.partOf(ctx, s, max(0, r.Passage.From-reach), min(s.Len(), r.Passage.To+reach))
		if err != nil {
			return err
		}
		e.lookInto(s, text)
	}
	return nil
}

// source opens the text of a resource, or returns nil if it cannot be read.
func (e *otherSources) source(ctx context.Context, id string) (*source, error) {
	s, ok := e.sources[id]
	if !ok {
		var err error
		if s, err = e.open(ctx, citekit.Address{Resource: id}); err != nil {
			if s, e.failed = nil, cmp.Or(e.failed, err); e.searcher == nil && !textlayer.HasNoText(err) {
				e.out++
			}
		} else if e.opened = true; e.req.citing == s.SourceHash() {
			s.Close()
			s = nil
		}
		e.sources[id] = s
	}
	return s, ctx.Err()
}

// lookInto searches a stretch of a text for the quote.
func (e *otherSources) lookInto(s *source, text segment) {
	found := text.Find(e.quote, 0, len(text.Raw()), MaxOthers+1)
	for _, m := range found.Matches {
		p := place{m, text.at, s}
		if !e.has(p) && len(e.found) <= MaxOthers {
			e.found = append(e.found, p)
		}
	}
	if len(e.found) > 0 {
		return
	}
	m, ok := text.Nearest(e.quote, 0, len(text.Raw()), found)
	switch p := (&place{m, text.at, s}); {
	case !ok:
	case len(m.Difference) == 0:
		e.found = append(e.found, *p)
	case e.like == nil || m.Similarity > e.like.Similarity:
		e.like = p
	}
}

func (e *otherSources) has(p place) bool {
	for _, other := range e.found {
		if other.source == p.source && other.from() == p.from() {
			return true
		}
	}
	return false
}

// lookThroughAll searches the texts of all resources.
func (e *otherSources) lookThroughAll(ctx context.Context) ([]place, *place, error) {
	ids, err := e.lib.Resources(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		if id == e.but {
			continue
		}
		s, err := e.source(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		if s == nil {
			continue
		}
		if s.stale {
			e.out++
			s.Close()
			delete(e.sources, id)
			continue
		}
		err = e.stretches(ctx, s, func(t segment) bool {
			e.lookInto(s, t)
			return ctx.Err() == nil
		})
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, nil, err
		}
		if !e.uses(s) {
			s.Close()
			delete(e.sources, id)
		}
	}
	if !e.opened {
		return nil, nil, e.failed // nothing was looked into
	}
	return e.found, e.like, nil
}

// uses reports whether something was found in a source.
func (e *otherSources) uses(s *source) bool {
	return e.like != nil && e.like.source == s || slices.ContainsFunc(e.found, func(p place) bool { return p.source == s })
}
