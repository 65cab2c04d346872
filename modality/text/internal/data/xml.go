package data

import (
	"bytes"
	"html"
	"strings"
	"unicode"

	"github.com/citekit/citekit"
)

const (
	maxXMLDepth = 64 << 10
	maxXMLName  = 1 << 10
)

// mapXML maps the elements below the root of a well-formed document. Declared
// entities are neither expanded nor fetched.
func mapXML(r *reader) (*citekit.Draft, error) {
	x := &xmlScanner{r: r, b: newBuilder()}
	if err := x.scan(); err != nil {
		return nil, err
	}
	s := &citekit.Draft{Nodes: x.b.tree(), Method: "keys", Metadata: map[string]any{"format": string(XML), "root": title(x.root)}}
	if r.lines() == 1 {
		s.Nodes = nil
	}
	if len(s.Nodes) > 0 && s.Nodes[0].Type == "rows" {
		s.Method = "rows"
	}
	return s, nil
}

// An xmlScanner scans tags and reports the elements below the root to a builder.
type xmlScanner struct {
	r    *reader
	b    *builder
	open []string // names of the open elements
	root string
	text []byte // beginning of the text in the innermost element
	leaf bool   // whether that has no child elements
}

func (x *xmlScanner) scan() error {
	for {
		if err := x.words(); err != nil {
			return err
		}
		line, offset := x.r.line, x.r.offset()
		if _, ok := x.r.next(); !ok {
			break
		}
		c, ok := x.r.peek()
		var err error
		switch {
		case !ok:
			err = x.cut(line)
		case c == '?':
			err = x.until("?>", nil)
		case c == '!':
			err = x.declaration(line)
		case c == '/':
			err = x.endTag(line)
		default:
			err = x.startTag(line, offset)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case len(x.open) > 0:
		return malformed(x.r.line, "the file ends inside %d elements", len(x.open))
	case x.root == "":
		return malformed(x.r.line, "no element")
	}
	return nil
}

func (x *xmlScanner) cut(line int) error {
	return malformed(line, "the file ends inside the markup that begins here")
}

// words reads text up to the next tag, and keeps it if it may be a title.
func (x *xmlScanner) words() error {
	for part := x.r.rest(); len(part) > 0; part = x.r.rest() {
		n := bytes.IndexByte(part, '<')
		ended := n >= 0
		if !ended {
			n = len(part)
		}
		if len(x.open) == 0 && len(bytes.TrimSpace(part[:n])) > 0 {
			return malformed(x.r.line, "text outside the root element")
		}
		x.keep(part[:n])
		x.r.skip(n)
		if ended {
			return nil
		}
	}
	return nil
}

func (x *xmlScanner) keep(text []byte) {
	if x.leaf && x.b.kept() && len(x.text) < maxCapture {
		x.text = append(x.text, text[:min(len(text), maxCapture-len(x.text))]...)
	}
}

// until skips everything up to the end of the next mark. If keep is not nil, it
// receives the bytes before the mark.
func (x *xmlScanner) until(mark string, keep func([]byte)) error {
	line := x.r.line
	matched := 0
	for c, ok := x.r.next(); ok; c, ok = x.r.next() {
		switch {
		case c == mark[matched]:
			if matched++; matched == len(mark) {
				return nil
			}
		case matched == 2 && c == mark[0] && mark[1] == c: // a third ] or - in a row
		default:
			if keep != nil {
				keep(append([]byte(mark[:matched]), c))
			}
			matched = 0
			if c == mark[0] {
				matched = 1
			}
		}
	}
	return x.cut(line)
}

// declaration skips a comment, a CDATA section, or a document type with all its
// declarations.
func (x *xmlScanner) declaration(line int) error {
	x.r.next()
	c, _ := x.r.peek()
	switch c {
	case '-':
		if !x.accept("--") {
			return malformed(line, "a comment that does not begin with two hyphens")
		}
		return x.until("-->", nil)
	case '[':
		if !x.accept("[CDATA[") || len(x.open) == 0 {
			return malformed(line, "no CDATA section")
		}
		return x.until("]]>", x.keep)
	}
	return x.docType(line)
}

func (x *xmlScanner) accept(word string) bool {
	for i := range len(word) {
		if c, ok := x.r.next(); !ok || c != word[i] {
			return false
		}
	}
	return true
}

// docType skips <!DOCTYPE …> and its internal subset.
func (x *xmlScanner) docType(line int) error {
	if !x.accept("DOCTYPE") || x.root != "" {
		return malformed(line, "a declaration that does not belong here")
	}
	depth := 0
	var quote byte
	for c, ok := x.r.next(); ok; c, ok = x.r.next() {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			if next, _ := x.r.peek(); next == '!' || next == '?' {
				if skipped, err := x.aside(); err != nil {
					return err
				} else if !skipped {
					depth++
				}
			}
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '>' && depth <= 0:
			return nil
		case c == '>' && depth > 1:
			depth--
		}
	}
	return x.cut(line)
}

// aside skips a comment or processing instruction in a document type, if there is
// one. Its first character was read.
func (x *xmlScanner) aside() (bool, error) {
	c, _ := x.r.next()
	if c == '?' {
		return true, x.until("?>", nil)
	}
	if next, _ := x.r.peek(); next != '-' {
		return false, nil
	}
	x.accept("--")
	return true, x.until("-->", nil)
}

// name reads a name.
func (x *xmlScanner) name() (string, error) {
	line := x.r.line
	var name []byte
	for c, ok := x.r.peek(); ok && !isSpace(c) && strings.IndexByte("=/><\"'&", c) < 0; c, ok = x.r.peek() {
		if len(name) == maxXMLName {
			return "", malformed(line, "a name of more than %d bytes", maxXMLName)
		}
		name = append(name, c)
		x.r.pos++
	}
	if len(name) == 0 || name[0] < 'A' && name[0] != ':' {
		return "", malformed(line, "a tag without a name")
	}
	return string(name), nil
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (x *xmlScanner) space() (byte, bool) {
	c, ok := x.r.peek()
	for ; ok && isSpace(c); c, ok = x.r.peek() {
		x.r.next()
	}
	return c, ok
}

func (x *xmlScanner) startTag(line int, offset int64) error {
	name, err := x.name()
	if err != nil {
		return err
	}
	if x.root != "" && len(x.open) == 0 {
		return malformed(line, "a second root element")
	}
	if len(x.open) == maxXMLDepth {
		return malformed(line, "more than %d elements inside each other", maxXMLDepth)
	}
	x.leaf, x.text = true, x.text[:0]
	if x.root == "" {
		x.root = name
	} else {
		x.b.start("element", name, line, offset)
	}
	x.open = append(x.open, name)
	for {
		c, ok := x.space()
		switch {
		case !ok:
			return x.cut(line)
		case c == '>':
			x.r.next()
			return nil
		case c == '/':
			x.r.next()
			if !x.accept(">") {
				return malformed(x.r.line, "a slash inside a tag")
			}
			x.close()
			return nil
		}
		if err := x.attribute(line); err != nil {
			return err
		}
	}
}

// attribute reads a name and its value, which may become the title of the element.
func (x *xmlScanner) attribute(line int) error {
	name, err := x.name()
	if err != nil {
		return err
	}
	if c, _ := x.space(); c != '=' {
		return malformed(x.r.line, "an attribute without a value")
	}
	x.r.next()
	quote, ok := x.space()
	if !ok || quote != '"' && quote != '\'' {
		return malformed(x.r.line, "the value of an attribute without quotes")
	}
	x.r.next()
	rank := 0
	if len(x.open) > 1 && x.b.kept() {
		rank = nameRank(strings.TrimPrefix(name, "xml:"))
	}
	var value []byte
	for c, ok := x.r.next(); ok; c, ok = x.r.next() {
		if c == quote {
			if rank > 0 {
				x.b.name(html.UnescapeString(string(value)), rank)
			}
			return nil
		}
		if rank > 0 && len(value) < maxCapture {
			value = append(value, c)
		}
	}
	return x.cut(line)
}

func (x *xmlScanner) endTag(line int) error {
	x.r.next()
	name, err := x.name()
	if err != nil {
		return err
	}
	if len(x.open) == 0 || name != x.open[len(x.open)-1] {
		return malformed(line, "an end tag that does not match the element that is open")
	}
	if c, _ := x.space(); c != '>' {
		return malformed(line, "an end tag with more than a name")
	}
	x.r.next()
	x.close()
	return nil
}

// close ends the innermost element.
func (x *xmlScanner) close() {
	if len(x.open) > 1 {
		if x.leaf {
			x.b.value(html.UnescapeString(string(x.text)))
		}
		x.b.nameByTitle(x.open[len(x.open)-1])
		x.b.end(x.r.line, x.r.offset())
	}
	x.leaf = false
	x.open = x.open[:len(x.open)-1]
}

// idOf makes a name for an id from a kind and a title.
func idOf(kind, title string) string {
	var b strings.Builder
	gap := true
	for _, r := range title {
		if b.Len() >= 40 {
			break
		}
		if !unicode.In(r, unicode.L, unicode.N, unicode.M) && r != '_' {
			gap = true
			continue
		}
		if gap {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	return bareName(kind) + b.String()
}
