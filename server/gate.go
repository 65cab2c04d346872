package server

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/server/transport"
)

// A gate lets calls run within the limits of a server.
type gate struct{ s *Server }

// Enter implements [transport.Gate].
func (g gate) Enter(ctx context.Context, calls []*transport.Call) (end func(), err error) {
	grant, _ := ctx.Value(grantKey{}).(*access.Grant) // nil for a caller that sends only notifications
	caller := callerOf(grant)
	for _, c := range calls {
		if g.s.revoked(c.Grant) || c.Method == transport.MethodEvidence && g.s.withdrawn(c.Grant, c.Workspace) { // since a link was given
			return nil, access.ErrRefused
		}
		if g.s.probes.isGone(c.Workspace) {
			return nil, &transport.BusyError{Missing: true, RetryAfter: probeEvery, Message: "the files of the workspace cannot be read at the moment; the operator has been told"}
		}
		caller = callerOf(c.Grant)
	}
	if len(calls) == 1 && calls[0].Method == transport.MethodEvidence {
		return g.follow(ctx, caller, calls[0])
	}
	return g.s.queue.run(ctx, caller, calls)
}

// NewGate returns a gate that lets calls run within limits, for a program that serves a
// [transport.Handler] of its own. It tells nobody of calls.
func NewGate(limits Limits) transport.Gate { return queueGate{newQueue(limits)} }

// A queueGate lets calls run within the limits of a queue.
type queueGate struct{ queue *queue }

// Enter implements [transport.Gate].
func (g queueGate) Enter(ctx context.Context, calls []*transport.Call) (end func(), err error) {
	caller := ""
	for _, c := range calls {
		caller = callerOf(c.Grant)
	}
	if len(calls) == 1 && calls[0].Method == transport.MethodEvidence {
		return g.queue.fetch(ctx, caller)
	}
	return g.queue.run(ctx, caller, calls)
}

// Ended implements [transport.Gate].
func (g queueGate) Ended(_ context.Context, c *transport.Call) {
	g.queue.spend(callerOf(c.Grant), c.Bytes)
}

// follow lets a caller follow a link, until its key is revoked or gives it less.
func (g gate) follow(ctx context.Context, caller string, c *transport.Call) (end func(), err error) {
	done, err := g.s.queue.fetch(ctx, caller)
	if err != nil || c.Grant == nil {
		return done, err
	}
	over := func() bool { return g.s.revoked(c.Grant) || g.s.withdrawn(c.Grant, c.Workspace) }
	forget := g.s.active.add(over, c.Cancel)
	return func() {
		forget()
		done()
	}, nil
}

// Ended implements [transport.Gate].
func (g gate) Ended(ctx context.Context, c *transport.Call) {
	g.s.queue.spend(callerOf(c.Grant), c.Bytes)
	event := Event{
		Start: c.Start, Duration: c.Duration, Waited: c.Waited, RequestID: c.RequestID,
		Caller: callerOf(c.Grant), Workspace: c.Workspace, Method: c.Method, Tool: c.Tool, Resource: c.Resource,
		Outcome: c.Outcome, Bytes: c.Bytes, Traceparent: c.Traceparent,
	}
	if !g.s.reports.add(ctx, event) {
		g.s.observe(ctx, event)
	}
	if g.s.audits != nil {
		g.s.audits.add(ctx, event)
	}
}

func callerOf(grant *access.Grant) string {
	if grant == nil {
		return ""
	}
	return grant.ID
}

func (s *Server) observe(ctx context.Context, e Event) {
	if s.opts.Observer != nil {
		s.opts.Observer.Observe(ctx, e)
	}
}

// log writes a record of a request to the log and to the audit log.
func (s *Server) log(ctx context.Context, e *Event, more ...slog.Attr) {
	writeRequest(ctx, s.opts.Logger, e, more...)
	writeRequest(ctx, s.opts.Audit, e, more...)
}

func writeRequest(ctx context.Context, logger *slog.Logger, e *Event, more ...slog.Attr) {
	ctx = context.WithoutCancel(ctx)
	attrs := []slog.Attr{slog.String("outcome", e.Outcome), slog.String("method", e.Method)}
	for _, a := range []struct{ key, value string }{
		{"caller", e.Caller}, {"workspace", e.Workspace}, {"tool", e.Tool}, {"resource", e.Resource}, {"request_id", e.RequestID},
	} {
		if a.value != "" {
			attrs = append(attrs, slog.String(a.key, safe(a.value)))
		}
	}
	attrs = append(attrs, slog.Float64("ms", milliseconds(e.Duration)), slog.Int64("bytes", e.Bytes))
	if e.Waited >= time.Millisecond {
		attrs = append(attrs, slog.Float64("waited_ms", milliseconds(e.Waited)))
	}
	attrs = append(attrs, more...)
	logger.LogAttrs(ctx, slog.LevelInfo, "request", attrs...)
}

// milliseconds returns a duration, exact to the microsecond.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// safe returns text for a log line: short, and without invisible characters, which
// some handlers of log/slog write unescaped.
func safe(text string) string {
	const longest = 512 // bytes
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return text
	}
	return strconv.Quote(text)
}
