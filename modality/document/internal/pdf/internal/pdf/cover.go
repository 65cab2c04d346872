package pdf

import "math"

const (
	coverCells = 32      // squares of a page, across and down
	maxCovered = 1 << 18 // squares that the pictures of a page may cover, each counted again
	legible    = 20      // pixels an inch; in a picture with fewer, nobody reads text
)

// A cover is the part of a page that pictures cover. It does not know about paths that
// clip them.
type cover struct {
	corners [4]float64 // of the page: left, bottom, right, top
	parts   []float64  // of each square that is covered, from 0 to 1; nil if none is
	left    int        // squares that may still be covered
}

// add adds a picture of some pixels, 0 if that is not known, drawn on the unit square.
func (c *cover) add(m matrix, pixels float64) {
	width, height := (c.corners[2]-c.corners[0])/coverCells, (c.corners[3]-c.corners[1])/coverCells
	area := math.Abs(m[0]*m[3] - m[1]*m[2]) // in square points
	if pixels > 0 && pixels*72*72 < legible*legible*area || !(width > 0 && height > 0) {
		return
	}
	x1, x2 := m[4]+min(m[0], 0)+min(m[2], 0), m[4]+max(m[0], 0)+max(m[2], 0)
	y1, y2 := m[5]+min(m[1], 0)+min(m[3], 0), m[5]+max(m[1], 0)+max(m[3], 0)
	around := (x2 - x1) * (y2 - y1)
	if !(area > 0 && around > 0) {
		return // also if a number is none
	}
	share := min(area/around, 1) // less than 1 if the picture is turned
	x1, x2 = (x1-c.corners[0])/width, (x2-c.corners[0])/width
	y1, y2 = (y1-c.corners[1])/height, (y2-c.corners[1])/height
	if c.parts == nil {
		c.parts, c.left = make([]float64, coverCells*coverCells), maxCovered
	}
	for y := square(y1); y < coverCells && float64(y) < y2; y++ {
		for x := square(x1); x < coverCells && float64(x) < x2; x++ {
			if c.left--; c.left < 0 {
				return
			}
			of := share * (min(x2, float64(x+1)) - max(x1, float64(x))) * (min(y2, float64(y+1)) - max(y1, float64(y)))
			at := &c.parts[y*coverCells+x]
			*at = min(*at+of, 1)
		}
	}
}

// square returns the square in which something begins.
func square(v float64) int { return int(min(max(v, 0), coverCells)) }

// share returns the part of the page that is covered, from 0 to 1.
func (c *cover) share() float64 {
	sum := 0.0
	for _, part := range c.parts {
		sum += part
	}
	return sum / (coverCells * coverCells)
}
