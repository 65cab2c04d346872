package jpeg

import (
	"bytes"
	"image"
	"os"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// BenchmarkRegion decodes a part of the JPEG that CITEKIT_BENCH_JPEG names.
func BenchmarkRegion(b *testing.B) {
	name := os.Getenv("CITEKIT_BENCH_JPEG")
	if name == "" {
		b.Skip("set CITEKIT_BENCH_JPEG to a large JPEG")
	}
	data := sharedtest.Read(b, name)
	open := func() *Image {
		im, err := Open(b.Context(), bytes.NewReader(data), int64(len(data)))
		if err != nil {
			b.Fatal(err)
		}
		return im
	}
	warm := open()
	w, h := warm.Width, warm.Height
	for _, c := range []struct {
		name string
		r    image.Rectangle
	}{
		{"top left", image.Rect(w/10, h/10, w*3/10, h*3/10)},
		{"middle", image.Rect(w*2/5, h*2/5, w*3/5, h*3/5)},
		{"bottom right", image.Rect(w*7/10, h*7/10, w*9/10, h*9/10)},
		{"quarter", image.Rect(w/2, h/2, w, h)},
		{"most", image.Rect(1, 1, w-1, h-1)},
	} {
		b.Run(c.name+"/cold", func(b *testing.B) {
			for b.Loop() {
				if _, err := open().DecodeRegion(b.Context(), bytes.NewReader(data), c.r); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/warm", func(b *testing.B) {
			for b.Loop() {
				if _, err := warm.DecodeRegion(b.Context(), bytes.NewReader(data), c.r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
