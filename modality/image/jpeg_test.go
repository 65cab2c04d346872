package image

import (
	"bytes"
	"fmt"
	"image"
	stdjpeg "image/jpeg"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/image/internal/exif"
	"github.com/citekit/citekit/modality/image/internal/jpeg"
)

// TestJPEGCropLikeWhole compares crops, for which only the region is decoded,
// with what the whole image gives: the same bytes, wherever the box lies.
func TestJPEGCropLikeWhole(t *testing.T) {
	sharedtest.Once(t)
	size := image.Rect(0, 0, 307, 219)
	if testing.Short() {
		size = image.Rect(0, 0, 211, 137)
	}
	ratios := []image.YCbCrSubsampleRatio{
		image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422,
		image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410,
	}
	if testing.Short() {
		ratios = ratios[:2]
	}
	for _, ratio := range ratios {
		for _, o := range []exif.Orientation{exif.TopLeft, exif.BottomRight, exif.RightTop} {
			t.Run(fmt.Sprintf("%v turned by %d", ratio, o), func(t *testing.T) {
				checkCropsLikeWhole(t, ramp(size, ratio), o)
			})
		}
	}
}

func checkCropsLikeWhole(t *testing.T, m *image.YCbCr, o exif.Orientation) {
	t.Helper()
	parts, err := jpeg.Encode(t.Context(), m, jpeg.EncodeOptions{Quality: 90})
	if err != nil {
		t.Fatal(err)
	}
	data := slices.Concat(parts...)
	whole, err := stdjpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r, src := &Resolver{}, sourceOf(data, "a.jpg")
	r.setUp()
	p, err := openJPEG(t.Context(), r, src)
	if err != nil {
		t.Fatal(err)
	}
	p.orientation = o
	for _, stored := range boxes(m.Rect) {
		got, err := cropBytes(t, r, src, p, stored)
		if err != nil {
			t.Fatalf("%v: %v", stored, err)
		}
		if p.canCopyBlocks(stored) {
			continue
		}
		want, err := jpeg.Encode(t.Context(), uprightYCbCr(whole.(*image.YCbCr), stored, o), jpeg.EncodeOptions{Quality: r.quality()})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, slices.Concat(want...)) {
			t.Errorf("%v: other bytes than of the whole image", stored)
		}
	}
}

// boxes returns regions of all kinds.
func boxes(r image.Rectangle) []image.Rectangle {
	list := []image.Rectangle{r, image.Rect(0, 0, 1, 1), image.Rect(r.Max.X-1, r.Max.Y-1, r.Max.X, r.Max.Y), image.Rect(1, 0, r.Max.X, r.Max.Y), image.Rect(0, 1, r.Max.X, r.Max.Y)}
	rng := rand.New(rand.NewPCG(9, 9))
	for range 30 {
		x, y := rng.IntN(r.Dx()), rng.IntN(r.Dy())
		list = append(list, image.Rect(x, y, x+1+rng.IntN(r.Dx()-x), y+1+rng.IntN(r.Dy()-y)))
	}
	return list
}

func cropBytes(t *testing.T, r *Resolver, src *citekit.Source, p *picture, stored image.Rectangle) ([]byte, error) {
	around := stored.Inset(-chromaMargin).Intersect(image.Rect(0, 0, p.width, p.height))
	parts, err := r.jpegRegion(t.Context(), src, p, stored, around)
	return slices.Concat(parts...), err
}
