package jpeg

import (
	"image"
	"testing"
)

// ramp returns an image whose samples all differ from their neighbours.
func ramp(bounds image.Rectangle, ratio image.YCbCrSubsampleRatio) *image.YCbCr {
	m := image.NewYCbCr(bounds, ratio)
	for i := range m.Y {
		m.Y[i] = byte(i * 7)
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = byte(i*13), byte(255-i*17)
	}
	return m
}

// TestFullChroma compares with a direct reading of what interpolation means.
func TestFullChroma(t *testing.T) {
	for _, ratio := range []image.YCbCrSubsampleRatio{image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio444} {
		m := ramp(image.Rect(0, 0, 15, 9), ratio)
		for _, region := range []image.Rectangle{m.Rect, image.Rect(1, 1, 4, 4), image.Rect(3, 2, 15, 9), image.Rect(14, 8, 15, 9)} {
			out := FullChroma(m, region)
			for y := region.Min.Y; y < region.Max.Y; y++ {
				for x := region.Min.X; x < region.Max.X; x++ {
					got := out.YCbCrAt(x, y)
					if want := wantChroma(m, m.Cb, x, y); got.Cb != want || got.Y != m.YCbCrAt(x, y).Y {
						t.Fatalf("%v %v: pixel %d,%d is %v, want chroma %d", ratio, region, x, y, got, want)
					}
				}
			}
		}
	}
}

func wantChroma(m *image.YCbCr, plane []byte, x, y int) byte {
	across := m.SubsampleRatio == image.YCbCrSubsampleRatio422 || m.SubsampleRatio == image.YCbCrSubsampleRatio420
	down := m.SubsampleRatio == image.YCbCrSubsampleRatio440 || m.SubsampleRatio == image.YCbCrSubsampleRatio420
	at := func(x, y int) int32 {
		x, y = min(max(x, 0), m.Rect.Max.X-1), min(max(y, 0), m.Rect.Max.Y-1)
		return int32(plane[m.COffset(x, y)])
	}
	sideX, sideY := x-1+2*(x&1), y-1+2*(y&1)
	switch {
	case across && down:
		sum := 9*at(x, y) + 3*at(sideX, y) + 3*at(x, sideY) + at(sideX, sideY)
		return byte((sum + 8 - int32(x&1)) >> 4)
	case across:
		return byte((3*at(x, y) + at(sideX, y) + 1 + int32(x&1)) >> 2)
	case down:
		return byte((3*at(x, y) + at(x, sideY) + 1 + int32(y&1)) >> 2)
	}
	return byte(at(x, y))
}
