package image

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"

	"github.com/citekit/citekit"
)

func bmpFormat() *format {
	return &format{
		name:      "BMP",
		mediaType: "image/bmp",
		ext:       ".bmp",
		id:        "bmp",
		open:      openBMP,
		crop:      cropBMP,
		read:      readBMP,
		readMemory: func(_ *Resolver, p *picture, _ image.Rectangle) int64 {
			return 4 * int64(p.bmp.stride)
		},
		size: func(in *input) (width, height int, err error) {
			p, err := readBMPHeader(in)
			return p.width, p.height, err
		},
	}
}

// bmpPixels describes how the rows of a BMP are stored.
type bmpPixels struct {
	header   []byte // BITMAPINFOHEADER or its fourth version, masks, palette
	info     int    // bytes of header before masks or palette
	bits     int    // of a pixel
	offset   int64  // of the rows
	stride   int    // bytes of a row, a multiple of 4
	end      int64  // of the rows
	topDown  bool
	colours  int
	fielded  bool // masks define the bits of a pixel
	readable error
}

// The kinds of compression of a BMP, and the lengths of headers.
const (
	bmpPlain    = 0
	bmpFields   = 3
	bmpFileHead = 14
	bmpInfoV1   = 40
	bmpInfoV4   = 108
)

// openBMP reads the headers.
func openBMP(ctx context.Context, _ *Resolver, src *citekit.Source) (*picture, error) {
	in := newInput(ctx, src)
	p, err := readBMPHeader(in)
	if err != nil {
		return nil, in.blame(bmpFormat(), err)
	}
	return &p, nil
}

// readBMPHeader reads the BITMAPINFOHEADER or one of its successors.
func readBMPHeader(in *input) (picture, error) {
	var head [bmpFileHead + bmpInfoV1]byte
	if err := in.full(head[:], 0); err != nil {
		return picture{}, err
	}
	size := int(binary.LittleEndian.Uint32(head[14:]))
	if size < bmpInfoV1 {
		return picture{}, fmt.Errorf("the BMP has a header of OS/2; convert it to PNG: %w", errors.ErrUnsupported)
	}
	b := &bmpPixels{bits: int(binary.LittleEndian.Uint16(head[28:])), offset: int64(binary.LittleEndian.Uint32(head[10:]))}
	p := picture{
		width:  int(int32(binary.LittleEndian.Uint32(head[18:]))),
		height: int(int32(binary.LittleEndian.Uint32(head[22:]))),
		bmp:    b,
	}
	if b.topDown = p.height < 0; b.topDown {
		p.height = -p.height
	}
	if p.width <= 0 || p.height <= 0 {
		return p, nil
	}
	b.stride = (rowBytes(p.width, b.bits) + 3) / 4 * 4
	b.end = b.offset + int64(b.stride)*int64(p.height)
	return p, b.readTables(in, size, binary.LittleEndian.Uint32(head[30:]), int64(binary.LittleEndian.Uint32(head[46:])))
}

// readTables reads the masks and the palette.
func (b *bmpPixels) readTables(in *input, size int, compression uint32, colours int64) error {
	switch {
	case compression != bmpPlain && compression != bmpFields:
		b.readable = fmt.Errorf("the BMP is compressed; cite the whole image, or convert it to PNG: %w", errors.ErrUnsupported)
		return nil
	case !slices.Contains([]int{1, 4, 8, 16, 24, 32}, b.bits):
		return fmt.Errorf("the BMP has %d bits for a pixel: %w", b.bits, citekit.ErrFormat)
	}
	b.fielded = compression == bmpFields
	b.info = bmpInfoV1
	if size >= bmpInfoV4 {
		b.info = bmpInfoV4 // later versions add only profiles
	}
	n := b.info
	if b.fielded && size < bmpInfoV4 {
		n += 12 // masks
	}
	b.header = make([]byte, n)
	if err := in.full(b.header, bmpFileHead); err != nil {
		return err
	}
	if b.bits > 8 {
		return nil
	}
	b.colours = 1 << b.bits
	if colours > 0 {
		b.colours = int(min(colours, int64(b.colours)))
	}
	palette := make([]byte, 4*b.colours)
	if err := in.full(palette, bmpFileHead+int64(size)); err != nil {
		return err
	}
	b.header = append(b.header, palette...)
	return nil
}

// row reads row y of height, counted from the top.
func (b *bmpPixels) row(in *input, row []byte, y, height int) error {
	if !b.topDown {
		y = height - 1 - y
	}
	return in.full(row[:b.stride], b.offset+int64(y)*int64(b.stride))
}

// cropBMP cuts a region out of the rows.
func cropBMP(ctx context.Context, r *Resolver, src *citekit.Source, p *picture, region image.Rectangle) (*crop, error) {
	b := p.bmp
	if b.readable != nil {
		return nil, b.readable
	}
	if b.end > src.Size() {
		return nil, io.ErrUnexpectedEOF
	}
	stride := (rowBytes(region.Dx(), b.bits) + 3) / 4 * 4
	size := int64(stride)*int64(region.Dy()) + int64(len(b.header)) + bmpFileHead
	return r.encoded(ctx, size+int64(b.stride)+2*pieceSize, region, p.format, func() (*output, error) {
		out := &output{}
		out.Write(b.head(region, size, stride))
		in := newInput(ctx, src)
		row, cut := make([]byte, b.stride), make([]byte, stride)
		for i := range region.Dy() {
			y := region.Max.Y - 1 - i // from below
			if err := b.row(in, row, y, p.height); err != nil {
				return nil, in.blame(p.format, err)
			}
			clear(cut)
			cutBits(cut, row, region.Min.X*b.bits, region.Dx()*b.bits)
			out.Write(cut)
		}
		return out, nil
	})
}

// head returns the headers of a region.
func (b *bmpPixels) head(region image.Rectangle, size int64, stride int) []byte {
	head := append(make([]byte, bmpFileHead), b.header...)
	copy(head, "BM")
	put := binary.LittleEndian.PutUint32
	put(head[2:], uint32(size))
	put(head[10:], uint32(len(head)))
	info := head[bmpFileHead:]
	put(info, uint32(b.info))
	put(info[4:], uint32(region.Dx()))
	put(info[8:], uint32(region.Dy()))
	put(info[20:], uint32(stride*region.Dy()))
	put(info[32:], uint32(b.colours))
	put(info[36:], 0)
	const sRGB, embedded, linked = 0x73524742, 0x4d424544, 0x4c494e4b
	if b.info == bmpInfoV4 {
		if space := binary.LittleEndian.Uint32(info[56:]); space == embedded || space == linked {
			put(info[56:], sRGB)
		}
	}
	return head
}

// readBMP reads the rows of a region.
func readBMP(ctx context.Context, _ *Resolver, src *citekit.Source, p *picture, region image.Rectangle, visit func(rgba []byte) error) error {
	b := p.bmp
	if b.readable != nil {
		return b.readable
	}
	in := newInput(ctx, src)
	row, rgba := make([]byte, b.stride), make([]byte, 4*p.width)
	paint := b.painter()
	for y := region.Min.Y; y < region.Max.Y; y++ {
		if err := b.row(in, row, y, p.height); err != nil {
			return in.blame(p.format, err)
		}
		paint(rgba, row)
		if err := visit(rgba[4*region.Min.X : 4*region.Max.X]); err != nil {
			return err
		}
	}
	return nil
}

// painter returns the function that converts a row to colours.
func (b *bmpPixels) painter() painter {
	if b.bits <= 8 {
		table := new(colourTable)
		for i := range b.colours {
			q := b.header[len(b.header)-4*b.colours+4*i:]
			put(table[i][:], q[2], q[1], q[0], 0xff)
		}
		return table.painter(b.bits)
	}
	masks := b.masks()
	size := b.bits / 8
	return func(rgba, row []byte) {
		for x := range len(rgba) / 4 {
			v := uint32(0)
			for i := range size {
				v |= uint32(row[x*size+i]) << (8 * i)
			}
			put(rgba[4*x:], masked(v, masks[0]), masked(v, masks[1]), masked(v, masks[2]), 0xff)
		}
	}
}

// masks returns the bits of red, green and blue.
func (b *bmpPixels) masks() [3]uint32 {
	switch {
	case b.fielded:
		at := b.header[bmpInfoV1:]
		return [3]uint32{binary.LittleEndian.Uint32(at), binary.LittleEndian.Uint32(at[4:]), binary.LittleEndian.Uint32(at[8:])}
	case b.bits == 16:
		return [3]uint32{0x7c00, 0x3e0, 0x1f}
	}
	return [3]uint32{0xff0000, 0xff00, 0xff}
}

// masked returns the bits of v under a mask, from 0 to 255.
func masked(v, mask uint32) byte {
	if mask == 0 {
		return 0
	}
	return byte(uint64(v&mask) * 0xff / uint64(mask))
}
