package citedtext

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/lazyregexp"
)

// A span is a part of a block, in bytes; the end is exclusive.
type span struct{ from, to int }

// A cite is a place where a block cites.
type cite struct {
	span
	of        *block // the block that the offsets refer to; a quotation may have cites of the block after it
	citations []Citation
	label     span // the text of a link
	behind    bool // it can only follow the words that it is cited for, such as one in brackets
	word      bool // it is used as a word of its sentence
}

// An inline is the content of a block.
type inline struct {
	shown  []byte // the text with zeros in place of addresses and everything invisible
	prose  []byte // shown with spaces for zeros, and letters for addresses that are words
	code   []span // in backquotes, including these
	cites  []cite
	quotes []span // between the marks, the outermost alone
}

// filler replaces in prose each byte of an address that is used as a word.
const filler = 'X'

// readInline finds the citations and quotes of a block.
func (b *block) readInline(d *document) {
	s := &scanner{document: d, block: b}
	b.shown = []byte(b.text)
	from := b.at(0)
	for _, m := range d.within(from, b.at(len(b.text))) {
		s.mentions = append(s.mentions, located{m, s.inBlock(m.From), s.inBlock(m.To)})
	}
	s.codeSpans()
	s.scan()
	slices.SortFunc(b.cites, func(x, y cite) int { return x.from - y.from })
	s.settle()
}

// A located is a mention with its place in a block.
type located struct {
	Mention
	from, to int
}

// A scanner reads the content of a block from start to end.
type scanner struct {
	*document
	*block
	mentions []located // the remaining ones
	open     []bracket
	noTags   bool // no further tag ends
	lastLine int
}

// A bracket is an open bracket.
type bracket struct {
	at, length int
	closing    string
	cites      int // number of cites before it
	mentions   bool
	image      bool
}

// inBlock returns the offset in the block of an offset of the text. Offsets
// must be asked for in ascending order.
func (s *scanner) inBlock(offset int) int {
	for s.lastLine+1 < len(s.lines) && s.lines[s.lastLine+1].inText <= offset {
		s.lastLine++
	}
	l := s.lines[s.lastLine]
	return offset - l.inText + l.inBlock
}

// codeSpans finds the code between backquotes. An address of a known resource alone
// is not code, and its backquotes are not shown.
func (s *scanner) codeSpans() {
	var runs []span
	for i := 0; i < len(s.block.text); i++ {
		switch s.block.text[i] {
		case '\\':
			i++
		case '`':
			from := i
			for i+1 < len(s.block.text) && s.block.text[i+1] == '`' {
				i++
			}
			runs = append(runs, span{from, i + 1})
		}
	}
	next, after := make([]int, len(runs)), make(map[int]int)
	for i, r := range slices.Backward(runs) {
		next[i] = after[r.to-r.from]
		after[r.to-r.from] = i
	}
	for i := 0; i < len(runs); i++ {
		if closing := next[i]; closing > i {
			if s.isAddress(runs[i].to, runs[closing].from) {
				s.hide(runs[i].from, runs[i].to)
				s.hide(runs[closing].from, runs[closing].to)
			} else {
				s.code = append(s.code, span{runs[i].from, runs[closing].to})
			}
			i = closing
		}
	}
}

// isAddress reports whether a part of the block is the address of a known resource,
// and nothing else.
func (s *scanner) isAddress(from, to int) bool {
	i, ok := slices.BinarySearchFunc(s.mentions, from, func(m located, from int) int { return m.from - from })
	return ok && s.mentions[i].to == to && s.known.Resource(s.mentions[i].ID)
}

// hide removes an invisible part from the shown text, and from the prose if
// that exists.
func (b *block) hide(from, to int) {
	clear(b.shown[from:to])
	if b.prose != nil {
		blank(b.prose[from:to])
	}
}

func blank(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}

// scan finds addresses, brackets, links and tags.
func (s *scanner) scan() {
	text, code := s.block.text, s.code
	for i := 0; i < len(text); {
		if len(code) > 0 && i >= code[0].from {
			i = max(i, code[0].to)
			code = code[1:]
			continue
		}
		for len(s.mentions) > 0 && s.mentions[0].from < i {
			s.mentions = s.mentions[1:]
		}
		if len(s.mentions) > 0 && s.mentions[0].from == i {
			i = s.address()
			continue
		}
		switch c := text[i]; c {
		case '\\':
			i += 2
		case '<':
			i = s.tag(i)
		case '[', '(', ']', ')':
			i = s.bracket(i, 1)
		default:
			if size := wideBracket(text[i:]); size > 0 {
				i = s.bracket(i, size)
				continue
			}
			i++
		}
	}
}

// wideBrackets are the Chinese and Japanese brackets used for notes.
const wideBrackets = "（）【】〔〕［］"

// wideBracket returns the length of the bracket that a text begins with, or 0.
func wideBracket(text string) int {
	if text[0] < utf8.RuneSelf {
		return 0
	}
	if r, size := utf8.DecodeRuneInString(text); strings.ContainsRune(wideBrackets, r) {
		return size
	}
	return 0
}

// address reads the next mention, and returns where it ends.
func (s *scanner) address() int {
	m := s.mentions[0]
	s.mentions = s.mentions[1:]
	s.cites = append(s.cites, cite{span: span{m.from, m.to}, citations: []Citation{citationOf(m.Mention)}, word: true})
	if n := len(s.open); n > 0 {
		s.open[n-1].mentions = true
	}
	return m.to
}

// tag reads a tag of HTML, or an address in angle brackets.
func (s *scanner) tag(at int) int {
	text := s.block.text
	if at+1 == len(text) || s.noTags || !isLetter(text[at+1]) && text[at+1] != '/' && text[at+1] != '!' {
		return at + 1
	}
	end := strings.IndexByte(text[at:], '>')
	if end < 0 {
		s.noTags = true
		return at + 1
	}
	if inner := strings.IndexByte(text[at+1:at+end], '<'); inner >= 0 {
		return at + 1 + inner
	}
	end += at + 1
	before := len(s.cites)
	for len(s.mentions) > 0 && s.mentions[0].from < end {
		s.address()
	}
	if to := s.script(at, end); to > 0 {
		return to
	}
	s.hide(at, end)
	if struckTag.MatchString(text[at:end]) {
		copy(s.block.shown[at:], "~~")
	}
	if len(s.cites) > before {
		c := &s.cites[before]
		c.word = c.from == at+1 // otherwise it is the target of a link
		c.span = span{at, end}
	}
	return end
}

var (
	struckTag = lazyregexp.New(`(?i)^</?(?:del|s|strike)(?:\s[^>]*)?>$`)
	scriptTag = lazyregexp.New(`(?i)^<(sup|sub)(?:\s[^>]*)?>$`)
	scripted  = lazyregexp.New(`(?i)^\s*([-+−–]?[0-9]{1,5})\s*</su[pb]>`)
)

var (
	above = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹", "+", "⁺", "-", "⁻", "−", "⁻", "–", "⁻")
	below = strings.NewReplacer("0", "₀", "1", "₁", "2", "₂", "3", "₃", "4", "₄", "5", "₅", "6", "₆", "7", "₇", "8", "₈", "9", "₉", "+", "₊", "-", "₋", "−", "₋", "–", "₋")
)

// script shows a number that a tag, from one offset to another, has above or below the line
// beside a digit, so that 10² is not 102. It returns where its end tag ends, or 0 if there is
// no such number.
func (s *scanner) script(at, end int) int {
	text := s.block.text
	tag := scriptTag.FindSubmatch([]byte(text[at:end]))
	if tag == nil || at == 0 || text[at-1] < '0' || text[at-1] > '9' {
		return 0
	}
	number := scripted.FindSubmatch([]byte(text[end:min(len(text), end+40)]))
	if number == nil {
		return 0
	}
	written := above.Replace(string(number[1]))
	if strings.EqualFold(string(tag[1]), "sub") {
		written = below.Replace(string(number[1]))
	}
	to := end + len(number[0])
	s.hide(at, to)
	copy(s.block.shown[at:to], written)
	return to
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// bracket reads a bracket of any kind, and returns where to continue.
func (s *scanner) bracket(at, size int) int {
	mark := s.block.text[at : at+size]
	if closing := closingOf(mark); closing != "" {
		image := mark == "[" && at > 0 && s.block.text[at-1] == '!'
		s.open = append(s.open, bracket{at: at, length: size, closing: closing, cites: len(s.cites), image: image})
		return at + size
	}
	n := len(s.open) - 1
	if n < 0 || s.open[n].closing != mark {
		// Inner open brackets were plain characters, such as the round one in
		// "[a (b]".
		if n < 1 || s.open[n-1].closing != mark {
			return at + size
		}
		s.open[n-1].mentions = s.open[n-1].mentions || s.open[n].mentions
		s.open, n = s.open[:n], n-1
	}
	b := s.open[n]
	s.open = s.open[:n]
	if n > 0 {
		s.open[n-1].mentions = s.open[n-1].mentions || b.mentions
	}
	if mark == "]" {
		if end := s.link(b, at); end > 0 {
			if n > 0 {
				s.open[n-1].mentions = true
			}
			return end
		}
	}
	s.apparatus(b, at+size)
	return at + size
}

func closingOf(mark string) string {
	switch mark {
	case "[":
		return "]"
	case "(":
		return ")"
	case "（":
		return "）"
	case "【":
		return "】"
	case "〔":
		return "〕"
	case "［":
		return "］"
	}
	return ""
}

// link reads the text after the closing bracket of a link or of a reference to
// a note. It returns the end, or 0 if it is neither.
func (s *scanner) link(b bracket, at int) int {
	if at-b.at > maxBracket {
		return 0
	}
	text := s.block.text
	label := text[b.at+1 : at]
	end := at + 1
	switch {
	case strings.HasPrefix(text[end:], "("):
		return s.inlineLink(b, at)
	case strings.HasPrefix(text[end:], "["):
		if n := strings.IndexAny(text[end+1:min(len(text), end+1+maxLabel)], "[]"); n >= 0 && text[end+1+n] == ']' {
			if n > 0 {
				label = text[end+1 : end+1+n]
			}
			end += n + 2
		}
	}
	if len(label) > maxLabel || label == "" {
		return 0
	}
	n := s.noteOf(label)
	if n == nil && end > at+1 { // these are two labels, not a text and a label
		end, label = at+1, text[b.at+1:at]
		n = s.noteOf(label)
	}
	switch {
	case n == nil && strings.HasPrefix(label, "^"): // a note without an address
		s.hide(b.at, end)
		return end
	case n == nil, s.kind == footnote && labelOf(s.label) == labelOf(label):
		return 0
	}
	n.used = true
	c := cite{citations: n.citations[:min(len(n.citations), MaxAtOnce)]}
	if n.block || end == at+1 {
		c.span, c.behind = span{b.at, end}, true
	} else {
		c.span = span{at, end}
		s.hideMark(b)
	}
	s.hide(c.from, c.to)
	s.cites = append(s.cites, c)
	return end
}

// hideMark hides the opening bracket of a link.
func (s *scanner) hideMark(b bracket) {
	from := b.at
	if b.image {
		from--
	}
	s.hide(from, b.at+b.length)
}

// maxTarget bounds what is in the brackets of a link without an address, and
// maxTitle what is behind an address there, in bytes.
const (
	maxTarget = 512
	maxTitle  = 8 << 10
)

// inlineLink reads a link whose target is in round brackets.
func (s *scanner) inlineLink(b bracket, at int) int {
	text := s.block.text
	from := at + 2
	for from < len(text) && from < at+8 && (text[from] == ' ' || text[from] == '<') {
		from++
	}
	var cited []Citation
	to := from
	for len(s.mentions) > 0 && s.mentions[0].from < from {
		s.mentions = s.mentions[1:]
	}
	if len(s.mentions) > 0 && s.mentions[0].from == from {
		cited, to = []Citation{citationOf(s.mentions[0].Mention)}, s.mentions[0].to
	}
	most := maxTarget
	if cited != nil {
		most = maxTitle
	}
	end := targetEnd(text, to, most)
	if end == 0 {
		return 0
	}
	if cited != nil {
		cited[0] = s.withTitle(cited[0], s.at(end-1))
	}
	s.hideMark(b)
	s.hide(at, end)
	if cited != nil {
		for _, c := range s.cites[b.cites:] { // the text of the link is an address too
			s.hide(c.from, c.to)
		}
		c := cite{span: span{at, end}, citations: cited, label: span{b.at, at}}
		if c.behind = !bytes.ContainsFunc(s.shown[b.at:at], unicode.IsLetter); c.behind { // it is the number of a note
			s.hide(b.at, at)
		}
		s.cites = append(s.cites[:b.cites], c)
	}
	return end
}

// targetEnd returns the end of the brackets around the target of a link, or 0 if
// they do not end within most bytes.
func targetEnd(text string, from, most int) int {
	depth, quote := 1, byte(0)
	for i := from; i < min(len(text), from+most); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && (text[i-1] == ' ' || text[i-1] == '\n'):
			quote = c
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// maxApparatus is how much text, in bytes, a citation in brackets may have
// beside its addresses and links; with more it is part of the sentence.
// maxBracket bounds the text in the brackets of a citation and of a link.
const (
	maxApparatus = 80
	maxBracket   = 4 << 10
)

// quotationMarks are those that are never apostrophes.
const quotationMarks = `"“”„«»「」『』`

// apparatus hides brackets that contain citations and little else: they are not
// part of the sentence.
func (s *scanner) apparatus(b bracket, end int) {
	inside := len(s.cites) - b.cites
	if inside == 0 || inside > MaxAtOnce || !b.mentions || end-b.at > maxBracket {
		return
	}
	left := 0
	for _, c := range s.cites[b.cites:] {
		left -= c.to - c.from
	}
	if left += end - b.at; left > maxApparatus || strings.ContainsAny(string(s.shown[b.at:end]), quotationMarks) {
		return
	}
	all := cite{span: span{b.at, end}, behind: true}
	for _, c := range s.cites[b.cites:] {
		if all.citations == nil {
			all.citations = slices.Clip(c.citations)
			continue
		}
		all.citations = append(all.citations, c.citations...)
	}
	s.hide(b.at, end)
	s.cites = append(s.cites[:b.cites], all)
}

// settle makes the prose, with spaces in place of everything invisible. An
// address that is neither in brackets nor the target of a link is used as a
// word, unless it is between two sentences.
func (s *scanner) settle() {
	s.prose = bytes.ReplaceAll(s.shown, []byte{0}, []byte{' '})
	for _, c := range s.cites {
		s.hide(c.from, c.to)
	}
	for i := range s.cites {
		c := &s.cites[i]
		if l := c.label; l.to > l.from+1 && s.betweenSentences(l.from, c.to) && !strings.ContainsAny(string(s.shown[l.from:l.to]), quotationMarks) {
			s.hide(l.from, l.to)
			c.behind = true
		}
		if c.word = c.word && !c.behind; !c.word {
			continue
		}
		if s.betweenSentences(c.from, c.to) {
			c.word, c.behind = false, true
			continue
		}
		for j := c.from; j < c.to; j++ {
			s.prose[j] = filler
		}
	}
}

// betweenSentences reports whether a part of a block is between the end of a
// sentence and the next sentence or the end of the block.
func (s *scanner) betweenSentences(from, to int) bool {
	before := strings.TrimRight(string(s.prose[max(0, from-64):from]), " \n([<")
	if !endsSentence(before) {
		return false
	}
	after := string(s.prose[to:min(len(s.prose), to+64)])
	if line, _, _ := strings.Cut(after, "\n"); strings.Trim(line, " .>)]") == "" {
		return true
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, " \n.>)]"))
	return !unicode.IsLetter(r) || unicode.IsUpper(r)
}

// endsSentence reports whether a text ends as a sentence does.
func endsSentence(text string) bool {
	text = strings.TrimRightFunc(text, func(r rune) bool {
		return r == '"' || r == '\'' || unicode.In(r, unicode.Pe, unicode.Pf, unicode.Pi) || r == '*' || r == '_'
	})
	r, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(".!?。！？…।؟", r) && r != utf8.RuneError
}
