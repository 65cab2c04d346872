package table

import (
	"cmp"
	"math"
	"slices"
)

const (
	snap      = 3.0    // points between lines that count as one
	maxRules  = 2_000  // lines of a page, after those that continue each other are joined
	maxPlaces = 20_000 // of a grid
	crossing  = 0.25   // of the width of a character, that a line may touch
)

// A rule is a line: pos is where, from and to are how far.
type rule struct{ pos, from, to float64 }

// rulesOf returns the level and the upright lines of a page, joined where they continue
// each other. It returns false if there are too many.
func rulesOf(paints []Paint) (level, upright []rule, ok bool) {
	for _, p := range paints {
		if p.Kind != Rule {
			continue
		}
		b := p.Box
		if b.X2-b.X1 >= b.Y2-b.Y1 {
			level = append(level, rule{b.midY(), b.X1, b.X2})
		} else {
			upright = append(upright, rule{b.midX(), b.Y1, b.Y2})
		}
	}
	level, upright = joined(level, 1.5), joined(upright, 1.5)
	return level, upright, len(level)+len(upright) <= maxRules
}

// joined joins rules that lie on one line and touch each other.
func joined(rules []rule, near float64) []rule {
	slices.SortFunc(rules, func(a, b rule) int { return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(a.from, b.from)) })
	var out []rule
	for start := 0; start < len(rules); {
		end := start + 1
		for end < len(rules) && rules[end].pos-rules[start].pos <= near {
			end++
		}
		group := rules[start:end]
		slices.SortFunc(group, func(a, b rule) int { return cmp.Compare(a.from, b.from) })
		now := group[0]
		for _, r := range group[1:] {
			if r.from <= now.to+near {
				now.to = max(now.to, r.to)
				continue
			}
			out = append(out, now)
			now = r
		}
		out = append(out, now)
		start = end
	}
	return out
}

// crosses reports whether a level and an upright rule meet.
func crosses(level, upright rule) bool {
	return upright.pos >= level.from-snap && upright.pos <= level.to+snap && level.pos >= upright.from-snap && level.pos <= upright.to+snap
}

// A lattice is a set of lines that meet.
type lattice struct{ level, upright []rule }

// latticesOf returns the sets of lines that meet, and the level lines that meet none.
func latticesOf(level, upright []rule) (found []lattice, alone []rule) {
	parent := make([]int, len(level)+len(upright))
	for i := range parent {
		parent[i] = i
	}
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for i, h := range level {
		for k, v := range upright {
			if crosses(h, v) {
				parent[root(i)] = root(len(level) + k)
			}
		}
	}
	at := map[int]int{}
	for i := range parent {
		r := root(i)
		k, ok := at[r]
		if !ok {
			k = len(found)
			at[r] = k
			found = append(found, lattice{})
		}
		if i < len(level) {
			found[k].level = append(found[k].level, level[i])
		} else {
			found[k].upright = append(found[k].upright, upright[i-len(level)])
		}
	}
	found = slices.DeleteFunc(found, func(l lattice) bool {
		if len(l.upright) == 0 {
			alone = append(alone, l.level...)
		}
		return len(l.upright) == 0 || len(l.level) == 0
	})
	return found, alone
}

// positions returns the places of rules, those within snap as one.
func positions(rules []rule) []float64 {
	all := make([]float64, len(rules))
	for i, r := range rules {
		all[i] = r.pos
	}
	slices.Sort(all)
	var out []float64
	for start := 0; start < len(all); {
		end := start + 1
		for end < len(all) && all[end]-all[end-1] <= snap && all[end]-all[start] <= 2*snap {
			end++
		}
		out = append(out, (all[start]+all[end-1])/2)
		start = end
	}
	return out
}

// A wall is what stands between two places of a grid.
type wall int

const (
	none wall = iota
	partial
	whole
)

// wallAt returns how much of a line from one place to another is drawn.
func wallAt(rules []rule, pos, from, to float64) wall {
	covered, at := 0.0, from
	for _, r := range rules { // sorted by pos, then from
		if math.Abs(r.pos-pos) <= snap+1 && r.to > at {
			start := max(r.from, at)
			if end := min(r.to, to); end > start {
				covered += end - start
				at = end
			}
		}
	}
	length := to - from
	switch {
	case covered >= length-min(2*snap, 0.3*length):
		return whole
	case covered <= min(2*snap, 0.3*length):
		return none
	}
	return partial
}

// A grid is a table that is being found: its lines, and which places are merged.
type grid struct {
	xs, ys []float64
	owner  [][]int // which cell has a place, as index in cells
	cells  []Cell  // with Row, Col and spans, from 0
}

func (g *grid) rows() int { return len(g.ys) - 1 }
func (g *grid) cols() int { return len(g.xs) - 1 }

func (g *grid) box() Box {
	return Box{g.xs[0], g.ys[0], g.xs[len(g.xs)-1], g.ys[len(g.ys)-1]}
}

// boxOf returns the place of a cell.
func (g *grid) boxOf(c *Cell) Box {
	return Box{g.xs[c.Col], g.ys[c.Row], g.xs[c.Col+c.ColSpan], g.ys[c.Row+c.RowSpan]}
}

// place returns the row and column of a point, or -1.
func (g *grid) place(x, y float64) (row, col int) {
	find := func(list []float64, v float64) int {
		i, found := slices.BinarySearch(list, v)
		if !found {
			i--
		}
		if i >= len(list)-1 {
			return -1
		}
		return i
	}
	return find(g.ys, y), find(g.xs, x)
}

// gridOf returns the grid that lines make. The reason says why they make none; it is ""
// if they do not look like a table.
func gridOf(l lattice) (g *grid, reason string) {
	byFrom := func(a, b rule) int { return cmp.Compare(a.from, b.from) }
	slices.SortFunc(l.level, byFrom)
	slices.SortFunc(l.upright, byFrom)
	g = &grid{xs: positions(l.upright), ys: positions(l.level)}
	g.xs = opened(g.xs, l.level)
	g.ys = opened(g.ys, l.upright)
	if g.rows() < 1 || g.cols() < 1 || g.rows()*g.cols() < 4 || g.rows()*g.cols() > maxPlaces {
		return g, ""
	}
	if goBeyond(g.xs, l.level) || goBeyond(g.ys, l.upright) {
		return g, "lines go beyond its cells"
	}
	rows, cols := g.rows(), g.cols()
	parent := make([]int, rows*cols)
	for i := range parent {
		parent[i] = i
	}
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	var broken bool
	for r := range rows {
		for c := range cols {
			if c+1 < cols {
				switch wallAt(l.upright, g.xs[c+1], g.ys[r], g.ys[r+1]) {
				case none:
					parent[root(r*cols+c)] = root(r*cols + c + 1)
				case partial:
					broken = true
				}
			}
			if r+1 < rows {
				switch wallAt(l.level, g.ys[r+1], g.xs[c], g.xs[c+1]) {
				case none:
					parent[root(r*cols+c)] = root((r+1)*cols + c)
				case partial:
					broken = true
				}
			}
		}
	}
	if broken {
		return g, "lines end within cells"
	}
	g.owner = make([][]int, rows)
	at := map[int]int{}
	for r := range rows {
		g.owner[r] = make([]int, cols)
		for c := range cols {
			k, ok := at[root(r*cols+c)]
			if !ok {
				k = len(g.cells)
				at[root(r*cols+c)] = k
				g.cells = append(g.cells, Cell{Row: r, Col: c, RowSpan: 1, ColSpan: 1})
			}
			cell := &g.cells[k]
			cell.RowSpan, cell.ColSpan = max(cell.RowSpan, r-cell.Row+1), max(cell.ColSpan, c-cell.Col+1)
			g.owner[r][c] = k
		}
	}
	for k := range g.cells {
		cell := &g.cells[k]
		for r := cell.Row; r < cell.Row+cell.RowSpan; r++ {
			for c := cell.Col; c < cell.Col+cell.ColSpan; c++ {
				if g.owner[r][c] != k {
					return g, "lines that are missing make cells that are no rectangles"
				}
			}
		}
	}
	return g, ""
}

// opened adds the ends of rules to the places of those that cross them, if these ends
// are all beyond these places and the same: a frame that is open there.
func opened(places []float64, across []rule) []float64 {
	if len(places) == 0 || len(across) < 2 {
		return places
	}
	from, to := across[0].from, across[0].to
	for _, r := range across {
		from, to = min(from, r.from), max(to, r.to)
	}
	same := func(end func(rule) float64, v float64) bool {
		n := 0
		for _, r := range across {
			if math.Abs(end(r)-v) <= snap {
				n++
			}
		}
		return n > len(across)/2 && n > 1
	}
	if first := places[0]; from < first-2*snap && same(func(r rule) float64 { return r.from }, from) {
		places = append([]float64{from}, places...)
	}
	if last := places[len(places)-1]; to > last+2*snap && same(func(r rule) float64 { return r.to }, to) {
		places = append(places, to)
	}
	return places
}

// goBeyond reports whether several rules, or half of them, go beyond the first or the last of
// the places of those that cross them.
func goBeyond(places []float64, across []rule) bool {
	before, after := 0, 0
	for _, r := range across {
		if r.from < places[0]-2*snap {
			before++
		}
		if r.to > places[len(places)-1]+2*snap {
			after++
		}
	}
	return max(before, after) > 1 || 2*max(before, after) >= len(across)
}

// isNarrow reports whether a row or a column is too narrow for letters of a height.
func (g *grid) isNarrow(height float64) bool {
	for _, list := range [][]float64{g.xs, g.ys} {
		for i := 1; i < len(list); i++ {
			if list[i]-list[i-1] < 0.5*height {
				return true
			}
		}
	}
	return false
}
