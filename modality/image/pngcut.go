package image

import (
	"compress/zlib"
	"context"
	"encoding/binary"
	"image"

	"github.com/citekit/citekit"
)

// cropPNG cuts a region out of the rows. Its samples are those of the source.
func cropPNG(ctx context.Context, r *Resolver, src *citekit.Source, p *picture, region image.Rectangle) (*crop, error) {
	px := p.png
	rows := rowImage{region: p.orientation.StoredRect(region, p.width, p.height), bits: px.bits(), turn: p.orientation}
	memory := px.memory(r) + rows.memory() + deflatedMost(rows.raw()+int64(p.height))
	return r.encoded(ctx, memory, region, p.format, func() (*output, error) {
		w := newPNGWriter(px, rows, p.chunks)
		y := -1
		cut := make([]byte, rowBytes(rows.region.Dx(), rows.bits))
		err := rows.upright(func(visit visitRow) error {
			return px.each(ctx, r, src, rows.region.Max.Y, func(filter byte, row []byte) error {
				if y++; y < rows.region.Min.Y {
					return nil
				}
				cutBits(cut, row, rows.region.Min.X*rows.bits, rows.region.Dx()*rows.bits)
				return visit(filter, cut)
			})
		}, w.row)
		if err != nil {
			return nil, err
		}
		return &w.out, w.close()
	})
}

// deflatedMost returns the maximum size of n bytes when deflated, including the
// buffers for that.
func deflatedMost(n int64) int64 { return n + n/1000 + 2<<20 }

// A pngWriter writes a PNG row by row.
type pngWriter struct {
	out        output
	z          *zlib.Writer
	chunk      []byte // of pixels, not yet written
	prev, line []byte
	step       int
	turned     bool
}

const idatSize = 64 << 10

func newPNGWriter(px *pngPixels, rows rowImage, colours []byte) *pngWriter {
	w := &pngWriter{step: max(1, rows.bits/8), turned: rows.turn != 1}
	width, height := rows.displayed()
	header := binary.BigEndian.AppendUint32(nil, uint32(width))
	header = binary.BigEndian.AppendUint32(header, uint32(height))
	header = append(header, px.depth, px.colour, 0, 0, 0)
	w.out.Write(appendChunk([]byte(pngSignature), "IHDR", header))
	w.out.Write(colours)
	if px.colour == pngPalette {
		w.out.Write(appendChunk(nil, "PLTE", px.palette))
	}
	if len(px.transparent) > 0 && px.colour != pngGreyAlpha && px.colour != pngRGBA {
		w.out.Write(appendChunk(nil, "tRNS", px.transparent))
	}
	n := rowBytes(width, rows.bits)
	w.prev, w.line = make([]byte, n), make([]byte, n+1)
	// The best compression saves a tenth and takes three times as long.
	w.z, _ = zlib.NewWriterLevel(idatWriter{w}, zlib.BestSpeed)
	return w
}

// row writes a row with its original filter, which its writer chose. Turned
// rows are filtered by their neighbours on the left.
func (w *pngWriter) row(filter byte, row []byte) error {
	if w.turned && w.step > 1 {
		filter = 1
	}
	filterRow(w.line, filter, row, w.prev, w.step)
	copy(w.prev, row)
	_, err := w.z.Write(w.line)
	return err
}

func (w *pngWriter) close() error {
	if err := w.z.Close(); err != nil {
		return err
	}
	idatWriter{w}.flush()
	w.out.Write(appendChunk(nil, "IEND", nil))
	return nil
}

// An idatWriter collects pixels into chunks.
type idatWriter struct{ *pngWriter }

// Write implements [io.Writer].
func (w idatWriter) Write(p []byte) (int, error) {
	w.chunk = append(w.chunk, p...)
	if len(w.chunk) >= idatSize {
		w.flush()
	}
	return len(p), nil
}

func (w idatWriter) flush() {
	if len(w.chunk) > 0 {
		w.out.Write(appendChunk(nil, "IDAT", w.chunk))
		w.chunk = w.chunk[:0]
	}
}

// filterRow sets dst to a row with a filter applied; dst[0] gets the filter.
func filterRow(dst []byte, filter byte, row, prev []byte, step int) {
	dst[0] = filter
	out := dst[1:]
	for i, b := range row {
		var left, corner byte
		if i >= step {
			left, corner = row[i-step], prev[i-step]
		}
		switch filter {
		case 1:
			b -= left
		case 2:
			b -= prev[i]
		case 3:
			b -= byte((int(left) + int(prev[i])) / 2)
		case 4:
			b -= paeth(left, prev[i], corner)
		}
		out[i] = b
	}
}
