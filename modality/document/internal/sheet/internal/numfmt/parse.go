package numfmt

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

type tokenKind int

const (
	tokenLiteral  tokenKind = iota
	tokenDigit              // text is 0, # or ?
	tokenPoint              // of a number
	tokenExponent           // text is E+ or E-
	tokenSlash              // of a fraction
	tokenGeneral
	tokenText
	tokenDate    // text is letters, in lower case
	tokenElapsed // text is letters, in lower case
	tokenHalf    // AM/PM or A/P, as written
	tokenSubs    // a point and digits of a second
	tokenComma   // of a number
)

type token struct {
	kind tokenKind
	text string
}

func parseSection(code string) section {
	var s section
	p := &parser{code: code, section: &s}
	for p.at < len(code) {
		p.next()
	}
	s.classify()
	return s
}

type parser struct {
	code    string
	at      int
	section *section
}

func (p *parser) add(kind tokenKind, text string, n int) {
	tokens := p.section.tokens
	if last := len(tokens) - 1; kind == tokenLiteral && last >= 0 && tokens[last].kind == tokenLiteral {
		tokens[last].text += text
	} else if text != "" || kind != tokenLiteral {
		p.section.tokens = append(tokens, token{kind, text})
	}
	p.at += n
}

func (p *parser) next() {
	rest := p.code[p.at:]
	switch c := rest[0]; c {
	case '"':
		end := strings.IndexByte(rest[1:], '"')
		if end < 0 {
			end = len(rest) - 1
		}
		p.add(tokenLiteral, rest[1:1+end], min(end+2, len(rest)))
	case '\\':
		size := runeLen(rest[1:])
		p.add(tokenLiteral, rest[1:1+size], 1+size)
	case '_':
		p.add(tokenLiteral, " ", 1+runeLen(rest[1:]))
	case '*':
		p.add(tokenLiteral, "", 1+runeLen(rest[1:]))
	case '[':
		p.bracket(rest)
	case '0', '#', '?':
		p.add(tokenDigit, rest[:1], 1)
	case '.':
		p.point(rest)
	case ',':
		p.add(tokenComma, ",", 1)
	case '%':
		p.section.scale += 2
		p.add(tokenLiteral, "%", 1)
	case '/':
		p.add(tokenSlash, "/", 1)
	case '@':
		p.add(tokenText, "@", 1)
	default:
		p.letters(rest)
	}
}

func runeLen(s string) int {
	_, size := utf8.DecodeRuneInString(s)
	return size
}

// point reads a point. It belongs to the seconds if digits follow after "s".
func (p *parser) point(rest string) {
	last := len(p.section.tokens) - 1
	zeros := len(rest) - 1 - len(strings.TrimLeft(rest[1:], "0"))
	if last >= 0 && zeros > 0 {
		if t := p.section.tokens[last]; (t.kind == tokenDate || t.kind == tokenElapsed) && t.text[0] == 's' {
			p.section.subs = min(zeros, 9)
			p.add(tokenSubs, rest[:1+zeros], 1+zeros)
			return
		}
	}
	p.add(tokenPoint, ".", 1)
}

// bracket reads a colour, a condition, a currency or elapsed time.
func (p *parser) bracket(rest string) {
	end := strings.IndexByte(rest, ']')
	if end < 0 {
		p.add(tokenLiteral, rest, len(rest))
		return
	}
	inner, n := rest[1:end], end+1
	lower := strings.ToLower(inner)
	switch {
	case inner == "":
		p.add(tokenLiteral, "", n)
	case inner[0] == '$':
		symbol, language, _ := strings.Cut(inner[1:], "-")
		if c := calendarOf(language); c != gregorian {
			p.section.calendar = c
		}
		p.add(tokenLiteral, symbol, n)
	case strings.Trim(lower, "h") == "" || strings.Trim(lower, "m") == "" || strings.Trim(lower, "s") == "":
		p.add(tokenElapsed, lower, n)
	case strings.IndexByte("<>=", inner[0]) >= 0:
		op := inner[:len(inner)-len(strings.TrimLeft(inner, "<>="))]
		if value, err := strconv.ParseFloat(strings.TrimSpace(inner[len(op):]), 64); err == nil {
			p.section.when = condition{op, value}
		}
		p.add(tokenLiteral, "", n)
	default:
		p.add(tokenLiteral, "", n)
	}
}

// letters reads tokens that begin with a letter, or characters that are shown
// unchanged.
func (p *parser) letters(rest string) {
	lower := strings.ToLower(rest[:min(len(rest), 8)])
	switch {
	case strings.HasPrefix(lower, "general"):
		p.add(tokenGeneral, "General", 7)
	case strings.HasPrefix(lower, "am/pm"):
		p.section.clock12 = true
		p.add(tokenHalf, rest[:5], 5)
	case strings.HasPrefix(lower, "a/p"):
		p.section.clock12 = true
		p.add(tokenHalf, rest[:3], 3)
	case strings.HasPrefix(lower, "e+"), strings.HasPrefix(lower, "e-"):
		p.add(tokenExponent, "E"+rest[1:2], 2)
	case strings.IndexByte("ymdhsebga", lower[0]) >= 0:
		n := 1
		for n < len(rest) && rest[n]|0x20 == lower[0] {
			n++
		}
		p.add(tokenDate, strings.Repeat(lower[:1], n), n)
	default:
		size := runeLen(rest)
		p.add(tokenLiteral, rest[:size], size)
	}
}

// classify determines the kind of the section.
func (s *section) classify() {
	var digits, slash, exponent, dates bool
	for _, t := range s.tokens {
		switch t.kind {
		case tokenText:
			s.kind = text
			return
		case tokenGeneral:
			s.kind = general
			return
		case tokenDigit:
			digits = true
		case tokenSlash:
			slash = slash || digits
		case tokenExponent:
			exponent = exponent || digits
		case tokenElapsed, tokenHalf:
			dates = true
		case tokenDate:
			dates = dates || strings.IndexByte("ymdhse", t.text[0]) >= 0
		}
	}
	switch {
	case dates:
		s.kind = date
		s.findMinutes()
	case len(s.tokens) == 0 && s.when.op == "":
		s.kind = literal
	case !digits:
		s.kind = literal
	case slash:
		s.kind = fraction
	case exponent:
		s.kind = scientific
	default:
		s.kind = number
	}
	if s.kind != date {
		s.asLiterals()
		s.measure()
	}
}

// asLiterals turns tokens that mean nothing in this kind of section into text.
func (s *section) asLiterals() {
	for i, t := range s.tokens {
		if t.kind == tokenDate || t.kind == tokenSlash && s.kind != fraction || t.kind == tokenExponent && s.kind != scientific {
			s.tokens[i].kind = tokenLiteral
		}
	}
}

// measure counts placeholders, and determines what commas mean.
func (s *section) measure() {
	point, exponent := false, false
	last := -1 // last placeholder before the point
	for i, t := range s.tokens {
		switch {
		case exponent:
		case t.kind == tokenExponent:
			exponent = true
		case t.kind == tokenPoint && !point:
			point = true
		case t.kind == tokenDigit && point:
			s.decimals++
		case t.kind == tokenDigit:
			s.whole++
			last = i
		}
	}
	first := -1
	for i, t := range s.tokens {
		switch {
		case t.kind == tokenDigit && first < 0:
			first = i
		case t.kind == tokenComma && first >= 0 && i < last:
			s.grouped = true
		case t.kind == tokenComma && i > last && s.onlyCommas(last, i):
			s.scale -= 3
		case t.kind == tokenComma && s.decimals > 0 && s.afterDecimals(i):
			s.scale -= 3
		case t.kind == tokenComma:
			s.tokens[i].kind = tokenLiteral
		}
	}
}

// onlyCommas reports whether only commas are between a placeholder and i.
func (s *section) onlyCommas(last, i int) bool {
	if last < 0 {
		return false
	}
	for _, t := range s.tokens[last+1 : i] {
		if t.kind != tokenComma {
			return false
		}
	}
	return true
}

// afterDecimals reports whether the comma at i follows the last placeholder.
func (s *section) afterDecimals(i int) bool {
	for _, t := range s.tokens[i:] {
		if t.kind == tokenDigit {
			return false
		}
	}
	for i--; i >= 0 && s.tokens[i].kind == tokenComma; i-- {
	}
	return i >= 0 && s.tokens[i].kind == tokenDigit
}

// findMinutes distinguishes minutes, from here on written "n", from months: they follow
// hours or precede seconds.
func (s *section) findMinutes() {
	before := byte(0)
	for i, t := range s.tokens {
		if t.kind != tokenDate && t.kind != tokenElapsed {
			continue
		}
		if t.kind == tokenDate && t.text[0] == 'm' && len(t.text) <= 2 && (before == 'h' || s.unitAfter(i) == 's') {
			s.tokens[i].text = strings.Repeat("n", len(t.text))
		}
		before = t.text[0]
	}
}

func (s *section) unitAfter(i int) byte {
	for _, t := range s.tokens[i+1:] {
		if t.kind == tokenDate || t.kind == tokenElapsed {
			return t.text[0]
		}
	}
	return 0
}
