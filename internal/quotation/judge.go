package quotation

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/plain"
)

// maxShown is how much of the source a repair shows, in bytes.
const maxShown = 200

// repairs collects repairs, each kind once.
type repairs []Repair

func (r *repairs) note(kind Kind, source string) {
	for i := range *r {
		if (*r)[i].Kind == kind {
			(*r)[i].Times++
			return
		}
	}
	*r = append(*r, Repair{Kind: kind, Times: 1, Source: ends(plain.Line(source), maxShown)})
}

func (r *repairs) add(others repairs) {
	for _, o := range others {
		before := len(*r)
		r.note(o.Kind, "")
		if len(*r) > before {
			(*r)[before] = o
		} else {
			for i := range *r {
				if (*r)[i].Kind == o.Kind {
					(*r)[i].Times += o.Times - 1
				}
			}
		}
	}
}

// A judge compares a quote with the text from a letter on, letter by letter and gap by
// gap.
type judge struct {
	text    *Text
	quote   scanner
	source  scanner
	skips   []part // in the whole source
	repairs repairs
	took    int  // bytes examined besides the letters and the gaps
	capital bool // the quote has no lower-case letter
}

// compare compares the quote with the text from the next letter of source on. It
// returns the part of the text, and ok if that means the same. The part is set whenever
// the letters are the same, whatever the gaps are. Took is how many bytes were
// examined.
func (t *Text) compare(q string, source scanner) (m Match, took int, letters, ok bool) {
	j := judge{text: t, quote: scanner{text: q, raised: source.raised}, source: source, skips: source.skips}
	j.capital = !strings.ContainsFunc(q, unicode.IsLower)
	m, letters, ok = j.match(q)
	return m, j.took + len(q) + j.source.at - source.at, letters, ok
}

// match does the work of compare, except for counting bytes.
func (j *judge) match(q string) (m Match, letters, ok bool) {
	skips := j.skips
	lq, more := j.quote.next()
	ls, there := j.source.next()
	if !more || !there {
		return m, false, false
	}
	m.From, ok = j.lead(q[:lq.from], lq, ls)
	for {
		if lq, ls, there = j.group(lq, ls); !there {
			return m, false, false
		}
		ok = ok && compareLetters(q[lq.from:lq.to], j.rawOf(ls.part), j.repairs.note) && !j.changesUnit(q[lq.from:lq.to], ls) && !j.joinsNumber(q, lq, ls)
		nq, more := j.quote.next()
		if !more {
			break
		}
		ns, more := j.source.next()
		if !more {
			return m, false, false
		}
		ok = ok && j.gap(q[lq.to:nq.from], lq, nq, ls, ns)
		lq, ls = nq, ns
	}
	var ends bool
	m.To, ends = j.trail(q[lq.to:], lq, ls)
	m.Repairs, m.skipped = j.repairs, within(skips, part{m.From, m.To})
	return m, true, ok && ends && !j.text.isStruck(q, m.From, m.To)
}

// group extends two letters of different lengths until they match, as for a ligature
// and the letters it stands for. It reports whether they are the same.
func (j *judge) group(q, s letter) (letter, letter, bool) {
	kq, ks := string(q.find()), string(s.find())
	for len(kq) != len(ks) {
		side, l, key := &j.quote, &q, &kq
		if len(ks) < len(kq) {
			side, l, key = &j.source, &s, &ks
		}
		next, ok := side.next()
		if !ok || next.from != l.to && !isFractionBar(side.text[l.to:next.from]) {
			return q, s, false
		}
		l.to, *key = next.to, *key+string(next.find())
	}
	return q, s, kq == ks
}

// isFractionBar reports whether a gap is only the bar of a fraction.
func isFractionBar(gap string) bool { return gap == "/" || gap == "⁄" }

// joinsNumber reports whether raised or lowered digits or a fraction that only one side
// writes so stand beside a digit, so that they are another number without that: 10² is not
// 102, and neither is 10₂.
func (j *judge) joinsNumber(quote string, lq, ls letter) bool {
	inQuote, inSource := quote[lq.from:lq.to], j.text.raw[ls.from:ls.to]
	before, _ := utf8.DecodeLastRuneInString(quote[:lq.from])
	beforeSource := j.text.runeBefore(ls.from)
	if isLowered(before) != isLowered(beforeSource) && unicode.IsDigit(first(inSource)) && unicode.IsDigit(first(inQuote)) {
		return true
	}
	switch {
	case inQuote == inSource:
		return false
	case isLowered(first(inQuote)) != isLowered(first(inSource)):
	case !j.source.raised || !strings.ContainsFunc(inQuote+inSource, isRaised):
		return false
	}
	isBeside := func(r rune) bool { return unicode.IsDigit(r) || isSuperscript(r) || isLowered(r) }
	return isBeside(before) || isBeside(beforeSource)
}

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// unitsByCase are units that become other units in upper or lower case.
var unitsByCase = map[string]bool{
	"b": true, "g": true, "m": true, "s": true, "t": true, "kb": true, "mb": true, "gb": true, "tb": true, "pb": true, "kbps": true, "mbps": true, "gbps": true,
	"ma": true, "mev": true, "mg": true, "mhz": true, "mj": true, "ml": true, "mm": true, "mn": true, "mpa": true, "ms": true, "mt": true, "mv": true, "mw": true, "mwh": true,
}

// changesUnit reports whether the case of a letter differs between quote and source in
// a unit after a number, so that the unit is another, such as "mW" and "MW".
func (j *judge) changesUnit(quote string, ls letter) bool {
	raw := j.text.raw
	if len(quote) > 1 || quote == raw[ls.from:ls.to] || j.capital {
		return false
	}
	const longest = 4
	from, to := ls.from, ls.to
	for from > 0 && ls.from-from <= longest && isASCIILetter(raw[from-1]) {
		from--
	}
	for to < len(raw) && to-ls.to <= longest && isASCIILetter(raw[to]) {
		to++
	}
	if to-from > longest || !unitsByCase[strings.ToLower(raw[from:to])] {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(raw[max(0, from-8):from], isSpace))
	return unicode.IsDigit(before)
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// rawOf returns a part of the source without skipped parts.
func (j *judge) rawOf(p part) string {
	text, _ := without(j.text.raw, p, j.skips)
	return text
}

// without returns a part of a text without skips, and the skipped text.
func without(text string, p part, skips []part) (left, skipped string) {
	at := p.from
	var b, out strings.Builder
	for _, s := range skips {
		if s.from >= p.to {
			break
		}
		if s.to <= at {
			continue
		}
		b.WriteString(text[at:max(at, s.from)])
		if out.Len() > 0 {
			out.WriteByte('\n') // they are lines
		}
		out.WriteString(text[max(at, s.from):min(s.to, p.to)])
		at = max(at, min(s.to, p.to))
	}
	if at == p.from {
		return text[p.from:p.to], ""
	}
	b.WriteString(text[at:p.to])
	return b.String(), out.String()
}

// gap compares the gaps between two letters.
func (j *judge) gap(quote string, lq, nq, ls, ns letter) bool {
	source, skipped := j.gapOf(part{ls.to, ns.from})
	if quote == source && skipped == "" {
		return true
	}
	if j.text.opt.Markdown {
		source += breakOf(skipped)
	}
	joint := j.text.joint(ls, ns)
	paged := skipped != "" && len(j.text.opt.Pages) > 0
	over := paged && strings.ContainsAny(j.text.raw[ls.to:ns.from], "\n\f")
	if !compareGaps(quote, source, over, joint, j.repairs.note) {
		return false
	}
	switch {
	case paged && saysOnlyNo(skipped):
		return false
	case paged && len(skipped) <= 3 && isDigitAt(skipped, 0) && strings.HasPrefix(strings.TrimLeft(j.text.raw[ls.to:ns.from], ".,;:!?)”\"’"), skipped):
		j.repairs.note(FootnoteMarks, skipped)
	case paged:
		j.repairs.note(PageBreak, skipped)
	case skipped != "" && source == "" && unicode.IsDigit(joint.before) && unicode.IsDigit(joint.after):
		return false // as in 10<sup>6</sup>
	case skipped != "":
		j.repairs.note(Markup, skipped)
	}
	return true
}

// gapOf returns a gap of the source, and the text skipped in it.
func (j *judge) gapOf(p part) (source, skipped string) {
	for len(j.skips) > 0 && j.skips[0].to <= p.from {
		j.skips = j.skips[1:]
	}
	if len(j.skips) == 0 || j.skips[0].from >= p.to {
		return j.text.raw[p.from:p.to], ""
	}
	return without(j.text.raw, p, j.skips)
}

// joint returns the context of a gap of the text.
func (t *Text) joint(before, after letter) joint {
	j := joint{verbatim: t.opt.Verbatim, markdown: t.opt.Markdown}
	if before.to > 0 {
		j.before, _ = utf8.DecodeRuneInString(t.raw[before.from:])
		j.wordBefore = t.wordBefore(before.to)
		j.textBefore = t.raw[max(0, before.to-maxLine):before.to]
	}
	if after.to > 0 {
		j.after, _ = utf8.DecodeRuneInString(t.raw[after.from:])
		j.textAfter = t.raw[after.from:min(len(t.raw), after.from+maxLine)]
	}
	return j
}

// wordBefore returns the word that ends at an offset, or its last eight letters.
func (t *Text) wordBefore(at int) string {
	from := at
	for n := 0; from > 0 && n < 8; n++ {
		r, size := utf8.DecodeLastRuneInString(t.raw[:from])
		if !isLetter(r) && !unicode.Is(unicode.Mn, r) {
			break
		}
		from -= size
	}
	return t.raw[from:at]
}

// lead compares what precedes the first letter of the quote with the source. It returns
// where the quote begins in the source.
func (j *judge) lead(quote string, lq, ls letter) (int, bool) {
	from := ls.from
	if quote == "" {
		return from, j.text.beginsWord(from)
	}
	before := j.text.raw[max(0, from-4*len(quote)-8):from]
	j.took += len(before)
	if strings.HasSuffix(before, quote) {
		from -= len(quote)
		return from, j.text.beginsWord(from)
	}
	q, s := parseGap(quote), parseGap(before)
	n := len(q.signs)
	if n == 0 { // only invisible characters
		j.repairs.note(CharacterForms, "")
		return from, j.text.beginsWord(from)
	}
	if n > len(s.signs) {
		return from, false
	}
	cut := s
	cut.signs, cut.joiners = s.signs[len(s.signs)-n:], ""
	at := cut.signs[0].from
	q.signs[0].space, q.signs[0].line = cut.signs[0].space, cut.signs[0].line
	from -= len(before) - at
	ok := sameSigns(q.signs, cut.signs) && j.edgeMatches(q, cut, j.text.joint(letter{}, ls), j.text.raw[from:ls.from] != quote)
	return from, ok && j.text.beginsWord(from)
}

// edgeMatches reports whether two gaps with the same signs at the edge of a quote mean
// the same. White space that is only longer is noted if nothing else differs.
func (j *judge) edgeMatches(q, s gap, joint joint, differs bool) bool {
	noted := false
	note := func(kind Kind, source string) {
		noted = true
		j.repairs.note(kind, source)
	}
	q.spaces, s.spaces = "", ""
	if !joint.spacesMatch(q, s, note) {
		return false
	}
	if differs && !noted {
		note(WhiteSpace, "")
	}
	return true
}

// trail compares what follows the last letter of the quote with the source. It returns
// where the quote ends in the source.
func (j *judge) trail(quote string, lq, ls letter) (int, bool) {
	to := ls.to
	if quote == "" {
		return to, j.text.endsWord(to)
	}
	behind := j.text.raw[to:min(len(j.text.raw), to+4*len(quote)+40)]
	j.took += len(behind)
	if strings.HasPrefix(behind, quote) {
		to += len(quote)
		return to, j.text.endsWord(to)
	}
	q, s := parseGap(quote), parseGap(behind)
	joint := j.text.joint(ls, letter{})
	for skip := 0; skip < 2 && skip+len(q.signs) <= len(s.signs); skip++ {
		cut := s
		cut.signs, cut.space, cut.line, cut.joiners = s.signs[:skip+len(q.signs)], false, false, ""
		if len(q.signs) == 0 { // only invisible characters
			j.repairs.note(CharacterForms, "")
			return to, j.text.endsWord(to)
		}
		end := cut.signs[len(cut.signs)-1].to
		q := q
		q.space, q.line = false, false
		if skip == 0 && sameSigns(q.signs, cut.signs) && j.edgeMatches(q, cut, joint, behind[:end] != quote) {
			return to + end, j.text.endsWord(to + end)
		}
		if _, ok := joint.withoutNotes(q, cut); ok && skip > 0 {
			j.repairs.note(FootnoteMarks, behind[:end])
			return to + end, j.text.endsWord(to + end)
		}
	}
	return to, false
}

const (
	hanNegations = "不没沒無无未非莫勿"           // of Chinese and Japanese, before what they negate
	numerals     = "一二三四五六七八九十百千万萬億亿兆点點" // that make another number of a number beside them
)

// isApart reports whether two characters are of two words though no space is between
// them: one is of a script without spaces, or of Hangul, and the other is not, as in
// "退房后30天" and "API는".
func isApart(a, b rune) bool {
	if a < utf8.RuneSelf && b < utf8.RuneSelf {
		return false
	}
	if !isWordRune(a) || !isWordRune(b) {
		return false
	}
	return isAlone(a) != isAlone(b) || unicode.Is(unicode.Hangul, a) != unicode.Is(unicode.Hangul, b)
}

// beginsWord reports whether a quote may begin at an offset: not inside a word, number
// or compound, nor after something that reverses the meaning of its first word.
func (t *Text) beginsWord(at int) bool {
	if at == 0 || at == len(t.raw) || t.isDelimiter(at-1) || t.isBesideStruck(at) {
		return true
	}
	r, before := t.runeAt(at), t.runeBefore(at)
	if isAlone(r) && isSpace(before) { // a line may end between any two letters
		before, _ = utf8.DecodeLastRuneInString(strings.TrimRightFunc(t.raw[max(0, at-16):at], isSpace))
	}
	wide := 0
	if before != utf8.RuneError {
		wide = utf8.RuneLen(before)
	}
	further := t.runeBefore(at - max(wide, 1))
	switch {
	case isAlone(r) && isAlone(before):
		return !strings.ContainsRune(hanNegations, before)
	case isApart(before, r):
		return !strings.ContainsRune(hanNegations, before) && !(unicode.IsDigit(r) && strings.ContainsRune(numerals, before))
	case isWordRune(r) && isWordRune(before):
		return false
	case unicode.IsDigit(r) && unicode.IsDigit(further) && t.isGrouped(at-wide, at):
		return false
	case unicode.IsDigit(r) && t.isInBrackets(at):
		return false
	case unicode.IsDigit(r):
		return t.beginsNumber(before, further)
	case t.cutsNumber(at):
		return false
	case isHyphen(before) && isWordRune(further) && isWordRune(r):
		return false
	case isHyphen(r) && isWordRune(before) && isWordRune(t.runeAt(at+utf8.RuneLen(r))):
		return false
	case isWordRune(r) && isSpace(before):
		return !t.isDividedBefore(at)
	}
	return true
}

// maxRow is how much of a row before a delimiter is looked at, in bytes.
const maxRow = 64 << 10

// isDelimiter reports whether the byte at an offset separates two fields: it does not
// between quotation marks.
func (t *Text) isDelimiter(at int) bool {
	if t.opt.Delimiter == 0 || t.raw[at] != t.opt.Delimiter {
		return false
	}
	before := t.raw[max(0, at-maxRow):at]
	row := before[strings.LastIndexByte(before, '\n')+1:]
	return (len(row) < len(before) || len(before) == at) && strings.Count(row, `"`)%2 == 0
}

// beginsNumber reports whether a number may begin after two characters.
func (t *Text) beginsNumber(before, further rune) bool {
	switch before {
	case '-', '−', '+', '±', '~', '<', '>', '≤', '≥', '≈':
		return isWordRune(further) // as in "pages 3-5"
	case '‐', '‑', '‒', '–', '﹣', '－', '﹘': // some write a minus so
		if further == utf8.RuneError || isSpace(further) || strings.ContainsRune("([|=", further) {
			return false
		}
	case '.', ',', ':', '/', '\'', '’': // pointSigns
		return !unicode.IsDigit(further)
	case '$', '€', '£', '¥', '#', '§':
		return false
	}
	return !isHyphen(before) || !isWordRune(further)
}

// pointSigns are signs inside a number, a time or a date, between two digits.
const pointSigns = ".,:/'’"

// cutsNumber reports whether the sign at an offset stands inside a number or a range
// rather than begins a number: the dash of "5–7" is no minus, and the point of "12.5" does
// not begin another number.
func (t *Text) cutsNumber(at int) bool {
	r := t.runeAt(at)
	behind := t.raw[at+utf8.RuneLen(r) : min(len(t.raw), at+24)]
	before := strings.TrimRightFunc(t.raw[max(0, at-24):at], isJoiner)
	switch {
	case isDash(r):
		return signedNumber.MatchString(behind) && endOfNumber.MatchString(before)
	case strings.ContainsRune(pointSigns, r):
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(behind)
		return unicode.IsDigit(last) && unicode.IsDigit(next) && !t.isDelimiter(at)
	}
	return false
}

// isGrouped reports whether the space from one offset up to another, between two digits,
// divides the groups of one number, such as 100 000: a space that keeps a line together
// does, and any other if the whole field or line is such a number, or if the text beside
// it shows that it is one, such as a unit. Numbers in a row may be columns.
func (t *Text) isGrouped(from, to int) bool {
	const most = 40 // bytes of a number
	edge := func(at int) bool { return strings.IndexByte("\t\n\f|", t.raw[at]) >= 0 || t.isDelimiter(at) }
	start, end := from, to
	for start > max(0, from-most) && !edge(start-1) {
		start--
	}
	for end < min(len(t.raw), to+most) && !edge(end) {
		end++
	}
	line, rest := t.raw[start:from], t.raw[to:end]
	switch t.raw[from:to] {
	case "\u00a0", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u202f":
		return headGroup.MatchString(line) && tailGroup.MatchString(rest)
	case " ":
		return wholeGroups.MatchString(line+" "+rest) || t.isGroupedInText(line, rest, t.raw[end:min(len(t.raw), end+most)])
	}
	return false
}

// isGroupedInText reports whether a space between two texts divides the groups of one
// number in a sentence or before a unit. Behind the second text is another line or field.
func (t *Text) isGroupedInText(line, rest, further string) bool {
	head, tail := firstGroups.FindStringSubmatchIndex(line), lastGroups.FindStringSubmatchIndex(rest)
	if head == nil || tail == nil {
		return false
	}
	before, behind := line[:head[0]], rest[tail[1]:]
	switch {
	case noHead.MatchString(before), noTail.MatchString(behind):
		return false
	case currency.MatchString(before), money.MatchString(behind):
		return true
	case t.opt.Verbatim && t.opt.Delimiter == 0, label.MatchString(before):
		return false // numbers in a row of code or data, or of a chapter
	case strings.TrimSpace(behind) == "":
		hasPoint := tail[2] < tail[3]
		return hasPoint || twoWords.MatchString(before) && wrapped.MatchString(further)
	}
	return measured.MatchString(behind)
}

var (
	signedNumber = lazyregexp.New(`^[\x{200c}\x{200d}\x{2060}\x{feff}]*[$€£¥]?[.,]?\d`)
	endOfNumber  = lazyregexp.New(`(?:[\pL\pN\pM_]|[\pL\pN][%‰°′″'"’”.)\]^]+|\pN ?[%‰°€£¥][.)\]]*|\pN\$)$`)
	headGroup    = lazyregexp.New(`(?:^|[^\d.,])\d{1,3}(?:[\x{a0}\x{2005}-\x{200a}\x{202f}]\d{3})*$`)
	tailGroup    = lazyregexp.New(`^\d{3}(?:\D|$)`)
	bracketed    = lazyregexp.New(`^ *\(\s*[$€£¥]?\s*\d[\d.,' \x{a0}\x{202f}]*\s?%?\s?\)[ *†‡]*$`)
	wholeGroups  = lazyregexp.New(`^[ "(+−–$€£¥~≈<>≤≥±-]*\d{1,3}(?: \d{3})+(?:[.,]\d+)?[ ")%$€£¥]*$`)

	// The groups of a number before and behind a space, and what shows that they are none:
	// more numbers beside them, or that the first is of a date, a decimal or a name.
	firstGroups = lazyregexp.New(`\b[1-9]\d{0,2}(?: \d{3})*$`)
	lastGroups  = lazyregexp.New(`^\d{3}(?: \d{3})*\b((?:[.,]\d+)?)`)
	noHead      = lazyregexp.New(`(?:[\pL\d_.,:/#'’]|[\pL_][-‐‑–]|\d{4}[-‐‑–]|[-./]\d{1,2}[-‐‑])$|(?:^|[^\d ]|[^\d] )(?:\d{1,3}|\d{5,}|[\d.,:/]+[.,:/]\d+) $`)
	noTail      = lazyregexp.New(`^(?:\d|[.,:/'’]\d| [-–—−+]? ?\(?\d)`)

	twoWords  = lazyregexp.New(`\pL,? \p{Ll}+ $`)
	wrapped   = lazyregexp.New(`^\n\p{Ll}[^\d\n]+(?:\n|$)`)
	afterYear = lazyregexp.New(`(?:^|\D)[12]\d{3}\.\d{1,2}(?: \p{Lu}|\s*$)`) // a mark of a note

	currency = lazyregexp.New(`(?:[€£¥]|\b(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK|HUF|JPY|RUB|UAH|ZAR|CAD|AUD))[ \x{a0}\x{202f}]?$`)
	money    = lazyregexp.New(`^(?:\*+|</\w+>)*[ \x{a0}\x{202f}]?[€£¥$]`)
	measured = lazyregexp.New(`^(?:\*+|</\w+>)*(?:[ \x{a0}\x{202f}]?[\pL%‰°€$£¥′″]|[.,;:!?)\]"”»’](?:\D|$)|[-–—−/×*][$€£¥]?\d)`)
	label    = lazyregexp.New(`(?i)\b(?:chapters?|ch\.|pages?|pp?\.|figures?|fig\.|tables?|sections?|sec\.|parts?|volumes?|vol\.|numbers?|no\.|nr\.|steps?|items?|rows?|lines?|class|grades?|levels?|types?|version|phases?|articles?|art\.|days?|rooms?|routes?|bus|gates?|notes?|appendix|annex|kapitel|seiten?|tabelle|abbildung|teil|chapitre|january|february|march|april|may|june|july|august|september|october|november|december) $`)
)

// isInBrackets reports whether the field of a row around an offset is a number in brackets,
// as accounts write a negative one: its digits alone are another number.
func (t *Text) isInBrackets(at int) bool {
	const most = 40 // bytes of a number
	edge := func(r rune) bool {
		return r == '\t' || r == '\n' || r == '\f' || r != 0 && r == rune(t.opt.Delimiter)
	}
	from, to := max(0, at-most), min(len(t.raw), at+most)
	if i := strings.LastIndexFunc(t.raw[from:at], edge); i >= 0 {
		from += i + 1
	}
	if i := strings.IndexFunc(t.raw[at:to], edge); i >= 0 {
		to = at + i
	}
	if !bracketed.MatchString(t.raw[from:to]) {
		return false
	}
	before, behind := t.runeBefore(from), t.runeAt(to)
	return before != '\n' && edge(before) || behind != '\n' && edge(behind) || strings.TrimSpace(t.raw[from:to]) == strings.TrimSpace(t.raw)
}

// isDividedBefore reports whether the word at an offset is the second half of a word
// divided at the end of the previous line.
func (t *Text) isDividedBefore(at int) bool {
	line := strings.TrimRightFunc(t.raw[max(0, at-32):at], isSpace)
	gap := t.raw[max(0, at-32)+len(line) : at]
	r, n := utf8.DecodeLastRuneInString(line)
	if !isHyphen(r) || !strings.ContainsAny(gap, "\n\f") {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(line[:len(line)-n])
	return unicode.IsLetter(before) && unicode.IsLower(t.runeAt(at))
}

// endsWord reports whether a quote may end at an offset.
func (t *Text) endsWord(at int) bool {
	if at == 0 || at == len(t.raw) || t.isDelimiter(at) || t.isBesideStruck(at) {
		return true
	}
	r, last := t.runeAt(at), t.runeBefore(at)
	next := t.runeAt(min(len(t.raw), at+max(1, utf8.RuneLen(r))))
	if unicode.IsDigit(r) && strings.ContainsRune(pointSigns, last) && t.cutsNumber(at-utf8.RuneLen(last)) {
		return afterYear.MatchString(t.raw[max(0, at-6):min(len(t.raw), at+6)]) // not as "12." in "12.5"
	}
	switch {
	case isAlone(r) && isAlone(last):
		return !turnsRoundBefore(t.raw[at:min(len(t.raw), at+16)], last)
	case isApart(last, r):
		return !turnsRoundBefore(t.raw[at:min(len(t.raw), at+16)], last) && !(unicode.IsDigit(last) && strings.ContainsRune(numerals, r))
	case isWordRune(r) && isWordRune(last):
		return false
	case isSuperscript(r): // a power or a note mark
		return !unicode.IsDigit(last) && utf8.RuneCountInString(t.wordBefore(at)) >= 3
	case unicode.IsDigit(last):
		if unicode.IsDigit(next) && (strings.ContainsRune(pointSigns, r) || t.isGrouped(at, at+utf8.RuneLen(r))) {
			return false
		}
		return !strings.ContainsRune("%‰°€$£¥′″^", r) && (r != ')' || !t.isInBrackets(at))
	case isHyphen(r) && isWordRune(last) && isWordRune(next):
		return false
	case isSingleQuote(r) && unicode.ToLower(last) == 'n' && (next == 't' || next == 'T'):
		return false
	case isHyphen(r) && isWordRune(last):
		return !t.isDividedBehind(at + utf8.RuneLen(r))
	}
	return true
}

// turnsRoundBefore reports whether the Japanese word that ends with a character
// continues with a negation.
func turnsRoundBefore(rest string, last rune) bool {
	for _, negation := range []string{"ない", "なかっ", "なく", "ません"} {
		if strings.HasPrefix(rest, negation) {
			return true
		}
	}
	return last == 'な' && (strings.HasPrefix(rest, "い") || strings.HasPrefix(rest, "かっ")) || last == 'ま' && strings.HasPrefix(rest, "せん")
}

// isDividedBehind reports whether a line ends at an offset and the next begins with a
// lower-case letter.
func (t *Text) isDividedBehind(at int) bool {
	rest := t.raw[at:min(len(t.raw), at+32)]
	word := strings.TrimLeftFunc(rest, isSpace)
	r, _ := utf8.DecodeRuneInString(word)
	return strings.ContainsAny(rest[:len(rest)-len(word)], "\n\f") && unicode.IsLower(r)
}

func isHyphen(r rune) bool { return r == '-' || r == '‐' || r == '‑' || r == '\u00ad' }

// isWordRune reports whether a character can be part of a word.
func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || isAlphanumeric(byte(r))
	}
	return r != utf8.RuneError && (isLetter(r) || unicode.Is(unicode.Mn, r) || r == '_')
}
