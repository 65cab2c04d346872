// Package altertest makes quotes from texts by rule: as they stand, written another way,
// altered, spliced, moved and invented. What is to be said of each is certain, because
// the letters of all texts are indexed. The same texts and seed give the same quotes.
package altertest

import (
	"embed"
	"index/suffixarray"
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Source is a text that quotes are taken from.
type Source struct {
	Group     string // pdf, md, en, de, ja, zh
	Wide      bool   // East Asian
	Paged     bool   // it has pages, whose ends [Source.OnePage] knows
	Text      string
	Sentences []Part            // that are prose, as [Sentences] finds them
	OnePage   func(b Part) bool // whether bytes are on one page; nil if there are no pages
}

func (s *Source) onePage(b Part) bool { return s.OnePage == nil || s.OnePage(b) }

// A Part is bytes of a text, from 0, without the last.
type Part struct{ From, To int }

// A Case is a quote that was made by a kind of change.
type Case struct {
	Kind   Kind
	Quote  string
	Source *Source
	At     Part   // where the quote stands, or what was altered
	Base   string // the sentence that it was made from
}

// A Kind is a rule by which a sentence becomes a quote.
type Kind struct {
	Name, Want string
	Weight     int // how many more there are than of other kinds; 0 is 1
	make       func(g *Generator, s *Source, at Part) (quote string, ok bool)
	check      check
	from       func(s *Source) bool // sources it is for; nil is all
	Elsewhere  string               // "page" or "file": the quote is cited there
	Beyond     bool                 // the quote goes on after the sentence
}

// A check says what must hold of the letters of a quote, so that the class is
// certain.
type check int

const (
	sameLetters check = iota // they are those of the sentence
	noSuch                   // they stand nowhere
	onceThere                // they stand once, in the sentence
	unchecked
)

// A Stock is the sources that quotes are taken from, with an index of their letters.
type Stock struct {
	Sources []*Source
	letters *suffixarray.Index
}

// NewStock indexes the letters of sources.
func NewStock(sources []*Source) *Stock {
	var all strings.Builder
	for _, s := range sources {
		all.WriteString(Letters(s.Text) + "\x00")
	}
	return &Stock{sources, suffixarray.New([]byte(all.String()))}
}

// Places counts where the letters of a text stand in all sources, up to most.
func (st *Stock) Places(text string, most int) int {
	return len(st.letters.Lookup([]byte(Letters(text)), most))
}

// A Generator makes cases by a seed. It is not safe for use by several goroutines.
type Generator struct {
	*rand.Rand
	*Stock
	half    []*Source // the sources that quotes are taken from
	groups  map[string][]*Source
	words   map[string][]string // words of a group, to put in
	foreign []string            // sentences that are in no source
}

// New returns a generator of quotes from some sources of a stock. Foreign are
// sentences that stand in none.
func New(r *rand.Rand, st *Stock, from []*Source, foreign []string) *Generator {
	g := &Generator{Rand: r, Stock: st, groups: map[string][]*Source{}, words: map[string][]string{}, foreign: foreign}
	for _, s := range from {
		if len(s.Sentences) == 0 {
			continue
		}
		g.half = append(g.half, s)
		g.groups[s.Group] = append(g.groups[s.Group], s)
		for _, at := range s.Sentences {
			for _, w := range Tokens(Flat(s.Text[at.From:at.To], s.Wide), s.Wide) {
				if IsWord(w, s.Wide) && len(g.words[s.Group]) < 20_000 && (s.Wide || strings.ToLower(w) == w) {
					g.words[s.Group] = append(g.words[s.Group], w)
				}
			}
		}
	}
	return g
}

// Cases makes n quotes of each kind, or as many times more as its weight is. Accept
// may refuse one, and says where it is cited.
func (g *Generator) Cases(n int, accept func(Case) bool) {
	for _, k := range Kinds {
		for made, tries := 0, 0; made < n*max(1, k.Weight) && tries < 4000; tries++ {
			if c, ok := g.try(k); ok && accept(c) {
				made++
				tries = 0
			}
		}
	}
}

// pick chooses a source: half of the time one of other projects.
func (g *Generator) pick() *Source {
	group := []string{"pdf", "pdf", "pdf", "pdf", "md", "md", "md", "en", "de", "de", "ja", "zh"}[g.IntN(12)]
	if len(g.groups[group]) == 0 {
		return g.half[g.IntN(len(g.half))]
	}
	return g.groups[group][g.IntN(len(g.groups[group]))]
}

func (g *Generator) try(k Kind) (Case, bool) {
	s := g.pick()
	if k.from != nil && !k.from(s) {
		return Case{}, false
	}
	at := s.Sentences[g.IntN(len(s.Sentences))]
	base := s.Text[at.From:at.To]
	if g.Places(base, 2) != 1 {
		return Case{}, false
	}
	quote, ok := k.make(g, s, at)
	if !ok || !g.holds(k, quote, base, s) {
		return Case{}, false
	}
	if i := strings.Index(s.Text, quote); i >= 0 {
		at = Part{i, i + len(quote)}
	}
	return Case{Kind: k, Quote: quote, Source: s, At: at, Base: base}, true
}

// holds checks a quote by itself.
func (g *Generator) holds(k Kind, quote, base string, s *Source) bool {
	stands := strings.Contains(s.Text, quote)
	if k.Want == "exact" {
		return stands
	}
	if stands && k.Elsewhere == "" {
		return false
	}
	switch k.check {
	case sameLetters:
		return Letters(quote) == Letters(base)
	case noSuch:
		return g.Places(quote, 1) == 0
	case onceThere:
		return g.Places(quote, 2) == 1
	}
	return true
}

var (
	lineHyphen = regexp.MustCompile(`(\p{L})-\r?\n\s*(\p{Ll})`)
	wideBreak  = regexp.MustCompile(`\s*\n\s*`)
)

// Flat returns a text as it is copied into a line: words joined that are divided
// at the end of a line, and single spaces.
func Flat(text string, wide bool) string {
	if wide {
		return wideBreak.ReplaceAllString(text, "")
	}
	return strings.Join(strings.Fields(lineHyphen.ReplaceAllString(text, "$1$2")), " ")
}

// Tokens cuts a line into words; East Asian ones where the script changes, and
// Han after two characters.
func Tokens(line string, wide bool) (found []string) {
	if !wide {
		return strings.Fields(line)
	}
	class, n := 0, 0
	for _, c := range line {
		is := scriptOf(c)
		if is != class || is == 1 && n == 2 || is == 0 {
			found, class, n = append(found, ""), is, 0
		}
		found[len(found)-1] += string(c)
		n++
	}
	return found
}

func scriptOf(c rune) int {
	for i, r := range []*unicode.RangeTable{unicode.Han, unicode.Katakana, unicode.Hiragana, unicode.Digit} {
		if unicode.Is(r, c) {
			return i + 1
		}
	}
	return 0
}

func Joined(words []string, wide bool) string {
	if wide {
		return strings.Join(words, "")
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// IsWord reports whether a token carries a meaning of its own.
func IsWord(w string, wide bool) bool {
	if wide {
		c, _ := utf8.DecodeRuneInString(w)
		return utf8.RuneCountInString(w) >= 2 && (scriptOf(c) == 1 || scriptOf(c) == 2)
	}
	return len(w) >= 4 && OnlyLetters(w)
}

func ChangeWord(g *Generator, line string, s *Source) (string, bool) {
	w := Tokens(line, s.Wide)
	k, v := g.IntN(len(w)), g.Word(s)
	if !IsWord(w[k], s.Wide) || strings.EqualFold(w[k], v) {
		return "", false
	}
	w[k] = v
	return Joined(w, s.Wide), true
}

func (g *Generator) Word(s *Source) string {
	w := g.words[s.Group]
	return w[g.IntN(len(w))]
}

// vary makes a kind from a change of the words of a line.
func vary(change func(g *Generator, w []string, s *Source) bool) func(*Generator, *Source, Part) (string, bool) {
	return func(g *Generator, s *Source, at Part) (string, bool) {
		w := Tokens(Flat(s.Text[at.From:at.To], s.Wide), s.Wide)
		ok := len(w) >= 8 && change(g, w, s)
		return Joined(w, s.Wide), ok
	}
}

// rewrite makes a kind from a change of a line.
func rewrite(change func(g *Generator, line string) string) func(*Generator, *Source, Part) (string, bool) {
	return func(g *Generator, s *Source, at Part) (string, bool) {
		line := Flat(s.Text[at.From:at.To], s.Wide)
		changed := change(g, line)
		return changed, changed != line
	}
}

// swapFirst replaces one of the words of a table where it first stands between
// bounds of words.
func swapFirst(g *Generator, line string, table []string) string {
	for _, i := range g.Perm(len(table) / 2) {
		from, to := table[2*i], table[2*i+1]
		if at := boundedIndex(line, from); at >= 0 {
			return line[:at] + to + line[at+len(from):]
		}
	}
	return line
}

func boundedIndex(line, word string) int {
	c, _ := utf8.DecodeRuneInString(word)
	for from := 0; ; {
		at := strings.Index(line[from:], word)
		if at < 0 {
			return -1
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(line[:at])
		after, _ := utf8.DecodeRuneInString(line[at+len(word):])
		if c > 0x2E80 || !isLetterOrDigit(before) && !isLetterOrDigit(after) {
			return at
		}
		from = at + len(word)
	}
}

func isLetterOrDigit(c rune) bool {
	return c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c) || c == '-' || c == '_')
}

// commonOrder is the share of words that two lists have in the same order.
func commonOrder(a, b []string) float64 {
	row := make([]int, len(b)+1)
	for _, x := range a {
		last := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = last + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			last = above
		}
	}
	return float64(row[len(b)]) / float64(max(len(a), len(b)))
}

func nfd(line string) string { return norm.NFD.String(line) }

// Letters are what is the same in a quote and its source whatever is repaired:
// letters and digits, in one form and small.
func Letters(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.IsMark(c) {
			return c
		}
		return -1
	}, strings.ReplaceAll(strings.ToLower(norm.NFKC.String(text)), "ß", "ss"))
}

var (
	sentence     = regexp.MustCompile(`(?s)(?:^|\s)(\p{Lu}[^!?]{40,300}?[.!?])(?:\s|$)`)
	wideSentence = regexp.MustCompile(`(?s)[^。！？]{14,200}[。！？]`)
	marker       = regexp.MustCompile(`\n\s*([-*+#>|]|\d+[.)])\s`)
)

// Sentences finds the sentences of a source that are prose.
func Sentences(s *Source) (found []Part) {
	re, group := sentence, 2
	if s.Wide {
		re, group = wideSentence, 0
	}
	for from := 0; ; {
		at := re.FindStringSubmatchIndex(s.Text[from:])
		if at == nil {
			return found
		}
		b := Part{from + at[group], from + at[group+1]}
		for s.Wide && (s.Text[b.From] == '\n' || s.Text[b.From] == '\r') {
			b.From++
		}
		from += at[group+1]
		if IsProse(s.Text[b.From:b.To], s.Wide) && s.onePage(b) {
			found = append(found, b)
		}
	}
}

func IsProse(text string, wide bool) bool {
	count, all := 0, 0
	for _, c := range text {
		if all++; unicode.IsLetter(c) || c == ' ' {
			count++
		}
		if c == utf8.RuneError || c >= 0xE000 && c < 0xF900 || c == 0xFFFE || unicode.IsControl(c) && !unicode.IsSpace(c) || unicode.Is(unicode.Cf, c) {
			return false
		}
	}
	for _, no := range []string{"\n\n", "\f", "|", ". .", "...", "…", "```", "://", "\\", "$", "~"} {
		if strings.Contains(text, no) {
			return false
		}
	}
	return count*100 >= all*80 && (wide || len(strings.Fields(text)) >= 8) && !marker.MatchString(text)
}

// OnlyLetters reports whether a word has letters and nothing else.
func OnlyLetters(w string) bool {
	return w != "" && strings.IndexFunc(w, func(c rune) bool { return !unicode.IsLetter(c) }) < 0
}

// texts are prose of this project: en, de, ja and zh, each as -tune.txt and -held.txt,
// with a paragraph on each line, and invented.txt, whose sentences stand in no other.
// Nothing in citekit was tuned with those that are held.
//
//go:embed testdata/*.txt
var texts embed.FS

// Prose returns one of the texts, such as "en-held".
func Prose(name string) string {
	data, err := texts.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		panic(err) // a name that tests have wrong
	}
	return strings.TrimSpace(string(data))
}
