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

// A dctBlock is eight rows of eight samples, and their transform.
type dctBlock struct {
	samples [64]byte

	// pairs holds the coefficients row by row, two to a word, the first in the low
	// half. Each has quantizeBits bits of fraction, and coefBias added so that none is
	// negative.
	pairs [32]uint64
}

// One word can hold two numbers, low + high<<32, that are added, subtracted and
// multiplied by constants together, as long as each fits in 32 bits with its sign.
// Shifts need both to be positive, which a bias ensures.
const (
	pair     = 1<<32 + 1 // factor that puts a number in both halves
	lowHalf  = 1<<32 - 1
	highHalf = lowHalf << 32

	rowShift    = cosBits - betweenBits
	rowBias     = 1 << 13                                  // exceeds any coefficient after the rows
	columnShift = cosBits + betweenBits + 2 - quantizeBits // each of the two passes also halves
	coefBias    = 1 << 14                                  // exceeds any coefficient
	columnDC    = 8 * rowBias * cos4
)

// forwardDCT transforms the samples, less 128 each (T.81, section A.3.3). It uses
// integers so that every machine gets the same result.
func forwardDCT(b *dctBlock) {
	const (
		round = (1<<(rowShift-1) + rowBias<<rowShift) * pair
		keep  = (1<<(32-rowShift) - 1) * pair
	)
	for y := 0; y < 64; y += 16 {
		r, s := b.samples[y:y+8:y+8], b.samples[y+8:y+16:y+16]
		y0, y1, y2, y3, y4, y5, y6, y7 := transform(
			int64(r[0])|int64(s[0])<<32, int64(r[1])|int64(s[1])<<32, int64(r[2])|int64(s[2])<<32, int64(r[3])|int64(s[3])<<32,
			int64(r[4])|int64(s[4])<<32, int64(r[5])|int64(s[5])<<32, int64(r[6])|int64(s[6])<<32, int64(r[7])|int64(s[7])<<32)
		y0 -= 8 * 128 * cos4 * pair
		p := b.pairs[y/2 : y/2+8 : y/2+8]
		p[0], p[4] = transposed(uint64(y0+round)>>rowShift&keep, uint64(y1+round)>>rowShift&keep)
		p[1], p[5] = transposed(uint64(y2+round)>>rowShift&keep, uint64(y3+round)>>rowShift&keep)
		p[2], p[6] = transposed(uint64(y4+round)>>rowShift&keep, uint64(y5+round)>>rowShift&keep)
		p[3], p[7] = transposed(uint64(y6+round)>>rowShift&keep, uint64(y7+round)>>rowShift&keep)
	}
	const (
		columnRound = (1<<(columnShift-1) + coefBias<<columnShift) * pair
		columnKeep  = (1<<(32-columnShift) - 1) * pair
	)
	p := &b.pairs
	for x := range 4 {
		y0, y1, y2, y3, y4, y5, y6, y7 := transform(
			int64(p[x]), int64(p[x+4]), int64(p[x+8]), int64(p[x+12]), int64(p[x+16]), int64(p[x+20]), int64(p[x+24]), int64(p[x+28]))
		y0 -= columnDC * pair
		p[x] = uint64(y0+columnRound) >> columnShift & columnKeep
		p[x+4] = uint64(y1+columnRound) >> columnShift & columnKeep
		p[x+8] = uint64(y2+columnRound) >> columnShift & columnKeep
		p[x+12] = uint64(y3+columnRound) >> columnShift & columnKeep
		p[x+16] = uint64(y4+columnRound) >> columnShift & columnKeep
		p[x+20] = uint64(y5+columnRound) >> columnShift & columnKeep
		p[x+24] = uint64(y6+columnRound) >> columnShift & columnKeep
		p[x+28] = uint64(y7+columnRound) >> columnShift & columnKeep
	}
}

// transposed returns the pair of low halves and the pair of high halves.
func transposed(a, b uint64) (low, high uint64) {
	return a&lowHalf | b<<32, a>>32 | b&highHalf
}

// transform returns the DCT of eight pairs, twice as large and with cosBits
// bits of fraction. Each rotation takes three multiplications.
func transform(x0, x1, x2, x3, x4, x5, x6, x7 int64) (y0, y1, y2, y3, y4, y5, y6, y7 int64) {
	s0, s1, s2, s3 := x0+x7, x1+x6, x2+x5, x3+x4
	d0, d1, d2, d3 := x0-x7, x1-x6, x2-x5, x3-x4

	e0, e1 := s0+s3, s1+s2
	y0 = (e0 + e1) * cos4
	y4 = (e0 - e1) * cos4
	e0, e1 = s0-s3, s1-s2
	both := (e0 + e1) * cos6
	y2 = both + e0*(cos2-cos6)
	y6 = both - e1*(cos2+cos6)

	both = (d0 + d3) * cos7
	y1 = both + d0*(cos1-cos7)
	y7 = both - d3*(cos1+cos7)
	both = (d1 + d2) * cos5
	y1 += both + d1*(cos3-cos5)
	y7 += d2*(cos3+cos5) - both

	both = (d0 - d3) * cos5
	y3 = both + d0*(cos3-cos5)
	y5 = both + d3*(cos3+cos5)
	both = (d1 + d2) * cos7
	y3 -= both + d2*(cos1-cos7)
	y5 += both - d1*(cos1+cos7)
	return y0, y1, y2, y3, y4, y5, y6, y7
}
