package server_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
	"github.com/citekit/citekit/viewer"
)

// signIn begins a session of a browser with a token, and returns a client in it.
func (r *runningServer) signIn(token string) client {
	r.t.Helper()
	status, header, body := r.as(token).send("POST", "/view/-/session", "")
	cookie, _, _ := strings.Cut(header.Get("Set-Cookie"), ";")
	if status != 200 || cookie == "" {
		r.t.Fatalf("signing in: %d %s", status, body)
	}
	return r.as("", "Cookie", cookie, "Origin", "http://"+r.address, "Sec-Fetch-Site", "same-origin")
}

// TestViewSessions checks that the session of a browser may do what the key of its caller
// may, as long as it may.
func TestViewSessions(t *testing.T) {
	_, red := newPlace(t, modality.All(), "red", map[string]string{"rednotes.md": "# Red\n\nscarlet7 says hello.\n"})
	_, blue := newPlace(t, modality.All(), "blue", map[string]string{"bluenotes.md": "# Blue\n\nazure9 says hello.\n"})
	known := regrantingKeys{&keys{grants: map[string]*access.Grant{
		redKey: {ID: "k-red", Workspaces: []string{"red"}}, blueKey: {ID: "k-blue", Workspaces: []string{"blue"}, Tools: []string{"listResources"}},
		bothKey: {ID: "k-both", Workspaces: []string{"blue", "red"}}, "brief": {ID: "k-brief", Workspaces: []string{"red"}, Expires: time.Now().Add(time.Hour)},
	}}}
	s := start(t, []server.Workspace{red, blue}, &server.Options{
		Authenticator: known, Version: "1.2.3", Handler: transport.HandlerOptions{View: viewer.NewPages(&viewer.Options{Version: "1.2.3"})},
	})
	const search = `{"q": "hello"}`
	in := func(workspace string) string { return `{"q": "hello", "workspaceId": "` + workspace + `"}` }

	if status, header, body := s.as("wrong").send("POST", "/view/-/session", ""); status != 401 || header.Get("Set-Cookie") != "" {
		t.Errorf("a wrong key: %d %s", status, body)
	}
	if status, _, body := s.as("").send("GET", "/view/doc://book%23pages=1?q=x", ""); status != 200 || !strings.Contains(body, "<html") {
		t.Errorf("a page: %d %s", status, body)
	}
	if status, _, body := s.as("").send("GET", "/view/-/session", ""); status != 200 || body != `{"signedIn":false,"needed":true,"workspaces":[]}`+"\n" {
		t.Errorf("signed out: %d %s", status, body)
	}
	both := s.signIn(bothKey)
	if _, _, body := both.send("GET", "/view/-/session", ""); body != `{"signedIn":true,"needed":true,"workspaces":["blue","red"],"version":"1.2.3"}`+"\n" {
		t.Errorf("signed in: %s", body)
	}
	for body, want := range map[string]string{search: "azure9", in("blue"): "azure9", in("red"): "scarlet7"} {
		if status, _, got := both.send("POST", "/v1/search", body); status != 200 || !strings.Contains(got, want) {
			t.Errorf("%s: %d %s", body, status, got)
		}
	}
	one := s.signIn(redKey)
	if status, _, got := one.send("POST", "/v1/search", in("red")); status != 200 || !strings.Contains(got, "scarlet7") {
		t.Errorf("its own workspace: %d %s", status, got)
	}
	if status, _, got := one.send("POST", "/v1/search", in("blue")); status == 200 || strings.Contains(got, "azure9") {
		t.Errorf("another's workspace: %d %s", status, got)
	}
	few := s.signIn(blueKey)
	if status, _, _ := few.send("POST", "/v1/search", search); status != 403 {
		t.Errorf("a tool that the key is not for: %d", status)
	}
	if status, _, body := few.send("GET", "/v1/resources", ""); status != 200 {
		t.Errorf("a tool that it is for: %d %s", status, body)
	}
	if status, _, _ := one.send("POST", "/mcp", toolCall("listResources", nil)); status != 401 {
		t.Errorf("MCP by the cookie: %d", status)
	}

	known.grant(bothKey, &access.Grant{ID: "k-both", Workspaces: []string{"blue"}})
	if status, _, got := both.send("POST", "/v1/search", in("red")); status == 200 || strings.Contains(got, "scarlet7") {
		t.Errorf("a workspace that was taken away: %d %s", status, got)
	}
	known.revoke(redKey)
	if status, _, _ := one.send("POST", "/v1/search", search); status != 401 {
		t.Errorf("a revoked key: %d", status)
	}
	if status, header, body := one.send("GET", "/view/-/session", ""); status != 200 || !strings.Contains(body, `"signedIn":false`) || !strings.Contains(header.Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("the session of a revoked key: %d %v %s", status, header, body)
	}
	known.grant(redKey, &access.Grant{ID: "k-red", Workspaces: []string{"red"}})
	if status, _, _ := one.send("POST", "/v1/search", search); status != 401 {
		t.Errorf("the session of a key that was revoked once: %d", status)
	}
	brief := s.signIn("brief")
	known.grant("brief", &access.Grant{ID: "k-brief", Workspaces: []string{"red"}, Expires: time.Now().Add(-time.Second)})
	if status, _, _ := brief.send("POST", "/v1/search", search); status != 401 {
		t.Errorf("a token that has expired: %d", status)
	}
	known.fail(errors.New("the file of keys is gone"))
	if status, _, _ := both.send("GET", "/view/-/session", ""); status != http.StatusServiceUnavailable {
		t.Errorf("while keys cannot be checked: %d", status)
	}
	known.fail(nil)
	if status, _, body := both.send("GET", "/view/-/session", ""); status != 200 || !strings.Contains(body, `"signedIn":true`) {
		t.Errorf("afterwards: %d %s", status, body)
	}
	for _, secret := range []string{redKey, bothKey, blueKey} {
		if text := s.journal.text(); strings.Contains(text, secret) {
			t.Errorf("the log has a key: %s", text)
		}
	}
}

// TestViewSessionIsCut checks that an answer to a browser ends when the key of its session
// is revoked.
func TestViewSessionIsCut(t *testing.T) {
	const size = 24 << 20
	_, red := newPlace(t, modality.All(), "red", map[string]string{"sound.wav": silence(size)})
	known := regrantingKeys{&keys{grants: map[string]*access.Grant{redKey: {ID: "k-red", Workspaces: []string{"red"}}}}}
	s := start(t, []server.Workspace{red}, &server.Options{Authenticator: known, Handler: transport.HandlerOptions{View: viewer.NewPages(nil)}})
	browser := s.signIn(redKey)
	browser.header.Del("Content-Type")
	download := browser.begin("GET", "/v1/evidence/audio:%2F%2Fsound%23t=0-3000", "")
	known.revoke(redKey)
	s.journal.await(t, "the end of the download", func(e server.Event) bool {
		return e.Method == "evidence" && e.Caller == "k-red" && e.Outcome == server.OutcomeCancelled
	})
	if rest, err := io.Copy(io.Discard, download); rest > size/4 {
		t.Errorf("%d of %d bytes, %v", rest, size, err)
	}
}

// TestViewWithoutKeys checks that pages need no session where nobody authenticates.
func TestViewWithoutKeys(t *testing.T) {
	_, red := newPlace(t, modality.All(), "red", map[string]string{"rednotes.md": "# Red\n\nscarlet7 says hello.\n"})
	s := start(t, []server.Workspace{red}, &server.Options{Handler: transport.HandlerOptions{View: viewer.NewPages(nil)}})
	if _, header, body := s.as("").send("GET", "/view/-/session", ""); body != `{"signedIn":true,"needed":false,"workspaces":["red"]}`+"\n" || header.Get("Set-Cookie") != "" {
		t.Errorf("%s", body)
	}
	if status, _, body := s.as("").send("POST", "/v1/search", `{"q": "hello"}`); status != 200 || !strings.Contains(body, "scarlet7") {
		t.Errorf("%d %s", status, body)
	}
}

// TestViewLinks checks that hits, citations and evidence lead to their pages, over MCP and
// the JSON interface, if it is known where browsers find the server.
func TestViewLinks(t *testing.T) {
	c := openCorpus(t, map[string]string{"rednotes.md": "# Red\n\nThe scarlet kettle boils at noon.\n", "blue.md": "# Harbour\n\nThe tide turns at six. Boats leave the harbour before dawn.\n"})
	for _, base := range []string{"https://cite.example", ""} {
		pages := viewer.NewPages(&viewer.Options{BaseURL: base})
		handler := c.Handler(&transport.HandlerOptions{View: pages})
		s := serveHandler(t, handler)
		want := `"link":"https://cite.example/view/text://`
		const quoted = `?q=The+scarlet+kettle+boils+at+noon.`
		session := s.as("").session()
		for tool, test := range map[string]struct {
			arguments map[string]any
			want      string
		}{
			"search":      {map[string]any{"query": "kettle"}, want},
			"answer":      {map[string]any{"question": "When does the tide turn?"}, "?q=The+tide+turns+at+six."},
			"verify":      {map[string]any{"quote": "The scarlet kettle boils at noon."}, quoted},
			"resolve":     {map[string]any{"address": "text://rednotes#lines=3-3"}, want + `rednotes%23lines=3-3"`},
			"getContents": {map[string]any{"ids": []string{"text://rednotes#lines=3-3"}}, want + `rednotes%23lines=3-3"`},
		} {
			text, failed := session.tool(tool, test.arguments)
			if failed || base != "" && !(strings.Contains(text, want) && strings.Contains(text, test.want)) || base == "" && strings.Contains(text, `"link"`) {
				t.Errorf("%q: %s: %s", base, tool, text)
			}
		}
		if text, failed := session.tool("verify", map[string]any{"quote": "The scarlet kettle boils at dawn.", "address": "text://rednotes"}); failed || strings.Contains(text, "?q=") {
			t.Errorf("words that do not stand there are linked: %s", text)
		}
		for path, test := range map[string]struct{ body, want string }{
			"/v1/search":  {`{"q": "kettle"}`, want},
			"/v1/answer":  {`{"question": "When does the tide turn?"}`, "?q=The+tide+turns+at+six."},
			"/v1/verify":  {`{"quote": "The scarlet kettle boils at noon."}`, quoted},
			"/v1/cite":    {`{"address": "rednotes", "quote": "kettle boils"}`, "?q=kettle+boils"},
			"/v1/resolve": {`{"address": "text://rednotes#lines=3-3"}`, want + `rednotes%23lines=3-3"`},
		} {
			status, _, text := s.as("").send("POST", path, test.body)
			if status != 200 || base != "" && !(strings.Contains(text, want) && strings.Contains(text, test.want)) || base == "" && strings.Contains(text, `"link"`) {
				t.Errorf("%q: %s: %d %s", base, path, status, text)
			}
		}
	}
}

// openCorpus opens a folder with files, which are mapped.
func openCorpus(t *testing.T, files map[string]string) *corpus.Corpus {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := corpus.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := c.Ingest(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// serveHandler serves a handler until the test ends.
func serveHandler(t *testing.T, handler http.Handler) *runningServer {
	t.Helper()
	running := httptest.NewServer(handler)
	t.Cleanup(running.Close)
	return &runningServer{t: t, address: strings.TrimPrefix(running.URL, "http://"), journal: new(journal)}
}
