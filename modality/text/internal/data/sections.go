package data

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/sentence"
)

const (
	minSections  = 3
	minClauses   = 4 // fewest sections without titles
	clauseLines  = 6 // average lines of such a section, at least
	maxSections  = 5_000
	maxTitleLine = 80 // most bytes of a title after its number
	maxTries     = 64 // most candidates for the first section
)

// MapSections finds the numbered sections of a plain text: "1. Scope", "1.2 Terms",
// "Section 4", "Article IV", "§ 5", "II. Method", "Appendix A". Their numbers define
// the nesting. The nodes are nil if there are no sections; a list has numbers too,
// but no text below them.
func MapSections(ctx context.Context, text []byte) (*citekit.Draft, error) {
	s := &citekit.Draft{Method: "sections"}
	if markerOf(text) != nil {
		return s, nil // manual pages, mailboxes and diffs have their own parts
	}
	lines := bytes.Split(text, []byte("\n"))
	if n := len(lines); len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	d := &numberedDoc{lines: lines}
	d.find()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	heads := d.chosen()
	if len(heads) == 0 || len(heads) > maxSections {
		return s, nil
	}
	s.Metadata = map[string]any{"format": string(Prose)}
	s.Title = titleAbove(text)
	s.Nodes = d.nodes(heads)
	return s, nil
}

// A numberedDoc is a text split into lines.
type numberedDoc struct {
	lines [][]byte
	found []numberedHead
}

// A numberedHead is a line that may begin a section.
type numberedHead struct {
	line   int // from 0
	style  int // index of numberStyles
	number []int
	indent int
	titled bool // whether its title has a line of its own
}

// level returns how deep the section is: by its style, then by its number.
func (h numberedHead) level() int { return 8*h.style + len(h.number) }

// numberStyles are the ways to number sections, highest first. The first group is the
// number, the second the title.
var numberStyles = []*lazyregexp.Regexp{
	lazyregexp.New(`^(?i:part)\s+([IVXLC]+|\d{1,3}|[A-Z])\b[.:]?\s*[-–—]?\s*(.*)$`),
	lazyregexp.New(`^(?i:chapter|title)\s+([IVXLC]+|\d{1,3})\b[.:]?\s*[-–—]?\s*(.*)$`),
	lazyregexp.New(`^(?i:article|clause)\s+([IVXLC]+|\d{1,3})\b[.:]?\s*[-–—]?\s*(.*)$`),
	lazyregexp.New(`^(?i:section|sec\.)\s+([IVXLC]+|\d{1,3}(?:\.\d{1,3}){0,4})\b[.:]?\s*[-–—]?\s*(.*)$`),
	lazyregexp.New(`^§+\s*(\d{1,4}(?:\.\d{1,3}){0,4})[.:]?\s*[-–—]?\s*(.*)$`),
	lazyregexp.New(`^([IVXLC]+)[.)]\s+(.*)$`),
	lazyregexp.New(`^(\d{1,3}(?:\.\d{1,3}){0,5})[.)]?\s+[-–—]?\s*(.*)$`),
	lazyregexp.New(`^([A-Z](?:\.\d{1,3}){0,4})[.)]\s+(.*)$`),
}

const (
	styleRoman   = 5
	styleDecimal = 6
	styleLetter  = 7
)

// appendices have their own level, the highest.
var appendices = lazyregexp.New(`^(?i:appendix|annex|exhibit|schedule)\s+([A-Z]|[IVXLC]+|\d{1,2})\b[.:]?\s*[-–—]?\s*(.*)$`)

// leaders match the text after a title in a table of contents.
var leaders = lazyregexp.New(`(?:\.\s?){4,}|\s{3,}\S*\d+\s*$`)

// find finds all lines that might begin a section.
func (d *numberedDoc) find() {
	for i, line := range d.lines {
		trimmed := unboxed(line)
		if len(trimmed) == 0 || len(line) > 4*maxTitleLine || i > 0 && !d.parts(i-1) {
			continue
		}
		for style, expression := range numberStyles {
			if m := expression.FindSubmatch(trimmed); m != nil {
				d.add(i, style, m[1], m[2])
				break
			}
		}
	}
}

// parts reports whether the line at i separates a heading from the text before it: it
// is blank or a rule.
func (d *numberedDoc) parts(i int) bool {
	line := unboxed(d.lines[i])
	return len(line) == 0 || isRule(line)
}

// unboxed returns a line without the sides of a box.
func unboxed(line []byte) []byte { return bytes.Trim(line, " \t*|") }

// add adds the line at i if it can be a heading.
func (d *numberedDoc) add(i, style int, number, title []byte) {
	if leaders.Match(title) || leaders.Match(d.lines[i]) && style >= styleRoman {
		return
	}
	h := numberedHead{line: i, style: style, indent: indentOf(d.lines[i]), number: numberOf(string(number))}
	if h.number == nil {
		return
	}
	first := firstRune(title)
	named := len(title) == 0 && style < styleRoman
	if !named && !unicode.IsUpper(first) && !unicode.Is(unicode.Lo, first) && !strings.ContainsRune("\"'“‘«([", first) {
		return
	}
	h.titled = d.titled(i, title)
	d.found = append(d.found, h)
}

// titled reports whether the line at i is a title with no text directly below.
func (d *numberedDoc) titled(i int, title []byte) bool {
	if len(title) > maxTitleLine || i+1 < len(d.lines) && !d.parts(i+1) {
		return false
	}
	if len(title) == 0 {
		return true
	}
	last := title[len(title)-1]
	return strings.IndexByte(",;:", last) < 0 && (last != '.' || len(bytes.Fields(title)) <= 12) && !bytes.Contains(title, []byte(". "))
}

func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }

// numberOf parses a number into its parts; nil if it is not a number.
func numberOf(s string) []int {
	var number []int
	for _, part := range strings.Split(s, ".") {
		n, err := strconv.Atoi(part)
		switch {
		case err == nil:
		case len(part) == 1 && strings.IndexByte("IVX", part[0]) < 0:
			n = int(part[0]-'A') + 1
		default:
			if n = roman(part); n == 0 {
				return nil
			}
		}
		number = append(number, n)
	}
	return number
}

// roman returns the value of a Roman numeral in capitals, or 0.
func roman(s string) int {
	values := map[byte]int{'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100}
	n := 0
	for i := range len(s) {
		v := values[s[i]]
		if i+1 < len(s) && v < values[s[i+1]] {
			v = -v
		}
		n += v
	}
	return max(n, 0)
}

// follows reports whether a section numbered next may come after one numbered last:
// it is its first subsection, or one higher at some level.
func follows(last, next []int) bool {
	for i := range next {
		switch {
		case i >= len(last):
			return len(next) == i+1 && next[i] <= 1
		case next[i] == last[i]:
		case next[i] == last[i]+1:
			return len(next) == i+1 || len(next) == i+2 && next[i+1] <= 1
		default:
			return false
		}
	}
	return false
}

// chosen returns the headings of sections, in order. In each style their numbers are
// consecutive.
func (d *numberedDoc) chosen() []numberedHead {
	var all []numberedHead
	for style := range numberStyles {
		var titled, any []numberedHead
		for _, h := range d.found {
			if h.style == style {
				any = append(any, h)
				if h.titled {
					titled = append(titled, h)
				}
			}
		}
		chain := longest(titled, all)
		if len(chain) < minSections || !d.haveText(chain) {
			chain = longest(any, all)
			if !d.areClauses(chain) {
				continue
			}
		}
		if len(all) == 0 && !d.covers(chain) {
			continue
		}
		all = mergeHeads(all, chain)
	}
	return all
}

// covers reports whether headings structure the whole text, and not only a small
// part, as in collections of licences.
func (d *numberedDoc) covers(heads []numberedHead) bool {
	return 5*(heads[len(heads)-1].line-heads[0].line) >= 2*len(d.lines)
}

// longest returns the longest run of headings with consecutive numbers and equal
// indentation on each level. Numbers may restart below a heading of a higher style.
// Of two equally long runs it returns the later: the first may be a table of
// contents.
func longest(heads, above []numberedHead) []numberedHead {
	var best []numberedHead
	tries := 0
	for i, h := range heads {
		if len(heads)-i < len(best) || tries == maxTries {
			break
		}
		if !starts(h) {
			continue
		}
		tries++
		if chain := chainFrom(heads[i:], above); len(chain) >= len(best) {
			best = chain
		}
	}
	return best
}

// starts reports whether h may be the first of a run of sections.
func starts(h numberedHead) bool {
	for _, n := range h.number {
		if n > 1 {
			return false
		}
	}
	return len(h.number) <= 2
}

func chainFrom(heads, above []numberedHead) []numberedHead {
	chain := heads[:1:1]
	indents := map[int]int{len(heads[0].number): heads[0].indent}
	for _, h := range heads[1:] {
		last := chain[len(chain)-1]
		again := starts(h) && between(above, last.line, h.line)
		if !again && !follows(last.number, h.number) {
			continue
		}
		if indent, ok := indents[len(h.number)]; ok && indent != h.indent && len(h.number) < 3 {
			continue
		}
		indents[len(h.number)] = h.indent
		chain = append(chain, h)
	}
	return chain
}

func between(heads []numberedHead, first, last int) bool {
	return slices.ContainsFunc(heads, func(h numberedHead) bool { return first < h.line && h.line < last })
}

// haveText reports whether most headings have text below them.
func (d *numberedDoc) haveText(heads []numberedHead) bool {
	with, leaves := 0, 0
	for i, h := range heads {
		end := len(d.lines)
		if i+1 < len(heads) {
			end = heads[i+1].line
			if len(heads[i+1].number) > len(h.number) {
				continue
			}
		}
		leaves++
		for _, line := range d.lines[h.line+1 : end] {
			if t := bytes.TrimSpace(line); len(t) > 0 && !isRule(t) {
				with++
				break
			}
		}
	}
	return 10*with >= 6*leaves
}

// areClauses reports whether headings without lines of their own begin sections and
// not list items, which are shorter.
func (d *numberedDoc) areClauses(heads []numberedHead) bool {
	if len(heads) < minClauses {
		return false
	}
	several := 0
	for i := range heads[:len(heads)-1] {
		blank := false
		for _, line := range d.lines[heads[i].line+1 : heads[i+1].line] {
			t := bytes.TrimSpace(line)
			if len(t) > 0 && blank {
				several++
				break
			}
			blank = blank || len(t) == 0
		}
	}
	span := heads[len(heads)-1].line - heads[0].line
	gaps := len(heads) - 1
	long := span >= clauseLines*gaps && 10*several >= 3*gaps || span >= 2*clauseLines*gaps && 10*several >= gaps
	return long
}

// mergeHeads merges headings in line order.
func mergeHeads(a, b []numberedHead) []numberedHead {
	merged := make([]numberedHead, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].line <= b[0].line {
			merged, a = append(merged, a[0]), a[1:]
		} else {
			merged, b = append(merged, b[0]), b[1:]
		}
	}
	return append(append(merged, a...), b...)
}

// nodes makes nodes of the headings and of the text before them.
func (d *numberedDoc) nodes(heads []numberedHead) []*citekit.Node {
	end := d.lastLine(heads)
	var nodes []*citekit.Node
	if first := d.firstText(0, heads[0].line); first < heads[0].line {
		nodes = append(nodes, d.passage(first, heads[0].line))
	}
	nodes = append(nodes, d.nest(heads, end)...)
	if first := d.firstText(end, len(d.lines)); first < len(d.lines) {
		nodes = append(nodes, d.passage(first, len(d.lines)))
	}
	return nodes
}

// nest makes a tree of the headings before line end.
func (d *numberedDoc) nest(heads []numberedHead, end int) []*citekit.Node {
	var nodes []*citekit.Node
	for i := 0; i < len(heads); {
		next := i + 1
		for next < len(heads) && heads[next].level() > heads[i].level() {
			next++
		}
		last := end
		if next < len(heads) {
			last = heads[next].line
		}
		n := d.section(heads[i], last)
		n.Children = d.nest(heads[i+1:next], last)
		nodes = append(nodes, n)
		i = next
	}
	return nodes
}

// section makes a node of a heading and the lines up to end.
func (d *numberedDoc) section(h numberedHead, end int) *citekit.Node {
	line := string(unboxed(d.lines[h.line]))
	n := &citekit.Node{Type: "section", Location: linesAt(h.line+1, end)}
	below := h.line
	if h.titled {
		n.Title = cutTitle(line)
		below++
	} else {
		n.Title = runInTitle(line)
	}
	text := bytes.Join(d.lines[below:min(end, below+12)], []byte("\n"))
	n.Summary = sentence.Lead(strings.TrimLeft(string(text), "=-~ \n"), maxSummary)
	return n
}

// runInTitle returns the title of a section whose text follows on the same line: its
// first sentence, or the line if no sentence ends there.
func runInTitle(line string) string {
	const minWord = 5 // bytes that may be the number
	if i := strings.Index(line[min(minWord, len(line)):], ". "); i >= 0 {
		return cutTitle(line[:i+minWord+1])
	}
	return cutTitle(line)
}

// passage makes a node of the lines [first, end), counted from 0.
func (d *numberedDoc) passage(first, end int) *citekit.Node {
	text := bytes.Join(d.lines[first:min(end, first+12)], []byte("\n"))
	heading, rest := firstTitle(text, hasWord)
	return &citekit.Node{
		Type: "passage", Title: heading, Location: linesAt(first+1, end),
		Summary: sentence.Lead(string(rest), maxSummary),
	}
}

// firstText returns the first line with text at or after first, or end.
func (d *numberedDoc) firstText(first, end int) int {
	for first < end && len(bytes.TrimSpace(d.lines[first])) == 0 {
		first++
	}
	return first
}

// lastLine returns where the last section ends: before an appendix, or before a line
// in capitals that stands alone, such as END OF TERMS AND CONDITIONS.
func (d *numberedDoc) lastLine(heads []numberedHead) int {
	for i := heads[len(heads)-1].line + 2; i < len(d.lines); i++ {
		line := bytes.TrimSpace(d.lines[i])
		if len(line) == 0 || !d.parts(i-1) || i+1 < len(d.lines) && !d.parts(i+1) {
			continue
		}
		if inCapitals(line) && len(line) <= maxHeading || appendices.Match(line) {
			return i
		}
	}
	return len(d.lines)
}
