package jpeg

import (
	"image"
	"math/rand/v2"
	"testing"
)

// plainDCT is forwardDCT of one number at a time, with a multiplication for
// each term.
func plainDCT(b *[64]int32) {
	pass := func(at, step int, shift uint) {
		var x, y [8]int32
		for i := range x {
			x[i] = b[at+i*step]
		}
		s0, s1, s2, s3 := x[0]+x[7], x[1]+x[6], x[2]+x[5], x[3]+x[4]
		d0, d1, d2, d3 := x[0]-x[7], x[1]-x[6], x[2]-x[5], x[3]-x[4]
		y[0] = (s0 + s3 + s1 + s2) * cos4
		y[4] = (s0 + s3 - s1 - s2) * cos4
		y[2] = (s0-s3)*cos2 + (s1-s2)*cos6
		y[6] = (s0-s3)*cos6 - (s1-s2)*cos2
		y[1] = d0*cos1 + d1*cos3 + d2*cos5 + d3*cos7
		y[3] = d0*cos3 - d1*cos7 - d2*cos1 - d3*cos5
		y[5] = d0*cos5 - d1*cos1 + d2*cos7 + d3*cos3
		y[7] = d0*cos7 - d1*cos5 + d2*cos3 - d3*cos1
		for i, v := range y {
			b[at+i*step] = (v + 1<<(shift-1)) >> shift
		}
	}
	for i := range 8 {
		pass(8*i, 1, rowShift)
	}
	for i := range 8 {
		pass(i, 8, columnShift)
	}
}

// dctSamples returns blocks of every kind: extremes, flat ones and noise.
func dctSamples(count int) [][64]byte {
	rng := rand.New(rand.NewPCG(9, 10))
	blocks := make([][64]byte, count)
	for i := range blocks {
		b := &blocks[i]
		for j := range b {
			switch i % 5 {
			case 0:
				b[j] = byte(rng.IntN(256))
			case 1:
				b[j] = byte(rng.IntN(2)) * 255
			case 2:
				b[j] = byte(i)
			case 3:
				b[j] = byte(128 + rng.IntN(9))
			default:
				b[j] = byte((j%8>>(i/5%4)^j/8>>(i/20%4))&1) * 255
			}
		}
	}
	return blocks
}

// TestForwardDCT compares coefficients, and what they are quantized to, with
// those of plain arithmetic.
func TestForwardDCT(t *testing.T) {
	for _, quality := range []int{1, 50, 95, 100} {
		e := newEncoder(grayScene(8, 8), image.Rect(0, 0, 8, 8), quality)
		for _, samples := range dctSamples(4000) {
			b := dctBlock{samples: samples}
			forwardDCT(&b)
			var want [64]int32
			for i, s := range samples {
				want[i] = int32(s) - 128
			}
			plainDCT(&want)
			nonzero := e.nonzero(&b, 0)
			for k, at := range zigzag {
				if got := int32(b.pairs[at/2]>>(at%2*32)&0xffff) - coefBias; got != want[at] {
					t.Fatalf("%v: coefficient %d is %d, want %d", samples, at, got, want[at])
				}
				step := int32(e.quant[0][k]) << quantizeBits
				quantized := max(want[at], -want[at]) + step/2
				quantized /= step
				magnitude, sign := b.quantize(at, e.round[0][k], e.divide[0][k])
				if int32(magnitude) != quantized || (sign < 0) != (want[at] < 0) {
					t.Fatalf("%v: coefficient %d of %d is quantized by %d to %d, %d", samples, at, want[at], step, magnitude, sign)
				}
				if got := nonzero>>k&1 == 1; got != (quantized != 0) {
					t.Fatalf("%v: coefficient %d of %d by %d: nonzero = %t", samples, at, want[at], step, got)
				}
			}
		}
	}
}
