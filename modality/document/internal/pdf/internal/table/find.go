package table

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/lazyregexp"
)

// How far an evidence is to be trusted: an order, set by hand. docs/accuracy.md has what was
// measured.
const (
	sureTagged  = 0.99
	sureRuled   = 0.99
	sureBands   = 0.98
	sureAligned = 0.95
)

const (
	maxChars  = 100_000 // of a page; a page with more has no tables
	maxTables = 100     // of a page

	leastHeight = 3.5 // points of letters; smaller ones are labels of a drawing
)

// Find returns the tables of a page, from top to bottom, and the areas that look like
// tables and are none that can be proven.
func Find(p *Page) ([]Table, []Refused) {
	if len(p.Chars) > maxChars || p.Width <= 0 || p.Height <= 0 {
		return nil, nil
	}
	f := &finder{Page: p}
	f.findTagged()
	f.findRuled()
	f.findAligned()
	slices.SortStableFunc(f.tables, func(a, b Table) int { return cmp.Or(cmp.Compare(a.Box.Y1, b.Box.Y1), cmp.Compare(a.Box.X1, b.Box.X1)) })
	for i := range f.tables {
		f.tables[i].scale(p)
	}
	for i := range f.refused {
		f.refused[i].Box = f.refused[i].Box.fraction(p)
	}
	return f.tables, f.refused
}

// scale turns the boxes of a table into fractions of the page.
func (t *Table) scale(p *Page) {
	t.Box = t.Box.fraction(p)
	for i := range t.Cells {
		if c := &t.Cells[i]; c.Box != (Box{}) {
			c.Box = c.Box.fraction(p)
		}
	}
}

func (b Box) fraction(p *Page) Box {
	in := func(v float64) float64 { return min(max(v, 0), 1) }
	return Box{in(b.X1 / p.Width), in(b.Y1 / p.Height), in(b.X2 / p.Width), in(b.Y2 / p.Height)}
}

type finder struct {
	*Page
	tables  []Table
	refused []Refused
	lines   []line // of the page; nil until needed
}

func (f *finder) refuse(box Box, reason string) {
	if len(f.refused) < maxTables {
		f.refused = append(f.refused, Refused{box, reason})
	}
}

// add adds a table unless it overlaps one that has been found.
func (f *finder) add(t Table) {
	for _, other := range f.tables {
		if other.Box.overlaps(t.Box) {
			return
		}
	}
	if !isUpright(f.within(t.Box)) {
		f.refuse(t.Box, "its text is not upright")
		return
	}
	if len(f.tables) < maxTables {
		f.tables = append(f.tables, t)
	}
}

// isUpright reports whether letters and digits of ASCII follow each other to the right, or
// no two of a word do.
func isUpright(chars []Char) bool {
	right, other := 0, 0
	for i := 1; i < len(chars); i++ {
		a, b := chars[i-1], chars[i]
		if a.Box == (Box{}) || b.Box == (Box{}) || !isPlain(a.Rune) || !isPlain(b.Rune) {
			continue
		}
		if b.Box.midX() > a.Box.midX() && b.Box.X1-a.Box.X2 < a.Box.Y2-a.Box.Y1 && min(a.Box.Y2, b.Box.Y2) > max(a.Box.Y1, b.Box.Y1) {
			right++
		} else {
			other++
		}
	}
	return right >= other
}

// isPlain reports whether a rune is a letter or a digit of ASCII.
func isPlain(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// isTaken reports whether an area overlaps a table that was found, or one that was
// refused.
func (f *finder) isTaken(b Box) bool {
	return slices.ContainsFunc(f.tables, func(t Table) bool { return t.Box.overlaps(b) }) ||
		slices.ContainsFunc(f.refused, func(r Refused) bool { return r.Box.overlaps(b) })
}

// within returns the characters of an area.
func (f *finder) within(b Box) []Char {
	var out []Char
	for _, c := range f.Chars {
		if c.Box == (Box{}) || b.contains(c.Box) {
			out = append(out, c)
		}
	}
	return out
}

// letterHeight returns the median height of characters; 0 if there are none.
func letterHeight(chars []Char) float64 {
	var heights []float64
	for _, c := range chars {
		if c.Box != (Box{}) {
			heights = append(heights, c.Box.Y2-c.Box.Y1)
		}
	}
	if len(heights) == 0 {
		return 0
	}
	slices.Sort(heights)
	return heights[len(heights)/2]
}

// findRuled finds the tables between lines.
func (f *finder) findRuled() {
	level, upright, ok := rulesOf(f.Paints)
	if !ok {
		f.refuse(Box{0, 0, f.Width, f.Height}, "too many lines")
		return
	}
	found, alone := latticesOf(level, upright)
	slices.SortStableFunc(found, func(a, b lattice) int { return cmp.Compare(len(b.level)*len(b.upright), len(a.level)*len(a.upright)) })
	for _, l := range found {
		g, reason := gridOf(l)
		if g.rows() < 1 || g.cols() < 1 {
			continue
		}
		if f.isTaken(g.box()) {
			continue
		}
		chars := f.within(g.box())
		var t Table
		if reason == "" && g.rows()*g.cols() >= 4 && g.cells != nil {
			t, reason = f.lattice(g, l, chars, true)
		}
		if reason == "" && t.Cells != nil {
			f.add(t)
			continue
		}
		if reason == columnTwo {
			if t, ok := f.bandsOf(l.level, l.upright); ok {
				f.add(t)
				continue
			}
		}
		if reason != "" && looksLikeTable(g, chars) {
			f.refuse(g.box(), reason)
		}
		if g.rows()*g.cols() < 4 {
			alone = append(alone, l.level...)
		}
	}
	f.findBands(alone)
}

// looksLikeTable reports whether text stands in several places of a grid.
func looksLikeTable(g *grid, chars []Char) bool {
	if g.rows()*g.cols() < 4 {
		return false
	}
	rows, cols, both := map[int]bool{}, map[int]bool{}, map[[2]int]bool{}
	for _, c := range chars {
		if c.Box == (Box{}) {
			continue
		}
		if r, k := g.place(c.Box.midX(), c.Box.midY()); r >= 0 && k >= 0 {
			rows[r], cols[k], both[[2]int{r, k}] = true, true, true
		}
	}
	return len(rows) > 1 && len(cols) > 1 && len(both) > 3
}

const groupAbove = "what stands above could be a header of several columns"

// mayHaveGroup reports whether a line that stands above a table, as far as a row would, may be
// a header of several of its columns and no caption: it is short, alone, and no sentence.
func (f *finder) mayHaveGroup(box Box, height, reach float64) bool {
	lines := f.pageLines()
	for i := range lines {
		var in line
		for _, w := range lines[i].words {
			if w.box.X2 > box.X1 && w.box.X1 < box.X2 {
				in.words, in.box = append(in.words, w), in.box.union(w.box)
			}
		}
		gap := box.Y1 - in.box.Y2
		if len(in.words) == 0 || gap < -0.3*height || gap > reach || in.box.X2-in.box.X1 > 0.6*(box.X2-box.X1) || math.Abs(letterHeightOf(in.words)-height) > 0.25*height {
			continue
		}
		text := join(in.words, nil)
		if strings.HasSuffix(text, ".") || strings.HasSuffix(text, ":") || captionStart.MatchString(text) || slices.ContainsFunc(lines, func(l line) bool {
			d := in.box.Y1 - l.box.Y2
			below := math.Abs(l.box.X1-in.box.X1) < height || math.Abs(l.box.midX()-in.box.midX()) < snap
			return below && d > -0.5*height && d < 0.5*height && l.box.midY() < in.box.Y1
		}) {
			continue
		}
		return true
	}
	return false
}

var captionStart = lazyregexp.New(`^\p{L}+\.? ?\p{L}?\d{1,3}(?:\.\d+)*[.:)]?(?: |$)`)

// letterHeightOf returns the height of the tallest of words.
func letterHeightOf(words []word) float64 {
	most := 0.0
	for _, w := range words {
		most = max(most, w.height())
	}
	return most
}

// isNext reports whether a character follows another on its line without a space.
func isNext(a, b Box) bool {
	h := min(a.Y2-a.Y1, b.Y2-b.Y1)
	return min(a.Y2, b.Y2)-max(a.Y1, b.Y1) > 0.5*h && max(b.X1-a.X2, a.X1-b.X2) < 0.1*h
}

// crosses reports whether text stands over a line of a grid, or goes on beyond one.
func (f *finder) crosses(g *grid, owner func(Box) int) bool {
	var last Box // of the character before; empty after a line end
	at := -1     // where it is
	for i, c := range f.Chars {
		if c.Box == (Box{}) {
			if c.Rune != ' ' || i > 0 && f.Chars[i-1].Rune == ' ' {
				last = Box{}
			}
			continue
		}
		k, w, h := owner(c.Box), c.Box.X2-c.Box.X1, c.Box.Y2-c.Box.Y1
		if last != (Box{}) && k != at {
			if isNext(last, c.Box) {
				return true
			}
			if k >= 0 && at >= 0 && goesOver(last, c.Box, g.boxOf(&g.cells[at]).X2) {
				return true
			}
		}
		last, at = c.Box, k
		if k < 0 {
			continue
		}
		cell := g.boxOf(&g.cells[k])
		if c.Box.X1+crossing*w+0.5 < cell.X1 || c.Box.X2-crossing*w-0.5 > cell.X2 || c.Box.Y1+0.4*h < cell.Y1 || c.Box.Y2-0.4*h > cell.Y2 {
			return true
		}
	}
	return false
}

// goesOver reports whether a character follows another after a space in which an upright line
// stands, close to either: text that is too long for its cell.
func goesOver(a, b Box, line float64) bool {
	h := min(a.Y2-a.Y1, b.Y2-b.Y1)
	level := min(a.Y2, b.Y2)-max(a.Y1, b.Y1) > 0.5*h
	return level && b.X1 > a.X2 && b.X1-a.X2 < 0.45*h && min(math.Abs(line-a.X2), math.Abs(b.X1-line)) < 0.15*h
}

// lattice returns the table of a grid of closed cells.
func (f *finder) lattice(g *grid, l lattice, chars []Char, again bool) (Table, string) {
	height := letterHeight(chars)
	if height < leastHeight {
		return Table{}, ""
	}
	if f.isBeyond(g.box()) {
		return Table{}, "it goes beyond the page"
	}
	if g.isNarrow(height) {
		return Table{}, "lines are closer to each other than the height of letters"
	}
	owner := func(b Box) int {
		if r, c := g.place(b.midX(), b.midY()); r >= 0 && c >= 0 {
			return g.owner[r][c]
		}
		return -1
	}
	if f.crosses(g, owner) {
		return Table{}, "text crosses a line"
	}
	words := make([][]word, len(g.cells))
	var all []word
	for _, w := range wordsOf(chars, owner) {
		if k := owner(w.boxes[0]); k >= 0 {
			words[k] = append(words[k], w)
			all = append(all, w)
		}
	}
	filled, rowsWith, colsWith := 0, map[int]bool{}, map[int]bool{}
	for k, c := range g.cells {
		if len(words[k]) > 0 {
			filled++
			rowsWith[c.Row], colsWith[c.Col] = true, true
		}
	}
	if len(rowsWith) < 2 || len(colsWith) < 2 {
		return Table{}, ""
	}
	if filled < 4 || 2*filled < len(g.cells) {
		return Table{}, "most cells are empty"
	}
	if reason := f.drawnOver(g); reason != "" {
		return Table{}, reason
	}
	for k := range g.cells {
		if dividesCell(g, &g.cells[k], words[k]) {
			return Table{}, "a line between two cells is missing"
		}
	}
	for c := range g.cols() {
		if couldBeTwo(g, c, words) {
			return Table{}, columnTwo
		}
	}
	var more []float64 // lines between rows that are not drawn
	for r := range g.rows() {
		b, right, ok := g.band(r, words)
		if !ok || len(b.lines) < 2 {
			continue
		}
		switch division := b.division(right); {
		case division == oneRow:
		case division == eachRow && b.isEven():
			if !again || g.rows() > 3 || len(b.lines) < 3 {
				return Table{}, "lines between rows are missing"
			}
			for i := 1; i < len(b.lines); i++ {
				more = append(more, (b.lines[i-1].box.Y2+b.lines[i].box.Y1)/2)
			}
		case b.hasNumbersBelow() || len(b.lines) > 3:
			return Table{}, "lines between rows are missing"
		}
	}
	if len(more) > 0 {
		for _, y := range more {
			l.level = append(l.level, rule{y, g.xs[0], g.xs[len(g.xs)-1]})
		}
		finer, reason := gridOf(l)
		if reason != "" || finer.cells == nil {
			return Table{}, "lines between rows are missing"
		}
		return f.lattice(finer, l, chars, false)
	}
	t := Table{Box: g.box(), Evidence: Ruled, Confidence: sureRuled, Rows: g.rows(), Cols: g.cols()}
	for k := range g.cells {
		c := g.cells[k]
		c.Box = g.boxOf(&c)
		c.fill(words[k])
		t.Cells = append(t.Cells, c)
	}
	columns := make([]column, g.cols())
	for i := range columns {
		columns[i] = column{g.xs[i], g.xs[i+1]}
	}
	if f.goesOn(t.Box, columns, height, 1.2*height) || f.isBeside(&t, height) {
		return Table{}, "rows stand outside of its lines"
	}
	if isMirrored(all) && t.hasSigns() {
		return Table{}, signsTurned
	}
	t.takeTitle()
	t.Headers = headersOf(&t, f.areaRows(&t))
	t.finish(all)
	return t, ""
}

// takeTitle makes a first row that is one cell with a caption the caption, and leaves out a
// last row that is one cell with a note.
func (t *Table) takeTitle() {
	c := t.Cells[len(t.Cells)-1]
	name, _, _ := strings.Cut(strings.ToLower(c.Text), " ")
	if c.ColSpan == t.Cols && t.Rows > 3 && slices.Contains([]string{"note:", "notes:", "source:", "sources:"}, name) {
		t.Cells, t.Rows, t.Box.Y2 = t.Cells[:len(t.Cells)-1], c.Row, c.Box.Y1
	}
	c = t.Cells[0]
	if c.ColSpan < t.Cols || c.RowSpan > 1 || t.Rows < 3 || !isCaption(c.Text) {
		return
	}
	t.Caption, t.Cells, t.Rows = strings.ReplaceAll(c.Text, "\n", " "), t.Cells[1:], t.Rows-1
	for i := range t.Cells {
		t.Cells[i].Row--
	}
	t.Box.Y1 = c.Box.Y2
}

// isCaption reports whether text begins like the caption of a table.
func isCaption(text string) bool {
	name, rest, _ := strings.Cut(text, " ")
	return slices.Contains([]string{"table", "exhibit", "tab.", "tabelle", "tableau", "tabla", "tabella"}, strings.ToLower(name)) && strings.ContainsAny(rest, "0123456789")
}

// fill puts words into a cell.
func (c *Cell) fill(words []word) {
	found := contentOf(words)
	c.Text, c.Notes = found.text, found.notes
	if c.Box == (Box{}) {
		c.Box = found.box
	}
}

const columnTwo = "a column could be two"

const signsTurned = "signs of numbers stand as in text from right to left"

func isMirrored(words []word) bool { return rtl(words) > 0 }

// hasSigns reports whether numbers of a table have signs, units or brackets, of which the
// order is not known in text from right to left.
func (t *Table) hasSigns() bool {
	return slices.ContainsFunc(t.Cells, func(c Cell) bool {
		return strings.ContainsAny(c.Text, "0123456789") && strings.Trim(c.Text, "0123456789.,") != ""
	})
}

// finish numbers rows and columns from 1, from the right if the text is written so, and
// marks headers.
func (t *Table) finish(words []word) {
	mirrored := isMirrored(words)
	for i := range t.Cells {
		c := &t.Cells[i]
		if mirrored {
			c.Col = t.Cols - c.Col - c.ColSpan
		}
		c.Row, c.Col = c.Row+1, c.Col+1
		c.Header = c.Header || c.Row+c.RowSpan-1 <= t.Headers
	}
	slices.SortStableFunc(t.Cells, func(a, b Cell) int { return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Col, b.Col)) })
}

// drawnOver says whether a drawing lies over several cells of a grid.
func (f *finder) drawnOver(g *grid) string {
	box := g.box()
	for _, p := range f.Paints {
		if p.Kind != Shape || !p.Box.overlaps(box) {
			continue
		}
		x1, y1, x2, y2 := max(p.Box.X1, box.X1)+snap, max(p.Box.Y1, box.Y1)+snap, min(p.Box.X2, box.X2)-snap, min(p.Box.Y2, box.Y2)-snap
		if x1 >= x2 || y1 >= y2 {
			continue
		}
		r1, c1 := g.place(x1, y1)
		r2, c2 := g.place(x2, y2)
		if r1 >= 0 && r2 >= 0 && c1 >= 0 && c2 >= 0 && g.owner[r1][c1] != g.owner[r2][c2] {
			return "a drawing lies over several cells"
		}
	}
	return ""
}

// dividesCell reports whether the text of a merged cell stands apart on both sides of a
// line that is missing.
func dividesCell(g *grid, c *Cell, words []word) bool {
	if c.ColSpan == 1 || len(words) < 2 {
		return false
	}
	for _, l := range linesOf(words) {
		parts := l.clusters(columnGap * l.words[0].height())
		for i := 1; i < len(parts); i++ {
			for x := c.Col + 1; x < c.Col+c.ColSpan; x++ {
				if at := g.xs[x]; parts[i-1].box.X2 < at+snap && parts[i].box.X1 > at-snap {
					return true
				}
			}
		}
	}
	return false
}

// couldBeTwo reports whether the text of a column has a gap at one place in two lines or
// more, where hardly any other line has text.
func couldBeTwo(g *grid, col int, words [][]word) bool {
	var lines []line
	var gaps []column
	for k, c := range g.cells {
		if c.Col == col && c.ColSpan == 1 {
			lines = append(lines, linesOf(words[k])...)
		}
	}
	in := column{g.xs[col], g.xs[col+1]}
	for _, l := range lines {
		parts := l.clusters(columnGap * l.words[0].height())
		for i := 1; i < len(parts); i++ {
			gap := column{parts[i-1].box.X2, parts[i].box.X1}
			for _, other := range gaps {
				both := column{max(gap.from, other.from), min(gap.to, other.to)}
				if both.to-both.from > 0.5*l.words[0].height() && !bridged(lines, in, both.from, both.to) {
					return true
				}
			}
			if gaps = append(gaps, gap); len(gaps) > 200 {
				return true
			}
		}
	}
	return false
}

// band returns a row of a grid of which no cell is in others too.
func (g *grid) band(r int, words [][]word) (b band, right []float64, ok bool) {
	var all []word
	var columns []column
	for c := 0; c < g.cols(); {
		cell := &g.cells[g.owner[r][c]]
		if cell.RowSpan > 1 {
			return band{}, nil, false
		}
		box := g.boxOf(cell)
		end, in := box.X2, words[g.owner[r][c]]
		pad := 0.0
		if len(in) > 0 {
			left := in[0].box.X1
			for _, w := range in {
				left = min(left, w.box.X1)
			}
			pad = min(max(left-box.X1, 0), 8)
			all = append(all, in...)
		}
		columns, right = append(columns, column{box.X1, box.X2}), append(right, end-pad)
		c += cell.ColSpan
	}
	if len(columns) < 2 {
		return band{}, nil, false
	}
	b = newBand(g.ys[r], g.ys[r+1], all, len(columns), func(w word) int {
		return slices.IndexFunc(columns, func(c column) bool { return w.box.midX() >= c.from && w.box.midX() <= c.to })
	})
	return b, right, true
}

// isEven reports whether all cells of a band that are not empty have text in each line.
func (b *band) isEven() bool {
	if len(b.cells) == 0 {
		return false
	}
	filled := 0
	for c := range b.cells[0] {
		n := 0
		for i := range b.cells {
			if len(b.cells[i][c]) > 0 {
				n++
			}
		}
		if n > 0 && n < len(b.lines) {
			return false
		}
		if n > 0 {
			filled++
		}
	}
	return filled > 1
}

// pageLines returns the lines of the page.
func (f *finder) pageLines() []line {
	if f.lines == nil {
		f.lines = linesOf(wordsOf(f.Chars, nil))
	}
	return f.lines
}

// goesOn reports whether text just above or below a table stands in its columns as a row
// of it does.
func (f *finder) goesOn(box Box, columns []column, height, reach float64) bool {
	for _, l := range f.pageLines() {
		below, above := l.box.Y1-box.Y2, box.Y1-l.box.Y2
		if d := max(below, above); d < -0.3*height || d > reach {
			continue
		}
		if fits(&l, box, columns, height) {
			return true
		}
	}
	return false
}

func (f *finder) isBeyond(b Box) bool {
	return b.X1 < -1 || b.Y1 < -1 || b.X2 > f.Width+1 || b.Y2 > f.Height+1
}

// isBeside reports whether text stands close beside most rows of a table.
func (f *finder) isBeside(t *Table, height float64) bool {
	rows := map[int]bool{}
	for _, l := range f.pageLines() {
		for _, w := range l.words {
			y := w.box.midY()
			left, right := t.Box.X1-w.box.X2, w.box.X1-t.Box.X2
			if y < t.Box.Y1 || y > t.Box.Y2 || max(left, right) < -1 || max(left, right) > 1.5*height {
				continue
			}
			for i := range t.Cells {
				if c := &t.Cells[i]; c.Box.Y1 <= y && y <= c.Box.Y2 {
					rows[c.Row] = true
				}
			}
		}
	}
	return len(rows) > 1 && 2*len(rows) >= t.Rows
}

// fits reports whether the parts of a line within a table are in several of its columns,
// each in one.
func fits(l *line, box Box, columns []column, height float64) bool {
	in := line{}
	for _, w := range l.words {
		if w.box.X2 > box.X1 && w.box.X1 < box.X2 {
			in.words = append(in.words, w)
		}
	}
	last, n := -1, 0
	for _, part := range in.clusters(columnGap * height) {
		at := -1
		for c, col := range columns {
			if o := min(part.box.X2, col.to) - max(part.box.X1, col.from); o > 0.7*(part.box.X2-part.box.X1) {
				at = c
			}
		}
		if at < 0 || at == last {
			return false
		}
		last = at
		n++
	}
	return n > 1
}

// areaRows returns how many rows at the top of a table stand on areas that the row below
// does not stand on, or on others.
func (f *finder) areaRows(t *Table) int {
	behind := func(row int) []Box {
		var found []Box
		for i := range t.Cells {
			c := &t.Cells[i]
			if c.Row != row || c.Box == (Box{}) {
				continue
			}
			for _, p := range f.Paints {
				if p.Kind == Area && p.Box.contains(c.Box) && p.Box.Y2-p.Box.Y1 < 0.8*(t.Box.Y2-t.Box.Y1) {
					found = append(found, p.Box)
					break
				}
			}
		}
		return found
	}
	first := behind(0)
	if len(first) == 0 || t.Rows < 2 {
		return 0
	}
	bottom := 0.0
	for _, b := range first {
		bottom = max(bottom, b.Y2)
	}
	if len(behind(1)) > 0 {
		return 0
	}
	return 1
}

// headersOf returns how many rows of a table are headers: those set apart, or the first if
// only the others have numbers in the columns of numbers.
func headersOf(t *Table, apart int) int {
	if apart > 0 {
		return apart
	}
	numbers := make([]int, t.Cols)
	texts := make([]int, t.Cols)
	first := make([]bool, t.Cols)
	for i := range t.Cells {
		c := &t.Cells[i]
		if c.Row == 0 && c.RowSpan > 1 {
			return 0
		}
		switch {
		case c.Text == "" || c.ColSpan > 1:
		case c.Row == 0:
			first[c.Col] = !isNumber(c.Text)
		case isNumber(c.Text):
			numbers[c.Col]++
		default:
			texts[c.Col]++
		}
	}
	proven := 0
	for c := range t.Cols {
		if numbers[c] >= 2 && numbers[c] >= 4*texts[c] {
			if !first[c] {
				return 0
			}
			proven++
		}
	}
	return int(math.Min(1, float64(proven)))
}
