// Package telemetry shows an operator what a server does: numbers for Prometheus,
// and a span for each call for OpenTelemetry.
//
// A [Telemetry] is an [server.Observer]. It is all there is of the libraries of
// both in this module: programs that import package mcpadapter or server alone
// link neither.
//
// # Metrics
//
// [Telemetry.Handler] answers with the metrics; [Telemetry.Serve] does so on a
// listener of its own, as they are not for callers.
//
//	citekit_calls_total{workspace,method,tool,outcome}  calls that ended
//	citekit_call_duration_seconds{method,tool}          from the request to the answer, waiting included
//	citekit_call_wait_seconds{method,tool}              of that, in the queue
//	citekit_response_bytes_total{workspace}             of the bodies of answers
//	citekit_calls_running{kind}                         at the moment; kind is lookup or heavy
//	citekit_calls_waiting                               at the moment
//	citekit_callers                                     that called within minutes
//	citekit_evidence_hits_total{workspace}              evidence that was there
//	citekit_evidence_misses_total{workspace}            evidence that had to be extracted
//	citekit_child_processes                             that run at the moment
//	citekit_log_write_errors_total{log}                 lines of logs that were lost
//	citekit_spans_total{result}                         spans that were exported, or failed to be
//	citekit_build_info{version,goversion}               always 1
//
// Those of the process and of Go have the names that they have everywhere. Outcomes
// are those of [server.Event]. A metric has labels for names that the operator chose
// or the protocol has, and never for what callers send: other names count as "other".
//
// # Traces
//
// The span of a call is of the kind server, with the attributes of the OpenTelemetry
// conventions for the Model Context Protocol, and citekit.workspace, citekit.caller,
// citekit.resource, citekit.request_id, citekit.outcome and citekit.waited (seconds).
// Its parent is the one that the caller named by traceparent, in "_meta" or by the
// header. It never has arguments, queries or results. Requests without a valid token
// have no span.
//
// The variables of OpenTelemetry say where spans go and which are taken, such as
// OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_TRACES_SAMPLER. They go by HTTP, in protocol
// buffers, in the background: a call never waits for that. Up to 2,048 wait
// (OTEL_BSP_MAX_QUEUE_SIZE); those that come beyond are dropped.
package telemetry

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/citekit/citekit/server"
)

// Options configures a [Telemetry]. The zero value is ready to use.
type Options struct {
	// Version is that of the program.
	Version string

	// Workspaces are the names of those that the server has.
	Workspaces []string

	// Evidence tells, by the name of a workspace, how often evidence was asked
	// for and was there, and how often it was not; both only grow.
	Evidence map[string]func() (hits, misses int64)

	// Children, if it is not nil, tells how many child processes run.
	Children func() int

	// LogErrors tells, by the name of a log, how many lines could not be
	// written.
	LogErrors map[string]func() int64

	// Traces exports spans, as the variables of OpenTelemetry say.
	Traces bool

	// Endpoint is the URL of a collector that takes OTLP over HTTP, without the
	// path /v1/traces, where those variables name none; "" means
	// http://localhost:4318.
	Endpoint string

	// Logger hears when spans cannot be exported, and when they can again; nil
	// discards.
	Logger *slog.Logger
}

// A Telemetry counts and traces the calls of a server. Make one with [New]. It is
// safe for concurrent use.
type Telemetry struct {
	metrics *metrics
	tracer  *tracer // nil without traces
	handler http.Handler
}

var _ server.Observer = (*Telemetry)(nil)

// New returns a Telemetry, which the caller ends with [Telemetry.Shutdown]. A nil
// opts means the defaults. There is an error only with Traces, and it says which
// variable of OpenTelemetry has a value that does not serve.
func New(ctx context.Context, opts *Options) (*Telemetry, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	t := &Telemetry{metrics: newMetrics(&o)}
	t.handler = t.metrics.handler()
	if o.Traces {
		var err error
		if t.tracer, err = newTracer(ctx, &o, t.metrics); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Observe implements [server.Observer].
func (t *Telemetry) Observe(ctx context.Context, e server.Event) {
	t.metrics.count(&e)
	if t.tracer != nil && e.Outcome != server.OutcomeUnauthenticated {
		t.tracer.trace(ctx, &e)
	}
}

// Watch has the metrics tell what a server does at the moment, such as by
// [server.Server.Load]; without it they do not. Of several the last one counts.
func (t *Telemetry) Watch(load func() server.Load) { t.metrics.load.Store(&load) }

// Handler returns a handler that answers with the metrics, on any path. They have
// the names of workspaces: an embedder sees to who may ask.
func (t *Telemetry) Handler() http.Handler { return t.handler }

// Shutdown exports the spans that wait, and ends the export. It returns what kept
// it from that, such as the end of ctx. The metrics go on.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	if t.tracer == nil {
		return nil
	}
	return t.tracer.shutdown(ctx)
}
