package sheet

import (
	"strings"

	"github.com/citekit/citekit/internal/ooxml"
	"github.com/citekit/citekit/internal/xmlspan"
)

// A child is an element below the root of a part.
type child struct {
	local string
	raw   string
	pos   int // where it begins in the part
}

// children returns the tag of the root of a part, with what stands before it,
// its end tag, and the elements below it.
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
	return open, end, list, ooxml.KnownXML(s.Err())
}

// rawName returns the name of an element as it is written, with its prefix.
func rawName(raw string) string {
	raw = strings.TrimPrefix(raw, "<")
	if i := strings.IndexAny(raw, " \t\r\n/>"); i >= 0 {
		return raw[:i]
	}
	return raw
}

// prefixOf returns the prefix of an element as it is written, with its colon.
func prefixOf(raw string) string {
	name := rawName(raw)
	return name[:strings.IndexByte(name, ':')+1]
}

// bound returns an element with the declarations of the part that it is from,
// so that it can be read alone.
func (c child) scan() *xmlspan.Scanner {
	s := xmlspan.New(c.raw)
	s.Namespace = ooxml.Namespace
	return s
}

// without returns an element without some attributes of its tag, which are named
// as they are written; ":id" is one with any prefix.
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

// withAttrs returns an element without the attributes of its tag that change does
// not keep, and with the other values that change returns. Values are as they are
// written.
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

// attrOf returns the value of an attribute of an element, as it is written but
// for entities. The name is as it is written; ":id" is one with any prefix.
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

// within returns the elements directly below an element.
func (c child) within() []child {
	s := c.scan()
	var list []child
	for s.Next() {
		if s.Kind == xmlspan.Start && s.Depth == 2 {
			local, pos := s.Local, s.Pos
			if s.Skip() {
				list = append(list, child{local: local, raw: c.raw[pos:s.Stop]})
			}
		}
	}
	return list
}

// wrap puts elements into one with the name of another, and their number.
func wrap(raw string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	name := rawName(raw)
	return "<" + name + ` count="` + itoa(len(list)) + `">` + strings.Join(list, "") + "</" + name + ">"
}
