package media

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
)

// scansExamined is how many bytes of a source are searched for scans of JPEG.
const scansExamined = 64 << 20

// jpegs counts the scans of the JPEG pictures in a source: a decoder goes over
// all pixels of a picture for each, and a scan may take a few bytes.
type jpegs struct {
	pictures, scans int

	pixels ffmpeg.Work // of the current picture
	work   ffmpeg.Work // of decoding it
}

// marker counts what begins with a marker of JPEG (ITU-T T.81, B.1.1) at the
// start of b.
func (j *jpegs) marker(b []byte) {
	switch {
	case b[1] == 0xd8 && b[2] == 0xff: // start of image
		j.pictures++
		j.pixels, j.work = 0, 0
	case b[1] >= 0xc0 && b[1] <= 0xc2 && b[2] == 0 && b[4] == 8: // start of frame
		j.pixels = ffmpeg.PictureWork(int(b[7])<<8|int(b[8]), int(b[5])<<8|int(b[6]))
	case b[1] == 0xda && b[2] == 0: // start of scan, whose header is below 256 bytes
		j.scans++
		j.work += j.pixels
	}
}

// countJPEGs counts the pictures in r, of size bytes. The error matches
// [citekit.ErrTooLarge] if one of them is more work than a cut may be: programs
// decode a picture merely to say what a source is.
func countJPEGs(ctx context.Context, r io.ReaderAt, size int64) (jpegs, error) {
	const piece, head = 256 << 10, 9
	var found jpegs
	buf := make([]byte, piece)
	for at, end := int64(0), min(size, scansExamined); at < end; at += piece - head + 1 {
		n, err := ctxio.ReaderAt(ctx, r).ReadAt(buf[:min(piece, end-at)], at)
		if err != nil && err != io.EOF {
			return found, err
		}
		for b := buf[:n]; ; {
			i := bytes.IndexByte(b, 0xff)
			if i < 0 || i+head > len(b) {
				break
			}
			found.marker(b[i:])
			if found.work > cutWork {
				return found, fmt.Errorf("a JPEG picture of %d scans or more in it is too much work; convert the file first: %w", found.work/found.pixels, citekit.ErrTooLarge)
			}
			b = b[i+1:]
		}
	}
	return found, nil
}

// each returns the scans of a picture on average, rounded up.
func (j jpegs) each() int {
	n := max(j.pictures, 1)
	return max((j.scans+n-1)/n, 1)
}

// scansOf returns the number of scans of the first picture track of a medium.
func scansOf(m medium) int {
	switch m := m.(type) {
	case *foreign:
		if t := m.picture(); t != nil {
			return t.scans
		}
	case *movie:
		return m.scans
	}
	return 1
}
