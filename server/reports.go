package server

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
)

// reports tell of requests that have ended, one after the other, beside them: what is
// told of a call does not keep back its answer. They hold few goroutines: one while
// there is something to tell.
type reports struct {
	tell func(ctx context.Context, e *Event)

	mu      sync.Mutex
	changed *sync.Cond // there is room, or nothing is left
	waiting []report
	telling bool
}

type report struct {
	ctx   context.Context
	event Event
}

// mostReports is how many wait until those that bring more wait too: none is left out.
const mostReports = 1024

func newReports(tell func(context.Context, *Event)) *reports {
	r := &reports{tell: tell}
	r.changed = sync.NewCond(&r.mu)
	return r
}

// add has an event told of.
func (r *reports) add(ctx context.Context, e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.waiting) >= mostReports {
		r.changed.Wait()
	}
	r.waiting = append(r.waiting, report{context.WithoutCancel(ctx), e})
	if !r.telling {
		r.telling = true
		go r.run()
	}
}

// run tells until nothing is left.
func (r *reports) run() {
	var told []report
	for {
		r.mu.Lock()
		clear(told)
		told, r.waiting = r.waiting, told[:0]
		r.telling = len(told) > 0
		r.changed.Broadcast()
		r.mu.Unlock()
		if len(told) == 0 {
			return
		}
		for i := range told {
			r.tell(told[i].ctx, &told[i].event)
		}
	}
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
