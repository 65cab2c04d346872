package jpeg

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	stdjpeg "image/jpeg"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var ratios = map[string]image.YCbCrSubsampleRatio{
	"4:4:4": image.YCbCrSubsampleRatio444,
	"4:2:2": image.YCbCrSubsampleRatio422,
	"4:2:0": image.YCbCrSubsampleRatio420,
	"4:4:0": image.YCbCrSubsampleRatio440,
	"4:1:1": image.YCbCrSubsampleRatio411,
	"4:1:0": image.YCbCrSubsampleRatio410,
}

// scene returns an image with flat, smooth and rough parts.
func scene(width, height int, ratio image.YCbCrSubsampleRatio) *image.YCbCr {
	rng := rand.New(rand.NewPCG(3, 4))
	m := image.NewYCbCr(image.Rect(0, 0, width, height), ratio)
	paint := func(pix []byte, stride int) {
		for i := range pix {
			x, y := i%stride, i/stride
			v := 128 + 90*math.Sin(float64(x)/17)*math.Cos(float64(y)/23)
			if (x/32+y/32)%3 == 0 {
				v += float64(rng.IntN(40))
			}
			pix[i] = byte(min(max(v, 0), 255))
		}
	}
	paint(m.Y, m.YStride)
	paint(m.Cb, m.CStride)
	paint(m.Cr, m.CStride)
	return m
}

func grayScene(width, height int) *image.Gray {
	m := scene(width, height, image.YCbCrSubsampleRatio444)
	return &image.Gray{Pix: m.Y, Stride: m.YStride, Rect: m.Rect}
}

func encode(t testing.TB, img image.Image, quality int) []byte {
	t.Helper()
	return encodeRegion(t, img, EncodeOptions{Quality: quality})
}

func encodeRegion(t testing.TB, img image.Image, o EncodeOptions) []byte {
	t.Helper()
	parts, err := Encode(t.Context(), img, o)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(parts...)
}

// TestEncode checks that image/jpeg reads what was encoded, and that it is
// close to the original.
func TestEncode(t *testing.T) {
	images := map[string]image.Image{"grey": grayScene(61, 47)}
	for name, ratio := range ratios {
		images[name] = scene(61, 47, ratio)
	}
	for name, img := range images {
		t.Run(name, func(t *testing.T) {
			got, err := stdjpeg.Decode(bytes.NewReader(encode(t, img, 97)))
			if err != nil {
				t.Fatal(err)
			}
			if got.Bounds() != img.Bounds() || got.ColorModel() != img.ColorModel() {
				t.Fatalf("got %v, %T", got.Bounds(), got)
			}
			want := planes(img, img.Bounds())
			for i, p := range planes(got, img.Bounds()) {
				if db := planePSNR(p, want[i]); db < 40 {
					t.Errorf("plane %d: %.1f dB", i, db)
				}
			}
		})
	}
}

func planePSNR(a, b []byte) float64 {
	if len(a) != len(b) {
		return 0
	}
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
	}
	return 10 * math.Log10(255*255*float64(len(a))/sum)
}

// TestEncodeExtremes encodes the hardest contrasts at the finest quality.
func TestEncodeExtremes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	m := image.NewGray(image.Rect(0, 0, 256, 256))
	for i := range m.Pix {
		switch (i / 8 % 4) + i/2048%2 {
		case 0:
			m.Pix[i] = byte(i%2) * 255
		case 1:
			m.Pix[i] = byte(i/256%2) * 255
		case 2:
			m.Pix[i] = byte((i+i/256)%2) * 255
		default:
			m.Pix[i] = byte(rng.IntN(2)) * 255
		}
	}
	got, err := stdjpeg.Decode(bytes.NewReader(encode(t, m, 100)))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got.(*image.Gray).Pix {
		if d := int(v) - int(m.Pix[i]); d < -4 || d > 4 {
			t.Fatalf("pixel %d is %d, want %d", i, v, m.Pix[i])
		}
	}
}

// TestEncodeStrips checks images that are encoded in several strips, and that
// the bytes are always the same.
func TestEncodeStrips(t *testing.T) {
	m := scene(1200, 900, image.YCbCrSubsampleRatio420)
	data := encode(t, m, 90)
	if !bytes.Equal(data, encode(t, m, 90)) {
		t.Error("other bytes the second time")
	}
	got, err := stdjpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	want := planes(m, m.Rect)
	for i, p := range planes(got, m.Rect) {
		if db := planePSNR(p, want[i]); db < 35 {
			t.Errorf("plane %d: %.1f dB", i, db)
		}
	}
	checkRegions(t, data, 3)
}

func TestEncodeRGB(t *testing.T) {
	m := image.NewRGBA(image.Rect(3, 5, 40, 30))
	for i := range m.Pix {
		m.Pix[i] = 200
	}
	for y := 5; y < 30; y++ {
		for x := 3; x < 40; x++ {
			m.SetRGBA(x, y, color.RGBA{R: 200, G: byte(x * 3), B: byte(y * 4), A: 255})
		}
	}
	got, err := stdjpeg.Decode(bytes.NewReader(encode(t, m, 98)))
	if err != nil {
		t.Fatal(err)
	}
	r, g, b, _ := got.At(10, 10).RGBA()
	if want := m.RGBAAt(13, 15); math.Abs(float64(r>>8)-float64(want.R)) > 3 || math.Abs(float64(g>>8)-float64(want.G)) > 3 || math.Abs(float64(b>>8)-float64(want.B)) > 3 {
		t.Errorf("pixel is %d %d %d, want %v", r>>8, g>>8, b>>8, want)
	}
}

func TestEncodeTooLarge(t *testing.T) {
	if _, err := Encode(t.Context(), image.NewGray(image.Rect(0, 0, 65536, 1)), EncodeOptions{}); err == nil {
		t.Error("65536 pixels across were encoded")
	}
}

// TestEncodeRegion compares parts that are encoded by themselves with parts
// that were put together before.
func TestEncodeRegion(t *testing.T) {
	bounds := image.Rect(0, 0, 607, 433)
	regions := []image.Rectangle{bounds, image.Rect(16, 16, 90, 70), image.Rect(1, 1, 600, 431), image.Rect(33, 2, 607, 433), image.Rect(2, 5, 3, 6), image.Rect(606, 432, 607, 433)}
	if testing.Short() {
		regions = regions[3:]
	}
	for name, ratio := range ratios {
		if testing.Short() && ratio != image.YCbCrSubsampleRatio420 {
			continue
		}
		m := scene(bounds.Dx(), bounds.Dy(), ratio)
		for _, region := range regions {
			whole := m
			if h, v := Sampling(ratio); region.Min.X%h != 0 || region.Min.Y%v != 0 {
				whole = FullChroma(m, region)
			}
			want := encode(t, whole.SubImage(region), 92)
			if got := encodeRegion(t, m, EncodeOptions{Quality: 92, Region: region}); !bytes.Equal(got, want) {
				t.Errorf("%s %v: other bytes than those of the part by itself", name, region)
			}
		}
	}
	for _, m := range []subImager{grayScene(607, 433), image.NewCMYK(bounds)} {
		for _, region := range regions {
			want := encode(t, m.SubImage(region), 92)
			if got := encodeRegion(t, m.SubImage(bounds), EncodeOptions{Quality: 92, Region: region}); !bytes.Equal(got, want) {
				t.Errorf("%T %v: other bytes than those of the part by itself", m, region)
			}
		}
	}
}

func TestEncodeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Encode(ctx, grayScene(64, 64), EncodeOptions{Quality: 90}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// TestPacker compares with a writer that looks at every byte.
func TestPacker(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var p packer
	for range 50 {
		var w bitWriter
		for range rng.IntN(3000) {
			n := uint(1 + rng.IntN(26))
			v := rng.Uint64() & (1<<n - 1)
			if rng.IntN(3) == 0 {
				v = 1<<n - 1 // bytes to stuff
			}
			p.reserve(1)
			p.put(v, n)
			w.put(v, n)
		}
		w.flush()
		if got := p.stuffed(markerEOI); !bytes.Equal(got, append(w.out, 0xff, markerEOI)) {
			t.Fatalf("got %d bytes, want %d others", len(got), len(w.out)+2)
		}
	}
}
