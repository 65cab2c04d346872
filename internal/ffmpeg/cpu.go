package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/child"
)

// ErrCPU reports that the programs that were run for one job have used the
// processor time that it may. It matches [citekit.ErrTooLarge].
var ErrCPU = fmt.Errorf("no processor time left: %w", citekit.ErrTooLarge)

// A meter counts the processor time of all programs that one job runs.
type meter struct{ used atomic.Int64 }

// An allowance is how much of a meter may be used.
type allowance struct {
	*meter
	most time.Duration
}

type allowanceKey struct{}

// Metered returns a context of a new job, whose programs are counted together
// and not limited yet.
func Metered(ctx context.Context) context.Context {
	return context.WithValue(ctx, allowanceKey{}, allowance{new(meter), math.MaxInt64})
}

// Within returns a context in which programs run until those of the job have
// used most, and then fail with an error that matches [ErrCPU]. A context that
// belongs to no job begins one. Where the system cannot tell before a program
// has ended, only the next one fails.
func Within(ctx context.Context, most time.Duration) context.Context {
	if a, ok := ctx.Value(allowanceKey{}).(allowance); ok {
		return context.WithValue(ctx, allowanceKey{}, allowance{a.meter, most})
	}
	return Within(Metered(ctx), most)
}

// Used returns the processor time that the programs of a job have used.
func Used(ctx context.Context) time.Duration {
	if a, ok := ctx.Value(allowanceKey{}).(allowance); ok {
		return time.Duration(a.used.Load())
	}
	return 0
}

// A ration is what one program may use.
type ration struct{ allowance }

// allowed returns what the next program of a job may use, or an error if that is
// nothing.
func allowed(ctx context.Context) (*ration, error) {
	a, ok := ctx.Value(allowanceKey{}).(allowance)
	if !ok {
		a = allowance{new(meter), math.MaxInt64}
	}
	r := &ration{a}
	if r.left() <= 0 {
		return nil, r.error()
	}
	return r, nil
}

func (r *ration) left() time.Duration { return r.most - time.Duration(r.used.Load()) }

// run runs a program, and returns [ErrCPU] if it used what was left.
func (r *ration) run(ctx context.Context, p child.Program) (child.Result, error) {
	p.CPU = r.left()
	result, err := p.Run(ctx)
	r.used.Add(int64(result.CPU))
	if errors.Is(err, child.ErrCPU) {
		err = r.error()
	}
	return result, err
}

func (r *ration) error() error {
	return fmt.Errorf("ffmpeg needs more than the %.1f s of processor time that a source of this size may take: %w", r.most.Seconds(), ErrCPU)
}
