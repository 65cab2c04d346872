package index

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/terms"
	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

// A compiler makes a query for the segments of a group from clauses.
type compiler struct {
	group     *group
	analyzers []*terms.Analyzer // of each language of the group
	peers     []*compiler       // those of all groups
	reader    *terms.Reader     // of the query
	keeps     bool              // function words count: the query has no others
	query     segment.Query
	names     []string       // of the words of the query, the same in each group
	words     map[string]int // index of the word by its terms
	pairs     map[[2]int]bool
	before    int     // index of the previous word, or -1
	unknown   int     // words that are not in the index
	scale     float64 // of scores
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

// newCompilers returns a compiler for each group.
func newCompilers(s *snapshot) []*compiler {
	all := make([]*compiler, len(s.groups))
	for i, g := range s.groups {
		c := &compiler{group: g, peers: all, words: make(map[string]int), pairs: make(map[[2]int]bool), before: -1, scale: 1}
		c.query.Lookup = segment.NewLookup(g.views)
		for _, l := range g.languages {
			c.analyzers = append(c.analyzers, terms.New(l))
		}
		all[i] = c
	}
	return all
}

// compile compiles a query for each group.
func compile(s *snapshot, q *Query) []*compiler {
	all, clauses := newCompilers(s), parse(q.Text, q.Syntax)
	reader, keeps := terms.NewReader(q.Text), true
	for _, cl := range clauses {
		keeps = keeps && (cl.excluded || onlyFunction(reader, cl))
	}
	for _, c := range all {
		c.reader, c.keeps = reader, keeps
		for _, cl := range clauses {
			c.clause(cl)
		}
	}
	balance(all)
	return all
}

// onlyFunction reports whether a clause has only function words.
func onlyFunction(r *terms.Reader, cl clause) bool {
	for t := range terms.New(terms.None).Terms(cl.text) {
		if t.Role != terms.Last && (cl.prefix || !r.IsFunction(cl.text[t.Start:t.End])) {
			return false
		}
	}
	return true
}

// balance scales the scores of each group so that an entry with all words of the query
// gets the same score in each: a word that is common in one language, but rare in texts
// of another, says as much as the share of the query that these texts have with it.
func balance(all []*compiler) {
	if len(all) < 2 {
		return
	}
	type asked struct {
		word  segment.Word
		known bool
	}
	words, order := make(map[string]*asked), []string(nil)
	for _, c := range all {
		for i, w := range c.query.Words {
			name := c.names[i]
			if words[name] == nil {
				words[name] = &asked{word: w}
				order = append(order, name)
			}
			words[name].known = words[name].known || c.frequency(w.Terms) > 0
		}
	}
	first := 0.
	for _, c := range all {
		sum := 0.
		at := make(map[string]int, len(c.names))
		for i, name := range slices.Backward(c.names) {
			at[name] = i
		}
		for _, name := range order {
			if a := words[name]; a.known {
				n := 0
				if i, ok := at[name]; ok {
					n = c.frequency(c.query.Words[i].Terms)
				}
				sum += c.group.rarity(n) * float64(a.word.Count) * a.word.Boost
			}
		}
		if first == 0 {
			first = sum
		}
		if sum > 0 {
			c.scale = first / sum
		}
	}
}

// rarity returns the weight of a word that n entries of the group have, as in BM25.
func (g *group) rarity(n int) float64 {
	docs := float64(g.docs())
	having := min(float64(n), docs)
	return math.Log(1 + (docs-having+.5)/(having+.5))
}

// docs returns how many entries the segments have.
func (g *group) docs() (n int) {
	for _, v := range g.views {
		n += v.Segment.Docs()
	}
	return n
}

func (c *compiler) clause(cl clause) {
	if cl.prefix && !cl.phrase {
		c.prefix(cl)
		return
	}
	keeps := c.keeps
	if cl.phrase || cl.title || cl.excluded {
		keeps = onlyFunction(c.reader, cl)
		condition := segment.Condition{Phrases: c.phrases(cl.text, true), Title: cl.title}
		switch {
		case len(condition.Phrases) == 0: // only signs
			return
		case cl.excluded && keeps && !cl.phrase:
			return // most texts have it
		case cl.excluded:
			c.query.Excluded = append(c.query.Excluded, condition)
			return
		}
		c.query.Required = append(c.query.Required, condition)
	}
	for p, forms := range c.placed(cl.text) {
		if word := cl.text[p.start:p.end]; keeps || !c.reader.IsFunction(word) {
			list, boost := c.known(word, forms)
			c.add(strings.ToLower(word), list, boost)
		}
	}
}

// A wordPlace is the position of a word in a text, in bytes.
type wordPlace struct{ start, end int }

func (p wordPlace) compare(q wordPlace) int {
	return cmp.Or(cmp.Compare(p.start, q.start), cmp.Compare(q.end, p.end))
}

// placed yields the words of a text in order, each as its terms in the languages of the
// group.
func (c *compiler) placed(text string) iter.Seq2[wordPlace, []string] {
	var all []placedTerm
	for _, a := range c.analyzers {
		seen := false
		for t := range a.All(text) {
			if t.Role == terms.Last && seen {
				continue
			}
			seen = true
			all = append(all, placedTerm{wordPlace{t.Start, t.End}, t.Text})
		}
	}
	slices.SortStableFunc(all, func(a, b placedTerm) int { return a.compare(b.wordPlace) })
	return func(yield func(wordPlace, []string) bool) {
		for len(all) > 0 {
			var forms []string
			p, n := all[0].wordPlace, 0
			for ; n < len(all) && all[n].wordPlace == p; n++ {
				if !slices.Contains(forms, all[n].term) {
					forms = append(forms, all[n].term)
				}
			}
			if all = all[n:]; !yield(p, forms) {
				return
			}
		}
	}
}

// A placedTerm is a term of a word.
type placedTerm struct {
	wordPlace
	term string
}

// phrases returns the phrases that a quoted text stands for in the languages of the
// group, with function words or without.
func (c *compiler) phrases(text string, function bool) (phrases []segment.Phrase) {
	for _, a := range c.analyzers {
		var phrase segment.Phrase
		first := -1
		for t := range a.All(text) {
			if t.Role == terms.Whole || t.Role == terms.Last && len(phrase) > 0 || t.Role == terms.Function && !function {
				continue
			}
			if first < 0 {
				first = t.Position
			}
			if next := (segment.PhraseTerm{Term: t.Text, Offset: t.Position - first}); !slices.Contains(phrase[max(0, len(phrase)-16):], next) {
				phrase = append(phrase, next)
			}
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
// has orders. Function words count if there are no others, however short it is.
func (c *compiler) sequences(q *Query) (phrases []segment.Phrase) {
	words := 0
	for _, cl := range parse(q.Text, q.Syntax) {
		if cl.isOrder() {
			return nil
		}
		words += len(strings.FieldsFunc(cl.text, func(r rune) bool { return !isWordRune(r) }))
	}
	for _, p := range c.phrases(cut(q.Text, maxText), c.keeps) {
		if len(p) <= maxSequence && (c.keeps && len(p) > 1 || len(p) >= minSequence && max(words, len(p)) >= minWords) {
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
func (c *compiler) add(name string, list []string, boost float64) {
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
		c.names = append(c.names, name)
	}
	c.query.Words[i].Count++
	if pair := [2]int{c.before, i}; c.before >= 0 && !c.pairs[pair] {
		c.pairs[pair] = true
		c.query.Pairs = append(c.query.Pairs, pair)
	}
	c.before = i
}

// key identifies a word by its terms, which must be sorted.
func key(list []string) string { return strings.Join(list, "\x00") }

// known returns the terms of a word, or similar terms if the index has none of
// them. A single character of a script without spaces, and one before a particle or an
// ending of Japanese, stands for all terms that begin with it. It also returns the weight of the word.
func (c *compiler) known(word string, forms []string) (list []string, boost float64) {
	if c.has(forms) {
		return forms, 1
	}
	if r, size := utf8.DecodeRuneInString(forms[0]); size == len(forms[0]) && size > 2 {
		return c.starting(string(r)), 1
	}
	if noun := beforeKana(forms[0]); noun != "" {
		if list := c.starting(noun); len(list) > 0 {
			return list, similarBoost
		}
	}
	if c.unknown++; c.unknown > maxUnknown || c.isKnownElsewhere(word) {
		return forms, 1
	}
	if list := c.umlauts(forms); len(list) > 0 {
		return list, 1
	}
	return c.similar(forms), similarBoost
}

// beforeKana returns the first character of a pair whose second is a particle or an ending
// of Japanese, which may be another one in the text; "" if it is no such pair.
func beforeKana(pair string) string {
	first, n := utf8.DecodeRuneInString(pair)
	second, m := utf8.DecodeRuneInString(pair[n:])
	if n+m == len(pair) && unicode.Is(unicode.Han, first) && unicode.Is(unicode.Hiragana, second) {
		return pair[:n]
	}
	return ""
}

// isKnownElsewhere reports whether another group has a word.
func (c *compiler) isKnownElsewhere(word string) bool {
	return slices.ContainsFunc(c.peers, func(peer *compiler) bool {
		if peer == c {
			return false
		}
		for _, forms := range peer.placed(word) {
			if peer.has(forms) {
				return true
			}
		}
		return false
	})
}

// has reports whether the group has one of the terms.
func (c *compiler) has(forms []string) bool {
	return slices.ContainsFunc(forms, func(term string) bool { return c.query.Lookup.Frequency(term) > 0 })
}

// count calls f with each segment. It ignores a segment whose memory is gone;
// the search reports that.
func (c *compiler) count(f func(*segment.Segment)) {
	for _, v := range c.group.views {
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
		for _, forms := range c.placed(cl.text[t.Start:t.End]) {
			for _, form := range forms {
				if !slices.Contains(list, form) {
					list = append(list, form)
				}
			}
		}
		if !cl.excluded && !cl.title {
			c.add(strings.ToLower(cl.text)+"*", list, 1)
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
		c.add(strings.ToLower(cl.text)+"*", list, 1)
	}
}
