package pdf

import (
	"cmp"
	"context"
	"errors"
	"math"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/sentence"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
)

const (
	maxSummary = 300  // bytes
	maxLabels  = 1000 // runs of page labels
	runPages   = 10   // pages of a run in a document that is not short
	shortPages = 20   // in a document up to this length, every page is its own run
	maxRuns    = 500
	repeats    = 3 // runs with one title; it is that of the document if most runs have it
)

// nodes makes nodes from sections.
func (m *mapper) nodes(sections []*section) []*citekit.Node {
	nodes := make([]*citekit.Node, len(sections))
	for i, s := range sections {
		nodes[i] = &citekit.Node{
			Title:    s.title,
			Type:     "section",
			Location: pagesLocation(s.first, s.last),
			Children: m.nodes(s.children),
		}
		if s.isRun {
			nodes[i].Type = "pages"
		}
		s.node = nodes[i]
	}
	return nodes
}

func pagesLocation(first, last int) citekit.Location {
	return citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: first, Last: last}}}
}

// runs returns runs of pages, titled by the first line that can be a title, or
// else by the label of the first page.
func (m *mapper) runs(ctx context.Context) ([]*section, error) {
	total := m.facts.pages
	length := 1
	if total > shortPages {
		length = max(runPages, (total+maxRuns-1)/maxRuns)
	}
	var sections []*section
	var firsts []int
	for first := 1; first <= total; first += length {
		s := &section{first: first, last: min(first+length-1, total), isRun: true}
		sections = append(sections, s)
		firsts = append(firsts, first-1)
	}
	pages := m.pages
	if pages == nil {
		var err error
		m.job.pdfium.Set(runWork)
		if pages, err = m.job.layouts(ctx, firsts, m.progress); err != nil {
			return nil, err
		}
		m.text = textOn(pages)
	}
	byNumber := make(map[int]*page, len(pages))
	for i := range pages {
		byNumber[pages[i].number] = &pages[i]
	}
	body := bodyOf(pages)
	titled := map[string]int{}
	for _, s := range sections {
		if p := byNumber[s.first]; p != nil {
			s.title = runTitle(p, body)
			titled[withoutDigits(s.title)]++
		}
	}
	for _, s := range sections {
		n := titled[withoutDigits(s.title)]
		if n >= repeats && 2*n > len(sections) { // it says nothing about this one
			m.repeated, s.title = cmp.Or(m.repeated, s.title), ""
		}
		if s.title == "" {
			s.title = "Page " + m.label(s.first)
		}
	}
	return sections, nil
}

// runTitle returns the title of a run of pages: the first line of its first
// page that can be a title, if it is set like one; or else the first heading
// there; or else that line; or else a line that the page shares with others; ""
// if there is none.
func runTitle(p *page, body measure) string {
	var headings []heading
	if body.size > 0 {
		headings = slices.DeleteFunc(headingsOn(p, body), func(h heading) bool { return !isSensible(h.title, h.number) || isByline(h.title) })
	}
	repeated := ""
	for i, line := range p.Lines {
		text := withoutPageNumber(line)
		if isFurniture(line.Text) || !isRunTitle(text) || isCell(p, i) || hasGaps(p, i) || function.MatchString(text) && !flowsOn(p, i) {
			continue
		}
		if p.running[i] {
			if repeated == "" {
				repeated = cleanTitle(text)
			}
			continue
		}
		at := slices.IndexFunc(headings, func(h heading) bool { return h.top == line.Box.Y1 })
		switch {
		case inMargin(line) && len(headings) > 0 && headings[0].top > line.Box.Y1 && headings[0].style.size >= halves(line.Size):
			return headings[0].title // not the head of a page that is alone
		case at >= 0:
			return headings[at].title
		case isSensible(text, numberDepth(text)) && !isByline(text) && !flowsOn(p, i):
			return cleanTitle(text)
		case len(headings) > 0:
			return headings[0].title
		}
		return sentenceAt(p, i)
	}
	return repeated
}

// flowsOn reports whether line i of a page may be running text that the next
// line continues.
func flowsOn(p *page, i int) bool {
	const wide, indent, size = 0.25, 0.05, 0.05 // of the page, twice; of the size of the font
	if i+1 >= len(p.Lines) || p.running[i+1] {
		return false
	}
	line, next := p.Lines[i], p.Lines[i+1]
	height := line.Box.Y2 - line.Box.Y1
	return line.Box.X2-line.Box.X1 > wide && math.Abs(line.Box.X1-next.Box.X1) < indent &&
		math.Abs(line.Size-next.Size) <= size*line.Size &&
		next.Box.Y1 > line.Box.Y1 && next.Box.Y1 < line.Box.Y2+height
}

// sentenceAt returns the sentence that begins with line i of a page, or the
// line alone if it is not continued. It cuts a long text.
func sentenceAt(p *page, i int) string {
	const most, words = 100, 4 // characters; of a sentence, at least
	var b strings.Builder
	b.WriteString(withoutPageNumber(p.Lines[i]))
	for ; flowsOn(p, i) && b.Len() < maxSummary; i++ {
		joinLine(&b, strings.TrimSpace(p.Lines[i+1].Text))
	}
	text := cleanTitle(b.String())
	if first := sentence.First(text, maxSummary); len(strings.Fields(first)) >= words {
		text = first
	}
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	text = plain.CutRunes(text, most)
	if at := strings.LastIndexByte(text, ' '); at > 0 {
		text = text[:at]
	}
	return strings.TrimRight(text, " ,;:-–") + "…"
}

// withoutPageNumber returns the text of a line, without a page number at its
// beginning or end if it is a line in the margin.
func withoutPageNumber(line pdfium.Line) string {
	text := strings.TrimSpace(line.Text)
	if !inMargin(line) {
		return text
	}
	if head, rest, ok := strings.Cut(text, " "); ok && isNumber(head) {
		return strings.TrimSpace(rest)
	}
	if at := strings.LastIndexByte(text, ' '); at > 0 && isNumber(text[at+1:]) {
		return strings.TrimSpace(text[:at])
	}
	return text
}

func isNumber(word string) bool { return word != "" && strings.Trim(word, "0123456789") == "" }

// label returns the label of a page, or its number if it has none.
func (m *mapper) label(page int) string {
	labels := m.facts.labels
	after := sort.Search(len(labels), func(i int) bool { return labels[i].First >= page })
	if after > 0 {
		r := labels[after-1]
		if text := cleanTitle(r.Label(page - 1 - r.First)); text != "" {
			return text
		}
	}
	return strconv.Itoa(page)
}

// textOn reports whether pages have text. Absence is certain only if all pages
// were read.
func textOn(pages []page) presence {
	answer := absent
	for i := range pages {
		for _, line := range pages[i].Lines {
			if strings.ContainsFunc(line.Text, isWritten) {
				return present
			}
		}
		if !pages[i].read {
			answer = unknown
		}
	}
	return answer
}

func isWritten(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// metadata returns the metadata of the map.
func (m *mapper) metadata() map[string]any {
	metadata := map[string]any{"pages": m.facts.pages}
	text := m.facts.text
	if m.pages != nil {
		m.text = textOn(m.pages)
	}
	if text == unknown && m.pages != nil || m.text == present {
		text = m.text
	}
	if text != unknown {
		metadata["text_layer"] = text == present
	}
	for key, value := range map[string]string{"author": m.facts.info.Author, "language": m.facts.info.Language} {
		if value = cleanTitle(value); value != "" {
			metadata[key] = value
		}
	}
	var facts about.Facts
	facts.AddKeywordList(m.facts.info.Keywords)
	facts.AddDate(m.facts.info.Date)
	facts.Note(metadata)
	states, recognised, cut := m.textStates()
	value, more := states.Metadata()
	if value != nil {
		metadata[about.TextStateKey] = value
	}
	if len(recognised) > 0 {
		metadata["ocr_pages"] = recognised.String()
	}
	if cut || more {
		m.facts.cut = append(m.facts.cut, about.TextStateKey)
	}
	if len(m.facts.cut) > 0 {
		metadata["incomplete"] = m.facts.cut
	}
	if m.job.damage != nil {
		metadata[about.DamageKey] = "its structure is wrong"
		if errors.Is(m.job.damage, pdf.ErrNoEnd) {
			metadata[about.DamageKey] = "its end is missing"
		}
	}
	if labels := m.labels(); labels != nil {
		metadata["page_labels"] = labels
	}
	if tables := m.tablesWithCells(); tables != nil {
		metadata["page_tables"] = tables
	}
	return metadata
}

// maxTables is how many tables the metadata describe.
const maxTables = 1000

// tablesWithCells returns what is known of the tables with cells; nil if there are none.
func (m *mapper) tablesWithCells() (list []any) {
	for i := range m.tables {
		for n := range m.tables[i].Tables {
			if len(list) == maxTables {
				return list
			}
			t := m.tables[i].table(n + 1)
			about := map[string]any{"at": t.Location.String(), "extent": t.Extent.String(), "evidence": t.Evidence, "confidence": t.Confidence}
			if t.Headers > 0 {
				about["headers"] = t.Headers
			}
			if !t.Continues.IsWhole() {
				about["continues"] = t.Continues.String()
			}
			list = append(list, about)
		}
	}
	return list
}

// labels returns the page labels; nil if they equal the numbers of the pages.
func (m *mapper) labels() []any {
	var list []any
	numbered := true
	for i, r := range m.facts.labels {
		prefix, style, start := r.Parts()
		alone := i+1 < len(m.facts.labels) && m.facts.labels[i+1].First == r.First+1 || r.First+1 == m.facts.pages
		asNumber := prefix == "" && style == "D" && start == r.First+1
		numbered = numbered && (asNumber || alone && r.Label(0) == strconv.Itoa(r.First+1))
		label := map[string]any{"page": r.First + 1, "label": cleanTitle(r.Label(0))}
		if style != "" {
			label["style"] = style
		}
		if prefix = cleanTitle(prefix); prefix != "" {
			label["prefix"] = prefix
		}
		if start != 1 {
			label["start"] = start
		}
		if list = append(list, label); len(list) == maxLabels {
			break
		}
	}
	if numbered {
		return nil
	}
	return list
}

// fileExtensions are those of programs that write PDF files and their images.
var fileExtensions = map[string]bool{
	".ai": true, ".cdr": true, ".doc": true, ".docx": true, ".dvi": true, ".eps": true, ".fm": true, ".indd": true, ".jpg": true, ".odt": true, ".p65": true,
	".pdf": true, ".pmd": true, ".ppt": true, ".pptx": true, ".ps": true, ".psd": true, ".pub": true, ".qxd": true, ".rtf": true, ".tex": true, ".tif": true,
	".txt": true, ".wpd": true, ".xls": true, ".xlsx": true,
}

// sensibleTitle returns the title in a document's metadata; "" if a program has
// put only the name of a file or a meaningless text there.
func sensibleTitle(title string) string {
	title = cleanTitle(title)
	lower := strings.ToLower(title)
	for _, prefix := range []string{"microsoft word - ", "microsoft powerpoint - ", "microsoft excel - ", "untitled", "(anonymous)", "unknown", "document1", "file://", "slide 1"} {
		if strings.HasPrefix(lower, prefix) {
			return ""
		}
	}
	if strings.HasSuffix(lower, " - notepad") {
		return ""
	}
	ext := path.Ext(lower)
	if fileExtensions[ext] || !strings.Contains(title, " ") && len(ext) >= 3 && len(ext) <= 6 || !strings.ContainsFunc(title, isWritten) {
		return ""
	}
	return title
}

// titleOn returns the largest text of a first page that can be a title, if it is
// much larger than the running text and nothing later is as large, or if the page
// is a title page or has an abstract below it; or else "".
func titleOn(pages []page, body measure) string {
	const larger, most = 1.3, 4 // times the body; lines
	if len(pages) == 0 || !pages[0].read {
		return ""
	}
	first, largest := &pages[0], 0.0
	for i, line := range first.Lines {
		if !first.running[i] && canTitle(line) {
			largest = max(largest, halves(line.Size))
		}
	}
	var b strings.Builder
	n, ended, last, top := 0, false, pdfium.Line{}, 0
	for i, line := range first.Lines {
		if first.running[i] || halves(line.Size) != largest || !canTitle(line) {
			continue
		}
		if n == 0 {
			top = i
		}
		// Another text may be of the same size, such as the next head of a table.
		ended = ended || n > 0 && !goesBelow(last, line, first.Height)
		if n, last = n+1, line; !ended {
			joinLine(&b, upToGap(line))
		}
	}
	isTitlePage := len(pages) > titlePages && !hasText(first, body)
	if !hasAbstract(first, top) && (largest < larger*body.size || !isTitlePage && isAsLarge(pages[1:], largest)) {
		return ""
	}
	title := cleanTitle(b.String())
	if n > most || !isTitleText(title) || isGarbled(title) || !isLegible(title) {
		return ""
	}
	return once(sensibleTitle(title))
}

// titlePages is the number of pages of a document that need not have a title page.
const titlePages = 3

// isAsLarge reports whether pages have text of a size, or larger.
func isAsLarge(pages []page, size float64) bool {
	for i := range pages {
		if slices.ContainsFunc(pages[i].Lines, func(line pdfium.Line) bool { return halves(line.Size) >= size }) {
			return true
		}
	}
	return false
}

// hasAbstract reports whether a line alone says that an abstract follows, below
// line i of a page, which is the first of its text.
func hasAbstract(p *page, i int) bool {
	for j, line := range p.Lines {
		switch {
		case j < i && !p.running[j] && canTitle(line):
			return false
		case j > i && onlyAbstract.MatchString(line.Text):
			return true
		}
	}
	return false
}

var onlyAbstract = lazyregexp.New(`(?i)^\s*(?:abstract|zusammenfassung|résumé|resumen|resumo|riassunto|sommario|abstrakt|streszczenie|аннотация|摘\s*要|要\s*旨|概\s*要|초\s*록)\s*[.:：—–-]?\s*$`)

// canTitle reports whether a line can be part of a title by its place and text:
// it does not run up or down the page, and is no address and no date.
func canTitle(line pdfium.Line) bool {
	const few = 3 // characters that may be higher than they are wide
	text := strings.TrimSpace(upToGap(line))
	upright := line.Box.X2-line.Box.X1 >= line.Box.Y2-line.Box.Y1
	return text != "" && !hasAddress(text) && !isDate(text) && !isPageNumber(text) &&
		(upright || utf8.RuneCountInString(text) <= few || isEastAsian(text))
}

// upToGap returns the text of a line up to a gap as wide as between columns.
func upToGap(line pdfium.Line) string {
	const wide = 2 // sizes of the font
	if line.Gap > wide {
		return line.Text[:line.GapAt]
	}
	return line.Text
}

// isLegible reports whether a text that begins in lower case has only words, unlike
// a scan that was read wrongly.
func isLegible(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	if !unicode.IsLower(first) || hasCapital(text) {
		return true
	}
	for word := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(word, unicode.IsDigit) && strings.ContainsFunc(word, unicode.IsLetter) {
			return false
		}
	}
	return true
}

// goesBelow reports whether a line of a title stands right below another one.
func goesBelow(above, line pdfium.Line, height float64) bool {
	const most = 2 // font sizes from the end of one line to the beginning of the next
	beside := line.Box.Y1 < (above.Box.Y1+above.Box.Y2)/2
	return !beside && (line.Box.Y1-above.Box.Y2)*height <= most*line.Size
}

// once returns a text without its second half, if that repeats the first.
func once(text string) string {
	words := strings.Fields(text)
	if half := len(words) / 2; half > 1 && len(words)%2 == 0 && slices.Equal(words[:half], words[half:]) {
		return strings.Join(words[:half], " ")
	}
	return text
}

// title returns the title of the document: that in its metadata, or else the one
// on its first page, or else that of most of its runs of pages.
func (m *mapper) title(ctx context.Context) (string, error) {
	title := sensibleTitle(m.facts.info.Title)
	if title != "" && !looksLikeName(title) && !strings.EqualFold(title, m.facts.info.Author) {
		return title, nil
	}
	pages := m.pages
	if pages == nil {
		var err error
		m.job.pdfium.Set(runWork)
		if pages, err = m.job.layouts(ctx, spread(m.facts.pages, titlePages+1), nil); err != nil {
			return "", err
		}
	}
	shown := titleOn(pages, bodyOf(pages))
	if shown == "" && title != "" && !isPlaceholder(title, m.facts.info.Author, pages) {
		return title, nil
	}
	if shown == "" && isSensible(m.repeated, 0) && !strings.HasSuffix(m.repeated, ".") {
		shown = m.repeated
	}
	return shown, nil
}

// spread returns n indexes, or fewer, of the pages of a document, the first among
// them.
func spread(pages, n int) []int {
	n = min(n, pages)
	indexes := make([]int, n)
	for i := range indexes {
		indexes[i] = i * pages / n
	}
	return indexes
}

// isPlaceholder reports whether a program has put a title into the metadata that is none:
// one that is also the author, or one word that looks like the name of a file or a
// variable and is not on the first page.
func isPlaceholder(title, author string, pages []page) bool {
	if strings.EqualFold(title, author) {
		return true
	}
	if !looksLikeName(title) {
		return false
	}
	return len(pages) > 0 && pages[0].read && !slices.ContainsFunc(pages[0].letters, func(line string) bool { return strings.Contains(line, letters(title)) })
}

// looksLikeName reports whether a title is one word as in the name of a file or a
// variable.
func looksLikeName(title string) bool {
	first, _ := utf8.DecodeRuneInString(title)
	return !strings.Contains(title, " ") && (unicode.IsLower(first) || unicode.IsDigit(first) || strings.Contains(title, "_"))
}

// summarize gives sections the first sentences after their heading.
func summarize(sections []*section, pages []page, body measure) {
	for _, s := range sections {
		if s.page > 0 && s.page <= len(pages) && pages[s.page-1].read {
			s.node.Summary = sentence.Lead(textAfter(&pages[s.page-1], s.entry, body), maxSummary)
		}
		summarize(s.children, pages, body)
	}
}

// textAfter returns the running text that follows a heading on its page; ""
// if the heading cannot be found there.
func textAfter(p *page, e entry, body measure) string {
	at := findTitle(p, e)
	if at < 0 {
		return ""
	}
	var b strings.Builder
	title := letters(e.title)
	for i := at + 1; i < len(p.Lines) && b.Len() < 4*maxSummary; i++ {
		line := p.Lines[i]
		rest := b.Len() == 0 && strings.Contains(title, p.letters[i]) // part of the heading
		if p.running[i] || rest {
			continue
		}
		if !body.has(line) || isLeader(line.Text) {
			break
		}
		joinLine(&b, line.Text)
	}
	return b.String()
}

// findTitle returns the index of the first line of a heading, the one nearest
// to the stated place of the heading; -1 if there is none.
func findTitle(p *page, e entry) int {
	title := letters(e.title)
	best, away := -1, 2.0
	for i, line := range p.Lines {
		if title == "" || p.running[i] || !beginsTitle(title, p.letters[i]) {
			continue
		}
		distance := line.Box.Y1
		if e.top >= 0 {
			distance = math.Abs(line.Box.Y1 - e.top)
		}
		if distance < away {
			best, away = i, distance
		}
	}
	return best
}

// beginsTitle reports whether a line is a title, perhaps after a number, or the
// first words of one. Both have letters only.
func beginsTitle(title, line string) bool {
	const enough = 8 // letters of a title that continues on the next line
	if strings.HasSuffix(line, title) {
		return len(line)-len(title) <= 12
	}
	line = strings.TrimLeft(line, "0123456789")
	return len(line) >= enough && (strings.HasPrefix(title, line) || strings.HasPrefix(strings.TrimLeft(title, "0123456789"), line))
}

// joinLine appends a line to running text. A word divided at the end of the
// line before is joined.
func joinLine(b *strings.Builder, line string) {
	text := b.String()
	first, _ := utf8.DecodeRuneInString(line)
	if head, ok := strings.CutSuffix(text, "-"); ok && unicode.IsLower(first) {
		last, _ := utf8.DecodeLastRuneInString(head)
		if unicode.IsLetter(last) {
			b.Reset()
			b.WriteString(head + line)
			return
		}
	}
	if text != "" {
		b.WriteByte(' ')
	}
	b.WriteString(line)
}

// placeEntries finds the places on their pages where sections begin, and
// whether text stands above them, from the lines of the pages.
func placeEntries(entries []entry, pages []page) {
	for i := range entries {
		e := &entries[i]
		if e.page == 0 || e.page > len(pages) || len(pages[e.page-1].Lines) == 0 {
			continue
		}
		p := &pages[e.page-1]
		at := findTitle(p, *e)
		if at >= 0 && (e.top < 0 || p.Lines[at].Box.Y1 < e.top || p.Lines[at].Box.Y1-e.top < 0.1) {
			e.top = p.Lines[at].Box.Y1
		}
		if e.top >= 0 {
			e.inside = textAbove(p, e.top)
		}
	}
}

// textAbove reports whether a page has text above a place, other than a title
// such as "Chapter 1".
func textAbove(p *page, top float64) bool {
	for i, line := range p.Lines {
		middle := (line.Box.Y1 + line.Box.Y2) / 2
		if middle < top && !p.running[i] && !p.divisions[i] {
			return true
		}
	}
	return false
}
