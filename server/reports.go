package server

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// reports tell of requests that have ended, one after the other, beside them: what is
// told of a call does not keep back its answer. They hold few goroutines: one while
// there is something to tell.
type reports struct {
	tell   func(ctx context.Context, e *Event)
	missed func(n int)

	mu      sync.Mutex
	changed *sync.Cond // there is room, or nothing is left
	waiting []report
	telling bool
	since   time.Time // when the one was begun that is told
	lost    int       // that were left out

	patience time.Duration
}

type report struct {
	ctx   context.Context
	event Event
}

const (
	// mostReports is how many wait until those that bring more wait too.
	mostReports = 1024

	// reportTime is how long it may take to tell of one, as where a disk hangs,
	// until others are left out rather than waited with.
	reportTime = time.Second
)

// newReports returns reports, of which missed is told how many were left out.
func newReports(tell func(context.Context, *Event), missed func(n int)) *reports {
	r := &reports{tell: tell, missed: missed, patience: reportTime}
	r.changed = sync.NewCond(&r.mu)
	return r
}

// add has an event told of. It reports false if there is no room, as nothing can be
// told at the moment.
func (r *reports) add(ctx context.Context, e Event) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.waiting) >= mostReports {
		left := r.patience - time.Since(r.since)
		if left <= 0 {
			r.lost++
			return false
		}
		wake := time.AfterFunc(left, r.changed.Broadcast)
		r.changed.Wait()
		wake.Stop()
	}
	r.waiting = append(r.waiting, report{context.WithoutCancel(ctx), e})
	if !r.telling {
		r.telling, r.since = true, time.Now()
		go r.run()
	}
	return true
}

// run tells until nothing is left.
func (r *reports) run() {
	var told []report
	for {
		r.mu.Lock()
		clear(told)
		told, r.waiting = r.waiting, told[:0]
		lost := r.lost
		r.lost = 0
		r.telling = len(told) > 0
		r.changed.Broadcast()
		r.mu.Unlock()
		if lost > 0 {
			r.missed(lost)
		}
		if len(told) == 0 {
			return
		}
		for i := range told {
			r.begin()
			r.tell(told[i].ctx, &told[i].event)
		}
	}
}

func (r *reports) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since = time.Now()
}

// settle returns once all is told, or with ctx.
func (r *reports) settle(ctx context.Context) {
	defer context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.changed.Broadcast()
	})()
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.telling && ctx.Err() == nil {
		r.changed.Wait()
	}
}

// report writes a request to the logs, and tells the observer, whose panic ends
// nothing.
func (s *Server) report(ctx context.Context, e *Event) {
	defer func() {
		if p := recover(); p != nil {
			s.opts.Logger.LogAttrs(ctx, slog.LevelError, "what observes requests, or logs them, panicked", slog.String("panic", safe(fmt.Sprint(p))))
		}
	}()
	s.log(ctx, e)
	s.observe(ctx, *e)
}

// missed tells of requests that are not in the logs.
func (s *Server) missed(n int) {
	s.opts.Logger.LogAttrs(context.Background(), slog.LevelError, "requests are not in the logs, which could not be written in time", slog.Int("requests", n))
}
