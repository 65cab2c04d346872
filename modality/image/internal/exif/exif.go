// Package exif reads Exif metadata of an image: its orientation, and tags such
// as title, author, camera, date and place. It also converts between displayed
// and stored pixels. Damaged metadata give zero values, not errors.
package exif

import (
	"bytes"
	"encoding/binary"
	"image"
)

// An Orientation is how stored pixels are turned for display, with the values
// of the Exif specification (CIPA DC-008, section 4.6.4.A, tag 0x112).
type Orientation int

// The orientations. The names are the places where the first stored row and the
// first stored column are displayed.
const (
	TopLeft     Orientation = 1 // as stored
	TopRight    Orientation = 2 // mirrored left to right
	BottomRight Orientation = 3 // turned by 180 degrees
	BottomLeft  Orientation = 4 // mirrored top to bottom
	LeftTop     Orientation = 5 // rows become columns
	RightTop    Orientation = 6 // turned by 90 degrees, clockwise
	RightBottom Orientation = 7 // rows become columns, turned by 180 degrees
	LeftBottom  Orientation = 8 // turned by 90 degrees, counterclockwise
)

// Valid reports whether o is one of the eight orientations.
func (o Orientation) Valid() bool { return o >= TopLeft && o <= LeftBottom }

// Turned reports whether width and height are swapped for display.
func (o Orientation) Turned() bool { return o >= LeftTop && o <= LeftBottom }

// Displayed returns the displayed size of an image with a stored size.
func (o Orientation) Displayed(width, height int) (int, int) {
	if o.Turned() {
		return height, width
	}
	return width, height
}

// Stored returns where the pixel displayed at x, y is stored, in an image
// whose stored size is width by height.
func (o Orientation) Stored(x, y, width, height int) (int, int) {
	switch o {
	case TopRight:
		return width - 1 - x, y
	case BottomRight:
		return width - 1 - x, height - 1 - y
	case BottomLeft:
		return x, height - 1 - y
	case LeftTop:
		return y, x
	case RightTop:
		return y, height - 1 - x
	case RightBottom:
		return width - 1 - y, height - 1 - x
	case LeftBottom:
		return width - 1 - y, x
	}
	return x, y
}

// StoredRect returns where the pixels displayed in r are stored, in an image
// whose stored size is width by height. It must not be empty.
func (o Orientation) StoredRect(r image.Rectangle, width, height int) image.Rectangle {
	x1, y1 := o.Stored(r.Min.X, r.Min.Y, width, height)
	x2, y2 := o.Stored(r.Max.X-1, r.Max.Y-1, width, height)
	return image.Rect(min(x1, x2), min(y1, y2), max(x1, x2)+1, max(y1, y2)+1)
}

const (
	headerLen = 8
	entryLen  = 12
)

// Parse returns the orientation in an Exif block, which has the structure of a
// TIFF file (TIFF 6.0, section 2). A leading "Exif\0\0" is skipped. It returns
// false without a valid orientation.
func Parse(block []byte) (Orientation, bool) {
	d := firstDirectory(bytes.NewReader(bytes.TrimPrefix(block, []byte("Exif\x00\x00"))))
	b := d.value(orientationTag, 2, shortType)
	if len(b) != 2 {
		return TopLeft, false
	}
	if o := Orientation(d.order.Uint16(b)); o.Valid() {
		return o, true
	}
	return TopLeft, false
}

func byteOrder(block []byte) (binary.ByteOrder, bool) {
	if len(block) < headerLen {
		return nil, false
	}
	switch string(block[:4]) {
	case "II*\x00":
		return binary.LittleEndian, true
	case "MM\x00*":
		return binary.BigEndian, true
	}
	return nil, false
}
