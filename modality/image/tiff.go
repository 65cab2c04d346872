package image

import (
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"

	"golang.org/x/image/tiff"
	"golang.org/x/image/tiff/lzw"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/exif"
)

func tiffFormat() *format {
	return &format{
		name:      "TIFF",
		mediaType: "image/tiff",
		ext:       ".tiff",
		match:     anyPrefix("II*\x00", "MM\x00*"),
		open:      openTIFF,
		decode:    decodeTIFF,
		cards:     tiffCards,
	}
}

// The tags of TIFF 6.0 that are looked at.
const (
	tagWidth           = 256
	tagHeight          = 257
	tagBitsPerSample   = 258
	tagCompression     = 259
	tagStripOffsets    = 273
	tagOrientation     = 274
	tagSamplesPerPixel = 277
	tagRowsPerStrip    = 278
	tagStripByteCounts = 279
	tagTileWidth       = 322
	tagTileHeight      = 323
	tagTileOffsets     = 324
	tagTileByteCounts  = 325
)

// Compressions whose blocks say nothing of how long they are inflated.
const (
	compressionLZW        = 5
	compressionDeflate    = 8
	compressionDeflateOld = 32946
)

// maxEntries bounds the entries of a directory and maxBlocks the strips or
// tiles of an image.
const (
	maxEntries = 4096
	maxBlocks  = 1 << 20
)

// A directory is the first one of a TIFF, which describes the first page
// (TIFF 6.0, section 2).
type directory struct {
	in      *input
	order   binary.ByteOrder
	entries map[uint16][12]byte
}

func readDirectory(in *input) (*directory, error) {
	var head [8]byte
	if err := in.full(head[:], 0); err != nil {
		return nil, err
	}
	d := &directory{in: in, order: binary.LittleEndian, entries: make(map[uint16][12]byte)}
	if head[0] == 'M' {
		d.order = binary.BigEndian
	}
	at := int64(d.order.Uint32(head[4:]))
	var count [2]byte
	if err := in.full(count[:], at); err != nil {
		return nil, err
	}
	n := int(d.order.Uint16(count[:]))
	if n > maxEntries {
		return nil, fmt.Errorf("a directory of %d entries: %w", n, citekit.ErrTooLarge)
	}
	raw := make([]byte, 12*n)
	if err := in.full(raw, at+2); err != nil {
		return nil, err
	}
	for ; len(raw) > 0; raw = raw[12:] {
		d.entries[d.order.Uint16(raw)] = [12]byte(raw)
	}
	return d, nil
}

// number returns value i of a tag, or def if there is none.
func (d *directory) number(tag uint16, i, def int64) (int64, error) {
	e, ok := d.entries[tag]
	if !ok || i >= int64(d.order.Uint32(e[4:])) {
		return def, nil
	}
	size := int64(4)
	switch d.order.Uint16(e[2:]) {
	case 1:
		size = 1
	case 3:
		size = 2
	case 4:
	default:
		return 0, fmt.Errorf("tag %d is not a number: %w", tag, citekit.ErrFormat)
	}
	value := e[8:]
	if size*int64(d.order.Uint32(e[4:])) > 4 {
		value = make([]byte, size)
		if err := d.in.full(value, int64(d.order.Uint32(e[8:]))+i*size); err != nil {
			return 0, err
		}
	} else {
		value = value[i*size:]
	}
	switch size {
	case 1:
		return int64(value[0]), nil
	case 2:
		return int64(d.order.Uint16(value)), nil
	}
	return int64(d.order.Uint32(value)), nil
}

// numbers reads the first values of several tags; tags without one have def.
func (d *directory) numbers(def int64, tags ...uint16) ([]int64, error) {
	values := make([]int64, len(tags))
	for i, tag := range tags {
		v, err := d.number(tag, 0, def)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

// openTIFF reads the directory of the first page.
func openTIFF(ctx context.Context, _ *Resolver, src *citekit.Source) (*picture, error) {
	in := newInput(ctx, src)
	d, err := readDirectory(in)
	if err != nil {
		return nil, in.blame(tiffFormat(), err)
	}
	v, err := d.numbers(0, tagWidth, tagHeight, tagOrientation)
	if err != nil {
		return nil, in.blame(tiffFormat(), err)
	}
	p := &picture{width: int(v[0]), height: int(v[1]), orientation: exif.Orientation(v[2])}
	b, err := d.blocks(v[0], v[1])
	if err != nil {
		return nil, in.blame(tiffFormat(), err)
	}
	p.memory = b.memory
	return p, nil
}

// tiffBlocks says how the pixels of a page are divided into strips or tiles.
type tiffBlocks struct {
	offsets, counts uint16 // tags
	number          int64
	inflated        int64 // most bytes that one may have
	memory          int64 // bytes that decoding the page takes
}

func (d *directory) blocks(width, height int64) (b tiffBlocks, err error) {
	v, err := d.numbers(0, tagBitsPerSample, tagSamplesPerPixel, tagTileWidth, tagTileHeight, tagRowsPerStrip)
	if err != nil {
		return b, err
	}
	bits, samples := max(1, v[0]), max(1, v[1])
	if bits > 64 || samples > 64 || width > 1<<28 || height > 1<<28 {
		return b, fmt.Errorf("%dx%d pixels of %d samples of %d bits: %w", width, height, samples, bits, citekit.ErrTooLarge)
	}
	bw, bh := width, height
	b.offsets, b.counts = tagStripOffsets, tagStripByteCounts
	if v[2] != 0 {
		bw, bh = v[2], v[3]
		b.offsets, b.counts = tagTileOffsets, tagTileByteCounts
	} else if v[4] > 0 {
		bh = min(bh, v[4])
	}
	if bw < 1 || bh < 1 || bw > 1<<34/bh {
		return b, fmt.Errorf("blocks of %dx%d pixels: %w", bw, bh, citekit.ErrFormat)
	}
	b.number = ((width + bw - 1) / bw) * ((height + bh - 1) / bh)
	if b.number > maxBlocks {
		return b, fmt.Errorf("%d blocks: %w", b.number, citekit.ErrTooLarge)
	}
	b.inflated = (bw*bits*samples + 7) / 8 * bh
	perPixel := int64(1)
	if samples > 1 {
		perPixel = 4
	}
	if bits > 8 {
		perPixel *= 2
	}
	b.memory = width*height*perPixel + 3*b.inflated
	return b, nil
}

// decodeTIFF decodes the first page.
func decodeTIFF(ctx context.Context, src *citekit.Source, p *picture) (image.Image, error) {
	in := newInput(ctx, src)
	if err := checkBlocks(in, p); err != nil {
		return nil, in.blame(p.format, err)
	}
	img, err := tiff.Decode(in.all())
	var unsupported tiff.UnsupportedError
	if errors.As(err, &unsupported) {
		return nil, fmt.Errorf("the TIFF has an unsupported %s; convert it to PNG: %w", string(unsupported), errors.ErrUnsupported)
	}
	return img, in.blame(p.format, err)
}

// checkBlocks inflates the blocks once without keeping them, if they are so
// large that the decoder could use too much memory on one that is longer
// than it should be.
func checkBlocks(in *input, p *picture) error {
	d, err := readDirectory(in)
	if err != nil {
		return err
	}
	b, err := d.blocks(int64(p.width), int64(p.height))
	if err != nil {
		return err
	}
	const harmless = 8 << 20
	compression, err := d.number(tagCompression, 0, 1)
	if err != nil || b.inflated <= harmless {
		return err
	}
	for i := range b.number {
		offset, err := d.number(b.offsets, i, 0)
		if err != nil {
			return err
		}
		count, err := d.number(b.counts, i, 0)
		if err != nil {
			return err
		}
		if err := checkBlock(in.section(offset, count), compression, b.inflated); err != nil {
			return err
		}
	}
	return nil
}

func checkBlock(r io.Reader, compression, limit int64) error {
	switch compression {
	case compressionLZW:
		z := lzw.NewReader(r, lzw.MSB, 8)
		defer z.Close()
		r = z
	case compressionDeflate, compressionDeflateOld:
		z, err := zlib.NewReader(r)
		if err != nil {
			return err
		}
		defer z.Close()
		r = z
	default:
		return nil
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r, limit+1))
	if n > limit {
		return fmt.Errorf("a block inflates to more than its %d bytes: %w", limit, citekit.ErrFormat)
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return nil
}
