package index

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/terms"
	"github.com/citekit/citekit/search/internal/index/internal/segment"
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
	return l.run(ctx, q, func(s *snapshot, q *Query) []*compiler { return telling(s, q.Text, max(1, least)) }, false)
}

// telling returns queries for the most distinctive words of a text among those
// that at least so many entries have.
func telling(s *snapshot, text string, least int) []*compiler {
	text = cut(text, maxText)
	reader, all := terms.NewReader(text), newCompilers(s)
	keeps := onlyFunction(reader, clause{text: text})
	counts := make([]map[string]int, len(all)) // of the words of each group, by key
	entries, shares := make(map[string]int), make(map[string]float64)
	for i, c := range all {
		counts[i] = make(map[string]int)
		for p, list := range c.placed(text) {
			name := strings.ToLower(text[p.start:p.end])
			if !keeps && reader.IsFunction(text[p.start:p.end]) {
				continue
			}
			slices.Sort(list)
			k := key(list)
			if counts[i][k]++; counts[i][k] > 1 {
				continue
			}
			c.query.Words = append(c.query.Words, segment.Word{Terms: list, Count: 1})
			c.names = append(c.names, name)
			n := c.frequency(list)
			entries[name] += n
			shares[name] = max(shares[name], float64(max(1, n))/float64(c.group.docs()))
		}
	}
	for i, c := range all {
		c.keepTelling(counts[i], func(name string) float64 {
			if entries[name] < least {
				return 0
			}
			return math.Log(1 + 1/shares[name])
		})
	}
	balance(all)
	return all
}

// keepTelling keeps the words that tell most, and weights them, by their counts in a text
// and by how much each tells; 0 means that it does not count.
func (c *compiler) keepTelling(counts map[string]int, tells func(name string) float64) {
	type told struct {
		word  segment.Word
		name  string
		tells float64
	}
	var list []told
	for i, w := range c.query.Words {
		w.Boost = often(counts[key(w.Terms)])
		if t := tells(c.names[i]); t > 0 {
			list = append(list, told{w, c.names[i], w.Boost * t})
		}
	}
	slices.SortStableFunc(list, func(a, b told) int { return cmp.Compare(b.tells, a.tells) })
	c.query.Words, c.names = nil, nil
	for _, t := range list[:min(len(list), tellingWords)] {
		c.query.Words, c.names = append(c.query.Words, t.word), append(c.names, t.name)
	}
}

// often returns the weight of a word that occurs several times in a text.
func often(times int) float64 { return 1 + math.Log(float64(times)) }

// frequency returns how many entries have one of some terms. An entry with two
// of them is counted twice.
func (c *compiler) frequency(list []string) (n int) {
	for _, term := range list {
		n += c.query.Lookup.Frequency(term)
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
