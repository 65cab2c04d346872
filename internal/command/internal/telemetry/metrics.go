package telemetry

import (
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

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
)

// metrics are the metrics of a server.
type metrics struct {
	registry *prometheus.Registry
	calls    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	wait     *prometheus.HistogramVec
	bytes    *prometheus.CounterVec
	spans    *prometheus.CounterVec
	load     atomic.Pointer[func() server.Load]
	logger   *slog.Logger

	workspaces map[string]bool

	mu     sync.RWMutex
	series map[labels]*series
}

// labels identify a kind of calls.
type labels struct{ workspace, method, tool, outcome string }

// A series has the metrics of one kind of calls.
type series struct {
	calls, bytes   prometheus.Counter
	duration, wait prometheus.Observer
}

func newMetrics(o *Options) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(), logger: o.Logger,
		calls:      counters("citekit_calls_total", "Calls that ended.", "workspace", "method", "tool", "outcome"),
		duration:   histograms("citekit_call_duration_seconds", "Time from the arrival of a request until its answer was made."),
		wait:       histograms("citekit_call_wait_seconds", "Time that calls waited for their turn."),
		bytes:      counters("citekit_response_bytes_total", "Bytes of the bodies of answers.", "workspace"),
		spans:      counters("citekit_spans_total", "Spans that were exported or that failed to export.", "result"),
		workspaces: map[string]bool{"": true},
		series:     make(map[labels]*series),
	}
	for _, name := range o.Workspaces {
		m.workspaces[name] = true
	}
	m.registry.MustRegister(
		m.calls, m.duration, m.wait, m.bytes, &loadCollector{&m.load},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	if o.Numbers != nil {
		m.registry.MustRegister(numbers{o.Numbers})
	}
	m.addBuild(o.Version)
	m.addGiven(o)
	return m
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func histograms(name, help string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, []string{"method", "tool"})
}

func (m *metrics) addBuild(version string) {
	labels := prometheus.Labels{"version": strings.ToValidUTF8(version, "?"), "goversion": runtime.Version()}
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "citekit_build_info", Help: "The version of the running program; the value is always 1.", ConstLabels: labels})
	build.Set(1)
	m.registry.MustRegister(build)
}

// addGiven registers metrics that are counted elsewhere.
func (m *metrics) addGiven(o *Options) {
	for name, use := range o.Evidence {
		if name = m.workspace(name); name == other {
			continue
		}
		m.counted("citekit_evidence_hits_total", "Evidence that was requested and was stored already.", "workspace", name, func() int64 { hits, _ := use(); return hits })
		m.counted("citekit_evidence_misses_total", "Evidence that had to be extracted.", "workspace", name, func() int64 { _, misses := use(); return misses })
	}
	for name, full := range o.EvidenceFull {
		if name = m.workspace(name); name == other {
			continue
		}
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "citekit_evidence_full", Help: "Whether evidence is not stored because of a limit: 1 if so.", ConstLabels: prometheus.Labels{"workspace": name},
		}, func() float64 {
			if full() {
				return 1
			}
			return 0
		}))
	}
	for name, lost := range o.LogErrors {
		m.counted("citekit_log_write_errors_total", "Lines of a log that could not be written.", "log", strings.ToValidUTF8(name, "?"), lost)
	}
	if o.Children != nil {
		m.registry.MustRegister(prometheus.NewGaugeFunc(
			prometheus.GaugeOpts{Name: "citekit_child_processes", Help: "Running child processes."},
			func() float64 { return float64(o.Children()) },
		))
	}
	if o.Traces {
		m.registry.MustRegister(m.spans)
	}
}

// counted registers a counter that is counted elsewhere.
func (m *metrics) counted(name, help, label, value string, count func() int64) {
	opts := prometheus.CounterOpts{Name: name, Help: help, ConstLabels: prometheus.Labels{label: value}}
	m.registry.MustRegister(prometheus.NewCounterFunc(opts, func() float64 { return float64(count()) }))
}

// count counts a call.
func (m *metrics) count(e *server.Event) {
	s := m.of(labels{e.Workspace, e.Method, e.Tool, e.Outcome})
	s.calls.Inc()
	s.duration.Observe(seconds(e.Duration))
	s.wait.Observe(seconds(e.Waited))
	s.bytes.Add(float64(max(0, e.Bytes)))
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
	s = &series{
		calls:    m.calls.WithLabelValues(l.workspace, l.method, l.tool, l.outcome),
		bytes:    m.bytes.WithLabelValues(l.workspace),
		duration: m.duration.WithLabelValues(l.method, l.tool),
		wait:     m.wait.WithLabelValues(l.method, l.tool),
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
	return promhttp.InstrumentMetricHandler(m.registry, promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		Registry: m.registry, ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 8, Timeout: 30 * time.Second,
		ErrorLog: slog.NewLogLogger(m.logger.Handler(), slog.LevelError),
	}))
}

// A loadCollector reports the current load of a server.
type loadCollector struct {
	load *atomic.Pointer[func() server.Load]
}

var (
	runningDesc = prometheus.NewDesc("citekit_calls_running", "Running calls.", []string{"kind"}, nil)
	waitingDesc = prometheus.NewDesc("citekit_calls_waiting", "Calls waiting for their turn.", nil, nil)
	callersDesc = prometheus.NewDesc("citekit_callers", "Callers seen in the last minutes.", nil, nil)
)

// Describe implements [prometheus.Collector].
func (*loadCollector) Describe(to chan<- *prometheus.Desc) {
	to <- runningDesc
	to <- waitingDesc
	to <- callersDesc
}

// Collect implements [prometheus.Collector].
func (c *loadCollector) Collect(to chan<- prometheus.Metric) {
	load := c.load.Load()
	if load == nil {
		return
	}
	now := (*load)()
	gauge := func(desc *prometheus.Desc, n int, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(n), labels...)
	}
	gauge(runningDesc, now.Lookups, "lookup")
	gauge(runningDesc, now.HeavyCalls, "heavy")
	gauge(waitingDesc, now.Waiting)
	gauge(callersDesc, now.Callers)
}
