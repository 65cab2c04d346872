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

// ErrCPU reports that the programs of a job have used up its processor time. It matches
// [citekit.ErrTooLarge].
var ErrCPU = fmt.Errorf("no processor time left: %w", citekit.ErrTooLarge)

// A meter counts the processor time of all programs of a job.
type meter struct{ used atomic.Int64 }

// An allowance is a meter and the most it may reach.
type allowance struct {
	*meter
	most time.Duration
}

type allowanceKey struct{}

// Metered returns the context of a new job. The processor time of its programs is
// counted together, without a limit yet.
func Metered(ctx context.Context) context.Context {
	return context.WithValue(ctx, allowanceKey{}, allowance{new(meter), math.MaxInt64})
}

// Within returns a context in which the programs of the job may use most in total; then
// they fail with an error that matches [ErrCPU]. If ctx belongs to no job, Within
// begins one. On systems that cannot tell before a program ends, only the next program
// fails.
func Within(ctx context.Context, most time.Duration) context.Context {
	if a, ok := ctx.Value(allowanceKey{}).(allowance); ok {
		return context.WithValue(ctx, allowanceKey{}, allowance{a.meter, most})
	}
	return Within(Metered(ctx), most)
}

// Used returns the processor time used by the programs of a job.
func Used(ctx context.Context) time.Duration {
	if a, ok := ctx.Value(allowanceKey{}).(allowance); ok {
		return time.Duration(a.used.Load())
	}
	return 0
}

// A ration is the allowance of one program.
type ration struct{ allowance }

// allowed returns the allowance of a job's next program, or an error if nothing is
// left.
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

// run runs a program. It returns [ErrCPU] if the program used up the allowance.
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
