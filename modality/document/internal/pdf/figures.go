package pdf

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/sentence"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
	"github.com/citekit/citekit/preview"
)

const (
	maxCaption      = 6    // lines
	maxCaptions     = 40   // of a page; a page with more is a list of figures
	captionTitle    = 200  // bytes
	captionDistance = 0.08 // of the height of a page, between a caption and its figure
	background      = 0.85 // of a page, from which a drawing is a background
)

var caption = lazyregexp.New(`^(?:(?i:(fig(?:ure|\.)?|abb(?:ildung|\.)|figura|scheme|plate))|(?i:(table|tab\.|tabelle|tableau|tabla|tabella)))[ \x{00a0}]*(?:[A-Z][.-]?)?\d{1,3}(?:[.-]\d{1,3})*[a-z]?([:.]|[ \x{00a0}]*[–—|])?(?:[ \x{00a0}]|$)`)

// A figure is a figure or table with its caption.
type figure struct {
	kind string // the type of its node
	page int
	text string
	box  pdfium.Box // of the caption
	area pdfium.Box // of the whole; zero if it is unknown

	table *preview.Table // with its cells; nil if they are unknown
}

// hasCaption reports whether any of the lines begins like a caption.
func hasCaption(lines []pdfium.Line) bool {
	return slices.ContainsFunc(lines, func(line pdfium.Line) bool { return captionKind(line.Text) != "" })
}

// captionKind returns the type of node for a caption; "" if text does not begin
// like a caption.
func captionKind(text string) string {
	match := caption.FindStringSubmatch(text)
	switch {
	case match == nil || isLeader(text):
		return ""
	case match[1] != "":
		return "figure"
	}
	return "table"
}

// addFigures adds the figures and tables on pages to the nodes of their
// sections, or else to nodes. The tables with cells are those of the same pages.
func addFigures(nodes *[]*citekit.Node, sections []*section, pages []page, tables []tablePage, body measure) {
	room := about.MaxMappedNodes - countNodes(*nodes)
	titles := make(map[string]string) // of tables with cells, by their places
	for i := range pages {
		found := figuresOn(&pages[i], body)
		if i < len(tables) {
			found = withTables(found, &tables[i])
		}
		for _, f := range found {
			if room--; room < 0 {
				return
			}
			into, after := nodes, sections
			if s := innermost(sections, f); s != nil {
				into, after = &s.node.Children, s.children
			}
			n := f.node()
			if f.table != nil {
				if of := titles[f.table.Continues.String()]; of != "" {
					n.Title, n.Summary = of, ""
				}
				titles[n.Location.String()] = n.Title
			}
			insert(into, after, f, n)
		}
	}
}

// withTables returns the figures of a page with its tables that have cells: one with a caption
// is the table of that caption, others are put in their place.
func withTables(figures []figure, p *tablePage) []figure {
	captions := slices.Clone(figures)
	for n := range p.Tables {
		t := p.table(n + 1)
		if i := captionOf(captions, &t); i >= 0 {
			captions[i].kind = "" // taken
			at := slices.IndexFunc(figures, func(f figure) bool { return f.table == nil && f.box == captions[i].box })
			figures[at].table = &t
			continue
		}
		b := t.Box
		f := figure{kind: "table", page: p.Page, text: t.Caption, box: pdfium.Box{X1: b.X1, Y1: b.Y1, X2: b.X2, Y2: b.Y2}, table: &t}
		at := slices.IndexFunc(figures, func(o figure) bool { return o.box.Y1 > f.box.Y1 })
		if at < 0 {
			at = len(figures)
		}
		figures = slices.Insert(figures, at, f)
	}
	return figures
}

// captionOf returns the index of the caption of a table, or -1: the nearest one that is
// beside it.
func captionOf(figures []figure, t *preview.Table) int {
	best, nearest := -1, captionDistance
	b := pdfium.Box{X1: t.Box.X1, Y1: t.Box.Y1, X2: t.Box.X2, Y2: t.Box.Y2}
	for i, f := range figures {
		away := max(b.Y1-f.box.Y2, f.box.Y1-b.Y2, 0)
		if f.kind == "table" && away < nearest && overlapX(b, f.box) {
			best, nearest = i, away
		}
	}
	return best
}

func countNodes(nodes []*citekit.Node) int {
	n := len(nodes)
	for _, node := range nodes {
		n += countNodes(node.Children)
	}
	return n
}

// innermost returns the deepest section around a figure, or nil.
func innermost(sections []*section, f figure) *section {
	var in *section
	for _, s := range sections {
		if s.first <= f.page && f.page <= s.last && !s.beginsAfter(f) {
			in = s
		}
	}
	if in == nil {
		return nil
	}
	if deeper := innermost(in.children, f); deeper != nil {
		return deeper
	}
	return in
}

func (s *section) beginsAfter(f figure) bool {
	return s.first > f.page || s.page == f.page && s.first == f.page && s.top > f.box.Y1
}

// insert puts the node of a figure before the first of its siblings that begins after it.
func insert(into *[]*citekit.Node, siblings []*section, f figure, n *citekit.Node) {
	at := len(*into)
	for _, s := range siblings {
		if s.beginsAfter(f) {
			at = slices.Index(*into, s.node)
			break
		}
	}
	*into = slices.Insert(*into, at, n)
}

func (f figure) node() *citekit.Node {
	n := &citekit.Node{
		Title:    sentence.Lead(f.text, captionTitle),
		Type:     f.kind,
		Location: pagesLocation(f.page, f.page),
	}
	if f.table != nil {
		f.describe(n)
		return n
	}
	if summary := sentence.Lead(f.text, maxSummary); summary != n.Title {
		n.Summary = summary
	}
	if a := f.area; a.X1 < a.X2 && a.Y1 < a.Y2 {
		n.Location.Box = citekit.Box{X1: rounded(a.X1), Y1: rounded(a.Y1), X2: rounded(a.X2), Y2: rounded(a.Y2)}
	}
	return n
}

// describe writes the location of a table with cells into its node, and its headers: as the
// summary, or as the title if it has no caption.
func (f figure) describe(n *citekit.Node) {
	n.Location = f.table.Location
	var headers []string
	if rows, _ := f.table.Rows(); len(rows) > 0 {
		for _, text := range rows[0] {
			if text != "" {
				headers = append(headers, text)
			}
		}
	}
	head := sentence.Lead(strings.Join(headers, " | "), captionTitle)
	switch {
	case n.Title != "":
		n.Summary = head
	case head != "":
		n.Title = head
	default:
		n.Title = "Table " + f.table.Location.Table + " of page " + strconv.Itoa(f.page)
	}
}

// rounded returns a fraction with four digits; further digits would be
// meaningless.
func rounded(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// figuresOn returns the figures and tables on a page, from top to bottom of
// its text.
func figuresOn(p *page, body measure) []figure {
	starts := 0
	for _, kind := range p.captions {
		if kind != "" {
			starts++
		}
	}
	if starts == 0 || starts > maxCaptions || isContents(p) {
		return nil
	}
	var found []figure
	for i, kind := range p.captions {
		if kind == "" || p.running[i] || !isCaption(p, i, body) {
			continue
		}
		f := figure{kind: kind, page: p.number}
		f.text, f.box = wholeCaption(p, i, body)
		f.area = areaOf(p, f, body)
		found = append(found, f)
	}
	return found
}

// isCaption reports whether line i, which begins like a caption, is a caption
// rather than part of a sentence about a figure. Without a colon or dash after
// the number, a caption must be set differently from the running text, or apart
// from it.
func isCaption(p *page, i int, body measure) bool {
	line := p.Lines[i]
	match := caption.FindStringSubmatch(line.Text)
	asText := body.has(line) && !line.Mixed
	switch match[3] {
	case "":
		first, _ := utf8.DecodeRuneInString(line.Text[len(match[0]):])
		return unicode.IsUpper(first) && (!body.has(line) || line.Mixed && isApart(p, i, body))
	case ".":
		return !asText || isApart(p, i, body)
	}
	return !asText || !isInSentence(p, i, body)
}

// isInSentence reports whether line i of running text continues a sentence of
// the line above.
func isInSentence(p *page, i int, body measure) bool {
	if i == 0 || p.running[i-1] || !body.has(p.Lines[i-1]) {
		return false
	}
	above := p.Lines[i-1]
	last, _ := utf8.DecodeLastRuneInString(above.Text)
	gap := (p.Lines[i].Box.Y1 - above.Box.Y1) * p.Height / body.size
	return (unicode.IsLower(last) || last == ',') && above.Box.X2-above.Box.X1 > 0.3 && gap > 0 && gap <= 1.15*body.gap
}

// wholeCaption returns the text and the box of the caption that begins at line
// i.
func wholeCaption(p *page, i int, body measure) (string, pdfium.Box) {
	var b strings.Builder
	box := p.Lines[i].Box
	joinLine(&b, p.Lines[i].Text)
	for j := i + 1; j < min(len(p.Lines), i+maxCaption) && goesOn(p, i, j, body); j++ {
		joinLine(&b, p.Lines[j].Text)
		box = union(box, p.Lines[j].Box)
	}
	return cleanTitle(b.String()), box
}

// goesOn reports whether the caption that begins at line i continues from the
// line before j to line j. Line j must be set alike, close below, not wider,
// and not beyond a rule.
func goesOn(p *page, i, j int, body measure) bool {
	first, last, line := p.Lines[i], p.Lines[j-1], p.Lines[j]
	gap := (line.Box.Y1 - last.Box.Y2) * p.Height
	most := 0.5 * line.Size
	if body.has(first) {
		most = min(most, (body.gap-1)*body.size+1)
	}
	ruled := slices.ContainsFunc(p.Drawn, func(d pdfium.Box) bool {
		middle := (d.Y1 + d.Y2) / 2
		return d.Y2-d.Y1 < 0.006 && middle > (last.Box.Y1+last.Box.Y2)/2 && middle < (line.Box.Y1+line.Box.Y2)/2 && overlapX(d, line.Box)
	})
	return !p.running[j] && gap <= most && gap >= -0.6*line.Size && !ruled && halves(line.Size) == halves(first.Size) &&
		line.Box.X2 <= last.Box.X2+0.03 && p.captions[j] == ""
}

func union(a, b pdfium.Box) pdfium.Box {
	return pdfium.Box{X1: min(a.X1, b.X1), Y1: min(a.Y1, b.Y1), X2: max(a.X2, b.X2), Y2: max(a.Y2, b.Y2)}
}

// areaOf returns the box of a figure and its caption; zero if it is not clear
// which drawing the caption belongs to. Captions of figures mostly stand below
// them, captions of tables above.
func areaOf(p *page, f figure, body measure) pdfium.Box {
	sides := []bool{true, false}
	if f.kind == "table" {
		sides = []bool{false, true}
	}
	for _, above := range sides {
		if f.kind == "table" {
			if ruled, ok := ruledBeside(p, f, above); ok {
				return union(ruled, f.box)
			}
		}
		if drawn, ok := drawnBeside(p, f, above, body); ok {
			return union(drawn, f.box)
		}
	}
	return pdfium.Box{}
}

// ruledBeside returns the table above or below a caption that has rules of one
// length, from the first rule to the last before another caption. The text
// between them is its cells.
func ruledBeside(p *page, f figure, above bool) (pdfium.Box, bool) {
	const thin, long, most, close = 0.006, 0.15, 0.3, 0.015
	away := func(b pdfium.Box) float64 { // distance of a box from the caption
		if above {
			return f.box.Y1 - b.Y2
		}
		return b.Y1 - f.box.Y2
	}
	end := 1.0 // distance of the nearest other caption on this side
	for i, line := range p.Lines {
		if d := away(line.Box); d > 0 && p.captions[i] != "" && overlapX(line.Box, f.box) {
			end = min(end, d)
		}
	}
	var rules []pdfium.Box
	for _, d := range p.Drawn {
		if d.Y2-d.Y1 < thin && d.X2-d.X1 > long && overlapX(d, f.box) && away(d) > -close && away(d) < end {
			rules = append(rules, d)
		}
	}
	slices.SortStableFunc(rules, func(a, b pdfium.Box) int { return cmp.Compare(away(a), away(b)) })
	if len(rules) == 0 || away(rules[0]) > captionDistance {
		return pdfium.Box{}, false
	}
	area := rules[0]
	for _, rule := range rules[1:] {
		alike := math.Abs(rule.X1-rules[0].X1) < close && math.Abs(rule.X2-rules[0].X2) < close
		if gap := away(rule) - away(area) - (area.Y2 - area.Y1); alike && gap < most {
			area = union(area, rule)
		}
	}
	return area, area.Y2-area.Y1 > close
}

// drawnBeside returns the drawing above or below a caption, up to the next
// running text or caption.
func drawnBeside(p *page, f figure, above bool, body measure) (pdfium.Box, bool) {
	low, high := limits(p, f, above, body)
	var area pdfium.Box
	for _, d := range p.Drawn {
		middle := (d.Y1 + d.Y2) / 2
		large := (d.X2-d.X1)*(d.Y2-d.Y1) > background
		rule := d.Y2-d.Y1 < 0.004 && d.X2-d.X1 > 0.4 && (d.Y2 < headZone || d.Y1 > footZone)
		if large || rule || middle < low || middle > high || !overlapX(d, f.box) || d.X1 == d.X2 && d.Y1 == d.Y2 {
			continue
		}
		d.Y1, d.Y2 = max(d.Y1, low), min(d.Y2, high)
		if area == (pdfium.Box{}) {
			area = d
		}
		area = union(area, d)
	}
	distance := f.box.Y1 - area.Y2
	if !above {
		distance = area.Y1 - f.box.Y2
	}
	tall, wide := area.Y2-area.Y1, area.X2-area.X1
	return area, area != (pdfium.Box{}) && distance < captionDistance && tall > 0.02 && wide > 0.05
}

// limits returns the heights of a page between which a figure can be.
func limits(p *page, f figure, above bool, body measure) (low, high float64) {
	low, high = 0, f.box.Y1
	if !above {
		low, high = f.box.Y2, 1
	}
	for i, line := range p.Lines {
		isText := body.has(line) && line.Box.X2-line.Box.X1 > 0.3 || p.captions[i] != "" && isCaption(p, i, body)
		if p.running[i] || !isText || !overlapX(line.Box, f.box) || p.isLabel(i) {
			continue
		}
		if above && line.Box.Y2 <= f.box.Y1+0.005 && line.Box.Y1 < f.box.Y1 {
			low = max(low, line.Box.Y2)
		}
		if !above && line.Box.Y1 >= f.box.Y2-0.005 {
			high = min(high, line.Box.Y1)
		}
	}
	return low, high
}

// isLabel reports whether line i stands within a drawing, such as the labels of
// a chart or the cells of a table.
func (p *page) isLabel(i int) bool {
	if p.labels == nil {
		p.labels = make([]bool, len(p.Lines))
		for j, line := range p.Lines {
			p.labels[j] = slices.ContainsFunc(p.Drawn, func(d pdfium.Box) bool { return labels(d, line.Box) })
		}
	}
	return p.labels[i]
}

// labels reports whether a drawing is large enough to have labels, is smaller
// than a background, and contains the place of a label.
func labels(drawn, at pdfium.Box) bool {
	inside := drawn.X1 <= at.X1+0.01 && at.X2 <= drawn.X2+0.01 && drawn.Y1 <= at.Y1+0.005 && at.Y2 <= drawn.Y2+0.005
	return inside && drawn.Y2-drawn.Y1 > 0.03 && (drawn.X2-drawn.X1)*(drawn.Y2-drawn.Y1) <= background
}

func overlapX(a, b pdfium.Box) bool {
	return min(a.X2, b.X2)-max(a.X1, b.X1) > -0.02
}
