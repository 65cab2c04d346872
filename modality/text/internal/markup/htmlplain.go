package markup

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// PlainHTML returns the text of an HTML document without tags, comments,
// scripts, styles and its title. Every line keeps its number, and character
// references stay as written.
func PlainHTML(src []byte) []byte {
	plain := make([]byte, 0, len(src))
	tokens := html.NewTokenizer(bytes.NewReader(src))
	hidden := atom.Atom(0) // the open element whose text is hidden, or 0
	for {
		kind := tokens.Next()
		raw := tokens.Raw()
		if kind == html.TextToken && hidden == 0 {
			plain = append(plain, raw...)
			continue
		}
		plain = append(plain, bytes.Repeat([]byte("\n"), bytes.Count(raw, []byte("\n")))...)
		switch kind {
		case html.ErrorToken:
			return plain
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			name, _ := tokens.TagName()
			tag := atom.Lookup(name)
			if tag == atom.P || tag == atom.Br || headingLevel(tag) > 0 || endsParagraph(tag) {
				plain = append(plain, ' ')
			}
			switch {
			case kind == html.StartTagToken && hidden == 0 && hidesText(tag):
				hidden = tag
			case kind == html.EndTagToken && tag == hidden:
				hidden = 0
			}
		}
	}
}

// hidesText reports whether the text of an element is not displayed.
func hidesText(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Title, atom.Template, atom.Noscript, atom.Textarea, atom.Iframe, atom.Object:
		return true
	}
	return false
}
