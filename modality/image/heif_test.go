package image_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/image"
)

func be16(values ...uint16) (b []byte) {
	for _, v := range values {
		b = binary.BigEndian.AppendUint16(b, v)
	}
	return b
}

func be32(values ...uint32) (b []byte) {
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

// heifOf returns a HEIF whose primary item is of a kind and has properties,
// beside thumbnails, Exif and XMP. A grid has its size in idat.
func heifOf(brand, kind string, properties [][]byte, exif, xmp []byte) []byte {
	const primary, thumbnail, exifItem, xmpItem = 7, 8, 9, 10
	infe := func(id uint16, kind, more string) []byte {
		return mp4test.Full("infe", 2, be16(id, 0), []byte(kind+"\x00"+more))
	}
	used := []byte{byte(len(properties))}
	for i := range properties {
		used = append(used, byte(i+2)|0x80)
	}
	thumb := mp4test.Full("ispe", 0, be32(16, 12))
	idat := slices.Concat([]byte{0, 0, 1, 1}, be16(640, 480))
	meta := func(at uint32) []byte {
		return mp4test.Full("meta", 0,
			mp4test.Full("hdlr", 0, be32(0), []byte("pict"), make([]byte, 13)),
			mp4test.Full("iloc", 1, be16(0x4400, 3),
				be16(primary, 1, 0, 1), be32(0, uint32(len(idat))),
				be16(exifItem, 0, 0, 1), be32(at, uint32(len(exif))),
				be16(xmpItem, 0, 0, 2), be32(at+uint32(len(exif)), 5, at+uint32(len(exif))+5, uint32(len(xmp)-5))),
			mp4test.Full("iinf", 0, be16(4), infe(thumbnail, "hvc1", ""), infe(primary, kind, ""), infe(exifItem, "Exif", ""), infe(xmpItem, "mime", "application/rdf+xml\x00")),
			mp4test.Full("pitm", 0, be16(primary)),
			mp4test.Box("idat", idat),
			mp4test.Box("iprp", mp4test.Box("ipco", append([][]byte{thumb}, properties...)...),
				mp4test.Full("ipma", 0, be32(2), be16(thumbnail), []byte{1, 1}, be16(primary), used)))
	}
	ftyp := mp4test.Box("ftyp", []byte(brand), be32(0), []byte("mif1"+brand))
	at := uint32(len(ftyp) + len(meta(0)) + 8)
	return slices.Concat(ftyp, meta(at), mp4test.Box("mdat", exif, xmp))
}

var (
	heifExif = append(be32(6), "Exif\x00\x00"+"MM\x00*\x00\x00\x00\x08\x00\x01\x01\x0e\x00\x02\x00\x00\x00\x0c\x00\x00\x00\x1a\x00\x00\x00\x00A lighthouse\x00"...)
	heifXMP  = []byte(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">Harbour</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`)
)

func TestHEIF(t *testing.T) {
	ispe := mp4test.Full("ispe", 0, be32(4032, 3024))
	clap := mp4test.Box("clap", be32(4000, 1, 3001, 1, 0, 1, 0, 1))
	for _, c := range []struct {
		name, brand, kind, mediaType string
		properties                   [][]byte
		width, height                int
	}{
		{"plain", "heic", "hvc1", "image/heic", [][]byte{ispe}, 4032, 3024},
		{"AVIF", "avif", "av01", "image/avif", [][]byte{ispe}, 4032, 3024},
		{"turned", "heic", "grid", "image/heic", [][]byte{ispe, mp4test.Box("irot", []byte{3})}, 3024, 4032},
		{"turned half", "heic", "hvc1", "image/heic", [][]byte{ispe, mp4test.Box("irot", []byte{2}), mp4test.Box("imir", []byte{1})}, 4032, 3024},
		{"cut and turned", "heic", "hvc1", "image/heic", [][]byte{ispe, clap, mp4test.Box("irot", []byte{1})}, 3001, 4000},
		{"grid that says its size itself", "heic", "grid", "image/heic", nil, 640, 480},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := heifOf(c.brand, c.kind, c.properties, heifExif, heifXMP)
			src, r := source(data, c.name), &image.Resolver{}
			extent, err := r.Measure(t.Context(), src)
			if err != nil || extent.Width != c.width || extent.Height != c.height || extent.MediaType != c.mediaType {
				t.Fatalf("%+v, error %v; want %dx%d", extent, err, c.width, c.height)
			}
			s, err := r.Map(t.Context(), src, imageRequest)
			if err != nil {
				t.Fatal(err)
			}
			if s.Title != "Harbour" || s.Metadata["description"] != "A lighthouse" || s.Metadata["width"] != c.width || s.Metadata["ocr_error"] != nil {
				t.Errorf("title %q, metadata %v", s.Title, s.Metadata)
			}
			got, _, err := resolve(t, r, src, s.Nodes[0].Location)
			if err != nil || string(got) != string(data) {
				t.Errorf("the whole: %d of %d bytes, error %v", len(got), len(data), err)
			}
			_, _, err = resolve(t, r, src, box(0, 0, 0.5, 0.5))
			if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "needs a decoder that citekit does not ship; cite the whole image, or convert it to PNG or JPEG first") {
				t.Errorf("a region: error %v", err)
			}
		})
	}
}

// TestHEIFHostile checks boxes that say what cannot be.
func TestHEIFHostile(t *testing.T) {
	sharedtest.NotShort(t)
	ispe := mp4test.Full("ispe", 0, be32(4032, 3024))
	whole := heifOf("heic", "hvc1", [][]byte{ispe}, heifExif, heifXMP)
	ftyp := whole[:24]
	for name, data := range map[string][]byte{
		"no meta":               slices.Concat(ftyp, mp4test.Box("mdat", []byte("x"))),
		"many boxes":            slices.Concat(ftyp, []byte(strings.Repeat("\x00\x00\x00\x08free", 1<<20))),
		"a huge meta box":       slices.Concat(ftyp, mp4test.Box("meta", make([]byte, 64<<20))),
		"many associations":     slices.Concat(ftyp, mp4test.Full("meta", 0, mp4test.Full("pitm", 0, be16(1)), mp4test.Box("iprp", mp4test.Full("ipma", 0, be32(1<<32-1))))),
		"many places":           slices.Concat(ftyp, mp4test.Full("meta", 0, mp4test.Full("pitm", 0, be16(1)), mp4test.Full("iloc", 2, be16(0x0000), be32(1<<32-1)))),
		"extents of no bytes":   slices.Concat(ftyp, mp4test.Full("meta", 0, mp4test.Full("pitm", 0, be16(1)), mp4test.Full("iloc", 0, be16(0, 60000), bytes.Repeat(be16(1, 0, 65535), 60000)))),
		"an unknown property":   slices.Concat(ftyp, mp4test.Full("meta", 0, mp4test.Full("pitm", 0, be16(1)), mp4test.Box("iprp", mp4test.Box("ipco"), mp4test.Full("ipma", 0, be32(1), be16(1), []byte{1, 9})))),
		"no size":               heifOf("heic", "hvc1", nil, heifExif, heifXMP),
		"a box around the file": slices.Concat(ftyp, be32(1), []byte("meta"), be32(1<<31, 0)),
	} {
		_, err := (&image.Resolver{}).Measure(t.Context(), source(data, name))
		if !errors.Is(err, citekit.ErrFormat) && !errors.Is(err, citekit.ErrTooLarge) && !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for n := range len(whole) {
		if _, err := (&image.Resolver{}).Measure(t.Context(), source(whole[:n], "cut")); err == nil && n < 300 {
			t.Errorf("%d of %d bytes have a size", n, len(whole))
		}
	}
}

// FuzzHEIF checks that no source makes reading its size and metadata fail in
// an unknown way.
func FuzzHEIF(f *testing.F) {
	f.Add(heifOf("heic", "grid", [][]byte{mp4test.Full("ispe", 0, be32(4032, 3024)), mp4test.Box("irot", []byte{3})}, heifExif, heifXMP))
	f.Add(heifOf("avif", "av01", nil, heifExif, heifXMP))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = append(mp4test.Box("ftyp", []byte("heic"), be32(0), []byte("mif1")), data...)
		s, err := (&image.Resolver{NoText: true}).Map(t.Context(), source(data, "fuzz"), imageRequest)
		if err != nil {
			return
		}
		if width, ok := s.Metadata["width"].(int); !ok || width <= 0 {
			t.Fatalf("metadata %v", s.Metadata)
		}
	})
}

// TestHEIFHeaderOnly checks that a file that ends behind its first box is told
// by the name of its format.
func TestHEIFHeaderOnly(t *testing.T) {
	for brand, name := range map[string]string{"heic": "HEIC", "avif": "AVIF"} {
		data := "\x00\x00\x00\x14ftyp" + brand + "\x00\x00\x00\x00" + brand
		src := citekit.NewSource(strings.NewReader(data), citekit.SourceInfo{Name: "p." + brand, Size: int64(len(data))})
		_, err := new(image.Resolver).Measure(t.Context(), src)
		if err == nil || !strings.HasPrefix(err.Error(), name+": it has no item that is an image") {
			t.Errorf("%s: error %v", brand, err)
		}
	}
}

// TestSmallHEIF reads the size of images that have one box for all metadata.
func TestSmallHEIF(t *testing.T) {
	for _, c := range []struct {
		name          string
		head          []byte
		width, height int
	}{
		{"15 bits", []byte{0x08, 0x08, 0x80, 0xff, 0x01, 0xfe}, 256, 256},
		{"7 bits", []byte{0x08, 0x08, 0x1f, 0x27, 0, 0}, 32, 20},
		{"7 bits, turned", []byte{0x08, 0x0d, 0x1f, 0x27, 0, 0}, 20, 32},
	} {
		data := slices.Concat(mp4test.Box("ftyp", []byte("mif3heic")), mp4test.Box("mini", c.head, make([]byte, 40)))
		s, err := (&image.Resolver{}).Map(t.Context(), source(data, c.name), imageRequest)
		if err != nil || s.Metadata["width"] != c.width || s.Metadata["height"] != c.height {
			t.Errorf("%s: %+v, error %v", c.name, s, err)
		}
	}
	for name, head := range map[string][]byte{"a later version": {0x48, 0, 0, 0, 0, 0}, "no room": {0x08}} {
		data := slices.Concat(mp4test.Box("ftyp", []byte("mif3heic")), mp4test.Box("mini", head))
		if s, err := (&image.Resolver{}).Map(t.Context(), source(data, name), imageRequest); err == nil || citekit.CodeOf(err) == message.CodeInternal {
			t.Errorf("%s: %+v, error %v", name, s, err)
		}
	}
}
