package server_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
)

// problem returns the type of a problem, without what all types begin with.
func problem(t *testing.T, header http.Header, body string) string {
	t.Helper()
	var p transport.Problem
	if err := json.Unmarshal([]byte(body), &p); err != nil || header.Get("Content-Type") != "application/problem+json" {
		t.Fatalf("no problem: %v, %s", header, body)
	}
	if p.Meta.RequestID == "" || p.Meta.RequestID != header.Get("X-Request-Id") || p.Meta.Latency["total"] < 0 || p.Detail == "" {
		t.Errorf("not complete: %s", body)
	}
	return strings.TrimPrefix(p.Type, "urn:citekit:error:")
}

func TestAPI(t *testing.T) {
	t.Parallel()
	_, _, workspaces, known := twoPlaces(t)
	known.grant("reader", &access.Grant{ID: "k-reader", Workspaces: []string{"red"}, ReadOnly: true})
	known.grant("finder", &access.Grant{ID: "k-finder", Workspaces: []string{"red"}, Tools: []string{"search"}})
	s := start(t, workspaces, &server.Options{Authenticator: known})
	const query, resolve = `{"q": "scarlet7", "workspaceId": "%s"}`, `{"address": "text://rednotes#lines=2-3"}`
	for _, c := range []struct {
		name, key, path, body string
		status                int
		says                  string // the type of the problem, or in the answer
	}{
		{"first of the key", redKey, "/v1/search", `{"q": "scarlet7"}`, 200, "text://rednotes#lines="},
		{"named", bothKey, "/v1/search", fmt.Sprintf(query, "red"), 200, "text://rednotes#lines="},
		{"the first has it not", bothKey, "/v1/search", `{"q": "scarlet7"}`, 200, `"total":0`},
		{"of others", redKey, "/v1/search", fmt.Sprintf(query, "blue"), 404, "not_found"},
		{"of nobody", redKey, "/v1/search", fmt.Sprintf(query, "nought"), 404, "not_found"},
		{"no key", "", "/v1/search", `{"q": "scarlet7"}`, 401, "unauthenticated"},
		{"wrong key", "x", "/v1/search", `{"q": "scarlet7"}`, 401, "unauthenticated"},
		{"only reads: search", "reader", "/v1/search", `{"q": "scarlet7"}`, 200, "rednotes"},
		{"only reads: files", "reader", "/v1/resolve", resolve, 403, "forbidden"},
		{"only reads: bytes", "reader", "/v1/evidence/text:%2F%2Frednotes%23lines=2-3", "", 403, "forbidden"},
		{"only finds", "finder", "/v1/contents", `{"ids": [{"kind": "document", "id": "rednotes"}]}`, 403, "forbidden"},
		{"only finds: search", "finder", "/v1/search", `{"q": "scarlet7"}`, 200, "rednotes"},
		{"slashes of an address", redKey, "/v1/evidence/text://rednotes%23lines=2-3", "", 200, "scarlet2"},
		{"slashes without a key", "", "/v1/evidence/text://rednotes%23lines=2-3", "", 401, "unauthenticated"},
		{"parents", redKey, "/v1/evidence/text://../../../etc/passwd", "", 400, "invalid_input"},
		{"no operation", redKey, "/v1/nothing", "", 404, "not_found"},
		{"no method", redKey, "/v1/search", "", 405, "invalid_input"},
		{"too long", redKey, "/v1/search", `{"q": "` + strings.Repeat("a", 10<<20) + `"}`, 413, "too_large"},
	} {
		method := map[bool]string{true: "GET", false: "POST"}[c.body == ""]
		status, header, body := s.as(c.key).send(method, c.path, c.body)
		if says := body; status != c.status || status == 200 && !strings.Contains(says, c.says) || status != 200 && problem(t, header, body) != c.says {
			t.Errorf("%s: %d %.300s", c.name, status, body)
		}
	}
	if status, _, _ := s.as(redKey, "X-Mcp-Workspace", "blue").send("POST", "/v1/search", `{"q": "cobalt7"}`); status != 403 {
		t.Errorf("the header names another's: %d", status)
	}
	// What is asked is in the logs, as of calls of MCP.
	s.as(redKey, "X-Request-Id", "r-17").send("POST", "/v1/search", `{"q": "scarlet8"}`)
	e := s.journal.await(t, "of the search", func(e server.Event) bool { return e.RequestID == "r-17" })
	if e.Caller != "k-red" || e.Workspace != "red" || e.Method != "v1/search" || e.Tool != "search" || e.Outcome != "ok" || e.Bytes == 0 {
		t.Errorf("%+v", e)
	}
	s.as(bothKey, "X-Request-Id", "r-18").send("POST", "/v1/verify", `{"quote": "scarlet8", "address": "text://nix#lines=1-1", "workspaceId": "red"}`)
	e = s.journal.await(t, "of the failure", func(e server.Event) bool { return e.RequestID == "r-18" })
	if e.Caller != "k-both" || e.Workspace != "red" || e.Method != "v1/verify" || e.Outcome != "NOT_FOUND" || e.Resource != "nix" {
		t.Errorf("%+v", e)
	}
}

// TestAPIByteOrderMark: a body that begins with one is read, and logged for the workspace
// and the resource that it names.
func TestAPIByteOrderMark(t *testing.T) {
	t.Parallel()
	_, _, workspaces, known := twoPlaces(t)
	s := start(t, workspaces, &server.Options{Authenticator: known})
	status, _, body := s.as(bothKey, "X-Request-Id", "bom").send("POST", "/v1/cite", "\ufeff"+`{"address": "text://rednotes#lines=2-3", "workspaceId": "red"}`)
	e := s.journal.await(t, "of the citation", func(e server.Event) bool { return e.RequestID == "bom" })
	if status != http.StatusOK || e.Workspace != "red" || e.Resource != "rednotes" || e.Outcome != "ok" {
		t.Errorf("%d %.300s\n%+v", status, body, e)
	}
}

// TestAPINamedEvidence follows the paths of evidence of a workspace that is not the first
// of the key, in which a document has the same id.
func TestAPINamedEvidence(t *testing.T) {
	t.Parallel()
	_, _, workspaces, known := twoPlaces(t)
	s := start(t, workspaces, &server.Options{Authenticator: known})
	for operation, body := range map[string]string{
		"resolve":  `{"address": "text://common#lines=2", "workspaceId": "red"}`,
		"contents": `{"ids": [{"kind": "document", "id": "common"}], "includeRaw": true, "workspaceId": "red"}`,
	} {
		_, _, answer := s.as(bothKey).send("POST", "/v1/"+operation, body)
		_, path, _ := strings.Cut(answer, `"path":"/v1/evidence/`)
		path, _, _ = strings.Cut(path, `"`)
		if status, _, got := s.as(bothKey).send("GET", "/v1/evidence/"+path, ""); status != 200 || !strings.Contains(got, "crimson1 ") {
			t.Errorf("%s: %d %q at %s", operation, status, got, path)
		}
	}
}

// TestAPIEvidence gets bytes, ranges of them, and nothing if they are known.
func TestAPIEvidence(t *testing.T) {
	t.Parallel()
	_, w := newPlace(t, modality.All(), "red", map[string]string{"page.html": "<p>one\n<p>two\n<script>alert(1)</script>\n"})
	s := start(t, []server.Workspace{w}, &server.Options{})
	var made struct{ Path, SHA256 string }
	_, _, body := s.as("").send("POST", "/v1/resolve", `{"address": "text://page#lines=1-2"}`)
	if err := json.Unmarshal([]byte(body), &made); err != nil || made.Path == "" {
		t.Fatal(body)
	}
	status, header, whole := s.as("", "X-Request-Id", "e-1").send("GET", made.Path, "")
	hash := sha256.Sum256([]byte(whole))
	if status != 200 || hex.EncodeToString(hash[:]) != made.SHA256 || header.Get("ETag") != `"`+made.SHA256+`"` {
		t.Errorf("%d %v %q", status, header, whole)
	}
	for name, value := range map[string]string{
		"Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'",
		"Accept-Ranges": "bytes", "Cross-Origin-Resource-Policy": "same-origin", "Referrer-Policy": "no-referrer",
		"Access-Control-Allow-Origin": "",
	} {
		if header.Get(name) != value {
			t.Errorf("%s: %q", name, header.Get(name))
		}
	}
	if status, _, part := s.as("", "Range", "bytes=3-5").send("GET", made.Path, ""); status != 206 || part != whole[3:6] {
		t.Errorf("a range: %d %q", status, part)
	}
	if status, _, part := s.as("", "If-None-Match", header.Get("ETag")).send("GET", made.Path, ""); status != 304 || part != "" {
		t.Errorf("known: %d %q", status, part)
	}
	if status, header, body := s.as("").send("HEAD", made.Path, ""); status != 200 || header.Get("Content-Length") == "" || body != "" {
		t.Errorf("HEAD: %d %v %q", status, header, body)
	}
	if status, header, body := s.as("").send("GET", "/v1/evidence/text:%2F%2Fpage%23lines=9-10", ""); status != 400 || problem(t, header, body) != "invalid_input" {
		t.Errorf("no lines: %d %s", status, body)
	}
	// The work and the bytes are two calls, as of a link.
	made1 := s.journal.await(t, "of the work", func(e server.Event) bool { return e.RequestID == "e-1" && e.Method == "v1/evidence" })
	sent := s.journal.await(t, "of the bytes", func(e server.Event) bool { return e.RequestID == "e-1" && e.Method == "evidence" })
	if made1.Tool != "resolve" || made1.Resource != "page" || made1.Bytes != 0 || sent.Bytes != int64(len(whole)) || sent.Outcome != "ok" {
		t.Errorf("%+v\n%+v", made1, sent)
	}
}

// TestAPIOrigins checks that pages of other sites get nothing but what the settings
// allow, and never with credentials.
func TestAPIOrigins(t *testing.T) {
	t.Parallel()
	_, w := newPlace(t, modality.All(), "red", map[string]string{"a.txt": "one\n"})
	const site = "https://agents.example"
	closed := start(t, []server.Workspace{w}, &server.Options{})
	if status, header, body := closed.as("", "Origin", site).send("POST", "/v1/search", `{"q": "one"}`); status != 403 || problem(t, header, body) != "forbidden" || header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("not configured: %d %v", status, header)
	}
	open := start(t, []server.Workspace{w}, &server.Options{Handler: transport.HandlerOptions{Origins: []string{site, "*"}}})
	status, header, _ := open.as("", "Origin", site, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type,authorization").send("OPTIONS", "/v1/search", "")
	if status != 204 || header.Get("Access-Control-Allow-Origin") != site || header.Get("Access-Control-Allow-Credentials") != "" || !strings.Contains(header.Get("Access-Control-Allow-Headers"), "Content-Type") {
		t.Errorf("preflight: %d %v", status, header)
	}
	if status, header, _ := open.as("", "Origin", site).send("POST", "/v1/search", `{"q": "one"}`); status != 200 || header.Get("Access-Control-Allow-Origin") != site {
		t.Errorf("configured: %d %v", status, header)
	}
	if status, header, _ := open.as("", "Origin", "https://other.example").send("POST", "/v1/search", `{"q": "one"}`); status != 403 || header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another site: %d %v", status, header)
	}
}

// TestAPILimits checks that calls of the JSON interface take the same places as those of
// MCP, and count for the same caller.
func TestAPILimits(t *testing.T) {
	t.Parallel()
	_, _, workspaces, known := twoPlaces(t)
	s := start(t, workspaces, &server.Options{Authenticator: known, Limits: server.Limits{Rate: 0.001, Burst: 5}})
	mine := s.as(redKey).session() // takes some of the calls
	var last int
	var header http.Header
	var body string
	for range 5 {
		last, header, body = mine.send("POST", "/v1/search", `{"q": "scarlet7"}`)
	}
	if last != http.StatusTooManyRequests || header.Get("Retry-After") == "" || problem(t, header, body) != "limited" {
		t.Errorf("%d %v %s", last, header, body)
	}
	s.journal.await(t, "limited", func(e server.Event) bool { return e.Outcome == server.OutcomeLimited && e.Method == "v1/search" })
	if status, _, _ := s.as(blueKey).send("POST", "/v1/search", `{"q": "cobalt7"}`); status != 200 {
		t.Errorf("another caller: %d", status)
	}
}

// TestAPIEnds checks that work ends when the client goes or the key is revoked, and its
// place is free again.
func TestAPIEnds(t *testing.T) {
	t.Parallel()
	slow := newSlow()
	_, workspaces := slowPlace(t, slow)
	known := &keys{grants: map[string]*access.Grant{redKey: {ID: "k-red", Workspaces: []string{"slow"}}}}
	s := start(t, workspaces, &server.Options{Authenticator: known})
	for id, end := range map[string]func(cancel func()){"gone": func(cancel func()) { cancel() }, "revoked": func(func()) { known.revoke(redKey) }} {
		known.grant(redKey, &access.Grant{ID: "k-red", Workspaces: []string{"slow"}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		failed := make(chan error, 1)
		go func() {
			answer, err := s.as(redKey, "X-Request-Id", id).do(ctx, "POST", "/v1/resolve", `{"address": "audio://slow#t=1-2"}`)
			if err == nil {
				_, err = io.ReadAll(answer.Body)
				answer.Body.Close()
			}
			failed <- err
		}()
		<-slow.started
		end(cancel)
		<-slow.cancelled
		if err := <-failed; err == nil {
			t.Errorf("%s: answered", id)
		}
		e := s.journal.await(t, id, func(e server.Event) bool { return e.RequestID == id })
		if e.Outcome != server.OutcomeCancelled || e.Method != "v1/resolve" || e.Resource != "slow" {
			t.Errorf("%s: %+v", id, e)
		}
		if load := s.server.Load(); load.HeavyCalls != 0 {
			t.Errorf("%s: %+v", id, load)
		}
	}
}

// TestAPIWaitsWithMCP checks that the calls of a caller have the same places whichever
// way they come.
func TestAPIWaitsWithMCP(t *testing.T) {
	t.Parallel()
	slow := newSlow()
	_, workspaces := slowPlace(t, slow)
	s := start(t, workspaces, &server.Options{Limits: server.Limits{HeavyCalls: 2, HeavyPerCaller: 1, QueuePerCaller: -1}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	mine := s.as("").session()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if answer, err := mine.do(ctx, "POST", "/mcp", toolCall("resolve", map[string]any{"address": "audio://slow#t=1-2"})); err == nil {
			answer.Body.Close()
		}
	}()
	<-slow.started
	status, header, body := s.as("").send("POST", "/v1/search", `{"q": "a"}`)
	if status != http.StatusTooManyRequests || problem(t, header, body) != "limited" || header.Get("Retry-After") == "" {
		t.Errorf("heavy: %d %s", status, body)
	}
	if status, _, body := s.as("").send("GET", "/v1/resources", ""); status != http.StatusOK {
		t.Errorf("a look-up does not wait: %d %s", status, body)
	}
	cancel()
	<-ended
	<-slow.cancelled
}
