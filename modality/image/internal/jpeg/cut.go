package jpeg

import (
	"image"
	"math/bits"
)

// dcCounts and dcSizes are the DC table of every cut: the typical table of T.81,
// section K.3.3, extended to the largest size that other decoders accept.
var (
	dcCounts = [16]byte{0, 1, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	dcSizes  = [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
)

// A dcCode is the code of one size of DC difference.
type dcCode struct {
	code   uint16
	length uint8
}

var dcCodes = func() (codes [16]dcCode) {
	code, size := uint16(0), 0
	for i, n := range dcCounts {
		for range n {
			codes[size] = dcCode{code, uint8(i + 1)}
			code++
			size++
		}
		code <<= 1
	}
	return codes
}()

// putDC appends a DC difference (T.81, section F.1.2.1). It returns false if no code is
// large enough.
func (w *bitWriter) putDC(diff int32) bool {
	value := diff
	if diff < 0 {
		diff = -diff
		value--
	}
	size := bits.Len32(uint32(diff))
	if size >= len(dcCodes) {
		return false
	}
	c := dcCodes[size]
	w.put(uint64(c.code)<<size|uint64(uint32(value)&(1<<size-1)), uint(c.length)+uint(size))
	return true
}

// cutHeader returns the start of a JPEG of the given size, whose blocks are the MCUs of
// tile, with one restart interval for each row of them. The prelude follows the
// start-of-image marker; if nil, the cut is JFIF if the file is.
func (d *decoder) cutHeader(tile image.Rectangle, size image.Point, prelude []byte) []byte {
	h := d.h
	if prelude == nil && h.jfif {
		prelude = Prelude(nil) // JFIF decides what the components mean
	}
	b := append([]byte{0xff, markerSOI}, prelude...)
	if h.adobe != nil {
		b = appendSegment(b, markerAPP14, h.adobe)
	}
	for _, q := range h.quant {
		if q != nil {
			b = appendSegment(b, markerDQT, q)
		}
	}
	b = appendSegment(b, h.sof, d.cutFrame(size))
	b = appendSegment(b, markerDHT, append(append([]byte{0}, dcCounts[:]...), dcSizes[:]...))
	for i, t := range d.ac {
		if t != nil {
			b = appendSegment(b, markerDHT, h.huff[1][i].raw)
		}
	}
	b = appendSegment(b, markerDRI, []byte{byte(tile.Dx() >> 8), byte(tile.Dx())})
	scan := []byte{byte(len(h.scan))}
	for _, sc := range h.scan {
		scan = append(scan, h.comps[sc.index].id, sc.ac)
	}
	return appendSegment(b, markerSOS, append(scan, 0, 63, 0))
}

// cutFrame returns the frame header of a cut.
func (d *decoder) cutFrame(size image.Point) []byte {
	p := []byte{8, byte(size.Y >> 8), byte(size.Y), byte(size.X >> 8), byte(size.X), byte(len(d.h.comps))}
	for _, c := range d.h.comps {
		p = append(p, c.id, c.sampling, c.quant)
	}
	return p
}

// pixels returns the rectangle of pixels that MCUs cover.
func (d *decoder) pixels(tile image.Rectangle) image.Rectangle {
	m := d.h.mcu()
	r := image.Rect(tile.Min.X*m.X, tile.Min.Y*m.Y, tile.Max.X*m.X, tile.Max.Y*m.Y)
	return r.Intersect(image.Rect(0, 0, d.h.Width, d.h.Height))
}
