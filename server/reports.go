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
	missed func(n int) // nil if none may be left out

	mu      sync.Mutex
	changed *sync.Cond // there is room, or nothing is left
	waiting []report
	telling bool
	since   time.Time // when the one was begun that is told
	left    int       // that wait, for room too, or are being told
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
	// until others are left out where they may be.
	reportTime = time.Second
)

// newReports returns reports, of which missed is told how many were left out. If
// missed is nil none is: whoever brings one waits until there is room.
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
	r.left++
	for len(r.waiting) >= mostReports {
		if r.missed == nil {
			r.changed.Wait()
			continue
		}
		left := r.patience - time.Since(r.since)
		if left <= 0 {
			r.left, r.lost = r.left-1, r.lost+1
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
		r.lost, r.since = 0, time.Now()
		r.telling = len(told) > 0 || lost > 0
		r.changed.Broadcast()
		r.mu.Unlock()
		if len(told) == 0 && lost == 0 {
			return
		}
		for i := range told {
			r.tell(told[i].ctx, &told[i].event)
			r.next()
		}
		if lost > 0 { // after those that had room
			r.missed(lost)
		}
	}
}

// next notes that one more is told.
func (r *reports) next() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since = time.Now()
	r.left--
}

// settle returns once all is told, or with ctx. It returns how many are not.
func (r *reports) settle(ctx context.Context) int {
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
	return r.left + r.lost
}

// settle waits until what has ended is in the logs, or for ctx. The error says how
// many requests are in none.
func (s *Server) settle(ctx context.Context) error {
	for _, log := range []struct {
		name    string
		reports *reports
	}{{"log", s.reports}, {"audit log", s.audits}} {
		if log.reports == nil {
			continue
		}
		if n := log.reports.settle(ctx); n > 0 {
			return fmt.Errorf("server: %d requests are not in the %s, which could not be written in time", n, log.name)
		}
	}
	return nil
}

// report writes a request to the log, and tells the observer.
func (s *Server) report(ctx context.Context, e *Event) {
	defer s.survive(ctx)
	writeRequest(ctx, s.opts.Logger, e)
	s.observe(ctx, *e)
}

// audit writes a request to the audit log.
func (s *Server) audit(ctx context.Context, e *Event) {
	defer s.survive(ctx)
	writeRequest(ctx, s.opts.Audit, e)
}

// missed tells of requests that are not in the log.
func (s *Server) missed(n int) {
	ctx := context.Background()
	defer s.survive(ctx)
	s.opts.Logger.LogAttrs(ctx, slog.LevelError, "requests are not in the log, which could not be written in time", slog.Int("requests", n))
}

// survive keeps a panic of what observes or logs requests from ending anything. It is
// deferred.
func (s *Server) survive(ctx context.Context) {
	if p := recover(); p != nil {
		defer func() { _ = recover() }() // the log may be what panics
		s.opts.Logger.LogAttrs(ctx, slog.LevelError, "what observes requests, or logs them, panicked", slog.String("panic", safe(fmt.Sprint(p))))
	}
}
