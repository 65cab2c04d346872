package pdfium

import (
	"cmp"
	"math"
	"slices"
	"unicode"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

const (
	maxWidened = 100_000 // objects of a page that are examined for text without width
	formDepth  = 8
	cutDepth   = 16 // how often the blocks of a page are divided
)

// widen gives text objects without width a stroke, because PDFium leaves out text whose
// bounds have no width: vertical writing in a font that is not embedded, and fonts that
// give their characters no width.
func widen(p pdfium.Pdfium, page requests.Page) error {
	count, err := p.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
	if err != nil {
		return refused(err)
	}
	w := widener{p: p, left: maxWidened}
	for i := range count.Count {
		object, err := p.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: i})
		if err != nil {
			return refused(err)
		}
		if err := w.object(object.PageObject, 0); err != nil {
			return err
		}
	}
	return nil
}

type widener struct {
	p    pdfium.Pdfium
	left int // objects that may still be examined
}

func (w *widener) object(o references.FPDF_PAGEOBJECT, depth int) error {
	if w.left--; w.left < 0 {
		return ErrLimit
	}
	kind, err := w.p.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: o})
	if err != nil {
		return stopped(err)
	}
	switch kind.Type {
	case enums.FPDF_PAGEOBJ_TEXT:
		return w.text(o)
	case enums.FPDF_PAGEOBJ_FORM:
		if depth == formDepth {
			return nil
		}
		return w.form(o, depth+1)
	}
	return nil
}

func (w *widener) form(o references.FPDF_PAGEOBJECT, depth int) error {
	count, err := w.p.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: o})
	if err != nil {
		return stopped(err)
	}
	for i := range count.Count {
		object, err := w.p.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: o, Index: uint64(i)})
		if err != nil {
			return stopped(err)
		}
		if err := w.object(object.PageObject, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *widener) text(o references.FPDF_PAGEOBJECT) error {
	const least = 0.01 // points; PDFium leaves out what is narrower
	b, err := w.p.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: o})
	if err != nil {
		return stopped(err)
	}
	if math.Abs(float64(b.Right-b.Left)) >= least {
		return nil
	}
	_, err = w.p.FPDFTextObj_SetTextRenderMode(&requests.FPDFTextObj_SetTextRenderMode{PageObject: o, TextRenderMode: enums.FPDF_TEXTRENDERMODE_FILL_STROKE})
	if err != nil {
		return stopped(err)
	}
	_, err = w.p.FPDFPageObj_SetStrokeWidth(&requests.FPDFPageObj_SetStrokeWidth{PageObject: o, StrokeWidth: 1})
	if err != nil {
		return stopped(err)
	}
	// This computes the bounds anew.
	_, err = w.p.FPDFPageObj_Transform(&requests.FPDFPageObj_Transform{PageObject: o, Transform: structs.FPDF_FS_MATRIX{A: 1, D: 1}})
	if err != nil {
		return stopped(err)
	}
	return nil
}

// A cell is one place in a line: a character, or some that stand side by side in a
// vertical line, such as the digits of a number. Lengths are in points, from the top
// left corner of the page as displayed.
type cell struct {
	x, y  float64 // where the characters begin
	width float64
	em    float64 // about the size of the font
	from  int     // index of the first character in PDFium's text
	to    int     // index after the last one
	box   Box     // of the only character
}

// A block is a line: of vertical writing, or of horizontal.
type block struct {
	cells          []cell
	upright        bool // the cells are one below the other
	x1, y1, x2, y2 float64
	em             float64
}

func newBlock(cells []cell, upright bool) block {
	b := block{cells: cells, upright: upright, x1: math.Inf(1), y1: math.Inf(1), x2: math.Inf(-1), y2: math.Inf(-1)}
	for _, c := range cells {
		b.x1, b.x2 = min(b.x1, c.x), max(b.x2, c.x+c.width)
		b.y1, b.y2 = min(b.y1, c.y-c.em/2), max(b.y2, c.y+c.em/2)
		b.em = max(b.em, c.em)
	}
	return b
}

// upright returns the order of characters in vertical writing: lines from top to bottom,
// the right one first, and parts of the page that stand one below the other in turn. It
// also returns the boxes of the characters that stand one below the other. It returns nil
// if most of the page is not written so.
func upright(cells []cell) (order []int, boxes map[int]Box) {
	rows, rest := horizontal(cells)
	boxes = map[int]Box{}
	for _, c := range rest {
		if c.to == c.from+1 {
			boxes[c.from] = c.box
		}
	}
	columns := vertical(rest)
	in := 0
	for _, c := range columns {
		if len(c.cells) > 1 {
			in += len(c.cells)
		}
	}
	if 2*in < len(cells) || in == 0 {
		return nil, nil
	}
	inOrder(append(columns, rows...), 0, func(b block, goesOn bool) {
		switch {
		case goesOn:
			order = append(order, wideSpace)
		case len(order) > 0:
			order = append(order, lineEnd)
		}
		for _, c := range b.cells {
			for i := c.from; i < c.to; i++ {
				order = append(order, i)
			}
		}
	})
	return order, boxes
}

// horizontal finds the lines of horizontal writing. The rest may be vertical. Characters
// that follow each other to the right are a line unless they are no wider than one
// character of vertical writing.
func horizontal(cells []cell) (rows []block, rest []cell) {
	for start := 0; start < len(cells); {
		end := start + 1
		for end < len(cells) && cells[end].follows(cells[end-1]) {
			end++
		}
		run := newBlock(cells[start:end:end], false)
		switch first, last := cells[start], cells[end-1]; {
		case end-start == 1:
			rest = append(rest, first)
		case run.x2-run.x1 <= 1.3*run.em:
			rest = append(rest, cell{x: first.x, y: first.y, width: run.x2 - run.x1, em: run.em, from: first.from, to: last.to})
		default:
			rows = append(rows, run)
		}
		start = end
	}
	return rows, rest
}

// follows reports whether a cell is the next one to the right.
func (c cell) follows(before cell) bool {
	em := max(c.em, before.em)
	dx := c.x - before.x
	return c.from == before.to && math.Abs(c.y-before.y) <= 0.3*em && dx > 0.1*em && dx <= max(before.width, em)+2*em
}

// vertical returns the lines of vertical writing: cells that stand one below the other.
func vertical(cells []cell) []block {
	below, above := make([]int, len(cells)), make([]int, len(cells)) // indexes of neighbours, or -1
	for i := range cells {
		below[i], above[i] = -1, -1
	}
	grid := newGrid(cells)
	for i := range cells {
		best, least := -1, math.Inf(1)
		for _, k := range grid.near(cells[i]) {
			if d := cells[i].down(cells[k]); d < least && above[k] < 0 {
				best, least = k, d
			}
		}
		if best >= 0 {
			below[i], above[best] = best, i
		}
	}
	var blocks []block
	for i := range cells {
		if above[i] >= 0 {
			continue
		}
		var line []cell
		for k := i; k >= 0; k = below[k] {
			line = append(line, cells[k])
		}
		blocks = append(blocks, newBlock(line, true))
	}
	return blocks
}

// down returns how far it is from a cell to the next one of a vertical line, or infinity
// if they are not of one. Within a text that goes on, a gap may be larger.
func (c cell) down(next cell) float64 {
	em := max(c.em, next.em)
	dx := min(math.Abs(c.x-next.x), math.Abs(c.x+c.width/2-next.x-next.width/2))
	dy := next.y - c.y
	if dx > 0.35*em || dy < 0.2*em || dy > 1.7*em && (c.to != next.from || dy > reach*em) {
		return math.Inf(1)
	}
	return dx + dy
}

const (
	reach   = 6  // font sizes from one character to the next one below
	perCell = 16 // characters of a cell of a grid; more are not looked at
)

// A grid finds cells by their place.
type grid struct {
	step float64
	in   map[[2]int][]int
	next map[int]int // by the index of its first character
}

func newGrid(cells []cell) grid {
	g := grid{in: map[[2]int][]int{}, next: map[int]int{}}
	for _, c := range cells {
		g.step = max(g.step, c.em)
	}
	g.step = max(g.step, 1)
	for i, c := range cells {
		key := g.key(c)
		if len(g.in[key]) < perCell {
			g.in[key] = append(g.in[key], i)
		}
		g.next[c.from] = i
	}
	return g
}

func (g grid) key(c cell) [2]int { return [2]int{int(c.x / g.step), int(c.y / g.step)} }

// near returns the indexes of the cells that may be the next one below.
func (g grid) near(c cell) []int {
	var all []int
	key := g.key(c)
	for x := -1; x <= 1; x++ {
		for y := 0; y <= 2; y++ {
			all = append(all, g.in[[2]int{key[0] + x, key[1] + y}]...)
		}
	}
	if i, ok := g.next[c.to]; ok {
		all = append(all, i)
	}
	return all
}

// columnsOf groups blocks that stand one below the other, from right to left.
func columnsOf(blocks []block) [][]block {
	slices.SortStableFunc(blocks, func(a, b block) int { return cmp.Compare(b.x1+b.x2, a.x1+a.x2) })
	var columns [][]block
	for start := 0; start < len(blocks); {
		first, end := blocks[start], start+1
		for end < len(blocks) && (first.x1+first.x2-blocks[end].x1-blocks[end].x2)/2 <= 0.4*max(first.em, blocks[end].em) {
			end++
		}
		columns = append(columns, blocks[start:end:end])
		start = end
	}
	return columns
}

// inOrder calls use for blocks in reading order, and tells it whether a block goes on in
// the column of the one before.
func inOrder(blocks []block, depth int, use func(b block, goesOn bool)) {
	if len(blocks) > 1 && depth < cutDepth {
		em := 0.0
		for _, b := range blocks {
			em += b.em / float64(len(blocks))
		}
		parts := split(blocks, em/2, func(b block) (float64, float64) { return b.y1, b.y2 })
		if len(parts) == 1 {
			parts = split(blocks, 2*em, func(b block) (float64, float64) { return -b.x2, -b.x1 })
		}
		if len(parts) > 1 {
			for _, part := range parts {
				inOrder(part, depth+1, use)
			}
			return
		}
	}
	for _, column := range columnsOf(blocks) {
		slices.SortStableFunc(column, func(a, b block) int { return cmp.Compare(a.y1, b.y1) })
		for i, b := range column {
			use(b, i > 0)
		}
	}
}

// split divides blocks where none is for a length of gap, and returns the parts in the
// order of their extents.
func split(blocks []block, gap float64, extent func(block) (from, to float64)) [][]block {
	slices.SortStableFunc(blocks, func(a, b block) int {
		from, _ := extent(a)
		other, _ := extent(b)
		return cmp.Compare(from, other)
	})
	var parts [][]block
	start, end := 0, math.Inf(1)
	for i, b := range blocks {
		from, to := extent(b)
		if from-end >= gap {
			parts = append(parts, blocks[start:i:i])
			start = i
		}
		if i == 0 {
			end = to
		}
		end = max(end, to)
	}
	return append(parts, blocks[start:])
}

// cells returns the characters of a page that are drawn and not white space at the ends
// of lines. A cropped page has only those within.
func (r *lineReader) cells(runes []rune, on sheet, cropped bool) ([]cell, error) {
	var cells []cell
	for i, c := range runes {
		if c < ' ' || unicode.IsControl(c) || c == ' ' {
			continue
		}
		index, err := r.index(i)
		if err != nil {
			return nil, err
		}
		origin, err := r.p.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: r.text, Index: index})
		if err != nil {
			if err := stopped(err); err != nil {
				return nil, err
			}
			continue
		}
		box, err := r.p.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: r.text, Index: index})
		if err != nil {
			if err := stopped(err); err != nil {
				return nil, err
			}
			continue
		}
		x, y := r.place.point(origin.X, origin.Y)
		loose := r.place.box(float64(box.Rect.Left), float64(box.Rect.Bottom), float64(box.Rect.Right), float64(box.Rect.Top))
		if cropped && (x < 0 || x > 1 || y < 0 || y > 1) {
			continue
		}
		em := (loose.Y2 - loose.Y1) * on.height
		width := min((loose.X2-loose.X1)*on.width, em)
		cells = append(cells, cell{
			x: x * on.width, y: y * on.height, from: i, to: i + 1, em: em, width: width,
			box: Box{onPage(x), loose.Y1, onPage(x + width/on.width), loose.Y2},
		})
	}
	return cells, nil
}
