package image_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	stdimage "image"
	"image/png"
	"slices"
	"testing"

	"github.com/citekit/citekit/modality/image"
)

func pngChunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// deflated returns n zeros, compressed.
func deflated(n int) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(make([]byte, n))
	z.Close()
	return b.Bytes()
}

// exifBlock returns an Exif block with only an orientation.
func exifBlock(orientation byte) []byte {
	return []byte("II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00" + string(rune(orientation)) + "\x00\x00\x00\x00\x00\x00\x00")
}

// oriented returns a PNG, JPEG or TIFF with an orientation.
func oriented(t testing.TB, name string, data []byte, orientation byte) []byte {
	t.Helper()
	switch name {
	case "a.png":
		return slices.Concat(data[:33], pngChunk("eXIf", exifBlock(orientation)), data[33:])
	case "a.jpg":
		block := append([]byte("Exif\x00\x00"), exifBlock(orientation)...)
		return slices.Concat(data[:2], []byte{0xff, 0xe1, 0, byte(len(block) + 2)}, block, data[2:])
	case "a.tiff":
		return tiffWithOrientation(data, orientation)
	}
	t.Fatal(name)
	return nil
}

// tiffWithOrientation adds the tag to a little endian TIFF whose directory is
// at its end.
func tiffWithOrientation(data []byte, orientation byte) []byte {
	at := binary.LittleEndian.Uint32(data[4:])
	count := binary.LittleEndian.Uint16(data[at:])
	entries := data[at+2 : at+2+12*uint32(count)]
	out := slices.Clone(data)
	for len(out)%2 != 0 {
		out = append(out, 0)
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)))
	out = binary.LittleEndian.AppendUint16(out, count+1)
	added := false
	for ; len(entries) > 0; entries = entries[12:] {
		if !added && binary.LittleEndian.Uint16(entries) > 274 {
			out = append(out, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0)
			added = true
		}
		out = append(out, entries[:12]...)
	}
	return append(out, 0, 0, 0, 0)
}

// TestOrientations compares all orientations of several formats with
// ImageMagick.
func TestOrientations(t *testing.T) {
	files := samples(t)
	r := &image.Resolver{}
	for _, name := range []string{"a.png", "a.jpg", "a.tiff"} {
		for o := byte(1); o <= 8; o++ {
			t.Run(fmt.Sprint(name, o), func(t *testing.T) {
				data := oriented(t, name, files[name], o)
				src := source(data, fmt.Sprint(o, name))
				extent, err := r.Measure(t.Context(), src)
				if err != nil {
					t.Fatal(err)
				}
				if want := stdimage.Pt(24, 20); o >= 5 && (extent.Width != want.Y || extent.Height != want.X) || o < 5 && (extent.Width != want.X || extent.Height != want.Y) {
					t.Errorf("size %dx%d", extent.Width, extent.Height)
				}
				loc := box(0.2, 0.3, 0.6, 0.95)
				got, x, err := resolve(t, r, src, loc)
				if err != nil {
					t.Fatal(err)
				}
				if bytes.Contains(got, []byte("Exif\x00\x00")) || bytes.Contains(got, []byte("eXIf")) {
					t.Error("the region still has an orientation")
				}
				var args []string
				if name == "a.png" { // ImageMagick 6 does not look at eXIf
					args = []string{"-orient", [...]string{"", "TopLeft", "TopRight", "BottomRight", "BottomLeft", "LeftTop", "RightTop", "RightBottom", "LeftBottom"}[o]}
				}
				compareRegion(t, r, src, data, loc, got, x, args...)
			})
		}
	}
}

// TestProfile checks that colours mean the same in the region.
func TestProfile(t *testing.T) {
	files := samples(t)
	profile := bytes.Repeat([]byte("a profile that no program reads "), 3000)
	segment := append([]byte("ICC_PROFILE\x00"), 1, 2)
	rest := append([]byte("ICC_PROFILE\x00"), 2, 2)
	jpeg := slices.Concat(files["a.jpg"][:2],
		jpegSegment(0xe2, append(rest, profile[60000:]...)), // in the wrong order on purpose
		jpegSegment(0xe2, append(segment, profile[:60000]...)),
		files["a.jpg"][2:])
	got, _, err := resolve(t, &image.Resolver{}, source(jpeg, "a.jpg"), box(0.1, 0.1, 0.9, 0.9))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(got, profile[:60000]) || !bytes.Contains(got, profile[65000+1000:]) {
		t.Error("the JPEG region has lost its profile")
	}
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(profile)
	w.Close()
	chunk := pngChunk("iCCP", append([]byte("name\x00\x00"), z.Bytes()...))
	gamma := pngChunk("gAMA", []byte{0, 0, 0x80, 0})
	data := slices.Concat(files["a.png"][:33], chunk, gamma, files["a.png"][33:])
	got, _, err = resolve(t, &image.Resolver{}, source(data, "a.png"), box(0.1, 0.1, 0.9, 0.9))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(got, chunk) || !bytes.Contains(got, gamma) {
		t.Error("the PNG region has lost its profile")
	}
	if _, err := png.Decode(bytes.NewReader(got)); err != nil {
		t.Error(err)
	}
}

func jpegSegment(marker byte, payload []byte) []byte {
	n := len(payload) + 2
	return append([]byte{0xff, marker, byte(n >> 8), byte(n)}, payload...)
}
