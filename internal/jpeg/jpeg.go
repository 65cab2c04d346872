// Package jpeg decodes parts of JPEG files, as defined by ITU-T T.81.
//
// The pixels of a region are those that [image/jpeg] gives: the blocks of the
// region are copied into a small JPEG of their own, unchanged, and that is
// decoded by image/jpeg. What lies outside is passed over without being
// reconstructed, and what lies below is not read.
package jpeg

import (
	"context"
	"fmt"
	"image"
	"io"
	"slices"
	"sync"
)

// spacing is how many pixels lie between two points that are remembered in a
// row of blocks.
const spacing = 512

// An Image is a JPEG whose headers have been read. It remembers where in the
// file the blocks begin that it has come across, so that later regions are
// found faster. It does not hold the file and is safe for concurrent use.
type Image struct {
	*Header
	dec  *decoder // nil if regions cannot be cut out
	step int      // MCUs between points

	mu     sync.Mutex
	points []point // ascending by mcu, beginning with MCU 0
	all    bool    // no further points are to come
}

// Open reads the headers of a JPEG of size bytes and looks for its end.
//
// Errors match [ErrFormat], [ErrTruncated] or [ErrUnsupported], or are those
// of r and ctx.
func Open(ctx context.Context, r io.ReaderAt, size int64) (*Image, error) {
	h, err := readHeader(r, size)
	if err != nil {
		return nil, err
	}
	im := &Image{Header: h, step: max(1, spacing/h.mcu().X)}
	if h.Progressive || len(h.scan) != len(h.comps) {
		return im, nil
	}
	keep := max(1, im.step/max(1, h.interval))
	l, err := readLayout(ctx, r, h.dataOffset, size, keep)
	if err != nil {
		return nil, err
	}
	d, err := newDecoder(h, l.end)
	if err != nil {
		return nil, err
	}
	wantRestarts := 0
	if h.interval > 0 {
		wantRestarts = (d.across*d.down - 1) / h.interval
	}
	if l.marker != markerEOI || l.count != wantRestarts || !l.ordered {
		return im, nil // more scans, or damage that image/jpeg may pass over
	}
	im.dec = d
	im.points = append(im.points, point{bits: bitState{offset: h.dataOffset}})
	for i, offset := range l.restarts {
		im.points = append(im.points, point{mcu: (i + 1) * keep * h.interval, bits: bitState{offset: offset}})
	}
	im.all = len(l.restarts) > 0
	return im, nil
}

// CanCut reports whether regions can be decoded by themselves: the file is a
// sequential JPEG with one scan.
func (im *Image) CanCut() bool { return im.dec != nil }

// Cost returns about how many bytes of memory im takes once all of it has
// been decoded.
func (im *Image) Cost() int64 {
	const fixed, perPoint = 64 << 10, 48
	if im.dec == nil {
		return fixed
	}
	return fixed + int64(len(im.Profile)) + int64(im.dec.down)*int64(im.dec.across/im.step+1)*perPoint
}

// nearest returns the last point at or before an MCU.
func (im *Image) nearest(mcu int) point {
	im.mu.Lock()
	defer im.mu.Unlock()
	i, found := slices.BinarySearchFunc(im.points, mcu, func(p point, mcu int) int { return p.mcu - mcu })
	if !found {
		i--
	}
	return im.points[i]
}

// record remembers where c stands, if that is further than was known.
func (im *Image) record(c *cursor) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if !im.all && c.next > im.points[len(im.points)-1].mcu {
		im.points = append(im.points, c.point())
	}
}

// known reports whether there is a point close before every MCU up to mcu.
func (im *Image) known(mcu int) bool {
	im.mu.Lock()
	defer im.mu.Unlock()
	return im.all || mcu-im.points[len(im.points)-1].mcu <= im.step
}

// toPoint returns how many MCUs lie between an MCU and the next one that is
// to be remembered.
func (im *Image) toPoint(mcu int) int {
	column := mcu % im.dec.across
	return min(im.dec.across, (column/im.step+1)*im.step) - column
}

// advance moves c forward to an MCU, or to a point closer to it.
func (im *Image) advance(ctx context.Context, c *cursor, mcu int) error {
	if p := im.nearest(mcu); p.mcu > c.next || c.next > mcu {
		c.seek(p)
	}
	for c.next < mcu {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.skip(min(mcu-c.next, im.toPoint(c.next))); err != nil {
			return err
		}
		im.record(c)
	}
	return nil
}

// Cut returns a JPEG of the blocks that hold the pixels of region, with all
// coefficients unchanged, and the pixels that it shows. No block is decoded.
// extra is put after the start of image marker. [Image.CanCut] must hold, and
// region must not be empty and must lie within the image.
func (im *Image) Cut(ctx context.Context, r io.ReaderAt, region image.Rectangle, extra []byte) ([]byte, image.Rectangle, error) {
	tile := im.dec.tile(region)
	b, err := im.cut(ctx, im.dec.cursor(r, im.points[0]), tile, extra)
	return b, im.dec.pixels(tile), err
}

func (im *Image) cut(ctx context.Context, c *cursor, tile image.Rectangle, extra []byte) ([]byte, error) {
	w := &bitWriter{out: im.dec.cutHeader(tile, extra)}
	for row := tile.Min.Y; row < tile.Max.Y; row++ {
		first := row * im.dec.across
		if err := im.advance(ctx, c, first+tile.Min.X); err != nil {
			return nil, err
		}
		if row > tile.Min.Y {
			w.flush()
			w.out = append(w.out, 0xff, markerRST0+byte((row-tile.Min.Y-1)%8))
		}
		var last [4]int32
		for end := first + tile.Max.X; c.next < end; {
			if err := c.copy(w, min(end-c.next, im.toPoint(c.next)), &last); err != nil {
				return nil, err
			}
			im.record(c)
		}
	}
	w.flush()
	if c.bits.err != nil {
		return nil, fmt.Errorf("reading the pixels: %w", c.bits.err)
	}
	return append(w.out, 0xff, markerEOI), nil
}

// Memory returns about how many bytes image/jpeg takes to decode all of im.
func (im *Image) Memory() int64 {
	h := im.Header
	most := im.mcu()
	samples := int64(0)
	for _, c := range h.comps {
		samples += int64(64 * c.h * c.v)
	}
	mcus := (int64(h.Width) + int64(most.X) - 1) / int64(most.X) * ((int64(h.Height) + int64(most.Y) - 1) / int64(most.Y))
	perSample := int64(1)
	if h.Components == 4 {
		perSample = 2 // planes and what they are put together in
	}
	if h.Progressive {
		perSample += 4 // coefficients
	}
	return mcus * samples * perSample
}
