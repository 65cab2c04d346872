package image_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	stdimage "image"
	"image/color"
	"image/gif"
	stdjpeg "image/jpeg"
	"image/png"
	"io"
	"slices"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/image"
	"github.com/citekit/citekit/modality/modalitytest"
)

// pattern returns an image in which every pixel of a few columns and rows has
// a colour of its own.
func pattern(width, height int) *stdimage.NRGBA {
	m := stdimage.NewNRGBA(stdimage.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.SetNRGBA(x, y, color.NRGBA{R: byte(7 * x), G: byte(11 * y), B: byte(x * y), A: 0xff})
		}
	}
	return m
}

func paletted(width, height int) *stdimage.Paletted {
	p := color.Palette{color.RGBA{A: 0xff}, color.RGBA{R: 0xff, A: 0xff}, color.RGBA{G: 0xff, A: 0xff}, color.RGBA{B: 0xff, A: 0xff}}
	m := stdimage.NewPaletted(stdimage.Rect(0, 0, width, height), p)
	for i := range m.Pix {
		m.Pix[i] = byte((i*i/3 + i) % len(p))
	}
	return m
}

// encoded returns what write writes.
func encoded(t testing.TB, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// samples returns a small source of every format.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	const w, h = 24, 20
	animation := &gif.GIF{Config: stdimage.Config{Width: w, Height: h}}
	for i := range 3 {
		m := paletted(w-4*i, h-3*i)
		m.Rect = m.Rect.Add(stdimage.Pt(4*i, 3*i))
		animation.Image = append(animation.Image, m)
		animation.Delay = append(animation.Delay, 10+i)
		animation.Disposal = append(animation.Disposal, gif.DisposalNone)
	}
	return map[string][]byte{
		"a.png":  encoded(t, func(b io.Writer) error { return png.Encode(b, pattern(w, h)) }),
		"a.jpg":  encoded(t, func(b io.Writer) error { return stdjpeg.Encode(b, pattern(w, h), nil) }),
		"a.gif":  encoded(t, func(b io.Writer) error { return gif.EncodeAll(b, animation) }),
		"a.tiff": encoded(t, func(b io.Writer) error { return tiff.Encode(b, pattern(w, h), nil) }),
		"a.bmp":  encoded(t, func(b io.Writer) error { return bmp.Encode(b, pattern(w, h)) }),
		"a.webp": lossyWebP,
	}
}

// lossyWebP is a picture of 24x20 pixels.
var lossyWebP = []byte("\x52\x49\x46\x46\x70\x00\x00\x00\x57\x45\x42\x50\x56\x50\x38\x20\x64\x00\x00\x00\x90\x04\x00\x9d" +
	"\x01\x2a\x18\x00\x14\x00\x3e\xb5\x44\x9e\x4a\x3f\xa3\xa2\xa1\xb0\x18\x0c\x03\xf0\x16\x89\x68\x00" +
	"\xbb\x2f\xd6\xf9\x06\xf0\x11\x7f\xfb\x6a\x80\x84\xb4\x12\xbe\x5b\x00\x00\xfe\xef\x7c\xcf\xcb\xa6" +
	"\xeb\x44\xe5\xc8\x2c\xd2\xf1\x36\x58\x7f\xfc\xf6\x80\xf8\x35\xd5\xce\x1c\xa9\x10\x07\x7d\xec\xb7" +
	"\x9a\xd1\xd8\xd0\x7b\x5e\xe2\x1f\x83\xa9\x70\xc1\x88\x3e\x44\x19\xf6\x00\x8d\xc0\x05\x90\x00\x00")

// animatedWebP is lossyWebP twice on a canvas of its size.
func animatedWebP() []byte {
	chunk := func(kind string, data []byte) []byte {
		return append(binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(data))), data...)
	}
	frame := append([]byte{0, 0, 0, 0, 0, 0, 23, 0, 0, 19, 0, 0, 100, 0, 0, 0}, lossyWebP[12:]...)
	all := slices.Concat([]byte("WEBP"), chunk("VP8X", []byte{2, 0, 0, 0, 23, 0, 0, 19, 0, 0}), chunk("ANIM", make([]byte, 6)), chunk("ANMF", frame), chunk("ANMF", frame))
	return chunk("RIFF", all)
}

// TestAnimations cuts a region out of animations. Evidence that has only the
// first picture says so.
func TestAnimations(t *testing.T) {
	files := samples(t)
	control := binary.BigEndian.AppendUint32([]byte("\x00\x00\x00\x08acTL\x00\x00\x00\x02\x00\x00\x00\x00"), crc32.ChecksumIEEE([]byte("acTL\x00\x00\x00\x02\x00\x00\x00\x00")))
	const header = 33 // bytes, up to the end of IHDR
	for name, c := range map[string]struct {
		data      []byte
		animation bool
	}{
		"a.webp": {files["a.webp"], false}, "b.webp": {animatedWebP(), true}, "a.gif": {files["a.gif"], false},
		"a.png": {files["a.png"], false}, "b.png": {slices.Concat(files["a.png"][:header], control, files["a.png"][header:]), true},
	} {
		_, content, err := resolve(t, &image.Resolver{}, source(c.data, name), box(0, 0, .5, .5))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if (len(content.Changes) == 1) != c.animation {
			t.Errorf("%s: changes %q", name, content.Changes)
		}
	}
}

var mediaTypes = map[string]string{
	"a.png": "image/png", "a.jpg": "image/jpeg", "a.gif": "image/gif",
	"a.tiff": "image/tiff", "a.bmp": "image/bmp", "a.webp": "image/webp",
}

func TestConformance(t *testing.T) {
	for name, data := range samples(t) {
		t.Run(name, func(t *testing.T) {
			inside := func(t testing.TB, got []byte, x *citekit.Content) {
				cfg, _, err := stdimage.DecodeConfig(bytes.NewReader(got))
				if err != nil || cfg.Width != 12 || cfg.Height != 5 {
					t.Errorf("the region has %dx%d pixels (%v), want 12x5", cfg.Width, cfg.Height, err)
				}
			}
			// One format is enough for text: starting tesseract takes time.
			r := &image.Resolver{NoText: name != "a.png" || testing.Short()}
			modalitytest.Test(t, r, modalitytest.Fixture{
				Name:   name,
				Source: data,
				Good: []modalitytest.Case{
					{Name: "inside", Location: box(0.25, 0.25, 0.75, 0.5), Check: inside},
					{Name: "everything", Location: box(0, 0, 1, 1)},
					{Name: "one pixel", Location: box(0.5, 0.5, 0.5001, 0.5001)},
					{Name: "far corner", Location: box(0.5, 0.5, 1, 1)},
				},
				Foreign: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 2}},
				Extent:  citekit.Extent{Modality: citekit.Image, Width: 24, Height: 20, MediaType: mediaTypes[name]},
				Garbage: [][]byte{[]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), []byte("%PDF-1.7\n"), []byte("\xff\xd8\xff\xd9")},
			})
		})
	}
}
