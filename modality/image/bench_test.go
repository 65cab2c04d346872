package image_test

import (
	"bytes"
	stdimage "image"
	stdjpeg "image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"

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
// the image.
func BenchmarkCrop(b *testing.B) {
	m := photo()
	var jpg, pic bytes.Buffer
	if err := stdjpeg.Encode(&jpg, m, &stdjpeg.Options{Quality: 90}); err != nil {
		b.Fatal(err)
	}
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&pic, m); err != nil {
		b.Fatal(err)
	}
	for name, data := range map[string][]byte{"jpeg": jpg.Bytes(), "png": pic.Bytes()} {
		src := source(data, name)
		loc := box(0.7003, 0.7003, 0.9003, 0.9003)
		b.Run(name+"/cold", func(b *testing.B) {
			for b.Loop() {
				if _, _, err := resolve(b, &image.Resolver{}, src, loc); err != nil {
					b.Fatal(err)
				}
			}
		})
		r := &image.Resolver{}
		b.Run(name+"/warm", func(b *testing.B) {
			for b.Loop() {
				if _, _, err := resolve(b, r, src, loc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
