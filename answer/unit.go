package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/sentence"
)

// maxSentence is the maximum length of a sentence, in characters.
const maxSentence = 600

// A unit is a sentence of a passage, or its equivalent: a line of code, a row
// of a table, an entry of a log, cues up to the end of a sentence.
type unit struct {
	from, to int    // bytes of the passage
	text     string // word for word; for cues, without the text between them
	heading  string // the text above it: the heading, or the header of its table
	title    bool   // it is a heading itself, or names one in a table of contents
	row      bool   // of a table, or an entry of a log
	pieces   []string
}

// A lineKind is the kind of a line, by its form.
type lineKind uint8

const (
	proseLine lineKind = iota
	blankLine
	headingLine
	rowLine
	ruleLine // below the header of a table
	entryLine
	codeLine
	contentsLine // an entry of a table of contents, with its dots
	cueLine      // the time or the number of a cue
)

// A line of a passage, without its end.
type line struct {
	from, to int
	text     string
	kind     lineKind
}

// unitsOf returns the sentences of a passage in order. Header is the header of
// the table in which the passage begins, or "".
func unitsOf(text, header string) []unit {
	lines := linesOf(text)
	c := &unitCutter{text: text, header: header, width: usualWidth(lines)}
	for i, l := range lines {
		c.line(l, i+1 < len(lines) && lines[i+1].kind == ruleLine)
	}
	c.flush()
	return c.units
}

// linesOf returns the lines of a text with their kinds.
func linesOf(text string) (lines []line) {
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i
		}
		lines = append(lines, line{from: at, to: end, text: text[at:end]})
		at = end + 1
	}
	cells := delimited(lines)
	for i := range lines {
		lines[i].kind = kindOf(lines[i].text, cells)
		if n := i - 1; lines[i].kind == cueLine && n >= 0 && isNumber(lines[n].text) {
			lines[n].kind = cueLine
		}
	}
	for i := range lines {
		if lines[i].kind == headingLine && (i > 0 && isComment(lines[i-1].text) || i+1 < len(lines) && isComment(lines[i+1].text)) {
			lines[i].kind = codeLine
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
	stampAhead = lazyregexp.New(`^\[?(\d{4}[-/]\d\d[-/]\d\d[T ]|(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:|\d\d:\d\d:\d\d[ .,])`)
	ruleOnly   = lazyregexp.New(`^[|\s]*:?-{2,}[-:|\s+=]*$`)
	cueTimes   = lazyregexp.New(`^\s*[\d:.,]+\s+-->\s+[\d:.,]+`)
	itemAhead  = lazyregexp.New(`^\s*([-*+•·–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s`)
	gapped     = lazyregexp.New(`\S(\s{3,}|\t)\S.*\S(\s{3,}|\t)\S`)
	speaker    = lazyregexp.New(`^<v(?:\.\S*)? ?([^>]*)>`)
	leader     = lazyregexp.New(`(?:\s\.){4,}|\.{8,}|(?:\s·){4,}|(?:…\s?){3,}`)
	codeAhead  = lazyregexp.New(`^\s*(//|#define|#include|#if|#end|import |package |func |def |class |return\b|const |let |var |use |@|\$ )`)
)

func kindOf(text string, cells func(string) bool) lineKind {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "" || trimmed == "WEBVTT":
		return blankLine
	case cueTimes.MatchString(text):
		return cueLine
	case ruleOnly.MatchString(text):
		return ruleLine
	case leader.MatchString(trimmed):
		return contentsLine
	case isMarkdownHeading(trimmed):
		return headingLine
	case stampAhead.MatchString(trimmed):
		return entryLine
	case cells(text) || strings.HasPrefix(trimmed, "|") && strings.Count(trimmed, "|") > 2 || gapped.MatchString(text):
		return rowLine
	case isCode(text):
		return codeLine
	}
	return proseLine
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
	if codeAhead.MatchString(text) {
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

// delimited finds the lines that are rows of a table with a separator between
// cells: at least three lines, and most of all lines, must have the same number
// of separators.
func delimited(lines []line) func(string) bool {
	for _, sign := range []string{"\t", ",", ";"} {
		counts := make(map[int]int)
		filled := 0
		for _, l := range lines {
			if strings.TrimSpace(l.text) == "" {
				continue
			}
			filled++
			counts[strings.Count(l.text, sign)]++
		}
		for n, times := range counts {
			if n >= 2 && times >= 2 && times*10 >= filled*8 {
				return func(text string) bool { return strings.Count(text, sign) == n }
			}
		}
	}
	return func(string) bool { return false }
}

// usualWidth returns the length of the longer lines of prose, in bytes.
func usualWidth(lines []line) int {
	var widths []int
	for _, l := range lines {
		if l.kind == proseLine {
			widths = append(widths, len(strings.TrimSpace(l.text)))
		}
	}
	if len(widths) == 0 {
		return 0
	}
	slices.Sort(widths)
	return widths[len(widths)*9/10]
}

// A unitCutter makes units from lines.
type unitCutter struct {
	text    string
	header  string // of the table, "" outside
	heading string
	width   int
	units   []unit

	open []line // lines of prose, or of cues, not cut yet
	cues bool
}

func (c *unitCutter) line(l line, header bool) {
	switch l.kind {
	case blankLine:
		if !c.cues {
			c.flush()
			c.header = ""
		}
		return
	case cueLine:
		if !c.cues {
			c.flush()
		}
		c.cues = true
		return
	case proseLine:
		if c.cues {
			c.cue(l)
			return
		}
		if len(c.open) > 0 && c.breaks(c.open[len(c.open)-1], l) {
			c.flush()
		}
		c.open = append(c.open, l)
		return
	}
	if c.cues {
		c.cue(l)
		return
	}
	c.flush()
	switch l.kind {
	case headingLine:
		c.heading, c.header = strings.TrimLeft(strings.TrimSpace(l.text), "# "), ""
		c.add(l.from, l.to, unit{title: true})
	case contentsLine:
		c.add(l.from, l.to, unit{title: true})
	case ruleLine:
	case rowLine:
		if header || c.header == "" && !strings.ContainsAny(l.text, "0123456789") {
			c.header = l.text
			c.add(l.from, l.to, unit{title: true})
			return
		}
		c.add(l.from, l.to, unit{row: true})
	case entryLine:
		c.add(l.from, l.to, unit{row: true})
	default:
		c.add(l.from, l.to, unit{})
	}
}

// cue adds a line of a cue. A sentence ends where the next speaker begins.
func (c *unitCutter) cue(l line) {
	if m := speaker.FindStringSubmatch(l.text); m != nil {
		c.flush()
		c.cues, c.heading = true, m[1]
		l.from += len(m[0])
		l.text = l.text[len(m[0]):]
	}
	c.open = append(c.open, l)
}

// breaks reports whether a line of prose does not continue the line before: it
// is an item of a list, or the line before ends early and is not a sentence.
func (c *unitCutter) breaks(before, l line) bool {
	if itemAhead.MatchString(l.text) {
		return true
	}
	above := strings.TrimSpace(before.text)
	r, _ := utf8.DecodeRuneInString(strings.TrimSpace(l.text))
	ends, _ := utf8.DecodeLastRuneInString(above)
	if len(c.open) == 1 && len(above)*10 < c.width*4 && !strings.ContainsRune(".,;:!?", ends) && len(l.text)*10 > c.width*7 {
		return true // a heading
	}
	short := len(above)*10 < c.width*7
	return short && !strings.ContainsRune(",;-–—", ends) && !unicode.IsLower(r)
}

// flush cuts the open lines into sentences.
func (c *unitCutter) flush() {
	open, cues := c.open, c.cues
	c.open, c.cues = nil, false
	if len(open) == 0 {
		return
	}
	if cues {
		c.cut(open)
		return
	}
	from, to := open[0].from, open[len(open)-1].to
	for start, end := range sentence.Split(c.text[from:to]) {
		c.add(from+start, from+end, unit{})
	}
}

// cut cuts cues, whose lines are joined by spaces.
func (c *unitCutter) cut(cues []line) {
	var joined strings.Builder
	var starts []int // in joined, of each line
	for _, l := range cues {
		starts = append(starts, joined.Len())
		joined.WriteString(l.text + "\n")
	}
	text := joined.String()
	at := func(off int) int { // in the passage
		i, found := slices.BinarySearch(starts, off)
		if !found {
			i--
		}
		return cues[i].from + off - starts[i]
	}
	for start, end := range sentence.Split(text) {
		from, to := at(start), at(end-1)+1
		u := unit{text: text[start:end]}
		for _, l := range cues {
			if a, b := max(l.from, from), min(l.to, to); a < b {
				u.pieces = append(u.pieces, c.text[a:b])
			}
		}
		c.add(from, to, u)
	}
}

// add adds a unit of the bytes [from, to), in parts if it is too long.
func (c *unitCutter) add(from, to int, u unit) {
	if u.text == "" {
		trimmed := strings.TrimSpace(c.text[from:to])
		from += strings.Index(c.text[from:to], trimmed)
		to = from + len(trimmed)
	}
	if from >= to {
		return
	}
	u.heading = c.heading
	if u.row && c.header != "" {
		u.heading += "\n" + c.header
	}
	if utf8.RuneCountInString(c.text[from:to]) <= maxSentence || u.text != "" && utf8.RuneCountInString(u.text) <= maxSentence {
		u.from, u.to = from, to
		if u.text == "" {
			u.text = c.text[from:to]
		}
		c.units = append(c.units, u)
		return
	}
	u.text, u.pieces = "", nil
	for from < to {
		end := cutAt(c.text[from:to])
		c.add(from, from+end, u)
		from += end
	}
}

// cutAt returns the length of the first part of a text, in bytes: up to a line
// end, or else up to a space, or else the maximum number of characters.
func cutAt(text string) int {
	n, count := len(text), 0
	for i := range text {
		if count++; count > maxSentence {
			n = i
			break
		}
	}
	if n == len(text) {
		return n
	}
	if i := strings.LastIndexByte(text[:n], '\n'); i > 0 {
		return i + 1
	}
	if i := strings.LastIndexByte(text[:n], ' '); i > 0 {
		return i + 1
	}
	return n
}
