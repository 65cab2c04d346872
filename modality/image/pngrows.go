package image

import (
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"io"

	"github.com/citekit/citekit"
)

// pngPixels describes how the pixels of a PNG are stored.
type pngPixels struct {
	width, height int
	depth, colour byte
	interlaced    bool

	palette, transparent []byte // data of PLTE and tRNS
	first                int64  // offset of the first chunk of pixels, or 0
	end                  error  // error after the header
}

// The types of colour (PNG, section 11.2.1).
const (
	pngGrey      = 0
	pngRGB       = 2
	pngPalette   = 3
	pngGreyAlpha = 4
	pngRGBA      = 6
)

// readHeader reads IHDR (PNG, section 11.2.1).
func (p *pngPixels) readHeader(in *input, c pngChunk) error {
	var h [13]byte
	if c.size != int64(len(h)) || p.width != 0 {
		return fmt.Errorf("a header of %d bytes: %w", c.size, citekit.ErrFormat)
	}
	if err := in.full(h[:], c.offset); err != nil {
		return err
	}
	width, height := binary.BigEndian.Uint32(h[:]), binary.BigEndian.Uint32(h[4:])
	if width == 0 || height == 0 || width > 1<<31-1 || height > 1<<31-1 {
		return fmt.Errorf("a size of %dx%d pixels: %w", width, height, citekit.ErrFormat)
	}
	p.width, p.height = int(width), int(height)
	p.depth, p.colour, p.interlaced = h[8], h[9], h[12] == 1
	if !validDepth(p.depth, p.colour) || h[10] != 0 || h[11] != 0 || h[12] > 1 {
		return fmt.Errorf("%d bits of colour type %d: %w", p.depth, p.colour, citekit.ErrFormat)
	}
	return checkCRC(in, c)
}

func validDepth(depth, colour byte) bool {
	switch colour {
	case pngGrey:
		return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16
	case pngPalette:
		return depth == 1 || depth == 2 || depth == 4 || depth == 8
	case pngRGB, pngGreyAlpha, pngRGBA:
		return depth == 8 || depth == 16
	}
	return false
}

// checkCRC checks a small chunk.
func checkCRC(in *input, c pngChunk) error {
	b := make([]byte, c.size+chunkOverheads)
	if err := in.full(b, c.offset-8); err != nil {
		return err
	}
	end := len(b) - 4
	if crc32.ChecksumIEEE(b[4:end]) != binary.BigEndian.Uint32(b[end:]) {
		return fmt.Errorf("the checksum of the chunk %s is wrong: %w", c.kind, citekit.ErrFormat)
	}
	return nil
}

// keep keeps PLTE or tRNS; the first one counts.
func (p *pngPixels) keep(in *input, c pngChunk) error {
	const most = 3 * 256
	field := &p.palette
	if c.kind == "tRNS" {
		field = &p.transparent
	}
	if *field != nil || c.size == 0 {
		return nil
	}
	if c.size > most {
		return fmt.Errorf("a chunk %s of %d bytes: %w", c.kind, c.size, citekit.ErrFormat)
	}
	if err := checkCRC(in, c); err != nil {
		return err
	}
	b := make([]byte, c.size)
	*field = b
	return in.full(b, c.offset)
}

// check checks the other data that the pixels need.
func (p *pngPixels) check() error {
	if p.end != nil {
		return p.end
	}
	transparent := len(p.transparent)
	switch colours := len(p.palette) / 3; {
	case p.colour == pngPalette && (colours == 0 || len(p.palette)%3 != 0 || colours > 1<<p.depth || transparent > 256):
		return fmt.Errorf("a palette of %d bytes: %w", len(p.palette), citekit.ErrFormat)
	case p.colour == pngGrey && transparent != 0 && transparent != 2, p.colour == pngRGB && transparent != 0 && transparent != 6:
		return fmt.Errorf("a transparent colour of %d bytes: %w", transparent, citekit.ErrFormat)
	case p.first == 0:
		return fmt.Errorf("no pixels: %w", citekit.ErrFormat)
	}
	return nil
}

// bits returns the size of a pixel.
func (p *pngPixels) bits() int {
	return int(p.depth) * map[byte]int{pngGrey: 1, pngRGB: 3, pngPalette: 1, pngGreyAlpha: 2, pngRGBA: 4}[p.colour]
}

// raw returns the size of all rows in bytes, each with its filter.
func (p *pngPixels) raw() int64 {
	return int64(1+rowBytes(p.width, p.bits())) * int64(p.height)
}

// whole reports whether all rows are decoded at once. This holds for an
// interlaced image, whose last row is spread over the file, and for an image
// small enough to be kept.
func (p *pngPixels) whole(r *Resolver) bool { return p.interlaced || p.raw() <= r.pixels.MaxCost/2 }

// memory returns the memory for reading the rows, in bytes.
func (p *pngPixels) memory(r *Resolver) int64 {
	const inflating = 256 << 10
	if p.whole(r) {
		return p.raw() + inflating
	}
	return 2*int64(1+rowBytes(p.width, p.bits())) + inflating
}

// each calls visit for the first rows of the image.
func (p *pngPixels) each(ctx context.Context, r *Resolver, src *citekit.Source, rows int, visit visitRow) error {
	if err := p.check(); err != nil {
		return err
	}
	if p.raw()+rowWork*int64(p.height) > maxWork {
		return fmt.Errorf("its %d rows have %d MiB, and at most %d MiB in fewer rows are read: %w", p.height, p.raw()>>20, maxWork>>20, citekit.ErrTooLarge)
	}
	if !p.whole(r) {
		in := newInput(ctx, src)
		return in.blame(pngFormat(), p.stream(in, rows, visit))
	}
	kept, err := r.pixels.Get(ctx, src.Version(), func(ctx context.Context) (any, int64, error) {
		in := newInput(ctx, src)
		all, err := p.decode(in)
		return all, r.keepCost(int64(len(all))), in.blame(pngFormat(), err)
	})
	if err != nil {
		return err
	}
	all, ok := kept.([]byte)
	length := 1 + rowBytes(p.width, p.bits())
	if !ok || len(all) != length*p.height {
		return fmt.Errorf("its pixels are of another size than its header says: %w", citekit.ErrFormat)
	}
	for ; rows > 0; rows-- {
		if err := visit(all[0], all[1:length]); err != nil {
			return err
		}
		all = all[length:]
	}
	return ctx.Err()
}

// decode returns all rows, each after its filter.
func (p *pngPixels) decode(in *input) ([]byte, error) {
	if p.interlaced {
		return p.deinterlace(in)
	}
	all := make([]byte, 0, p.raw())
	err := p.stream(in, p.height, func(filter byte, row []byte) error {
		all = append(append(all, filter), row...)
		return nil
	})
	return all, err
}

// stream decodes rows of an image that is not interlaced.
func (p *pngPixels) stream(in *input, rows int, visit visitRow) error {
	u, err := newUnfilter(in, p)
	if err != nil {
		return err
	}
	defer u.z.Close()
	u.begin(rowBytes(p.width, p.bits()))
	for range rows {
		if err := u.next(); err != nil {
			return err
		}
		if err := visit(u.row[0], u.row[1:]); err != nil {
			return err
		}
	}
	if rows < p.height {
		return nil
	}
	return u.finish()
}

// The passes of Adam7 (PNG, section 8.2): the start of each, and the distance
// between its pixels.
var adam7 = [7]struct{ x, y, dx, dy int }{
	{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2},
}

// deinterlace decodes an interlaced image.
func (p *pngPixels) deinterlace(in *input) ([]byte, error) {
	u, err := newUnfilter(in, p)
	if err != nil {
		return nil, err
	}
	defer u.z.Close()
	bits := p.bits()
	length := 1 + rowBytes(p.width, bits)
	all := make([]byte, length*p.height)
	for _, pass := range adam7 {
		width := (p.width - pass.x + pass.dx - 1) / pass.dx
		if width <= 0 {
			continue
		}
		u.begin(rowBytes(width, bits))
		for y := pass.y; y < p.height; y += pass.dy {
			if err := u.next(); err != nil {
				return nil, err
			}
			spread(all[y*length+1:][:length-1], u.row[1:], width, bits, pass.x, pass.dx)
		}
	}
	return all, u.finish()
}

// spread puts the pixels of a pass into their places.
func spread(dst, src []byte, width, bits, x, dx int) {
	if bits >= 8 {
		size := bits / 8
		for i := range width {
			copy(dst[(x+i*dx)*size:][:size], src[i*size:])
		}
		return
	}
	for i := range width {
		at := (x + i*dx) * bits
		dst[at/8] |= bitsAt(src, i*bits, bits) << (8 - bits - at%8)
	}
}

// An unfilter inflates rows and undoes their filters (PNG, section 9).
type unfilter struct {
	in        *input
	z         io.ReadCloser
	step      int    // bytes from a sample to the one it is compared with
	row, prev []byte // with the filter first
}

func newUnfilter(in *input, p *pngPixels) (*unfilter, error) {
	z, err := zlib.NewReader(&idatReader{in: in, next: p.first})
	if err != nil {
		return nil, err
	}
	return &unfilter{in: in, z: z, step: max(1, p.bits()/8)}, nil
}

// begin prepares for rows of n bytes, with no row above the first.
func (u *unfilter) begin(n int) {
	if len(u.row) < n+1 && cap(u.row) < n+1 {
		u.row, u.prev = make([]byte, n+1), make([]byte, n+1)
		return
	}
	u.row, u.prev = u.row[:n+1], u.prev[:n+1]
	clear(u.row)
}

// next reads a row.
func (u *unfilter) next() error {
	if err := u.in.ctx.Err(); err != nil {
		return err
	}
	u.row, u.prev = u.prev, u.row
	if _, err := io.ReadFull(u.z, u.row); err != nil {
		return err
	}
	return undoFilter(u.row[0], u.row[1:], u.prev[1:], u.step)
}

// finish checks that nothing follows the last row; the decoder then checks its
// input.
func (u *unfilter) finish() error {
	var one [1]byte
	switch n, err := u.z.Read(one[:]); {
	case n > 0:
		return fmt.Errorf("more pixels than it has room for: %w", citekit.ErrFormat)
	case err != io.EOF:
		return err
	}
	return nil
}

func undoFilter(filter byte, row, prev []byte, step int) error {
	switch filter {
	case 0:
	case 1:
		for i := step; i < len(row); i++ {
			row[i] += row[i-step]
		}
	case 2:
		for i, b := range prev[:len(row)] {
			row[i] += b
		}
	case 3:
		for i := range min(step, len(row)) {
			row[i] += prev[i] / 2
		}
		for i := step; i < len(row); i++ {
			row[i] += byte((int(row[i-step]) + int(prev[i])) / 2)
		}
	case 4:
		undoPaeth(row, prev, step)
	default:
		return fmt.Errorf("a row with filter %d: %w", filter, citekit.ErrFormat)
	}
	return nil
}

func undoPaeth(row, prev []byte, step int) {
	for i := range min(step, len(row)) {
		row[i] += prev[i]
	}
	if len(row) <= step {
		return
	}
	left, corner, above := row, prev, prev[step:len(row)]
	for i, b := range above {
		row[step+i] += paeth(left[i], b, corner[i])
	}
}

// paeth returns the one of three neighbours that is nearest to their
// prediction.
func paeth(left, above, corner byte) byte {
	a, b := int(above)-int(corner), int(left)-int(corner)
	c := a + b
	a, b, c = max(a, -a), max(b, -b), max(c, -c)
	switch {
	case a <= b && a <= c:
		return left
	case b <= c:
		return above
	}
	return corner
}

// An idatReader reads the data of the pixel chunks, and checks these.
type idatReader struct {
	in   *input
	next int64 // offset of the next chunk
	left int64 // bytes of the chunk that are still to be read
	at   int64 // offset of these bytes
	crc  uint32
	buf  []byte // read ahead
	pos  int
	done bool
}

// Read implements [io.Reader].
func (r *idatReader) Read(p []byte) (int, error) {
	if r.pos == len(r.buf) {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.buf[r.pos:])
	r.pos += n
	return n, nil
}

// ReadByte implements [io.ByteReader], so that inflating needs no buffer of its
// own.
func (r *idatReader) ReadByte() (byte, error) {
	if r.pos == len(r.buf) {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	r.pos++
	return r.buf[r.pos-1], nil
}

func (r *idatReader) fill() error {
	const ahead = 64 << 10
	for r.left == 0 {
		if err := r.open(); err != nil {
			return err
		}
	}
	if r.buf == nil {
		r.buf = make([]byte, ahead)
	}
	r.buf = r.buf[:min(ahead, r.left)]
	if err := r.in.full(r.buf, r.at); err != nil {
		r.buf, r.pos = r.buf[:0], 0
		return err
	}
	r.crc = crc32.Update(r.crc, crc32.IEEETable, r.buf)
	r.at += int64(len(r.buf))
	r.left -= int64(len(r.buf))
	r.pos = 0
	if r.left > 0 {
		return nil
	}
	var sum [4]byte
	if err := r.in.full(sum[:], r.at); err != nil {
		return err
	}
	if binary.BigEndian.Uint32(sum[:]) != r.crc {
		return fmt.Errorf("the checksum of the pixels is wrong: %w", citekit.ErrFormat)
	}
	return nil
}

// open begins the next chunk of pixels.
func (r *idatReader) open() error {
	if r.done {
		return io.EOF
	}
	var head [8]byte
	if err := r.in.full(head[:], r.next); err != nil {
		return err
	}
	if string(head[4:]) != "IDAT" {
		r.done = true
		return io.EOF
	}
	r.left = int64(binary.BigEndian.Uint32(head[:]))
	r.at = r.next + int64(len(head))
	r.next = r.at + r.left + 4
	r.crc = crc32.ChecksumIEEE(head[4:])
	return nil
}

// readPNG reads the rows of a region.
func readPNG(ctx context.Context, r *Resolver, src *citekit.Source, p *picture, region image.Rectangle, visit func(rgba []byte) error) error {
	rgba := make([]byte, 4*p.width)
	paint := p.png.painter()
	y := -1
	return p.png.each(ctx, r, src, region.Max.Y, func(_ byte, row []byte) error {
		if y++; y < region.Min.Y {
			return nil
		}
		paint(rgba, row)
		return visit(rgba[4*region.Min.X : 4*region.Max.X])
	})
}
