package pdf

import (
	"hash/fnv"
	"math"
	"strconv"
)

// A matrix is one of a change of coordinates (8.3.4).
type matrix [6]float64

var unit = matrix{1, 0, 0, 1, 0, 0}

// times returns m followed by n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// apply returns where m puts a point.
func (m matrix) apply(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// A pen is the place where a page draws text. The widths of letters are not known, so a
// text that has no place of its own is counted from the last one that has.
type pen struct {
	page       matrix // of user space
	text, line matrix // of text space, and of the beginning of its line
	size       float64
	leading    float64
	shown      int // texts since the last place
}

// move follows an operator with its operands.
func (p *pen) move(operator string, operands [][]byte) {
	n := func(i int) float64 {
		if i >= len(operands) {
			return 0
		}
		v, err := strconv.ParseFloat(string(operands[i]), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return 0
		}
		return v
	}
	place := func(m matrix) { p.text, p.line, p.shown = m, m, 0 }
	next := func(x, y float64) { place(matrix{1, 0, 0, 1, x, y}.times(p.line)) }
	switch operator {
	case "cm":
		p.page = matrix{n(0), n(1), n(2), n(3), n(4), n(5)}.times(p.page)
	case "BT":
		place(unit)
	case "Tm":
		place(matrix{n(0), n(1), n(2), n(3), n(4), n(5)})
	case "Td":
		next(n(0), n(1))
	case "TD":
		p.leading = -n(1)
		next(n(0), n(1))
	case "TL":
		p.leading = n(0)
	case "T*", "'", `"`:
		next(0, -p.leading)
	case "Tf":
		p.size = n(0)
	}
}

// A spot is a text at a place of a page.
type spot struct {
	text uint64
	x, y int64 // in steps of nearly
}

// nearly is how far from each other two texts stand that are one for who looks at them,
// by the size of their letters. The narrowest letters are twice as wide.
const nearly = .1

// maxSpots bounds the texts of a page that are remembered.
const maxSpots = 1 << 18

// isAgain reports whether a text was shown before in nearly the same place, and
// remembers it. It is called once for each text.
func (c *counter) isAgain(text []byte, p *pen) bool {
	m := p.text.times(p.page)
	step := nearly * math.Abs(p.size) * math.Sqrt(math.Abs(m[0]*m[3]-m[1]*m[2]))
	number := p.shown
	p.shown++
	x, y := math.Floor(m[4]/step), math.Floor(m[5]/step)
	if !(math.Abs(x) < 1<<40 && math.Abs(y) < 1<<40) || len(c.spots) >= maxSpots {
		return false // also if a number is none
	}
	hash := fnv.New64a()
	hash.Write(text)
	hash.Write(strconv.AppendInt([]byte{0}, int64(number), 10))
	at := spot{hash.Sum64(), int64(x), int64(y)}
	for dx := int64(-1); dx <= 1; dx++ {
		for dy := int64(-1); dy <= 1; dy++ {
			if c.spots[spot{at.text, at.x + dx, at.y + dy}] {
				return true
			}
		}
	}
	if c.spots == nil {
		c.spots = make(map[spot]bool)
	}
	c.spots[at] = true
	return false
}
