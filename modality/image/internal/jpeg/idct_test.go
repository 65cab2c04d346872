package jpeg

import (
	"bytes"
	"image"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestExtremeCoefficients compares blocks of the largest and the fewest
// coefficients with those of image/jpeg, with every quantization.
func TestExtremeCoefficients(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	var quality = []int{1, 10, 50, 90, 100}
	for i := range 60 {
		m := image.NewGray(image.Rect(0, 0, 64, 64))
		for j := range m.Pix {
			x, y := j%64, j/64
			switch i % 4 {
			case 0:
				m.Pix[j] = byte(rng.IntN(2)) * 255
			case 1:
				m.Pix[j] = byte((x>>(i/4%4)^y>>(i/16%4))&1) * 255
			case 2:
				m.Pix[j] = byte(4 * i)
			default:
				m.Pix[j] = byte(128 + x/8*y/8)
			}
		}
		data := encode(t, m, quality[i%len(quality)])
		checkRegions(t, data, 2)

		// A table of other steps takes the numbers beyond what samples need.
		at := bytes.Index(data, []byte{0xff, markerDQT}) + 5
		for k := range 64 {
			data[at+k] = byte(1 + rng.IntN(255))
		}
		checkRegions(t, data, 2)
	}
}

// TestFlat checks that the short way for blocks of one value gives what the
// long way does.
func TestFlat(t *testing.T) {
	for dc := int32(-5000); dc <= 5000; dc++ {
		short, long := make([]byte, 64), make([]byte, 64)
		flat(short, 8, dc)
		block := coefficients{dc}
		block.inverseDCT(long, 8)
		if !slices.Equal(short, long) {
			t.Fatalf("%d: %v, want %v", dc, short, long)
		}
	}
}
