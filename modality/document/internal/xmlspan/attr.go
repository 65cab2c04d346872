package xmlspan

import (
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Attr is an attribute of an element.
type Attr struct {
	Space, Local string // Space is "" without a prefix
	Value        string

	// Pos and Stop are the byte range of the attribute in the document, including its
	// name and quotes. ValuePos and ValueStop are the range of its value, without the
	// quotes.
	Pos, Stop, ValuePos, ValueStop int
}

type rawAttr struct {
	name, value                    string
	pos, stop, valuePos, valueStop int
}

// rawAttrs yields the attributes of the current Start as written. It stops at anything
// else.
func (s *Scanner) rawAttrs() iter.Seq[rawAttr] {
	return func(yield func(rawAttr) bool) {
		text, at := s.attrs, s.attrPos
		for {
			trimmed := strings.TrimLeft(text, " \t\r\n")
			at += len(text) - len(trimmed)
			text = trimmed
			equals := strings.IndexByte(text, '=')
			if equals < 0 {
				return
			}
			a := rawAttr{name: strings.TrimRight(text[:equals], " \t\r\n"), pos: at}
			rest := strings.TrimLeft(text[equals+1:], " \t\r\n")
			if rest == "" || rest[0] != '"' && rest[0] != '\'' {
				return
			}
			end := strings.IndexByte(rest[1:], rest[0])
			if end < 0 {
				return
			}
			a.value = rest[1 : 1+end]
			a.valuePos = at + len(text) - len(rest) + 1
			a.valueStop = a.valuePos + end
			a.stop = a.valueStop + 1
			if !yield(a) {
				return
			}
			text = rest[end+2:]
			at = a.stop
		}
	}
}

// Attrs yields the attributes of the current Start, except namespace declarations.
func (s *Scanner) Attrs() iter.Seq[Attr] {
	return func(yield func(Attr) bool) {
		for raw := range s.rawAttrs() {
			prefix, local := splitName(raw.name)
			if raw.name == "xmlns" || prefix == "xmlns" {
				continue
			}
			a := Attr{Local: local, Value: Unescape(raw.value), Pos: raw.pos, Stop: raw.stop, ValuePos: raw.valuePos, ValueStop: raw.valueStop}
			if prefix != "" {
				a.Space = s.space(prefix)
			}
			if !yield(a) {
				return
			}
		}
	}
}

// Attr returns the value of an attribute of the current Start. An attribute without a
// prefix has the space "".
func (s *Scanner) Attr(space, local string) (value string, ok bool) {
	if s.Kind != Start || !strings.Contains(s.attrs, local) {
		return "", false
	}
	for a := range s.Attrs() {
		if a.Local == local && a.Space == space {
			return a.Value, true
		}
	}
	return "", false
}

// Get is [Scanner.Attr] without ok.
func (s *Scanner) Get(space, local string) string {
	value, _ := s.Attr(space, local)
	return value
}

// Unescape replaces the five entities of XML and character references. It keeps any
// other reference, and replaces invalid UTF-8 by U+FFFD.
func Unescape(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '&')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		end := strings.IndexByte(s[:min(len(s), 12)], ';')
		if end < 0 {
			b.WriteByte('&')
			s = s[1:]
			continue
		}
		if text, ok := reference(s[1:end]); ok {
			b.WriteString(text)
		} else {
			b.WriteString(s[:end+1])
		}
		s = s[end+1:]
	}
}

func reference(name string) (string, bool) {
	switch name {
	case "amp":
		return "&", true
	case "lt":
		return "<", true
	case "gt":
		return ">", true
	case "quot":
		return `"`, true
	case "apos":
		return "'", true
	}
	number, ok := strings.CutPrefix(name, "#")
	if !ok {
		return "", false
	}
	base := 10
	if hex, ok := strings.CutPrefix(number, "x"); ok {
		number, base = hex, 16
	}
	n, err := strconv.ParseUint(number, base, 32)
	if err != nil || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) || n == 0 {
		return "", false
	}
	return string(rune(n)), true
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// Escape escapes text for an element or an attribute value.
func Escape(text string) string { return escaper.Replace(text) }
