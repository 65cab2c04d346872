// Package jpeg decodes parts of JPEG files, as defined by ITU-T T.81.
//
// A region gets the same pixels as from [image/jpeg] of Go 1.26. Grey images and images
// of luminance and chrominance are reconstructed here, block by block. For others the
// blocks of the region are copied unchanged into a small JPEG, which image/jpeg
// decodes. Blocks outside the region are skipped without reconstruction, and those
// below it are not read.
package jpeg

import (
	"context"
	"fmt"
	"image"
	"io"
	"slices"
	"sync"
)

// spacing is the distance in pixels between remembered points in a row of blocks.
const spacing = 512

// An Image is a JPEG whose headers have been read. It remembers where in the file
// blocks begin, so that later regions are found faster. It does not hold the file, and
// is safe for concurrent use.
type Image struct {
	*Header
	dec  *decoder // nil if regions cannot be cut out
	step int      // MCUs between points

	mu     sync.Mutex
	points []point // ascending by mcu, beginning with MCU 0
	all    bool    // no further points will be added
}

// Open reads the headers of a JPEG of size bytes and finds its end.
//
// Errors match [ErrFormat], [ErrTruncated] or [ErrUnsupported], or come from r or ctx.
func Open(ctx context.Context, r io.ReaderAt, size int64) (*Image, error) {
	h, err := readHeader(r, size, false)
	if err != nil {
		return nil, err
	}
	im := &Image{Header: h, step: max(1, spacing/h.mcu().X)}
	if h.Progressive || len(h.scan) != len(h.comps) {
		return im, checkScans(ctx, r, h, size)
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
		// More scans, or damage that image/jpeg may pass over.
		return im, checkScans(ctx, r, h, size)
	}
	im.dec = d
	im.points = append(im.points, point{bits: bitState{offset: h.dataOffset}})
	for i, offset := range l.restarts {
		im.points = append(im.points, point{mcu: (i + 1) * keep * h.interval, bits: bitState{offset: offset}})
	}
	im.all = len(l.restarts) > 0
	return im, nil
}

// IsRGB reports whether the three components are red, green and blue rather than
// luminance and chrominance. Such a file is not JFIF, and its Adobe segment or the
// names of its components mark it as RGB.
func (im *Image) IsRGB() bool {
	if im.Components != 3 || im.jfif {
		return false
	}
	const transformNone = 0
	if im.adobe != nil && im.adobe[11] == transformNone {
		return true
	}
	return im.comps[0].id == 'R' && im.comps[1].id == 'G' && im.comps[2].id == 'B'
}

// CanCut reports whether regions can be decoded separately: the file is a sequential
// JPEG with one scan.
func (im *Image) CanCut() bool { return im.dec != nil }

// Cost estimates the memory in bytes that im uses once all of it has been decoded.
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

// record remembers the position of c if it is beyond the last point.
func (im *Image) record(c *cursor) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if !im.all && c.next > im.points[len(im.points)-1].mcu {
		im.points = append(im.points, c.point())
	}
}

// known reports whether every MCU up to mcu has a point close before it.
func (im *Image) known(mcu int) bool {
	im.mu.Lock()
	defer im.mu.Unlock()
	return im.all || mcu-im.points[len(im.points)-1].mcu <= im.step
}

// toPoint returns the number of MCUs from an MCU to the next one to remember.
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

// OnGrid reports whether the top left corner of a region is the corner of an MCU.
func (im *Image) OnGrid(region image.Rectangle) bool {
	return im.dec.pixels(im.dec.tile(region)).Min == region.Min
}

// Cut returns a JPEG of region with the coefficients of the file, unchanged. The
// prelude, such as [Prelude] returns, follows the start-of-image marker; it must not
// change what the components mean. [Image.CanCut] and [Image.OnGrid] must hold, and
// region must be nonempty and lie within the image.
func (im *Image) Cut(ctx context.Context, r io.ReaderAt, region image.Rectangle, prelude []byte) ([]byte, error) {
	tile := im.dec.tile(region)
	return im.cut(ctx, im.dec.cursor(r, im.points[0]), tile, region.Size(), prelude)
}

// cut returns a JPEG of the given size with the blocks of tile.
func (im *Image) cut(ctx context.Context, c *cursor, tile image.Rectangle, size image.Point, prelude []byte) ([]byte, error) {
	w := &bitWriter{out: im.dec.cutHeader(tile, size, prelude)}
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

// Memory estimates the memory in bytes that image/jpeg needs to decode all of im.
func (im *Image) Memory() int64 {
	h := im.Header
	perSample := int64(1)
	if h.Components == 4 {
		perSample = 2 // planes and the combined image
	}
	if h.Progressive {
		perSample += 4 // coefficients
	}
	return h.samples() * perSample
}

// samples returns the number of samples of all components, with padding.
func (h *Header) samples() int64 {
	most := h.mcu()
	samples := int64(0)
	for _, c := range h.comps {
		samples += int64(64 * c.h * c.v)
	}
	mcus := (int64(h.Width) + int64(most.X) - 1) / int64(most.X) * ((int64(h.Height) + int64(most.Y) - 1) / int64(most.Y))
	return mcus * samples
}
