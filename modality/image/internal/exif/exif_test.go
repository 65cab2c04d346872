package exif_test

import (
	"encoding/binary"
	"image"
	"testing"

	"github.com/citekit/citekit/modality/image/internal/exif"
)

// block returns an Exif block whose one entry has the given tag, type, count
// and value.
func block(order binary.AppendByteOrder, mark string, tag, kind uint16, count uint32, value uint16) []byte {
	b := []byte(mark)
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 1)
	b = order.AppendUint16(b, tag)
	b = order.AppendUint16(b, kind)
	b = order.AppendUint32(b, count)
	b = order.AppendUint16(b, value)
	b = order.AppendUint16(b, 0)
	return order.AppendUint32(b, 0)
}

func TestParse(t *testing.T) {
	little, big := binary.LittleEndian, binary.BigEndian
	good := block(little, "II*\x00", 0x112, 3, 1, 6)
	for _, c := range []struct {
		name  string
		block []byte
		want  exif.Orientation
		ok    bool
	}{
		{"little endian", good, exif.RightTop, true},
		{"big endian", block(big, "MM\x00*", 0x112, 3, 1, 8), exif.LeftBottom, true},
		{"with its marker", append([]byte("Exif\x00\x00"), good...), exif.RightTop, true},
		{"another tag", block(little, "II*\x00", 0x110, 3, 1, 6), exif.TopLeft, false},
		{"another type", block(little, "II*\x00", 0x112, 4, 1, 6), exif.TopLeft, false},
		{"two values", block(little, "II*\x00", 0x112, 3, 2, 6), exif.TopLeft, false},
		{"orientation 0", block(little, "II*\x00", 0x112, 3, 1, 0), exif.TopLeft, false},
		{"orientation 9", block(little, "II*\x00", 0x112, 3, 1, 9), exif.TopLeft, false},
		{"cut short", good[:len(good)-5], exif.TopLeft, false},
		{"offset past the end", append([]byte("II*\x00\xff\xff\xff\xff"), good[8:]...), exif.TopLeft, false},
		{"empty", nil, exif.TopLeft, false},
		{"text", []byte("not an Exif block at all"), exif.TopLeft, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := exif.Parse(c.block)
			if got != c.want || ok != c.ok {
				t.Errorf("Parse = %v, %v, want %v, %v", got, ok, c.want, c.ok)
			}
		})
	}
}

// TestStored checks the rotations against where the specification says that
// the first row and the first column go.
func TestStored(t *testing.T) {
	const w, h = 5, 3 // stored
	for o, topLeft := range map[exif.Orientation]image.Point{
		exif.TopLeft:     {0, 0},
		exif.TopRight:    {w - 1, 0},
		exif.BottomRight: {w - 1, h - 1},
		exif.BottomLeft:  {0, h - 1},
		exif.LeftTop:     {0, 0},
		exif.RightTop:    {0, h - 1},
		exif.RightBottom: {w - 1, h - 1},
		exif.LeftBottom:  {w - 1, 0},
	} {
		x, y := o.Stored(0, 0, w, h)
		if (image.Point{X: x, Y: y}) != topLeft {
			t.Errorf("%d: top left is stored at %d,%d, want %v", o, x, y, topLeft)
		}
		dw, dh := o.Displayed(w, h)
		if got, want := o.StoredRect(image.Rect(0, 0, dw, dh), w, h), image.Rect(0, 0, w, h); got != want {
			t.Errorf("%d: everything is stored in %v, want %v", o, got, want)
		}
		x2, y2 := o.Stored(1, 0, w, h)
		if alongColumn := x2 == x; alongColumn != o.Turned() {
			t.Errorf("%d: the first row is stored from %d,%d to %d,%d, Turned is %v", o, x, y, x2, y2, o.Turned())
		}
	}
}

func FuzzExif(f *testing.F) {
	f.Add(block(binary.LittleEndian, "II*\x00", 0x112, 3, 1, 6))
	f.Add(block(binary.BigEndian, "MM\x00*", 0x112, 3, 1, 3))
	f.Fuzz(func(t *testing.T, b []byte) {
		o, ok := exif.Parse(b)
		if !o.Valid() || !ok && o != exif.TopLeft {
			t.Errorf("Parse = %v, %v", o, ok)
		}
	})
}
