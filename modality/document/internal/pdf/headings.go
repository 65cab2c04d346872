package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
)

const (
	maxHeading   = 150  // characters of a heading
	bodyText     = 0.92 // times the size of the body; bold text from there on can be a heading
	largerText   = 1.08 // likewise; any text from there on can be a heading if it is set apart
	largeText    = 1.25 // likewise; text from there on is a heading
	maxDepth     = 32   // levels of headings: deeper headings get the deepest level
	minHeadings  = 2    // a document with fewer has none
	perPage      = 6    // headings of one style on a page, on average; more are not headings
	contentsPart = 0.3  // of the lines of a page; if more end in a page number, it is a table of contents
)

// A heading is a line, or several, that may be a heading.
type heading struct {
	entry
	style  style
	number int // levels of its number, such as 2 for "1.3"; 0 if it has none
	bottom float64
	lines  int
}

// A style is the style of the headings of one level.
type style struct {
	size float64
	bold bool
}

func (s style) less(t style) bool { // is less prominent
	return s.size < t.size || s.size == t.size && !s.bold && t.bold
}

// findHeadings returns the headings of a document: lines that are larger or
// heavier than the running text, or numbered, set apart, short, and not
// repeated from page to page. Their levels follow from their numbers and sizes.
// It returns nil if there are too few, or too many to be headings.
func findHeadings(pages []page) []entry {
	if len(pages) == 0 {
		return nil
	}
	body := bodyOf(pages)
	if body.size == 0 {
		return nil
	}
	var found []heading
	for i := range pages {
		found = append(found, headingsOn(&pages[i], body)...)
	}
	found = withoutBylines(withoutRunning(found))
	found = withoutQuantities(slices.DeleteFunc(found, func(h heading) bool { return !isSensible(h.title, h.number) }))
	found = dropCrowds(dropTitles(found, pages, body), len(pages))
	if len(found) < minHeadings || areText(found, pages) {
		return nil
	}
	setLevels(found)
	entries := make([]entry, len(found))
	for i, h := range found {
		entries[i] = h.entry
	}
	return entries
}

// areText reports whether the lines found are text of many sizes, such as that
// of a form or of a recognised scan: headings are a small part of the text, or
// at least few.
func areText(found []heading, pages []page) bool {
	const fewOnPage, most = 2, 0.2 // of the letters
	if len(found) <= fewOnPage*len(pages) {
		return false
	}
	all, part := 0, 0
	for i := range pages {
		for j, letters := range pages[i].letters {
			if !pages[i].running[j] {
				all += len(letters)
			}
		}
	}
	for _, h := range found {
		part += len(letters(h.title))
	}
	return float64(part) > most*float64(all)
}

// headingsOn returns the lines on a page that may be headings.
func headingsOn(p *page, body measure) []heading {
	var found []heading
	contents := isContents(p)
	for i, line := range p.Lines {
		if p.running[i] || !looksLikeHeading(p, i, body) || (isCell(p, i) || hasGaps(p, i)) && numberDepth(line.Text) < 2 {
			continue
		}
		if contents && (line.Size < largeText*body.size || endsInNumber(line.Text)) {
			continue
		}
		h := heading{
			entry:  entry{title: strings.TrimRight(cleanTitle(line.Text), " *†‡¶∗"), page: p.number, top: line.Box.Y1},
			style:  style{size: halves(line.Size), bold: body.isBold(line)},
			number: numberDepth(line.Text),
			bottom: line.Box.Y2,
			lines:  1,
		}
		h.inside = textAbove(p, h.top)
		if n := len(found); n > 0 && found[n-1].continues(h, line, p, i) {
			found[n-1].join(h)
			continue
		}
		found = append(found, h)
	}
	return found
}

// looksLikeHeading reports whether line i of a page is set like a heading.
func looksLikeHeading(p *page, i int, body measure) bool {
	line := p.Lines[i]
	text := strings.TrimSpace(line.Text)
	if !isTitleText(text) || isItem(text) || captionStart.MatchString(text) {
		return false
	}
	size, bold := line.Size/body.size, body.isBold(line)
	switch {
	case size >= largeText || size >= largerText && bold:
		return true
	case line.Mixed || size < bodyText:
		return false
	case bold && numberDepth(text) > 1:
		return true
	case size < largerText && !bold && (numberDepth(text) < 2 || line.Box.X2-line.Box.X1 > 0.6):
		return false
	}
	return endsLikeTitle(text) && !strings.ContainsAny(text, codeSigns) && isApart(p, i, body)
}

// isTitleText reports whether text can be a title by its characters.
func isTitleText(text string) bool {
	if utf8.RuneCountInString(text) > maxHeading || isLeader(text) {
		return false
	}
	words := strings.TrimLeft(text, "0123456789.-() ")
	letters := 0
	for _, c := range words {
		if unicode.IsLetter(c) {
			letters++
		}
	}
	return letters >= 2 && letters*3 >= utf8.RuneCountInString(strings.ReplaceAll(words, " ", ""))
}

// isItem reports whether text begins with a bullet, from a symbol font or
// another font.
func isItem(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.In(first, unicode.Co, unicode.So) || strings.ContainsRune("•‣⁃·∙*", first)
}

func endsLikeTitle(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return !strings.ContainsRune(".:,;-", last)
}

// isApart reports whether there is more space above line i than between the
// lines of a paragraph, and no text beside it.
func isApart(p *page, i int, body measure) bool {
	line := p.Lines[i]
	height := line.Box.Y2 - line.Box.Y1
	for j, other := range p.Lines {
		if j == i || p.running[j] {
			continue
		}
		beside := other.Box.Y1 < line.Box.Y2-0.3*height && other.Box.Y2 > line.Box.Y1+0.3*height
		if beside {
			return false
		}
	}
	if i == 0 || p.running[i-1] {
		return true
	}
	above := p.Lines[i-1]
	gap := (line.Box.Y1 - above.Box.Y1) * p.Height / body.size
	return gap < 0 || gap > 1.15*body.gap || !body.has(above)
}

// codeSigns are signs of code, such as definitions of functions, which some
// manuals set in bold. Titles do not have them.
const codeSigns = "[]{};=<>|\\_*#@"

var (
	captionStart = lazyregexp.New(`^(?i:fig(?:ure|\.)?|table|abb(?:ildung|\.)|tabelle|tableau|exhibit|listing) *(?:[A-Z][.-]?)?\d|^[表図图] *(?:\pL[.．-]?)?[\d０-９]`)

	numbered = lazyregexp.New(`^(?:§ ?)?((?:\d{1,3}|[A-Z]|[IVX]{1,5})(?:\.\d{1,3})*)[.)]?[ \t\x{00a0}]+\p{L}`)
	division = lazyregexp.New(`(?i)^(chapter|part|appendix|annex|section|kapitel|teil|anhang|chapitre|partie|capítulo|parte) +([0-9]{1,3}|[A-Z]|[IVXLC]{1,6})[.:]?$`)
	leader   = lazyregexp.New(`(\. ?){4,}|…{2,}|(_ ?){4,}`)
)

// numberDepth returns the levels of the number before a title, such as 2 for
// "4.1 Results"; 0 if it has none.
func numberDepth(text string) int {
	match := numbered.FindStringSubmatch(text)
	if match == nil {
		return 0
	}
	depth := 1 + strings.Count(match[1], ".")
	if first := match[1][0]; depth == 1 && (first < '0' || first > '9') && !strings.HasPrefix(text[len(match[1]):], ".") && match[1] != "I" {
		return 0 // "A word" is not numbered
	}
	return depth
}

// isDivision reports whether text is the first line of a heading of two, such
// as "Chapter 3".
func isDivision(text string) bool { return division.MatchString(strings.TrimSpace(text)) }

// isLeader reports whether dots lead from text to a page number.
func isLeader(text string) bool { return leader.MatchString(text) }

// endsInNumber reports whether the last word of text is a number, as in entries
// of a table of contents.
func endsInNumber(text string) bool {
	words := strings.Fields(text)
	return len(words) > 1 && isPageNumber(words[len(words)-1])
}

// isContents reports whether a page is part of a table of contents or an
// index: many lines have leaders or end in a page number.
func isContents(p *page) bool {
	leaders := 0
	for _, line := range p.Lines {
		if isLeader(line.Text) {
			leaders++
		}
	}
	return leaders >= 3 && float64(leaders) >= contentsPart*float64(len(p.Lines)) || leaders >= 8
}

// continues reports whether line i of a page continues a heading.
func (h *heading) continues(next heading, line pdfium.Line, p *page, i int) bool {
	if i == 0 || h.lines >= 4 || utf8.RuneCountInString(h.title)+utf8.RuneCountInString(next.title) > 2*maxHeading {
		return false
	}
	gap := (line.Box.Y1 - h.bottom) * p.Height
	if isDivision(h.title) {
		return gap < 6*line.Size && next.number == 0
	}
	return next.number == 0 && next.style == h.style && gap < 0.7*line.Size && gap > -0.5*line.Size && h.page == next.page
}

func (h *heading) join(next heading) {
	if isDivision(h.title) {
		h.style = style{size: math.Max(h.style.size, next.style.size), bold: h.style.bold || next.style.bold}
		h.number = 1
	}
	h.title = cleanTitle(h.title + " " + next.title)
	h.bottom = next.bottom
	h.lines += next.lines
}

// dropCrowds drops the styles with more lines than there can be headings.
func dropCrowds(found []heading, pages int) []heading {
	count := map[style]int{}
	for _, h := range found {
		if h.number == 0 {
			count[h.style]++
		}
	}
	return slices.DeleteFunc(found, func(h heading) bool {
		return h.number == 0 && count[h.style] > perPage*pages+2
	})
}

// dropTitles drops the headings on the first page if that is a title page,
// which has no running text. Otherwise it drops the title of the document, if
// that is larger than anything after it.
func dropTitles(found []heading, pages []page, body measure) []heading {
	if len(pages) > 3 && !hasText(&pages[0], body) {
		return slices.DeleteFunc(found, func(h heading) bool { return h.page == 1 && h.number == 0 })
	}
	var largest style
	for _, h := range found {
		if largest.less(h.style) {
			largest = h.style
		}
	}
	title := func(h heading) bool { return h.style == largest && h.number == 0 && h.page == 1 }
	for _, h := range found {
		if h.style == largest && !title(h) {
			return found
		}
	}
	return slices.DeleteFunc(found, title)
}

// hasText reports whether a page has some lines of running text.
func hasText(p *page, body measure) bool {
	const few = 5
	n := 0
	for i, line := range p.Lines {
		if !p.running[i] && body.has(line) && line.Box.X2-line.Box.X1 > 0.3 {
			n++
		}
	}
	return n >= few
}

// setLevels gives headings their depth. Headings with numbers have the depth of
// their number. Other headings have the depth of the numbered ones of their
// style, or of the nearest style with numbers. Without any numbers, larger
// styles are above smaller ones.
func setLevels(found []heading) {
	styles := map[style]map[int]int{} // counts of each depth of number, by style
	var order []style
	numbers := 0
	for _, h := range found {
		if styles[h.style] == nil {
			styles[h.style] = map[int]int{}
			order = append(order, h.style)
		}
		styles[h.style][h.number]++
		if h.number > 0 {
			numbers++
		}
	}
	slices.SortFunc(order, func(a, b style) int {
		switch {
		case b.less(a):
			return -1
		case a.less(b):
			return 1
		}
		return 0
	})
	if numbers*4 < len(found) {
		for i := range found {
			found[i].depth = slices.Index(order, found[i].style)
		}
	} else {
		depths := styleDepths(order, styles)
		for i := range found {
			if found[i].depth = found[i].number - 1; found[i].depth < 0 {
				found[i].depth = depths[found[i].style]
			}
		}
	}
	closeGaps(found)
}

// styleDepths returns the depth of headings without a number in each style.
func styleDepths(order []style, styles map[style]map[int]int) map[style]int {
	depths := map[style]int{}
	below := 0 // one level deeper than the numbered ones so far
	for _, s := range order {
		best, most := -1, 0
		for number := 1; number < 10; number++ {
			if n := styles[s][number]; n > most {
				best, most = number-1, n
			}
		}
		if best < 0 {
			depths[s] = below
			continue
		}
		depths[s] = best
		below = max(below, best+1)
	}
	return depths
}

// closeGaps makes sure that no heading is more than one level below the one
// before it.
func closeGaps(found []heading) {
	var open []int // original depths of the open headings
	for i := range found {
		for len(open) > 0 && (open[len(open)-1] >= found[i].depth || len(open) == maxDepth) {
			open = open[:len(open)-1]
		}
		open = append(open, found[i].depth)
		found[i].depth = len(open) - 1
	}
}
