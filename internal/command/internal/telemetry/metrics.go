package telemetry

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	vm "github.com/VictoriaMetrics/metrics"

	"github.com/citekit/citekit/server"
)

// buckets are the bounds of the histograms, in seconds. Look-ups take less than
// the first few. By default no call may take longer than the last one.
var buckets = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}

const (
	// other replaces unknown names.
	other = "other"

	// mostSeries is how many kinds of calls are counted separately.
	mostSeries = 5000

	// longestLabel is the length limit of a label, in bytes.
	longestLabel = 64

	// mostAsking is how many requests for the metrics are answered at once.
	mostAsking = 8
)

// help says what the metrics are that are counted here.
var help = strings.NewReplacer(
	helpOf("citekit_calls_total"), helpOf("citekit_calls_total Calls that ended."),
	helpOf("citekit_call_duration_seconds"), helpOf("citekit_call_duration_seconds Time from the arrival of a request until its answer was made."),
	helpOf("citekit_call_wait_seconds"), helpOf("citekit_call_wait_seconds Time that calls waited for their turn."),
	helpOf("citekit_response_bytes_total"), helpOf("citekit_response_bytes_total Bytes of the bodies of answers."),
	helpOf("citekit_spans_total"), helpOf("citekit_spans_total Spans that were exported or that failed to export."),
)

func helpOf(metric string) string { return "# HELP " + metric + "\n" }

// metrics are the metrics of a server.
type metrics struct {
	set     *vm.Set
	numbers []func(context.Context) []Number // counted elsewhere
	load    atomic.Pointer[func() server.Load]
	logger  *slog.Logger
	turns   chan struct{}

	workspaces map[string]bool

	mu     sync.RWMutex
	series map[labels]*series
}

// labels identify a kind of calls.
type labels struct{ workspace, method, tool, outcome string }

// A series has the metrics of one kind of calls.
type series struct {
	calls, bytes   *vm.Counter
	duration, wait *vm.PrometheusHistogram
}

func newMetrics(o *Options) *metrics {
	vm.ExposeMetadata(true)
	m := &metrics{
		set: vm.NewSet(), logger: o.Logger, turns: make(chan struct{}, mostAsking),
		workspaces: map[string]bool{"": true},
		series:     make(map[labels]*series),
	}
	for _, name := range o.Workspaces {
		m.workspaces[name] = true
	}
	m.numbers = append(m.numbers, m.loads)
	m.given("citekit_build_info", "The version of the running program; the value is always 1.",
		map[string]string{"version": strings.ToValidUTF8(o.Version, "?"), "goversion": runtime.Version()}, func() int64 { return 1 })
	m.addGiven(o)
	if o.Numbers != nil {
		m.numbers = append(m.numbers, o.Numbers)
	}
	return m
}

// given adds a metric that is counted elsewhere.
func (m *metrics) given(name, help string, labels map[string]string, now func() int64) {
	m.numbers = append(m.numbers, func(context.Context) []Number {
		return []Number{{Name: name, Help: help, Labels: labels, Value: float64(now())}}
	})
}

// addGiven adds the metrics that are counted elsewhere.
func (m *metrics) addGiven(o *Options) {
	for name, use := range o.Evidence {
		if name = m.workspace(name); name == other {
			continue
		}
		labels := map[string]string{"workspace": name}
		m.given("citekit_evidence_hits_total", "Evidence that was requested and was stored already.", labels, func() int64 { hits, _ := use(); return hits })
		m.given("citekit_evidence_misses_total", "Evidence that had to be extracted.", labels, func() int64 { _, misses := use(); return misses })
	}
	for name, full := range o.EvidenceFull {
		if name = m.workspace(name); name == other {
			continue
		}
		m.given("citekit_evidence_full", "Whether evidence is not stored because of a limit: 1 if so.", map[string]string{"workspace": name}, func() int64 {
			if full() {
				return 1
			}
			return 0
		})
	}
	for name, lost := range o.LogErrors {
		m.given("citekit_log_write_errors_total", "Lines of a log that could not be written.", map[string]string{"log": strings.ToValidUTF8(name, "?")}, lost)
	}
	if o.Children != nil {
		m.given("citekit_child_processes", "Running child processes.", nil, func() int64 { return int64(o.Children()) })
	}
}

// spans returns the counter of the spans that had a result.
func (m *metrics) spans(result string) *vm.Counter {
	return m.set.GetOrCreateCounter(named("citekit_spans_total", map[string]string{"result": result}))
}

// count counts a call.
func (m *metrics) count(e *server.Event) {
	s := m.of(labels{e.Workspace, e.Method, e.Tool, e.Outcome})
	s.calls.Inc()
	s.duration.Update(seconds(e.Duration))
	s.wait.Update(seconds(e.Waited))
	s.bytes.AddInt64(max(0, e.Bytes))
}

// seconds returns a duration in seconds, at least 0. A duration may be negative
// if the clock was set.
func seconds(d time.Duration) float64 { return max(0, d.Seconds()) }

// of returns the metrics of a kind of calls.
func (m *metrics) of(l labels) *series {
	m.mu.RLock()
	s := m.series[l]
	m.mu.RUnlock()
	if s != nil {
		return s
	}
	l = labels{m.workspace(l.workspace), label(l.method), label(l.tool), label(l.outcome)}
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.series[l]; s != nil {
		return s
	}
	if len(m.series) >= mostSeries {
		l.method, l.tool, l.outcome = other, other, other
	}
	of := map[string]string{"method": l.method, "tool": l.tool}
	s = &series{
		calls:    m.set.GetOrCreateCounter(named("citekit_calls_total", map[string]string{"workspace": l.workspace, "method": l.method, "tool": l.tool, "outcome": l.outcome})),
		bytes:    m.set.GetOrCreateCounter(named("citekit_response_bytes_total", map[string]string{"workspace": l.workspace})),
		duration: m.set.GetOrCreatePrometheusHistogramExt(named("citekit_call_duration_seconds", of), buckets),
		wait:     m.set.GetOrCreatePrometheusHistogramExt(named("citekit_call_wait_seconds", of), buckets),
	}
	m.series[l] = s
	return s
}

// workspace returns the name of a workspace as a label.
func (m *metrics) workspace(name string) string {
	if m.workspaces[name] {
		return name
	}
	return other
}

// label returns a name as a label, or other if it is too long or has unusual
// characters. The server passes only known names.
func label(name string) string {
	if len(name) > longestLabel || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return other
	}
	return name
}

// handler returns a handler that answers with the metrics.
func (m *metrics) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case m.turns <- struct{}{}:
			defer func() { <-m.turns }()
		default:
			http.Error(w, "too many requests for the metrics at once", http.StatusServiceUnavailable)
			return
		}
		var counted, text bytes.Buffer
		m.set.WritePrometheus(&counted)
		help.WriteString(&text, counted.String()) // a Buffer takes all
		m.writeNumbers(r.Context(), &text)
		vm.WriteProcessMetrics(&text)
		vm.WriteFDMetrics(&text)
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		w.Write(text.Bytes())
	})
}

// loads returns the current load of the server, if it is known.
func (m *metrics) loads(context.Context) []Number {
	load := m.load.Load()
	if load == nil {
		return nil
	}
	now := (*load)()
	kind := func(name string) map[string]string { return map[string]string{"kind": name} }
	return []Number{
		{"citekit_calls_running", "Running calls.", kind("lookup"), float64(now.Lookups)},
		{"citekit_calls_running", "Running calls.", kind("heavy"), float64(now.HeavyCalls)},
		{"citekit_calls_waiting", "Calls waiting for their turn.", nil, float64(now.Waiting)},
		{"citekit_callers", "Callers seen in the last minutes.", nil, float64(now.Callers)},
	}
}
