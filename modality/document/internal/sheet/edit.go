package sheet

import (
	"strings"

	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// A child is a child of the root element of a part.
type child struct {
	local string
	raw   string
	pos   int // where it begins in the part
}

// children splits a part into its root start tag with everything before it, the
// children of the root, and the root end tag.
func children(text string) (open, end string, list []child, err error) {
	s := ooxml.Scan(text)
	for s.Next() {
		switch {
		case s.Kind == xmlspan.Start && s.Depth == 1:
			open = text[:s.Stop]
			if strings.HasSuffix(open, "/>") {
				open = open[:len(open)-2] + ">"
				name := rawName(text[s.Pos:s.Stop])
				return open, "</" + name + ">", nil, nil
			}
		case s.Kind == xmlspan.End && s.Depth == 1:
			end = text[s.Pos:s.Stop]
		case s.Kind == xmlspan.Start && s.Depth == 2:
			local, pos := s.Local, s.Pos
			if s.Skip() {
				list = append(list, child{local, text[pos:s.Stop], pos})
			}
		}
	}
	return open, end, list, xmlspan.Known(s.Err())
}

// rawName returns the name of an element as written, including its prefix.
func rawName(raw string) string {
	raw = strings.TrimPrefix(raw, "<")
	if i := strings.IndexAny(raw, " \t\r\n/>"); i >= 0 {
		return raw[:i]
	}
	return raw
}

// prefixOf returns the prefix of an element as written, including the colon.
func prefixOf(raw string) string {
	name := rawName(raw)
	return name[:strings.IndexByte(name, ':')+1]
}

// scan returns a scanner of the element.
func (c child) scan() *xmlspan.Scanner {
	s := xmlspan.New(c.raw)
	s.Namespace = ooxml.Namespace
	return s
}

// without returns an element without some attributes of its start tag. Names are as
// written; ":id" matches any prefix.
func without(raw string, names ...string) string {
	return withAttrs(raw, func(name, _ string) (string, bool) {
		for _, n := range names {
			if name == n || n[0] == ':' && strings.HasSuffix(name, n) {
				return "", false
			}
		}
		return "", true
	})
}

// withAttrs returns an element with changed attributes in its start tag. change
// returns the new value of each, or false to drop it. Values are as written.
func withAttrs(raw string, change func(name, value string) (other string, keep bool)) string {
	name := rawName(raw)
	tag, ok := quotedEnd([]byte(raw))
	if !ok {
		return raw
	}
	attrs := []byte(raw[1+len(name) : tag])
	var b strings.Builder
	b.WriteString(raw[:1+len(name)])
	for at := 0; ; {
		a, next := nextAttr(attrs, at)
		if next < 0 {
			b.Write(attrs[at:])
			break
		}
		at = next
		other, keep := change(string(a.name), string(a.value))
		switch {
		case !keep:
		case other == "":
			b.Write(attrs[a.from:next])
		default:
			b.Write(attrs[a.from:a.valueFrom])
			b.WriteString(other)
			b.Write(attrs[a.valueFrom+len(a.value) : next])
		}
	}
	return b.String() + raw[tag:]
}

// attrOf returns the value of an attribute of an element, with entities resolved. The
// name is as written; ":id" matches any prefix.
func attrOf(raw, name string) string {
	value := ""
	withAttrs(raw, func(n, v string) (string, bool) {
		if n == name || name[0] == ':' && strings.HasSuffix(n, name) {
			value = xmlspan.Unescape(v)
		}
		return "", true
	})
	return value
}

// within returns the children of an element.
func (c child) within() []child {
	s := c.scan()
	var list []child
	for range s.Starts() {
		if s.Depth == 2 {
			local, pos := s.Local, s.Pos
			if s.Skip() {
				list = append(list, child{local: local, raw: c.raw[pos:s.Stop]})
			}
		}
	}
	return list
}

// wrap puts elements into an element with the name of raw and a count attribute; ""
// if the list is empty.
func wrap(raw string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	name := rawName(raw)
	return "<" + name + ` count="` + itoa(len(list)) + `">` + strings.Join(list, "") + "</" + name + ">"
}
