// How the time of a call is spent: the server of the call puts a [Recorder] into its
// context, and the code that does the work calls [Time]. Without a Recorder, that costs
// one lookup in the context.

package ctxio

import (
	"context"
	"sync/atomic"
	"time"
)

// A Phase is a kind of work.
type Phase int

// The phases.
const (
	PhaseLookup  Phase = iota // finding and parsing maps
	PhaseHash                 // hashing sources
	PhaseExtract              // reading the content of sources
	PhaseEncode               // writing the answer
	PhaseSearch               // searching, with what that looks up and reads
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

// WithRecorder returns a context whose calls are recorded in r.
func WithRecorder(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, r)
}

// RecorderOf returns the recorder of a context, or nil.
func RecorderOf(ctx context.Context) *Recorder {
	r, _ := ctx.Value(recorderKey{}).(*Recorder)
	return r
}

// Time begins a phase. The returned function ends it.
func Time(ctx context.Context, p Phase) (end func()) {
	r, ok := ctx.Value(recorderKey{}).(*Recorder)
	if !ok {
		return nothing
	}
	start := time.Now()
	return func() { r.spent[p].Add(int64(time.Since(start))) }
}

func nothing() {}

// Untimed returns a context of a part of a call that is not recorded: it only
// looks at what the call needs.
func Untimed(ctx context.Context) context.Context {
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

// Latency returns how a call spent its time in all and by stage, in milliseconds.
func (r *Recorder) Latency(total time.Duration) map[string]float64 {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return map[string]float64{
		"total": ms(total), "lookup": ms(r.Spent(PhaseLookup)), "search": ms(r.Spent(PhaseSearch)),
		"hash": ms(r.Spent(PhaseHash)), "extract": ms(r.Spent(PhaseExtract)),
	}
}
