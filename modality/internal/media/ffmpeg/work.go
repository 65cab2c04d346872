package ffmpeg

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/child"
	"github.com/citekit/citekit/internal/localfile"
)

// Work is what a source makes programs do. It is counted, so that a source gets the
// same answer on every machine. The unit is one decoded pixel; a core decodes some 400
// million in a second.
type Work int64

const (
	// packetWork is the work of reading a packet.
	packetWork Work = 5_000

	// sampleWork is the work of decoding a sample of sound in one channel.
	sampleWork Work = 10

	// leastPicture is the work of decoding the smallest picture.
	leastPicture Work = 1 << 14
)

// PictureWork returns the work of decoding a picture of width by height pixels.
func PictureWork(width, height int) Work {
	return max(Work(width)*Work(height), leastPicture)
}

// SoundWork returns the work of decoding some seconds of a stream of sound.
func SoundWork(s Stream, seconds float64) Work {
	return Work(min(seconds*secondWork(s), math.MaxInt64/2))
}

// secondWork returns the work of decoding a second of a stream of sound.
func secondWork(s Stream) float64 {
	const least = 48_000 * 2 // resampling costs about that
	return max(float64(s.SampleRate)*float64(max(s.Channels, 1)), least) * float64(sampleWork)
}

// overName begins the names of the files that tell of sound beyond a limit.
const overName = "over"

// LimitSound returns a filter that ends output stream i of sound, decoded from s, after
// as many samples as there is work left in ctx: packets may hold more sound than their
// times say. Then the run fails with an error that matches [ErrWork].
func LimitSound(ctx context.Context, s Stream, i int) string {
	j, ok := ctx.Value(jobKey{}).(*job)
	if !ok {
		return "anull"
	}
	left := max(float64(j.most-Done(ctx)), 0)
	most := int64(min(left/secondWork(s)*float64(max(s.SampleRate, 1)), 1<<60)) + 1
	return fmt.Sprintf("asplit[sound][over];[over]atrim=start_sample=%d:end_sample=%d,ametadata=mode=add:key=over:value=1,"+
		"ametadata=mode=print:file=%s%d,anullsink;[sound]atrim=end_sample=%[1]d", most, most+1, overName, i)
}

// checkSound returns an error if sound was decoded beyond the limit of [LimitSound] in a
// run of a program in d.
func checkSound(ctx context.Context, d *localfile.Scratch) error {
	entries, err := os.ReadDir(d.Path())
	if err != nil {
		return localfile.WithoutPath(err)
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && strings.HasPrefix(entry.Name(), overName) && info.Size() > 0 {
			return tooMuchWork(ctx)
		}
	}
	return nil
}

// tooMuchWork is the error for a source that needs more work than its job may do.
func tooMuchWork(ctx context.Context) error {
	j := ctx.Value(jobKey{}).(*job)
	return fmt.Errorf("ffmpeg would have to decode more than %d million pixels, or as much sound; cut a shorter span, or convert the file first: %w", j.most/1_000_000, ErrWork)
}

// ErrWork reports a source that makes programs do more than they may for it. It matches
// [citekit.ErrTooLarge].
var ErrWork = fmt.Errorf("too much work for a source of this size: %w", citekit.ErrTooLarge)

// A job counts the work and the processor time of all programs for one task.
type job struct {
	most, done Work // done is used atomically
	safety     time.Duration
	used       atomic.Int64 // processor time
}

type jobKey struct{}

// Within returns a context in which programs may do some work in total; then they fail
// with an error that matches [ErrWork]. Safety is the processor time that they may use
// in total. It must be far more than the work takes: an error beyond it tells of the
// machine, and matches [os.ErrDeadlineExceeded]. Where a system cannot tell the
// processor time before a program ends, only the next program fails.
func Within(ctx context.Context, most Work, safety time.Duration) context.Context {
	return context.WithValue(ctx, jobKey{}, &job{most: most, safety: safety})
}

// Done returns the work that programs have done in ctx.
func Done(ctx context.Context) Work {
	if j, ok := ctx.Value(jobKey{}).(*job); ok {
		return Work(atomic.LoadInt64((*int64)(&j.done)))
	}
	return 0
}

// Spend counts work that a program has done or is about to do. The error matches
// [ErrWork].
func Spend(ctx context.Context, w Work) error {
	j, ok := ctx.Value(jobKey{}).(*job)
	if !ok {
		return nil
	}
	if done := Work(atomic.AddInt64((*int64)(&j.done), int64(w))); done > j.most || done < 0 {
		return tooMuchWork(ctx)
	}
	return nil
}

// runIn runs a program as part of the job of ctx, if there is one.
func runIn(ctx context.Context, p child.Program) (child.Result, error) {
	j, ok := ctx.Value(jobKey{}).(*job)
	if !ok {
		return p.Run(ctx)
	}
	if p.CPU = j.safety - time.Duration(j.used.Load()); p.CPU <= 0 {
		return child.Result{}, child.ErrCPU
	}
	result, err := p.Run(ctx)
	j.used.Add(int64(result.CPU))
	return result, err
}
