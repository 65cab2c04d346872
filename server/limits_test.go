package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
)

// slowServer starts a server on which resolving takes until it is cancelled.
func slowServer(t *testing.T, limits server.Limits) (*runningServer, slow) {
	t.Helper()
	slow := newSlow()
	_, workspaces := slowPlace(t, slow)
	known := &keys{grants: map[string]*access.Grant{"a": {ID: "k-a", Workspaces: []string{"slow"}}, "b": {ID: "k-b", Workspaces: []string{"slow"}}}}
	return start(t, workspaces, &server.Options{Authenticator: known, Limits: limits}), slow
}

// resolveSlow is a call that takes until it is cancelled. Each start is evidence of
// its own.
func resolveSlow(start int) string {
	return toolCall("resolve", map[string]any{"address": fmt.Sprintf("audio://slow#t=%d-%d", start, start+1)})
}

// flood has a session send calls without end until the test is done with them.
func flood(t *testing.T, session client, calls int) (refused func() []refusal) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var mu sync.Mutex
	var answers []refusal
	for i := range calls {
		all.Go(func() {
			status, header, body, err := session.exchange(ctx, resolveSlow(100+i))
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			answers = append(answers, refusal{status, header, body})
		})
	}
	t.Cleanup(func() {
		cancel()
		all.Wait()
	})
	return func() []refusal {
		mu.Lock()
		defer mu.Unlock()
		return append([]refusal(nil), answers...)
	}
}

type refusal struct {
	status int
	header http.Header
	body   string
}

// await waits until a server does what a test expects.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not in time: " + what)
		}
	}
}

// TestFlood: one key's flood is in nobody else's way, and is refused in the form
// that clients understand.
func TestFlood(t *testing.T) {
	s, slow := slowServer(t, server.Limits{HeavyCalls: 4, HeavyPerCaller: 3, QueuePerCaller: 5, Wait: time.Hour, Rate: -1})
	a, b := s.as("a").session(), s.as("b").session()
	refused := flood(t, a, 30)
	for range 3 {
		<-slow.started
	}
	await(t, "a full queue", func() bool { return s.server.Load().Waiting == 5 && len(refused()) == 22 })
	if l := s.server.Load(); l.HeavyCalls != 3 {
		t.Errorf("%+v", l)
	}
	for _, r := range refused() {
		var answer struct {
			ID    int
			Error struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(r.body), &answer); err != nil || r.status != 429 || answer.ID < 1 || answer.Error.Code != -32000 || !strings.Contains(answer.Error.Message, "calls are waiting") {
			t.Errorf("%d %s", r.status, r.body)
		}
		if after, err := strconv.Atoi(r.header.Get("Retry-After")); err != nil || after < 1 {
			t.Errorf("Retry-After %q", r.header.Get("Retry-After"))
		}
	}
	s.journal.await(t, "a call beyond the limit", func(e server.Event) bool {
		return e.Outcome == server.OutcomeLimited && e.Caller == "k-a" && e.Tool == "resolve" && e.Resource == "slow"
	})

	// Another's lookups are answered, and a heavy call of its has a place.
	if text, failed := b.tool("listResources", map[string]any{}); failed || !strings.Contains(text, `"slow"`) {
		t.Errorf("b: %s", text)
	}
	// So are the flood's own lookups.
	if text, failed := a.tool("listResources", map[string]any{}); failed {
		t.Errorf("a: %s", text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, _, _, err := b.exchange(ctx, resolveSlow(1))
		ended <- err
	}()
	<-slow.started
	if l := s.server.Load(); l.HeavyCalls != 4 || l.Waiting != 5 {
		t.Errorf("with a call of another: %+v", l)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was given up: %v", err)
	}
}

// TestGone: who does not wait for an answer any more holds no place, also if the
// call had its place already and was about to begin.
func TestGone(t *testing.T) {
	s, slow := slowServer(t, server.Limits{HeavyCalls: 2, HeavyPerCaller: 2, Wait: time.Hour, Rate: -1})
	session := s.as("a").session()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() { _, _, _, _ = session.exchange(ctx, resolveSlow(i)) })
	}
	<-slow.started
	<-slow.started
	await(t, "four calls wait", func() bool { return s.server.Load().Waiting == 4 })
	cancel()
	all.Wait()
	await(t, "no calls", func() bool { l := s.server.Load(); return l.Waiting == 0 && l.HeavyCalls == 0 && l.Lookups == 0 })
	s.journal.await(t, "a call that was given up", func(e server.Event) bool { return e.Outcome == server.OutcomeCancelled && e.Tool == "resolve" })
	if text, failed := session.tool("listResources", map[string]any{}); failed {
		t.Errorf("the session: %s", text)
	}
}

// TestServerIsBusy: the server's own limits are told apart from the caller's.
func TestServerIsBusy(t *testing.T) {
	s, slow := slowServer(t, server.Limits{HeavyCalls: 1, HeavyPerCaller: 1, Queue: -1, Rate: -1})
	a, b := s.as("a").session(), s.as("b").session()
	flood(t, a, 1)
	<-slow.started
	status, header, body := b.send("POST", "/mcp", resolveSlow(1))
	if status != 503 || header.Get("Retry-After") == "" || !strings.Contains(body, `"code":-32000`) || !strings.Contains(body, "server is busy") {
		t.Errorf("%d %s", status, body)
	}
	e := s.journal.await(t, "a call for which there was no place", func(e server.Event) bool { return e.Outcome == server.OutcomeBusy })
	if e.Caller != "k-b" || e.Workspace != "slow" {
		t.Errorf("%+v", e)
	}
}

// TestBytesPerMinute: who had too many bytes waits, and others do not.
func TestBytesPerMinute(t *testing.T) {
	s, _ := slowServer(t, server.Limits{BytesPerMinute: 64 << 10, Rate: -1})
	a, b := s.as("a").session(), s.as("b").session()
	var status int
	var header http.Header
	for range 100 {
		if status, header, _ = a.send("POST", "/mcp", toolCall("getStructure", map[string]any{"resource_id": "slow"})); status != 200 {
			break
		}
	}
	after, _ := strconv.Atoi(header.Get("Retry-After"))
	if status != 429 || after < 1 || after > 120 {
		t.Errorf("%d, Retry-After %q", status, header.Get("Retry-After"))
	}
	if text, failed := b.tool("listResources", map[string]any{}); failed {
		t.Errorf("another: %s", text)
	}
}

// TestBatchesCount: the calls of a batch count each.
func TestBatchesCount(t *testing.T) {
	s, slow := slowServer(t, server.Limits{HeavyCalls: 2, HeavyPerCaller: 2, Rate: 1, Burst: 10})
	c := s.as("a", "Mcp-Protocol-Version", "2025-03-26")
	status, header, body := c.send("POST", "/mcp", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	if status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	c.header.Set("Mcp-Session-Id", header.Get("Mcp-Session-Id"))
	batch := func(calls ...string) string { return "[" + strings.Join(calls, ",") + "]" }
	if status, _, body := c.send("POST", "/mcp", batch(resolveSlow(1), resolveSlow(2), resolveSlow(3))); status != 429 {
		t.Errorf("three heavy calls at once: %d %s", status, body)
	}
	var lookups []string
	for range 20 {
		lookups = append(lookups, message("ping", nil))
	}
	if status, _, body := c.send("POST", "/mcp", batch(lookups...)); status != 429 {
		t.Errorf("twenty calls at once: %d %s", status, body)
	}
	if len(slow.started) > 0 {
		t.Error("a call of a batch that was refused ran")
	}
	if l := s.server.Load(); l.HeavyCalls != 0 || l.Lookups != 0 || l.Waiting != 0 {
		t.Errorf("%+v", l)
	}
}

// TestLimitsChange: limits can be changed while calls run and wait.
func TestLimitsChange(t *testing.T) {
	s, slow := slowServer(t, server.Limits{HeavyCalls: 1, HeavyPerCaller: 1, Wait: time.Hour, Rate: -1})
	flood(t, s.as("a").session(), 3)
	<-slow.started
	await(t, "two calls wait", func() bool { return s.server.Load().Waiting == 2 })
	s.server.SetLimits(server.Limits{HeavyCalls: 3, HeavyPerCaller: 3, Wait: time.Hour, Rate: -1})
	<-slow.started
	<-slow.started
	if l := s.server.Load(); l.HeavyCalls != 3 || l.Waiting != 0 {
		t.Errorf("%+v", l)
	}
}

// TestNotificationsCount: those of one caller are in nobody else's way.
func TestNotificationsCount(t *testing.T) {
	_, _, workspaces, known := twoPlaces(t)
	s := start(t, workspaces, &server.Options{Authenticator: known, Limits: server.Limits{Rate: 1e-9, Burst: 5}})
	const notification = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	red, blue := s.as(redKey).session(), s.as(blueKey).session()
	for range 3 {
		if status, _, body := red.send("POST", "/mcp", notification); status != 202 {
			t.Fatalf("%d %s", status, body)
		}
	}
	if status, _, body := red.send("POST", "/mcp", notification); status != 429 {
		t.Errorf("one too many: %d %s", status, body)
	}
	if status, _, body := blue.send("POST", "/mcp", notification); status != 202 {
		t.Errorf("of another caller: %d %s", status, body)
	}
}

// TestBytesOfStreams: what is answered by the stream of HTTP+SSE counts too.
func TestBytesOfStreams(t *testing.T) {
	_, place := newPlace(t, modality.All(), "red", map[string]string{"long.txt": strings.Repeat("Much is said of the harvest.\n", 1500)})
	workspaces, known := []server.Workspace{place}, &keys{grants: map[string]*access.Grant{redKey: {ID: "k-red", Workspaces: []string{"red"}}}}
	s := start(t, workspaces, &server.Options{Authenticator: known, Handler: transport.HandlerOptions{SSE: true}})
	red := s.as(redKey)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	stream, err := red.do(ctx, "GET", "/sse", "")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	endpoint := ""
	for lines := bufio.NewScanner(stream.Body); endpoint == "" && lines.Scan(); {
		endpoint, _ = strings.CutPrefix(lines.Text(), "data: ")
		if !strings.HasPrefix(endpoint, "/") {
			endpoint = ""
		}
	}
	red.send("POST", endpoint, message("initialize", map[string]any{"protocolVersion": "2024-11-05", "capabilities": struct{}{}, "clientInfo": map[string]string{"name": "test", "version": "1"}}))
	red.send("POST", endpoint, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	red.send("POST", endpoint, toolCall("listResources", struct{}{}))
	e := s.journal.await(t, "a call over HTTP+SSE", func(e server.Event) bool { return e.Tool == "listResources" })
	if e.Outcome != server.OutcomeOK || e.Bytes < 50 {
		t.Errorf("%+v", e)
	}
	red.send("POST", endpoint, message("resources/read", map[string]any{"uri": "text://long#lines=1-1500"}))
	e = s.journal.await(t, "a long answer over HTTP+SSE", func(e server.Event) bool { return e.Method == "resources/read" })
	if e.Outcome != server.OutcomeOK || e.Bytes < 40_000 {
		t.Errorf("a long answer: %+v", e)
	}
}
