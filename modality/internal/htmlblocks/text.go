package htmlblocks

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text returns the words of a part of a page, which is UTF-8: every block within
// it, every line of a list and every row of a table on a line of its own, cells
// with a tab between. Numbers above or below the line are written so, as 10², and brackets around
// readings of Japanese words are left out. So is what style sheets or attributes hide: no
// script runs in a message. It ends with LF unless it is empty.
func Text(part []byte, xml bool) string {
	return newTextReader(part, xml, Styles(part, xml), Look{}).read()
}

func (t *textReader) read() string {
	for t.next() {
	}
	return t.finish()
}

type textReader struct {
	tokens *html.Tokenizer
	xml    bool
	text   strings.Builder
	layout *layout // nil for Text

	hidden  atom.Atom // the element that is open and shows nothing
	within  int       // elements of its name that are open in it
	foreign int
	formula *Formula // that is open

	formulaLine int  // on which it begins
	apart       int  // where a formula with parts ends
	pre         int  // preformatted elements that are open
	cells       int  // of the row so far
	begun       bool // the line has something on it
	space       bool // there is one before the next word
	script      Script
	scripts     []openScript
	struck      int // elements that are open whose text is struck out
	strike      Strike
	bracket     bool // it is a bracket for those who do not see readings above the words
	fresh       bool // nothing is in the cell yet

	part   []byte
	at     int    // where the token ends
	sheet  *Sheet // or nil
	around Look   // of the part
	styled bool   // elements may look otherwise than their tags say
	open   []openElement

	scripted bool // scripts may show what is hidden, so that it is read
}

// An openElement is one that is open, with how the text in it looks.
type openElement struct {
	tag  atom.Atom
	name string // of one without an atom
	look Look
}

// An openScript is a sup or sub that is open: where text stands behind it, and what ends it.
type openScript struct {
	after Script
	end   string
	from  int // of the text
}

func newTextReader(part []byte, xml bool, sheet *Sheet, around Look) *textReader {
	t := &textReader{tokens: html.NewTokenizer(bytes.NewReader(part)), xml: xml, part: part, sheet: sheet, around: around}
	t.styled = sheet != nil || hasFold(part, "style") || hasFold(part, "hidden")
	t.tokens.AllowCDATA(xml)
	return t
}

// next reads the next token. It reports whether there was one.
func (t *textReader) next() bool {
	kind, line := t.tokens.Next(), 0
	if t.layout != nil {
		line = t.layout.line + bytes.Count(t.tokens.Raw(), []byte("\n"))
	}
	t.at += len(t.tokens.Raw())
	var name []byte
	var attrs map[string]string
	switch kind {
	case html.ErrorToken:
		return false
	case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
		var more bool
		if name, more = t.tokens.TagName(); t.xml {
			name = name[bytes.IndexByte(name, ':')+1:]
		}
		if t.formula != nil && t.hidden == 0 {
			t.formulaTag(kind, string(name), more)
		} else if t.styled && kind != html.EndTagToken {
			element := string(name)
			attrs, name = tagAttrs(t.tokens, more), []byte(element)
		}
	}
	switch tag := atom.Lookup(name); kind {
	case html.TextToken:
		switch {
		case t.hidden != 0 || t.bracket || t.unseen():
		case t.formula != nil:
			t.formula.Text(string(t.tokens.Text()))
		default:
			t.words()
		}
	case html.StartTagToken:
		t.enter(tag, string(name), attrs, false)
	case html.SelfClosingTagToken:
		t.enter(tag, string(name), attrs, t.xml || t.foreign > 0)
	case html.EndTagToken:
		t.end(tag)
		t.leave(tag, string(name))
	}
	if t.layout != nil {
		t.layout.line = line
	}
	return true
}

// words adds the text of a token.
func (t *textReader) words() {
	if t.layout != nil {
		t.addLines()
		return
	}
	t.add(string(t.tokens.Text()))
}

func (t *textReader) add(text string) {
	if t.apart > 0 && t.apart == t.text.Len() && Touch(t.text.String(), text) {
		text = " " + text
	}
	if t.pre > 0 {
		t.addPre(text)
		return
	}
	for word := range strings.FieldsFuncSeq(text, isSpace) {
		if isSpace(rune(text[0])) {
			t.space = true
		}
		text = text[strings.Index(text, word)+len(word):]
		if !t.isStruck() {
			t.strike.End(&t.text)
		}
		t.gap()
		t.write(t.standing().word(word))
		t.begun, t.space = true, false
	}
	if text != "" {
		t.space = true
	}
}

// addPre adds preformatted text. The line end right behind the start tag is none.
func (t *textReader) addPre(text string) {
	if text == "" || t.layout != nil && text == "\n" && !t.begun && t.layout.blank {
		return
	}
	t.gap()
	t.write(strings.ReplaceAll(text, "\r\n", "\n"))
	t.begun = !strings.HasSuffix(text, "\n")
}

func (t *textReader) write(text string) {
	if t.layout != nil {
		t.layout.mark(t.text.Len())
	}
	t.strike.Write(&t.text, text, t.isStruck())
}

func (t *textReader) isStruck() bool { return t.struck > 0 || t.look().Struck }

// standing returns where the text stands.
func (t *textReader) standing() Script {
	if t.script != OnLine {
		return t.script
	}
	return t.look().Script
}

// look returns how text looks that is read now.
func (t *textReader) look() Look {
	if n := len(t.open); n > 0 {
		return t.open[n-1].look
	}
	return t.around
}

// unseen reports whether the text that is read now is not seen, nor ever shown by a script.
func (t *textReader) unseen() bool { return !t.scripted && t.look().Hidden() }

// enter reads a start tag.
func (t *textReader) enter(tag atom.Atom, name string, attrs map[string]string, ended bool) {
	within := t.foreign > 0 || t.hidden != 0
	if !t.styled || within || t.formula != nil || t.hides(tag, kindOf(tag, "")) {
		t.start(tag, ended)
		return
	}
	kind := kindOf(tag, "")
	t.endImplied(tag, kind)
	look := t.sheet.Look(t.look(), name, func(name string) (string, bool) {
		value, ok := attrs[name]
		return value, ok
	})
	if tag == atom.Br && look.Hidden() && !t.scripted {
		return
	}
	if t.start(tag, ended); !ended && kind != void && len(t.open) < maxDepth {
		e := openElement{tag: tag, look: look}
		if tag == 0 {
			e.name = name
		}
		t.open = append(t.open, e)
	}
}

// endImplied ends the open elements that a start tag ends.
func (t *textReader) endImplied(tag atom.Atom, kind kind) {
	if t.xml {
		return
	}
	for i, n := len(t.open)-1, 0; i >= 0 && n < maxSearch; i, n = i-1, n+1 {
		switch open := t.open[i].tag; {
		case endsBy(open, tag) || open == atom.P && (kind == block || kind == wraps):
			t.open = t.open[:i]
		case open == atom.Table, open == atom.Ul, open == atom.Ol, open == atom.Dl, bounds(open) && !isTablePart(tag):
			return
		}
	}
}

// leave ends the element that an end tag ends.
func (t *textReader) leave(tag atom.Atom, name string) {
	if t.foreign > 0 || t.hidden != 0 {
		return
	}
	for i, n := len(t.open)-1, 0; i >= 0 && n < maxSearch; i, n = i-1, n+1 {
		if e := t.open[i]; e.tag == tag && (tag != 0 || e.name == name) {
			t.open = t.open[:i]
			return
		} else if bounds(e.tag) && !isTablePart(tag) {
			return
		}
	}
}

// beginScript begins a sup or a sub. One with another in it is written as a group, for
// 2²³ is not 2^(2³).
func (t *textReader) beginScript(s Script) {
	hidden, sign := t.unseen(), "^"
	if s == Below {
		sign = "_"
	}
	open := openScript{after: t.script, from: t.text.Len()}
	switch {
	case hidden:
	case t.nests():
		open.end, s = ")", OnLine
		t.gap()
		t.write(sign + "(")
		t.begun = true
	case len(t.scripts) > 0 && t.script != OnLine && t.text.Len() > t.scripts[len(t.scripts)-1].from && !t.space:
		t.write(sign)
	}
	if t.script = s; len(t.scripts) < maxDepth {
		t.scripts = append(t.scripts, open)
	}
}

// endScript ends the innermost sup or sub.
func (t *textReader) endScript() {
	t.script = OnLine
	if n := len(t.scripts); n > 0 {
		open := t.scripts[n-1]
		if t.scripts, t.script = t.scripts[:n-1], open.after; open.end != "" {
			t.write(open.end)
		}
	}
}

// endScripts ends every sup and sub.
func (t *textReader) endScripts() {
	for len(t.scripts) > 0 {
		t.endScript()
	}
	t.script = OnLine
}

// maxPeek is how far another sup or sub is looked for within one.
const maxPeek = 1 << 10

// nests reports whether the sup or sub that begins here has words and then another one.
func (t *textReader) nests() bool {
	rest := t.part[t.at:min(t.at+maxPeek, len(t.part))]
	words := false
	for {
		i := bytes.IndexByte(rest, '<')
		if i < 0 {
			return false
		}
		words = words || len(bytes.TrimSpace(rest[:i])) > 0
		rest = rest[i+1:]
		end := bytes.IndexByte(rest, '>')
		if end < 0 {
			return false
		}
		name, ends := bytes.CutPrefix(rest[:end], []byte("/"))
		if i := bytes.IndexAny(name, " \t\r\n\f/"); i >= 0 {
			name = name[:i]
		}
		rest = rest[end+1:]
		switch tag := atom.Lookup(bytes.ToLower(name)); {
		case tag == atom.Sup || tag == atom.Sub:
			return !ends && words
		case isPart(tag) || kindOf(tag, "") != inline:
			return false // it is not closed
		}
	}
}

func isSpace(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' && r != '\v' }

// gap writes the space before a word of a line.
func (t *textReader) gap() {
	switch {
	case t.layout != nil:
		t.layGap()
	case t.space && t.begun && !t.fresh:
		t.text.WriteByte(' ')
	}
	t.space, t.fresh = false, false
}

// newLine ends the line, unless nothing is on it.
func (t *textReader) newLine() {
	t.endScripts()
	t.strike.End(&t.text)
	if t.begun {
		t.text.WriteByte('\n')
	}
	t.begun, t.space, t.fresh = false, false, false
}

func (t *textReader) start(tag atom.Atom, ended bool) {
	if ended || t.foreign > 0 && tag == atom.Title {
		t.tokens.NextIsNotRawText()
	}
	if t.hidden != 0 {
		if tag == t.hidden && !ended {
			t.within++
		}
		return
	}
	if isCell(tag) {
		t.endScripts()
		t.strike.End(&t.text)
	}
	switch kind := kindOf(tag, ""); {
	case t.hides(tag, kind):
		if !ended {
			t.hidden, t.within = tag, 0
		}
		return
	case tag == atom.Svg || tag == atom.Math:
		if !ended {
			t.foreign++
		}
		if tag == atom.Math && !ended && t.formula == nil {
			t.beginFormula()
		}
	case t.formula != nil:
	case t.layout != nil:
		t.layStart(tag, kind)
	case tag == atom.Td || tag == atom.Th:
		if t.cells++; t.cells > 1 {
			t.text.WriteByte('\t')
			t.begun, t.space, t.fresh = true, false, true
		}
	case tag == atom.Tr:
		t.newLine()
		t.cells = 0
	case t.cells > 0 && (kind == block || kind == wraps || isPart(tag) || tag == atom.Br):
		t.space = true // a cell is one line
	case tag == atom.Br:
		t.begun = true
		t.newLine()
	case kind == block || kind == wraps || isPart(tag):
		t.newLine()
	}
	t.bracket = tag == atom.Rp && !ended
	switch {
	case ended, t.formula != nil:
	case tag == atom.Sup:
		t.beginScript(Above)
	case tag == atom.Sub:
		t.beginScript(Below)
	case isStruck(tag):
		t.struck++
	}
	if tag == atom.Pre && !ended && t.cells == 0 {
		t.pre++
	}
}

// hides reports whether what is in an element is not seen.
func (t *textReader) hides(tag atom.Atom, kind kind) bool {
	switch tag {
	case atom.Title:
		return t.foreign == 0
	case atom.Annotation, atom.AnnotationXml: // the source of a formula
		return t.foreign > 0
	case atom.Iframe: // what is shown instead of a frame
		return true
	}
	return kind == hides
}

func (t *textReader) end(tag atom.Atom) {
	if t.hidden != 0 {
		if t.within--; tag != t.hidden {
			t.within++
		} else if t.within < 0 {
			t.hidden = 0
		}
		return
	}
	kind := kindOf(tag, "")
	t.bracket = false
	switch {
	case t.formula != nil && tag != atom.Math:
		return
	case tag == atom.Sup, tag == atom.Sub:
		t.endScript()
	case isStruck(tag):
		t.struck = max(t.struck-1, 0)
	case tag == atom.Svg || tag == atom.Math:
		t.foreign = max(t.foreign-1, 0)
	case tag == atom.Pre:
		t.pre = max(t.pre-1, 0)
	}
	switch {
	case t.layout != nil:
		t.layEnd(tag, kind)
	case tag == atom.Tr, tag == atom.Table:
		t.newLine()
		t.cells = 0
	case tag == atom.Td, tag == atom.Th:
		t.space = false
	case kind != block && kind != wraps && !isPart(tag):
	case t.cells > 0:
		t.space = true
	default:
		t.newLine()
	}
}

// beginFormula begins to read a formula, which is written when it has ended.
func (t *textReader) beginFormula() {
	t.formula = new(Formula)
	if t.layout != nil {
		t.formulaLine = t.layout.line
	}
}

// formulaTag reads a tag within a formula. One that no formula has ends it.
func (t *textReader) formulaTag(kind html.TokenType, name string, more bool) {
	tag := atom.Lookup([]byte(name))
	switch role := kindOf(tag, ""); {
	case tag == atom.Math && kind == html.EndTagToken, tag != atom.Math && (role == block || role == wraps || isPart(tag) || isCell(tag)):
		t.endFormula()
	case tag == atom.Annotation || tag == atom.AnnotationXml: // not read
	case kind == html.EndTagToken:
		t.formula.End(name)
	case tag == atom.Br || tag == atom.Img:
		t.formula.Text(" ")
	default:
		attrs := make(map[string]string)
		for more {
			var key, value []byte
			key, value, more = t.tokens.TagAttr()
			attrs[string(key)] = string(value)
		}
		t.formula.Start(name, func(name string) (string, bool) {
			value, ok := attrs[name]
			return value, ok
		})
		if kind == html.SelfClosingTagToken {
			t.formula.End(name)
		}
	}
}

func isStruck(tag atom.Atom) bool { return tag == atom.S || tag == atom.Del || tag == atom.Strike }

func isCell(tag atom.Atom) bool { return tag == atom.Td || tag == atom.Th || tag == atom.Tr }

// endFormula writes the formula that is open.
func (t *textReader) endFormula() {
	if t.formula == nil {
		return
	}
	f, text := t.formula, t.formula.String()
	if t.formula = nil; t.unseen() {
		return
	}
	if !f.Bare() {
		t.apart = t.text.Len()
		defer func() { t.apart = t.text.Len() }()
	}
	if t.layout == nil {
		t.add(text)
		return
	}
	line := t.layout.line
	t.layout.line = t.formulaLine
	from := t.text.Len()
	t.add(text)
	t.layout.line = line
	if line > t.formulaLine && text != "" {
		t.layout.long = append(t.layout.long, longPart{Span{from, t.text.Len()}, line})
	}
}

func (t *textReader) finish() string {
	t.endFormula()
	t.newLine()
	return t.text.String()
}
