package image_test

import (
	"bytes"
	stdimage "image"
	stdjpeg "image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/image"
)

// photo returns 20 megapixels with smooth and rough parts.
func photo() *stdimage.RGBA {
	rng := rand.New(rand.NewPCG(1, 1))
	m := stdimage.NewRGBA(stdimage.Rect(0, 0, 5472, 3648))
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			v := 120 + 70*math.Sin(float64(x)/97)*math.Cos(float64(y)/61)
			noise := float64(rng.IntN(8 + 24*(x/400%2)))
			i := m.PixOffset(x, y)
			m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = byte(v+noise), byte(v/2+noise), byte(255-v+noise/2), 255
		}
	}
	return m
}

// BenchmarkCrop resolves a region of 1094 by 730 pixels at the bottom right of
// a 20 megapixel image: cold with a new resolver, warm with one that has seen
// the image. Of a JPEG it also resolves 5 megapixels in the middle, off the
// grid of blocks.
func BenchmarkCrop(b *testing.B) {
	m := photo()
	var jpg, pic bytes.Buffer
	if err := stdjpeg.Encode(&jpg, m, &stdjpeg.Options{Quality: 90}); err != nil {
		b.Fatal(err)
	}
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&pic, m); err != nil {
		b.Fatal(err)
	}
	corner, middle := box(0.7003, 0.7003, 0.9003, 0.9003), box(0.21, 0.21, 0.71, 0.71)
	for _, c := range []struct {
		name string
		data []byte
		loc  citekit.Location
	}{{"jpeg", jpg.Bytes(), corner}, {"large jpeg", jpg.Bytes(), middle}, {"png", pic.Bytes(), corner}} {
		src, loc := source(c.data, c.name), c.loc
		b.Run(c.name+"/cold", func(b *testing.B) {
			for b.Loop() {
				if _, _, err := resolve(b, &image.Resolver{}, src, loc); err != nil {
					b.Fatal(err)
				}
			}
		})
		r := &image.Resolver{}
		b.Run(c.name+"/warm", func(b *testing.B) {
			for b.Loop() {
				if _, _, err := resolve(b, r, src, loc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
