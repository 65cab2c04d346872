package telemetry_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/citekit/citekit/internal/command/internal/telemetry"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/server"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID  = "00f067aa0ba902b7"
)

// A sink is a collector of OpenTelemetry.
type sink struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*tracepb.Span
	about map[string]string
	path  string
	raw   bytes.Buffer
	fail  bool
	busy  int // answers that there is no room for now
	sent  http.Header
}

func newSink(t *testing.T) *sink {
	s := &sink{}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", s.URL)
	return s
}

// ServeHTTP implements [http.Handler].
func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy > 0 {
		s.busy--
		w.Header().Set("Retry-After", "1")
		http.Error(w, "later", http.StatusServiceUnavailable)
		return
	}
	if s.fail {
		http.Error(w, "no room", http.StatusBadRequest)
		return
	}
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		body, _ = gzip.NewReader(r.Body)
	}
	data, err := io.ReadAll(body)
	var request collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(data, &request)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.sent = r.Header
	s.raw.Write(data)
	s.path = r.URL.Path
	for _, resource := range request.ResourceSpans {
		s.about = valuesOf(resource.Resource.Attributes)
		for _, scope := range resource.ScopeSpans {
			s.spans = append(s.spans, scope.Spans...)
			for _, span := range scope.Spans {
				if unknown := span.ProtoReflect().GetUnknown(); len(unknown) > 0 {
					http.Error(w, "fields that a span has not", http.StatusBadRequest)
					return
				}
			}
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (s *sink) failing(fail bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = fail
}

func valuesOf(attributes []*commonpb.KeyValue) map[string]string {
	values := make(map[string]string)
	for _, a := range attributes {
		switch v := a.Value.Value.(type) {
		case *commonpb.AnyValue_StringValue:
			values[a.Key] = v.StringValue
		case *commonpb.AnyValue_IntValue:
			values[a.Key] = fmt.Sprint(v.IntValue)
		default:
			values[a.Key] = a.Value.String()
		}
	}
	return values
}

// tracing returns a telemetry with traces, and what ends it.
func tracing(t *testing.T, log io.Writer) (*telemetry.Telemetry, func()) {
	t.Helper()
	tel, err := telemetry.New(t.Context(), &telemetry.Options{Version: "1.2.3", Workspaces: []string{"red"}, Traces: true, Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return tel, sync.OnceFunc(func() {
		if err := tel.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func TestSpans(t *testing.T) {
	s := newSink(t)
	tel, end := tracing(t, io.Discard)
	start := time.Unix(1_700_000_000, 5000)
	tel.Observe(t.Context(), server.Event{
		Start: start, Duration: 2 * time.Second, Waited: time.Second, RequestID: "r-1", Caller: "k-red", Workspace: "red", Method: "tools/call", Tool: "getNode",
		Resource: "notes\xff", Outcome: "NOT_FOUND", Bytes: 99, Traceparent: "00-" + traceID + "-" + spanID + "-01",
	})
	tel.Observe(t.Context(), server.Event{Start: start, Method: "resources/list", Outcome: server.OutcomeOK})
	tel.Observe(t.Context(), server.Event{Start: start, Method: "other", Outcome: server.OutcomeUnauthenticated})
	tel.Observe(t.Context(), server.Event{Start: start, Method: "tools/call", Tool: "search", Outcome: server.OutcomeOK, Traceparent: "00-" + traceID + "-" + spanID + "-00"}) // whose caller keeps no trace
	end()

	if s.path != "/v1/traces" || s.about["service.name"] != "citekit" || s.about["service.version"] != "1.2.3" {
		t.Errorf("at %s: %v", s.path, s.about)
	}
	if len(s.spans) != 2 {
		t.Fatalf("%d spans: %v", len(s.spans), s.spans)
	}
	span := s.spans[0]
	if span.Name != "tools/call getNode" || span.Kind != tracepb.Span_SPAN_KIND_SERVER || span.GetStatus().GetCode() != tracepb.Status_STATUS_CODE_ERROR {
		t.Errorf("%v", span)
	}
	if hex.EncodeToString(span.TraceId) != traceID || hex.EncodeToString(span.ParentSpanId) != spanID {
		t.Errorf("trace %x, parent %x", span.TraceId, span.ParentSpanId)
	}
	if span.StartTimeUnixNano != uint64(start.UnixNano()) || span.EndTimeUnixNano-span.StartTimeUnixNano != uint64(2*time.Second) {
		t.Errorf("from %d to %d", span.StartTimeUnixNano, span.EndTimeUnixNano)
	}
	want := map[string]string{
		"mcp.method.name": "tools/call", "gen_ai.tool.name": "getNode", "gen_ai.operation.name": "execute_tool", "error.type": "NOT_FOUND",
		"network.transport": "tcp", "network.protocol.name": "http", "http.response.body.size": "99",
		"citekit.workspace": "red", "citekit.caller": "k-red", "citekit.resource": "notes\ufffd", "citekit.request_id": "r-1", "citekit.outcome": "NOT_FOUND",
		"citekit.waited": "double_value:1",
	}
	if got := valuesOf(span.Attributes); !maps.Equal(got, want) {
		t.Errorf("attributes %v, want %v", got, want)
	}
	if span := s.spans[1]; span.Name != "resources/list" || len(span.ParentSpanId) != 0 || span.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR {
		t.Errorf("%v", span)
	}
	if text := metrics(t, tel); !strings.Contains(text, `citekit_spans_total{result="exported"} 2`) {
		t.Error("spans are not counted")
	}
}

func TestSampler(t *testing.T) {
	s := newSink(t)
	t.Setenv("OTEL_TRACES_SAMPLER", "always_off")
	tel, end := tracing(t, io.Discard)
	tel.Observe(t.Context(), server.Event{Start: time.Now(), Method: "ping", Outcome: server.OutcomeOK})
	end()
	if len(s.spans) != 0 {
		t.Errorf("%v", s.spans)
	}
}

// TestDestination has the variables of OTLP say how spans are sent, to a collector
// with a certificate of its own that is busy at first.
func TestDestination(t *testing.T) {
	sharedtest.NotShort(t)
	s := &sink{busy: 1}
	s.Server = httptest.NewTLSServer(s)
	defer s.Close()
	roots := filepath.Join(t.TempDir(), "roots.pem")
	if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"ENDPOINT": "http://localhost:1", "TRACES_ENDPOINT": s.URL + "/of/traces", "HEADERS": "api-key=of%20all", "TRACES_HEADERS": "api-key=of%20traces, tenant=a",
		"COMPRESSION": "gzip", "CERTIFICATE": roots, "TIMEOUT": "120000",
	} {
		t.Setenv("OTEL_EXPORTER_OTLP_"+name, value)
	}
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "team=%ff")
	tel, end := tracing(t, io.Discard)
	for range 300 {
		tel.Observe(t.Context(), server.Event{Start: time.Now(), Method: "ping", Outcome: server.OutcomeOK})
	}
	end()
	if len(s.spans) != 300 || s.path != "/of/traces" || s.busy != 0 {
		t.Errorf("%d spans at %q, busy %d", len(s.spans), s.path, s.busy)
	}
	if s.about["team"] != "\ufffd" {
		t.Errorf("about %v", s.about)
	}
	if s.sent.Get("Api-Key") != "of traces" || s.sent.Get("Tenant") != "a" || s.sent.Get("Content-Encoding") != "gzip" || s.sent.Get("Content-Type") != "application/x-protobuf" {
		t.Errorf("%v", s.sent)
	}
}

// TestRejectedSpans has a collector that takes a request, and not all of its spans.
func TestRejectedSpans(t *testing.T) {
	answer, err := proto.Marshal(&collector.ExportTraceServiceResponse{PartialSuccess: &collector.ExportTracePartialSuccess{RejectedSpans: 3, ErrorMessage: "too old"}})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-protobuf")
		w.Write(answer)
	}))
	defer s.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", s.URL)
	var log lockedBuffer
	tel, end := tracing(t, &log)
	tel.Observe(t.Context(), server.Event{Start: time.Now(), Method: "ping", Outcome: server.OutcomeOK})
	end()
	if text := log.String(); !strings.Contains(text, "rejected 3 spans") || !strings.Contains(text, "too old") {
		t.Errorf("told: %s", text)
	}
}

// TestFailingExport has a collector that takes nothing, and then again.
func TestFailingExport(t *testing.T) {
	s := newSink(t)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "5") // milliseconds
	s.failing(true)
	var log lockedBuffer
	tel, end := tracing(t, &log)
	for i := range 3 {
		tel.Observe(t.Context(), server.Event{Start: time.Now(), Method: "ping", Outcome: server.OutcomeOK})
		await(t, tel, fmt.Sprintf(`citekit_spans_total{result="failed"} %d`, i+1))
	}
	s.failing(false)
	tel.Observe(t.Context(), server.Event{Start: time.Now(), Method: "ping", Outcome: server.OutcomeOK})
	await(t, tel, `citekit_spans_total{result="exported"} 1`)
	end()
	if text := log.String(); strings.Count(text, "cannot be exported") != 1 || strings.Count(text, "exported again") != 1 {
		t.Errorf("told: %s", text)
	}
}

// TestHangingExport has a collector that does not answer: calls are counted all the
// same, and what is more than the queue holds is dropped.
func TestHangingExport(t *testing.T) {
	release := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hangs.Close()
	defer close(release)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", hangs.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "10")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "5")
	tel, err := telemetry.New(t.Context(), &telemetry.Options{Traces: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		tel.Observe(t.Context(), server.Event{Start: time.Now(), Method: "ping", Outcome: server.OutcomeOK})
	}
	if text := metrics(t, tel); !strings.Contains(text, `outcome="ok",tool="",workspace=""} 1000`) {
		t.Error("calls are not counted")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := tel.Shutdown(ctx); err == nil {
		t.Error("spans that were not exported are not told of")
	}
}

func await(t *testing.T, tel *telemetry.Telemetry, line string) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if slices.Contains(strings.Split(metrics(t, tel), "\n"), line) {
			return
		}
	}
	t.Fatalf("no %s in %s", line, metrics(t, tel))
}

// A lockedBuffer is written to and read by several.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(data)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func TestEnvironment(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"OTEL_TRACES_EXPORTER", "zipkin", "it must be otlp or none"},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "this program supports only http/protobuf"},
		{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json", "this program supports only http/protobuf"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318", "must be a URL"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://:secret@[::1", "must be a URL"},
		{"OTEL_TRACES_SAMPLER", "sometimes", "it must be one of always_on"},
		{"OTEL_BSP_MAX_QUEUE_SIZE", "many", "it must be a whole number"},
		{"OTEL_EXPORTER_OTLP_TIMEOUT", "-1", "it must be a whole number"},
		{"OTEL_BSP_MAX_QUEUE_SIZE", "9000000000000000000", "to 1000000"},
		{"OTEL_EXPORTER_OTLP_COMPRESSION", "zstd", "it must be gzip or none"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "secret", "must have headers such as"},
		{"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "a=secret%0d%0ab: c", "must have headers such as"},
		{"OTEL_EXPORTER_OTLP_CERTIFICATE", "/secret/none.pem", "must name a readable file"},
		{"OTEL_EXPORTER_OTLP_CLIENT_KEY", "/secret/none.pem", "readable PEM files"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(c.name, c.value)
			_, err := telemetry.New(t.Context(), &telemetry.Options{Traces: true})
			if err == nil || !strings.Contains(err.Error(), c.name) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s=%s: %v", c.name, c.value, err)
			}
			if _, err := telemetry.New(t.Context(), nil); err != nil {
				t.Errorf("without traces: %v", err)
			}
		})
	}
	t.Run("ratio", func(t *testing.T) {
		t.Setenv("OTEL_TRACES_SAMPLER", "traceidratio")
		t.Setenv("OTEL_TRACES_SAMPLER_ARG", "NaN")
		if _, err := telemetry.New(t.Context(), &telemetry.Options{Traces: true}); err == nil {
			t.Error("no error")
		}
	})
	for name, value := range map[string]string{"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "none"} {
		t.Run(name, func(t *testing.T) {
			s := newSink(t)
			t.Setenv(name, value)
			tel, end := tracing(t, io.Discard)
			tel.Observe(t.Context(), server.Event{Start: time.Now(), Method: "ping", Outcome: server.OutcomeOK})
			end()
			if len(s.spans) != 0 {
				t.Errorf("%v", s.spans)
			}
		})
	}
}
