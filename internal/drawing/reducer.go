package drawing

import "image"

// A Reducer makes an image smaller while its rows come, so that only what it
// becomes is in memory. Each pixel is the mean of those it covers, in
// proportion to how much of each.
type Reducer struct {
	out           *image.RGBA
	width, height int // of the image
	y             int // rows that have come
	columns       []column
	row           []uint64 // the row that came, in pixels of out, red, green and blue each
	sums          []uint64 // of rows, by how much of each lies in the next row of out
}

// A column says where a pixel of a row goes: by so much into a pixel of out,
// and by the rest into the next.
type column struct{ to, first, rest int }

// NewReducer returns a Reducer for an image of width by height pixels to a
// size that is not larger in either direction.
func NewReducer(width, height int, size image.Point) *Reducer {
	r := &Reducer{
		out:   image.NewRGBA(image.Rectangle{Max: size}),
		width: width, height: height,
		columns: make([]column, width),
		row:     make([]uint64, 3*(size.X+1)),
		sums:    make([]uint64, 3*size.X),
	}
	for x := range r.columns {
		r.columns[x] = split(x, width, size.X)
	}
	return r
}

// split says where unit i of n goes if they become m, in units of 1/n.
func split(i, n, m int) column {
	to := i * m / n
	first := min(m, (to+1)*n-i*m)
	return column{to, first, m - first}
}

// ReducerMemory returns how many bytes a Reducer takes.
func ReducerMemory(width int, size image.Point) int64 {
	return 24*int64(width) + 4*int64(size.X)*int64(size.Y) + 48*int64(size.X+1)
}

// Row takes the next row, four bytes a pixel. It ignores the fourth.
func (r *Reducer) Row(rgba []byte) error {
	clear(r.row)
	for x, c := range r.columns {
		p, q := rgba[4*x:4*x+3], r.row[3*c.to:]
		first := uint64(c.first)
		q[0] += first * uint64(p[0])
		q[1] += first * uint64(p[1])
		q[2] += first * uint64(p[2])
		if c.rest > 0 {
			rest := uint64(c.rest)
			q[3] += rest * uint64(p[0])
			q[4] += rest * uint64(p[1])
			q[5] += rest * uint64(p[2])
		}
	}
	r.add(split(r.y, r.height, r.out.Rect.Dy()))
	r.y++
	return nil
}

// add adds the row that came to where it belongs.
func (r *Reducer) add(c column) {
	for i := range r.sums {
		r.sums[i] += uint64(c.first) * r.row[i]
	}
	if (r.y+1)*r.out.Rect.Dy() < (c.to+1)*r.height {
		return // more rows belong to it
	}
	pixels := r.out.Pix[c.to*r.out.Stride:]
	whole := uint64(r.width) * uint64(r.height)
	for i, sum := range r.sums {
		pixels[i/3*4+i%3] = byte((sum + whole/2) / whole)
		r.sums[i] = uint64(c.rest) * r.row[i]
	}
	for x := range r.out.Rect.Dx() {
		pixels[4*x+3] = 0xff
	}
}

// Image returns what became of the rows, once all have come.
func (r *Reducer) Image() *image.RGBA { return r.out }
