package jpeg

// The cosines of k*pi/16, with 13 bits of fraction.
const (
	cos1 = 8035
	cos2 = 7568
	cos3 = 6811
	cos4 = 5793
	cos5 = 4551
	cos6 = 3135
	cos7 = 1598
)

const (
	cosBits      = 13
	betweenBits  = 3 // fraction kept between the two passes
	quantizeBits = 3 // fraction kept for quantization
)

// forwardDCT transforms a block of samples from -128 to 127 in place (T.81,
// section A.3.3). The result has quantizeBits bits of fraction. It is done in
// integers so that it is the same on every machine.
func forwardDCT(b *[64]int32) {
	const (
		rowShift = cosBits - betweenBits
		rowHalf  = 1 << (rowShift - 1)
		// Each of the two passes also halves.
		columnShift = cosBits + betweenBits + 2 - quantizeBits
		columnHalf  = 1 << (columnShift - 1)
	)
	for i := 0; i < 64; i += 8 {
		x := b[i : i+8 : i+8]
		y0, y1, y2, y3, y4, y5, y6, y7 := transform(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])
		x[0], x[1] = (y0+rowHalf)>>rowShift, (y1+rowHalf)>>rowShift
		x[2], x[3] = (y2+rowHalf)>>rowShift, (y3+rowHalf)>>rowShift
		x[4], x[5] = (y4+rowHalf)>>rowShift, (y5+rowHalf)>>rowShift
		x[6], x[7] = (y6+rowHalf)>>rowShift, (y7+rowHalf)>>rowShift
	}
	for i := range 8 {
		y0, y1, y2, y3, y4, y5, y6, y7 := transform(b[i], b[i+8], b[i+16], b[i+24], b[i+32], b[i+40], b[i+48], b[i+56])
		b[i], b[i+8] = (y0+columnHalf)>>columnShift, (y1+columnHalf)>>columnShift
		b[i+16], b[i+24] = (y2+columnHalf)>>columnShift, (y3+columnHalf)>>columnShift
		b[i+32], b[i+40] = (y4+columnHalf)>>columnShift, (y5+columnHalf)>>columnShift
		b[i+48], b[i+56] = (y6+columnHalf)>>columnShift, (y7+columnHalf)>>columnShift
	}
}

// transform returns the DCT of eight values, twice as large and with cosBits
// bits of fraction.
func transform(x0, x1, x2, x3, x4, x5, x6, x7 int32) (y0, y1, y2, y3, y4, y5, y6, y7 int32) {
	s0, s1, s2, s3 := x0+x7, x1+x6, x2+x5, x3+x4
	d0, d1, d2, d3 := x0-x7, x1-x6, x2-x5, x3-x4

	e0, e1 := s0+s3, s1+s2
	y0 = (e0 + e1) * cos4
	y4 = (e0 - e1) * cos4
	e0, e1 = s0-s3, s1-s2
	y2 = e0*cos2 + e1*cos6
	y6 = e0*cos6 - e1*cos2

	y1 = d0*cos1 + d1*cos3 + d2*cos5 + d3*cos7
	y3 = d0*cos3 - d1*cos7 - d2*cos1 - d3*cos5
	y5 = d0*cos5 - d1*cos1 + d2*cos7 + d3*cos3
	y7 = d0*cos7 - d1*cos5 + d2*cos3 - d3*cos1
	return y0, y1, y2, y3, y4, y5, y6, y7
}
