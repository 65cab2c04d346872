package media

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
)

const (
	// mostThin is how many ADTS frames a source may have if they average less
	// than leastFrame bytes, including headers of 7. Silence takes 11 or more.
	mostThin   = 1 << 16
	leastFrame = 10
)

// checkADTS walks the ADTS frames from an offset up to the first gap. It
// refuses a source with too many frames for its bytes.
func checkADTS(ctx context.Context, src *citekit.Source, from int64) error {
	r := bufio.NewReaderSize(ctxio.Reader(ctx, io.NewSectionReader(src, from, src.Size()-from)), 256<<10)
	frames, size := 0, 0
	for {
		head, err := r.Peek(7)
		if err != nil || head[0] != 0xff || head[1]&0xf6 != 0xf0 {
			break
		}
		length := int(head[3]&3)<<11 | int(head[4])<<3 | int(head[5])>>5
		if length < 7 {
			break
		}
		n, err := r.Discard(length)
		frames, size = frames+1, size+n
		if err != nil {
			break
		}
	}
	if frames > mostThin && size < frames*leastFrame {
		return fmt.Errorf("%d frames of AAC in %d bytes; at least %d bytes each are needed: %w", frames, size, leastFrame, citekit.ErrTooLarge)
	}
	return ctx.Err()
}
