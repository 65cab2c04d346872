package workspace

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"sync"

	"github.com/citekit/citekit"
)

const copyBuffer = 256 << 10

var copyBuffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, copyBuffer) }}

// copyEvidence writes body to f in one pass and returns its SHA-256 and size.
// The size must equal want and be at most limit; a negative want or limit is
// ignored.
func copyEvidence(ctx context.Context, f io.Writer, want, limit int64, body io.Reader) (sum string, size int64, err error) {
	if want >= 0 && limit >= 0 && want > limit {
		return "", 0, notStored{fmt.Errorf("%d bytes; the evidence directory may hold %d: %w", want, limit, citekit.ErrTooLarge)}
	}
	w := &evidenceWriter{ctx: ctx, file: f, sum: sha256.New(), limit: limit, want: want}
	buffer := copyBuffers.Get().(*bufio.Writer)
	buffer.Reset(w)
	defer func() {
		buffer.Reset(nil)
		copyBuffers.Put(buffer)
	}()
	if to, ok := body.(io.WriterTo); ok {
		_, err = to.WriteTo(buffer)
	} else {
		_, err = buffer.ReadFrom(body)
	}
	if err == nil {
		err = buffer.Flush()
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return "", 0, err
	}
	if want >= 0 && w.size != want {
		return "", 0, fmt.Errorf("%d bytes came of %d", w.size, want)
	}
	return hex.EncodeToString(w.sum.Sum(nil)), w.size, nil
}

// An evidenceWriter writes to a file up to its limits, and hashes what it
// writes.
type evidenceWriter struct {
	ctx         context.Context
	file        io.Writer
	sum         hash.Hash
	size        int64
	limit, want int64 // negative means unlimited
}

func (w *evidenceWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	size := w.size + int64(len(p))
	if w.want >= 0 && size > w.want {
		return 0, fmt.Errorf("more than the %d bytes announced", w.want)
	}
	if w.limit >= 0 && size > w.limit {
		return 0, notStored{fmt.Errorf("more than the %d bytes the evidence directory may hold: %w", w.limit, citekit.ErrTooLarge)}
	}
	n, err := w.file.Write(p)
	w.sum.Write(p[:n])
	w.size += int64(n)
	return n, storageFault(evidenceUnwritable, err)
}
