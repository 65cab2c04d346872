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
// readings of Japanese words are left out. It ends with LF unless it is empty.
func Text(part []byte, xml bool) string {
	t := newTextReader(part, xml)
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
	struck      int // elements that are open whose text is struck out
	strike      Strike
	bracket     bool // it is a bracket for those who do not see readings above the words
	fresh       bool // nothing is in the cell yet
}

func newTextReader(part []byte, xml bool) *textReader {
	t := &textReader{tokens: html.NewTokenizer(bytes.NewReader(part)), xml: xml}
	t.tokens.AllowCDATA(xml)
	return t
}

// next reads the next token. It reports whether there was one.
func (t *textReader) next() bool {
	kind, line := t.tokens.Next(), 0
	if t.layout != nil {
		line = t.layout.line + bytes.Count(t.tokens.Raw(), []byte("\n"))
	}
	var name []byte
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
		}
	}
	switch tag := atom.Lookup(name); kind {
	case html.TextToken:
		switch {
		case t.hidden != 0 || t.bracket:
		case t.formula != nil:
			t.formula.Text(string(t.tokens.Text()))
		default:
			t.words()
		}
	case html.StartTagToken:
		t.start(tag, false)
	case html.SelfClosingTagToken:
		t.start(tag, t.xml || t.foreign > 0)
	case html.EndTagToken:
		t.end(tag)
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
		if t.struck == 0 {
			t.strike.End(&t.text)
		}
		t.gap()
		t.write(t.script.word(word))
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
	t.strike.Write(&t.text, text, t.struck > 0)
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
	t.strike.End(&t.text)
	if t.begun {
		t.text.WriteByte('\n')
	}
	t.begun, t.space, t.fresh, t.script = false, false, false, OnLine
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
		t.script = OnLine
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
		t.script = Above
	case tag == atom.Sub:
		t.script = Below
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
		t.script = OnLine
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
	t.formula = nil
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
