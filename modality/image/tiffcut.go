package image

import (
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"slices"

	"github.com/citekit/citekit"
)

// cropTIFF cuts a region out of the first page. Its samples are those of the
// source, except that JPEG becomes RGB.
func cropTIFF(ctx context.Context, r *Resolver, src *citekit.Source, p *picture, region image.Rectangle) (*crop, error) {
	t := p.tiff
	if t.why != nil {
		return nil, t.why
	}
	rows := rowImage{region: p.orientation.StoredRect(region, p.width, p.height), bits: t.pixelBits(), turn: p.orientation}
	if !rows.canTurn() {
		return nil, unreadTIFF(fmt.Sprintf("pixels of %d bits that are turned", rows.bits))
	}
	memory := t.memory(rows.region) + rows.memory() + deflatedMost(rows.raw())
	return r.encoded(ctx, memory, region, p.format, func() (*output, error) {
		w := newTIFFWriter(t, rows)
		if err := rows.upright(func(visit visitRow) error { return t.each(ctx, src, rows.region, visit) }, w.row); err != nil {
			return nil, err
		}
		return &w.out, w.close()
	})
}

// A tiffWriter writes a TIFF of one page in strips.
type tiffWriter struct {
	page    *tiffPage
	rows    rowImage
	out     output
	z       *zlib.Writer
	perRow  int // rows of a strip
	inStrip int
	offsets []uint32
	counts  []uint32
}

// newTIFFWriter writes the head, without the offset of the directory.
func newTIFFWriter(t *tiffPage, rows rowImage) *tiffWriter {
	const stripBytes = 1 << 20
	w := &tiffWriter{page: t, rows: rows}
	width, height := rows.displayed()
	w.perRow = min(max(1, stripBytes/max(1, rowBytes(width, rows.bits))), height)
	head := []byte("II*\x00\x00\x00\x00\x00")
	if t.order == binary.BigEndian {
		head = []byte("MM\x00*\x00\x00\x00\x00")
	}
	w.out.Write(head)
	w.z, _ = zlib.NewWriterLevel(&w.out, zlib.BestSpeed)
	return w
}

func (w *tiffWriter) row(_ byte, row []byte) error {
	if w.inStrip == 0 {
		if w.out.size%2 != 0 {
			w.out.Write([]byte{0})
		}
		w.offsets = append(w.offsets, uint32(w.out.size))
		w.z.Reset(&w.out)
	}
	if _, err := w.z.Write(row); err != nil {
		return err
	}
	if w.inStrip++; w.inStrip == w.perRow {
		return w.endStrip()
	}
	return nil
}

func (w *tiffWriter) endStrip() error {
	w.inStrip = 0
	err := w.z.Close()
	w.counts = append(w.counts, uint32(w.out.size)-w.offsets[len(w.offsets)-1])
	return err
}

// close writes the directory.
func (w *tiffWriter) close() error {
	if w.inStrip > 0 {
		if err := w.endStrip(); err != nil {
			return err
		}
	}
	tags := w.tags()
	slices.SortFunc(tags, func(a, b tiffTag) int { return int(a.tag) - int(b.tag) })
	for _, t := range tags { // values of more than 4 bytes come first
		if len(t.value) > 4 && w.out.size%2 != 0 {
			w.out.Write([]byte{0})
		}
	}
	order := w.page.order
	at := make([]uint32, len(tags))
	for i, t := range tags {
		if len(t.value) > 4 {
			at[i] = uint32(w.out.size)
			w.out.Write(t.value)
			w.out.Write(make([]byte, len(t.value)%2))
		}
	}
	if w.out.size%2 != 0 {
		w.out.Write([]byte{0})
	}
	order.PutUint32(w.out.parts[0][4:], uint32(w.out.size))
	dir := make([]byte, 2+12*len(tags)+4)
	order.PutUint16(dir, uint16(len(tags)))
	for i, t := range tags {
		e := dir[2+12*i:]
		order.PutUint16(e, t.tag)
		order.PutUint16(e[2:], t.kind)
		order.PutUint32(e[4:], t.count)
		if len(t.value) > 4 {
			order.PutUint32(e[8:], at[i])
		} else {
			copy(e[8:12], t.value)
		}
	}
	w.out.Write(dir)
	return nil
}

// tags returns the entries of the directory.
func (w *tiffWriter) tags() []tiffTag {
	t := w.page
	width, height := w.rows.displayed()
	photometric := t.photometric
	if t.compression == compressionJPEG && t.samples == 3 {
		photometric = photometricRGB
	}
	bits := make([]uint32, t.samples)
	for i := range bits {
		bits[i] = uint32(t.bits)
	}
	tags := []tiffTag{
		w.long(tagWidth, uint32(width)), w.long(tagHeight, uint32(height)),
		w.short(tagBitsPerSample, bits...), w.short(tagCompression, compressionDeflate),
		w.short(tagPhotometric, uint32(photometric)), w.short(tagSamplesPerPixel, uint32(t.samples)),
		w.long(tagRowsPerStrip, uint32(w.perRow)), w.short(tagPlanar, 1),
		w.long(tagStripOffsets, w.offsets...), w.long(tagStripByteCounts, w.counts...),
	}
	if photometric == photometricYCbCr {
		tags = append(tags, w.short(tagSubSampling, 1, 1))
	}
	for _, kept := range t.tags {
		if kept.tag != tagReferenceWhite && kept.tag != tagYCbCrCoeffs || photometric == photometricYCbCr {
			tags = append(tags, kept)
		}
	}
	return tags
}

func (w *tiffWriter) short(tag uint16, values ...uint32) tiffTag {
	t := tiffTag{tag: tag, kind: 3, count: uint32(len(values)), value: make([]byte, 2*len(values))}
	for i, v := range values {
		w.page.order.PutUint16(t.value[2*i:], uint16(v))
	}
	return t
}

func (w *tiffWriter) long(tag uint16, values ...uint32) tiffTag {
	t := tiffTag{tag: tag, kind: 4, count: uint32(len(values)), value: make([]byte, 4*len(values))}
	for i, v := range values {
		w.page.order.PutUint32(t.value[4*i:], v)
	}
	return t
}

// readTIFF reads the rows of a region.
func readTIFF(ctx context.Context, _ *Resolver, src *citekit.Source, p *picture, region image.Rectangle, visit func(rgba []byte) error) error {
	paint, err := p.tiff.painter()
	if err != nil {
		return err
	}
	rgba := make([]byte, 4*region.Dx())
	return p.tiff.each(ctx, src, region, func(_ byte, row []byte) error {
		paint(rgba, row)
		return visit(rgba)
	})
}
