package image

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"
	"runtime"
	"sync"

	"github.com/citekit/citekit"
)

// decodeMemory is the default for DecodeBytes of a [Resolver]. Kept images are
// dropped when jobs need the memory, so that a process stays under 512 MiB.
const decodeMemory = 384 << 20

// maxWork is the maximum number of bytes that one job may decode, whether it
// keeps them or not: about a few seconds of processor time.
const maxWork = 3 << 29

// rowWork is the cost of a row in addition to its bytes, in decoded bytes.
const rowWork = 16

// A reservation is a share of the memory of a [Resolver]. A job makes one
// before it begins, for all that it will hold, and never a second one: jobs
// that held a share and waited for more would wait for each other.
type reservation struct {
	r *Resolver

	mu sync.Mutex
	n  int64
}

// reserve waits until n bytes may be held. The first to wait is served first.
func (r *Resolver) reserve(ctx context.Context, n int64) (*reservation, error) {
	if n > r.budget {
		return nil, fmt.Errorf("it takes %d MiB of memory, and at most %d MiB may be used: %w", n>>20, r.budget>>20, citekit.ErrTooLarge)
	}
	if err := r.memory.Acquire(ctx, n); err != nil {
		return nil, err
	}
	if r.held.Add(n) > r.budget-r.pixels.MaxCost {
		r.pixels.Clear()
	}
	return &reservation{r: r, n: n}, nil
}

// roomToKeep reports whether decoded pixels may be kept when their job ends.
func (r *Resolver) roomToKeep() bool { return r.held.Load() <= r.budget-r.pixels.MaxCost }

// encoded reserves memory, in bytes, for the job of encoding a region in format f, and
// does it. The memory is given back if that fails.
func (r *Resolver) encoded(ctx context.Context, memory int64, region image.Rectangle, f *format, encode func() (*output, error)) (*crop, error) {
	held, err := r.reserve(ctx, memory)
	if err != nil {
		return nil, regionError(region, err)
	}
	out, err := encode()
	if err != nil {
		held.release()
		return nil, err
	}
	return &crop{out: out, format: f, held: held}, nil
}

// shrink gives back all but n bytes.
func (v *reservation) shrink(n int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	free := v.n - n
	if free <= 0 {
		return
	}
	v.n = n
	if free > decodeMemory/4 {
		runtime.GC() // otherwise the memory of the next large image would add to this one
	}
	v.r.held.Add(-free)
	v.r.memory.Release(free)
}

// release gives back everything. Further calls do nothing.
func (v *reservation) release() { v.shrink(0) }

// pieceSize is the size of the buffers of an output.
const pieceSize = 256 << 10

// An output holds an encoded image in pieces, which are not copied when it
// grows.
type output struct {
	parts [][]byte
	size  int64
}

// Write implements [io.Writer]; it does not fail.
func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		last := len(o.parts) - 1
		if last < 0 || len(o.parts[last]) == cap(o.parts[last]) {
			o.parts = append(o.parts, make([]byte, 0, min(pieceSize, max(4<<10, o.size))))
			continue
		}
		fits := min(len(p), cap(o.parts[last])-len(o.parts[last]))
		o.parts[last] = append(o.parts[last], p[:fits]...)
		p = p[fits:]
	}
	o.size += int64(n)
	return n, nil
}

// outputOf returns an output that holds the parts without copying them.
func outputOf(parts ...[]byte) *output {
	o := &output{parts: parts}
	for _, part := range parts {
		o.size += int64(len(part))
	}
	return o
}

// body returns the bytes written to o. Closing it releases the memory.
func (o *output) body(held *reservation) io.ReadCloser {
	readers := make([]io.Reader, len(o.parts))
	for i, part := range o.parts {
		readers[i] = bytes.NewReader(part)
	}
	held.shrink(o.size)
	return &body{Reader: io.MultiReader(readers...), held: held}
}

type body struct {
	io.Reader
	held *reservation
}

// Close implements [io.Closer].
func (b *body) Close() error {
	b.Reader = bytes.NewReader(nil)
	b.held.release()
	return nil
}
