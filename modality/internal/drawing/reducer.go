package drawing

import "image"

// A Reducer shrinks an image while its rows arrive, so that only the result is in
// memory. Each pixel is the mean of the pixels it covers, weighted by the covered part
// of each.
type Reducer struct {
	out           *image.RGBA
	width, height int // of the source image
	y             int // number of rows received
	columns       []column
	row           []uint64 // the current row in pixels of out: red, green and blue of each
	sums          []uint64 // of rows, weighted by how much of each lies in the next row of out
}

// A column says where a pixel of a row goes: first parts into pixel to of out, and rest
// parts into the next.
type column struct{ to, first, rest int }

// NewReducer returns a Reducer from an image of width by height pixels to a size that
// is not larger in either direction.
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

// split says where unit i of n goes when n units become m, in units of 1/n.
func split(i, n, m int) column {
	to := i * m / n
	first := min(m, (to+1)*n-i*m)
	return column{to, first, m - first}
}

// ReducerMemory returns the memory that a Reducer uses, in bytes.
func ReducerMemory(width int, size image.Point) int64 {
	return 24*int64(width) + 4*int64(size.X)*int64(size.Y) + 48*int64(size.X+1)
}

// Row adds the next row, with four bytes per pixel. It ignores the fourth.
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

// add adds the current row to the row of out given by c.
func (r *Reducer) add(c column) {
	for i := range r.sums {
		r.sums[i] += uint64(c.first) * r.row[i]
	}
	if (r.y+1)*r.out.Rect.Dy() < (c.to+1)*r.height {
		return // it gets further rows
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

// Image returns the result, once all rows have been added.
func (r *Reducer) Image() *image.RGBA { return r.out }
