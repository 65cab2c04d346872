package table

import (
	"cmp"
	"math"
	"slices"
)

const (
	maxBands   = 500  // lines across a table
	doubtful   = 0.42 // of the height of letters: a white gap that is wider may divide columns
	leastWidth = 30   // points of a table
)

// findBands finds tables between lines across, with or without areas, whose columns are
// divided by white gaps.
func (f *finder) findBands(level []rule) {
	edges := append(slices.Clone(level), f.areaEdges()...)
	edges = slices.DeleteFunc(joined(edges, 2), func(r rule) bool { return r.to-r.from < leastWidth })
	if len(edges) > maxRules {
		return
	}
	slices.SortStableFunc(edges, func(a, b rule) int { return cmp.Compare(b.to-b.from, a.to-a.from) })
	used := make([]bool, len(edges))
	for i, widest := range edges {
		if used[i] {
			continue
		}
		var group []rule
		for k := i; k < len(edges); k++ {
			if e := edges[k]; !used[k] && math.Abs(e.from-widest.from) <= 4 && math.Abs(e.to-widest.to) <= 4 {
				used[k] = true
				group = append(group, e)
			}
		}
		if len(group) < 2 || len(group) > maxBands {
			continue
		}
		f.findBetween(group, edges)
	}
}

// areaEdges returns the upper and lower edges of areas that may be behind rows.
func (f *finder) areaEdges() []rule {
	const low, high = 6, 300 // points
	var edges []rule
	for _, p := range f.Paints {
		if h := p.Box.Y2 - p.Box.Y1; p.Kind == Area && h >= low && h <= high {
			edges = append(edges, rule{p.Box.Y1, p.Box.X1, p.Box.X2}, rule{p.Box.Y2, p.Box.X1, p.Box.X2})
		}
	}
	return edges
}

// findBetween finds tables between lines of the same length: between all of them, or else
// between those without running text.
func (f *finder) findBetween(group, all []rule) {
	ys := positions(group)
	from, to := group[0].from, group[0].to
	var runs [][]float64
	var run []float64
	for i := 1; i < len(ys); i++ {
		if f.isProse(Box{from, ys[i-1], to, ys[i]}) {
			runs, run = append(runs, run), nil
			continue
		}
		if run == nil {
			run = []float64{ys[i-1]}
		}
		run = append(run, ys[i])
	}
	for _, run := range append(runs, run) {
		if len(run) < 2 {
			continue
		}
		box := Box{from, run[0], to, run[len(run)-1]}
		if f.isTaken(box) {
			continue
		}
		b := bander{finder: f, box: box, ys: run, partials: all}
		if top, ok := f.headAbove(box); ok {
			b.box.Y1, b.ys, b.open = top, append([]float64{top}, run...), true
		}
		switch t, reason := b.table(); {
		case reason == "" && t.Cells != nil && b.hasRow(ys, run):
			f.refuse(box, "rows stand outside of its lines")
		case reason == "" && t.Cells != nil:
			f.add(t)
		case reason != "":
			f.refuse(box, reason)
		}
	}
}

// hasRow reports whether what was taken for running text just above or below a run of lines
// stands in the columns of the table there, so that it may be a row.
func (b *bander) hasRow(ys, run []float64) bool {
	first, last := slices.Index(ys, run[0]), slices.Index(ys, run[len(run)-1])
	var beside []Box
	if first > 0 {
		beside = append(beside, Box{b.box.X1, ys[first-1], b.box.X2, ys[first]})
	}
	if last+1 < len(ys) {
		beside = append(beside, Box{b.box.X1, ys[last], b.box.X2, ys[last+1]})
	}
	return slices.ContainsFunc(beside, func(box Box) bool {
		words := wordsOf(b.within(box), nil)
		return len(words) > 0 && !slices.ContainsFunc(words, func(w word) bool {
			from, to := b.touched(w.box)
			return from < 0 || from != to
		})
	})
}

// headAbove returns the top of lines of text that stand just above a box, and of which the
// lowest stands as headers without a line above them do.
func (f *finder) headAbove(box Box) (top float64, ok bool) {
	height := letterHeight(f.within(box))
	lines := f.pageLines()
	top = box.Y1
	for i := len(lines) - 1; i >= 0; i-- {
		l := &lines[i]
		var in line
		for _, w := range l.words {
			if w.box.X2 > box.X1 && w.box.X1 < box.X2 {
				in.words, in.box = append(in.words, w), in.box.union(w.box)
			}
		}
		if len(in.words) == 0 || in.box.midY() > box.Y1 {
			continue
		}
		near := 0.5 * height
		if !ok {
			near = 1.2 * height
		}
		if top-in.box.Y2 > near || in.box.X1 < box.X1-snap || in.box.X2 > box.X2+snap || !ok && isTitle(&in, box, height) {
			break
		}
		top, ok = min(top, in.box.Y1-0.1*height), true
	}
	return top, ok
}

// isTitle reports whether a line above a table begins as a caption does, or stands as one
// does: without wide gaps, and from its left or in its middle.
func isTitle(l *line, box Box, height float64) bool {
	return isCaption(textOf(l.words)) || len(l.clusters(columnGap*height)) < 2 && (l.box.X1 < box.X1+height || math.Abs(l.box.midX()-box.midX()) < 3 || l.box.X2-l.box.X1 > 0.6*(box.X2-box.X1))
}

// isProse reports whether an area has no text, or only running text without wide gaps.
func (f *finder) isProse(b Box) bool {
	chars := f.within(b)
	height := letterHeight(chars)
	if height == 0 {
		return true
	}
	lines := linesOf(wordsOf(chars, nil))
	n, full := 0, 0
	for i := range lines {
		if len(lines[i].clusters(columnGap*height)) > 1 {
			n++
		}
		if l := lines[i].box; l.X2-l.X1 > 0.7*(b.X2-b.X1) {
			full++
		}
	}
	alone := len(lines) > 1 || b.Y2-b.Y1 > 3*height
	if n > 0 && 2*full < len(lines) {
		return false
	}
	return alone && 10*n < 3*len(lines) && (full > 0 || len(lines) > 3)
}

// bandsOf returns the table between level lines that upright lines only partly divide
// into columns.
func (f *finder) bandsOf(level, upright []rule) (Table, bool) {
	if len(level) < 3 || len(level) > maxBands {
		return Table{}, false
	}
	from, to := level[0].from, level[0].to
	for _, r := range level {
		from, to = min(from, r.from), max(to, r.to)
	}
	var whole []rule
	for _, r := range level {
		if math.Abs(r.from-from) <= 4 && math.Abs(r.to-to) <= 4 {
			whole = append(whole, r)
		}
	}
	if len(whole) < 3 {
		return Table{}, false
	}
	ys := positions(whole)
	for _, v := range upright {
		if v.from > ys[0]+snap || v.to < ys[len(ys)-1]-snap {
			return Table{}, false // it does not divide all rows
		}
	}
	b := bander{finder: f, box: Box{from, ys[0], to, ys[len(ys)-1]}, ys: ys, partials: level, upright: upright}
	t, reason := b.table()
	return t, reason == "" && t.Cells != nil
}

// A bander finds the table in one box.
type bander struct {
	*finder
	box      Box
	ys       []float64 // of lines across all of it
	partials []rule    // other lines, perhaps in it
	upright  []rule
	open     bool // no line stands above its headers

	height  float64
	space   float64 // between words
	columns []column
	cells   []Cell
	words   [][]word // of cells
	rows    int
}

// table returns the table, or why there is none; "" if it does not look like one.
func (b *bander) table() (Table, string) {
	chars := b.within(b.box)
	if b.height = letterHeight(chars); b.height < leastHeight {
		return Table{}, ""
	}
	if b.isBeyond(b.box) {
		return Table{}, "it goes beyond the page"
	}
	words := wordsOf(chars, nil)
	b.space = b.spaceOf(words)
	for _, l := range b.pageLines() {
		for _, w := range l.words {
			y := w.box.midY()
			if y > b.box.Y1 && y < b.box.Y2 && (w.box.X1 < b.box.X1-snap && w.box.X2 > b.box.X1+snap || w.box.X1 < b.box.X2-snap && w.box.X2 > b.box.X2+snap) {
				return Table{}, ""
			}
		}
	}
	bands := make([][]word, len(b.ys)-1)
	for _, w := range words {
		i, _ := slices.BinarySearch(b.ys, w.box.midY())
		if i = i - 1; i < 0 || i >= len(bands) {
			continue
		}
		if w.box.Y1+0.4*w.height() < b.ys[i] || w.box.Y2-0.4*w.height() > b.ys[i+1] {
			return Table{}, "text crosses a line"
		}
		bands[i] = append(bands[i], w)
	}
	if slices.ContainsFunc(bands, func(w []word) bool { return len(w) == 0 }) {
		return Table{}, "a row without text"
	}
	head := 0 // bands that are only headers
	if len(bands) > 1 {
		head = 1
	}
	var body []word
	for _, w := range bands[head:] {
		body = append(body, w...)
	}
	if reason := b.findColumns(linesOf(body)); reason != "" {
		return Table{}, reason
	}
	if len(b.columns) < 2 {
		return Table{}, ""
	}
	headRows := 0
	for i, words := range bands {
		var reason string
		if i < head {
			reason = b.addHead(b.ys[i], b.ys[i+1], words)
			headRows = b.rows
		} else {
			reason = b.addBody(b.ys[i], b.ys[i+1], words, len(bands))
		}
		if reason != "" {
			return Table{}, reason
		}
	}
	return b.result(words, headRows, len(bands))
}

func (b *bander) result(words []word, headRows, bands int) (Table, string) {
	filled, places := 0, 0
	filledIn := make([]int, len(b.columns))
	for k := range b.cells {
		places++
		if len(b.words[k]) > 0 {
			filled++
			filledIn[b.cells[k].Col]++
		}
	}
	if b.rows < 2 || filled < 4 {
		return Table{}, ""
	}
	if 10*filled < 6*places {
		return Table{}, "too many cells are empty"
	}
	t := Table{Box: b.box, Evidence: Ruled, Confidence: sureBands, Rows: b.rows, Cols: len(b.columns)}
	for k := range b.cells {
		c := b.cells[k]
		c.fill(b.words[k])
		t.Cells = append(t.Cells, c)
	}
	if b.goesOn(t.Box, b.columns, b.height, b.reach()) || b.isBeside(&t, b.height) {
		return Table{}, "rows stand outside of its lines"
	}
	if b.mayHaveGroup(t.Box, b.height, b.reach()) {
		return Table{}, groupAbove
	}
	if bands == 1 && !hasNumbers(&t) {
		return Table{}, "nothing but gaps divides its text"
	}
	if isMirrored(words) && t.hasSigns() {
		return Table{}, signsTurned
	}
	apart := b.areaRows(&t)
	if b.rows > bands && headRows > 0 {
		apart = headRows
	}
	t.Headers = headersOf(&t, apart)
	t.finish(words)
	return t, ""
}

// reach returns how far outside the box a row may stand: a little farther than rows are from
// each other.
func (b *bander) reach() float64 {
	apart := (b.box.Y2-b.box.Y1)/float64(b.rows) - b.height
	return max(1.5*b.height, min(1.3*apart, 3*b.height))
}

// hasNumbers reports whether most cells of a column of a table are numbers.
func hasNumbers(t *Table) bool {
	for col := range t.Cols {
		numbers, all := 0, 0
		for _, c := range t.Cells {
			if c.Col == col && c.Text != "" {
				all++
				if isNumber(c.Text) {
					numbers++
				}
			}
		}
		if numbers > 1 && 10*numbers >= 7*all {
			return true
		}
	}
	return false
}

// findColumns finds the columns of lines by the white gaps that all lines have.
func (b *bander) findColumns(lines []line) string {
	var parts []column
	for _, l := range lines {
		for _, w := range l.words {
			parts = append(parts, column{w.box.X1, w.box.X2})
		}
	}
	slices.SortFunc(parts, func(x, y column) int { return cmp.Compare(x.from, y.from) })
	for _, p := range parts {
		n := len(b.columns)
		if n == 0 {
			b.columns = append(b.columns, p)
			continue
		}
		last := &b.columns[n-1]
		gap := p.from - last.to
		divided := slices.ContainsFunc(b.upright, func(v rule) bool {
			return v.pos > last.to-1 && v.pos < p.from+1 && v.from <= b.box.Y1+snap && v.to >= b.box.Y2-snap
		})
		switch {
		case gap >= columnGap*b.height || gap > 0 && divided:
			b.columns = append(b.columns, p)
		case gap >= max(doubtful*b.height, 1.8*b.space) && bothSides(lines, last.to, p.from) > 2,
			gap >= max(doubtful*b.height, 1.4*b.space) && hasEdge(lines, last.to, p.from):
			b.columns = append(b.columns, p)
		case gap >= 1.3*b.space && bothSides(lines, last.to, p.from) > 1:
			return columnTwo
		case gap > 0.1*b.height && varies(lines, last.to, p.from) && !b.isSpace(lines, last.to, p.from):
			return columnTwo
		default:
			last.to = max(last.to, p.to)
		}
	}
	for _, l := range lines {
		parts := l.clusters(columnGap * b.height)
		for i := 1; i < len(parts); i++ {
			left, right := parts[i-1].box.X2, parts[i].box.X1
			c := b.columnAt(left)
			if c == b.columnAt(right) && !bridged(lines, b.columns[c], left, right) {
				return columnTwo
			}
		}
	}
	return ""
}

// bridged reports whether the text of several lines of a column stands where another line
// has a wide gap, as in text that is justified.
func bridged(lines []line, in column, left, right float64) bool {
	n, all := 0, 0
	for _, l := range lines {
		over, any := false, false
		for _, w := range l.words {
			any = any || w.box.X1 < in.to && w.box.X2 > in.from
			over = over || w.box.X1 < right && w.box.X2 > left
		}
		if any {
			all++
		}
		if over {
			n++
		}
	}
	return n >= 2 && 4*n >= all
}

// beside returns the words of a line that stand next to a gap: the last before it and the
// first after it; nil if either is missing.
func (l *line) beside(left, right float64) (before, after *word) {
	for i := range l.words {
		w := &l.words[i]
		if w.box.X1 < left && (before == nil || w.box.X2 > before.box.X2) {
			before = w
		}
		if w.box.X2 > right && (after == nil || w.box.X1 < after.box.X1) {
			after = w
		}
	}
	if before == nil || after == nil || before == after || after.attached {
		return nil, nil
	}
	return before, after
}

// varies reports whether the words on both sides of a gap that all lines have are others in
// each line, as those of two columns.
func varies(lines []line, left, right float64) bool {
	before, after := map[string]bool{}, map[string]bool{}
	n := 0
	for i := range lines {
		if a, b := lines[i].beside(left, right); a != nil {
			n++
			before[string(a.runes)], after[string(b.runes)] = true, true
		}
	}
	return n >= 3 && len(before) > 1 && len(after) > 1
}

// isSpace reports whether a gap that all lines have is but the space between the words of
// one column: as wide as a space in each line where the words beside it are near, while those
// after it stand where no word stands that begins a column. A number ends at one place
// in a column, so that nothing is said of what follows one.
func (b *bander) isSpace(lines []line, left, right float64) bool {
	var near, far []column // words after the gap
	first, last := math.Inf(1), 0.0
	for i := range lines {
		before, after := lines[i].beside(left, right)
		if before == nil {
			continue
		}
		place := column{after.box.X1, after.box.X2}
		switch gap := after.box.X1 - before.box.X2; {
		case gap >= columnGap*b.height:
			far = append(far, place)
			continue
		case math.Abs(gap-b.space) > 0.2*b.space, isNumber(string(before.runes)) && string(after.runes) != "±":
			return false
		}
		near = append(near, place)
		first, last = min(first, after.box.X1), max(last, after.box.X1)
	}
	if len(near) == 0 || len(far) == 0 && last-first < 0.3*b.height {
		return false
	}
	return !slices.ContainsFunc(far, func(c column) bool {
		return slices.ContainsFunc(near, func(n column) bool { return c.from < n.to && n.from < c.to })
	})
}

// hasEdge reports whether a gap has an edge of a column: in most of five lines or more the
// words before it end at one place, or those after it begin at one, and the words on its other
// side do not.
func hasEdge(lines []line, left, right float64) bool {
	const same = 0.6 // points
	ends, starts, n := 0, 0, 0
	for i := range lines {
		before, after := lines[i].beside(left, right)
		if before == nil {
			continue
		}
		n++
		if before.box.X2 > left-same {
			ends++
		}
		if after.box.X1 < right+same {
			starts++
		}
	}
	return n >= 5 && 10*max(ends, starts) >= 9*n && min(ends, starts) < n
}

// spaceOf returns the median space between the words of a table, or of the page if the
// table has few.
func (b *bander) spaceOf(words []word) float64 {
	const enough = 12
	var spaces []float64
	add := func(words []word) {
		for i := 1; i < len(words); i++ {
			gap := words[i].box.X1 - words[i-1].box.X2
			if h := words[i].height(); !words[i].attached && gap > 0.1*h && gap < columnGap*h && words[i].box.midY() > words[i-1].box.Y1 && words[i].box.midY() < words[i-1].box.Y2 {
				spaces = append(spaces, gap/h*b.height)
			}
		}
	}
	add(words)
	own := 0.0
	if len(spaces) > 0 {
		slices.Sort(spaces)
		own = spaces[len(spaces)/2]
	}
	if len(spaces) >= enough {
		return own
	}
	for _, l := range b.pageLines() {
		add(l.words)
	}
	if len(spaces) == 0 {
		return 0.3 * b.height
	}
	slices.Sort(spaces)
	return max(own, spaces[len(spaces)/2])
}

// bothSides returns in how many lines a gap is between words.
func bothSides(lines []line, left, right float64) int {
	n := 0
	for _, l := range lines {
		before, after := false, false
		for _, w := range l.words {
			before, after = before || w.box.X1 < left, after || w.box.X2 > right
		}
		if before && after {
			n++
		}
	}
	return n
}

// columnAt returns the column that is nearest to a place.
func (b *bander) columnAt(x float64) int {
	best, least := 0, math.Inf(1)
	for i, c := range b.columns {
		if d := max(c.from-x, x-c.to, 0); d < least {
			best, least = i, d
		}
	}
	return best
}

// touched returns the first and the last column that something overlaps; -1 if none.
func (b *bander) touched(box Box) (first, last int) {
	first, last = -1, -1
	for i, c := range b.columns {
		if min(c.to, box.X2)-max(c.from, box.X1) > 0.1*b.height {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return first, last
}

// addBody adds the rows of a band.
func (b *bander) addBody(top, bottom float64, words []word, bands int) string {
	in := newBand(top, bottom, words, len(b.columns), func(w word) int { return b.columnAt(w.box.midX()) })
	right := make([]float64, len(b.columns))
	for i, c := range b.columns {
		right[i] = c.to
	}
	switch division := in.division(right); {
	case division == oneRow && (len(in.lines) == 1 || bands > 3):
		b.addRow(in.cells)
	case division == eachRow && bands <= 3:
		for i := range in.cells {
			b.addRow(in.cells[i : i+1])
		}
	default:
		rows := b.byStrips(in, right)
		if rows == nil {
			return "rows and the lines of cells cannot be told apart"
		}
		for _, row := range rows {
			b.addRow(row.cells)
		}
	}
	return ""
}

// byStrips returns the rows of a band that white strips across it divide: those between
// rows are clearly higher than those between the lines of cells. It returns nil if that
// is not proven.
func (b *bander) byStrips(in band, right []float64) []band {
	const clear = 0.25 // of the height of letters
	lines := slices.Clone(in.lines)
	slices.SortFunc(lines, func(x, y line) int { return cmp.Compare(x.box.Y1, y.box.Y1) })
	var strips []float64 // heights of strips, below each line; negative if the next one overlaps it
	var bottom float64
	for i, l := range lines {
		if i > 0 {
			strips = append(strips, l.box.Y1-bottom)
		}
		bottom = max(bottom, l.box.Y2)
		if i == 0 {
			bottom = l.box.Y2
		}
	}
	sorted := slices.Clone(strips)
	slices.Sort(sorted)
	at := -1
	for i := 1; i < len(sorted); i++ {
		if sorted[i]-sorted[i-1] >= clear*b.height {
			if at >= 0 {
				return nil
			}
			at = i
		}
	}
	if at < 0 || sorted[at] < clear*b.height || sorted[len(sorted)-1] > 3*sorted[at]+b.height {
		return nil
	}
	var rows []band
	start := 0
	for i := range lines {
		if i+1 < len(lines) && strips[i] < sorted[at] {
			continue
		}
		var words []word
		for _, l := range lines[start : i+1] {
			words = append(words, l.words...)
		}
		row := newBand(lines[start].box.Y1, lines[i].box.Y2, words, len(b.columns), func(w word) int { return b.columnAt(w.box.midX()) })
		if row.division(right) != oneRow || row.hasNumbersBelow() {
			return nil
		}
		rows = append(rows, row)
		start = i + 1
	}
	return rows
}

// addRow adds a row of the words of some lines.
func (b *bander) addRow(lines [][][]word) {
	for c := range b.columns {
		var words []word
		for _, l := range lines {
			words = append(words, l[c]...)
		}
		b.add(Cell{Row: b.rows, Col: c, RowSpan: 1, ColSpan: 1}, words)
	}
	b.rows++
}

func (b *bander) add(c Cell, words []word) {
	b.cells, b.words = append(b.cells, c), append(b.words, words)
}

// addHead adds the headers of a band, which may span columns with a line under them.
func (b *bander) addHead(top, bottom float64, words []word) string {
	var under []rule // lines under headers
	for _, r := range b.partials {
		if r.pos > top+snap && r.pos < bottom-snap && r.from >= b.box.X1-snap && r.to <= b.box.X2+snap {
			under = append(under, r)
		}
	}
	ys := append([]float64{top}, positions(under)...)
	ys = append(ys, bottom)
	for i := 1; i+1 < len(ys); i++ {
		if b.standsAcross(words, under, ys[i]) {
			return "a header stands beside several rows without lines"
		}
	}
	for i := 1; i < len(ys); i++ {
		var in []word
		for _, w := range words {
			if y := w.box.midY(); y >= ys[i-1] && y < ys[i] {
				in = append(in, w)
			}
		}
		if reason := b.addHeadRow(ys[i], in, under); reason != "" {
			return reason
		}
	}
	return ""
}

// standsAcross reports whether headers of a column have text above and below a place where
// other headers have a line.
func (b *bander) standsAcross(words []word, under []rule, y float64) bool {
	for _, c := range b.columns {
		if slices.ContainsFunc(under, func(r rule) bool {
			return math.Abs(r.pos-y) <= 2*snap && min(r.to, c.to)-max(r.from, c.from) > 0
		}) {
			continue
		}
		above, below := false, false
		for _, w := range words {
			if min(w.box.X2, c.to)-max(w.box.X1, c.from) > 0 {
				above, below = above || w.box.Y1 < y, below || w.box.Y2 > y
			}
		}
		if above && below {
			return true
		}
	}
	return false
}

func (b *bander) addHeadRow(bottom float64, words []word, under []rule) string {
	if len(words) == 0 {
		return "a row without text"
	}
	spans := map[int]int{}  // last columns by first ones
	ruled := map[int]bool{} // columns of headers with a line under them
	in := map[int][]word{}
	for _, l := range linesOf(words) {
		inLine := map[int]bool{}
		parts := l.clusters(max(doubtful*b.height, 1.5*b.space))
		inOrder := len(parts) == len(b.columns)
		for i, part := range parts {
			inOrder = inOrder && (i == 0 || part.box.X1 > b.columns[i-1].to) && (i+1 == len(parts) || part.box.X2 < b.columns[i+1].from)
		}
		for i, part := range parts {
			first, last := b.touched(part.box)
			if inOrder {
				first, last = i, i
			}
			if first < 0 {
				return "a header stands between two columns"
			}
			if first != last {
				at := slices.IndexFunc(under, func(r rule) bool {
					return math.Abs(r.pos-bottom) <= snap && r.from <= part.box.X1+snap && r.to >= part.box.X2-snap
				})
				if at < 0 {
					return "a header stands over several columns without a line"
				}
				first, last = b.touched(Box{under[at].from, 0, under[at].to, 0})
				ruled[first] = true
			} else if at := slices.IndexFunc(under, func(r rule) bool {
				return math.Abs(r.pos-bottom) <= snap && r.from <= part.box.X1+snap && r.to >= part.box.X2-snap
			}); at >= 0 {
				first, last = b.touched(Box{under[at].from, 0, under[at].to, 0})
				ruled[first] = true
			}
			if first < 0 || spans[first] != 0 && spans[first] != last+1 || first != last && inLine[first] {
				return "headers overlap"
			}
			inLine[first] = true
			spans[first] = last + 1
			in[first] = append(in[first], part.words...)
		}
	}
	at := map[int]int{} // columns of words
	for c, list := range in {
		for _, w := range list {
			at[w.at] = c
		}
	}
	lines := newBand(0, bottom, words, len(b.columns), func(w word) int { return at[w.at] })
	right := make([]float64, len(b.columns))
	for i := range right {
		right[i] = b.columns[i].to
		if i+1 < len(right) {
			right[i] = max(right[i], b.columns[i+1].from-columnGap*b.height)
		}
		for _, w := range in[i] {
			right[i] = max(right[i], w.box.X2)
		}
	}
	if lines.division(right) != oneRow || differInHeight(in) || b.open && lines.isFull() {
		return "rows and the lines of headers cannot be told apart"
	}
	if len(in) == 1 && spans[0] == 1 {
		return "a header could stand over several columns"
	}
	for _, l := range lines.cells {
		for c := range l {
			if len(l[c]) > 0 && !ruled[c] && b.maySpan(l, c) {
				return "a header could stand over several columns"
			}
		}
	}
	for c := 0; c < len(b.columns); {
		span := max(spans[c]-c, 1)
		for k := c + 1; k < c+span; k++ {
			if spans[k] != 0 {
				return "headers overlap"
			}
		}
		b.add(Cell{Row: b.rows, Col: c, RowSpan: 1, ColSpan: span}, in[c])
		c += span
	}
	b.rows++
	return ""
}

// isFull reports whether most columns of a band have text in two lines, one below the other.
func (b *band) isFull() bool {
	for i := 1; i < len(b.cells); i++ {
		both := 0
		for c := range b.cells[i] {
			if len(b.cells[i-1][c]) > 0 && len(b.cells[i][c]) > 0 {
				both++
			}
		}
		if both > 1 && 2*both > len(b.cells[i]) {
			return true
		}
	}
	return false
}

// differInHeight reports whether a header has letters of several heights.
func differInHeight(in map[int][]word) bool {
	for _, words := range in {
		low, high := math.Inf(1), 0.0
		for _, w := range words {
			if len(w.runes) > 2 {
				low, high = min(low, w.height()), max(high, w.height())
			}
		}
		if low < 0.92*high {
			return true
		}
	}
	return false
}

// maySpan reports whether the header of column c in a line may be that of a column beside
// it too, which has none. Of the first column that is said only where it stands alone.
func (b *bander) maySpan(l [][]word, c int) bool {
	if c == 0 && len(b.columns) > 2 {
		return !slices.ContainsFunc(l[1:], func(words []word) bool { return len(words) > 0 })
	}
	return c > 1 && len(l[c-1]) == 0 || c > 0 && c+1 < len(l) && len(l[c+1]) == 0
}
