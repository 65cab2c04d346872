package document

import (
	"context"
	"math"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sentence"
)

const (
	maxSummary = 300  // bytes
	maxLabels  = 1000 // runs of page labels
	runPages   = 10   // of a run in a document that is not short
	shortPages = 20   // up to which every page is a run of its own
	maxRuns    = 500
)

// nodes makes the nodes of sections.
func (m *mapping) nodes(sections []*section) []*citekit.Node {
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

// runs returns runs of pages, titled by the first line of text.
func (m *mapping) runs(ctx context.Context) ([]*section, error) {
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
		if pages, err = m.resolver.layouts(ctx, m.src, firsts, m.progress); err != nil {
			return nil, err
		}
		m.text = textOn(pages)
	}
	byNumber := make(map[int]*page, len(pages))
	for i := range pages {
		byNumber[pages[i].number] = &pages[i]
	}
	for _, s := range sections {
		s.title = firstLine(byNumber[s.first])
	}
	return sections, nil
}

// firstLine returns the first line of text of a page that is not repeated on
// others, else the first that has letters.
func firstLine(p *page) string {
	if p == nil {
		return ""
	}
	fallback := ""
	for i, line := range p.Lines {
		if !strings.ContainsFunc(line.Text, unicode.IsLetter) {
			continue
		}
		if !p.running[i] {
			return cleanTitle(line.Text)
		}
		if fallback == "" {
			fallback = cleanTitle(line.Text)
		}
	}
	return fallback
}

// textOn reports whether there is text on pages. That there is none is known
// only if all were read.
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

// metadata returns what is kept in the map.
func (m *mapping) metadata() map[string]any {
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
	if labels := m.labels(); labels != nil {
		metadata["page_labels"] = labels
	}
	return metadata
}

// labels returns the page labels; nil if they are the numbers of the pages.
func (m *mapping) labels() []any {
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

// sensibleTitle returns a title that a document gives itself; "" if a program
// has only put the name of a file there, or nothing that says anything.
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
	if !strings.Contains(title, " ") && len(ext) >= 3 && len(ext) <= 6 || !strings.ContainsFunc(title, isWritten) {
		return ""
	}
	return title
}

// titleOn returns the largest text of a first page, if it is much larger than
// the running text and nothing later is as large; else "".
func titleOn(pages []page, body measure) string {
	const larger, most = 1.3, 4 // times the body; lines
	if len(pages) == 0 || !pages[0].read {
		return ""
	}
	first, largest := &pages[0], 0.0
	for i, line := range first.Lines {
		if !first.running[i] {
			largest = max(largest, halves(line.Size))
		}
	}
	if largest < larger*body.size {
		return ""
	}
	for i := range pages[1:] {
		for _, line := range pages[i+1].Lines {
			if halves(line.Size) >= largest {
				return ""
			}
		}
	}
	var b strings.Builder
	n := 0
	for i, line := range first.Lines {
		if !first.running[i] && halves(line.Size) == largest {
			joinLine(&b, line.Text)
			n++
		}
	}
	if title := cleanTitle(b.String()); n <= most && isTitleText(title) {
		return sensibleTitle(title)
	}
	return ""
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
		rest := b.Len() == 0 && strings.Contains(title, p.letters[i]) // of the heading
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

// findTitle returns the index of the line that a heading begins with, the one
// nearest to where the heading is said to be; -1 if there is none.
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

// beginsTitle reports whether a line has a title, but for a number before it,
// or the first words of one. Both are letters only.
func beginsTitle(title, line string) bool {
	const enough = 8 // letters of a title that is continued on the next line
	if strings.HasSuffix(line, title) {
		return len(line)-len(title) <= 12
	}
	line = strings.TrimLeft(line, "0123456789")
	return len(line) >= enough && (strings.HasPrefix(title, line) || strings.HasPrefix(strings.TrimLeft(title, "0123456789"), line))
}

// joinLine appends a line to running text. A word that was divided at the end
// of the line before becomes whole.
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

// placeEntries finds out where on their pages sections begin, and whether
// text stands above them there, from the lines of the pages.
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

// textAbove reports whether there is text of its own above a place of a page,
// beside a title such as "Chapter 1".
func textAbove(p *page, top float64) bool {
	for i, line := range p.Lines {
		middle := (line.Box.Y1 + line.Box.Y2) / 2
		if middle < top && !p.running[i] && !p.divisions[i] {
			return true
		}
	}
	return false
}
