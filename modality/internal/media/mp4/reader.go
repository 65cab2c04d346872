package mp4

import (
	"fmt"
	"io"
)

// windowSize is how much of the source a reader reads at once.
const windowSize = 256 << 10

// NewReader returns a reader of the clip's file. It reads from r, which must be
// the source that the movie was opened from, on demand, and buffers at most one
// window of it. If the source has become shorter, the reader fails with
// [ErrDamaged].
func (c *Clip) NewReader(r io.ReaderAt) io.Reader {
	end := int64(0)
	for _, s := range c.spans {
		end = max(end, s.off+s.len)
	}
	return &reader{source: r, header: c.header, spans: c.spans, end: end}
}

// reader reads a header and then spans of a source.
type reader struct {
	source io.ReaderAt
	header []byte // unread rest
	spans  []span // unread rest; done bytes of the first are read
	done   int64
	window []byte // bytes of the source
	at     int64  // offset of the window
	end    int64  // of all spans
}

// Read implements [io.Reader].
func (r *reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(r.header) > 0 {
		n := copy(p, r.header)
		r.header = r.header[n:]
		return n, nil
	}
	if len(r.spans) == 0 {
		return 0, io.EOF
	}
	s := r.spans[0]
	off, left := s.off+r.done, s.len-r.done
	n, err := r.copyFrom(p[:min(int64(len(p)), left)], off)
	r.done += int64(n)
	if r.done == s.len {
		r.spans, r.done = r.spans[1:], 0
	}
	return n, err
}

// WriteTo implements [io.WriterTo] with large writes.
func (r *reader) WriteTo(w io.Writer) (total int64, err error) {
	buf := make([]byte, windowSize)
	for {
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			k, err := w.Write(buf[:n])
			total += int64(k)
			if err != nil {
				return total, err
			}
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF && len(r.spans) == 0 {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

// copyFrom fills part of p from an offset of the source: directly if p is
// large, else through the window. Without the window, neighbouring spans of
// several tracks would take one system call each.
func (r *reader) copyFrom(p []byte, off int64) (int, error) {
	if len(p) >= windowSize {
		return r.readAt(p, off)
	}
	if off < r.at || off >= r.at+int64(len(r.window)) {
		if r.window == nil {
			r.window = make([]byte, windowSize)
		}
		r.window, r.at = r.window[:min(windowSize, r.end-off)], off
		n, err := r.readAt(r.window, off)
		r.window = r.window[:n]
		if n == 0 {
			return 0, err
		}
	}
	return copy(p, r.window[off-r.at:]), nil
}

// readAt reads up to len(p) bytes and at least one.
func (r *reader) readAt(p []byte, off int64) (int, error) {
	n, err := r.source.ReadAt(p, off)
	if n > 0 {
		return n, nil
	}
	if err == nil || err == io.EOF {
		err = fmt.Errorf("%w: the file ends before byte %d: %w", ErrDamaged, off, io.ErrUnexpectedEOF)
	}
	return 0, err
}
