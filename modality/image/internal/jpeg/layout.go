package jpeg

import (
	"bytes"
	"context"
	"fmt"
	"io"
)

// A layout is what the markers after the start of the first scan show.
type layout struct {
	end      int64   // offset of the first marker that is not a restart
	marker   byte    // that marker
	restarts []int64 // offsets of the restart markers that were kept
	count    int     // of all restart markers
	ordered  bool    // restart markers count from 0 to 7 repeatedly
}

// readLayout scans the entropy-coded data from offset from. It keeps one in every keep
// restart markers.
func readLayout(ctx context.Context, r io.ReaderAt, from, size int64, keep int) (*layout, error) {
	l := &layout{ordered: true}
	buf := make([]byte, 256<<10)
	for at := from; at < size; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := r.ReadAt(buf[:min(int64(len(buf)), size-at)], at)
		if n < 2 {
			if err != nil && err != io.EOF {
				return nil, err
			}
			break
		}
		// The last byte is examined again, with its successor.
		for i := 0; i < n-1; i++ {
			k := bytes.IndexByte(buf[i:n-1], 0xff)
			if k < 0 {
				break
			}
			i += k
			switch marker := buf[i+1]; {
			case marker == 0:
				i++
			case marker == 0xff: // fill byte
			case marker >= markerRST0 && marker <= markerRST7:
				l.ordered = l.ordered && int(marker-markerRST0) == l.count%8
				if l.count++; l.count%keep == 0 {
					l.restarts = append(l.restarts, at+int64(i))
				}
				i++
			default:
				l.end, l.marker = at+int64(i), marker
				return l, nil
			}
		}
		at += int64(n - 1)
	}
	return nil, fmt.Errorf("no end of image marker: %w", ErrTruncated)
}

// Limits on the scans of a file that is decoded as a whole: each scan covers all blocks
// of its components, however short it is. Common encoders write about ten.
const (
	maxScans    = 100
	usualScans  = 20
	maxScanWork = 50_000_000 // blocks that all scans cover together
)

// scansAllowed returns how many scans an image may have.
func (h *Header) scansAllowed() int {
	blocks := h.samples() / 64
	return int(min(maxScans, max(usualScans, maxScanWork/max(1, blocks))))
}

// checkScans returns an error if the data has too many scans.
func checkScans(ctx context.Context, r io.ReaderAt, h *Header, size int64) error {
	from, maxScans := h.dataOffset, h.scansAllowed()
	buf := make([]byte, 256<<10)
	scans, after := 1, false // whether the last byte was 0xff
	for at := from; at < size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.ReadAt(buf[:min(int64(len(buf)), size-at)], at)
		if n == 0 {
			if err == io.EOF {
				return nil
			}
			return err
		}
		at += int64(n)
		part := buf[:n]
		if after && part[0] == markerSOS {
			scans++
		}
		after = part[n-1] == 0xff
		if scans += bytes.Count(part, []byte{0xff, markerSOS}); scans > maxScans {
			return fmt.Errorf("more than %d scans of %dx%d pixels: %w", maxScans, h.Width, h.Height, ErrUnsupported)
		}
	}
	return nil
}
