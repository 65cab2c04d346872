package quotation

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A sign is a character between two letters other than white space. Signs of the same
// kind can be equal in different shapes.
type sign struct {
	kind  byte // 'd' dash, '\'' and '"' quotation marks, 'e' ellipsis, 'n' mark of a note, 'o' other
	r     rune // as written; in its usual form if of kind 'o'
	n     int  // how often it is repeated
	text  string
	part       // where it is in the gap
	space bool // white space precedes it
	line  bool // that white space ends a line
}

// A gap is the text between two letters.
type gap struct {
	signs     []sign
	space     bool // it ends with white space
	line      bool // that white space ends a line
	soft      bool // it has a soft hyphen
	plain     bool // all signs are in their usual form
	pageBreak bool
	spaces    string // all its white space
	joiners   string // all its invisible joiners; see isJoiner
}

// parseGap reads a gap.
func parseGap(s string) gap {
	g := gap{plain: true, spaces: spacesOf(s)}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case isSpace(r):
			g.space, g.line = true, g.line || r == '\n' || r == '\r' || r == '\f' || r == '\u2028' || r == '\u2029'
		case r == '\u00ad':
			g.soft = true
		case isJoiner(r):
			g.joiners += string(r)
		default:
			g.add(s[i:], r, &n)
			g.signs[len(g.signs)-1].part = part{i, i + n}
		}
		i += n
	}
	return g
}

// add adds the sign that rest begins with, and sets n to its length in bytes.
func (g *gap) add(rest string, r rune, n *int) {
	one := sign{kind: 'o', r: plainForm(r), n: 1, space: g.space, line: g.line}
	switch {
	case isDash(r):
		one.kind, one.r = 'd', r
		one.n, *n = repeats(rest, r, 3)
	case r == '.' && strings.HasPrefix(rest, "..."):
		one.kind, *n = 'e', 3
	case r == '…':
		one.kind = 'e'
	case isSingleQuote(r):
		one.kind, one.r = '\'', r
		if count, bytes := repeats(rest, r, 2); count == 2 && r < utf8.RuneSelf {
			one.kind, *n = '"', bytes
		}
	case isDoubleQuote(r):
		one.kind, one.r = '"', r
	case isSuperscript(r), r == '†', r == '‡':
		one.kind = 'n'
	case r == '[' && markLength(rest) > 0:
		one.kind, *n = 'n', 1+markLength(rest)
	case r == '\ufffe' || r == '\u0002': // some readers write a hyphen at a line end so
		one.kind, one.r, g.line = 'd', '-', true
		one.text = "-"
		g.signs, g.space = append(g.signs, one), true
		return
	}
	one.text = rest[:*n]
	if one.kind == 'o' && one.r != r {
		g.plain = false
	}
	g.signs, g.space, g.line = append(g.signs, one), false, false
}

// spacesOf returns the white space of a text.
func spacesOf(s string) string {
	return strings.Map(func(r rune) rune {
		if isSpace(r) {
			return r
		}
		return -1
	}, s)
}

// repeats returns how often a character is repeated at the start of s, up to most, and
// how many bytes that takes.
func repeats(s string, r rune, most int) (count, n int) {
	for count < most && n < len(s) {
		c, size := utf8.DecodeRuneInString(s[n:])
		if c != r {
			break
		}
		count, n = count+1, n+size
	}
	return count, n
}

func isSpace(r rune) bool {
	return unicode.IsSpace(r) || r < ' ' && r != '\u0002' || r == '\u200b'
}

// isJoiner reports whether a character is invisible and only joins or separates the
// letters beside it.
func isJoiner(r rune) bool {
	return r == '\u200c' || r == '\u200d' || r == '\u2060' || r == '\ufeff'
}

func isDash(r rune) bool {
	switch r {
	case '-', '‐', '‑', '‒', '–', '—', '―', '−', '﹣', '－', '﹘':
		return true
	}
	return false
}

func isSingleQuote(r rune) bool {
	switch r {
	case '\'', '’', '‘', '‚', '‛', '′', '`', '´', '‹', '›', '＇':
		return true
	}
	return isApostropheLetter(r)
}

func isDoubleQuote(r rune) bool {
	switch r {
	case '"', '“', '”', '„', '‟', '«', '»', '″', '〝', '〞', '〟', '＂':
		return true
	}
	return false
}

// same reports whether two signs are equal apart from their shape.
func same(a, b sign) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case 'd':
		return a.n == b.n || isLongDash(a) && b.n > 1 && b.r == '-' || isLongDash(b) && a.n > 1 && a.r == '-'
	case 'n':
		return a.text == b.text
	case 'o':
		return a.r == b.r
	}
	return true
}

func isLongDash(s sign) bool { return s.n == 1 && (s.r == '–' || s.r == '—' || s.r == '―') }

// A joint is the context of a gap: the letters on both sides; one is missing at the edge
// of a quote.
type joint struct {
	before, after      rune // 0 if there is none
	wordBefore         string
	textBefore         string // text before and after the gap, at most maxLine bytes each
	textAfter          string
	verbatim, markdown bool
}

// maxLine bounds how much of the line around a gap is examined, in bytes.
const maxLine = 400

// compareGaps reports whether the gaps of a quote and of its source mean the same, and
// notes the repairs that this needs.
func compareGaps(quote, source string, pageBreak bool, j joint, note func(kind Kind, source string)) bool {
	if quote == source && !pageBreak {
		return true
	}
	q, s := parseGap(quote), parseGap(source)
	s.pageBreak = pageBreak
	if pageBreak {
		s.space, s.line = s.space || len(s.signs) == 0, true
	}
	switch {
	case j.isDivided(q, s):
		note(Hyphenation, "")
		return true
	case sameSigns(q.signs, s.signs):
		return j.spacesMatch(q, s, note)
	}
	if left, ok := j.withoutNotes(q, s); ok {
		if !j.spacesMatch(q, left, func(kind Kind, text string) {}) {
			return false
		}
		note(FootnoteMarks, strings.TrimSpace(source))
		return true
	}
	for _, markup := range []func(int, gap) bool{isEscape, j.isMarkup} {
		if left, ok := withoutMarkup(q, s, markup); ok && j.spacesMatch(q, left, note) {
			note(Markup, strings.TrimSpace(source))
			return true
		}
	}
	return false
}

// isEscape reports whether a sign is a backslash before another sign.
func isEscape(i int, g gap) bool { return g.signs[i].r == '\\' && i < len(g.signs)-1 }

func sameSigns(a, b []sign) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return true
}

// spacesMatch reports whether two gaps with the same signs mean the same despite their
// white space.
func (j joint) spacesMatch(q, s gap, note func(Kind, string)) bool {
	differs, shapes := q.space != s.space || q.line != s.line, false
	for i := range q.signs {
		differs = differs || q.signs[i].space != s.signs[i].space || q.signs[i].line != s.signs[i].line
		other := q.signs[i].kind != 'o' && q.signs[i].text != s.signs[i].text
		shapes = shapes || other
		if other && j.verbatim && (q.signs[i].r == '`') != (s.signs[i].r == '`') {
			return false
		}
	}
	if differs && !j.mayDiffer(q, s) || q.soft != s.soft && unicode.IsDigit(j.after) {
		return false // some write a minus as a soft hyphen before a number
	}
	if q.soft != s.soft {
		note(Hyphenation, "")
	}
	if shapes {
		note(TypographicSigns, "")
	}
	if q.plain != s.plain || q.joiners != s.joiners {
		note(CharacterForms, "")
	}
	if q.spaces != s.spaces {
		note(WhiteSpace, "")
	}
	return true
}

// mayDiffer reports whether white space that only one gap has changes no meaning.
func (j joint) mayDiffer(q, s gap) bool {
	if len(q.signs) == 0 {
		if q.space == s.space {
			return true
		}
		digits := unicode.IsDigit(j.before) && unicode.IsDigit(j.after)
		if (strings.Count(q.spaces, "\n") > 1 || strings.Count(s.spaces, "\n") > 1) && !isAlone(j.before) && !isAlone(j.after) {
			return false // the end of a paragraph, of a cell or an item divides no word
		}
		if j.verbatim && !isAlone(j.before) && !isAlone(j.after) {
			return false // two names are not one name
		}
		return !digits && !j.splitsOff()
	}
	if !unicode.IsDigit(j.after) {
		return true
	}
	// A sign directly before a number may be its minus or its decimal point.
	last := len(q.signs) - 1
	if !changesNumber(q.signs[last]) {
		return true
	}
	if q.space != s.space {
		symmetric := last == 0 && q.signs[0].space == q.space && s.signs[0].space == s.space
		return symmetric && q.signs[0].kind == 'd' && unicode.IsDigit(j.before)
	}
	return q.space || (q.signs[last].space == s.signs[last].space || last > 0)
}

func changesNumber(s sign) bool {
	return s.kind == 'd' || s.kind == 'o' && strings.ContainsRune(".,+±:/~<>=", s.r) || s.kind == '\''
}

// splitsOff reports whether white space in the gap would change the meaning, because
// the word before it may be a prefix or the two are one word.
func (j joint) splitsOff() bool {
	if isAlone(j.before) || isAlone(j.after) {
		return false
	}
	before := strings.ToLower(j.wordBefore)
	after := j.textAfter
	if end := strings.IndexFunc(after, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		after = after[:end]
	}
	if otherApart[before+strings.ToLower(after)] || j.isUnit() {
		return true
	}
	switch before {
	case "a", "an", "un", "in", "im", "il", "ir", "non", "no", "not", "dis", "mis", "de", "re", "anti", "ab", "kein", "ein":
		return true
	}
	return false
}

// otherApart are words whose meaning changes when they are written apart.
var otherApart = map[string]bool{
	"already": true, "altogether": true, "anyone": true, "anyway": true, "awhile": true, "beside": true, "everyday": true, "everyone": true, "however": true,
	"maybe": true, "nobody": true, "nowhere": true, "onto": true, "sometime": true, "sometimes": true, "therapist": true, "together": true, "upright": true,
	"whatever": true, "within": true, "without": true,
}

// isUnit reports whether the word before the gap is a single letter after a number,
// such as the "m" of "10 m s".
func (j joint) isUnit() bool {
	number, ok := strings.CutSuffix(j.textBefore, j.wordBefore)
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(number, isSpace))
	return ok && utf8.RuneCountInString(j.wordBefore) == 1 && unicode.IsLetter(j.before) && unicode.IsDigit(last)
}

// isDivided reports whether a word is divided at a line end in one text, and in the
// other is whole or has only a hyphen.
func (j joint) isDivided(q, s gap) bool {
	if !unicode.IsLetter(j.before) || !unicode.IsLetter(j.after) {
		return false
	}
	return j.divides(s) && isUndivided(q) || j.divides(q) && isUndivided(s)
}

// divides reports whether a gap is a hyphen followed by white space, or a soft hyphen.
func (j joint) divides(g gap) bool {
	if len(g.signs) == 0 {
		return g.soft
	}
	return len(g.signs) == 1 && g.signs[0].kind == 'd' && g.signs[0].n == 1 && !g.signs[0].space && g.space
}

// isUndivided reports whether a gap is empty or only a hyphen.
func isUndivided(g gap) bool {
	return len(g.signs) == 0 && !g.space || len(g.signs) == 1 && g.signs[0].kind == 'd' && !g.signs[0].space && !g.space
}

// withoutNotes returns the gap of a source without the marks of notes. It returns false
// if there are none, or if the remaining signs are not those of the quote.
func (j joint) withoutNotes(q, s gap) (gap, bool) {
	left := s
	left.signs = nil
	for i, one := range s.signs {
		if !(one.kind == 'n' || one.kind == 'o' && one.r == '*') || !j.mayBeNote(i, s) {
			if n := len(left.signs); n == 0 || i > 0 {
				one.space = one.space || i > 0 && isNote(s.signs[i-1]) && s.signs[i-1].space
			}
			left.signs = append(left.signs, one)
		}
	}
	if len(s.signs) > 0 && isNote(s.signs[len(s.signs)-1]) && s.signs[len(s.signs)-1].space {
		left.space = true
	}
	return left, len(left.signs) < len(s.signs) && sameSigns(q.signs, left.signs)
}

func isNote(s sign) bool { return s.kind == 'n' || s.kind == 'o' && s.r == '*' }

// isScript reports whether a sign stands above the line.
func isScript(s sign) bool {
	return strings.ContainsAny(s.text, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
}

// mayBeNote reports whether a sign marks a note rather than a power, an index or a
// product: it follows punctuation or a word of at least three letters.
func (j joint) mayBeNote(i int, g gap) bool {
	if j.verbatim || g.signs[i].r == '*' && (j.markdown || g.signs[i].space || i == len(g.signs)-1 && !g.space) {
		return false
	}
	if j.after != 0 && len(g.signs) == 1 && !g.space && !isAlone(j.before) && g.signs[i].text[0] != '[' {
		return false // it is between letters, as in a product
	}
	if i > 0 && !g.signs[i].space && isScript(g.signs[i]) && isScript(g.signs[i-1]) {
		return isNote(g.signs[i-1]) && j.mayBeNote(i-1, g) // the rest of a power is part of it
	}
	if i > 0 {
		return true
	}
	return utf8.RuneCountInString(j.wordBefore) >= 3 && unicode.IsLetter(j.before) || isAlone(j.before)
}

// withoutMarkup returns the gap of a source without its markup. It returns false if
// there is none, or if the remaining signs are not those of the quote.
func withoutMarkup(q, s gap, isMarkup func(int, gap) bool) (gap, bool) {
	left := s
	left.signs = nil
	for i, one := range s.signs {
		if isMarkup(i, s) {
			continue
		}
		left.signs = append(left.signs, one)
	}
	if len(left.signs) == len(s.signs) {
		return left, false
	}
	left.space, left.line = left.space || s.line || lineInside(s), left.line || lineInside(s)
	return left, sameSigns(q.signs, left.signs)
}

// lineInside reports whether a line ends before any of the signs.
func lineInside(g gap) bool {
	for _, s := range g.signs {
		if s.line {
			return true
		}
	}
	return false
}

// isMarkup reports whether a sign belongs to Markdown emphasis, links or code, or
// begins a line of a comment, list or quotation. Between two letters without white
// space, and beside numbers, it may be part of a name or a formula.
func (j joint) isMarkup(i int, g gap) bool {
	s, last := g.signs[i], i == len(g.signs)-1
	if unicode.IsDigit(j.before) && (unicode.IsDigit(j.after) || i == 0 && s.kind == 'o' && strings.ContainsRune("%/*", s.r)) {
		return false
	}
	if j.markdown && j.isMarkdown(i, g) {
		return true
	}
	begins := false
	for k := i; k >= 0; k-- {
		begins = begins || g.signs[k].line
	}
	switch {
	case !begins || last && !g.space:
		return false
	case s.kind != 'd' && (s.kind != 'o' || !strings.ContainsRune("#*>•/|;%", s.r)):
		return false
	case j.goesOnWith(s):
		return true
	case j.verbatim, s.kind == 'o' && strings.ContainsRune("/|;%", s.r):
		return false // a sign here starts something other than the line before
	}
	relation := s.kind == 'd' || s.r == '>'
	return !relation || j.markdown || i > 0 || !unicode.IsDigit(j.after)
}

// goesOnWith reports whether the line before a gap begins with the same sign, or opens
// the comment that the sign continues.
func (j joint) goesOnWith(s sign) bool {
	line := strings.TrimLeftFunc(j.textBefore[strings.LastIndexAny(j.textBefore, "\n\r\f")+1:], isSpace)
	return strings.HasPrefix(line, s.text) || s.r == '*' && strings.HasPrefix(line, "/*")
}

// isMarkdown reports whether a sign is Markdown syntax, which is not shown.
func (j joint) isMarkdown(i int, g gap) bool {
	s, last := g.signs[i], i == len(g.signs)-1
	spaceBehind := last && g.space || !last && g.signs[i+1].space
	inWord := j.before != 0 && j.after != 0 && !g.space && allJoined(g.signs)
	switch {
	case i > 0 && g.signs[i-1].r == '\\' && !s.space:
		return false // escaped
	case s.text == "`" || s.text == "``":
		return true
	case s.kind != 'o' || inWord:
		return false
	}
	switch s.r {
	case '\\':
		return !last && !spaceBehind || last && g.line
	case '*':
		return !s.space || !spaceBehind
	case '[':
		return i > 0 || s.space || !isLetter(j.before)
	}
	return s.r == ']' || s.r == '_'
}

// allJoined reports whether all signs are equal, with no white space before any.
func allJoined(signs []sign) bool {
	for _, s := range signs {
		if s.r != signs[0].r || s.space {
			return false
		}
	}
	return true
}
