package image_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	stdimage "image"
	"image/gif"
	"io"
	"slices"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/image"
)

// TestRefused checks sources that must be refused before anything large is
// allocated.
func TestRefused(t *testing.T) {
	files := samples(t)
	patched := func(name string, offset int, bytes ...byte) []byte {
		data := slices.Clone(files[name])
		copy(data[offset:], bytes)
		return data
	}
	frames := &gif.GIF{}
	for range 10_001 {
		frames.Image = append(frames.Image, paletted(1, 1))
		frames.Delay = append(frames.Delay, 0)
	}
	manyFrames := encoded(t, func(w io.Writer) error { return gif.EncodeAll(w, frames) })
	for _, c := range []struct {
		name string
		data []byte
		want error
	}{
		{"empty", nil, citekit.ErrFormat},
		{"text", []byte("BMW makes cars, and this is a text about them."), citekit.ErrFormat},
		{"binary", []byte{1, 2, 3, 4, 5, 6, 7, 0, 0}, citekit.ErrFormat},
		{"PDF", []byte("%PDF-1.7\n"), citekit.ErrFormat},
		{"SVG", []byte("<?xml version='1.0'?><svg><image href='file:///etc/passwd'/></svg>"), errors.ErrUnsupported},
		{"MVG", []byte("push graphic-context\nviewbox 0 0 1 1\nimage Over 0,0 1,1 'https://127.0.0.1/x'\n"), errors.ErrUnsupported},
		{"HEIC", []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"), errors.ErrUnsupported},
		{"AVIF", []byte("\x00\x00\x00\x18ftypavif\x00\x00\x00\x00mif1avif"), errors.ErrUnsupported},
		{"JPEG XL", []byte("\xff\x0a\x00\x00"), errors.ErrUnsupported},
		{"PNG of 65536x65536", patched("a.png", 16, 0, 1, 0, 0, 0, 1, 0, 0), citekit.ErrTooLarge},
		{"PNG of 120000000 rows", pngOf(1, 120_000_000, 8, 0, deflated(1<<20)), citekit.ErrTooLarge},
		{"TIFF of 240000000 rows", tiffOfBlocks(1, 240_000_000, 1, 8, deflated(1), 2, [2]uint32{278, 120_000_000}, 273, 279), citekit.ErrTooLarge},
		{"PNG of no size", patched("a.png", 16, 0, 0, 0, 0, 0, 0, 0, 0), citekit.ErrFormat},
		{"GIF of 65535x65535", patched("a.gif", 6, 0xff, 0xff, 0xff, 0xff), citekit.ErrTooLarge},
		{"GIF with a frame outside", patched("a.gif", 6, 4, 0, 4, 0), citekit.ErrFormat},
		{"GIF of many frames", manyFrames, citekit.ErrTooLarge},
		{"BMP of 3000000x2000000", patched("a.bmp", 18, 0xc0, 0xc6, 0x2d, 0, 0x80, 0x84, 0x1e, 0), citekit.ErrTooLarge},
		{"BMP of 12000x12000", patched("a.bmp", 18, 0xe0, 0x2e, 0, 0, 0xe0, 0x2e, 0, 0), citekit.ErrFormat},
		{"BMP of negative width", patched("a.bmp", 18, 0, 0, 0, 0x80), citekit.ErrFormat},
		{"JPEG that ends after its header", []byte("\xff\xd8\xff\xd9"), citekit.ErrFormat},
		{"JPEG of 12 bits", []byte("\xff\xd8\xff\xc1\x00\x0b\x0c\x00\x10\x00\x10\x01\x01\x11\x00"), errors.ErrUnsupported},
		{"JPEG of arithmetic coding", []byte("\xff\xd8\xff\xc9\x00\x0b\x08\x00\x10\x00\x10\x01\x01\x11\x00"), errors.ErrUnsupported},
		{"WebP with another size in its frame", webpOf(24, 20, 16383, 16383), citekit.ErrFormat},
		{"WebP of 16777216x16777216", webpOf(1<<24, 1<<24, 0, 0), citekit.ErrFormat},
		{"TIFF without a directory", []byte("II*\x00\xff\xff\xff\xff"), citekit.ErrFormat},
		{"TIFF of a huge tile", tiffOf(16, 16, 1<<31-1, 1<<31-1), citekit.ErrFormat},
		{"TIFF of 4294967295x4294967295", tiffOf(1<<32-1, 1<<32-1, 0, 0), citekit.ErrTooLarge},
		{"TIFF of 30000x30000", tiffOf(30000, 30000, 0, 0), citekit.ErrTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := resolve(t, &image.Resolver{}, source(c.data, "x"), box(0.1, 0.1, 0.9, 0.9))
			if !errors.Is(err, c.want) {
				t.Errorf("error %v, want one matching %v", err, c.want)
			}
		})
	}
}

// webpOf returns the start of a WebP: its canvas, and a frame of VP8L.
func webpOf(width, height, frameWidth, frameHeight int) []byte {
	x := []byte{0, 0, 0, 0, byte(width - 1), byte((width - 1) >> 8), byte((width - 1) >> 16), byte(height - 1), byte((height - 1) >> 8), byte((height - 1) >> 16)}
	frame := binary.LittleEndian.AppendUint32([]byte{0x2f}, uint32(frameWidth)|uint32(frameHeight)<<14)
	b := append([]byte("RIFF\x24\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00"), x...)
	return append(append(b, "VP8L\x06\x00\x00\x00"...), append(frame, 0)...)
}

// tiffOf returns a TIFF of one directory without pixels.
func tiffOf(width, height, tileWidth, tileHeight uint32) []byte {
	b := []byte("II*\x00\x08\x00\x00\x00")
	tags := [][2]uint32{{256, width}, {257, height}, {258, 8}}
	if tileWidth > 0 {
		tags = append(tags, [2]uint32{322, tileWidth}, [2]uint32{323, tileHeight})
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(tags)))
	for _, tag := range tags {
		b = binary.LittleEndian.AppendUint16(b, uint16(tag[0]))
		b = binary.LittleEndian.AppendUint16(b, 4)
		b = binary.LittleEndian.AppendUint32(b, 1)
		b = binary.LittleEndian.AppendUint32(b, tag[1])
	}
	return append(b, 0, 0, 0, 0)
}

// TestUnread checks that images whose pixels cannot be read are there as a
// whole.
func TestUnread(t *testing.T) {
	r := &image.Resolver{}
	data := []byte("\x00\x00\x00\x0cJXL \r\n\x87\n and so on")
	src := source(data, "a.jxl")
	got, x, err := resolve(t, r, src, citekit.Location{Modality: citekit.Image})
	if err != nil || !bytes.Equal(got, data) || x.MediaType != "image/jxl" || x.Ext != ".jxl" {
		t.Errorf("got %q as %+v, error %v", got, x, err)
	}
	if _, err := r.Measure(t.Context(), src); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Measure: error %v, want ErrUnsupported", err)
	}
}

// TestTruncated checks that no region comes from a source that was cut short.
func TestTruncated(t *testing.T) {
	for name, data := range samples(t) {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1, len(data) / 4, len(data) / 2, len(data) * 3 / 4, len(data) - 8} {
				got, _, err := resolve(t, &image.Resolver{}, source(data[:n], name), box(0.1, 0.1, 0.9, 0.9))
				if name == "a.tiff" && err == nil {
					continue // what is missing may follow the pixels
				}
				if !errors.Is(err, citekit.ErrFormat) {
					t.Errorf("%d of %d bytes: %d bytes of evidence, error %v", n, len(data), len(got), err)
				}
			}
		})
	}
}

// TestBombChunks checks that compressed metadata is neither inflated beyond
// its limit nor a reason to refuse the pixels.
func TestBombChunks(t *testing.T) {
	sharedtest.NotShort(t)
	plain, zeros := encodePNG(t, pattern(24, 20)), deflated(64<<20)
	for _, kind := range []string{"iCCP", "zTXt"} {
		bomb := pngChunk(kind, append([]byte("icc\x00\x00"), zeros...))
		data := slices.Concat(plain[:33], bomb, plain[33:])
		got, _, err := resolve(t, &image.Resolver{}, source(data, kind), box(0.1, 0.1, 0.9, 0.9))
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		want, _, err := resolve(t, &image.Resolver{}, source(plain, "plain"), box(0.1, 0.1, 0.9, 0.9))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the region is not that of the plain image (%v)", kind, err)
		}
	}
}

// FuzzResolve checks that hostile sources give an error or an image of the
// right size.
func FuzzResolve(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(data, 0.2, 0.1, 0.7, 0.9)
	}
	f.Add(tiffOf(16, 16, 16, 16), 0.0, 0.0, 1.0, 1.0)
	f.Add(webpOf(24, 20, 23, 19), 0.0, 0.0, 1.0, 1.0)
	f.Fuzz(func(t *testing.T, data []byte, x1, y1, x2, y2 float64) {
		r := &image.Resolver{MaxPixels: 1 << 18}
		loc := box(x1, y1, x2, y2)
		if loc.Validate() != nil || loc.IsWhole() {
			return
		}
		src := source(data, "fuzz")
		got, _, err := resolve(t, r, src, loc)
		if err != nil {
			return
		}
		extent, err := r.Measure(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		cfg := stdimage.Config{}
		if bytes.HasPrefix(got, []byte("BM")) || bytes.HasPrefix(got, []byte("II")) || bytes.HasPrefix(got, []byte("MM")) {
			again, err := r.Measure(t.Context(), source(got, "again")) // others do not read all kinds
			if err != nil {
				t.Fatalf("the evidence is not an image: %v", err)
			}
			cfg.Width, cfg.Height = again.Width, again.Height
		} else if cfg, _, err = stdimage.DecodeConfig(bytes.NewReader(got)); err != nil {
			t.Fatalf("the evidence is not an image: %v", err)
		}
		px1, py1, px2, py2 := loc.Box.Pixels(extent.Width, extent.Height)
		if cfg.Width != px2-px1 || cfg.Height != py2-py1 {
			t.Fatalf("the evidence has %dx%d pixels, want %dx%d", cfg.Width, cfg.Height, px2-px1, py2-py1)
		}
	})
}
