package table

import "strings"

const (
	leastAligned = 3 // rows and columns of a table that only gaps prove
	pitch        = 1.9
)

// findAligned finds tables without lines: at least three columns, of which all but the
// first are numbers, and at least three rows.
func (f *finder) findAligned() {
	lines := f.pageLines()
	height := letterHeight(f.Chars)
	for start := 0; start < len(lines); {
		end := start
		for end < len(lines) && isNumeric(&lines[end], height) && (end == start || lines[end].box.Y1-lines[end-1].box.Y2 < pitch*height) {
			end++
		}
		if end-start >= leastAligned {
			f.aligned(lines, start, end)
		}
		start = max(end, start+1)
	}
}

// isNumeric reports whether a line has several parts, of which all but the first are numbers.
func isNumeric(l *line, height float64) bool {
	parts := l.clusters(columnGap * height)
	numbers := 0
	for i, p := range parts {
		text := textOf(p.words)
		if strings.Contains(text, "....") || strings.Contains(text, ". . .") {
			return false
		}
		if i > 0 && isNumber(text) {
			numbers++
		}
	}
	return len(parts) >= leastAligned && numbers == len(parts)-1
}

// aligned adds the table whose body is lines from start to end, with the line above as
// its header.
func (f *finder) aligned(lines []line, start, end int) {
	var box Box
	for _, l := range lines[start:end] {
		box = box.union(l.box)
	}
	b := bander{finder: f, box: box}
	b.height = letterHeight(f.within(box))
	if f.isTaken(box) || b.height == 0 {
		return
	}
	b.space = b.spaceOf(wordsOf(f.within(box), nil))
	refuse := func(reason string) { f.refuse(box, reason) }
	if reason := b.findColumns(lines[start:end]); reason != "" {
		refuse(reason)
		return
	}
	if len(b.columns) < leastAligned {
		return
	}
	var words []word
	if start > 0 && box.Y1-lines[start-1].box.Y2 < 1.2*b.height {
		above := &lines[start-1]
		parts := above.clusters(columnGap * b.height)
		if len(parts) < len(b.columns)-1 {
			refuse("the rows above are not clear")
			return
		}
		if reason := b.addHeadRow(box.Y1, above.words, nil); reason != "" {
			refuse(reason)
			return
		}
		words = append(words, above.words...)
		box = box.union(above.box)
		if start > 1 && above.box.Y1-lines[start-2].box.Y2 < 0.6*b.height {
			refuse("the rows above are not clear")
			return
		}
	}
	heads := b.rows
	for _, l := range lines[start:end] {
		in := newBand(0, 0, l.words, len(b.columns), func(w word) int { return b.columnAt(w.box.midX()) })
		if len(in.lines) != 1 {
			refuse("rows are not level")
			return
		}
		b.addRow(in.cells)
		words = append(words, l.words...)
	}
	b.box = box
	if end < len(lines) && (lines[end].box.Y1-box.Y2 < 0.6*b.height || lines[end].box.Y1-box.Y2 < b.reach() && len(lines[end].clusters(columnGap*b.height)) > 1) {
		refuse("the rows below are not clear")
		return
	}
	t := Table{Box: box, Evidence: Aligned, Confidence: sureAligned, Rows: b.rows, Cols: len(b.columns), Headers: heads}
	filled := 0
	for k := range b.cells {
		c := b.cells[k]
		c.fill(b.words[k])
		if c.Text != "" {
			filled++
		}
		t.Cells = append(t.Cells, c)
	}
	if 10*filled < 9*len(t.Cells) || f.goesOn(box, b.columns, b.height, b.reach()) || f.mayHaveGroup(box, b.height, b.reach()) {
		refuse("rows or columns are not complete")
		return
	}
	t.finish(words)
	f.add(t)
}
