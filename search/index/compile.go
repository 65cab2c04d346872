package index

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/segment"
	"github.com/citekit/citekit/internal/terms"
)

// A compiler makes a query for segments out of clauses.
type compiler struct {
	snapshot  *snapshot
	analyzers []*terms.Analyzer // of each language that the index holds
	query     segment.Query
	words     map[string]int // index of the word by its terms
	before    int            // index of the word before, or -1
	unknown   int            // words that the index does not have
}

const (
	maxPrefixTerms  = 64   // that stand for a prefix: the commonest
	maxPrefixLooked = 4096 // terms that are looked at for it, in each segment
	maxSimilar      = 8    // terms that stand for a word that is not there
	similarBoost    = 0.5  // what these count beside a word as it was written
	minSimilar      = 4    // letters of a word for which they are looked for
	maxUnknown      = 16   // words for which they are: to look takes about a millisecond
)

func newCompiler(s *snapshot) *compiler {
	c := &compiler{snapshot: s, words: make(map[string]int), before: -1}
	for _, l := range s.languages {
		c.analyzers = append(c.analyzers, terms.New(l))
	}
	return c
}

func compile(s *snapshot, text string) *segment.Query {
	c := newCompiler(s)
	for _, clause := range parse(text) {
		c.clause(clause)
	}
	return &c.query
}

func (c *compiler) clause(cl clause) {
	if cl.prefix && !cl.phrase {
		c.prefix(cl)
		return
	}
	if cl.phrase || cl.title || cl.excluded {
		condition := segment.Condition{Phrases: c.phrases(cl.text), Title: cl.title}
		switch {
		case len(condition.Phrases) == 0: // nothing but stop words and signs
			return
		case cl.excluded:
			c.query.Excluded = append(c.query.Excluded, condition)
			return
		}
		c.query.Required = append(c.query.Required, condition)
	}
	for _, forms := range c.forms(cl.text) {
		list, boost := c.known(forms)
		c.add(list, boost)
	}
}

// A wordPlace is where a word is in a text, in bytes.
type wordPlace struct{ start, end int }

// forms returns the words of a text, each as the terms that it is in the
// languages of the index.
func (c *compiler) forms(text string) (words [][]string) {
	for _, list := range c.placed(text) {
		words = append(words, list)
	}
	return words
}

// placed yields the words of a text in order, each as [compiler.forms] has it.
func (c *compiler) placed(text string) iter.Seq2[wordPlace, []string] {
	at := make(map[wordPlace][]string)
	for _, a := range c.analyzers {
		seen := false
		for t := range a.Terms(text) {
			if t.Role == terms.Last && seen {
				continue
			}
			seen = true
			p := wordPlace{t.Start, t.End}
			if term := t.Text; !slices.Contains(at[p], term) {
				at[p] = append(at[p], term)
			}
		}
	}
	places := slices.SortedFunc(maps.Keys(at), func(a, b wordPlace) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	return func(yield func(wordPlace, []string) bool) {
		for _, p := range places {
			if !yield(p, at[p]) {
				return
			}
		}
	}
}

// phrases returns what a text in quotes is in the languages of the index.
func (c *compiler) phrases(text string) (phrases []segment.Phrase) {
	for _, a := range c.analyzers {
		var phrase segment.Phrase
		first := -1
		for t := range a.Terms(text) {
			if t.Role == terms.Whole || t.Role == terms.Last && len(phrase) > 0 {
				continue
			}
			if first < 0 {
				first = t.Position
			}
			phrase = append(phrase, segment.PhraseTerm{Term: t.Text, Offset: t.Position - first})
		}
		same := func(p segment.Phrase) bool { return slices.Equal(p, phrase) }
		if len(phrase) > 0 && !slices.ContainsFunc(phrases, same) {
			phrases = append(phrases, phrase)
		}
	}
	return phrases
}

// add counts a word of the query, and takes it as neighbour of the one before.
func (c *compiler) add(list []string, boost float64) {
	if len(list) == 0 {
		return
	}
	slices.Sort(list)
	k := key(list)
	i, ok := c.words[k]
	if !ok {
		i = len(c.query.Words)
		c.words[k] = i
		c.query.Words = append(c.query.Words, segment.Word{Terms: list, Boost: boost})
	}
	c.query.Words[i].Count++
	if pair := [2]int{c.before, i}; c.before >= 0 && !slices.Contains(c.query.Pairs, pair) {
		c.query.Pairs = append(c.query.Pairs, pair)
	}
	c.before = i
}

// key tells words apart by their terms, which are sorted.
func key(list []string) string { return strings.Join(list, "\x00") }

// known returns the terms of a word, or those like it if the index has none of
// them. A single character of a script without spaces stands for all that
// begins with it. It also returns what the word counts.
func (c *compiler) known(forms []string) (list []string, boost float64) {
	if c.has(forms) {
		return forms, 1
	}
	if r, size := utf8.DecodeRuneInString(forms[0]); size == len(forms[0]) && size > 2 {
		return c.starting(string(r)), 1
	}
	if c.unknown++; c.unknown > maxUnknown {
		return forms, 1
	}
	return c.similar(forms), similarBoost
}

// has reports whether the index has a term.
func (c *compiler) has(forms []string) bool {
	for _, v := range c.snapshot.views {
		found := false
		_ = segment.Guard(func() error {
			found = slices.ContainsFunc(forms, func(term string) bool {
				n, err := v.Segment.Frequency(term)
				return n > 0 && err == nil
			})
			return nil
		})
		if found {
			return true
		}
	}
	return false
}

// count calls f with each segment. One whose memory is gone is found out by the
// search.
func (c *compiler) count(f func(*segment.Segment)) {
	for _, v := range c.snapshot.views {
		_ = segment.Guard(func() error { f(v.Segment); return nil })
	}
}

// similar returns the commonest terms that differ from a word in one letter.
func (c *compiler) similar(forms []string) []string {
	counts := make(map[string]int)
	for _, term := range forms {
		letters := 0
		for _, r := range term {
			if !unicode.IsLetter(r) {
				letters = -len(term)
			}
			letters++
		}
		if letters < minSimilar {
			continue
		}
		c.count(func(s *segment.Segment) {
			for near, n := range s.Near(term) {
				counts[near] += n
			}
		})
	}
	return commonest(counts, maxSimilar)
}

// starting returns the commonest terms that begin with a prefix.
func (c *compiler) starting(prefix string) []string {
	counts := make(map[string]int)
	c.count(func(s *segment.Segment) {
		looked := 0
		for term, n := range s.Terms(prefix) {
			if counts[term] += n; looked == maxPrefixLooked {
				return
			}
			looked++
		}
	})
	return commonest(counts, maxPrefixTerms)
}

func commonest(counts map[string]int, n int) []string {
	list := slices.Collect(maps.Keys(counts))
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	return list[:min(n, len(list))]
}

// prefix adds a word of which only the start is given. Stems are looked for by
// the start as it is written, and by the stem of it.
func (c *compiler) prefix(cl clause) {
	for t := range terms.New(terms.None).Terms(cl.text) {
		if t.Role == terms.Whole {
			continue
		}
		list := c.starting(t.Text)
		for _, forms := range c.forms(cl.text[t.Start:t.End]) {
			for _, form := range forms {
				if !slices.Contains(list, form) {
					list = append(list, form)
				}
			}
		}
		if !cl.excluded && !cl.title {
			c.add(list, 1)
			continue
		}
		condition := segment.Condition{Title: cl.title}
		for _, term := range list {
			condition.Phrases = append(condition.Phrases, segment.Phrase{{Term: term}})
		}
		if cl.excluded {
			c.query.Excluded = append(c.query.Excluded, condition)
			continue
		}
		c.query.Required = append(c.query.Required, condition)
		c.add(list, 1)
	}
}
