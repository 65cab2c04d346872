package server

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/citekit/citekit/internal/message"
)

// reports writes the reports of ended requests, one after the other. It runs beside
// the requests, so a report does not delay an answer. It needs one goroutine, and
// only while there are reports to write.
type reports struct {
	tell   func(ctx context.Context, e *Event)
	missed func(n int) // nil if no report may be left out

	mu      sync.Mutex
	changed *sync.Cond // signals that there is room, or that nothing is left
	waiting []report
	telling bool
	since   time.Time // when the report being written was begun
	left    int       // reports that wait, also for room, or are being written
	lost    int       // reports that were left out

	patience time.Duration
}

type report struct {
	ctx   context.Context
	event Event
}

const (
	// mostReports is how many reports may wait before callers of add wait too.
	mostReports = 1024

	// reportTime is how long one report may take, such as on a disk that hangs,
	// before others are left out where that is allowed.
	reportTime = time.Second
)

// newReports returns reports that call missed with the number of those left out.
// If missed is nil, none is left out: add waits until there is room.
func newReports(tell func(context.Context, *Event), missed func(n int)) *reports {
	r := &reports{tell: tell, missed: missed, patience: reportTime}
	r.changed = sync.NewCond(&r.mu)
	return r
}

// add queues the report of an event. It returns false if there is no room because
// no reports can be written at the moment.
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

// run writes reports until nothing is left.
func (r *reports) run() {
	var told []report
	for {
		r.mu.Lock()
		clear(told)
		told, r.waiting = r.waiting, told[:0]
		lost := r.lost
		r.since = time.Now()
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
		if lost > 0 { // after the reports that had room
			r.missed(lost)
			r.mu.Lock()
			r.lost -= lost
			r.mu.Unlock()
		}
	}
}

// next notes that one more report is written.
func (r *reports) next() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since = time.Now()
	r.left--
}

// settle waits until all reports are written, or until ctx is done. It returns how
// many are not written.
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

// settle waits until all ended requests are in the logs, or until ctx is done. The
// error says how many requests are missing.
func (s *Server) settle(ctx context.Context) error {
	for _, log := range []struct {
		name    string
		reports *reports
	}{{"log", s.reports}, {"audit log", s.audits}} {
		if log.reports == nil {
			continue
		}
		if n := log.reports.settle(ctx); n > 0 {
			verb := "are"
			if n == 1 {
				verb = "is"
			}
			return fmt.Errorf("server: %s %s missing from the %s, which could not be written in time", message.Count(n, "request"), verb, log.name)
		}
	}
	return nil
}

// report writes a request to the log and passes it to the observer.
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

// missed logs how many requests are not in the log.
func (s *Server) missed(n int) {
	ctx := context.Background()
	defer s.survive(ctx)
	s.opts.Logger.LogAttrs(ctx, slog.LevelError, "requests are missing from the log, which could not be written in time", slog.Int("requests", n))
}

// survive recovers from a panic of an observer or a log. It is deferred.
func (s *Server) survive(ctx context.Context) {
	if p := recover(); p != nil {
		defer func() { _ = recover() }() // the log itself may panic
		s.opts.Logger.LogAttrs(ctx, slog.LevelError, "the observer or a log of requests panicked", slog.String("panic", safe(fmt.Sprint(p))))
	}
}
