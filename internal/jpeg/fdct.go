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
	const between = cosBits - betweenBits
	for i := 0; i < 64; i += 8 {
		transform((*[64]int32)(b), i, 1, between)
	}
	// Each of the two passes also halves.
	const final = cosBits + betweenBits + 2 - quantizeBits
	for i := range 8 {
		transform(b, i, 8, final)
	}
}

// transform replaces the eight values at start, start+step and so on by their
// DCT, twice as large, shifted right by shift.
func transform(b *[64]int32, start, step int, shift uint) {
	at := func(i int) *int32 { return &b[(start+i*step)&63] }
	x0, x1, x2, x3 := *at(0), *at(1), *at(2), *at(3)
	x7, x6, x5, x4 := *at(7), *at(6), *at(5), *at(4)
	s0, s1, s2, s3 := x0+x7, x1+x6, x2+x5, x3+x4
	d0, d1, d2, d3 := x0-x7, x1-x6, x2-x5, x3-x4
	half := int32(1) << (shift - 1)

	e0, e1 := s0+s3, s1+s2
	*at(0) = ((e0+e1)*cos4 + half) >> shift
	*at(4) = ((e0-e1)*cos4 + half) >> shift
	e0, e1 = s0-s3, s1-s2
	*at(2) = (e0*cos2 + e1*cos6 + half) >> shift
	*at(6) = (e0*cos6 - e1*cos2 + half) >> shift

	*at(1) = (d0*cos1 + d1*cos3 + d2*cos5 + d3*cos7 + half) >> shift
	*at(3) = (d0*cos3 - d1*cos7 - d2*cos1 - d3*cos5 + half) >> shift
	*at(5) = (d0*cos5 - d1*cos1 + d2*cos7 + d3*cos3 + half) >> shift
	*at(7) = (d0*cos7 - d1*cos5 + d2*cos3 - d3*cos1 + half) >> shift
}
