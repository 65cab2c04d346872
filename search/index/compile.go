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

// A compiler makes a query for segments from clauses.
type compiler struct {
	snapshot  *snapshot
	analyzers []*terms.Analyzer // of each language that the index holds
	query     segment.Query
	words     map[string]int // index of the word by its terms
	before    int            // index of the previous word, or -1
	unknown   int            // words that are not in the index
}

const (
	maxPrefixTerms  = 64   // that stand for a prefix: the most common ones
	maxPrefixLooked = 4096 // terms examined for it, in each segment
	maxSimilar      = 8    // terms that stand for a missing word
	similarBoost    = 0.5  // their weight compared with a word as written
	minSimilar      = 4    // letters that a word needs for this
	maxSpellings    = 8    // of a word that may have umlauts
	maxUnknown      = 16   // words for which this is done: each takes about a millisecond
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
		case len(condition.Phrases) == 0: // only stop words and signs
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

// A wordPlace is the position of a word in a text, in bytes.
type wordPlace struct{ start, end int }

// forms returns the words of a text, each as its terms in the languages of the
// index.
func (c *compiler) forms(text string) (words [][]string) {
	for _, list := range c.placed(text) {
		words = append(words, list)
	}
	return words
}

// placed yields the words of a text in order, each in the form that
// [compiler.forms] returns.
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

// phrases returns the phrases that a quoted text stands for in the languages of
// the index.
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

// A text of at least minWords words, or as many pairs of letters where no spaces part
// words, is looked for as it is written if minSequence to maxSequence of them count. A
// shorter one is more often a subject than a quote.
const (
	minWords    = 6
	minSequence = 3
	maxSequence = 64
)

// sequences returns the phrases that a query is as a whole; none if it is short, long, or
// has more than words.
func sequences(s *snapshot, text string) (phrases []segment.Phrase) {
	words := 0
	for _, c := range parse(text) {
		if c.phrase || c.prefix || c.excluded || c.title {
			return nil
		}
		words += len(strings.FieldsFunc(c.text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }))
	}
	for _, p := range newCompiler(s).phrases(cut(text, maxText)) {
		if len(p) >= minSequence && len(p) <= maxSequence && max(words, len(p)) >= minWords {
			phrases = append(phrases, p)
		}
	}
	return phrases
}

// sequence returns the terms of a phrase.
func sequence(p segment.Phrase) string {
	var all []string
	for _, t := range p {
		all = append(all, t.Term)
	}
	return strings.Join(all, " ")
}

// add adds a word to the query, as the neighbour of the previous word.
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

// key identifies a word by its terms, which must be sorted.
func key(list []string) string { return strings.Join(list, "\x00") }

// known returns the terms of a word, or similar terms if the index has none of
// them. A single character of a script without spaces stands for all terms that
// begin with it. It also returns the weight of the word.
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
	if list := c.umlauts(forms); len(list) > 0 {
		return list, 1
	}
	return c.similar(forms), similarBoost
}

// has reports whether the index has one of the terms.
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

// count calls f with each segment. It ignores a segment whose memory is gone;
// the search reports that.
func (c *compiler) count(f func(*segment.Segment)) {
	for _, v := range c.snapshot.views {
		_ = segment.Guard(func() error { f(v.Segment); return nil })
	}
}

// umlauts returns the terms of the index that a word is if its "ae", "oe" and "ue"
// are umlauts: the terms have the letters below the dots alone.
func (c *compiler) umlauts(forms []string) (list []string) {
	for _, term := range forms {
		spellings := []string{""}
		for i := 0; i < len(term); i++ {
			for j, s := range spellings {
				spellings[j] = s + term[i:i+1]
			}
			if strings.IndexByte("aou", term[i]) < 0 || i+1 == len(term) || term[i+1] != 'e' {
				continue
			}
			i++
			for j, s := range spellings {
				if len(spellings) < maxSpellings {
					spellings = append(spellings, s)
				}
				spellings[j] = s + "e"
			}
		}
		for _, s := range spellings[1:] {
			if c.has([]string{s}) && !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
	}
	return list
}

// similar returns the most common terms that differ from a word in one letter.
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

// starting returns the most common terms that begin with a prefix.
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

// prefix adds a word that is given by its start. It searches stems by the
// start as written and by the stem of the start.
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
