package jpeg

// coefficients are the dequantized coefficients of a block, row by row.
type coefficients [64]int32

// Constants of the inverse DCT; the suffix is the number of bits of fraction.
const (
	cos6HalfRoot18 = 70936  // cos(6π/16)/√2
	sin6HalfRoot18 = 171254 // sin(6π/16)/√2
	cos6HalfRoot12 = 1108
	sin6HalfRoot12 = 2676
	halfRoot8      = 181 // 1/√2
	halfRoot14     = 11585
	turn1Cos12     = 4017 // cos(π/16)
	turn1Sin12     = 799
	turn3Cos12     = 3406 // cos(3π/16)
	turn3Sin12     = 2276
)

// turned rotates x and y by an angle given by its cosine and sine.
func turned(x, y, cos, sin int32) (int32, int32) {
	both := (x + y) * cos
	return both - y*(cos+sin), both + x*(sin-cos)
}

// inverseDCT sets eight rows of eight samples to the block that c represents (T.81,
// section A.3.3), by the algorithm of Loeffler, Ligtenberg and Moschytz. It rounds as
// image/jpeg of Go 1.26 does, so the samples are identical, even in damaged files where
// numbers overflow. It changes c.
func (c *coefficients) inverseDCT(dst []byte, stride int) {
	for i := 0; i < 64; i += 8 {
		inverseRow((*[8]int32)(c[i : i+8]))
	}
	for i := range 8 {
		c.inverseColumn(i)
	}
	for i := 0; i < 64; i += 8 {
		src, row := (*[8]int32)(c[i:i+8]), (*[8]byte)(dst)
		for x, v := range src {
			row[x] = sample(v)
		}
		if i < 56 {
			dst = dst[stride:]
		}
	}
}

// flat sets eight rows of eight samples to a block that has only a DC value.
func flat(dst []byte, stride int, dc int32) {
	v := sample((dc<<17 + 1<<19) >> 2 >> 18)
	for y := range 8 {
		row := (*[8]byte)(dst[y*stride:])
		for x := range row {
			row[x] = v
		}
	}
}

// sample returns the byte for a value, clamped to -128 to 127.
func sample(v int32) byte {
	if v += 128; uint32(v) > 255 {
		v = ^(v >> 31) & 255
	}
	return byte(v)
}

// inverseRow transforms a row. The result has 20 bits of fraction.
func inverseRow(x *[8]int32) {
	if x[1]|x[2]|x[3]|x[4]|x[5]|x[6]|x[7] == 0 {
		dc := x[0] << 17
		*x = [8]int32{dc, dc, dc, dc, dc, dc, dc, dc}
		return
	}
	even, odd := (x[0]+x[4])<<17, (x[0]-x[4])<<17
	a, b := turned(x[2], x[6], cos6HalfRoot18, sin6HalfRoot18)
	e1, e2 := odd+a, odd-a
	e0, e3 := even+b, even-b

	p, q := (x[1]+x[7])<<7, (x[1]-x[7])<<7
	r, s := x[5]*halfRoot8, x[3]*halfRoot8
	o4, o7 := turned((q+r)>>2, (p+s)>>2, turn3Cos12, turn3Sin12)
	o5, o6 := turned((p-s)>>2, (q-r)>>2, turn1Cos12, turn1Sin12)

	x[0], x[7] = e0+o7, e0-o7
	x[1], x[6] = e1+o6, e1-o6
	x[2], x[5] = e2+o5, e2-o5
	x[3], x[4] = e3+o4, e3-o4
}

// inverseColumn transforms column i of the output of inverseRow into samples less 128,
// which may be out of range.
func (c *coefficients) inverseColumn(i int) {
	x := c[i : i+57]
	dc := x[0] + 1<<19 // so that the final shift rounds
	even, odd := (dc+x[32])>>2, (dc-x[32])>>2
	a, b := turned(x[16]>>13, x[48]>>13, cos6HalfRoot12, sin6HalfRoot12)
	e1, e2 := odd+a, odd-a
	e0, e3 := even+b, even-b

	p, q := x[8]+x[56], x[8]-x[56]
	r, s := (x[40]>>13)*halfRoot14, (x[24]>>13)*halfRoot14
	o4, o7 := turned((q+r)>>14, (p+s)>>14, turn3Cos12, turn3Sin12)
	o5, o6 := turned((p-s)>>14, (q-r)>>14, turn1Cos12, turn1Sin12)

	x[0], x[56] = (e0+o7)>>18, (e0-o7)>>18
	x[8], x[48] = (e1+o6)>>18, (e1-o6)>>18
	x[16], x[40] = (e2+o5)>>18, (e2-o5)>>18
	x[24], x[32] = (e3+o4)>>18, (e3-o4)>>18
}
