package image_test

import (
	"bytes"
	"errors"
	"fmt"
	stdimage "image"
	"image/color"
	"image/draw"
	"image/gif"
	"io"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/image"
	"github.com/citekit/citekit/preview"
)

func seen(t *testing.T, r *image.Resolver, data []byte, name string, loc citekit.Location, opts preview.Options) *stdimage.RGBA {
	t.Helper()
	p, err := r.Preview(t.Context(), source(data, name), loc, opts)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	img, _, err := stdimage.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	rgba := stdimage.NewRGBA(img.Bounds())
	draw.Draw(rgba, rgba.Rect, img, stdimage.Point{}, draw.Src)
	return rgba
}

func allOf() citekit.Location { return citekit.Location{Modality: citekit.Image} }

// TestPreviewRegion compares a picture of a box with one of the whole, in all
// formats and orientations: it is the same pixels.
func TestPreviewRegion(t *testing.T) {
	files := samples(t)
	r := &image.Resolver{}
	for name, data := range files {
		if _, err := r.Preview(t.Context(), source(data, name), allOf(), preview.Options{}); errors.Is(err, errors.ErrUnsupported) {
			continue
		}
		turns := []byte{0}
		if name == "a.png" || name == "a.jpg" || name == "a.tiff" {
			turns = []byte{0, 2, 3, 4, 5, 6, 7, 8}
		}
		for _, o := range turns {
			label, turned := name, data
			if o != 0 {
				label, turned = fmt.Sprint(o, name), oriented(t, name, data, o)
			}
			whole := seen(t, r, turned, label, allOf(), preview.Options{})
			extent, err := r.Measure(t.Context(), source(turned, label))
			if err != nil {
				t.Fatal(err)
			}
			if size := stdimage.Pt(extent.Width, extent.Height); max(size.X, size.Y) <= 1000 && whole.Rect.Max != size {
				t.Errorf("%s: the picture has %v pixels of %v", label, whole.Rect.Max, size)
			}
			loc := box(.25, .25, .75, .75)
			part := seen(t, r, turned, label, loc, preview.Options{})
			at := stdimage.Rect(loc.Box.Pixels(extent.Width, extent.Height))
			if part.Rect.Size() != at.Size() {
				t.Fatalf("%s: a part of %v pixels, want %v", label, part.Rect.Size(), at.Size())
			}
			far := 0
			for y := range at.Dy() {
				for x := range at.Dx() {
					if !alike(part.RGBAAt(x, y), whole.RGBAAt(x+at.Min.X, y+at.Min.Y), 40) {
						far++
					}
				}
			}
			if far > at.Dx()*at.Dy()/50 {
				t.Errorf("%s: %d of %d pixels are others than in the whole", label, far, at.Dx()*at.Dy())
			}
		}
	}
}

func alike(a, b color.RGBA, by int) bool {
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B)} {
		if max(d, -d) > by {
			return false
		}
	}
	return true
}

// TestPreviewTurned has an image that is red on the left as stored, and shown
// turned by a quarter: red is at the top. It is scaled down, and marked.
func TestPreviewTurned(t *testing.T) {
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, 400, 200))
	for y := range 200 {
		for x := range 400 {
			c := color.NRGBA{255, 0, 0, 255}
			if x >= 200 {
				c = color.NRGBA{0, 0, 255, 0} // nothing there: white
			}
			img.SetNRGBA(x, y, c)
		}
	}
	data := oriented(t, "a.png", encodePNG(t, img), 6)
	got := seen(t, &image.Resolver{}, data, "turned.png", allOf(), preview.Options{
		Side: 200, Boxes: []citekit.Box{{X1: 0, Y1: .75, X2: .5, Y2: 1}},
	})
	if got.Rect.Max != stdimage.Pt(100, 200) {
		t.Fatalf("%v pixels", got.Rect.Max)
	}
	for at, want := range map[stdimage.Point]color.RGBA{
		{2, 2}: {255, 0, 0, 255}, {97, 97}: {255, 0, 0, 255}, {2, 103}: {255, 255, 255, 255}, {97, 197}: {255, 255, 255, 255},
		{2, 197}: {255, 244, 165, 255}, {47, 153}: {255, 244, 165, 255}, {51, 180}: {230, 120, 0, 255},
	} {
		if c := got.RGBAAt(at.X, at.Y); !alike(c, want, 6) {
			t.Errorf("pixel %v is %v, want %v", at, c, want)
		}
	}
}

// TestPreviewFirstFrame has an animation whose first frame is green.
func TestPreviewFirstFrame(t *testing.T) {
	palette := color.Palette{color.RGBA{0, 255, 0, 255}, color.RGBA{0, 0, 255, 255}}
	g := &gif.GIF{}
	for i := range 2 {
		frame := stdimage.NewPaletted(stdimage.Rect(0, 0, 30, 20), palette)
		for p := range frame.Pix {
			frame.Pix[p] = byte(i)
		}
		g.Image, g.Delay = append(g.Image, frame), append(g.Delay, 10)
	}
	data := encoded(t, func(w io.Writer) error { return gif.EncodeAll(w, g) })
	got := seen(t, &image.Resolver{}, data, "a.gif", allOf(), preview.Options{})
	if c := got.RGBAAt(10, 10); c != (color.RGBA{0, 255, 0, 255}) || got.Rect.Max != stdimage.Pt(30, 20) {
		t.Errorf("%v of %v pixels", c, got.Rect.Max)
	}
}

func TestPreviewUnread(t *testing.T) {
	avif := []byte("\x00\x00\x00\x18ftypavif\x00\x00\x00\x00avifmif1")
	_, err := new(image.Resolver).Preview(t.Context(), source(avif, "a.avif"), allOf(), preview.Options{})
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("of an AVIF: %v", err)
	}
}
