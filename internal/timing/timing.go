// Package timing tells what the time of a call was spent on: whoever answers
// the call puts a [Recorder] into its context, and what does the work calls
// [Start]. Without a Recorder that costs a look into the context.
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
	Extract              // reading what is inside sources
	Encode               // writing the answer
	phases
)

// A Recorder adds up the time of the phases of a call. The zero value is ready
// to use. It is safe for concurrent use: work that is done side by side counts
// as if it were done in turn, so that the phases may have more time together
// than the call.
type Recorder struct {
	spent [phases]atomic.Int64 // nanoseconds
	fresh atomic.Bool
}

type recorderKey struct{}

// With returns a context of calls that r records.
func With(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, r)
}

// Start begins a phase, which the function it returns ends. Extract is also
// [Fresh].
func Start(ctx context.Context, p Phase) (end func()) {
	r, ok := ctx.Value(recorderKey{}).(*Recorder)
	if !ok {
		return nothing
	}
	if p == Extract {
		r.fresh.Store(true)
	}
	start := time.Now()
	return func() { r.spent[p].Add(int64(time.Since(start))) }
}

func nothing() {}

// Fresh notes that something was made for the call that is kept for the next
// one, such as a parsed map.
func Fresh(ctx context.Context) {
	if r, ok := ctx.Value(recorderKey{}).(*Recorder); ok {
		r.fresh.Store(true)
	}
}

// Spent returns the time of a phase.
func (r *Recorder) Spent(p Phase) time.Duration { return time.Duration(r.spent[p].Load()) }

// Cached reports whether all that the call needed was there before it.
func (r *Recorder) Cached() bool { return !r.fresh.Load() }
