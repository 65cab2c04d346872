package image

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"

	"golang.org/x/image/bmp"

	"github.com/citekit/citekit"
)

func bmpFormat() *format {
	return &format{
		name:      "BMP",
		mediaType: "image/bmp",
		ext:       ".bmp",
		match:     isBMP,
		open:      openBMP,
		decode:    decodeBMP,
	}
}

// isBMP looks at the reserved bytes and the size of the header too: text may
// begin with BM.
func isBMP(head []byte) bool {
	if len(head) < 26 || string(head[:2]) != "BM" || binary.LittleEndian.Uint32(head[6:]) != 0 {
		return false
	}
	size := binary.LittleEndian.Uint32(head[14:])
	return size >= 12 && size <= 256
}

// openBMP reads the BITMAPINFOHEADER or one of its successors.
func openBMP(ctx context.Context, _ *Resolver, src *citekit.Source) (*picture, error) {
	in := newInput(ctx, src)
	var head [54]byte
	if err := in.full(head[:], 0); err != nil {
		return nil, err
	}
	if size := binary.LittleEndian.Uint32(head[14:]); size < 40 {
		return nil, fmt.Errorf("the BMP has a header of OS/2; convert it to PNG: %w", errors.ErrUnsupported)
	}
	p := &picture{
		width:  int(int32(binary.LittleEndian.Uint32(head[18:]))),
		height: int(int32(binary.LittleEndian.Uint32(head[22:]))),
	}
	if p.height < 0 {
		p.height = -p.height // stored from the top
	}
	perPixel := int64(4)
	if bits := binary.LittleEndian.Uint16(head[28:]); bits <= 8 {
		perPixel = 1
	}
	if p.width > 0 && p.height > 0 {
		p.memory = perPixel * int64(p.width) * min(int64(p.height), 1<<28)
	}
	return p, nil
}

func decodeBMP(ctx context.Context, src *citekit.Source, p *picture) (image.Image, error) {
	in := newInput(ctx, src)
	img, err := bmp.Decode(in.all())
	if errors.Is(err, bmp.ErrUnsupported) {
		return nil, fmt.Errorf("the BMP is compressed or of an unusual layout; convert it to PNG: %w", errors.ErrUnsupported)
	}
	return img, in.blame(p.format, err)
}
