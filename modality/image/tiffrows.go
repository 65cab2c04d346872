package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/citekit/citekit"
)

// A tiffReader reads the rows of a region of a page.
type tiffReader struct {
	*tiffPage
	in     *input
	d      *directory
	region image.Rectangle
	tables []byte // of JPEG
	shared []byte // tables, with those of the first block; nil until needed
	work   int64  // bytes decoded
	z      io.ReadCloser
}

// memory returns the memory for reading a region, in bytes, in addition to the
// rows.
func (t *tiffPage) memory(region image.Rectangle) int64 {
	const buffers = 128 << 10 // for inflating
	sets, bits := t.planes()
	row := int64(rowBytes(t.blockWidth, bits))
	n := int64(sets)*(buffers+3*row) + int64(rowBytes(region.Dx(), t.pixelBits()))
	if t.tiled {
		n += int64(rowBytes(region.Dx(), t.pixelBits())) * int64(min(t.blockHeight, region.Dy()))
	}
	if t.compression == compressionJPEG { // a block is decoded at once
		n += 4 * row * int64(min(t.blockHeight, t.height))
	}
	return n
}

// canPredict reports whether samples may be stored as differences.
func (t *tiffPage) canPredict() bool {
	return t.compression == compressionLZW || t.compression == compressionDeflate || t.compression == compressionDeflateOld
}

// each calls visit for the rows of a region.
func (t *tiffPage) each(ctx context.Context, src *citekit.Source, region image.Rectangle, visit visitRow) error {
	if t.why != nil {
		return t.why
	}
	in := newInput(ctx, src)
	d, err := readDirectory(in)
	if err != nil {
		return in.blame(tiffFormat(), err)
	}
	r := &tiffReader{tiffPage: t, in: in, d: d, region: region}
	if tables, ok := d.tag(tagJPEGTables); ok {
		r.tables = tables.value
	}
	err = r.spend(t.rowsWork(region))
	for y := region.Min.Y / t.blockHeight; y*t.blockHeight < region.Max.Y && err == nil; y++ {
		if t.tiled {
			err = r.tiles(y, visit)
		} else {
			err = r.strip(y, visit)
		}
	}
	return in.blame(tiffFormat(), err)
}

// rows returns the range of needed rows in a row of blocks, counted from its
// start.
func (r *tiffReader) rows(y int) (first, end int) {
	top := y * r.blockHeight
	return max(r.region.Min.Y-top, 0), min(r.region.Max.Y-top, r.blockHeight)
}

// strip visits the rows of one strip, or of the parallel strips of all samples.
func (r *tiffReader) strip(y int, visit visitRow) error {
	sets, bits := r.planes()
	blocks := make([]*tiffBlock, sets)
	for i := range blocks {
		b, err := r.open(i*r.across*r.down + y)
		if err != nil {
			return err
		}
		defer b.close()
		blocks[i] = b
	}
	first, end := r.rows(y)
	row := make([]byte, rowBytes(r.region.Dx(), r.pixelBits()))
	for n := range end {
		for i, b := range blocks {
			line, err := b.next()
			if err != nil {
				return err
			}
			if n < first {
				continue
			}
			if sets == 1 {
				cutBits(row, line, r.region.Min.X*bits, r.region.Dx()*bits)
			} else {
				interleave(row, line[r.region.Min.X*bits/8:], i, bits/8, sets, r.region.Dx())
			}
		}
		if n >= first {
			if err := visit(0, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// interleave puts one sample of each of n pixels into its place.
func interleave(row, line []byte, sample, size, samples, n int) {
	at := sample * size
	if size == 1 {
		for x := range n {
			row[at] = line[x]
			at += samples
		}
		return
	}
	for x := range n {
		copy(row[at:at+size], line[x*size:])
		at += samples * size
	}
}

// tiles visits the rows of one row of tiles.
func (r *tiffReader) tiles(y int, visit visitRow) error {
	first, end := r.rows(y)
	length := rowBytes(r.region.Dx(), r.pixelBits())
	band := make([]byte, length*(end-first))
	sets, _ := r.planes()
	for set := range sets {
		for x := r.region.Min.X / r.blockWidth; x*r.blockWidth < r.region.Max.X; x++ {
			if err := r.tile(set, x, y, band, length); err != nil {
				return err
			}
		}
	}
	for ; len(band) > 0; band = band[length:] {
		if err := visit(0, band[:length]); err != nil {
			return err
		}
	}
	return nil
}

// tile puts the needed part of a tile into a band of rows of the region.
func (r *tiffReader) tile(set, x, y int, band []byte, length int) error {
	b, err := r.open((set*r.down+y)*r.across + x)
	if err != nil {
		return err
	}
	defer b.close()
	first, end := r.rows(y)
	sets, bits := r.planes()
	left := x * r.blockWidth
	from, to := max(r.region.Min.X, left), min(r.region.Max.X, left+r.blockWidth)
	part := make([]byte, rowBytes(to-from, bits))
	for n := range end {
		line, err := b.next()
		if err != nil {
			return err
		}
		if n < first {
			continue
		}
		row := band[(n-first)*length:][:length]
		cutBits(part, line, (from-left)*bits, (to-from)*bits)
		if sets == 1 {
			pasteBits(row, part, (from-r.region.Min.X)*bits, (to-from)*bits)
		} else {
			interleave(row[(from-r.region.Min.X)*sets*bits/8:], part, set, bits/8, sets, to-from)
		}
	}
	return nil
}

// pasteBits sets n bits of dst from bit at on. They must be zero before.
func pasteBits(dst, src []byte, at, n int) {
	dst = dst[at/8:]
	shift := at % 8
	if shift == 0 {
		for i, b := range src[:(n+7)/8] {
			dst[i] |= b
		}
		return
	}
	for i, b := range src[:(n+7)/8] {
		dst[i] |= b >> shift
		if low := b << (8 - shift); low != 0 {
			dst[i+1] |= low
		}
	}
}

// A tiffBlock is a strip or tile being decoded.
type tiffBlock struct {
	r     io.Reader
	close func()
	line  []byte
	bytes []byte // of a line of floating-point samples, stored apart
	page  *tiffReader
}

// offsetsTag returns the tag of the offsets of the blocks.
func (t *tiffPage) offsetsTag() uint16 {
	if t.tiled {
		return tagTileOffsets
	}
	return tagStripOffsets
}

// open begins to decode a block.
func (r *tiffReader) open(index int) (*tiffBlock, error) {
	if err := r.in.ctx.Err(); err != nil {
		return nil, err
	}
	counts := uint16(tagStripByteCounts)
	if r.tiled {
		counts = tagTileByteCounts
	}
	_, bits := r.planes()
	b := &tiffBlock{page: r, close: func() {}, line: make([]byte, rowBytes(r.blockWidth, bits))}
	offset, err := r.d.number(r.offsetsTag(), int64(index), 0)
	if err != nil {
		return nil, err
	}
	if offset == 0 {
		return nil, unreadTIFF("strips or tiles that are left out, as those without data may be,")
	}
	// Without a count, a single block extends to the end of the source.
	count, err := r.d.number(counts, int64(index), r.in.src.Size()-offset)
	if err != nil {
		return nil, err
	}
	if count <= 0 || offset >= r.in.src.Size() {
		return nil, io.ErrUnexpectedEOF
	}
	if err := r.spend(blockCost(r.compression)); err != nil {
		return nil, err
	}
	count = min(count, r.in.src.Size()-offset)
	data := r.in.section(offset, count)
	if count <= windowSize/4 { // many small blocks lie close together
		held := make([]byte, count)
		if err := r.in.full(held, offset); err != nil {
			return nil, err
		}
		data = io.NewSectionReader(bytes.NewReader(held), 0, count)
	}
	return b, b.begin(data)
}

// blockCost returns the cost of opening a block, in decoded bytes.
func blockCost(compression int64) int64 {
	if compression == compressionLZW {
		return 16 << 10
	}
	return 1 << 10
}

// rowsWork returns the cost of decoding the rows for a region: the rows of its
// blocks up to its end.
func (t *tiffPage) rowsWork(region image.Rectangle) int64 {
	sets, bits := t.planes()
	rows := int64(region.Max.Y-region.Min.Y/t.blockHeight*t.blockHeight) * int64(sets)
	if t.tiled {
		rows *= int64((region.Max.X-1)/t.blockWidth - region.Min.X/t.blockWidth + 1)
	}
	cost := rowWork + int64(rowBytes(t.blockWidth, bits))*t.byteCost()
	return min(rows, maxWork) * min(cost, maxWork)
}

// byteCost returns the cost of decoding a byte, in decoded bytes.
func (t *tiffPage) byteCost() int64 {
	switch {
	case t.compression == compressionG3 || t.compression == compressionG4:
		return 8 // a byte has 8 pixels
	case t.predictor == predictorFloat && t.canPredict():
		return 2
	}
	return 1
}

// spend adds to the work, and checks its limit.
func (r *tiffReader) spend(n int64) error {
	if r.work += n; r.work > maxWork {
		return fmt.Errorf("the strips or tiles up to the end of the region take too much work; ask for one that is smaller or further up: %w", citekit.ErrTooLarge)
	}
	return nil
}

// next returns the next row of a block.
func (b *tiffBlock) next() ([]byte, error) {
	t := b.page
	if _, err := io.ReadFull(b.r, b.line); err != nil {
		if t.compression == compressionG3 && t.in.err == nil {
			return nil, unreadTIFF("this kind of Group 3 fax compression")
		}
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if t.canPredict() {
		b.undoPredictor()
	}
	return b.line, nil
}
