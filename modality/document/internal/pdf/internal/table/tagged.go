package table

import (
	"slices"
	"strings"
)

// findTagged finds the tables that the structure of the document has.
func (f *finder) findTagged() {
	if len(f.Tagged) == 0 {
		return
	}
	byMark := map[int][]word{}
	for _, w := range wordsOf(f.Chars, nil) {
		if w.mark >= 0 {
			byMark[w.mark] = append(byMark[w.mark], w)
		}
	}
	used := map[int]bool{}
	for i := range f.Tagged {
		f.tagged(&f.Tagged[i], byMark, used)
	}
}

// tagged adds a table of the structure if the places of its text agree with it.
func (f *finder) tagged(s *Structure, byMark map[int][]word, used map[int]bool) {
	g, ok := placed(s)
	if s.Unclear || !ok {
		var box Box
		for _, row := range s.Rows {
			for _, cell := range row {
				for _, m := range cell.Marks {
					for _, w := range byMark[m] {
						box = box.union(w.box)
					}
				}
			}
		}
		if box != (Box{}) {
			f.refuse(box, "its structure is not a grid of this page")
		}
		return
	}
	words := make([][]word, len(g.cells))
	var all []word
	var box Box
	k := 0
	clear := true
	for _, row := range s.Rows {
		for _, cell := range row {
			for _, m := range cell.Marks {
				clear = clear && !used[m]
				used[m] = true
				words[k] = append(words[k], byMark[m]...)
			}
			all = append(all, words[k]...)
			for _, w := range words[k] {
				box = box.union(w.box)
			}
			k++
		}
	}
	if len(all) == 0 {
		return
	}
	if !clear || !g.agrees(words, isMirrored(all)) {
		f.refuse(box, "its text does not stand as its structure says")
		return
	}
	t := Table{Box: box, Evidence: Tagged, Confidence: sureTagged, Rows: len(g.owner), Cols: len(g.owner[0]), Continues: s.Continues}
	for k := range g.cells {
		c := g.cells[k]
		c.fill(words[k])
		c.Row, c.Col = c.Row+1, c.Col+1
		t.Cells = append(t.Cells, c)
	}
	if isMirrored(all) && t.hasSigns() {
		f.refuse(box, signsTurned)
		return
	}
	for t.Headers < t.Rows && t.isHeader(t.Headers+1) {
		t.Headers++
	}
	if t.Headers == t.Rows {
		t.Headers = 0
	}
	var caption []string
	for _, m := range s.Caption {
		if text := contentOf(byMark[m]).text; text != "" {
			caption = append(caption, strings.ReplaceAll(text, "\n", " "))
		}
	}
	t.Caption = strings.Join(caption, " ")
	f.add(t)
}

// isHeader reports whether all cells of a row are headers.
func (t *Table) isHeader(row int) bool {
	for col := 1; col <= t.Cols; col++ {
		if c := t.At(row, col); c == nil || !c.Header {
			return false
		}
	}
	return true
}

// placed returns the grid of a structure: each cell has the first free places of its row,
// as in HTML. It returns false if cells overlap or places are left over.
func placed(s *Structure) (*grid, bool) {
	g := &grid{owner: make([][]int, len(s.Rows))}
	cols, places := 0, 0
	for i, row := range s.Rows {
		at := 0
		for _, c := range row {
			for at < len(g.owner[i]) && g.owner[i][at] >= 0 {
				at++
			}
			if c.RowSpan < 1 || c.ColSpan < 1 || i+c.RowSpan > len(s.Rows) {
				return nil, false
			}
			if places += c.RowSpan * c.ColSpan; places > maxPlaces {
				return nil, false
			}
			for r := i; r < i+c.RowSpan; r++ {
				for len(g.owner[r]) < at+c.ColSpan {
					g.owner[r] = append(g.owner[r], -1)
				}
				for k := at; k < at+c.ColSpan; k++ {
					if g.owner[r][k] >= 0 {
						return nil, false
					}
					g.owner[r][k] = len(g.cells)
				}
			}
			g.cells = append(g.cells, Cell{Row: i, Col: at, RowSpan: c.RowSpan, ColSpan: c.ColSpan, Header: c.Header})
			cols = max(cols, at+c.ColSpan)
			at += c.ColSpan
		}
	}
	for _, row := range g.owner {
		if len(row) != cols || slices.Contains(row, -1) {
			return nil, false
		}
	}
	return g, len(g.owner) > 0 && cols > 0 && len(g.cells) > 1
}

// agrees reports whether the text of cells stands in rows and columns.
func (g *grid) agrees(words [][]word, mirrored bool) bool {
	rows, cols := len(g.owner), len(g.owner[0])
	bottoms, tops := make([]float64, rows), make([]float64, rows) // middles of the lowest and highest lines
	lefts, rights := make([]float64, cols), make([]float64, cols)
	hasRow, hasCol := make([]bool, rows), make([]bool, cols)
	for k, c := range g.cells {
		if len(words[k]) == 0 {
			continue
		}
		top, bottom, left, right := words[k][0].box.midY(), words[k][0].box.midY(), words[k][0].box.X1, words[k][0].box.X2
		for _, w := range words[k] {
			top, bottom = min(top, w.box.midY()), max(bottom, w.box.midY())
			left, right = min(left, w.box.X1), max(right, w.box.X2)
		}
		if r := c.Row; c.RowSpan == 1 {
			if !hasRow[r] {
				tops[r], bottoms[r], hasRow[r] = top, bottom, true
			}
			tops[r], bottoms[r] = min(tops[r], top), max(bottoms[r], bottom)
		}
		if l := c.Col; c.ColSpan == 1 {
			if !hasCol[l] {
				lefts[l], rights[l], hasCol[l] = left, right, true
			}
			lefts[l], rights[l] = min(lefts[l], left), max(rights[l], right)
		}
	}
	for last, r := -1, 0; r < rows; r++ {
		if !hasRow[r] {
			continue
		}
		if last >= 0 && tops[r] <= bottoms[last] {
			return false
		}
		last = r
	}
	for last, c := -1, 0; c < cols; c++ {
		if !hasCol[c] {
			continue
		}
		if last >= 0 && (!mirrored && lefts[c] < rights[last]-2 || mirrored && rights[c] > lefts[last]+2) {
			return false
		}
		last = c
	}
	return true
}
