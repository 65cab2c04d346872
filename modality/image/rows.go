package image

import (
	"image"

	"github.com/citekit/citekit/modality/image/internal/exif"
)

// Regions of PNG, TIFF and BMP are cut from rows of stored samples: these are
// not converted, and only a few rows are in memory at a time.

// A visitRow takes one row of packed pixels, which it must not keep. Filter is
// the PNG filter that the row had, or 0.
type visitRow func(filter byte, row []byte) error

// A rowImage describes the rows of an image.
type rowImage struct {
	region image.Rectangle // as stored
	bits   int             // of a pixel
	turn   exif.Orientation
}

// rowBytes returns the length of a row of width pixels, in bytes.
func rowBytes(width, bits int) int { return (width*bits + 7) / 8 }

// pixelBytes returns the size of a pixel in bytes, if it can be moved.
func (m rowImage) pixelBytes() int { return max(1, m.bits/8) }

// canTurn reports whether pixels can be moved one by one.
func (m rowImage) canTurn() bool {
	return m.turn == exif.TopLeft || m.bits == 1 || m.bits == 2 || m.bits == 4 || m.bits%8 == 0
}

// memory returns the memory for turning the region, in bytes.
func (m rowImage) memory() int64 {
	if m.turn == exif.TopLeft {
		return 0
	}
	return 2 * int64(m.pixelBytes()) * int64(m.region.Dx()) * int64(m.region.Dy())
}

// raw returns the size of the region in bytes.
func (m rowImage) raw() int64 {
	return int64(rowBytes(m.region.Dx(), m.bits)) * int64(m.region.Dy())
}

// displayed returns the size of the region on display.
func (m rowImage) displayed() (width, height int) {
	return m.turn.Displayed(m.region.Dx(), m.region.Dy())
}

// upright passes the rows of each to visit in displayed order.
func (m rowImage) upright(each func(visitRow) error, visit visitRow) error {
	if m.turn == exif.TopLeft {
		return each(visit)
	}
	size, width := m.pixelBytes(), m.region.Dx()
	stored := make([]byte, 0, size*width*m.region.Dy())
	err := each(func(_ byte, row []byte) error {
		if m.bits >= 8 {
			stored = append(stored, row...)
			return nil
		}
		for x := range width {
			stored = append(stored, bitsAt(row, x*m.bits, m.bits))
		}
		return nil
	})
	if err != nil {
		return err
	}
	w, h := m.displayed()
	turned := make([]byte, len(stored))
	turn(turned, stored, size*width, size, image.Rect(0, 0, w, h), m.turn)
	packed := make([]byte, rowBytes(w, m.bits))
	for row := range h {
		line := turned[row*w*size:][:w*size]
		if m.bits < 8 {
			packBits(packed, line, m.bits)
			line = packed
		}
		if err := visit(0, line); err != nil {
			return err
		}
	}
	return nil
}

// bitsAt returns n bits, at most 8, that lie within one byte.
func bitsAt(b []byte, at, n int) byte {
	return b[at/8] >> (8 - n - at%8) & (1<<n - 1)
}

// packBits sets dst to values of n bits.
func packBits(dst, values []byte, n int) {
	clear(dst)
	for i, v := range values {
		dst[i*n/8] |= v << (8 - n - i*n%8)
	}
}

// cutBits sets dst to the n bits of src from bit from on, and zeros.
func cutBits(dst, src []byte, from, n int) {
	src = src[from/8:]
	length := (n + 7) / 8
	shift := from % 8
	if shift == 0 {
		copy(dst[:length], src)
	} else {
		for i := range length {
			v := src[i] << shift
			if i+1 < len(src) {
				v |= src[i+1] >> (8 - shift)
			}
			dst[i] = v
		}
	}
	if n%8 != 0 {
		dst[length-1] &= 0xff << (8 - n%8)
	}
}
