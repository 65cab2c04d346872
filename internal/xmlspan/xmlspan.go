// Package xmlspan reads XML with the place of every element in its bytes, so
// that parts of a document can be taken out, put together and left as they are.
// It reads what office files and books are made of: UTF-8 and UTF-16, no
// document type with definitions of its own, a bounded depth.
package xmlspan

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrMalformed reports what is not well-formed XML.
	ErrMalformed = errors.New("malformed XML")

	// ErrDoctype reports a document type, by which entities could be defined
	// that grow without bounds or name files.
	ErrDoctype = errors.New("XML with a document type")

	// ErrDepth reports elements nested deeper than MaxDepth.
	ErrDepth = errors.New("XML nested too deep")
)

// MaxDepth is how deep elements may be nested.
const MaxDepth = 512

// A Kind is what a token is.
type Kind uint8

// The kinds of tokens. An empty element, as <a/>, gives a Start and an End,
// which then has no bytes of its own.
const (
	Start Kind = iota + 1
	End
	Text // character data or a CDATA section, perhaps a part of it
)

// A Scanner steps through the tokens of a document. Comments, processing
// instructions and the declaration are passed over. The strings it gives are
// parts of the document where they can be.
type Scanner struct {
	Kind Kind

	// Pos and Stop are where the token begins and ends in the document: of a
	// Start or an End the bytes of the tag.
	Pos, Stop int

	// Space and Local name the element of a Start or an End. Space is the
	// namespace as Namespace gives it; of a prefix that is not declared it is
	// the prefix with its colon.
	Space, Local string

	// Depth is how deep the element is, from 1 for the root; of a Text that of
	// the element it is in.
	Depth int

	// Namespace maps the URI of a namespace to what Space says of it; nil
	// leaves it as it is. Set it before the first call of Next.
	Namespace func(uri string) string

	// Doctype allows a document type without definitions of its own, as books
	// have.
	Doctype bool

	data    string
	next    int // where the next token begins
	err     error
	open    []element
	bound   []binding
	attrs   string // those of the Start at hand, raw
	attrPos int    // where they begin
	empty   bool   // the Start at hand is an empty element
	cdata   bool
	rooted  bool // the root has begun

	fragment bool // it has no root
}

type element struct {
	name         string // as written, with its prefix
	space, local string
	bound        int // how many bindings there were before it
	start        int
}

type binding struct{ prefix, space string }

// New returns a scanner of a document in UTF-8; see [Decode] for others.
func New(data string) *Scanner {
	s := &Scanner{data: data}
	if strings.HasPrefix(data, "\ufeff") {
		s.next = len("\ufeff")
	}
	return s
}

// Fragment returns a scanner of the bytes of the document from pos to stop,
// which are whole elements within those that are open now: prefixes mean there
// what they mean here. Its depths count from 1, its offsets as those of s.
func (s *Scanner) Fragment(pos, stop int) *Scanner {
	return &Scanner{
		Namespace: s.Namespace, data: s.data[:stop], next: pos, fragment: true,
		bound: s.bound[:len(s.bound):len(s.bound)],
	}
}

// Err returns what was wrong, once Next has returned false: nil at the end of a
// document. It matches [ErrMalformed], [ErrDoctype] or [ErrDepth] and names no
// more than the offset.
func (s *Scanner) Err() error { return s.err }

func (s *Scanner) fail(err error) bool {
	if s.err == nil {
		s.err = fmt.Errorf("%w at byte %d", err, s.next)
	}
	s.Kind = 0
	return false
}

// Next steps to the next token. It returns false at the end of the document
// and after an error.
func (s *Scanner) Next() bool {
	if s.err != nil {
		return false
	}
	if s.Kind == End {
		s.leave()
	}
	if s.Kind == Start && s.empty {
		return s.closeEmpty()
	}
	for s.next < len(s.data) {
		if s.data[s.next] != '<' {
			if s.text() {
				return true
			}
			continue
		}
		if done, ok := s.markup(); done || !ok {
			return done
		}
	}
	if len(s.open) > 0 {
		return s.fail(fmt.Errorf("%w: it ends within an element", ErrMalformed))
	}
	if !s.rooted && !s.fragment {
		return s.fail(fmt.Errorf("%w: it has no element", ErrMalformed))
	}
	s.Kind = 0
	return false
}

// leave drops the element whose End was given.
func (s *Scanner) leave() {
	last := len(s.open) - 1
	s.bound = s.bound[:s.open[last].bound]
	s.open = s.open[:last]
	s.Depth = last
}

func (s *Scanner) closeEmpty() bool {
	s.Kind, s.Pos, s.Stop = End, s.next, s.next
	return true
}

// text gives character data, but for what is outside of the root.
func (s *Scanner) text() bool {
	end := strings.IndexByte(s.data[s.next:], '<')
	if end < 0 {
		end = len(s.data) - s.next
	}
	s.Pos, s.Stop = s.next, s.next+end
	s.next = s.Stop
	if len(s.open) == 0 {
		return false
	}
	s.Kind, s.cdata, s.Depth = Text, false, len(s.open)
	return true
}

// markup reads what begins with "<". It is done if that is a token, and not ok
// after an error.
func (s *Scanner) markup() (done, ok bool) {
	rest := s.data[s.next:]
	switch {
	case strings.HasPrefix(rest, "</"):
		ok = s.endTag(rest)
		return ok, ok
	case strings.HasPrefix(rest, "<!--"):
		return false, s.pass(rest, "-->", len("<!--"))
	case strings.HasPrefix(rest, "<![CDATA["):
		return s.section(rest)
	case strings.HasPrefix(rest, "<?"):
		return false, s.pass(rest, "?>", len("<?"))
	case strings.HasPrefix(rest, "<!"):
		return false, s.doctype(rest)
	}
	ok = s.startTag(rest)
	return ok, ok
}

func (s *Scanner) pass(rest, end string, from int) bool {
	i := strings.Index(rest[from:], end)
	if i < 0 {
		return s.fail(ErrMalformed)
	}
	s.next += from + i + len(end)
	return true
}

func (s *Scanner) section(rest string) (done, ok bool) {
	end := strings.Index(rest, "]]>")
	if end < 0 || len(s.open) == 0 {
		return false, s.fail(ErrMalformed)
	}
	s.Kind, s.cdata, s.Depth = Text, true, len(s.open)
	s.Pos, s.Stop = s.next, s.next+end+len("]]>")
	s.next = s.Stop
	return true, true
}

func (s *Scanner) doctype(rest string) bool {
	end := tagEnd(rest)
	if !s.Doctype || end < 0 || strings.ContainsRune(rest[:end], '[') || len(s.open) > 0 {
		return s.fail(ErrDoctype)
	}
	s.next += end
	return true
}

// tagEnd returns where the tag that s begins with ends, after its ">", or -1.
func tagEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '>':
			return i + 1
		case '"', '\'':
			end := strings.IndexByte(s[i+1:], s[i])
			if end < 0 {
				return -1
			}
			i += end + 1
		case '<':
			return -1
		}
	}
	return -1
}

func (s *Scanner) startTag(rest string) bool {
	end := tagEnd(rest)
	if end < 0 {
		return s.fail(ErrMalformed)
	}
	inner := rest[1 : end-1]
	s.empty = strings.HasSuffix(inner, "/")
	inner = strings.TrimSuffix(inner, "/")
	name := inner
	if i := strings.IndexAny(inner, " \t\r\n"); i >= 0 {
		name = inner[:i]
	}
	if name == "" || len(s.open) == 0 && s.rooted && !s.fragment {
		return s.fail(ErrMalformed)
	}
	if len(s.open) >= MaxDepth {
		return s.fail(ErrDepth)
	}
	s.rooted = true
	e := element{name: name, bound: len(s.bound), start: s.next}
	s.attrs, s.attrPos = inner[len(name):], s.next+1+len(name)
	if strings.Contains(s.attrs, "xmlns") {
		s.bind()
	}
	prefix, local := splitName(name)
	e.space, e.local = s.space(prefix), local
	s.open = append(s.open, e)
	s.Kind, s.Pos, s.Stop = Start, s.next, s.next+end
	s.Space, s.Local, s.Depth = e.space, local, len(s.open)
	s.next = s.Stop
	return true
}

// splitName returns the prefix of a name and what is behind its colon. A name
// with nothing before its colon, or nothing behind it, has no prefix.
func splitName(name string) (prefix, local string) {
	prefix, local, _ = strings.Cut(name, ":")
	if prefix == "" || local == "" {
		return "", name
	}
	return prefix, local
}

// bind notes the namespaces that the element at hand declares.
func (s *Scanner) bind() {
	for a := range s.rawAttrs() {
		if a.name == "xmlns" {
			s.bound = append(s.bound, binding{"", s.named(a.value)})
		} else if space, prefix := splitName(a.name); space == "xmlns" {
			s.bound = append(s.bound, binding{prefix, s.named(a.value)})
		}
	}
}

func (s *Scanner) named(raw string) string {
	uri := Unescape(raw)
	if s.Namespace != nil {
		return s.Namespace(uri)
	}
	return uri
}

// space returns the namespace of a prefix.
func (s *Scanner) space(prefix string) string {
	for i := len(s.bound) - 1; i >= 0; i-- {
		if s.bound[i].prefix == prefix {
			return s.bound[i].space
		}
	}
	switch prefix {
	case "":
		return ""
	case "xml":
		return "http://www.w3.org/XML/1998/namespace"
	}
	return prefix + ":"
}

func (s *Scanner) endTag(rest string) bool {
	end := strings.IndexByte(rest, '>')
	if end < 0 || len(s.open) == 0 {
		return s.fail(ErrMalformed)
	}
	e := s.open[len(s.open)-1]
	if strings.TrimRight(rest[2:end], " \t\r\n") != e.name {
		return s.fail(fmt.Errorf("%w: an element is not closed", ErrMalformed))
	}
	s.Kind, s.Pos, s.Stop = End, s.next, s.next+end+1
	s.Space, s.Local, s.Depth = e.space, e.local, len(s.open)
	s.empty = false
	s.next = s.Stop
	return true
}

// Is reports whether the token is a tag of the element of a name.
func (s *Scanner) Is(space, local string) bool {
	return s.Local == local && s.Space == space && s.Kind != Text
}

// ElementPos returns where the innermost open element begins: of a Start or an
// End that element itself.
func (s *Scanner) ElementPos() int {
	if len(s.open) == 0 {
		return 0
	}
	return s.open[len(s.open)-1].start
}

// Name returns the name of the element of a Start or an End as it is written,
// with its prefix.
func (s *Scanner) Name() string {
	if len(s.open) == 0 {
		return ""
	}
	return s.open[len(s.open)-1].name
}

// Prefix returns a prefix that stands for a namespace at the place of the token
// at hand; "" if there is none.
func (s *Scanner) Prefix(space string) string {
	for i := len(s.bound) - 1; i >= 0; i-- {
		if b := s.bound[i]; b.space == space && s.space(b.prefix) == space {
			return b.prefix
		}
	}
	return ""
}

// Parent names the element around the one of a Start or an End; it is "" for
// the root.
func (s *Scanner) Parent() (space, local string) {
	if len(s.open) < 2 {
		return "", ""
	}
	e := s.open[len(s.open)-2]
	return e.space, e.local
}

// Element names the innermost open element, with its space and a colon before
// its name: of a Text the one that it is in.
func (s *Scanner) Element() string {
	if len(s.open) == 0 {
		return ""
	}
	e := s.open[len(s.open)-1]
	return e.space + ":" + e.local
}

// Skip steps to the End of the element whose Start is the token at hand. It
// returns false after an error.
func (s *Scanner) Skip() bool {
	depth := s.Depth
	for s.Next() {
		if s.Kind == End && s.Depth == depth {
			return true
		}
	}
	return false
}

// Value returns the characters of a Text.
func (s *Scanner) Value() string {
	raw := s.data[s.Pos:s.Stop]
	if s.cdata {
		return raw[len("<![CDATA[") : len(raw)-len("]]>")]
	}
	return Unescape(raw)
}
