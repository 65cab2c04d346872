package quotation

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/lazyregexp"
)

// Limits of the search for running heads and page numbers.
const (
	edgeLines = 3   // lines at each end of a page
	maxHead   = 120 // bytes in a line
)

// An edgeLine is a line at an edge of a page.
type edgeLine struct {
	part
	page  int // from 0
	depth int // lines between it and the edge
	top   bool
}

// pageEnd returns where a page ends.
func (t *Text) pageEnd(page int) int {
	if page+1 < len(t.opt.Pages) {
		return t.opt.Pages[page+1]
	}
	return len(t.raw)
}

// linesOf returns the nonempty lines of a part of the text, without the white space
// around them.
func (t *Text) linesOf(p part) (lines []part) {
	for from := p.from; from < p.to; {
		to := p.to
		if i := strings.IndexAny(t.raw[from:p.to], "\n\f\r"); i >= 0 {
			to = from + i
		}
		line := t.raw[from:to]
		if trimmed := strings.TrimSpace(line); trimmed != "" {
			start := from + strings.Index(line, trimmed)
			lines = append(lines, part{start, start + len(trimmed)})
		}
		from = to + 1
	}
	return lines
}

// runningHeads returns the lines at the edges of pages that are repeated, apart from
// their digits, or that hold page numbers, in text order. It also counts all short
// lines.
func (t *Text) runningHeads() []part {
	var edges []edgeLine
	t.lines = make(map[uint64]int32)
	for page, from := range t.opt.Pages {
		lines := t.linesOf(part{from, t.pageEnd(page)})
		for i, l := range lines {
			if l.to-l.from > maxHead {
				continue
			}
			t.lines[t.maskOf(l)]++
			if i < edgeLines && i <= len(lines)/2 {
				edges = append(edges, edgeLine{l, page, i, true})
			} else if left := len(lines) - 1 - i; left < edgeLines {
				edges = append(edges, edgeLine{l, page, left, false})
			}
		}
	}
	repeated, numbers := t.countEdges(edges)
	for _, n := range numbers {
		if n >= max(5, len(t.opt.Pages)/2) {
			t.numbers = numbers
		}
	}
	var heads []part
	for _, e := range edges {
		if t.isHead(e, repeated, numbers) {
			heads = append(heads, e.part)
		}
	}
	return joined(heads, nil)
}

// noteMarks returns the numbers attached to words that mark notes: a line at the foot
// of the same page begins with each.
func (t *Text) noteMarks() (marks []part) {
	for page, from := range t.opt.Pages {
		notes := make(map[string]int)
		for _, l := range t.linesOf(part{from, t.pageEnd(page)}) {
			line := t.raw[l.from:l.to]
			if n := noteNumber(line); n > 0 {
				notes[line[:n]] = l.from
			}
		}
		if len(notes) > 0 {
			marks = append(marks, t.marksOf(part{from, t.pageEnd(page)}, notes)...)
		}
	}
	return marks
}

// marksOf returns the numbers in a part of the text that directly follow a word, or the
// punctuation after it, and begin a note further down.
func (t *Text) marksOf(p part, notes map[string]int) (marks []part) {
	for i := p.from + 1; i < p.to; i++ {
		if !isDigitAt(t.raw, i) || isDigitAt(t.raw, i-1) {
			continue
		}
		end := i
		for end < p.to && isDigitAt(t.raw, end) {
			end++
		}
		at, ok := notes[t.raw[i:end]]
		if ok && at > i && t.isOnWord(i) && !isWordRune(t.runeAt(end)) && t.runeAt(end) != '.' {
			marks = append(marks, part{i, end})
		}
		i = end
	}
	return marks
}

func isDigitAt(s string, i int) bool { return '0' <= s[i] && s[i] <= '9' }

// isOnWord reports whether a word of at least three letters ends at an offset, or up to
// two signs before it.
func (t *Text) isOnWord(at int) bool {
	for n := 0; n < 2 && at > 0; n++ {
		r := t.runeBefore(at)
		if !strings.ContainsRune(".,;:!?)”\"’", r) {
			break
		}
		at -= utf8.RuneLen(r)
	}
	return utf8.RuneCountInString(strings.TrimLeft(t.wordBefore(at), "0123456789")) >= 3 && !unicode.IsDigit(t.runeBefore(at))
}

// edgeKey identifies a line by its place on the page and its text with digits masked.
type edgeKey struct {
	mask  uint64
	top   bool
	depth int
}

func (t *Text) keyOf(e edgeLine) edgeKey { return edgeKey{t.maskOf(e.part), e.top, e.depth} }

// countEdges groups the pages of lines by place and masked text. It also counts, for
// the numbers at the ends of lines, their distances from the page index.
func (t *Text) countEdges(edges []edgeLine) (repeated map[edgeKey][]int, numbers map[int]int) {
	repeated, numbers = make(map[edgeKey][]int), make(map[int]int)
	for _, e := range edges {
		repeated[t.keyOf(e)] = append(repeated[t.keyOf(e)], e.page)
		if n, ok := t.pageNumber(e); ok {
			numbers[n-e.page]++
		}
	}
	return repeated, numbers
}

// isHead reports whether a line numbers the pages, is a number alone, or is repeated at
// the same place of nearby pages. Section titles in the text are not.
func (t *Text) isHead(e edgeLine, repeated map[edgeKey][]int, numbers map[int]int) bool {
	pages := len(t.opt.Pages)
	if n, ok := t.pageNumber(e); ok && numbers[n-e.page] >= max(2, min(5, pages/2)) {
		return true
	}
	if e.depth == 0 && t.isPageNumber(e.part) {
		return true
	}
	need := 3
	if pages <= 4 && e.depth == 0 {
		need = 2
	}
	on := repeated[t.keyOf(e)]
	return len(on) >= need && near(on, e.page) && hasLetter(t.raw[e.from:e.to])
}

// near reports whether sorted pages has another page at most two away from page.
func near(pages []int, page int) bool {
	i := sort.SearchInts(pages, page)
	return i > 0 && page-pages[i-1] <= 2 || i+1 < len(pages) && pages[i+1]-page <= 2
}

// pageNumber returns the number at either end of a line at the very edge of its page.
func (t *Text) pageNumber(e edgeLine) (int, bool) {
	if e.depth > 1 {
		return 0, false
	}
	fields := strings.Fields(t.raw[e.from:e.to])
	for _, f := range []string{fields[0], fields[len(fields)-1]} {
		if n, err := strconv.Atoi(strings.Trim(f, "-–—|[]().")); err == nil && n >= 0 && n < 1_000_000 {
			return n, true
		}
	}
	return 0, false
}

// isPageNumber reports whether a line at the edge of a page may be a page number alone:
// if most pages have theirs, it must be consistent with another.
func (t *Text) isPageNumber(l part) bool {
	line := t.raw[l.from:l.to]
	if !isNumeral(line) {
		return false
	}
	n, err := strconv.Atoi(strings.Trim(line, "-–—|[](). "))
	if err != nil || t.numbers == nil {
		return true
	}
	page := sort.SearchInts(t.opt.Pages, l.from+1) - 1
	return t.numbers[n-page] >= 2
}

// roman matches the Roman numerals of pages.
var roman = lazyregexp.New(`^c{0,3}(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})$`)

// isNumeral reports whether a line is a page number alone.
func isNumeral(line string) bool {
	line = strings.Trim(line, "-–—|[](). ")
	if line == "" || len(line) > 8 {
		return false
	}
	return strings.Trim(line, "0123456789") == "" || roman.MatchString(line) || line == strings.ToUpper(line) && roman.MatchString(strings.ToLower(line))
}

func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// maskOf hashes a line, ignoring white space and treating all digits alike.
func (t *Text) maskOf(p part) uint64 {
	h, digit := uint64(14695981039346656037), false
	for _, r := range t.raw[p.from:p.to] {
		if isSpace(r) {
			continue
		}
		if unicode.IsDigit(r) {
			if digit {
				continue
			}
			r = '#'
		}
		digit = r == '#'
		h = (h ^ uint64(unicode.ToLower(r))) * 1099511628211
	}
	return h
}

// A breakAt is a page break and what may separate the halves of a quote there.
type breakAt struct {
	at    int
	tails []int // starts of the lines before the break that may be left out, nearest first
	heads []int // ends of the lines after the break that may be left out
}

// each calls f for each part that may be left out, until f returns false.
func (b breakAt) each(f func(part) bool) {
	for _, from := range slices.Concat([]int{b.at}, b.tails) {
		for _, to := range slices.Concat([]int{b.at}, b.heads) {
			if from < to && !f(part{from, to}) {
				return
			}
		}
	}
}

// breaks returns the page breaks in a part of the text.
func (t *Text) breaks(p part) (all []breakAt) {
	first := sort.SearchInts(t.opt.Pages, p.from+1)
	for page := first; page < len(t.opt.Pages) && t.opt.Pages[page] < p.to && len(all) < 8; page++ {
		b := breakAt{at: t.opt.Pages[page]}
		b.tails = t.tails(page - 1)
		for i, l := range t.linesOf(part{b.at, min(t.pageEnd(page), b.at+2000)}) {
			if i >= edgeLines || !t.mayBeLeftOut(l) {
				break
			}
			b.heads = append(b.heads, l.to)
		}
		all = append(all, b)
	}
	return all
}

// maxNotes is how many lines of notes at the foot of a page may interrupt a quote.
const maxNotes = 30

// tails returns the starts of lines at the foot of a page that may be left out: page
// numbers, lines that occur elsewhere too, and notes.
func (t *Text) tails(page int) (starts []int) {
	if page < 0 {
		return nil
	}
	from := max(t.opt.Pages[page], t.pageEnd(page)-8000)
	lines := t.linesOf(part{from, t.pageEnd(page)})
	edge := true
	for i := len(lines) - 1; i >= 0 && len(lines)-i <= maxNotes; i-- {
		edge = edge && len(lines)-i <= edgeLines && t.mayBeLeftOut(lines[i])
		if edge || t.beginsNote(lines[i], t.opt.Pages[page]) {
			starts = append(starts, lines[i].from)
		}
	}
	return starts
}

// mayBeLeftOut reports whether a line at the edge of a page is a page number, a running
// head, or a line that the text has more than once.
func (t *Text) mayBeLeftOut(l part) bool {
	if l.to-l.from > maxHead {
		return false
	}
	if isNumeral(t.raw[l.from:l.to]) {
		return t.isPageNumber(l)
	}
	return t.lines[t.maskOf(l)] > 1 || t.body != nil && len(within(t.body.from(l.from), l)) > 0
}

// beginsNote reports whether a line begins with a note mark that is attached to a word
// above it on the page. Page is the offset of the page.
func (t *Text) beginsNote(l part, page int) bool {
	line := t.raw[l.from:l.to]
	if n := noteNumber(line); n > 0 {
		return len(t.marksOf(part{page, l.from}, map[string]int{line[:n]: l.from})) > 0
	}
	r, n := utf8.DecodeRuneInString(line)
	switch {
	case r == '[' && markLength(line) > 0:
		n += markLength(line)
	case !isSuperscript(r) && r != '†' && r != '‡' && r != '*':
		return false
	}
	for above := t.raw[page:l.from]; ; {
		i := strings.LastIndex(above, line[:n])
		if i < 0 {
			return false
		}
		if above = above[:i]; above != "" && !isSpace(rune(above[i-1])) || r == '[' && strings.TrimSpace(above) != "" {
			return true
		}
	}
}

// noteNumber returns the number of digits at the start of a line if they may number a
// note. The line may have nothing else.
func noteNumber(line string) int {
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits == 0 || digits > 3 {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(line[digits:], " "))
	if digits < len(line) && !unicode.IsLetter(r) && !isDoubleQuote(r) && !isSingleQuote(r) {
		return 0
	}
	return digits
}
