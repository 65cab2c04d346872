package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/sniff"
)

const (
	maxMessages  = 1 << 20 // of a mailbox
	maxSeparator = 1 << 10 // bytes of a "From " line, and of the line after it
	lookAhead    = 8 << 10 // bytes of a message that are looked at, for its Content-Length
	boxBytes     = 1 << 20 // read at once
)

// A mailbox says where its messages are (RFC 4155).
type mailbox struct {
	starts []int64 // of their "From " lines
	size   int64   // of the source
}

// readMailbox finds the messages of a mailbox. It reads all of the source
// and holds a part of it in memory at a time.
func readMailbox(ctx context.Context, src io.ReaderAt, size int64) (*mailbox, error) {
	box := &mailbox{size: size}
	r := ctxio.Reader(ctx, io.NewSectionReader(src, 0, size))
	buf := make([]byte, 0, min(boxBytes, size+1))
	base, from := int64(0), 0 // the offset of buf, and in buf where to look
	f := finder{mailbox: box, src: src}
	for ended := false; !ended; {
		n, err := io.ReadFull(r, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if ended = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); err != nil && !ended {
			return nil, err
		}
		stop := len(buf) - lookAhead // what follows decides
		if ended {
			stop = len(buf)
		}
		if from, err = f.find(buf, from, stop, base); err != nil {
			return nil, err
		}
		const before = 4 // bytes that say whether the line before is empty
		drop := max(min(from, len(buf))-before, 0)
		base += int64(drop)
		from -= drop
		buf = buf[:copy(buf, buf[drop:])]
	}
	return box, ctx.Err()
}

// A finder looks for the messages of a mailbox.
type finder struct {
	*mailbox
	src io.ReaderAt
	end int64 // of the message that says how long it is
}

// find notes the messages that begin in buf between from and stop. It returns
// where to go on.
func (b *finder) find(buf []byte, from, stop int, base int64) (int, error) {
	for from < stop {
		at := from
		if from > 0 || base > 0 || !bytes.HasPrefix(buf, []byte("From ")) {
			i := bytes.Index(buf[from:], []byte("\nFrom "))
			if i < 0 || from+i >= stop {
				return stop, nil
			}
			at = from + i + 1
		}
		if base+int64(at) >= b.end && isMessage(buf, at) {
			if len(b.starts) == maxMessages {
				return 0, fmt.Errorf("more than %d messages; split the mailbox: %w", maxMessages, citekit.ErrTooLarge)
			}
			b.starts = append(b.starts, base+int64(at))
			var err error
			if b.end, err = b.measured(base+int64(at), buf[at:min(at+lookAhead, len(buf))]); err != nil {
				return 0, err
			}
		}
		from = at + 1
	}
	return from, nil
}

// measured returns where a message that begins at start, with head, ends by its
// Content-Length, which stands in its header in the variant mboxcl2, or 0. It
// counts only where a message begins there, or the mailbox ends.
func (b *finder) measured(start int64, head []byte) (int64, error) {
	length, at := int64(-1), 0
	for line := range bytes.Lines(head) {
		at += len(line)
		if isBlank(line) {
			break
		}
		if sniff.FieldName(line) == "content-length" && length < 0 {
			_, value, _ := bytes.Cut(line, []byte(":"))
			if n, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64); err == nil && n <= b.size {
				length = n
			}
		}
	}
	end := start + int64(at) + length
	if length < 0 || end > b.size {
		return 0, nil
	}
	next := make([]byte, min(int64(len("\r\nFrom ")), b.size-end))
	if _, err := b.src.ReadAt(next, end); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if text := bytes.TrimLeft(next, "\r\n"); len(text) > 0 && !bytes.HasPrefix(text, []byte("From ")) {
		return 0, nil
	}
	return end, nil
}

// isMessage reports whether the line at an offset of buf begins a message.
func isMessage(buf []byte, at int) bool {
	before := bytes.TrimSuffix(buf[:at], []byte("\n"))
	before = bytes.TrimSuffix(before, []byte("\r"))
	text := buf[at:min(at+2*maxSeparator, len(buf))]
	separator, rest, _ := bytes.Cut(text, []byte("\n"))
	next, _, _ := bytes.Cut(rest, []byte("\n"))
	blank := len(before) == 0 || before[len(before)-1] == '\n'
	return len(separator) <= maxSeparator && sniff.IsSeparator(separator, next, blank)
}

// message returns the offsets of a message, counted from 1: what follows its
// "From " line, without the empty line before the next one.
func (b *mailbox) message(src io.ReaderAt, n int) (start, end int64, err error) {
	start, end = b.starts[n-1], b.size
	if n < len(b.starts) {
		end = b.starts[n]
	}
	head := make([]byte, min(maxSeparator+1, end-start))
	if _, err := src.ReadAt(head, start); err != nil && !errors.Is(err, io.EOF) {
		return 0, 0, err
	}
	i := bytes.IndexByte(head, '\n')
	if i < 0 {
		return end, end, nil
	}
	start += int64(i) + 1
	foot := make([]byte, min(4, end-start))
	if _, err := src.ReadAt(foot, end-int64(len(foot))); err != nil && !errors.Is(err, io.EOF) {
		return 0, 0, err
	}
	last := endLength(foot)
	if rest := foot[:len(foot)-last]; last > 0 && (endLength(rest) > 0 || len(rest) == 0) {
		end -= int64(last)
	}
	return start, end, nil
}
