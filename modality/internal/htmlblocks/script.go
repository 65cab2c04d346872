package htmlblocks

import "strings"

// A Script says where text stands: on the line, above it or below it.
type Script int8

const (
	OnLine Script = iota
	Above
	Below
)

// Write returns text with the numbers in it as they are written there, so that 10² is not
// 102, and 10₂ neither. Other words, as in 1st, are returned as they are. A part of a power
// that has no such characters is written behind a ^, as in 10^2.5.
func (s Script) Write(text string) string {
	if s == OnLine {
		return text
	}
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(text, isSpace) {
		i := strings.Index(text, word)
		b.WriteString(text[:i] + s.word(word))
		text = text[i+len(word):]
	}
	return b.String() + text
}

var (
	above = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹", "+", "⁺", "-", "⁻", "−", "⁻")
	below = strings.NewReplacer("0", "₀", "1", "₁", "2", "₂", "3", "₃", "4", "₄", "5", "₅", "6", "₆", "7", "₇", "8", "₈", "9", "₉", "+", "₊", "-", "₋", "−", "₋")
)

const (
	digits = "0123456789"
	signs  = "+-−"
	dashes = "–‐‑" // by which some write a minus
)

func (s Script) word(word string) string {
	core := strings.TrimRight(word, ".,;:!?)")
	word, end := core, word[len(core):]
	if number := strings.TrimLeft(word, dashes); len(word)-len(number) == len("–") && number != "" && strings.Contains(digits, number[:1]) {
		word = "−" + number
	}
	number := strings.TrimLeft(word, signs)
	switch bare := strings.TrimLeft(number, ".,/"); {
	case s == OnLine, len(word)-len(number) > len("−"), number != "" && (bare == "" || !strings.Contains(digits, bare[:1])):
		return word + end
	case s == Below:
		return below.Replace(word) + end
	case strings.Trim(number, digits+signs+",;–") == "":
		return above.Replace(word) + end
	}
	return "^" + grouped(word) + end
}

// Power returns the power of a formula: as [Script.Write] writes numbers, else behind a ^.
func Power(text string) string { return script(Above, "^", text) }

// Index returns the index of a formula, likewise.
func Index(text string) string { return script(Below, "_", text) }

func script(s Script, sign, text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.Trim(strings.TrimLeft(text, signs), digits) == "" {
		return s.Write(text)
	}
	return sign + grouped(text)
}

// Fraction returns a fraction of a formula with a slash, so that ½ is not 12.
func Fraction(above, below string) string { return grouped(above) + "/" + grouped(below) }

// Base returns what a power or an index of a formula stands behind.
func Base(text string) string {
	if text = strings.TrimSpace(text); strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		return text
	}
	return grouped(text)
}

// Root returns the root of text in a formula; by is "" for the square root.
func Root(by, text string) string {
	if by = strings.TrimSpace(by); by != "" {
		if by = Power(by); by[0] == '^' {
			by = by[1:]
		}
	}
	return by + "√" + grouped(text)
}

// grouped returns a part of a formula in parentheses if it has several members.
func grouped(text string) string {
	if text = strings.TrimSpace(text); strings.ContainsAny(text, " +-−±·×/=<>≤≥→") {
		return "(" + text + ")"
	}
	return text
}

// A Strike writes text that is struck out between ~~ and ~~, so that it is not read as what
// the text says.
type Strike struct {
	open bool
	tail string // white space that is not written yet
}

// Write writes the next text.
func (s *Strike) Write(out *strings.Builder, text string, struck bool) {
	if !struck {
		s.End(out)
		out.WriteString(text)
		return
	}
	core := strings.TrimFunc(text, isSpace)
	if core == "" {
		s.space(out, text)
		return
	}
	i := strings.Index(text, core)
	s.space(out, text[:i])
	if !s.open {
		out.WriteString("~~")
	}
	out.WriteString(s.tail + core)
	s.open, s.tail = true, text[i+len(core):]
}

// maxTail bounds the work on white space that comes in many pieces.
const maxTail = 1 << 10

func (s *Strike) space(out *strings.Builder, text string) {
	if !s.open {
		out.WriteString(text)
		return
	}
	if s.tail += text; len(s.tail) > maxTail {
		out.WriteString(s.tail)
		s.tail = ""
	}
}

// End ends what is struck out.
func (s *Strike) End(out *strings.Builder) {
	if s.open {
		out.WriteString("~~" + s.tail)
	}
	*s = Strike{}
}
