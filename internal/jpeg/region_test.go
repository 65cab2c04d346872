package jpeg

import (
	"bytes"
	"context"
	"image"
	stdjpeg "image/jpeg"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/citekit/citekit/internal/sharedtest"
)

// planes returns the samples of img within r, plane by plane.
func planes(img image.Image, r image.Rectangle) [][]byte {
	rows := func(pix []byte, stride, width, height int) []byte {
		var out []byte
		for y := range height {
			out = append(out, pix[y*stride:y*stride+width]...)
		}
		return out
	}
	switch m := img.(type) {
	case *image.Gray:
		return [][]byte{rows(m.Pix[m.PixOffset(r.Min.X, r.Min.Y):], m.Stride, r.Dx(), r.Dy())}
	case *image.RGBA:
		return [][]byte{rows(m.Pix[m.PixOffset(r.Min.X, r.Min.Y):], m.Stride, 4*r.Dx(), r.Dy())}
	case *image.CMYK:
		return [][]byte{rows(m.Pix[m.PixOffset(r.Min.X, r.Min.Y):], m.Stride, 4*r.Dx(), r.Dy())}
	case *image.YCbCr:
		h, v := Sampling(m.SubsampleRatio)
		width := (r.Max.X-1)/h - r.Min.X/h + 1
		height := (r.Max.Y-1)/v - r.Min.Y/v + 1
		at := m.COffset(r.Min.X, r.Min.Y)
		return [][]byte{
			rows(m.Y[m.YOffset(r.Min.X, r.Min.Y):], m.YStride, r.Dx(), r.Dy()),
			rows(m.Cb[at:], m.CStride, width, height),
			rows(m.Cr[at:], m.CStride, width, height),
		}
	}
	return nil
}

// checkRegions compares random regions, each of them cold and warm, with what
// image/jpeg decodes.
func checkRegions(t *testing.T, data []byte, count int) {
	t.Helper()
	want, err := stdjpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	warm, err := Open(ctx, bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if !warm.CanCut() {
		t.Fatal("CanCut = false")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range count {
		r := randomRect(rng, want.Bounds())
		cold, err := Open(ctx, bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for name, im := range map[string]*Image{"cold": cold, "warm": warm} {
			checkRegion(t, name, im, data, want, r)
		}
	}
}

func checkRegion(t *testing.T, name string, im *Image, data []byte, want image.Image, r image.Rectangle) {
	t.Helper()
	got, err := im.DecodeRegion(context.Background(), bytes.NewReader(data), r)
	if err != nil {
		t.Fatalf("%s %v: %v", name, r, err)
	}
	if got.Bounds() != r {
		t.Fatalf("%s: bounds %v, want %v", name, got.Bounds(), r)
	}
	if !slices.EqualFunc(planes(got, r), planes(want, r), bytes.Equal) {
		t.Fatalf("%s: the pixels of %v differ from those of image/jpeg", name, r)
	}
}

func randomRect(rng *rand.Rand, bounds image.Rectangle) image.Rectangle {
	x1, y1 := rng.IntN(bounds.Dx()), rng.IntN(bounds.Dy())
	x2, y2 := x1+1+rng.IntN(bounds.Dx()-x1), y1+1+rng.IntN(bounds.Dy()-y1)
	return image.Rect(x1, y1, x2, y2)
}

func TestRealFiles(t *testing.T) {
	files, err := filepath.Glob(sharedtest.Corpus(t, "image/*.jp*g"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := stdjpeg.Decode(bytes.NewReader(data)); err != nil {
				t.Skipf("image/jpeg does not read it: %v", err)
			}
			im, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			if im.Progressive {
				t.Skip("progressive")
			}
			checkRegions(t, data, 8)
		})
	}
}
