package markup

import (
	"bytes"
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citekit/citekit/internal/plain"
)

// readHTML reads HTML token by token, without a tree of elements, so nesting
// can be arbitrarily deep. It leaves out scripts, styles, templates and
// comments. It expands only the entities of HTML, so no entity can grow.
func readHTML(ctx context.Context, src []byte, doc *outline) error {
	r := htmlReader{doc: doc, line: 1, tokens: html.NewTokenizer(bytes.NewReader(src))}
	r.xml = startsWithFold(src, "<?xml")
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		token := r.tokens.Next()
		if token == html.ErrorToken {
			break
		}
		start := r.line
		r.line += bytes.Count(r.tokens.Raw(), []byte("\n"))
		r.read(token, start)
	}
	r.endHeading()
	r.endProse()
	return ctx.Err()
}

// An htmlReader is in at most one heading, and in at most one paragraph.
type htmlReader struct {
	tokens *html.Tokenizer
	doc    *outline
	xml    bool // XHTML: an element may be self-closing
	line   int

	hidden  int // number of open templates
	foreign int // number of open drawings and formulas
	title   bool
	titled  bool // whether a title was found
	head    bool
	begun   bool // whether text was found before the first heading

	heading  heading // level 0 means no open heading
	alt      string  // of the pictures in the heading
	headText textBuilder
	inProse  bool
	prose    textBuilder
}

// A textBuilder collects the beginning of a text.
type textBuilder struct{ strings.Builder }

func (b *textBuilder) add(text string) {
	if b.Len() < maxInline {
		b.WriteString(plain.Cut(text, maxInline))
	}
}

func (r *htmlReader) read(token html.TokenType, line int) {
	switch token {
	case html.TextToken:
		r.readText(line)
	case html.StartTagToken, html.SelfClosingTagToken:
		name, attributes := r.tokens.TagName()
		ended := token == html.SelfClosingTagToken && (r.xml || r.foreign > 0)
		if ended {
			r.tokens.NextIsNotRawText()
		}
		r.startTag(atom.Lookup(name), attributes, line, ended)
	case html.EndTagToken:
		name, _ := r.tokens.TagName()
		r.endTag(atom.Lookup(name))
	}
}

func (r *htmlReader) readText(line int) {
	if r.hidden > 0 || !r.wantsText() {
		return
	}
	text := string(r.tokens.Text())
	switch {
	case r.title:
		r.doc.title = plain.Cut(r.doc.title+text, maxInline)
	case r.head:
	case r.heading.level > 0:
		r.headText.add(text)
	case r.inProse:
		r.prose.add(text)
	}
	if !r.begun && !r.head && !r.title && strings.TrimSpace(text) != "" {
		r.begun = true
		r.doc.bodyLine = line + strings.Count(text[:len(text)-len(strings.TrimLeft(text, " \t\r\n\f"))], "\n")
	}
}

func (r *htmlReader) wantsText() bool {
	return r.title || r.heading.level > 0 || r.inProse || !r.begun
}

func (r *htmlReader) startTag(tag atom.Atom, attributes bool, line int, ended bool) {
	switch tag {
	case atom.Template:
		enter(&r.hidden, ended)
		return
	case atom.Svg, atom.Math:
		enter(&r.foreign, ended)
		return
	case atom.Script, atom.Style, atom.Textarea, atom.Iframe, atom.Noembed, atom.Noframes, atom.Xmp:
		r.skipRaw(ended)
		return
	case atom.Title:
		r.title = !ended && !r.titled && r.foreign == 0 && r.hidden == 0
		if r.foreign > 0 {
			r.tokens.NextIsNotRawText()
		}
		return
	case atom.Img:
		if attributes && r.heading.level > 0 {
			r.alt += " " + plain.Cut(r.altText(), maxTitle)
			r.alt = plain.Cut(r.alt, maxInline)
		}
		return
	}
	if tag == atom.Meta && attributes && r.hidden == 0 && r.foreign == 0 {
		r.readMeta()
	}
	if r.hidden > 0 || ended {
		return
	}
	if tag == atom.Head {
		r.head = true
		return
	}
	if tag != atom.Meta && tag != atom.Link && tag != atom.Base && tag != atom.Html {
		r.head = false
	}
	r.startBlock(tag, line)
}

// readMeta reads a meta element, whose name may be in the attribute property.
func (r *htmlReader) readMeta() {
	var name, content string
	for more := true; more; {
		var key, value []byte
		key, value, more = r.tokens.TagAttr()
		switch string(key) {
		case "name", "property":
			name = string(value)
		case "content":
			content = plain.Cut(string(value), maxInline)
		}
	}
	addMeta(&r.doc.facts, name, content)
}

// skipRaw skips the text of an element that contains no markup.
func (r *htmlReader) skipRaw(ended bool) {
	if !ended && r.foreign == 0 {
		r.tokens.Next()
		r.line += bytes.Count(r.tokens.Raw(), []byte("\n"))
	}
}

func (r *htmlReader) startBlock(tag atom.Atom, line int) {
	level := headingLevel(tag)
	switch {
	case level > 0:
		r.endHeading()
		r.endProse()
		r.heading = heading{level: level, line: line}
	case tag == atom.P:
		r.endProse()
		r.addSpace()
		r.inProse = r.heading.level == 0 && r.doc.wantsProse()
	case tag == atom.Br:
		r.addSpace()
	case endsParagraph(tag):
		r.addSpace()
		r.endProse()
	}
}

func (r *htmlReader) endTag(tag atom.Atom) {
	switch tag {
	case atom.Template:
		r.hidden = max(r.hidden-1, 0)
		return
	case atom.Svg, atom.Math:
		r.foreign = max(r.foreign-1, 0)
		return
	case atom.Title:
		r.titled = r.titled || r.title && r.doc.title != ""
		r.title = false
		return
	case atom.Head:
		r.head = false
	}
	if r.hidden > 0 {
		return
	}
	switch {
	case headingLevel(tag) > 0:
		r.endHeading()
	case tag == atom.P || endsParagraph(tag):
		r.addSpace()
		r.endProse()
	}
}

// addSpace adds a space between words of the current text.
func (r *htmlReader) addSpace() {
	if r.heading.level > 0 {
		r.headText.add(" ")
	} else if r.inProse {
		r.prose.add(" ")
	}
}

// enter counts an open element, unless the element is self-closing.
func enter(open *int, ended bool) {
	if !ended {
		*open++
	}
}

// endHeading ends the open heading, if any. A heading without text takes the
// alternative text of its pictures as title.
func (r *htmlReader) endHeading() {
	if r.heading.level == 0 {
		return
	}
	r.heading.title = plain.Line(r.headText.String())
	if r.heading.title == "" {
		r.heading.title = plain.Line(r.alt)
	}
	if !r.begun {
		r.begun, r.doc.bodyLine = true, r.heading.line
	}
	r.doc.add(r.heading)
	r.heading, r.alt = heading{}, ""
	r.headText.Reset()
}

func (r *htmlReader) endProse() {
	if r.inProse {
		if text := plain.Line(r.prose.String()); text != "" {
			r.doc.addProse(text)
		}
	}
	r.inProse = false
	r.prose.Reset()
}

// altText returns the alternative text of the current picture.
func (r *htmlReader) altText() string {
	for {
		key, value, more := r.tokens.TagAttr()
		if string(key) == "alt" {
			return string(value)
		}
		if !more {
			return ""
		}
	}
}

func headingLevel(tag atom.Atom) int {
	name := tag.String()
	if len(name) == 2 && name[0] == 'h' && '1' <= name[1] && name[1] <= '6' {
		return int(name[1] - '0')
	}
	return 0
}

// endsParagraph reports whether an element cannot be in a paragraph.
func endsParagraph(tag atom.Atom) bool {
	switch tag {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Center, atom.Details,
		atom.Dialog, atom.Dd, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure,
		atom.Footer, atom.Form, atom.Header, atom.Hr, atom.Li, atom.Main, atom.Nav, atom.Ol, atom.Pre,
		atom.Section, atom.Summary, atom.Table, atom.Td, atom.Th, atom.Tr, atom.Ul:
		return true
	}
	return false
}
