package index

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/citekit/citekit/internal/segment"
	"github.com/citekit/citekit/internal/terms"
)

// A Comparer is an [Index] that can find entries by their similarity to a text.
type Comparer interface {
	// Similar returns the entries with the most distinctive words of a text,
	// best first. Query.Text is that text; its first 64 KiB are used, and its
	// signs have no meaning. The most distinctive words are those that few
	// entries have and that occur often in the text. Words that fewer than
	// least entries have are skipped: they may be in the index only because of
	// the text itself.
	Similar(ctx context.Context, q Query, least int) (*Result, error)
}

var _ Comparer = (*Local)(nil)

// tellingWords is how many words of a text are searched for.
const tellingWords = segment.MaxWords

// Similar implements [Comparer].
func (l *Local) Similar(ctx context.Context, q Query, least int) (*Result, error) {
	return l.run(ctx, q, func(s *snapshot, text string) *segment.Query { return telling(s, text, max(1, least)) }, false)
}

// telling returns a query for the most distinctive words of a text among those
// that at least so many entries have.
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

// often returns the weight of a word that occurs several times in a text.
func often(times int) float64 { return 1 + math.Log(float64(times)) }

// tells returns how distinctive a word is that occurs several times in a text,
// if some of docs entries have it.
func tells(times, entries, docs int) float64 {
	return often(times) * math.Log(1+float64(docs)/float64(max(1, entries)))
}

// frequency returns how many entries have one of some terms. An entry with two
// of them is counted twice.
func (c *compiler) frequency(list []string) (n int) {
	for _, v := range c.snapshot.views {
		_ = segment.Guard(func() error { // the search reports memory that is gone
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

// Telling returns up to n words of a text: those that have the most letters and
// digits and occur most often. They are the most distinctive words that
// the text alone can show, for an [Index] that is not a [Comparer].
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
