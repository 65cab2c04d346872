package server

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/server/transport"
)

// TestHangingLog has a log that hangs: callers that write more do not wait for ever,
// and the lines left out are reported once the log goes on.
func TestHangingLog(t *testing.T) {
	release, missed := make(chan struct{}), make(chan int, 1)
	told := 0
	r := newReports(func(context.Context, *Event) {
		<-release
		told++
	}, func(n int) { missed <- n })
	r.patience = time.Millisecond
	added := 0
	for range 2*mostReports + 10 {
		if r.add(t.Context(), Event{}) {
			added++
		}
	}
	over, end := context.WithCancel(t.Context())
	end()
	if n := r.settle(over); n != 2*mostReports+10 {
		t.Errorf("%d are not told while nothing is", n)
	}
	close(release)
	if n := r.settle(guard(t)); n != 0 {
		t.Errorf("%d are not told", n)
	}
	if n := <-missed; n != 2*mostReports+10-added || n == 0 || told != added {
		t.Errorf("%d were left out, %d told, %d added", n, told, added)
	}
}

func guard(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// TestHangingAudit has an audit log that hangs: those that bring more wait, and none
// is left out.
func TestHangingAudit(t *testing.T) {
	release := make(chan struct{})
	told := 0
	r := newReports(func(context.Context, *Event) {
		<-release
		told++
	}, nil)
	r.patience = 0
	const all = 3*mostReports + 10
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range all {
			if !r.add(t.Context(), Event{}) {
				t.Error("one was left out")
			}
		}
	}()
	isFull := func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.waiting) == mostReports
	}
	for ctx := guard(t); !isFull(); time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatal("so many do not come to wait")
		}
	}
	close(release)
	<-done
	if n := r.settle(guard(t)); n != 0 || told != all {
		t.Errorf("%d told, %d left", told, n)
	}
}

// A hangingHandler is a handler of a log that hangs until it is closed.
type hangingHandler chan struct{}

func (h hangingHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h hangingHandler) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h hangingHandler) WithGroup(string) slog.Handler            { return h }

func (h hangingHandler) Handle(context.Context, slog.Record) error {
	<-h
	return nil
}

// TestUnwrittenAudit ends a server whose audit log hangs: the log goes on beside it,
// and the error says how many requests are not in the audit log.
func TestUnwrittenAudit(t *testing.T) {
	audit := make(hangingHandler)
	defer close(audit)
	var out strings.Builder
	s, err := New([]Workspace{{Name: "a", Hosted: transport.Hosted{Server: mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)}}}, &Options{Logger: slog.New(slog.NewTextHandler(&out, nil)), Audit: slog.New(audit)})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*reports{s.reports, s.audits} {
		for range 3 {
			r.add(t.Context(), Event{Outcome: OutcomeOK})
		}
	}
	if n := s.reports.settle(guard(t)); n != 0 || strings.Count(out.String(), "outcome=ok") != 3 {
		t.Errorf("%d left, written %s", n, out.String())
	}
	over, end := context.WithCancel(t.Context())
	end()
	if err := s.settle(over); err == nil || !strings.Contains(err.Error(), "3 requests are missing from the audit log") {
		t.Errorf("told: %v", err)
	}
}
