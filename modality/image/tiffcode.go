package image

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	stdjpeg "image/jpeg"
	"io"
	"math/bits"
	"slices"

	"golang.org/x/image/ccitt"
	"golang.org/x/image/tiff/lzw"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/image/internal/jpeg"
)

// begin sets the reader for the rows of a block.
func (b *tiffBlock) begin(data *io.SectionReader) (err error) {
	var r io.Reader = &pieceReader{r: data, size: min(32<<10, data.Size())}
	t := b.page.tiffPage
	if t.fillOrder == 2 && t.compression != compressionG3 && t.compression != compressionG4 {
		r = bitReverser{r}
	}
	switch t.compression {
	case compressionNone:
		b.r = r
	case compressionPackBits:
		b.r = &packBitsReader{r: r.(io.ByteReader)}
	case compressionLZW:
		z := lzw.NewReader(r, lzw.MSB, 8)
		b.r, b.close = z, func() { z.Close() }
	case compressionDeflate, compressionDeflateOld:
		b.r, err = b.page.inflate(r)
	case compressionJPEG:
		b.r, err = b.page.decodeJPEG(data)
	default:
		b.r, err = b.page.fax(data)
	}
	return err
}

// inflate returns a reader of the inflated data. It is reused if blocks are
// read one after the other.
func (r *tiffReader) inflate(src io.Reader) (io.Reader, error) {
	if sets, _ := r.planes(); sets > 1 && !r.tiled || r.z == nil {
		z, err := zlib.NewReader(src)
		if err == nil {
			r.z = z
		}
		return z, err
	}
	return r.z, r.z.(zlib.Resetter).Reset(src, nil)
}

// fax returns a reader of the rows of a fax. Its cost depends on its bits too.
func (r *tiffReader) fax(data *io.SectionReader) (io.Reader, error) {
	const perByte = 10
	if err := r.spend(perByte * data.Size()); err != nil {
		return nil, err
	}
	order, kind := ccitt.MSB, ccitt.Group4
	if r.fillOrder == 2 {
		order = ccitt.LSB
	}
	if r.compression == compressionG3 {
		kind = ccitt.Group3
	}
	// White is 0 in the data, independent of the meaning of the samples.
	return ccitt.NewReader(data, order, kind, r.blockWidth, r.blockHeight, &ccitt.Options{Invert: true}), nil
}

// undoPredictor converts a line to samples.
func (b *tiffBlock) undoPredictor() {
	t, step := b.page.tiffPage, b.page.samples
	if t.planar {
		step = 1
	}
	switch t.predictor {
	case predictorDifference:
		undoDifference(b.line, t, step)
	case predictorFloat:
		if b.bytes == nil {
			b.bytes = make([]byte, len(b.line))
		}
		undoFloat(b.bytes, b.line, t, step)
		b.line, b.bytes = b.bytes, b.line
	}
}

// undoFloat sets row to floating-point samples whose bytes are stored apart,
// those with the sign first, each as the difference from the one before (TIFF
// Technical Note 3).
func undoFloat(row, stored []byte, t *tiffPage, step int) {
	for i := step; i < len(stored); i++ {
		stored[i] += stored[i-step]
	}
	size := t.bits / 8
	samples := len(stored) / size
	for k := range size {
		at := k
		if t.order == binary.LittleEndian {
			at = size - 1 - k
		}
		for _, b := range stored[k*samples:][:samples] {
			row[at] = b
			at += size
		}
	}
}

// undoDifference adds the sample of the pixel before to each sample (TIFF 6.0,
// section 14).
func undoDifference(row []byte, t *tiffPage, step int) {
	switch t.bits {
	case 8:
		for i := step; i < len(row); i++ {
			row[i] += row[i-step]
		}
	case 16:
		for i := 2 * step; i+1 < len(row); i += 2 {
			t.order.PutUint16(row[i:], t.order.Uint16(row[i:])+t.order.Uint16(row[i-2*step:]))
		}
	case 32:
		for i := 4 * step; i+3 < len(row); i += 4 {
			t.order.PutUint32(row[i:], t.order.Uint32(row[i:])+t.order.Uint32(row[i-4*step:]))
		}
	case 64:
		for i := 8 * step; i+7 < len(row); i += 8 {
			t.order.PutUint64(row[i:], t.order.Uint64(row[i:])+t.order.Uint64(row[i-8*step:]))
		}
	}
}

// tablesFor returns the tables that precede the JPEG of a block: those of the
// page, and if neither they nor the block have Huffman tables, those of the
// first block, which some programs write only there.
func (r *tiffReader) tablesFor(data io.ReaderAt) ([]byte, error) {
	own, err := jpegTables(data)
	if err != nil || hasHuffman(own) || hasHuffman(r.tables) {
		return r.tables, err
	}
	if r.shared == nil {
		offset, err := r.d.number(r.offsetsTag(), 0, 0)
		if err != nil {
			return nil, err
		}
		first, err := jpegTables(r.in.section(offset, max(0, r.in.src.Size()-offset)))
		if err != nil {
			return nil, err
		}
		r.shared = slices.Concat([]byte{0xff, 0xd8}, first)
		if len(r.tables) > 4 {
			r.shared = slices.Concat(r.tables[:len(r.tables)-2], first)
		}
		r.shared = append(r.shared, 0xff, 0xd9)
	}
	return r.shared, nil
}

// jpegTables returns the segments with tables before the first scan of a JPEG.
func jpegTables(r io.ReaderAt) ([]byte, error) {
	const most = 16 << 10
	b := make([]byte, most)
	n, err := r.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return tableSegments(b[:n]), nil
}

// Markers of segments of JPEG (ITU-T T.81, B.1.1.3).
const (
	markerHuffman      = 0xc4
	markerQuantisation = 0xdb
	markerScan         = 0xda
)

func tableSegments(b []byte) (tables []byte) {
	for i := 2; i+4 <= len(b) && b[i] == 0xff && b[i+1] != markerScan; {
		end := i + 2 + int(b[i+2])<<8 + int(b[i+3])
		if end > len(b) {
			break
		}
		if b[i+1] == markerHuffman || b[i+1] == markerQuantisation {
			tables = append(tables, b[i:end]...)
		}
		i = end
	}
	return tables
}

// hasHuffman reports whether there is a Huffman table in a JPEG or in segments
// of tables.
func hasHuffman(b []byte) bool {
	if !bytes.HasPrefix(b, []byte{0xff, 0xd8}) {
		b = slices.Concat([]byte{0xff, 0xd8}, b)
	}
	for b = tableSegments(b); len(b) >= 4; b = b[2+int(b[2])<<8+int(b[3]):] {
		if b[1] == markerHuffman {
			return true
		}
	}
	return false
}

// decodeJPEG decodes a block that is a JPEG, with the tables of the page.
func (r *tiffReader) decodeJPEG(data *io.SectionReader) (io.Reader, error) {
	const markers = 2 // bytes, at each end of the tables
	var src io.Reader = data
	tables, err := r.tablesFor(data)
	if err != nil {
		return nil, err
	}
	if n := len(tables); n > 2*markers {
		src = io.MultiReader(bytes.NewReader(tables[:n-markers]), io.NewSectionReader(data, markers, max(0, data.Size()-markers)))
	}
	if err := r.spend(int64(rowBytes(r.blockWidth, r.pixelBits())) * int64(r.blockHeight)); err != nil {
		return nil, err
	}
	width, height, err := jpeg.Size(data, data.Size())
	if err != nil {
		return nil, err
	}
	progressive, err := jpeg.IsProgressive(data, data.Size())
	switch {
	case err != nil:
		return nil, err
	case progressive: // not allowed by the standard, and needs more memory
		return nil, unreadTIFF("progressive JPEG compression")
	}
	if width > r.blockWidth || height > r.blockHeight || width < min(r.blockWidth, r.width) {
		return nil, fmt.Errorf("a JPEG of %dx%d pixels in a block of %dx%d: %w", width, height, r.blockWidth, r.blockHeight, citekit.ErrFormat)
	}
	img, err := stdjpeg.Decode(src)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, rowBytes(r.blockWidth, r.pixelBits())*height)
	switch m := img.(type) {
	case *image.Gray:
		for y := range height {
			out = append(out, m.Pix[y*m.Stride:][:width]...)
			out = append(out, make([]byte, max(0, r.blockWidth-width))...)
		}
	case *image.YCbCr:
		for y := range height {
			for x := range width {
				luma, chroma := m.YOffset(x, y), m.COffset(x, y)
				red, green, blue := m.Y[luma], m.Cb[chroma], m.Cr[chroma]
				if r.photometric == photometricYCbCr {
					red, green, blue = color.YCbCrToRGB(red, green, blue)
				}
				out = append(out, red, green, blue)
			}
			out = append(out, make([]byte, 3*max(0, r.blockWidth-width))...)
		}
	case *image.RGBA: // red, green and blue, according to its own segments
		for y := range height {
			for x := range width {
				out = append(out, m.Pix[y*m.Stride+4*x:][:3]...)
			}
			out = append(out, make([]byte, 3*max(0, r.blockWidth-width))...)
		}
	default:
		return nil, unreadTIFF("JPEG compression of this kind")
	}
	if len(out) > 0 && (img.ColorModel() == color.GrayModel) != (r.samples == 1) {
		return nil, fmt.Errorf("a JPEG of other samples than the page: %w", citekit.ErrFormat)
	}
	return bytes.NewReader(out), nil
}

// A pieceReader reads a little ahead.
type pieceReader struct {
	r    io.Reader
	size int64
	buf  []byte
	rest []byte
}

func (p *pieceReader) fill() error {
	if p.buf == nil {
		p.buf = make([]byte, p.size)
	}
	n, err := p.r.Read(p.buf)
	p.rest = p.buf[:n]
	if n > 0 {
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// Read implements [io.Reader].
func (p *pieceReader) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		if err := p.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// ReadByte implements [io.ByteReader].
func (p *pieceReader) ReadByte() (byte, error) {
	if len(p.rest) == 0 {
		if err := p.fill(); err != nil {
			return 0, err
		}
	}
	b := p.rest[0]
	p.rest = p.rest[1:]
	return b, nil
}

// A bitReverser reads bytes whose bits are stored from the low end.
type bitReverser struct{ r io.Reader }

// Read implements [io.Reader].
func (b bitReverser) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	for i, v := range p[:n] {
		p[i] = bits.Reverse8(v)
	}
	return n, err
}

// ReadByte implements [io.ByteReader].
func (b bitReverser) ReadByte() (byte, error) {
	v, err := b.r.(io.ByteReader).ReadByte()
	return bits.Reverse8(v), err
}

// A packBitsReader reads PackBits data (TIFF 6.0, section 9).
type packBitsReader struct {
	r      io.ByteReader
	left   int // bytes of the run
	repeat bool
	value  byte
}

// Read implements [io.Reader].
func (p *packBitsReader) Read(b []byte) (int, error) {
	for i := range b {
		for p.left == 0 {
			if err := p.run(); err != nil {
				return i, err
			}
		}
		if !p.repeat {
			v, err := p.r.ReadByte()
			if err != nil {
				return i, err
			}
			p.value = v
		}
		b[i] = p.value
		p.left--
	}
	return len(b), nil
}

// run begins the next run.
func (p *packBitsReader) run() error {
	c, err := p.r.ReadByte()
	if err != nil {
		return err
	}
	switch n := int(int8(c)); {
	case n >= 0:
		p.left, p.repeat = n+1, false
	case n > -128:
		p.left, p.repeat = 1-n, true
		p.value, err = p.r.ReadByte()
	}
	return err
}
