package htmlblocks

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text returns the words of a part of a page, which is UTF-8: every block within
// it, every line of a list and every row of a table on a line of its own, cells
// with a tab between. It ends with LF unless it is empty.
func Text(part []byte, xml bool) string {
	t := textReader{tokens: html.NewTokenizer(bytes.NewReader(part)), xml: xml}
	t.tokens.AllowCDATA(xml)
	for {
		switch t.tokens.Next() {
		case html.ErrorToken:
			return t.finish()
		case html.TextToken:
			if t.hidden == 0 {
				t.add(string(t.tokens.Text()))
			}
		case html.StartTagToken:
			name, _ := t.tokens.TagName()
			t.start(atom.Lookup(name), false)
		case html.SelfClosingTagToken:
			name, _ := t.tokens.TagName()
			t.start(atom.Lookup(name), xml || t.foreign > 0)
		case html.EndTagToken:
			name, _ := t.tokens.TagName()
			t.end(atom.Lookup(name))
		}
	}
}

type textReader struct {
	tokens *html.Tokenizer
	xml    bool
	text   strings.Builder

	hidden  atom.Atom // the element that is open and shows nothing
	foreign int
	pre     int // preformatted elements that are open
	cells   int // of the row so far
	line    bool
	space   bool // there is one before the next word
	fresh   bool // nothing is in the cell yet
}

func (t *textReader) add(text string) {
	if t.pre > 0 {
		if text != "" {
			t.gap()
			t.text.WriteString(strings.ReplaceAll(text, "\r\n", "\n"))
			t.line = !strings.HasSuffix(text, "\n")
		}
		return
	}
	for word := range strings.FieldsFuncSeq(text, isSpace) {
		if isSpace(rune(text[0])) {
			t.space = true
		}
		text = text[strings.Index(text, word)+len(word):]
		t.gap()
		t.text.WriteString(word)
		t.line, t.space = true, false
	}
	if text != "" {
		t.space = true
	}
}

func isSpace(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' && r != '\v' }

// gap writes the space before a word of a line.
func (t *textReader) gap() {
	if t.space && t.line && !t.fresh {
		t.text.WriteByte(' ')
	}
	t.space, t.fresh = false, false
}

// newLine ends the line, unless nothing is on it.
func (t *textReader) newLine() {
	if t.line {
		t.text.WriteByte('\n')
	}
	t.line, t.space, t.fresh = false, false, false
}

func (t *textReader) start(tag atom.Atom, ended bool) {
	if ended || t.foreign > 0 && tag == atom.Title {
		t.tokens.NextIsNotRawText()
	}
	if t.hidden != 0 {
		return
	}
	switch kind := kindOf(tag, ""); {
	case kind == hides && (tag != atom.Title || t.foreign == 0):
		if !ended {
			t.hidden = tag
		}
	case tag == atom.Svg || tag == atom.Math:
		if !ended {
			t.foreign++
		}
	case tag == atom.Td || tag == atom.Th:
		if t.cells++; t.cells > 1 {
			t.text.WriteByte('\t')
			t.line, t.space, t.fresh = true, false, true
		}
	case tag == atom.Tr:
		t.newLine()
		t.cells = 0
	case t.cells > 0 && (kind == block || kind == wraps || isPart(tag) || tag == atom.Br):
		t.space = true // a cell is one line
	case tag == atom.Br:
		t.line = true
		t.newLine()
	case kind == block || kind == wraps || isPart(tag):
		t.newLine()
	}
	if tag == atom.Pre && !ended && t.cells == 0 {
		t.pre++
	}
}

func (t *textReader) end(tag atom.Atom) {
	if t.hidden != 0 {
		if tag == t.hidden {
			t.hidden = 0
		}
		return
	}
	kind := kindOf(tag, "")
	switch {
	case tag == atom.Svg || tag == atom.Math:
		t.foreign = max(t.foreign-1, 0)
	case tag == atom.Pre:
		t.pre = max(t.pre-1, 0)
	case tag == atom.Tr, tag == atom.Table:
		t.newLine()
		t.cells = 0
		return
	case tag == atom.Td, tag == atom.Th:
		t.space = false
		return
	}
	if kind != block && kind != wraps && !isPart(tag) {
		return
	}
	if t.cells > 0 {
		t.space = true
		return
	}
	t.newLine()
}

func (t *textReader) finish() string {
	t.newLine()
	return t.text.String()
}
