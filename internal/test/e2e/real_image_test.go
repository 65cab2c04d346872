package e2e

import (
	stdbinary "encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// displayedSize returns the width and height of an image as displayed.
func displayedSize(t *testing.T, path string) (width, height int) {
	t.Helper()
	out := strings.TrimSpace(string(output(t, sharedtest.Convert(t), path+"[0]", "-auto-orient", "-format", "%w %h", "info:")))
	w, h, _ := strings.Cut(out, " ")
	width, err := strconv.Atoi(w)
	if err != nil {
		t.Fatal(err)
	}
	if height, err = strconv.Atoi(h); err != nil {
		t.Fatal(err)
	}
	return width, height
}

// pixels has ImageMagick decode an image as displayed and returns its samples
// in 16 bits, red, green, blue and alpha.
func pixels(t *testing.T, path string, further ...string) []uint16 {
	t.Helper()
	args := append([]string{path + "[0]", "-auto-orient", "+repage"}, further...)
	raw := output(t, sharedtest.Convert(t), append(args, "-depth", "16", "-endian", "LSB", "-colorspace", "sRGB", "rgba:-")...)
	samples := make([]uint16, len(raw)/2)
	for i := range samples {
		samples[i] = stdbinary.LittleEndian.Uint16(raw[2*i:])
	}
	return samples
}

// psnr returns the peak signal-to-noise ratio of two pictures in decibels,
// infinite where they are the same.
func psnr(a, b []uint16) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
	}
	if sum == 0 {
		return math.Inf(1)
	}
	return 10 * math.Log10(math.MaxUint16*math.MaxUint16/(sum/float64(len(a))))
}

// boxes returns regions: corners, edges, the middle, and some at random.
func boxes(seed uint64, random int) []location {
	list := [][]float64{{0, 0, 0.5, 0.5}, {0.5, 0.5, 1, 1}, {0.25, 0.1, 0.75, 0.35}, {0, 0.9, 1, 1}, {0.333, 0.333, 0.334, 0.334}}
	r := rand.New(rand.NewPCG(seed, 3))
	for range random {
		x, y := math.Round(r.Float64()*900)/1000, math.Round(r.Float64()*900)/1000
		w, h := 0.01+r.Float64()*(0.98-x), 0.01+r.Float64()*(0.98-y)
		list = append(list, []float64{x, y, math.Round((x+w)*1000) / 1000, math.Round((y+h)*1000) / 1000})
	}
	locations := make([]location, len(list))
	for i, box := range list {
		locations[i] = location{"bbox": box}
	}
	return locations
}

// TestRealPhotos compares regions of photos, turned in all eight ways, with
// what ImageMagick cuts out.
func TestRealPhotos(t *testing.T) {
	var names []string
	for i := range 8 {
		names = append(names, fmt.Sprintf("exif-orientation-%d.jpg", i+1))
	}
	compareImages(t, 40, append(names, "baseline.jpeg", "progressive.jpg", "exif-invalid.jpg")...)
}

// TestRealPictures does so for formats that keep every pixel.
func TestRealPictures(t *testing.T) {
	compareImages(t, math.Inf(1), "png-16bit.png", "png-16bit-grey-alpha.png", "png-trns-16.png", "png-palette.png", "png-alpha.png",
		"png-exif-orientation.png", "apng-20-frames.png", "gif-animated.gif", "webp-alpha.webp", "webp-lossless.webp",
		"webp-exif-orientation-6.webp", "tiff-tiled.tiff", "tiff-16bit.tiff", "tiff-multipage-fax.tif", "bmp-8bpp.bmp")
}

// compareImages compares regions of images, which must be at least quality
// decibels alike.
func compareImages(t *testing.T, quality float64, names ...string) {
	t.Helper()
	sharedtest.Convert(t)
	c := cite(t, sharedtest.Corpus(t, "image"))
	for i, name := range names {
		c.add("image", name, boxes(uint64(i), usually(0, 2))[usually(2, 0):]...)
	}
	for _, a := range c.evidence() {
		width, height := displayedSize(t, a.path)
		x1, y1, x2, y2 := a.wanted(t).Box.Pixels(width, height)
		want := pixels(t, a.path, "-crop", fmt.Sprintf("%dx%d+%d+%d", x2-x1, y2-y1, x1, y1), "+repage")
		if w, h := displayedSize(t, a.OutputPath); w != x2-x1 || h != y2-y1 {
			t.Errorf("%v is %d by %d, not %d by %d", a, w, h, x2-x1, y2-y1)
			continue
		}
		if got := psnr(want, pixels(t, a.OutputPath)); got < quality {
			t.Errorf("%v (%s): %.1f dB alike", a, a.MediaType, got)
		}
	}
}
