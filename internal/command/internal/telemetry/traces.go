package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/citekit/citekit/server"
)

// A tracer makes spans of ended calls.
type tracer struct {
	provider *sdktrace.TracerProvider // nil if the environment turns traces off
	tracer   trace.Tracer
	parents  propagation.TraceContext
	end      func() // makes running requests fail
}

// longestAttribute is the length limit of an attribute's value, in bytes.
const longestAttribute = 512

// newTracer returns a tracer that exports as the environment sets, or nil for
// none.
func newTracer(ctx context.Context, o *Options, m *metrics) (*tracer, error) {
	wanted, err := checkEnvironment()
	if err != nil || !wanted {
		return nil, err
	}
	to, err := newDestination(o.Endpoint)
	if err != nil {
		return nil, err
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "citekit"), attribute.String("service.version", clean(o.Version))),
		resource.WithTelemetrySDK(), resource.WithFromEnv(),
	)
	if err != nil {
		return nil, fmt.Errorf("telemetry: OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	sender := newClient(to)
	exported := &exporter{
		SpanExporter: sender, logger: o.Logger,
		sent: m.spans("exported"), lost: m.spans("failed"),
	}
	t := &tracer{provider: sdktrace.NewTracerProvider(sdktrace.WithBatcher(exported), sdktrace.WithResource(about)), end: sender.end}
	t.tracer = t.provider.Tracer("github.com/citekit/citekit/internal/command/internal/telemetry", trace.WithInstrumentationVersion(clean(o.Version)))
	return t, nil
}

// trace makes the span of a call.
func (t *tracer) trace(ctx context.Context, e *server.Event) {
	if e.Traceparent != "" {
		ctx = t.parents.Extract(ctx, propagation.MapCarrier{"traceparent": e.Traceparent})
	}
	_, span := t.tracer.Start(ctx, spanName(e), trace.WithTimestamp(e.Start), trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(sampled(e)...))
	if span.IsRecording() {
		span.SetAttributes(attributes(e)...)
		if e.Outcome != server.OutcomeOK {
			span.SetStatus(codes.Error, clean(e.Outcome))
		}
	}
	span.End(trace.WithTimestamp(e.Start.Add(max(0, e.Duration))))
}

// spanName returns the method and its target.
func spanName(e *server.Event) string {
	if e.Tool != "" {
		return label(e.Method) + " " + label(e.Tool)
	}
	return label(e.Method)
}

// sampled returns the attributes on which a sampler may decide.
func sampled(e *server.Event) []attribute.KeyValue {
	return []attribute.KeyValue{attribute.String("mcp.method.name", label(e.Method))}
}

// attributes returns the attributes of a sampled call.
func attributes(e *server.Event) []attribute.KeyValue {
	all := make([]attribute.KeyValue, 0, 16)
	add := func(key, value string) {
		if value != "" {
			all = append(all, attribute.String(key, clean(value)))
		}
	}
	add("network.transport", "tcp")
	add("network.protocol.name", "http")
	if e.Tool != "" {
		add("gen_ai.operation.name", "execute_tool")
		add("gen_ai.tool.name", label(e.Tool))
	}
	add("citekit.workspace", e.Workspace)
	add("citekit.caller", e.Caller)
	add("citekit.resource", e.Resource)
	add("citekit.request_id", e.RequestID)
	add("citekit.outcome", e.Outcome)
	if e.Outcome != server.OutcomeOK {
		add("error.type", e.Outcome)
	}
	if e.Waited > 0 {
		all = append(all, attribute.Float64("citekit.waited", e.Waited.Seconds()))
	}
	return append(all, attribute.Int64("http.response.body.size", e.Bytes))
}

// clean returns text that can be exported: one value that is not UTF-8 would
// block all spans of its batch.
func clean(text string) string {
	if len(text) > longestAttribute {
		text = text[:longestAttribute]
	}
	return strings.ToValidUTF8(text, "�")
}

func (t *tracer) shutdown(ctx context.Context) error {
	defer t.end() // if ctx is done first, the library would still send the waiting spans
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("telemetry: queued spans were not exported: %w", err)
	}
	return nil
}

// An exporter counts exported spans, and keeps its failures from the error
// handler that the whole program shares.
type exporter struct {
	sdktrace.SpanExporter
	sent, lost interface{ Add(int) }
	logger     *slog.Logger
	failing    bool // needs no lock, as exports are sequential
}

// ExportSpans implements [sdktrace.SpanExporter].
func (x *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := x.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		x.sent.Add(len(spans))
	} else {
		x.lost.Add(len(spans))
	}
	switch {
	case err != nil && !x.failing && !errors.Is(err, context.Canceled):
		x.logger.LogAttrs(ctx, slog.LevelError, "traces cannot be exported; is OTEL_EXPORTER_OTLP_ENDPOINT right?", slog.String("error", clean(err.Error())))
	case err == nil && x.failing:
		x.logger.LogAttrs(ctx, slog.LevelInfo, "traces are exported again")
	}
	x.failing = err != nil
	return nil
}
