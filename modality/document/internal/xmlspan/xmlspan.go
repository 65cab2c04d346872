// Package xmlspan reads XML with the byte range of every element, so that parts of a
// document can be extracted, combined and kept unchanged. It reads what office files
// and books use: UTF-8 and UTF-16, no document type with its own definitions, and
// bounded depth.
package xmlspan

import (
	"errors"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
)

var (
	// ErrMalformed reports input that is not well-formed XML.
	ErrMalformed = errors.New("malformed XML")

	// ErrDoctype reports a document type. It could define entities that grow without
	// bounds or refer to files.
	ErrDoctype = errors.New("XML with a document type")

	// ErrDepth reports elements nested deeper than MaxDepth.
	ErrDepth = errors.New("XML nested too deep")
)

// Known makes an error of this package match [citekit.ErrTooLarge] if the XML is nested
// too deeply, and [citekit.ErrFormat] otherwise.
func Known(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrDepth):
		return fmt.Errorf("%w: %w", err, citekit.ErrTooLarge)
	}
	return fmt.Errorf("%w: %w", err, citekit.ErrFormat)
}

// MaxDepth is the maximum depth of elements.
const MaxDepth = 512

// A Kind is the kind of a token.
type Kind uint8

// The kinds of tokens. An empty element such as <a/> gives a Start, and an End without
// bytes.
const (
	Start Kind = iota + 1
	End
	Text // character data or a CDATA section, or a part of it
)

// A Scanner steps through the tokens of a document. It skips comments, processing
// instructions and the declaration. Its strings share the memory of the document where
// possible.
type Scanner struct {
	Kind Kind

	// Pos and Stop are the byte range of the token; for a Start or an End, of the tag.
	Pos, Stop int

	// Space and Local name the element of a Start or an End. Space is the namespace, as
	// Namespace maps it. For an undeclared prefix it is the prefix with its colon.
	Space, Local string

	// Depth is the depth of the element, from 1 for the root; for a Text, of the
	// element that contains it.
	Depth int

	// Namespace maps the URI of a namespace to the value for Space; nil keeps the URI.
	// Set it before the first call of Next.
	Namespace func(uri string) string

	// Doctype allows a document type without its own definitions, which books have.
	Doctype bool

	data    string
	next    int // offset of the next token
	err     error
	open    []element
	bound   []binding
	attrs   string // of the current Start, raw
	attrPos int    // offset of attrs
	empty   bool   // the current Start is an empty element
	cdata   bool
	rooted  bool // the root has begun

	fragment bool // there is no root
}

type element struct {
	name         string // as written, with its prefix
	space, local string
	bound        int // number of bindings before it
	start        int
}

type binding struct{ prefix, space string }

// New returns a scanner for a document in UTF-8; see [Decode] for other encodings.
func New(data string) *Scanner {
	s := &Scanner{data: data}
	if strings.HasPrefix(data, "\ufeff") {
		s.next = len("\ufeff")
	}
	return s
}

// Fragment returns a scanner for the bytes of the document from pos to stop, which must
// be whole elements inside the currently open ones. Prefixes keep their meaning. Depths
// count from 1; offsets are those of s.
func (s *Scanner) Fragment(pos, stop int) *Scanner {
	return &Scanner{
		Namespace: s.Namespace, data: s.data[:stop], next: pos, fragment: true,
		bound: s.bound[:len(s.bound):len(s.bound)],
	}
}

// Err returns the error that ended scanning, or nil at the end of the document. It
// matches [ErrMalformed], [ErrDoctype] or [ErrDepth], and mentions nothing of the
// document except the offset.
func (s *Scanner) Err() error { return s.err }

func (s *Scanner) fail(err error) bool {
	if s.err == nil {
		s.err = fmt.Errorf("%w at byte %d", err, s.next)
	}
	s.Kind = 0
	return false
}

// Next advances to the next token. It returns false at the end and after an error.
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

// leave closes the element whose End was returned.
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

// text returns character data, except outside the root.
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

// markup reads markup that begins with "<". Done is true if it is a token; ok is false
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

// tagEnd returns the offset after the ">" of the tag at the start of s, or -1.
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

// splitName splits a name at its colon. A name with nothing before or after the colon
// has no prefix.
func splitName(name string) (prefix, local string) {
	prefix, local, _ = strings.Cut(name, ":")
	if prefix == "" || local == "" {
		return "", name
	}
	return prefix, local
}

// bind records the namespaces that the current element declares.
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

// Is reports whether the token is a tag of the named element.
func (s *Scanner) Is(space, local string) bool {
	return s.Local == local && s.Space == space && s.Kind != Text
}

// ElementPos returns the offset of the innermost open element; for a Start or an End,
// of that element.
func (s *Scanner) ElementPos() int {
	if len(s.open) == 0 {
		return 0
	}
	return s.open[len(s.open)-1].start
}

// Name returns the name of the element of a Start or an End as written, with its
// prefix.
func (s *Scanner) Name() string {
	if len(s.open) == 0 {
		return ""
	}
	return s.open[len(s.open)-1].name
}

// Prefix returns a prefix for a namespace that is in scope at the current token, or "".
func (s *Scanner) Prefix(space string) string {
	for i := len(s.bound) - 1; i >= 0; i-- {
		if b := s.bound[i]; b.space == space && s.space(b.prefix) == space {
			return b.prefix
		}
	}
	return ""
}

// Parent names the parent of the element of a Start or an End; "" for the root.
func (s *Scanner) Parent() (space, local string) {
	if len(s.open) < 2 {
		return "", ""
	}
	e := s.open[len(s.open)-2]
	return e.space, e.local
}

// Element returns the name of the innermost open element, preceded by its space and a
// colon; for a Text, of the element that contains it.
func (s *Scanner) Element() string {
	if len(s.open) == 0 {
		return ""
	}
	e := s.open[len(s.open)-1]
	return e.space + ":" + e.local
}

// Drop returns the edit that removes the element whose Start is the current token, and
// advances to its End.
func (s *Scanner) Drop() Edit {
	pos := s.Pos
	s.Skip()
	return Edit{Pos: pos, Stop: s.Stop}
}

// Skip advances to the End of the element whose Start is the current token. It returns
// false after an error.
func (s *Scanner) Skip() bool {
	depth := s.Depth
	for s.Next() {
		if s.Kind == End && s.Depth == depth {
			return true
		}
	}
	return false
}

// Starts steps to each Start within the element whose Start is the current token, or in
// all of the document before the first token. It ends at the End of the element, or
// after an error. The loop may read on itself, such as with Skip.
func (s *Scanner) Starts() func(yield func() bool) {
	return func(yield func() bool) {
		depth := s.Depth
		for s.Next() && (s.Kind != End || s.Depth != depth) {
			if s.Kind == Start && !yield() {
				return
			}
		}
	}
}

// Chars returns the characters of the element whose Start is the current token, and
// steps to its End.
func (s *Scanner) Chars() string {
	var first string
	var all strings.Builder // unless there is only first
	depth := s.Depth
	for s.Next() && (s.Kind != End || s.Depth != depth) {
		switch {
		case s.Kind != Text:
		case first == "":
			first = s.Value()
		default:
			if all.Len() == 0 {
				all.WriteString(first)
			}
			all.WriteString(s.Value())
		}
	}
	if all.Len() == 0 {
		return first
	}
	return all.String()
}

// Value returns the characters of a Text.
func (s *Scanner) Value() string {
	raw := s.data[s.Pos:s.Stop]
	if s.cdata {
		return raw[len("<![CDATA[") : len(raw)-len("]]>")]
	}
	return Unescape(raw)
}
