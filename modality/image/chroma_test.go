package image

import (
	"image"
	"testing"

	"github.com/citekit/citekit/modality/image/internal/exif"
	"github.com/citekit/citekit/modality/image/internal/jpeg"
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

// TestUprightYCbCr checks that turned planes show the colours of the source,
// for regions that need interpolation and regions that do not.
func TestUprightYCbCr(t *testing.T) {
	for _, ratio := range []image.YCbCrSubsampleRatio{
		image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420,
		image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410,
	} {
		m := ramp(image.Rect(0, 0, 24, 16), ratio)
		for o := exif.TopLeft; o <= exif.LeftBottom; o++ {
			for _, region := range []image.Rectangle{m.Rect, image.Rect(4, 2, 12, 10), image.Rect(3, 1, 8, 8), image.Rect(5, 5, 6, 6)} {
				checkUpright(t, m, region, o)
			}
		}
	}
}

func checkUpright(t *testing.T, m *image.YCbCr, region image.Rectangle, o exif.Orientation) {
	t.Helper()
	out := uprightYCbCr(m, region, o)
	width, height := o.Displayed(region.Dx(), region.Dy())
	if out.Rect.Dx() != width || out.Rect.Dy() != height {
		t.Fatalf("%v turned by %d is %v", region, o, out.Rect)
	}
	full := jpeg.FullChroma(m, region)
	same := out.SubsampleRatio != image.YCbCrSubsampleRatio444 || m.SubsampleRatio == image.YCbCrSubsampleRatio444
	for y := range height {
		for x := range width {
			sx, sy := o.Stored(x, y, region.Dx(), region.Dy())
			want := full.YCbCrAt(region.Min.X+sx, region.Min.Y+sy)
			if same {
				want = m.YCbCrAt(region.Min.X+sx, region.Min.Y+sy)
			}
			if got := out.YCbCrAt(out.Rect.Min.X+x, out.Rect.Min.Y+y); got != want {
				t.Fatalf("%v of %v turned by %d: pixel %d,%d is %v, want %v", region, m.SubsampleRatio, o, x, y, got, want)
			}
		}
	}
}
