// Package lineform tells by their form what the lines of a text are: prose, headings,
// rows of a table, entries of a log, code, or the times of cues; and it finds the fields
// of comma-separated rows.
package lineform

import (
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/lazyregexp"
)

// A Kind is the kind of a line, by its form.
type Kind uint8

// The kinds of lines.
const (
	Prose Kind = iota
	Blank
	Heading
	Row
	Rule // below the header of a table
	Entry
	Code
	Contents // an entry of a table of contents, with its dots
	Cue      // the time or the number of a cue
)

// A Line is a line of a text, without its end.
type Line struct {
	From, To int // bytes of the text
	Text     string
	Kind     Kind
}

// Of returns the lines of a text with their kinds.
func Of(text string) (lines []Line) {
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i
		}
		lines = append(lines, Line{From: at, To: end, Text: text[at:end]})
		at = end + 1
	}
	cells := delimited(lines)
	for i := range lines {
		lines[i].Kind = kindOf(lines[i].Text, cells)
		if n := i - 1; lines[i].Kind == Cue && n >= 0 && isNumber(lines[n].Text) {
			lines[n].Kind = Cue
		}
	}
	for i := range lines {
		if lines[i].Kind == Heading && (i > 0 && isComment(lines[i-1].Text) || i+1 < len(lines) && isComment(lines[i+1].Text)) {
			lines[i].Kind = Code
		}
	}
	return lines
}

// isComment reports whether a line looks like part of a comment of several
// lines, each beginning with the sign that otherwise marks a heading.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "#" || strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "#!")
}

var (
	stampAhead = lazyregexp.New(`^(?:[\w-]+ )?\[?(\d{4}[-/]\d\d[-/]\d\d[T ]|(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:|\d\d:\d\d:\d\d[ .,])`)
	access     = lazyregexp.New(`^(?:\S+ ){1,5}\[\d\d/(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/\d{4}:\d\d:\d\d:\d\d\b`) // the log of a web server
	ruleOnly   = lazyregexp.New(`^[|\s]*:?-{2,}[-:|\s+=]*$`)
	cueTimes   = lazyregexp.New(`^\s*[\d:.,]+\s+-->\s+[\d:.,]+`)
	leader     = lazyregexp.New(`(?:\s\.){4,}|\.{8,}|(?:\s·){4,}|(?:…\s?){3,}`)
)

func kindOf(text string, cells func(string) bool) Kind {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "" || trimmed == "WEBVTT":
		return Blank
	case strings.Contains(text, "-->") && cueTimes.MatchString(text):
		return Cue
	case strings.Contains(text, "--") && ruleOnly.MatchString(text):
		return Rule
	case mayLead(trimmed) && leader.MatchString(trimmed):
		return Contents
	case isMarkdownHeading(trimmed):
		return Heading
	case mayBeStamp(trimmed) && stampAhead.MatchString(trimmed), strings.Contains(trimmed, " [") && access.MatchString(trimmed):
		return Entry
	case cells(text) || strings.HasPrefix(trimmed, "|") && strings.Count(trimmed, "|") > 2 || isGapped(text):
		return Row
	case isCode(text):
		return Code
	}
	return Prose
}

// mayLead reports whether a line may have dots that lead to a page number.
func mayLead(text string) bool {
	return strings.Contains(text, "....") || strings.Contains(text, ". .") || strings.Contains(text, "·") || strings.Contains(text, "…")
}

// mayBeStamp reports whether a line, or what follows its first word, may begin with a
// time: most lines need no look at the whole form.
func mayBeStamp(text string) bool {
	begins := func(text string) bool {
		text = strings.TrimPrefix(text, "[")
		return text != "" && strings.IndexByte("0123456789JFMASOND", text[0]) >= 0
	}
	_, rest, _ := strings.Cut(text, " ")
	return begins(text) || begins(rest)
}

// isGapped reports whether a line has at least three columns with gaps between them.
func isGapped(text string) bool {
	columns := 0
	for text = strings.TrimSpace(text); text != ""; columns++ {
		at := strings.IndexByte(text, '\t')
		if i := strings.Index(text, "   "); i >= 0 && (at < 0 || i < at) {
			at = i
		}
		if at < 0 {
			return columns >= 2
		}
		text = strings.TrimSpace(text[at:])
	}
	return columns >= 3
}

func isNumber(text string) bool {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	return text != "" && len(text) < 8 && strings.Trim(text, "0123456789") == ""
}

func isMarkdownHeading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	return len(rest) < len(line) && len(line)-len(rest) <= 6 && strings.HasPrefix(rest, " ") && !strings.HasSuffix(rest, ":")
}

// isCode reports whether a line looks like code: it begins like code, or has
// many signs that are rare in prose.
func isCode(text string) bool {
	if beginsCode(strings.TrimLeft(text, "\t\n\f\r ")) {
		return true
	}
	signs := 0
	for _, r := range text {
		if strings.ContainsRune("{}();=<>[]&|\\_*/", r) {
			signs++
		}
	}
	trimmed := strings.TrimSpace(text)
	ends := strings.HasSuffix(trimmed, "{") || strings.HasSuffix(trimmed, ";") && signs > 1 || trimmed == "}"
	return ends || signs >= 4 && signs*6 > len(trimmed)
}

// codeAhead are how lines of code begin.
var codeAhead = []string{"//", "#define", "#include", "#if", "#end", "import ", "package ", "func ", "def ", "class ", "const ", "let ", "var ", "use ", "@", "$ "}

func beginsCode(line string) bool {
	if rest, ok := strings.CutPrefix(line, "return"); ok {
		return rest == "" || rest[0] != '_' && (rest[0] < '0' || rest[0] > '9') && (rest[0]|0x20 < 'a' || rest[0]|0x20 > 'z')
	}
	return slices.ContainsFunc(codeAhead, func(head string) bool { return strings.HasPrefix(line, head) })
}

// delimited finds the lines that are rows of a table with a separator between
// cells: most of all lines must have the same number of separators outside quotation
// marks, at least two, or one tab if there are three such lines.
func delimited(lines []Line) func(string) bool {
	for _, sign := range []byte("\t,;") {
		counts := make(map[int]int)
		filled := 0
		for _, l := range lines {
			if strings.TrimSpace(l.Text) == "" {
				continue
			}
			filled++
			counts[separators(strings.TrimSpace(l.Text), sign)]++
		}
		for n, times := range counts {
			if (n >= 2 && times >= 2 || n == 1 && times >= 3 && sign == '\t') && times*10 >= filled*8 {
				return func(text string) bool { return separators(strings.TrimSpace(text), sign) == n }
			}
		}
	}
	return func(string) bool { return false }
}

// separators counts a sign outside quotation marks.
func separators(text string, sign byte) (n int) {
	quoted := false
	for i := range len(text) {
		switch text[i] {
		case '"':
			quoted = !quoted
		case sign:
			if !quoted {
				n++
			}
		}
	}
	return n
}
