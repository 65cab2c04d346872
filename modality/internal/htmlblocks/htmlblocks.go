// Package htmlblocks counts the blocks of a page of HTML or XHTML, and cuts
// them out of it.
//
// A block is an element of the body that stands for itself: a paragraph, a
// heading, a list, a table, preformatted text, a figure, a rule, or details; or
// what stands between such elements as a run of words and pictures. Elements that
// only group others are none, and their children count in their place: div,
// section, article, main, header, footer, nav, aside, form, center, search,
// blockquote, address, fieldset, hgroup, and any other that begins with a block,
// as a link around a paragraph does. Scripts, styles, templates, noscript and
// comments are none either. Blocks count from 1, and what is within one belongs
// to it. The parts of EPUB books count alike.
//
// Tags are read one by one, with the ends that HTML implies, and no tree is
// built, so that no nesting is too deep.
package htmlblocks

import (
	"context"

	"golang.org/x/net/html/atom"
)

// A Span is the bytes [Start, End) of a page.
type Span struct{ Start, End int }

// A Block is one of a page.
type Block struct {
	Span
	Tag string // the name of its element, such as "table"; "" for a run of words

	within int // the innermost wrapper around it, or -1
}

// A wrapper is an element that only groups others.
type wrapper struct {
	tag    Span // its start tag
	name   string
	within int // the wrapper around it, or -1
}

// A Page is a page of HTML with its blocks. It does not change.
type Page struct {
	Blocks []Block

	src      []byte
	xml      bool
	wrappers []wrapper
	scripts  []Span // elements that are left out of cuts
	head     []Span // what a cut keeps of what is before the body
	html     bool   // there is a tag that has to be closed
	body     bool
	heads    bool
	hidden   int // scripts and templates before the body

	sheet *Sheet // of the page, or nil
	looks []Look // of text in the wrappers; nil if all of it is plain
}

// Parse reads a page, which it keeps, in a charset that has ASCII as one byte
// each. XML says that elements end only where their tags do. It fails only with
// ctx.Err().
func Parse(ctx context.Context, src []byte, xml bool) (*Page, error) {
	r := newReader(src, xml)
	for n := 0; r.next(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.read()
	}
	r.finish()
	r.page.readLooks()
	return r.page, ctx.Err()
}

// readLooks finds how text in the wrappers looks.
func (p *Page) readLooks() {
	p.sheet = Styles(p.src, p.xml)
	plain := p.sheet == nil
	for _, w := range p.wrappers {
		plain = plain && !hasFold(p.src[w.tag.Start:w.tag.End], "style") && !hasFold(p.src[w.tag.Start:w.tag.End], "hidden")
	}
	if plain {
		return
	}
	p.looks = make([]Look, len(p.wrappers))
	for i, w := range p.wrappers {
		around := Look{}
		if w.within >= 0 {
			around = p.looks[w.within]
		}
		p.looks[i] = p.sheet.lookOfTag(around, p.src[w.tag.Start:w.tag.End], p.xml)
	}
}

// Look returns how text in a block, counted from 1, looks, but for what the block itself says.
func (p *Page) Look(n int) Look {
	if w := p.Blocks[n-1].within; w >= 0 && p.looks != nil {
		return p.looks[w]
	}
	return Look{}
}

// look returns how text in an element with a start tag looks, which may be empty.
func (p *Page) look(around Look, tag Span) Look {
	text := p.src[tag.Start:tag.End]
	if p.sheet == nil && !hasFold(text, "style") && !hasFold(text, "hidden") {
		return around
	}
	return p.sheet.lookOfTag(around, text, p.xml)
}

// Text is [Text] of a part of the page, which is UTF-8, that looks as the elements around it,
// with what is hidden until a script shows it.
func (p *Page) Text(part []byte, around Look) string {
	t := newTextReader(part, p.xml, p.sheet, around)
	t.scripted = true
	return t.read()
}

// Source returns the page.
func (p *Page) Source() []byte { return p.src }

// Bytes returns the bytes of a block, counted from 1.
func (p *Page) Bytes(n int) []byte {
	b := p.Blocks[n-1]
	return p.src[b.Start:b.End]
}

// A kind says what an element is to the count of blocks.
type kind byte

const (
	inline  kind = iota
	block        // which counts
	wraps        // whose children count
	hides        // which shows nothing
	void         // which has no content
	nothing      // which is no part of the body
)

func kindOf(tag atom.Atom, name string) kind {
	switch tag {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Dl, atom.Menu, atom.Dir,
		atom.Table, atom.Pre, atom.Listing, atom.Xmp, atom.Figure, atom.Hr, atom.Details, atom.Dialog:
		return block
	case atom.Div, atom.Section, atom.Article, atom.Main, atom.Header, atom.Footer, atom.Nav, atom.Aside, atom.Form, atom.Center,
		atom.Blockquote, atom.Address, atom.Fieldset, atom.Hgroup:
		return wraps
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Title, atom.Noembed, atom.Noframes:
		return hides
	case atom.Html, atom.Head, atom.Body, atom.Frameset:
		return nothing
	case atom.Br, atom.Img, atom.Input, atom.Wbr, atom.Embed, atom.Area, atom.Col, atom.Source, atom.Track, atom.Param, atom.Meta, atom.Link, atom.Base, atom.Basefont, atom.Frame, atom.Bgsound, atom.Keygen:
		return void
	}
	if name == "search" {
		return wraps
	}
	return inline
}

// shows reports whether an element without words is seen.
func shows(tag atom.Atom) bool {
	switch tag {
	case atom.Img, atom.Svg, atom.Math, atom.Video, atom.Audio, atom.Object, atom.Embed, atom.Iframe, atom.Canvas, atom.Picture,
		atom.Input, atom.Button, atom.Select, atom.Textarea, atom.Meter, atom.Progress:
		return true
	}
	return false
}

func isHeading(tag atom.Atom) bool {
	switch tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

// bounds reports whether an end tag within an element ends nothing outside of it.
func bounds(tag atom.Atom) bool {
	switch tag {
	case atom.Td, atom.Th, atom.Caption, atom.Table, atom.Object, atom.Svg, atom.Math, atom.Template, atom.Marquee, atom.Applet, atom.Button, atom.Select:
		return true
	}
	return false
}

// isPart reports whether an element is a part of a list, a table or the like,
// whose end tag also ends paragraphs in it.
func isPart(tag atom.Atom) bool {
	switch tag {
	case atom.Li, atom.Dt, atom.Dd, atom.Figcaption, atom.Summary, atom.Legend, atom.Option, atom.Optgroup, atom.Colgroup:
		return true
	}
	return isTablePart(tag)
}

func isTablePart(tag atom.Atom) bool {
	switch tag {
	case atom.Td, atom.Th, atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot, atom.Table, atom.Caption:
		return true
	}
	return false
}
