package markup

import (
	"bytes"
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citekit/citekit/modality/text/internal/linkset"
)

// findHTMLLinks reads HTML token by token. It ignores links in scripts, styles,
// comments and templates.
func findHTMLLinks(ctx context.Context, src []byte, set *linkset.Set) error {
	return addHTMLLinks(ctx, src, 1, set)
}

// addHTMLLinks adds the links in src, whose first line has the number line.
func addHTMLLinks(ctx context.Context, src []byte, line int, set *linkset.Set) error {
	l := htmlLinker{set: set, line: line, tokens: html.NewTokenizer(bytes.NewReader(src))}
	l.xml = startsWithFold(src, "<?xml")
	for n := 0; !set.Full(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		token := l.tokens.Next()
		if token == html.ErrorToken {
			break
		}
		l.end = l.line + bytes.Count(l.tokens.Raw(), []byte("\n"))
		l.read(token)
		l.line = l.end
	}
	l.endText()
	return ctx.Err()
}

// addTagLinks adds the links of one tag, on the lines first to last.
func addTagLinks(tag []byte, first, last int, set *linkset.Set) {
	l := htmlLinker{set: set, line: first, end: last, tokens: html.NewTokenizer(bytes.NewReader(tag))}
	if token := l.tokens.Next(); token == html.StartTagToken || token == html.SelfClosingTagToken {
		l.startTag(false)
	}
	l.endText()
}

// An htmlLinker collects the links of elements. The text of a link is the
// content of its element.
type htmlLinker struct {
	tokens *html.Tokenizer
	set    *linkset.Set
	xml    bool

	line, end int // of the current token
	foreign   int // number of open drawings and formulas
	hidden    int // number of open templates

	target string // of the open link element, or ""
	first  int    // its first line
	last   int
	text   textBuilder
}

func (l *htmlLinker) read(token html.TokenType) {
	switch token {
	case html.TextToken:
		if l.target != "" {
			l.text.add(string(l.tokens.Text()))
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		l.startTag(token == html.SelfClosingTagToken && (l.xml || l.foreign > 0))
	case html.EndTagToken:
		name, _ := l.tokens.TagName()
		l.endTag(atom.Lookup(name))
	}
}

func (l *htmlLinker) startTag(ended bool) {
	name, more := l.tokens.TagName()
	tag := atom.Lookup(name)
	if ended {
		l.tokens.NextIsNotRawText()
	}
	switch tag {
	case atom.Template:
		enter(&l.hidden, ended)
		return
	case atom.Svg, atom.Math:
		enter(&l.foreign, ended)
	case atom.Title:
		if l.foreign > 0 {
			l.tokens.NextIsNotRawText()
		}
	}
	if l.hidden > 0 {
		return
	}
	if tag == atom.A {
		l.endText()
	}
	a := l.attributes(tag, more)
	for _, name := range a.names {
		if name != "" && !strings.ContainsAny(name, " \t\n\r\f") {
			l.set.Add(l.line, l.end, linkset.Anchor, "", "#"+name)
		}
	}
	if a.target == "" {
		return
	}
	if tag == atom.A && !ended {
		l.target, l.first, l.last = a.target, l.line, l.end
		return
	}
	l.set.Add(l.line, l.end, a.kind, a.text, a.target)
	if tag == atom.Img && l.target != "" {
		l.text.add(a.text)
	}
}

// htmlAttributes are the attributes of a tag that matter for links.
type htmlAttributes struct {
	kind, target, text string
	names              []string // targets that links may use for the tag
}

func (l *htmlLinker) attributes(tag atom.Atom, more bool) htmlAttributes {
	key, kind := linkAttribute(tag)
	a := htmlAttributes{kind: kind}
	seen := 0
	for more {
		var k, v []byte
		k, v, more = l.tokens.TagAttr()
		seen++
		switch name := string(k); {
		case name == key && a.target == "":
			a.target = strings.TrimSpace(string(v))
		case name == "alt":
			a.text = string(v)
		case seen <= maxAttributes && (name == "id" || name == "name" && tag == atom.A):
			a.names = append(a.names, string(v))
		case name == "rel" && kind == linkset.Reference && strings.Contains(strings.ToLower(string(v)), "stylesheet"):
			a.kind = linkset.Include
		}
	}
	return a
}

// maxAttributes bounds the attributes of a tag that may name it.
const maxAttributes = 100

// linkAttribute returns the attribute of an element that holds its link target,
// and the kind of such links.
func linkAttribute(tag atom.Atom) (key, kind string) {
	switch tag {
	case atom.A, atom.Area:
		return "href", linkset.Hyperlink
	case atom.Link:
		return "href", linkset.Reference
	case atom.Img:
		return "src", linkset.Image
	case atom.Script, atom.Iframe, atom.Frame, atom.Embed, atom.Audio, atom.Video, atom.Source, atom.Track:
		return "src", linkset.Include
	case atom.Object:
		return "data", linkset.Include
	case atom.Blockquote, atom.Q, atom.Ins, atom.Del:
		return "cite", linkset.Citation
	}
	return "", ""
}

func (l *htmlLinker) endTag(tag atom.Atom) {
	switch tag {
	case atom.Template:
		l.hidden = max(l.hidden-1, 0)
	case atom.Svg, atom.Math:
		l.foreign = max(l.foreign-1, 0)
	case atom.A:
		l.last = l.end
		l.endText()
	}
}

// endText adds the link whose element ends.
func (l *htmlLinker) endText() {
	if l.target != "" {
		l.set.Add(l.first, l.last, linkset.Hyperlink, l.text.String(), l.target)
	}
	l.target = ""
	l.text.Reset()
}
