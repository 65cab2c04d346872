package verify_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/irtest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A kase is a quote with what is to be said of it.
type kase struct {
	kind, want string // want is a class, or two with a bar between
	quote      string
	address    citekit.Address
	src        *source
	place      citekit.Location // where the quote stands, or what was altered
	base       string           // what stands there
}

// A kind is a rule by which a sentence becomes a quote.
type kind struct {
	name, want string
	weight     int // how many more there are than of other kinds; 0 is 1
	make       func(g *generator, s *source, at part) (quote string, ok bool)
	check      check
	from       func(s *source) bool // sources it is for; nil is all
	elsewhere  string               // "page" or "file": the quote is cited there
	beyond     bool                 // the quote goes on after the sentence
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

// A generator makes cases by a seed.
type generator struct {
	*rand.Rand
	*stock
	half    []*source // the sources that quotes are taken from
	groups  map[string][]*source
	words   map[string][]string // words of a group, to put in
	foreign []string            // sentences that are in no source
}

func newGenerator(t testing.TB, st *stock, seed uint64, held bool) *generator {
	t.Helper()
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), stock: st, groups: map[string][]*source{}, words: map[string][]string{}}
	for _, s := range st.sources {
		if s.held == held && len(s.sentences) > 0 {
			g.half = append(g.half, s)
			g.groups[s.group] = append(g.groups[s.group], s)
			for _, at := range s.sentences {
				for _, w := range tokens(flat(s.text[at.from:at.to], s.wide), s.wide) {
					if isWord(w, s.wide) && len(g.words[s.group]) < 20_000 && (s.wide || strings.ToLower(w) == w) {
						g.words[s.group] = append(g.words[s.group], w)
					}
				}
			}
		}
	}
	g.foreign = foreign(t)
	return g
}

// foreign returns sentences of other collections, and of ours about other things.
func foreign(t testing.TB) (found []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "invented.txt"))
	if err != nil {
		t.Fatal(err)
	}
	found = strings.Split(strings.TrimSpace(string(data)), "\n")
	dir, ok := sharedtest.Extra(t)
	if !ok {
		return found
	}
	for _, name := range []string{"cranfield", "med"} {
		c, err := irtest.Read(filepath.Join(dir, "ir", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range c.Documents {
			for _, s := range strings.SplitAfter(d.Text, ". ") {
				if n := len(strings.Fields(s)); n >= 8 && n < 40 {
					found = append(found, strings.TrimSpace(s))
				}
			}
		}
	}
	return found
}

var (
	lineHyphen = regexp.MustCompile(`(\p{L})-\r?\n\s*(\p{Ll})`)
	wideBreak  = regexp.MustCompile(`\s*\n\s*`)
)

// flat returns a text as it is copied into a line: words joined that are divided
// at the end of a line, and single spaces.
func flat(text string, wide bool) string {
	if wide {
		return wideBreak.ReplaceAllString(text, "")
	}
	return strings.Join(strings.Fields(lineHyphen.ReplaceAllString(text, "$1$2")), " ")
}

// tokens cuts a line into words; East Asian ones where the script changes, and
// Han after two characters.
func tokens(line string, wide bool) (found []string) {
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

func joined(words []string, wide bool) string {
	if wide {
		return strings.Join(words, "")
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// isWord reports whether a token carries a meaning of its own.
func isWord(w string, wide bool) bool {
	if wide {
		c, _ := utf8.DecodeRuneInString(w)
		return utf8.RuneCountInString(w) >= 2 && (scriptOf(c) == 1 || scriptOf(c) == 2)
	}
	return len(w) >= 4 && onlyLetters(w)
}

// cases makes n quotes of each kind.
func (g *generator) cases(n int) (all []kase) {
	for _, k := range kinds {
		for made, tries := 0, 0; made < n*max(1, k.weight) && tries < 4000; tries++ {
			if c, ok := g.try(k); ok {
				all = append(all, c)
				made++
				tries = 0
			}
		}
	}
	return append(all, g.breakCases(n)...)
}

// pick chooses a source: half of the time one of other projects.
func (g *generator) pick() *source {
	group := []string{"pdf", "pdf", "pdf", "pdf", "md", "md", "md", "en", "de", "de", "ja", "zh"}[g.IntN(12)]
	if len(g.groups[group]) == 0 {
		return g.half[g.IntN(len(g.half))]
	}
	return g.groups[group][g.IntN(len(g.groups[group]))]
}

func (g *generator) try(k kind) (kase, bool) {
	s := g.pick()
	if k.from != nil && !k.from(s) {
		return kase{}, false
	}
	at := s.sentences[g.IntN(len(s.sentences))]
	base := s.text[at.from:at.to]
	if g.places(base, 2) != 1 {
		return kase{}, false
	}
	quote, ok := k.make(g, s, at)
	if !ok || !g.holds(k, quote, base, s) {
		return kase{}, false
	}
	c := kase{kind: k.name, want: k.want, quote: quote, src: s, place: s.location(at), base: base}
	if i := strings.Index(s.text, quote); i >= 0 {
		c.place = s.location(part{i, i + len(quote)})
	}
	c.address, ok = g.cite(k, s, c.place)
	return c, ok
}

// holds checks a quote by itself.
func (g *generator) holds(k kind, quote, base string, s *source) bool {
	stands := strings.Contains(s.text, quote)
	if k.want == "exact" {
		return stands
	}
	if stands && k.elsewhere == "" {
		return false
	}
	switch k.check {
	case sameLetters:
		return letters(quote) == letters(base)
	case noSuch:
		return g.places(quote, 1) == 0
	case onceThere:
		return g.places(quote, 2) == 1
	}
	return true
}

// cite chooses where a quote is said to stand: mostly where it does.
func (g *generator) cite(k kind, s *source, place citekit.Location) (citekit.Address, bool) {
	whole := citekit.Address{Resource: s.id, Location: citekit.Location{Modality: s.layer.Modality()}}
	switch k.elsewhere {
	case "page":
		loc, ok := g.farFrom(s, place)
		whole.Location = loc
		return whole, ok
	case "file":
		o := g.half[g.IntN(len(g.half))]
		whole.Resource, whole.Location.Modality = o.id, o.layer.Modality()
		return whole, o != s
	}
	switch n := g.IntN(20); {
	case n < 12 && !k.beyond:
		whole.Location = place
	case n >= 17:
		return citekit.Address{}, true
	}
	return whole, true
}

// farFrom returns another part of a source.
func (g *generator) farFrom(s *source, place citekit.Location) (citekit.Location, bool) {
	at := s.sentences[g.IntN(len(s.sentences))]
	loc := s.location(at)
	if s.paged() {
		d := loc.Pages[0].First - place.Pages[0].First
		return loc, d > 1 || d < -1
	}
	d := loc.Lines.First - place.Lines.First
	return loc, d > 12 || d < -12
}

// breakCases makes quotes that go over the end of a page.
func (g *generator) breakCases(n int) (all []kase) {
	type place struct {
		s *source
		b acrossPages
	}
	var places [2][]place
	for _, s := range g.half {
		for _, b := range s.breaks {
			if g.broken(s, b) {
				places[map[bool]int{true: 1}[b.made]] = append(places[map[bool]int{true: 1}[b.made]], place{s, b})
			}
		}
	}
	for i, name := range []string{"page break, real", "page break, made"} {
		for _, j := range g.Perm(len(places[i]))[:min(len(places[i]), 3*n)] {
			p := places[i][j]
			c := kase{kind: name, want: "repaired", quote: p.b.quote, src: p.s, base: p.b.quote}
			c.place = citekit.Document.Pages(p.b.page, p.b.page+1)
			c.place.Modality = citekit.Document
			c.address = citekit.Address{Resource: p.s.id, Location: c.place}
			if g.IntN(3) == 0 {
				c.address.Location = citekit.Location{Modality: citekit.Document}
			}
			all = append(all, c)
			if altered, ok := changeWord(g, p.b.quote, p.s); ok && g.IntN(3) == 0 && g.places(altered, 1) == 0 {
				c.kind, c.want, c.quote = name+", one word changed", "altered", altered
				all = append(all, c)
			}
		}
	}
	return all
}

// broken reports whether the two sides of a break stand on their pages, once.
func (g *generator) broken(s *source, b acrossPages) bool {
	var sides [2]string
	for _, r := range s.runs {
		for i := range sides {
			if r.Location.Pages[0].First == b.page+i {
				sides[i] = letters(s.text[r.From:r.To])
			}
		}
	}
	all := letters(b.quote)
	for at := range all {
		if strings.Contains(sides[0], all[:at]) && strings.Contains(sides[1], all[at:]) && at > 12 && at < len(all)-12 {
			return g.places(all[:at], 2) == 1 && g.places(all[at:], 2) == 1
		}
	}
	return false
}

func changeWord(g *generator, line string, s *source) (string, bool) {
	w := tokens(line, s.wide)
	k, v := g.IntN(len(w)), g.word(s)
	if !isWord(w[k], s.wide) || strings.EqualFold(w[k], v) {
		return "", false
	}
	w[k] = v
	return joined(w, s.wide), true
}

func (g *generator) word(s *source) string {
	w := g.words[s.group]
	return w[g.IntN(len(w))]
}

// vary makes a kind from a change of the words of a line.
func vary(change func(g *generator, w []string, s *source) bool) func(*generator, *source, part) (string, bool) {
	return func(g *generator, s *source, at part) (string, bool) {
		w := tokens(flat(s.text[at.from:at.to], s.wide), s.wide)
		ok := len(w) >= 8 && change(g, w, s)
		return joined(w, s.wide), ok
	}
}

// rewrite makes a kind from a change of a line.
func rewrite(change func(g *generator, line string) string) func(*generator, *source, part) (string, bool) {
	return func(g *generator, s *source, at part) (string, bool) {
		line := flat(s.text[at.from:at.to], s.wide)
		changed := change(g, line)
		return changed, changed != line
	}
}

// swapFirst replaces one of the words of a table where it first stands between
// bounds of words.
func swapFirst(g *generator, line string, table []string) string {
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

func (c kase) String() string {
	return fmt.Sprintf("%s in %s, cited as %q", c.kind, c.src.name, c.address)
}
