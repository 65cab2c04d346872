package markup

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/util"

	"github.com/citekit/citekit/modality/text/internal/linkset"
)

// maxBackticks bounds the run of backticks that begins code.
const maxBackticks = 80

// maxOpenBrackets bounds the brackets that wait for their closing bracket.
// Further opening brackets are text.
const maxOpenBrackets = 10_000

// An mdScanner finds the links in one text, by the method of appendix A of the
// CommonMark specification: opening brackets wait on a stack until the text
// after their closing bracket shows what they are. It takes time proportional
// to the text, because a failed search is never repeated.
type mdScanner struct {
	*mdLinker
	text []byte
	at   int
	line int // line number of at

	brackets []mdBracket
	uris     []mdURI
	last     int             // end of the latest URI or link, after which prose continues
	missing  map[string]bool // strings that do not occur in the rest of the text
}

// An mdBracket is an opening bracket.
type mdBracket struct {
	start    int // start of its text
	line     int
	image    bool
	inactive bool // it encloses a link, so it cannot be a link itself
	opened   bool // another bracket was opened after it
}

func (s *mdScanner) scan() {
	if !bytes.ContainsAny(s.text, "[<:") {
		return
	}
	s.missing = map[string]bool{}
	defer s.addURIs()
	for s.at < len(s.text) {
		n := bytes.IndexAny(s.text[s.at:], "\\`<![]\n:")
		if n < 0 {
			return
		}
		s.at += n
		s.mark(s.text[s.at])
	}
}

// mark reads the character at the cursor, which may begin markup.
func (s *mdScanner) mark(c byte) {
	switch c {
	case '\n':
		s.line++
		s.at++
	case '\\':
		s.at = min(s.at+1, len(s.text))
		if s.at < len(s.text) && isPunct(s.text[s.at]) {
			s.at++
		}
	case '`':
		s.code()
	case '<':
		s.angle()
	case '!':
		s.at++
		if s.at < len(s.text) && s.text[s.at] == '[' {
			s.open(true)
		}
	case '[':
		s.open(false)
	case ']':
		s.close()
	case ':':
		s.uri()
	}
}

// pass moves forward to offset to.
func (s *mdScanner) pass(to int) {
	s.line += bytes.Count(s.text[s.at:to], []byte("\n"))
	s.at = to
}

// find returns the first offset of text at or after from, or -1. A failed
// search is not repeated.
func (s *mdScanner) find(from int, text string) int {
	if s.missing[text] || from > len(s.text) {
		return -1
	}
	n := bytes.Index(s.text[from:], []byte(text))
	if n < 0 {
		s.missing[text] = true
		return -1
	}
	return from + n
}

// code skips code, or backticks that begin none.
func (s *mdScanner) code() {
	length := runLength(s.text[s.at:])
	end := s.at + length
	key := "`" + strings.Repeat("`", min(length, maxBackticks))
	if length <= maxBackticks && !s.missing[key] {
		for i := end; i < len(s.text); {
			n := bytes.IndexByte(s.text[i:], '`')
			if n < 0 {
				break
			}
			i += n
			run := runLength(s.text[i:])
			if i += run; run == length {
				s.pass(i)
				return
			}
		}
		s.missing[key] = true
	}
	s.at = end
}

// angle reads a URI in angle brackets, or skips an HTML tag.
func (s *mdScanner) angle() {
	if end := autolinkEnd(s.text[s.at:]); end > 0 {
		target := string(s.text[s.at+1 : s.at+end-1])
		if !strings.Contains(target[:min(len(target), 33)], ":") {
			target = "mailto:" + target
		}
		s.set.Add(s.line, s.line, linkset.Hyperlink, "", target)
		s.at += end
		s.last = s.at
		return
	}
	end := s.tagEnd()
	if end == 0 {
		s.at++
		return
	}
	s.tag(end)
	s.pass(end)
	s.last = s.at
}

// autolinkEnd returns the length of the URI or mail address in angle brackets
// at the start of text, or 0 (CommonMark 6.5).
func autolinkEnd(text []byte) int {
	i := 1
	for i < len(text) && (isSchemeByte(text[i]) && (i > 1 || isLetter(text[i]))) {
		i++
	}
	if i < len(text) && text[i] == ':' && i >= 3 && i <= 33 {
		for i++; i < len(text) && text[i] > ' ' && text[i] != 0x7f && text[i] != '<' && text[i] != '>'; {
			i++
		}
		if i < len(text) && text[i] == '>' {
			return i + 1
		}
		return 0
	}
	return mailEnd(text)
}

const mailBytes = "!#$%&'*+/=?^_`{|}~-."

// mailEnd is autolinkEnd for mail addresses.
func mailEnd(text []byte) int {
	i := 1
	for i < len(text) && (isAlnum(text[i]) || strings.IndexByte(mailBytes, text[i]) >= 0) {
		i++
	}
	if i == 1 || i >= len(text) || text[i] != '@' {
		return 0
	}
	label := i + 1
	for i++; i < len(text) && (isAlnum(text[i]) || text[i] == '-' || text[i] == '.'); i++ {
		if text[i] != '.' {
			continue
		}
		if i == label || text[i-1] == '-' {
			return 0
		}
		label = i + 1
	}
	if i >= len(text) || text[i] != '>' || i == label || text[i-1] == '-' || i-label > 63 {
		return 0
	}
	return i + 1
}

// tagEnd returns the end of the HTML at the cursor, or 0 if there is none
// (CommonMark 6.6).
func (s *mdScanner) tagEnd() int {
	rest := s.text[s.at:]
	for _, pair := range [][2]string{{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}} {
		if bytes.HasPrefix(rest, []byte(pair[0])) {
			if end := s.find(s.at+2, pair[1]); end >= 0 {
				return end + len(pair[1])
			}
			return 0
		}
	}
	switch {
	case len(rest) < 3:
		return 0
	case rest[1] == '!' && isLetter(rest[2]):
		return s.find(s.at, ">") + 1
	case rest[1] == '/' && isLetter(rest[2]):
		end := bytes.TrimLeft(bytes.TrimLeft(rest[2:], tagName), " \t\n")
		if len(end) > 0 && end[0] == '>' {
			return len(s.text) - len(end) + 1
		}
	case isLetter(rest[1]):
		return s.openTagEnd(bytes.TrimLeft(rest[1:], tagName))
	}
	return 0
}

// openTagEnd returns the end of the tag whose attributes are at the start of
// rest.
func (s *mdScanner) openTagEnd(rest []byte) int {
	for {
		t := bytes.TrimLeft(rest, " \t\n")
		if bytes.HasPrefix(t, []byte("/>")) || bytes.HasPrefix(t, []byte(">")) {
			return len(s.text) - len(t) + 1 + bytes.IndexByte(t, '>')
		}
		if len(t) == len(rest) || len(t) == 0 || !isLetter(t[0]) && t[0] != '_' && t[0] != ':' {
			return 0
		}
		rest = bytes.TrimLeft(t, attributeName)
		value := bytes.TrimLeft(rest, " \t\n")
		if len(value) == 0 || value[0] != '=' {
			continue
		}
		value = bytes.TrimLeft(value[1:], " \t\n")
		if len(value) > 0 && (value[0] == '"' || value[0] == '\'') && s.missing["\""+string(value[:1])] {
			return 0
		}
		after, ok := cutValue(value)
		if !ok {
			if len(value) > 0 {
				s.missing["\""+string(value[:1])] = true
			}
			return 0
		}
		rest = after
		if len(rest) > 0 && rest[0] == '\n' {
			continue
		}
	}
}

// tag finds the link in the tag between the cursor and end.
func (s *mdScanner) tag(end int) {
	name := bytes.ToLower(s.text[s.at+1 : min(s.at+8, end)])
	if !s.onlyMarked && !bytes.HasPrefix(name, []byte("/")) {
		addTagLinks(s.text[s.at:end], s.line, s.line+bytes.Count(s.text[s.at:end], []byte("\n")), s.set)
	}
}

// open reads an opening bracket.
func (s *mdScanner) open(image bool) {
	if n := len(s.brackets); n > 0 {
		s.brackets[n-1].opened = true
	}
	s.at++
	if len(s.brackets) >= maxOpenBrackets {
		return
	}
	s.brackets = append(s.brackets, mdBracket{start: s.at, line: s.line, image: image})
}

// close reads a closing bracket and the target after it.
func (s *mdScanner) close() {
	end := s.at
	s.at++
	if len(s.brackets) == 0 {
		return
	}
	b := s.brackets[len(s.brackets)-1]
	s.brackets = s.brackets[:len(s.brackets)-1]
	if b.inactive {
		return
	}
	target, after, ok := s.target(b, end)
	if !ok {
		return
	}
	text := string(s.text[b.start:min(end, b.start+maxMarkdown)])
	kind := linkset.Hyperlink
	if b.image {
		kind = linkset.Image
	}
	s.pass(after)
	s.last = s.at
	s.dropURIs(b.start)
	s.set.Add(b.line, s.line, kind, s.inliner.text(text, true), target)
	if !b.image {
		s.deactivate()
	}
}

// deactivate marks the brackets around a link, which cannot be links.
func (s *mdScanner) deactivate() {
	for i := len(s.brackets) - 1; i >= 0; i-- {
		if b := &s.brackets[i]; !b.image {
			if b.inactive {
				return
			}
			b.inactive = true
		}
	}
}

// target returns the destination of the link or image whose text runs from b to
// the closing bracket at end, and the offset after it.
func (s *mdScanner) target(b mdBracket, end int) (target string, after int, ok bool) {
	after = end + 1
	if after < len(s.text) && s.text[after] == '(' {
		if target, after, ok := s.inlineTarget(after + 1); ok {
			return target, after, true
		}
	}
	label := s.text[b.start:end]
	if n := labelLength(s.text[after:]); n > 0 {
		label = s.text[after+1 : after+n-1]
		after += n
	} else {
		if b.opened || len(label) > maxLabel {
			return "", 0, false
		}
		if bytes.HasPrefix(s.text[after:], []byte("[]")) {
			after += 2
		}
	}
	if len(label) > 0 && label[0] == '^' { // a footnote
		return "", 0, false
	}
	target, ok = s.refs[util.ToLinkReference(label)]
	return target, after, ok
}

// inlineTarget reads a destination and a title starting at i (CommonMark 6.3).
func (s *mdScanner) inlineTarget(i int) (target string, after int, ok bool) {
	rest := bytes.TrimLeft(s.text[i:], " \t\n")
	size := inlineLength(rest)
	if size < 0 {
		return "", 0, false
	}
	written := string(rest[:size])
	spaced := bytes.TrimLeft(rest[size:], " \t\n")
	if len(spaced) > 0 && spaced[0] != ')' && len(spaced) < len(rest)-size {
		spaced = s.cutInlineTitle(spaced)
	}
	if len(spaced) == 0 || spaced[0] != ')' {
		return "", 0, false
	}
	return mdDestination(written), len(s.text) - len(spaced) + 1, true
}

// inlineLength returns the length of the destination at the start of text,
// which may be empty, or -1 if there is none.
func inlineLength(text []byte) int {
	if len(text) > 0 && text[0] == '<' {
		if n := bracketedLength(text); n > 0 {
			return n
		}
		return -1
	}
	n, depth := plainDestination(text)
	if depth > 0 {
		return -1
	}
	return n // at the parenthesis that closes the link, if depth is -1
}

// cutInlineTitle returns the text after white space and the title at the start
// of text, or nil if there is no title.
func (s *mdScanner) cutInlineTitle(text []byte) []byte {
	open, end := text[0], text[0]
	switch open {
	case '(':
		end = ')'
	case '"', '\'':
	default:
		return nil
	}
	key := "title" + string(end)
	if s.missing[key] {
		return nil
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case end:
			return bytes.TrimLeft(text[i+1:], " \t\n")
		case open:
			return nil
		}
	}
	s.missing[key] = true
	return nil
}

// uri reads a URI in prose whose colon is at the cursor.
func (s *mdScanner) uri() {
	colon := s.at
	s.at++
	if s.onlyMarked || !bytes.HasPrefix(s.text[colon:], []byte("://")) {
		return
	}
	start, end := uriAt(s.text[:min(len(s.text), colon+maxTargetBytes)], s.last, colon)
	if end == 0 {
		return
	}
	s.uris = append(s.uris, mdURI{start, end, s.line})
	s.at, s.last = end, end
}

// maxTargetBytes is how many bytes of a text are searched for a URI.
const maxTargetBytes = 5 << 10

// An mdURI is a URI in prose.
type mdURI struct{ start, end, line int }

// dropURIs drops the URIs inside the text of a link.
func (s *mdScanner) dropURIs(from int) {
	for n := len(s.uris); n > 0 && s.uris[n-1].start >= from; n = len(s.uris) {
		s.uris = s.uris[:n-1]
	}
}

// addURIs adds the URIs in prose.
func (s *mdScanner) addURIs() {
	for _, u := range s.uris {
		s.set.Add(u.line, u.line, linkset.Hyperlink, "", string(s.text[u.start:u.end]))
	}
}
