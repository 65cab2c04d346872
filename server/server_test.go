package server_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
)

func TestKeysChooseWorkspaces(t *testing.T) {
	_, _, workspaces, known := twoPlaces(t)
	s := start(t, workspaces, &server.Options{Authenticator: known})
	for _, c := range []struct {
		name   string
		client client
		want   string
		not    string
	}{
		{"red", s.as(redKey), "rednotes", "bluenotes"},
		{"blue", s.as(blueKey), "bluenotes", "rednotes"},
		{"the first of both", s.as(bothKey), "bluenotes", "rednotes"},
		{"the second of both", s.as(bothKey, "X-MCP-Workspace", "red"), "rednotes", "bluenotes"},
	} {
		text, _ := c.client.session().tool("listResources", map[string]any{})
		if !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
			t.Errorf("%s: %s", c.name, text)
		}
	}

	// A session is of a workspace: with another one it is not there.
	session := s.as(bothKey).session()
	session.header.Set("X-MCP-Workspace", "red")
	if status, _, body := session.send("POST", "/mcp", message("tools/list", map[string]any{})); status != http.StatusNotFound {
		t.Errorf("a session of blue in red: %d %s", status, body)
	}

	// And of a caller.
	stolen := s.as(redKey).session()
	stolen.header.Set("Authorization", "Bearer "+bothKey)
	stolen.header.Set("X-MCP-Workspace", "red")
	if status, _, body := stolen.send("POST", "/mcp", message("tools/list", map[string]any{})); status != http.StatusNotFound {
		t.Errorf("a session of another key: %d %s", status, body)
	}
}

// TestKeyForOtherWorkspaces checks that the log, and only that, says which
// workspaces a key is for and which the server has.
func TestKeyForOtherWorkspaces(t *testing.T) {
	_, _, workspaces, known := twoPlaces(t)
	known.grants["token-of-another"] = &access.Grant{ID: "k-another", Workspaces: []string{"main"}}
	s := start(t, workspaces, &server.Options{Authenticator: known})
	status, _, body := s.as("token-of-another").send("POST", "/mcp", message("ping", nil))
	if status != 403 || strings.Contains(body, "blue") || strings.Contains(body, "main") {
		t.Errorf("%d %s", status, body)
	}
	await(t, "the reason in the log", func() bool {
		return strings.Contains(s.journal.text(), "the key is for main; the server has the workspaces blue, red")
	})
}

func TestRefusedTokens(t *testing.T) {
	_, _, workspaces, known := twoPlaces(t)
	known.grants["token-of-old"] = &access.Grant{ID: "k-old", Workspaces: []string{"red"}, Expires: time.Now().Add(-time.Second)}
	known.grants["nowhere"] = &access.Grant{ID: "k-nowhere", Workspaces: []string{"gone"}}
	s := start(t, workspaces, &server.Options{Authenticator: known, Metadata: &server.Metadata{Resource: "https://cite.example/mcp", Issuers: []string{"https://id.example"}}})
	const metadata = `resource_metadata="https://cite.example/.well-known/oauth-protected-resource/mcp"`
	for _, c := range []struct {
		name, header string
		status       int
		challenge    string
	}{
		{"none", "", 401, "Bearer " + metadata},
		{"unknown", "Bearer guess", 401, `Bearer error="invalid_token", ` + metadata},
		{"truncated", "Bearer token-of-re", 401, `Bearer error="invalid_token", ` + metadata},
		{"expired", "Bearer token-of-old", 401, `Bearer error="invalid_token", ` + metadata},
		{"basic", "Basic " + redKey, 401, `Bearer error="invalid_request", ` + metadata},
		{"no word", redKey, 401, `Bearer error="invalid_request", ` + metadata},
		{"a list", "Bearer " + redKey + "," + blueKey, 401, `Bearer error="invalid_request", ` + metadata},
		{"huge", "Bearer " + strings.Repeat("x", 20_000), 401, `Bearer error="invalid_request", ` + metadata},
		{"for no workspace", "Bearer nowhere", 403, ""},
	} {
		headers := []string{}
		if c.header != "" {
			headers = append(headers, "Authorization", c.header)
		}
		for _, method := range []string{"POST", "GET", "DELETE"} {
			status, header, body := s.as("", headers...).send(method, "/mcp", "")
			if status != c.status || header.Get("WWW-Authenticate") != c.challenge {
				t.Errorf("%s %s: %d %q %s", method, c.name, status, header.Get("WWW-Authenticate"), body)
			}
			if token := strings.TrimPrefix(c.header, "Bearer "); token != "" && strings.Contains(body+s.journal.text(), token) {
				t.Errorf("%s: the token is told: %s", c.name, body)
			}
		}
	}

	mine, theirs := s.as(redKey, "X-MCP-Workspace", "nought"), s.as(redKey, "X-MCP-Workspace", "blue")
	status, _, body := mine.send("POST", "/mcp", message("ping", nil))
	otherStatus, _, otherBody := theirs.send("POST", "/mcp", message("ping", nil))
	if status != 403 || status != otherStatus || body != otherBody {
		t.Errorf("one that there is not: %d %s; one of others: %d %s", status, body, otherStatus, otherBody)
	}

	status, _, body = s.as("").send("GET", "/.well-known/oauth-protected-resource/mcp", "")
	if status != 200 || !strings.Contains(body, `"authorization_servers":["https://id.example"]`) {
		t.Errorf("metadata: %d %s", status, body)
	}

	known.fail(errors.New("/secret/keys.json: cannot be read"))
	status, header, body := s.as(redKey).send("POST", "/mcp", message("ping", nil))
	if status != 503 || header.Get("Retry-After") == "" || strings.Contains(body, "secret") {
		t.Errorf("without keys: %d %s", status, body)
	}
	if !strings.Contains(s.journal.text(), "/secret/keys.json") {
		t.Errorf("the operator hears nothing of it: %s", s.journal.text())
	}
}

func TestGrantNarrowsTools(t *testing.T) {
	_, _, workspaces, known := twoPlaces(t)
	known.grants["searcher"] = &access.Grant{ID: "k-search", Workspaces: []string{"red"}, Tools: []string{"search"}}
	known.grants["reader"] = &access.Grant{ID: "k-read", Workspaces: []string{"red"}, ReadOnly: true}
	s := start(t, workspaces, &server.Options{Authenticator: known})

	searcher := s.as("searcher").session()
	if list := string(searcher.request("tools/list", nil).Result); strings.Count(list, `"inputSchema"`) != 1 || !strings.Contains(list, `"name":"search"`) {
		t.Errorf("tools of a key for search: %s", list)
	}
	if text, failed := searcher.tool("search", map[string]any{"query": "scarlet7"}); failed || !strings.Contains(text, "rednotes") {
		t.Errorf("search: %s", text)
	}
	for _, tool := range []string{"resolve", "getContents", "listResources", "ingest"} {
		if text, failed := searcher.tool(tool, map[string]any{"address": "text://rednotes#lines=1"}); !failed || !strings.Contains(text, "unknown tool") {
			t.Errorf("%s with a key for search: %s", tool, text)
		}
	}
	// Nor by a wider header, nor by what is beside the tools.
	wide := client{s, searcher.header.Clone(), searcher.http}
	wide.header.Set("X-MCP-Tools", "resolve,search")
	if text, failed := wide.tool("resolve", map[string]any{"address": "text://rednotes#lines=1"}); !failed {
		t.Errorf("a header widens the key: %s", text)
	}
	for _, uri := range []string{"citekit://maps/rednotes", "citekit://nodes/rednotes/x", "text://rednotes#lines=1-2"} {
		r := searcher.request("resources/read", map[string]any{"uri": uri})
		missing := searcher.request("resources/read", map[string]any{"uri": strings.Replace(uri, "rednotes", "absent", 1)})
		if r.Error == nil || stripped(string(r.Error), "rednotes") != stripped(string(missing.Error), "absent") {
			t.Errorf("read %s with a key for search: %s; one that is not there: %s", uri, r.Error, missing.Error)
		}
		if r := searcher.request("resources/subscribe", map[string]any{"uri": uri}); r.Error == nil {
			t.Errorf("subscribe %s with a key for search: %s", uri, r.Result)
		}
	}
	listener := s.as("searcher", "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
	for _, id := range []string{"rednotes", "absent"} {
		status, _, body := listener.send("POST", "/mcp", message("subscriptions/listen", map[string]any{
			"notifications": map[string]any{"resourceSubscriptions": []string{"citekit://maps/" + id}},
			"_meta": map[string]any{
				"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{},
				"io.modelcontextprotocol/clientInfo": map[string]any{"name": "test", "version": "1"},
			},
		}))
		if r := parse(t, body); r.Error == nil || !strings.Contains(string(r.Error), "NOT_FOUND") {
			t.Errorf("listen to %s with a key for search: %d %s", id, status, body)
		}
	}
	if r := searcher.request("resources/list", nil); strings.Contains(string(r.Result), "citekit://maps/") {
		t.Errorf("resources/list with a key for search: %s", r.Result)
	}
	ref := map[string]any{"ref": map[string]any{"type": "ref/resource", "uri": "citekit://maps/{resource_id}"}, "argument": map[string]any{"name": "resource_id", "value": "red"}}
	if r := searcher.request("completion/complete", ref); strings.Contains(string(r.Result), "rednotes") {
		t.Errorf("completion with a key for search: %s", r.Result)
	}

	reader := s.as("reader").session()
	if text, failed := reader.tool("ingest", map[string]any{"path": "common.txt"}); !failed || !strings.Contains(text, "unknown tool") {
		t.Errorf("ingest with a key for reading: %s", text)
	}
	if text, failed := reader.tool("resolve", map[string]any{"address": "text://rednotes#lines=1"}); failed || strings.Contains(text, "evidence_url") {
		t.Errorf("resolve with a key for reading: %s", text)
	}
}

func TestEvidenceIsItsCallers(t *testing.T) {
	_, _, workspaces, known := twoPlaces(t)
	s := start(t, workspaces, &server.Options{Authenticator: known})
	link := s.as(blueKey).session().evidenceLink("text://bluenotes#lines=2-3")
	if status, _, body := s.as("").send("GET", link, ""); status != 200 || body != "cobalt1 is what line 2 says of the harvest.\ncobalt2 is what line 3 says of the harvest.\n" {
		t.Errorf("the link: %d %s", status, body)
	}
	if status, _, body := s.as(blueKey).send("GET", link, ""); status != 200 {
		t.Errorf("its caller: %d %s", status, body)
	}
	if status, _, body := s.as(redKey).send("GET", link, ""); status != 403 || strings.Contains(body, "cobalt") {
		t.Errorf("another caller: %d %s", status, body)
	}
	if status, _, _ := s.as("guess").send("GET", link, ""); status != 401 {
		t.Errorf("a token that is not valid: %d", status)
	}
	e := s.journal.await(t, "evidence", func(e server.Event) bool { return e.Method == "evidence" && e.Outcome == server.OutcomeOK })
	if e.Caller != "k-blue" || e.Workspace != "blue" || e.Bytes != int64(2*len("cobalt1 is what line 2 says of the harvest.\n")) {
		t.Errorf("the event of a link: %+v", e)
	}
	known.revoke(blueKey)
	if status, _, body := s.as("").send("GET", link, ""); status != 403 {
		t.Errorf("a link of a key that was revoked: %d %s", status, body)
	}
}

// evidenceLink resolves an address and returns the path of the link.
func (c client) evidenceLink(address string) string {
	c.t.Helper()
	text, failed := c.tool("resolve", map[string]any{"address": address})
	_, rest, ok := strings.Cut(text, `"evidence_url":"http://`+c.address)
	link, _, _ := strings.Cut(rest, `"`)
	if failed || !ok {
		c.t.Fatalf("resolve %s: %s", address, text)
	}
	return link
}

func TestRevokedDuringACall(t *testing.T) {
	sharedtest.NotShort(t)
	t.Parallel()
	slow := newSlow()
	p, workspaces := slowPlace(t, slow)
	_ = p
	known := &keys{grants: map[string]*access.Grant{"a": {ID: "k-a", Workspaces: []string{"slow"}}, "b": {ID: "k-b", Workspaces: []string{"slow"}}}}
	s := start(t, workspaces, &server.Options{Authenticator: known})
	session := s.as("a").session()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	stream, err := session.do(ctx, "GET", "/mcp", "")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	ended := make(chan string, 1)
	go func() {
		answer, err := session.do(ctx, "POST", "/mcp", toolCall("resolve", map[string]any{"address": "audio://slow#t=1-2"}))
		if err != nil {
			ended <- err.Error()
			return
		}
		answer.Body.Close()
		ended <- answer.Status
	}()
	<-slow.started
	known.revoke("a")
	<-slow.cancelled // the call has ended
	<-ended
	s.journal.await(t, "the call that was ended", func(e server.Event) bool { return e.Tool == "resolve" && e.Outcome == server.OutcomeCancelled })
	_, _ = io.Copy(io.Discard, stream.Body) // ends with the stream
	if ctx.Err() != nil {
		t.Error("the stream of a revoked key goes on")
	}
	if status, _, _ := session.send("POST", "/mcp", message("ping", nil)); status != 401 {
		t.Errorf("after it: %d", status)
	}
	if text, failed := s.as("b").session().tool("listResources", map[string]any{}); failed {
		t.Errorf("another key: %s", text)
	}
}

// regrantingKeys are keys that also tell what they are for at the moment.
type regrantingKeys struct{ *keys }

// Granted implements [server.Regranter].
func (r regrantingKeys) Granted(id string) *access.Grant {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.grants {
		if g.ID == id {
			return g
		}
	}
	return nil
}

// TestNarrowedDuringAStream has a key be for fewer tools: the stream that it has open
// ends, and what it begins then has fewer. That of another goes on.
func TestNarrowedDuringAStream(t *testing.T) {
	sharedtest.NotShort(t)
	t.Parallel()
	_, workspaces := slowPlace(t, newSlow())
	known := regrantingKeys{&keys{grants: map[string]*access.Grant{"a": {ID: "k-a", Workspaces: []string{"slow"}}, "b": {ID: "k-b", Workspaces: []string{"slow"}}}}}
	s := start(t, workspaces, &server.Options{Authenticator: known})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	a, b := s.as("a").session(), s.as("b").session()
	stream, err := a.do(ctx, "GET", "/mcp", "")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	known.mu.Lock()
	known.grants["a"] = &access.Grant{ID: "k-a", Workspaces: []string{"slow"}, Tools: []string{"getNode"}}
	known.mu.Unlock()
	_, _ = io.Copy(io.Discard, stream.Body) // ends with the stream
	if ctx.Err() != nil {
		t.Fatal("the stream of a key that is for less goes on")
	}
	if _, failed := s.as("a").session().tool("getNode", map[string]any{"resource_id": "none", "node_id": "none"}); !failed {
		t.Error("a node that there is not")
	}
	if text, failed := b.tool("listResources", map[string]any{}); failed {
		t.Errorf("another key: %s", text)
	}
}

func TestProbes(t *testing.T) {
	sharedtest.NotShort(t)
	t.Parallel()
	_, _, workspaces, known := twoPlaces(t)
	broken := make(chan error, 1)
	workspaces[0].Ready = func(context.Context) error {
		select {
		case err := <-broken:
			broken <- err
			return err
		default:
			return nil
		}
	}
	s := start(t, workspaces, &server.Options{Authenticator: known, Ready: map[string]func(context.Context) error{"keys": func(context.Context) error { return nil }}})
	if status, _, body := s.as("").send("GET", "/healthz", ""); status != 200 || body != "ok\n" {
		t.Errorf("healthz: %d %s", status, body)
	}
	if status, _, body := s.as("").send("GET", "/readyz", ""); status != 200 || body != "{\"ready\":true}\n" {
		t.Errorf("readyz: %d %s", status, body)
	}
	broken <- errors.New("/srv/red: gone")
	var status int
	var body string
	for end := time.Now().Add(patience); time.Now().Before(end) && status != 503; time.Sleep(50 * time.Millisecond) {
		status, _, body = s.as("").send("GET", "/readyz", "")
	}
	if status != 503 || body != "{\"ready\":false,\"failing\":[\"workspaces\"]}\n" {
		t.Errorf("readyz of a workspace that is gone: %d %s", status, body)
	}
	if !strings.Contains(s.journal.text(), "/srv/red: gone") {
		t.Error("the operator does not hear why")
	}
	// What works goes on.
	if text, failed := s.as(blueKey).session().tool("listResources", map[string]any{}); failed {
		t.Errorf("blue: %s", text)
	}
}

func TestNames(t *testing.T) {
	_, w := newPlace(t, nil, "a", nil)
	for _, workspaces := range [][]server.Workspace{nil, {w, w}, {{Name: "", Hosted: w.Hosted}}, {{Name: "a/b", Hosted: w.Hosted}}, {{Name: ".a"}}, {{Name: strings.Repeat("a", 65)}}, {{Name: "ä"}}} {
		if _, err := server.New(workspaces, nil); err == nil {
			t.Errorf("%v: no error", workspaces)
		}
	}
}

// TestAnswersBeforeTheBody: who is refused hears so at once, though the body that
// was announced never comes.
func TestAnswersBeforeTheBody(t *testing.T) {
	sharedtest.NotShort(t)
	t.Parallel()
	_, _, workspaces, known := twoPlaces(t)
	s := start(t, workspaces, &server.Options{Authenticator: known, Handler: transport.HandlerOptions{BodyTimeout: time.Hour}})
	for _, head := range []string{"POST /mcp HTTP/1.1\r\nContent-Length: 200\r\n", "POST /nosuch HTTP/1.1\r\nContent-Length: 200\r\n", "POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\nAuthorization: Bearer guess\r\n"} {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, head+"Host: "+s.address+"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%q: %v", head, err)
		}
		if answer.StatusCode != 401 && answer.StatusCode != 404 {
			t.Errorf("%q: %s", head, answer.Status)
		}
	}
}

// TestIdentifyWithoutGrant: a handler holds who embeds it to the grant.
func TestIdentifyWithoutGrant(t *testing.T) {
	_, _, workspaces, _ := twoPlaces(t)
	hosted := make(map[string]transport.Hosted)
	for _, w := range workspaces {
		hosted[w.Name] = w.Hosted
	}
	red := &access.Grant{ID: "k-red", Workspaces: []string{"red"}}
	handler := transport.NewWorkspacesHandler(hosted, &transport.HandlerOptions{Authenticate: auth.RequireBearerToken(func(_ context.Context, _ string, r *http.Request) (*auth.TokenInfo, error) {
		return transport.Identify(red, r.Header.Get("X-Mcp-Workspace")), nil
	}, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})})
	for workspace, status := range map[string]int{"red": 200, "blue": 400, "nought": 400, "": 400} {
		r := httptest.NewRequest("POST", "http://127.0.0.1/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`))
		r.Header = http.Header{"Authorization": {"Bearer x"}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "X-Mcp-Workspace": {workspace}}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		if answer.Code != status {
			t.Errorf("%q: %d %s", workspace, answer.Code, answer.Body)
		}
	}
}

// TestOpenListener: without tokens a server listens to this machine alone.
func TestOpenListener(t *testing.T) {
	_, w := newPlace(t, modality.All(), "a", map[string]string{"a.txt": "one\n"})
	s := start(t, []server.Workspace{w}, &server.Options{})
	if text, failed := s.as("").session().tool("listResources", map[string]any{}); failed || !strings.Contains(text, `"a"`) {
		t.Errorf("without tokens: %s", text)
	}
	open, err := server.New([]server.Workspace{w}, nil)
	if err != nil {
		t.Fatal(err)
	}
	listener := listenEverywhere(t)
	if err := open.Serve(t.Context(), listener, nil); !errors.Is(err, transport.ErrOpenListener) {
		t.Errorf("on %s: %v", listener.Addr(), err)
	}
}
