package htmlblocks

import (
	"bytes"
	"strings"

	"golang.org/x/net/html/atom"
)

// isOfHead reports whether an element is one of the head where nothing of the
// body was before it.
func (r *reader) isOfHead(tag atom.Atom) bool {
	switch tag {
	case atom.Meta, atom.Link, atom.Base, atom.Basefont, atom.Bgsound:
		return true
	}
	return false
}

// readHead keeps what a cut needs of what is before the body: the charset, the
// look and the title, but not what else the page says of itself.
func (r *reader) readHead(tag atom.Atom, more, ended bool) {
	switch tag {
	case atom.Html:
		if !r.began && !r.page.html {
			r.keep()
			r.page.html = !ended
		}
	case atom.Head:
		if !r.began && !r.page.heads {
			r.keep()
			r.page.heads = !ended
		}
	case atom.Body:
		if !r.began && !r.page.body {
			r.keep()
			r.page.body = !ended
		}
		r.began = true
	case atom.Base, atom.Basefont:
		r.keep()
	case atom.Meta, atom.Link:
		if more && r.isOfUse() {
			r.keep()
		}
	}
}

// isOfUse reports whether a meta or link element says how the page looks.
func (r *reader) isOfUse() bool {
	for more := true; more; {
		var key, value []byte
		key, value, more = r.tokens.TagAttr()
		is := strings.ToLower(string(bytes.TrimSpace(value)))
		switch string(key) {
		case "charset":
			return true
		case "http-equiv":
			return is == "content-type" || is == "content-language" || is == "default-style"
		case "name":
			return is == "viewport" || is == "color-scheme"
		case "rel":
			return strings.Contains(is, "stylesheet")
		}
	}
	return false
}

// hide opens an element that shows nothing.
func (r *reader) hide(tag atom.Atom, ended bool) {
	look := tag == atom.Title || tag == atom.Style
	if look {
		r.keepLook(tag)
	} else if !r.began {
		r.page.hidden++
	}
	switch {
	case ended && !look:
		r.page.scripts = append(r.page.scripts, Span{r.start, r.end})
	case !ended:
		r.hidden, r.hiddenDepth, r.hiddenStart = tag, 1, r.start
	}
}

func (r *reader) endHidden(tag atom.Atom) {
	if tag != r.hidden {
		return
	}
	if r.hiddenDepth--; r.hiddenDepth > 0 {
		return
	}
	r.hidden = 0
	switch tag {
	case atom.Title, atom.Style:
		r.keepLook(tag)
	default:
		r.page.scripts = append(r.page.scripts, Span{r.hiddenStart, r.end})
	}
}

// keepLook keeps a token of a title, or of a style that is not in a block.
func (r *reader) keepLook(tag atom.Atom) {
	if !r.began || tag == atom.Style && !r.in {
		r.page.head = append(r.page.head, Span{r.start, r.end})
	}
}

// wrap opens a wrapper.
func (r *reader) wrap(e element) {
	if r.depth == maxWrappers {
		return
	}
	r.depth++
	r.page.wrappers = append(r.page.wrappers, wrapper{tag: e.start, name: e.name, within: r.within})
	r.within = len(r.page.wrappers) - 1
}

// isOpen reports whether a wrapper with the name is open.
func (r *reader) isOpen(name string) bool {
	for i, n := r.within, 0; i >= 0 && n < maxSearch; i, n = r.page.wrappers[i].within, n+1 {
		if r.page.wrappers[i].name == name {
			return true
		}
	}
	return false
}

// unwrap closes the innermost wrapper with the name, which is open, and those
// within it.
func (r *reader) unwrap(name string) {
	for r.within >= 0 {
		w := r.page.wrappers[r.within]
		r.within, r.depth = w.within, r.depth-1
		if w.name == name {
			return
		}
	}
}
