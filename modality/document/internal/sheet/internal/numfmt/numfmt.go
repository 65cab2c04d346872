// Package numfmt formats cell values by the number format codes of spreadsheets
// (ECMA-376, part 1, section 18.8.31), in English and without the padding that only
// aligns columns.
package numfmt

import (
	"strings"
)

// maxCode is how many bytes of a code are read. Codes of real files have at most 255
// characters.
const maxCode = 1024

// A Format is a parsed code. It is safe for concurrent use.
type Format struct {
	sections []section // at least one
	text     *section  // for text; nil means that text is shown unchanged
}

// A section is the part of a code for a range of values.
type section struct {
	tokens []token
	when   condition
	kind   kind

	scale    int  // power of ten that multiplies the value: 2 for a percent sign, -3 for a final comma
	grouped  bool // thousands are separated
	whole    int  // placeholders before the point of a number
	decimals int  // placeholders after the point
	subs     int  // digits after the point of a date's seconds
	clock12  bool
	calendar calendar
}

type kind int

const (
	literal kind = iota
	general
	number
	scientific
	fraction
	date
	text
)

type condition struct {
	op    string // "", "<", "<=", "=", "<>", ">", ">="
	value float64
}

func (c condition) holds(v float64) bool {
	switch c.op {
	case "<":
		return v < c.value
	case "<=":
		return v <= c.value
	case ">":
		return v > c.value
	case ">=":
		return v >= c.value
	case "=":
		return v == c.value
	case "<>":
		return v != c.value
	}
	return true
}

// Parse reads a code. It shows what it does not understand as text. The empty code
// means "General".
func Parse(code string) *Format {
	if code == "" {
		code = "General"
	}
	code = strings.ToValidUTF8(code[:min(len(code), maxCode)], "")
	f := new(Format)
	for i, part := range split(code) {
		s := parseSection(part)
		if i == 3 || s.kind == text {
			f.text = &s
			if i < 3 && len(f.sections) == 0 {
				s := parseSection("General")
				f.sections = append(f.sections, s)
			}
			continue
		}
		if i < 3 {
			f.sections = append(f.sections, s)
		}
	}
	f.setConditions()
	return f
}

// setConditions sets the default conditions if no section has a condition.
func (f *Format) setConditions() {
	for _, s := range f.sections {
		if s.when.op != "" {
			return
		}
	}
	switch len(f.sections) {
	case 2:
		f.sections[0].when = condition{">=", 0}
		f.sections[1].when = condition{"<", 0}
	case 3:
		f.sections[0].when = condition{">", 0}
		f.sections[1].when = condition{"<", 0}
	}
}

// split splits a code at semicolons that are not quoted.
func split(code string) []string {
	var parts []string
	start, quoted, bracket := 0, false, false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case quoted:
			quoted = c != '"'
		case bracket:
			bracket = c != ']'
		case c == '"':
			quoted = true
		case c == '[':
			bracket = true
		case c == '\\' || c == '_' || c == '*':
			i++
		case c == ';':
			parts = append(parts, code[start:i])
			start = i + 1
		}
	}
	return append(parts, code[start:])
}

// IsDate reports whether the format shows numbers as dates or times.
func (f *Format) IsDate() bool { return f.sections[0].kind == date }

// Text formats a text.
func (f *Format) Text(s string) string {
	if f.text == nil {
		return s
	}
	var b strings.Builder
	for _, t := range f.text.tokens {
		switch t.kind {
		case tokenText:
			b.WriteString(s)
		case tokenLiteral:
			b.WriteString(t.text)
		}
	}
	return b.String()
}

// Number formats a number. Dates count days from 1900, or from 1904 if since1904 is
// true.
func (f *Format) Number(v float64, since1904 bool) string {
	s, absolute := f.choose(v)
	if s == nil {
		return General(v)
	}
	switch s.kind {
	case general:
		return s.withLiterals(General(v), absolute && v < 0 && s.when.value == 0)
	case date:
		if shown, ok := s.date(v, since1904); ok {
			return shown
		}
		return General(v)
	case literal:
		if len(s.tokens) > 0 && v < 0 && !absolute {
			return "-" + s.literals()
		}
		return s.literals()
	}
	sign := ""
	if v < 0 {
		v = -v
		if !absolute {
			sign = "-"
		}
	}
	return sign + strings.TrimSpace(s.number(v))
}

// choose returns the section for a number, or nil if there is none. Absolute means that
// the sign is not shown.
func (f *Format) choose(v float64) (chosen *section, absolute bool) {
	for i := range f.sections {
		s := &f.sections[i]
		if s.when.holds(v) {
			return s, s.when.op == "<" && s.when.value <= 0 || s.when.op == "<=" && s.when.value < 0
		}
	}
	return nil, false
}

func (s *section) literals() string {
	var b strings.Builder
	for _, t := range s.tokens {
		if t.kind == tokenLiteral {
			b.WriteString(t.text)
		}
	}
	return strings.TrimSpace(b.String())
}

// withLiterals replaces "General" in a section by a number.
func (s *section) withLiterals(shown string, unsigned bool) string {
	if unsigned {
		shown = strings.TrimPrefix(shown, "-")
	}
	var b strings.Builder
	for _, t := range s.tokens {
		switch t.kind {
		case tokenGeneral:
			b.WriteString(shown)
		case tokenLiteral:
			b.WriteString(t.text)
		}
	}
	return strings.TrimSpace(b.String())
}
