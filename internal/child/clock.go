package child

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// A Yardstick tells how slow a machine is, by a run in which a program does next
// to nothing.
type Yardstick struct {
	Args  []string      // such as "-version"
	Usual time.Duration // processor time of that run on a usual machine
}

const (
	// mostSlow bounds how many times slower than usual a machine counts.
	mostSlow = 20

	// yardstickTime is the longest run of a yardstick; a machine that needs
	// longer is as slow as can be.
	yardstickTime = time.Minute
)

// slowness runs the yardstick of a program. It returns how many times more
// processor time, and how many times more time, the machine needs than a usual
// one: 1 or more.
func (p Program) slowness(ctx context.Context) (cpu, elapsed float64) {
	if p.Yardstick == nil {
		return 1, 1
	}
	start := time.Now()
	result, err := Program{Path: p.Path, Args: p.Yardstick.Args, Env: p.Env, Stdout: io.Discard, Timeout: yardstickTime}.Run(ctx)
	if err == ErrTimeout {
		return mostSlow, mostSlow
	}
	ratio := func(d time.Duration) float64 {
		return min(max(d.Seconds()/p.Yardstick.Usual.Seconds(), 1), mostSlow)
	}
	return ratio(result.CPU), ratio(time.Since(start))
}

// lookEvery is how often the processor time of a program is checked.
const lookEvery = 20 * time.Millisecond

// clocks end a program that reaches its limits of time.
type clocks struct {
	program Program
	end     func() // ends the program

	cpu, time atomic.Bool // which limit was passed
}

// watch limits a process that has started. The caller must call stop once the
// process has ended.
func (c *clocks) watch(ctx context.Context, pid int) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	if c.program.Timeout > 0 {
		watching.Go(func() { c.watchTime(ctx) })
	}
	if c.program.CPU > 0 {
		watching.Go(func() { c.watchCPU(ctx, pid) })
	}
	return func() {
		cancel()
		watching.Wait()
	}
}

func (c *clocks) watchTime(ctx context.Context) {
	start, most := time.Now(), c.program.Timeout
	timer := time.NewTimer(most)
	defer timer.Stop()
	for asked := false; ; asked = true {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if !asked {
			_, slow := c.program.slowness(ctx)
			most = times(most, slow)
		}
		if ctx.Err() != nil {
			return
		}
		left := most - time.Since(start)
		if left <= 0 {
			c.time.Store(true)
			c.end()
			return
		}
		timer.Reset(left)
	}
}

func (c *clocks) watchCPU(ctx context.Context, pid int) {
	most := c.program.CPU
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for asked := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		used, ok := cpuTime(pid)
		if !ok {
			return
		}
		if used > most && !asked {
			asked = true
			slow, _ := c.program.slowness(ctx)
			most = times(most, slow)
		}
		if used > most && ctx.Err() == nil {
			c.cpu.Store(true)
			c.end()
			return
		}
	}
}

func times(d time.Duration, by float64) time.Duration {
	const most = float64(1 << 62)
	return time.Duration(min(float64(d)*by, most))
}
