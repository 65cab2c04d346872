package index

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/citekit/citekit/internal/segment"
	"github.com/citekit/citekit/internal/terms"
)

// A Comparer is an [Index] that finds entries by what they have in common with
// a text.
type Comparer interface {
	// Similar returns the entries that have the most telling words of a text,
	// best first. Query.Text is that text; its first 64 KiB count, and no sign
	// in it has a meaning. Words that few entries have and the text has often
	// tell most; those that fewer than least entries have are passed over, as
	// the words that only the text itself has in the index.
	Similar(ctx context.Context, q Query, least int) (*Result, error)
}

var _ Comparer = (*Local)(nil)

// tellingWords is how many words of a text are looked for.
const tellingWords = segment.MaxWords

// Similar implements [Comparer].
func (l *Local) Similar(ctx context.Context, q Query, least int) (*Result, error) {
	return l.run(ctx, q, func(s *snapshot, text string) *segment.Query { return telling(s, text, max(1, least)) })
}

// telling returns a query for the words of a text that tell most, of those that
// at least so many entries have.
func telling(s *snapshot, text string, least int) *segment.Query {
	c := newCompiler(s)
	counts := make(map[string]int)
	var words []segment.Word
	for _, list := range c.forms(cut(text, maxText)) {
		slices.Sort(list)
		k := key(list)
		if counts[k]++; counts[k] == 1 {
			words = append(words, segment.Word{Terms: list, Count: 1})
		}
	}
	weights := make(map[string]float64, len(words))
	docs := s.docs()
	words = slices.DeleteFunc(words, func(w segment.Word) bool {
		k := key(w.Terms)
		entries := c.frequency(w.Terms)
		weights[k] = tells(counts[k], entries, docs)
		return entries < least
	})
	slices.SortStableFunc(words, func(a, b segment.Word) int {
		return cmp.Compare(weights[key(b.Terms)], weights[key(a.Terms)])
	})
	words = words[:min(len(words), tellingWords)]
	for i := range words {
		words[i].Boost = often(counts[key(words[i].Terms)])
	}
	return &segment.Query{Words: words}
}

// often returns what a word counts that a text has several times.
func often(times int) float64 { return 1 + math.Log(float64(times)) }

// tells returns how much a word tells of a text that has it several times, if
// some of docs entries have it.
func tells(times, entries, docs int) float64 {
	return often(times) * math.Log(1+float64(docs)/float64(max(1, entries)))
}

// frequency returns how many entries have one of some terms, those counted
// twice that have two.
func (c *compiler) frequency(list []string) (n int) {
	for _, v := range c.snapshot.views {
		_ = segment.Guard(func() error { // memory that is gone is found out by the search
			for _, term := range list {
				f, _ := v.Segment.Frequency(term)
				n += f
			}
			return nil
		})
	}
	return n
}

// docs returns how many entries the segments have.
func (s *snapshot) docs() (n int) {
	for _, v := range s.views {
		n += v.Segment.Docs()
	}
	return n
}

// Telling returns up to n words of a text that has many, those of the most
// letters and digits that it has most often: what tells most as far as a text
// can say by itself, for an [Index] that is no [Comparer].
func Telling(text string, n int) []string {
	counts := make(map[string]int)
	var words []string
	for t := range terms.New(terms.None).Terms(cut(text, maxText)) {
		if t.Role == terms.Whole {
			continue
		}
		if counts[t.Text]++; counts[t.Text] == 1 {
			words = append(words, t.Text)
		}
	}
	weight := func(word string) float64 { return often(counts[word]) * float64(len([]rune(word))) }
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(weight(b), weight(a)) })
	return words[:min(len(words), n)]
}
