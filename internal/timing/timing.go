// Package timing measures how the time of a call is spent. The server of the
// call puts a [Recorder] into its context, and the code that does the work
// calls [Start]. Without a Recorder, that costs one lookup in the context.
package timing

import (
	"context"
	"sync/atomic"
	"time"
)

// A Phase is a kind of work.
type Phase int

// The phases.
const (
	Lookup  Phase = iota // finding and parsing maps, searching
	Hash                 // hashing sources
	Extract              // reading the content of sources
	Encode               // writing the answer
	phases
)

// A Recorder adds up the time of the phases of a call. The zero value is ready
// to use. It is safe for concurrent use: the times of concurrent work are
// added, so that the sum of the phases may be more than the time of the call.
type Recorder struct {
	spent [phases]atomic.Int64 // nanoseconds
	fresh atomic.Bool
}

type recorderKey struct{}

// With returns a context whose calls are recorded in r.
func With(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, r)
}

// Start begins a phase. The returned function ends it.
func Start(ctx context.Context, p Phase) (end func()) {
	r, ok := ctx.Value(recorderKey{}).(*Recorder)
	if !ok {
		return nothing
	}
	start := time.Now()
	return func() { r.spent[p].Add(int64(time.Since(start))) }
}

func nothing() {}

// Without returns a context of a part of a call that is not recorded: it only
// looks at what the call needs.
func Without(ctx context.Context) context.Context {
	return context.WithValue(ctx, recorderKey{}, nil)
}

// Fresh records that the call had to make something that it needed, such as a
// parsed map or a text.
func Fresh(ctx context.Context) {
	if r, ok := ctx.Value(recorderKey{}).(*Recorder); ok {
		r.fresh.Store(true)
	}
}

// Spent returns the time of a phase.
func (r *Recorder) Spent(p Phase) time.Duration { return time.Duration(r.spent[p].Load()) }

// Cached reports whether everything that the call needed existed before it.
func (r *Recorder) Cached() bool { return !r.fresh.Load() }
