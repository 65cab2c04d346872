package table

import "slices"

// A column is where the text of a column stands, or may stand.
type column struct{ from, to float64 }

// A band is the part of a table between two lines across it.
type band struct {
	top, bottom float64
	lines       []line
	cells       [][][]word // by lines, then columns
}

// newBand returns a band of words, which are each in the column that in returns.
func newBand(top, bottom float64, words []word, cols int, in func(word) int) band {
	b := band{top: top, bottom: bottom, lines: linesOf(words)}
	for _, l := range b.lines {
		row := make([][]word, cols)
		for _, w := range l.words {
			if c := in(w); c >= 0 && c < cols {
				row[c] = append(row[c], w)
			}
		}
		b.cells = append(b.cells, row)
	}
	return b
}

// A division says what the lines of a band are.
type division int

const (
	oneRow   division = iota // the lines of the cells of one row
	eachRow                  // a row each
	unproven                 // either
)

// division decides what the lines of a band are from where text would have been broken.
// Right says where the columns end.
func (b *band) division(right []float64) division {
	lines := len(b.lines)
	if lines < 2 {
		return oneRow
	}
	rows := true
	for i := range lines {
		filled := 0
		for c := range right {
			if len(b.cells[i][c]) > 0 {
				filled++
			}
		}
		if len(b.cells[i][0]) == 0 || 2*filled < len(right) || filled < 2 {
			rows = false
		}
		if i > 0 && !slices.ContainsFunc(firstIndexes(len(right)), func(c int) bool { return b.differs(i, c, right[c]) }) {
			rows = false
		}
	}
	if rows {
		return eachRow
	}
	for c := range right {
		last := -1
		for i := range lines {
			if len(b.cells[i][c]) == 0 {
				continue
			}
			if last >= 0 && !wraps(b.cells[last][c], b.cells[i][c], right[c]) {
				return unproven
			}
			last = i
		}
	}
	return oneRow
}

func firstIndexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// hasNumbersBelow reports whether a number stands below another in one column.
func (b *band) hasNumbersBelow() bool {
	for i := 1; i < len(b.cells); i++ {
		for c := range b.cells[i] {
			above, here := b.cells[i-1][c], b.cells[i][c]
			if len(above) > 0 && len(here) > 0 && isNumber(textOf(above)) && isNumber(textOf(here)) {
				return true
			}
		}
	}
	return false
}

// differs reports whether the text of column c in line i cannot continue that of the line
// above.
func (b *band) differs(i, c int, right float64) bool {
	above, here := b.cells[i-1][c], b.cells[i][c]
	if len(above) == 0 || len(here) == 0 {
		return false
	}
	if isNumber(textOf(above)) && isNumber(textOf(here)) {
		return true
	}
	h := above[0].height()
	return endOf(above)+0.3*h+wordWidth(here)+0.6*h < right
}

// wraps reports whether a line of a cell is one that text was broken into: what follows
// would not have had room in it.
func wraps(above, here []word, right float64) bool {
	if isNumber(textOf(above)) && isNumber(textOf(here)) {
		return false
	}
	h := above[0].height()
	return endOf(above)+0.3*h+wordWidth(here) > right-0.6*h
}

func endOf(words []word) float64 {
	left, right := words[0].box.X1, words[0].box.X2
	for _, w := range words {
		left, right = min(left, w.box.X1), max(right, w.box.X2)
	}
	return right
}

// wordWidth returns the width of the first word of a line.
func wordWidth(words []word) float64 {
	return words[0].box.X2 - words[0].box.X1
}

func textOf(words []word) string { return join(words, nil) }

// clusters returns the parts of a line that have no wide gap.
func (l *line) clusters(gap float64) []line {
	var out []line
	for _, w := range l.words {
		if n := len(out); n > 0 && w.box.X1-out[n-1].box.X2 < gap {
			out[n-1].words = append(out[n-1].words, w)
			out[n-1].box = out[n-1].box.union(w.box)
			continue
		}
		out = append(out, line{words: []word{w}, box: w.box})
	}
	return out
}
