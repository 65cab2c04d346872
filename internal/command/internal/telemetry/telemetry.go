// Package telemetry shows an operator what a server does: metrics for Prometheus,
// and a span of each call for OpenTelemetry.
//
// A [Telemetry] is a [server.Observer]. Only this package imports the libraries
// of Prometheus and OpenTelemetry: programs that import only package mcpadapter
// or server do not link them.
//
// # Metrics
//
// [Telemetry.Handler] answers with the metrics. [Telemetry.Serve] does so on a
// separate listener, as the metrics are not for callers.
//
//	citekit_calls_total{workspace,method,tool,outcome}  ended calls
//	citekit_call_duration_seconds{method,tool}          from the request to the answer, including the wait
//	citekit_call_wait_seconds{method,tool}              wait in the queue
//	citekit_response_bytes_total{workspace}             bytes of the bodies of answers
//	citekit_calls_running{kind}                         currently running; kind is lookup or heavy
//	citekit_calls_waiting                               currently waiting
//	citekit_callers                                     callers within the last minutes
//	citekit_evidence_hits_total{workspace}              evidence that was in the cache
//	citekit_evidence_misses_total{workspace}            evidence that had to be extracted
//	citekit_evidence_full{workspace}                    1 while evidence is not stored because of a limit, else 0
//	citekit_child_processes                             currently running
//	citekit_log_write_errors_total{log}                 lost lines of logs
//	citekit_spans_total{result}                         spans that were exported, or failed to be
//	citekit_build_info{version,goversion}               always 1
//
// The metrics of the process and of Go have their usual names. Outcomes are the
// outcomes of [server.Event]. Labels are names that the operator chose or the
// protocol defines, never input from callers: other names count as "other".
//
// # Traces
//
// The span of a call has the kind server, the attributes of the OpenTelemetry
// conventions for the Model Context Protocol, and citekit.workspace,
// citekit.caller, citekit.resource, citekit.request_id, citekit.outcome and
// citekit.waited (seconds). Its parent is the span in the caller's traceparent,
// in "_meta" or in the header. Spans never contain arguments, queries or results.
// Requests without a valid token have no span.
//
// The variables of OpenTelemetry set where spans are sent and which are sampled,
// such as OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_TRACES_SAMPLER. Spans are sent
// over HTTP, in protocol buffers, in the background, so calls never wait for
// them. Up to 2,048 spans wait (OTEL_BSP_MAX_QUEUE_SIZE); further ones are
// dropped.
package telemetry

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/citekit/citekit/server"
)

// Options configures a [Telemetry]. The zero value is ready to use.
type Options struct {
	// Version is the version of the program.
	Version string

	// Workspaces are the names of the server's workspaces.
	Workspaces []string

	// Evidence returns, by the name of a workspace, how often requested evidence
	// was in the cache, and how often it was not. Neither may decrease.
	Evidence map[string]func() (hits, misses int64)

	// EvidenceFull returns, by the name of a workspace, whether evidence was lately
	// not stored because of a limit.
	EvidenceFull map[string]func() bool

	// Children, if not nil, returns how many child processes are running.
	Children func() int

	// LogErrors returns, by the name of a log, how many lines could not be
	// written.
	LogErrors map[string]func() int64

	// Numbers, if not nil, returns numbers that are counted elsewhere, each time that the
	// metrics are asked for.
	Numbers func(context.Context) []Number

	// Handlers are served by [Telemetry.Serve] besides the metrics, by their pattern as
	// that of an [http.ServeMux].
	Handlers map[string]http.Handler

	// Traces exports spans, as set by the variables of OpenTelemetry.
	Traces bool

	// Endpoint is the URL of a collector for OTLP over HTTP, without the path
	// /v1/traces, used if the variables name none; "" means
	// http://localhost:4318.
	Endpoint string

	// Logger gets a record when spans cannot be exported, and when they can
	// again; nil discards.
	Logger *slog.Logger
}

// A Telemetry counts and traces the calls of a server. Make one with [New]. It is
// safe for concurrent use.
type Telemetry struct {
	metrics *metrics
	tracer  *tracer // nil without traces
	handler http.Handler
	further map[string]http.Handler
}

var _ server.Observer = (*Telemetry)(nil)

// New returns a Telemetry, which the caller ends with [Telemetry.Shutdown]. A nil
// opts means the defaults. It fails only with Traces; the error names the
// OpenTelemetry variable with an invalid value.
func New(ctx context.Context, opts *Options) (*Telemetry, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	t := &Telemetry{metrics: newMetrics(&o), further: o.Handlers}
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

// Watch sets the source of the metrics of the current load, such as
// [server.Server.Load]; without it they are missing. A later call replaces the
// source.
func (t *Telemetry) Watch(load func() server.Load) { t.metrics.load.Store(&load) }

// Handler returns a handler that answers with the metrics, on any path. They
// contain the names of workspaces, so an embedder must restrict who may ask.
func (t *Telemetry) Handler() http.Handler { return t.handler }

// Shutdown exports the waiting spans, and ends the export. If it cannot, it
// returns the cause, such as the end of ctx. The metrics continue.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	if t.tracer == nil {
		return nil
	}
	return t.tracer.shutdown(ctx)
}
