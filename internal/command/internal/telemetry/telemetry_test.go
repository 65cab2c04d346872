package telemetry_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/command/internal/telemetry"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/server"
)

func newTelemetry(t testing.TB, opts *telemetry.Options) *telemetry.Telemetry {
	t.Helper()
	tel, err := telemetry.New(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tel.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return tel
}

// metrics returns the lines of the metrics.
func metrics(t testing.TB, tel *telemetry.Telemetry) string {
	t.Helper()
	w := httptest.NewRecorder()
	tel.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("metrics: %d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestMetrics(t *testing.T) {
	tel := newTelemetry(t, &telemetry.Options{
		Version: "1.2.3", Workspaces: []string{"red", "blue"},
		Evidence:     map[string]func() (int64, int64){"red": func() (int64, int64) { return 7, 3 }},
		EvidenceFull: map[string]func() bool{"red": func() bool { return true }, "blue": func() bool { return false }},
		Children:     func() int { return 2 },
		LogErrors:    map[string]func() int64{"audit": func() int64 { return 4 }},
	})
	if text := metrics(t, tel); strings.Contains(text, "citekit_calls_running") {
		t.Error("what runs is told without a server")
	}
	tel.Watch(func() server.Load { return server.Load{Lookups: 1, HeavyCalls: 2, Waiting: 3, Callers: 4} })
	call := server.Event{Workspace: "red", Method: "tools/call", Tool: "getNode", Caller: "k-red", Outcome: server.OutcomeOK, Duration: 700 * time.Microsecond, Waited: 300 * time.Microsecond, Bytes: 100}
	tel.Observe(t.Context(), call)
	call.Bytes, call.Duration = 50, 20*time.Second
	tel.Observe(t.Context(), call)
	call.Outcome, call.Duration = "NOT_FOUND", -time.Second
	tel.Observe(t.Context(), call)
	tel.Observe(t.Context(), server.Event{Method: "other", Outcome: server.OutcomeUnauthenticated, Bytes: -1})
	text := metrics(t, tel)
	for _, want := range []string{
		`citekit_calls_total{method="tools/call",outcome="ok",tool="getNode",workspace="red"} 2`,
		`citekit_calls_total{method="tools/call",outcome="NOT_FOUND",tool="getNode",workspace="red"} 1`,
		`citekit_calls_total{method="other",outcome="unauthenticated",tool="",workspace=""} 1`,
		`citekit_call_duration_seconds_bucket{method="tools/call",tool="getNode",le="0.0005"} 1`,
		`citekit_call_duration_seconds_bucket{method="tools/call",tool="getNode",le="0.001"} 2`,
		`citekit_call_duration_seconds_bucket{method="tools/call",tool="getNode",le="30"} 3`,
		`citekit_call_wait_seconds_count{method="tools/call",tool="getNode"} 3`,
		`citekit_response_bytes_total{workspace="red"} 200`,
		`citekit_calls_running{kind="lookup"} 1`,
		`citekit_calls_running{kind="heavy"} 2`,
		`citekit_calls_waiting 3`,
		`citekit_callers 4`,
		`citekit_evidence_hits_total{workspace="red"} 7`,
		`citekit_evidence_misses_total{workspace="red"} 3`,
		`citekit_evidence_full{workspace="red"} 1`,
		`citekit_evidence_full{workspace="blue"} 0`,
		`citekit_child_processes 2`,
		`citekit_log_write_errors_total{log="audit"} 4`,
		`citekit_build_info{goversion="go`,
		`version="1.2.3"} 1`,
		"\ngo_goroutines ",
		"\nprocess_",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics have no %s", want)
		}
	}
	if strings.Contains(text, "k-red") || strings.Contains(text, "citekit_spans") {
		t.Errorf("a caller, or spans without traces:\n%s", text)
	}
}

// TestFormat reads what is answered as the text format of Prometheus has it: what a
// metric is stands once, before all of its series, of which none is there twice.
func TestFormat(t *testing.T) {
	tel := newTelemetry(t, &telemetry.Options{
		Version: "1\"2\\3\n4", Workspaces: []string{"red", "blue"},
		Evidence:  map[string]func() (int64, int64){"red": func() (int64, int64) { return 7, 3 }, "blue": func() (int64, int64) { return 1, 2 }},
		LogErrors: map[string]func() int64{"audit": func() int64 { return 4 }, "log": func() int64 { return 0 }},
	})
	tel.Watch(func() server.Load { return server.Load{} })
	for _, tool := range []string{"getNode", "search", `a"b`} {
		for _, workspace := range []string{"red", "blue"} {
			tel.Observe(t.Context(), server.Event{Workspace: workspace, Method: "tools/call", Tool: tool, Outcome: server.OutcomeOK, Bytes: 1})
		}
	}
	sample := regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"(?:, ?[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*")*\})? (\S+)$`)
	kinds, seen, now := map[string]string{}, map[string]bool{}, ""
	for line := range strings.Lines(metrics(t, tel)) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			if name, text, _ := strings.Cut(rest, " "); strings.HasPrefix(name, "citekit_") && text == "" {
				t.Errorf("nothing says what %s is", name)
			}
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, kind, _ := strings.Cut(rest, " ")
			if kinds[name] != "" {
				t.Errorf("%s has its type twice", name)
			}
			kinds[name], now = kind, name
			continue
		}
		parts := sample.FindStringSubmatch(line)
		if parts == nil {
			t.Errorf("no series: %s", line)
			continue
		}
		name := parts[1]
		if kinds[now] == "histogram" || kinds[now] == "summary" {
			for _, end := range []string{"_bucket", "_sum", "_count"} {
				name = strings.TrimSuffix(name, end)
			}
		}
		if name != now {
			t.Errorf("%s stands below the type of %s", line, now)
		}
		if seen[parts[1]+parts[2]] {
			t.Errorf("%s is there twice", parts[1]+parts[2])
		}
		seen[parts[1]+parts[2]] = true
		if _, err := strconv.ParseFloat(parts[3], 64); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestBoundedLabels counts what no server tells.
func TestBoundedLabels(t *testing.T) {
	sharedtest.NotShort(t)
	tel := newTelemetry(t, &telemetry.Options{Workspaces: []string{"red"}})
	for _, name := range []string{"a\nb", "\x1b[31m", "\xff\xfe", strings.Repeat("x", 1<<20), "\u202e", "a b"} {
		tel.Observe(t.Context(), server.Event{Workspace: name, Method: name, Tool: name, Outcome: name})
	}
	for i := range 5_200 {
		name := fmt.Sprintf("name%d", i)
		tel.Observe(t.Context(), server.Event{Workspace: name, Method: name, Tool: name, Outcome: name})
	}
	text := metrics(t, tel)
	if want := `citekit_calls_total{method="other",outcome="other",tool="other",workspace="other"}`; !strings.Contains(text, want) {
		t.Errorf("no %s", want)
	}
	if n := strings.Count(text, "\ncitekit_calls_total{"); n > 5001 {
		t.Errorf("%d kinds of calls", n)
	}
	if strings.Contains(text, `workspace="name`) {
		t.Error("the metrics have a workspace that there is not")
	}
}

// TestServeEnded closes the listener when ctx is done, as a program that ends does.
func TestServeEnded(t *testing.T) {
	tel := newTelemetry(t, nil)
	for range 50 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- tel.Serve(ctx, listener) }()
		cancel()
		listener.Close()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}

func TestServe(t *testing.T) {
	tel := newTelemetry(t, nil)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- tel.Serve(ctx, listener) }()
	for _, c := range []struct {
		path, host string
		status     int
	}{
		{"/metrics", "", 200},
		{"/metrics", "localhost:9", 200},
		{"/metrics", "[::1]", 200},
		{"/metrics", "metrics.example", 403},
		{"/metrics", "metrics.example:80", 403},
		{"/", "", 404},
		{"/mcp", "", 404},
	} {
		r, err := http.NewRequestWithContext(ctx, "GET", "http://"+listener.Addr().String()+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != c.status || (c.status == 200) != strings.Contains(string(body), "citekit_build_info") {
			t.Errorf("%s of %q: %d %.100s", c.path, c.host, answer.StatusCode, body)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// countingListener is a listener that counts its open connections.
type countingListener struct {
	net.Listener
	open, peak atomic.Int32
}

type counted struct {
	net.Conn
	once sync.Once
	of   *countingListener
}

func (l *countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.peak.Store(max(l.peak.Load(), l.open.Add(1)))
	return &counted{Conn: c, of: l}, nil
}

func (c *counted) Close() error {
	c.once.Do(func() { c.of.open.Add(-1) })
	return c.Conn.Close()
}

// TestConnections opens more connections than there may be, which send nothing: metrics
// are still answered.
func TestConnections(t *testing.T) {
	tel := newTelemetry(t, nil)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	count, done := &countingListener{Listener: listener}, make(chan error, 1)
	go func() { done <- tel.Serve(ctx, count) }()
	for range 70 {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	answer, err := http.Get("http://" + listener.Addr().String() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if n := count.peak.Load(); answer.StatusCode != http.StatusOK || n > 65 { // the last is there before another is closed
		t.Errorf("%s, with %d connections", answer.Status, n)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Numbers that are counted elsewhere are asked for each time, and handlers are served
// beside them.
func TestFurther(t *testing.T) {
	asked := 0
	tel := newTelemetry(t, &telemetry.Options{
		Numbers: func(context.Context) []telemetry.Number {
			asked++
			return []telemetry.Number{
				{Name: "citekit_jobs", Help: "Jobs.", Labels: map[string]string{"state": "waiting"}, Value: float64(asked)},
				{Name: "citekit_faults_total", Help: "Faults.", Value: 7},
			}
		},
		Handlers: map[string]http.Handler{"POST /events": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })},
	})
	metrics(t, tel)
	text := metrics(t, tel)
	for _, want := range []string{`citekit_jobs{state="waiting"} 2`, "citekit_faults_total 7", "# TYPE citekit_faults_total counter", "# TYPE citekit_jobs gauge"} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics have no %s", want)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- tel.Serve(ctx, listener) }()
	answer, err := http.Post("http://"+listener.Addr().String()+"/events", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusNoContent {
		t.Errorf("the handler answers %d", answer.StatusCode)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
