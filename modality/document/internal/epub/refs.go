package epub

import (
	"path"
	"strings"
)

// references are the references of a document: resources needed to show or play it,
// and targets of links.
type references struct {
	needs []string
	links []string
}

// refs returns the references of a markup document.
func (t *tree) refs() references {
	var r references
	for pos := 0; ; { // style sheets of XML
		i := strings.Index(t.data[pos:], "<?xml-stylesheet")
		if i < 0 {
			break
		}
		pos += i + 2
		for a := range attributes("<" + t.data[pos:pos+endOf(t.data[pos:], "?>", false)]) {
			if a.name == "href" {
				r.needs = append(r.needs, a.text())
			}
		}
	}
	for i := range t.nodes {
		if t.nodes[i].name != "" {
			t.elementRefs(int32(i), &r)
		}
	}
	return r
}

func (t *tree) elementRefs(i int32, r *references) {
	n := &t.nodes[i]
	if n.name == "style" {
		r.needs = append(r.needs, cssRefs(unescape(t.data[n.open:n.close]))...)
	}
	tag := t.tag(i)
	if !strings.Contains(tag, "=") {
		return
	}
	for a := range attributes(tag) {
		_, name, prefixed := strings.Cut(a.name, ":")
		if !prefixed {
			name = a.name
		}
		switch strings.ToLower(name) {
		case "href":
			switch {
			case n.name == "a" || n.name == "area":
				r.links = append(r.links, a.text())
			case n.name == "link" && !needsLink(t.attr(i, "rel")), n.name == "base":
			default:
				r.needs = append(r.needs, a.text())
			}
		case "src", "poster", "background", "altimg":
			r.needs = append(r.needs, a.text())
		case "data":
			if n.name == "object" {
				r.needs = append(r.needs, a.text())
			}
		case "srcset":
			for candidate := range strings.SplitSeq(a.text(), ",") {
				if words := strings.Fields(candidate); len(words) > 0 {
					r.needs = append(r.needs, words[0])
				}
			}
		default:
			if strings.Contains(a.value, "url(") {
				r.needs = append(r.needs, cssRefs(a.text())...)
			}
		}
	}
}

// needsLink reports whether a link element refers to something that the document
// shows.
func needsLink(rel string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(rel)) {
		if word == "stylesheet" || word == "icon" {
			return true
		}
	}
	return false
}

// cssRefs returns the references and imports of a style sheet.
func cssRefs(css string) (refs []string) {
	for css != "" {
		i := strings.IndexAny(css, "/uU@\"'")
		if i < 0 {
			break
		}
		css = css[i:]
		switch {
		case strings.HasPrefix(css, "/*"):
			css = css[2:]
			css = css[endOf(css, "*/", true):]
		case hasFoldedPrefix(css, "url("):
			var ref string
			ref, css = cssValue(css[4:], ")")
			refs = append(refs, ref)
		case hasFoldedPrefix(css, "@import"):
			rest := strings.TrimLeft(css[7:], " \t\r\n\f")
			css = rest
			if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
				var ref string
				ref, css = cssValue(rest, ";")
				refs = append(refs, ref)
			}
		case css[0] == '"' || css[0] == '\'':
			_, css = cssValue(css, ";")
		default:
			css = css[1:]
		}
	}
	return refs
}

// cssValue returns the string at the start of s, or the text before the end mark, and
// the rest.
func cssValue(s, end string) (value, rest string) {
	s = strings.TrimLeft(s, " \t\r\n\f")
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case s[0]:
				return s[1:i], s[i+1:]
			case '\n':
				return s[1:i], s[i:]
			}
		}
		return "", ""
	}
	n := endOf(s, end, false)
	return strings.TrimSpace(s[:n]), s[n:]
}

func hasFoldedPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// A resourceKind says how the references of a resource are found.
type resourceKind int

const (
	opaqueKind resourceKind = iota
	markupKind
	styleKind
	overlayKind
)

func kindOf(media, name string) resourceKind {
	switch ext := strings.ToLower(path.Ext(name)); {
	case media == "application/smil+xml" || media == "" && ext == ".smil":
		return overlayKind
	case media == "text/css" || media == "" && ext == ".css":
		return styleKind
	case isContent(media, name) || media == "" && (ext == ".svg" || ext == ".xhtml" || ext == ".html"):
		return markupKind
	}
	return opaqueKind
}
