package index

import (
	"cmp"
	"context"
	"slices"

	"github.com/citekit/citekit/internal/terms"
	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

// An Expander is an [Index] that can search for more words than a query has.
type Expander interface {
	// Expand is like Search, but adds the words that are most typical of some
	// texts: relevance feedback after the model RM3. The words of the query
	// have as much weight as all added words together.
	Expand(ctx context.Context, q Query, feedback []Feedback) (*Result, error)
}

var _ Expander = (*Local)(nil)

// Feedback is a text that is assumed to answer a query.
type Feedback struct {
	Text     string  // of the passage
	Language string  // as in [Hit.Language]
	Weight   float64 // relative to the other texts; a text without weight is skipped
}

const (
	expansionTerms = 20 // largest number of added words
	originalShare  = .5 // share of the query's own words in the total weight
)

// Expand implements [Expander].
func (l *Local) Expand(ctx context.Context, q Query, feedback []Feedback) (*Result, error) {
	return l.run(ctx, q, func(s *snapshot, q *Query) []*compiler {
		all := compile(s, q)
		for _, c := range all {
			expand(&c.query, relevance(c.group.feedback(feedback)))
		}
		return all
	}, true)
}

// feedback returns the feedback in the languages of a group.
func (g *group) feedback(all []Feedback) []Feedback {
	return slices.DeleteFunc(slices.Clone(all), func(f Feedback) bool { return !slices.Contains(g.languages, terms.Language(f.Language)) })
}

// A weightedTerm is a term with its share of a text or of several.
type weightedTerm struct {
	text  string
	share float64
}

// relevance returns the terms most typical of feedback. Their shares add up to
// 1.
func relevance(feedback []Feedback) []weightedTerm {
	shares, all := make(map[string]float64), 0.
	for _, f := range feedback {
		if f.Weight > 0 {
			all += f.Weight
			addShares(shares, f)
		}
	}
	list := make([]weightedTerm, 0, len(shares))
	for term, share := range shares {
		list = append(list, weightedTerm{term, share / all})
	}
	slices.SortFunc(list, func(a, b weightedTerm) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.text, b.text))
	})
	list = list[:min(len(list), expansionTerms)]
	sum := 0.
	for _, t := range list {
		sum += t.share
	}
	for i := range list {
		list[i].share /= sum
	}
	return list
}

// addShares adds, for each term of a text, its share of the text times the
// text's weight.
func addShares(shares map[string]float64, f Feedback) {
	counts, length := make(map[string]int), 0
	a, done := terms.Borrow(terms.Language(f.Language))
	defer done()
	for t := range a.Terms(cut(f.Text, maxText)) {
		if t.Role != terms.Whole {
			counts[t.Text]++
			length++
		}
	}
	for term, n := range counts {
		shares[term] += f.Weight * float64(n) / float64(length)
	}
}

// expand adds terms to a query that has words, as many as fit.
func expand(q *segment.Query, added []weightedTerm) {
	asked := 0
	for _, w := range q.Words {
		asked += w.Count
	}
	worth := float64(asked) * (1 - originalShare) / originalShare
	own := len(q.Words)
	for _, t := range added {
		has := func(w segment.Word) bool { return slices.Contains(w.Terms, t.text) }
		if i := slices.IndexFunc(q.Words[:own], has); i >= 0 {
			q.Words[i].Boost += worth * t.share / float64(q.Words[i].Count)
			continue
		}
		if own > 0 && len(q.Words) < segment.MaxWords {
			q.Words = append(q.Words, segment.Word{Terms: []string{t.text}, Count: 1, Boost: worth * t.share})
		}
	}
}
