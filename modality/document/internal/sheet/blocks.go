package sheet

import (
	"bytes"
	"cmp"
	"slices"
)

const (
	maxBlocks    = 5000 // most blocks of a sheet
	maxHead      = 48   // most cells of a block kept for its title
	maxHeadRows  = 3
	maxHeadValue = 400 // most bytes of such a cell
	maxCompared  = 4096
)

// A block is an area of adjacent cells with content. Cells that touch at a corner are
// adjacent.
type block struct {
	area area
	head []headCell // cells of its first rows, sorted
}

// A headCell is a cell that may be part of the title of a block.
type headCell struct {
	col, row int32
	kind     cellType
	style    int32
	value    []byte
}

// blocks finds the blocks of a sheet. Its rows are added in order.
type blocks struct {
	open  []*block // blocks that may still grow, disjoint and sorted by column
	done  []block
	more  bool // whether some blocks were left out
	runs  []span
	cells []cell // cells of the current row, sorted
	order []cell
}

// add adds a row.
func (b *blocks) add(w *row) {
	b.findRuns(w)
	if len(b.runs) == 0 {
		return
	}
	var open []*block
	i := 0
	take := func(next *block, isRun bool) {
		n := len(open)
		if n > 0 && next.area.left <= open[n-1].area.right+1 && (isRun || open[n-1].area.bottom == w.number) {
			open[n-1].join(next)
			return
		}
		open = append(open, next)
	}
	for _, old := range b.open {
		if old.area.bottom < w.number-1 || old.area.bottom > w.number {
			b.close(old)
			continue
		}
		for i < len(b.runs) && b.runs[i].from <= old.area.left {
			take(b.newBlock(w, b.runs[i]), true)
			i++
		}
		take(old, false)
	}
	for ; i < len(b.runs); i++ {
		take(b.newBlock(w, b.runs[i]), true)
	}
	b.open = open
}

// findRuns finds the runs of cells with content in a row.
func (b *blocks) findRuns(w *row) {
	b.runs = b.runs[:0]
	cells := w.cells
	if !w.inOrder {
		b.order = append(b.order[:0], cells...)
		slices.SortStableFunc(b.order, func(c, d cell) int { return cmp.Compare(c.col, d.col) })
		cells = b.order
	}
	b.cells = cells
	for i := range cells {
		c := &cells[i]
		if c.isEmpty() {
			continue
		}
		if n := len(b.runs); n > 0 && c.col <= b.runs[n-1].to+1 {
			b.runs[n-1].to = c.col
		} else {
			b.runs = append(b.runs, span{c.col, c.col})
		}
	}
}

// newBlock returns a block of one run of cells. Cells for the title are kept only if
// there is no open block above.
func (b *blocks) newBlock(w *row, run span) *block {
	n := &block{area: area{run.from, w.number, run.to, w.number}}
	if len(b.open)*len(b.runs) > maxCompared {
		return n
	}
	for _, old := range b.open {
		if old.area.bottom >= w.number-1 && old.area.top <= w.number-maxHeadRows &&
			old.area.left <= run.to+1 && run.from <= old.area.right+1 {
			return n
		}
	}
	first, _ := slices.BinarySearchFunc(b.cells, run.from, func(c cell, col int32) int { return cmp.Compare(c.col, col) })
	for i := first; i < len(b.cells) && b.cells[i].col <= run.to; i++ {
		c := &b.cells[i]
		if c.isEmpty() {
			continue
		}
		if len(n.head) == maxHead/maxHeadRows {
			break
		}
		value := c.value.of(w.data)
		n.head = append(n.head, headCell{c.col, w.number, c.kind, c.style, bytes.Clone(value[:min(len(value), maxHeadValue)])})
	}
	return n
}

// join adds another block to b.
func (b *block) join(other *block) {
	b.area = b.area.join(other.area)
	if len(other.head) == 0 {
		return
	}
	all := append(b.head, other.head...)
	all = slices.DeleteFunc(all, func(c headCell) bool { return c.row >= b.area.top+maxHeadRows })
	slices.SortStableFunc(all, func(c, d headCell) int { return cmp.Or(cmp.Compare(c.row, d.row), cmp.Compare(c.col, d.col)) })
	b.head = all[:min(len(all), maxHead)]
}

// close keeps a block if it is a table, with at least two rows and two columns.
func (b *blocks) close(old *block) {
	if old.area.right == old.area.left || old.area.bottom == old.area.top {
		return
	}
	if len(b.done) == maxBlocks {
		b.more = true
		return
	}
	b.done = append(b.done, *old)
}

func (b *blocks) finish() (found []block, more bool) {
	for _, old := range b.open {
		b.close(old)
	}
	slices.SortStableFunc(b.done, func(c, d block) int {
		return cmp.Or(cmp.Compare(c.area.top, d.area.top), cmp.Compare(c.area.left, d.area.left))
	})
	return b.done, b.more
}
