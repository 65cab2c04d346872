package tesseract

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/citekit/citekit"
)

// pngStart is the beginning of every PNG (PNG, third edition, sections 5.2 and 11.2.1):
// the signature, and the length and type of the header chunk.
const pngStart = "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"

// checkPicture checks that b is a PNG of an acceptable size.
func checkPicture(b []byte) error {
	if !bytes.HasPrefix(b, []byte(pngStart)) || len(b) < len(pngStart)+8 {
		return fmt.Errorf("the picture is not a PNG: %w", citekit.ErrFormat)
	}
	size := b[len(pngStart):]
	width, height := int64(binary.BigEndian.Uint32(size)), int64(binary.BigEndian.Uint32(size[4:]))
	switch {
	case width == 0 || height == 0:
		return fmt.Errorf("the picture has a size of %dx%d pixels: %w", width, height, citekit.ErrFormat)
	case width > maxSide, height > maxSide, width*height > MaxPixels:
		return fmt.Errorf("the picture has %dx%d pixels; text is recognised in at most %d, of at most %d a side: %w", width, height, MaxPixels, maxSide, citekit.ErrTooLarge)
	}
	return nil
}
