package quotation

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/plain"
)

// ErrEmpty reports a quote with nothing to search for.
var ErrEmpty = errors.New("the quote has no letter, digit or sign; give the words to check")

// Limits of one search.
const (
	maxTried   = 20_000  // places
	maxLetters = 4 << 20 // bytes of quote and text compared
	maxExact   = 1 << 30 // bytes of the quote, summed over its exact occurrences
	maxPieces  = 64      // pieces of a quote between ellipses
	maxChains  = 200     // places of the first piece of a quote with ellipses
	maxLeftOut = 4000    // bytes that an ellipsis may stand for
	maxNear    = 8       // places with the same letters and another meaning
)

// A Quote is a parsed quote, ready to search for.
type Quote struct {
	raw    string
	pieces []piece // between ellipses
	outer  bool    // whether it begins or ends with an ellipsis
}

// A piece is a part of a quote between ellipses.
type piece struct {
	raw     string
	letters []byte
	raised  bool // of both sides raised digits and fractions count as digits
}

// Parse reads a quote. It drops the white space and quotation marks around it, and
// splits it at ellipses. The error is [ErrEmpty].
func Parse(s string) (*Quote, error) {
	q := &Quote{raw: unquoted(strings.TrimFunc(s, isSpace))}
	if q.raw == "" {
		return nil, ErrEmpty
	}
	pieces := splitEllipses(q.raw)
	first, last := pieces[0], pieces[len(pieces)-1]
	pieces = slices.DeleteFunc(pieces, func(s string) bool { return len(lettersOf(s)) == 0 })
	if len(pieces) == 0 || len(pieces) > maxPieces {
		pieces, first, last = []string{q.raw}, q.raw, q.raw
	}
	q.outer = first == "" || last == ""
	for _, p := range pieces {
		q.pieces = append(q.pieces, piece{raw: p, letters: lettersOf(p)})
	}
	return q, nil
}

// unquoted returns a quote without the quotation marks around it.
func unquoted(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	last, m := utf8.DecodeLastRuneInString(s)
	quotes := isDoubleQuote(r) && isDoubleQuote(last) || isSingleQuote(r) && isSingleQuote(last) || r == '「' && last == '」' || r == '『' && last == '』'
	if !quotes || n+m >= len(s) {
		return s
	}
	return strings.TrimFunc(s[n:len(s)-m], isSpace)
}

// splitEllipses returns the parts of a quote between its ellipses.
func splitEllipses(s string) (pieces []string) {
	at := 0
	for i := 0; i < len(s); {
		n := ellipsisLength(s[i:])
		if n == 0 {
			i++
			continue
		}
		pieces = append(pieces, strings.TrimFunc(s[at:i], isSpace))
		i += n
		at = i
	}
	return append(pieces, strings.TrimFunc(s[at:], isSpace))
}

// ellipsisLength returns the length in bytes of the ellipsis at the start of s, or 0.
func ellipsisLength(s string) int {
	switch s[0] {
	case '[', '(':
		for _, e := range []string{"[…]", "[...]", "[ … ]", "[ ... ]", "[. . .]", "(…)", "(...)"} {
			if strings.HasPrefix(s, e) {
				return len(e)
			}
		}
	case '.':
		if strings.HasPrefix(s, ". . .") {
			return len(". . .")
		}
		if n := len(s) - len(strings.TrimLeft(s, ".")); n == 3 || n == 4 {
			return n
		}
	case "…"[0]:
		n := 0
		for strings.HasPrefix(s[n:], "…") {
			n += len("…")
		}
		return n
	}
	return 0
}

// lettersOf returns the search keys of all letters of a text.
func lettersOf(s string) (letters []byte) {
	sc := scanner{text: s}
	for l, ok := sc.next(); ok; l, ok = sc.next() {
		letters = append(letters, l.find()...)
	}
	return letters
}

// A Match is a part of a text that has a quote, or resembles it.
type Match struct {
	From, To   int  // bytes of the text
	Exact      bool // it is identical to the quote
	Repairs    []Repair
	Difference []Change // if the quote only resembles it
	Similarity float64  // share of words that both have

	skipped []part // parts of it that the quote leaves out
	second  int    // start of the second piece of a quote with ellipses
}

// Places are the places of a quote: the first ones in text order, and the number of
// all. If Counted is false, Count is a lower bound.
type Places struct {
	Matches []Match
	Count   int
	Counted bool

	near  []Match // places with the same letters and another meaning
	most  int
	left  int  // bytes that may still be compared
	first bool // whether to stop at the first place
}

// Find finds a quote in the text from one offset up to another. It keeps the first most
// places.
func (t *Text) Find(q *Quote, from, to, most int) *Places {
	f := &Places{Counted: true, most: most, left: maxLetters}
	in := part{max(0, from), min(to, len(t.raw))}
	t.findWhole(q, in, f)
	if len(f.Matches) == 0 && (len(q.pieces) > 1 || q.outer) {
		t.findPieces(q, in, f)
	}
	slices.SortFunc(f.Matches, func(a, b Match) int { return cmp.Compare(a.From, b.From) })
	f.Matches = f.Matches[:min(len(f.Matches), most)]
	return f
}

// findWhole finds a quote as written, ellipses included.
func (t *Text) findWhole(q *Quote, in part, f *Places) {
	exact := t.findExact(q.raw, in, f)
	letters := lettersOf(q.raw)
	if len(letters) == 0 {
		return
	}
	seen := &starts{exact: exact}
	t.findLetters(t.whole, piece{raw: q.raw, letters: letters}, in, seen, f)
	for _, form := range []*form{t.body, t.bare} {
		if form != nil && len(f.Matches) == 0 {
			t.findLetters(form, piece{raw: q.raw, letters: letters}, in, seen, f)
		}
	}
	if len(f.Matches) == 0 && (t.raised != nil || strings.ContainsFunc(q.raw, isRaised)) {
		t.findRaised(q, in, seen, f)
	}
}

// findRaised finds a quote whose raised digits, fractions and degrees are written
// otherwise than those of the text.
func (t *Text) findRaised(q *Quote, in part, seen *starts, f *Places) {
	var letters []byte
	s := scanner{text: q.raw, raised: true}
	for l, ok := s.next(); ok; l, ok = s.next() {
		letters = append(letters, l.find()...)
	}
	if len(letters) > 0 {
		t.findLetters(cmp.Or(t.raised, t.body, t.whole), piece{raw: q.raw, letters: letters, raised: true}, in, seen, f)
	}
}

// findExact finds identical occurrences of a quote, and returns their offsets.
func (t *Text) findExact(raw string, in part, f *Places) (at []int) {
	left := maxExact
	for from := in.from; from < in.to; {
		i := strings.Index(t.raw[from:in.to], raw)
		if i < 0 {
			break
		}
		if from += i; t.beginsWord(from) && t.endsWord(from+len(raw)) && !t.isStruck(raw, from, from+len(raw)) {
			f.add(Match{From: from, To: from + len(raw), Exact: true, Similarity: 1})
			at = append(at, from)
		}
		if left -= len(raw); len(at) > maxTried || left < 0 {
			f.Counted = false
			break
		}
		if f.first && len(at) > 0 {
			break
		}
		from++
	}
	return at
}

// add counts a place, and keeps it if more are wanted.
func (f *Places) add(m Match) {
	f.Count++
	if len(f.Matches) < 2*f.most {
		f.Matches = append(f.Matches, m)
	}
}

// Starts are where the places that were found begin.
type starts struct {
	exact  []int // in order
	next   int   // the index of the first of these that was not asked for yet
	others map[int]bool
}

// has reports whether a place begins at an offset. It is quick if the offsets it is asked
// for are nearly in order.
func (s *starts) has(at int) bool {
	if s.next > 0 && at <= s.exact[s.next-1] {
		s.next, _ = slices.BinarySearch(s.exact, at)
	}
	for s.next < len(s.exact) && s.exact[s.next] < at {
		s.next++
	}
	return s.next < len(s.exact) && s.exact[s.next] == at || s.others[at]
}

func (s *starts) add(at int) {
	if s.others == nil {
		s.others = make(map[int]bool)
	}
	s.others[at] = true
}

// isWord reports whether a text is only letters and digits of ASCII.
func isWord(s string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) {
			return false
		}
	}
	return true
}

// findLetters finds the places with the same letters. Those with the same meaning are
// matches, the others go to f.near.
func (t *Text) findLetters(form *form, p piece, in part, seen *starts, f *Places) {
	tried, simple := 0, form.skips == nil && isWord(p.raw)
	form.find(p.letters, form.index(in.from), form.index(in.to), func(key int) bool {
		if tried++; tried > maxTried || f.left < 0 {
			f.Counted = false
			return false
		}
		source, ok := form.scannerAt(key)
		if !ok {
			return true
		}
		source.raised = p.raised
		if simple {
			// An exact place is compared with what compare would take.
			ahead := source
			if l, ok := ahead.next(); ok && strings.HasPrefix(t.raw[l.from:], p.raw) && seen.has(l.from) {
				f.left -= len(p.raw) + l.from + len(p.raw) - source.at
				return true
			}
		}
		m, took, letters, ok := t.compare(p.raw, source)
		f.left -= took
		switch {
		case !letters || m.To > in.to || m.From < in.from || seen.has(m.From):
		case ok:
			seen.add(m.From)
			m.Similarity = 1
			f.add(m)
			return !f.first
		case len(f.near) < maxNear:
			f.near = append(f.near, m)
		}
		return true
	})
}

// findPieces finds a quote with ellipses: its pieces in order.
func (t *Text) findPieces(q *Quote, in part, f *Places) {
	first := &Places{Counted: true, most: maxChains}
	t.findPiece(q.pieces[0], in, first, f)
	f.Counted = f.Counted && first.Counted
	for i, m := range first.Matches {
		if f.left < 0 {
			f.Counted = false
			break
		}
		whole, found, ok := t.chain(q, m, in, f)
		if found && i+1 < len(first.Matches) && first.Matches[i+1].To <= whole.second {
			continue // the piece occurs again, nearer to the next one
		}
		whole.Exact, whole.Similarity = false, 1
		if ok {
			f.add(whole)
		} else if found && len(f.near) < maxNear {
			f.near = append(f.near, whole)
		}
	}
}

// findPiece finds a piece of a quote. It draws on the budget of all.
func (t *Text) findPiece(p piece, in part, f, all *Places) {
	f.left = all.left
	t.findWhole(&Quote{raw: p.raw}, in, f)
	all.left = f.left
	slices.SortFunc(f.Matches, func(a, b Match) int { return cmp.Compare(a.From, b.From) })
}

// chain finds the pieces after the first one. It reports whether all were found, and
// whether the quote may leave out the text between them.
func (t *Text) chain(q *Quote, m Match, in part, f *Places) (whole Match, found, ok bool) {
	all := repairs{}
	ok = true
	all.add(m.Repairs)
	if len(q.pieces) == 1 {
		all.note(Ellipsis, "")
	}
	for _, p := range q.pieces[1:] {
		reach := maxLeftOut
		if len(p.letters) < 12 {
			reach = maxLeftOut / 8
		}
		next := &Places{most: 1, first: true}
		t.findPiece(p, part{m.To, min(in.to, m.To+reach+4*len(p.raw))}, next, f)
		f.left -= reach / 16
		if len(next.Matches) == 0 {
			return m, false, false
		}
		leftOut := t.raw[m.To:next.Matches[0].From]
		m.second = cmp.Or(m.second, next.Matches[0].From)
		if why := t.splice(part{m.To, next.Matches[0].From}, p.raw); why != "" {
			ok = false
			m.Difference = append(m.Difference, Change{Quote: "…", Source: shown(ends(plain.Line(leftOut), maxShown)), Note: why})
		}
		all.note(Ellipsis, leftOut)
		all.add(next.Matches[0].Repairs)
		m.skipped = append(m.skipped, part{m.To, next.Matches[0].From})
		m.skipped = append(m.skipped, next.Matches[0].skipped...)
		m.To = next.Matches[0].To
	}
	m.Repairs = all
	return m, true, ok
}

// negations are words whose omission reverses the meaning.
var negations = map[string]bool{
	"not": true, "no": true, "never": true, "none": true, "nor": true, "neither": true, "cannot": true, "without": true, "t": true, "hardly": true, "unless": true, "except": true,
	"nicht": true, "kein": true, "keine": true, "keinen": true, "keiner": true, "keinem": true, "keines": true, "nie": true, "niemals": true, "ohne": true, "weder": true, "außer": true,
	"ne": true, "pas": true, "jamais": true, "sans": true, "ni": true, "nunca": true, "jamás": true, "sin": true, "non": true, "mai": true, "senza": true,
}

// turnsRound reports whether the text that a quote leaves out has a negation whose
// omission reverses the meaning: among a few words, or next to what the quote keeps.
func turnsRound(leftOut string) bool {
	if strings.ContainsAny(leftOut, "不没沒無无未非") && utf8.RuneCountInString(leftOut) <= 12 {
		return true
	}
	const ends = ".,;:!?"
	if words := wordsIn(leftOut); len(words) <= 3 || len(words) <= 8 && !strings.ContainsAny(leftOut, ends) && negations[words[0]] {
		return denies(words)
	}
	before := wordsIn(leftOut[:max(0, strings.IndexAny(leftOut+".", ends))])
	behind := wordsIn(leftOut[strings.LastIndexAny(leftOut, ".;:!?")+1:])
	return denies(before[:min(2, len(before))]) || denies(behind[max(0, len(behind)-2):])
}

// wordsIn returns the words of a text in lower case.
func wordsIn(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !isHyphen(r) })
}

func denies(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return negations[w] })
}

// saysOnlyNo reports whether a text consists of negations only, and so is no running
// head.
func saysOnlyNo(text string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !negations[strings.ToLower(w)] })
}

// Shown returns the parts of the text that the quote has, as pairs of offsets. The
// parts that the quote leaves out are between them.
func (m Match) Shown() [][2]int {
	shown, at := [][2]int(nil), m.From
	for _, s := range m.skipped {
		if s.from > at {
			shown = append(shown, [2]int{at, s.from})
		}
		at = max(at, s.to)
	}
	return append(shown, [2]int{at, m.To})
}
