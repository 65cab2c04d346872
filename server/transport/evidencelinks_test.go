package transport_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/server/transport"
	"github.com/citekit/citekit/workspace"
)

// linkedEvidence is what resolve answers over HTTP.
type linkedEvidence struct {
	OutputPath *string `json:"output_path"`
	URL        string  `json:"evidence_url"`
	Expires    string  `json:"evidence_expires"`
	Hint       string  `json:"hint"`
	SHA256     string  `json:"sha256"`
	Size       int64   `json:"size"`
}

// A bearer is a client that sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// authenticate takes any token for that of the user it names.
func authenticate(next http.Handler) http.Handler {
	check := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		if token == "wrong" {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: token, Expiration: time.Now().Add(time.Hour)}, nil
	}
	return auth.RequireBearerToken(check, nil)(next)
}

// overHTTP returns the URL of a server over lib.
func overHTTP(t testing.TB, lib *citekit.Library, opts *mcpadapter.Options, handler *transport.HandlerOptions) string {
	t.Helper()
	handler.Stateless = true
	server := httptest.NewServer(mcpadapter.NewHandler(mcpadapter.NewServer(lib, opts), handler))
	t.Cleanup(server.Close)
	return server.URL
}

// connectHTTP returns a session of the SDK's client over HTTP.
func connectHTTP(t testing.TB, base string, token bearer) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: base + "/mcp", HTTPClient: &http.Client{Transport: token}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// resolved calls resolve and returns what it says, with its link block if there
// is one.
func resolved(t testing.TB, session *mcp.ClientSession, arguments map[string]any) (linkedEvidence, *mcp.ResourceLink) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "resolve", Arguments: arguments})
	if err != nil || result.IsError {
		t.Fatalf("resolve: %v, %v", result, err)
	}
	var e, structured linkedEvidence
	said := result.Content[0].(*mcp.TextContent).Text
	again, err := json.Marshal(result.StructuredContent)
	if err := errors.Join(err, json.Unmarshal([]byte(said), &e), json.Unmarshal(again, &structured)); err != nil {
		t.Fatal(err)
	}
	if structured.URL != e.URL || structured.Expires != e.Expires {
		t.Errorf("the structured content has %+v, the text %+v", structured, e)
	}
	for _, block := range result.Content[1:] {
		if link, ok := block.(*mcp.ResourceLink); ok {
			return e, link
		}
	}
	return e, nil
}

var secondNode = map[string]any{"resource_id": "poem", "node_id": "second"}

// fetch sends a request and returns the response with its body read.
func fetch(t testing.TB, method, url string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func TestEvidenceLink(t *testing.T) {
	lib := mcptest.StandardLibrary(t)
	links := transport.NewEvidenceLinks(lib, nil)
	base := overHTTP(t, lib, &mcpadapter.Options{Links: links}, &transport.HandlerOptions{Links: links})
	before := time.Now().Truncate(time.Second)
	e, link := resolved(t, connectHTTP(t, base, ""), secondNode)
	if e.OutputPath != nil || !strings.HasPrefix(e.URL, base+"/evidence/"+e.SHA256) {
		t.Fatalf("resolve over HTTP says %+v", e)
	}
	if expires, err := time.Parse(time.RFC3339, e.Expires); err != nil || time.Until(expires) > 15*time.Minute || expires.Sub(before) < 15*time.Minute {
		t.Errorf("it works until %s, %v", e.Expires, err)
	}
	if link == nil || link.URI != e.URL || link.MIMEType != "text/plain" || link.Size == nil || *link.Size != e.Size || !strings.HasPrefix(link.Name, "poem_second") {
		t.Errorf("the block is %+v", link)
	}
	response, body := fetch(t, http.MethodGet, e.URL)
	if response.StatusCode != http.StatusOK || body != "three\nfour\nfive\n" {
		t.Fatalf("%s: %q", response.Status, body)
	}
	for name, want := range map[string]string{
		"Content-Type":                 "text/plain; charset=utf-8",
		"Content-Disposition":          `inline; filename="` + link.Name + `"`,
		"Content-Security-Policy":      "sandbox; default-src 'none'",
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Resource-Policy": "cross-origin",
		"Accept-Ranges":                "bytes",
		"Etag":                         `"` + e.SHA256 + `"`,
	} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
	if cached := response.Header.Get("Cache-Control"); !strings.HasPrefix(cached, "private, max-age=") {
		t.Errorf("Cache-Control: %s", cached)
	}
}

// An opaqueStore is a workspace whose evidence has paths that say nothing.
type opaqueStore struct {
	citekit.Workspace
	citekit.EvidenceOpener
}

func (s opaqueStore) FindEvidence(ctx context.Context, key string) (*citekit.StoredEvidence, error) {
	return opaque(s.Workspace.FindEvidence(ctx, key))
}

func (s opaqueStore) StoreEvidence(ctx context.Context, key string, meta citekit.EvidenceMeta, body io.Reader) (*citekit.StoredEvidence, error) {
	return opaque(s.Workspace.StoreEvidence(ctx, key, meta, body))
}

func opaque(stored *citekit.StoredEvidence, err error) (*citekit.StoredEvidence, error) {
	if err != nil {
		return nil, err
	}
	other := *stored
	other.Path = "store:/content"
	return &other, nil
}

// A link has the name of its evidence, whatever path the store made up.
func TestLinkName(t *testing.T) {
	standard := mcptest.StandardLibrary(t)
	lib := citekit.New(opaqueStore{standard.Workspace(), standard.Workspace().(citekit.EvidenceOpener)}, standard.Resolvers(), nil)
	defer lib.Close()
	links := transport.NewEvidenceLinks(lib, nil)
	base := overHTTP(t, lib, &mcpadapter.Options{Links: links}, &transport.HandlerOptions{Links: links})
	e, link := resolved(t, connectHTTP(t, base, ""), secondNode)
	if link == nil || !strings.HasPrefix(link.Name, "poem_second") || !strings.HasSuffix(link.Name, ".txt") {
		t.Fatalf("the block is %+v", link)
	}
	if response, _ := fetch(t, http.MethodGet, e.URL); response.Header.Get("Content-Disposition") != `inline; filename="`+link.Name+`"` {
		t.Errorf("the file is %s", response.Header.Get("Content-Disposition"))
	}
}

func TestEvidenceRequests(t *testing.T) {
	lib := mcptest.StandardLibrary(t)
	links := transport.NewEvidenceLinks(lib, nil)
	base := overHTTP(t, lib, &mcpadapter.Options{Links: links}, &transport.HandlerOptions{Links: links})
	e, _ := resolved(t, connectHTTP(t, base, ""), secondNode)
	tag := `"` + e.SHA256 + `"`
	for name, test := range map[string]struct {
		method string
		header []string
		status int
		body   string
	}{
		"head":          {http.MethodHead, nil, http.StatusOK, ""},
		"range":         {http.MethodGet, []string{"Range", "bytes=6-9"}, http.StatusPartialContent, "four"},
		"end":           {http.MethodGet, []string{"Range", "bytes=-5"}, http.StatusPartialContent, "five\n"},
		"beyond":        {http.MethodGet, []string{"Range", "bytes=99-"}, http.StatusRequestedRangeNotSatisfiable, ""},
		"same":          {http.MethodGet, []string{"If-None-Match", tag}, http.StatusNotModified, ""},
		"same range":    {http.MethodGet, []string{"Range", "bytes=0-4", "If-Range", tag}, http.StatusPartialContent, "three"},
		"another range": {http.MethodGet, []string{"Range", "bytes=0-4", "If-Range", `"other"`}, http.StatusOK, "three\nfour\nfive\n"},
		"post":          {http.MethodPost, nil, http.StatusMethodNotAllowed, ""},
		"options":       {http.MethodOptions, nil, http.StatusMethodNotAllowed, ""},
	} {
		response, body := fetch(t, test.method, e.URL, test.header...)
		if response.StatusCode != test.status || test.body != "" && body != test.body || test.method == http.MethodHead && body != "" {
			t.Errorf("%s: %s, %q", name, response.Status, body)
		}
		if allow := response.Header.Get("Allow"); (allow == "GET, HEAD") != (test.status == http.StatusMethodNotAllowed) {
			t.Errorf("%s: Allow: %q", name, allow)
		}
	}
}

// TestForgedLinks follows links that this server did not give, and some whose
// time is over or whose evidence is gone.
func TestForgedLinks(t *testing.T) {
	lib := mcptest.StandardLibrary(t)
	links := transport.NewEvidenceLinks(lib, nil)
	base := overHTTP(t, lib, &mcpadapter.Options{Links: links}, &transport.HandlerOptions{Links: links})
	session := connectHTTP(t, base, "")
	e, _ := resolved(t, session, secondNode)
	other, _ := resolved(t, session, map[string]any{"resource_id": "poem", "node_id": "first"})
	short := transport.NewEvidenceLinks(lib, &transport.LinkOptions{Lifetime: 1})
	late, _ := resolved(t, connectHTTP(t, overHTTP(t, lib, &mcpadapter.Options{Links: short}, &transport.HandlerOptions{Links: short}), ""), secondNode)
	foreign := transport.NewEvidenceLinks(lib, &transport.LinkOptions{Key: make([]byte, 32), BaseURL: base + "/"})
	others, _ := resolved(t, connectHTTP(t, overHTTP(t, lib, &mcpadapter.Options{Links: foreign}, &transport.HandlerOptions{Links: foreign}), ""), secondNode)
	ticket := e.URL[strings.Index(e.URL, "=")+1:]
	latePath := late.URL[strings.Index(late.URL, "/evidence/"):]
	for name, test := range map[string]struct {
		path   string
		status int
	}{
		"no hash":          {"/evidence/", http.StatusNotFound},
		"a path":           {"/evidence/poem.txt?ticket=" + ticket, http.StatusNotFound},
		"a path above":     {"/evidence/..%2f..%2fetc%2fpasswd?ticket=" + ticket, http.StatusNotFound},
		"upper case":       {"/evidence/" + strings.ToUpper(e.SHA256) + "?ticket=" + ticket, http.StatusNotFound},
		"no ticket":        {"/evidence/" + e.SHA256, http.StatusForbidden},
		"two tickets":      {"/evidence/" + e.SHA256 + "?ticket=" + ticket + "&ticket=" + ticket, http.StatusForbidden},
		"cut":              {"/evidence/" + e.SHA256 + "?ticket=" + ticket[:40], http.StatusForbidden},
		"line breaks":      {"/evidence/" + e.SHA256 + "?ticket=" + strings.Repeat("%0a", len(ticket)), http.StatusForbidden},
		"changed":          {"/evidence/" + e.SHA256 + "?ticket=" + "_" + ticket[1:], http.StatusForbidden},
		"another's ticket": {"/evidence/" + other.SHA256 + "?ticket=" + ticket, http.StatusForbidden},
		"another key":      {others.URL[len(base):], http.StatusForbidden},
		"expired":          {latePath, http.StatusGone},
		"as given":         {e.URL[len(base):], http.StatusOK},
	} {
		response, body := fetch(t, http.MethodGet, base+test.path)
		if response.StatusCode != test.status {
			t.Errorf("%s: %s", name, response.Status)
		}
		if test.status == http.StatusForbidden && body != "This link is not valid. Call resolve for a new one.\n" {
			t.Errorf("%s: %q tells what is wrong", name, body)
		}
		if test.status != http.StatusOK && (response.Header.Get("Cache-Control") != "no-store" || response.Header.Get("X-Content-Type-Options") != "nosniff") {
			t.Errorf("%s: %v", name, response.Header)
		}
	}
}

// TestUsersOfLinks has a link of one user presented by others.
func TestUsersOfLinks(t *testing.T) {
	lib := mcptest.StandardLibrary(t)
	links := transport.NewEvidenceLinks(lib, nil)
	base := overHTTP(t, lib, &mcpadapter.Options{Links: links}, &transport.HandlerOptions{Links: links, Authenticate: authenticate})
	e, _ := resolved(t, connectHTTP(t, base, "ada"), secondNode)
	if strings.Contains(e.URL, "ada") {
		t.Errorf("%s names the user", e.URL)
	}
	for token, want := range map[string]int{"": http.StatusOK, "ada": http.StatusOK, "bob": http.StatusForbidden, "wrong": http.StatusUnauthorized} {
		var header []string
		if token != "" {
			header = []string{"Authorization", "Bearer " + token}
		}
		if response, _ := fetch(t, http.MethodGet, e.URL, header...); response.StatusCode != want {
			t.Errorf("as %q: %s", token, response.Status)
		}
	}
}

// TestDeletedEvidence follows a link when the evidence is gone.
func TestDeletedEvidence(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("poem.txt", []byte(mcptest.Poem))
	if err := ws.WriteMap(t.Context(), "poem", []byte(mcptest.PoemMap)); err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &text.Resolver{}}, nil)
	defer lib.Close()
	links := transport.NewEvidenceLinks(lib, nil)
	base := overHTTP(t, lib, &mcpadapter.Options{Links: links}, &transport.HandlerOptions{Links: links})
	e, _ := resolved(t, connectHTTP(t, base, ""), secondNode)
	if _, err := ingest.Delete(t.Context(), lib, "poem", nil); err != nil {
		t.Fatal(err)
	}
	response, body := fetch(t, http.MethodGet, e.URL)
	if response.StatusCode != http.StatusGone || !strings.Contains(body, "Call resolve") {
		t.Errorf("%s: %s", response.Status, body)
	}
}

// TestNoLinks has servers that cannot give a link.
func TestNoLinks(t *testing.T) {
	lib := mcptest.StandardLibrary(t)
	for name, links := range map[string]*transport.EvidenceLinks{
		"none":        nil,
		"a short key": transport.NewEvidenceLinks(lib, &transport.LinkOptions{Key: []byte("short")}),
	} {
		session := connectHTTP(t, overHTTP(t, lib, &mcpadapter.Options{Links: links}, &transport.HandlerOptions{Links: links}), "")
		e, block := resolved(t, session, secondNode)
		if e.OutputPath != nil || e.URL != "" || e.Expires != "" || block != nil || !strings.Contains(e.Hint, "getContents") {
			t.Errorf("%s: %+v, %v", name, e, block)
		}
		virtual := map[string]any{"resource_id": "poem", "node_id": "second", "virtual": true}
		if e, block := resolved(t, session, virtual); e.Hint != "" || block != nil {
			t.Errorf("%s, virtual: %+v, %v", name, e, block)
		}
	}
}

// TestOlderVersions calls as clients of versions that have no links in answers.
func TestOlderVersions(t *testing.T) {
	lib := mcptest.StandardLibrary(t)
	links := transport.NewEvidenceLinks(lib, nil)
	base := overHTTP(t, lib, &mcpadapter.Options{Links: links}, &transport.HandlerOptions{Links: links})
	for version, want := range map[string]bool{"": false, "2024-11-05": false, "2025-03-26": false, "2025-06-18": true, "2025-11-25": true} {
		said := post(t, base, version, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"resolve","arguments":{"resource_id":"poem","node_id":"second"}}}`)
		if !strings.Contains(said, "evidence_url") || strings.Contains(said, "resource_link") != want {
			t.Errorf("version %q: %s", version, said)
		}
	}
}

// post sends a message as a client of a version of the protocol does, and returns
// the answer.
func post(t testing.TB, base, version, message string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/mcp", strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if version != "" {
		req.Header.Set("Mcp-Protocol-Version", version)
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", response.Status, body, err)
	}
	return string(body)
}

// TestSharedKey has several make the key of one workspace at once: a link of each
// works with all.
func TestSharedKey(t *testing.T) {
	dir := mcptest.NewDirectory(t)
	var running sync.WaitGroup
	found := make([]linkedEvidence, 4)
	bases := make([]string, len(found))
	for i := range found {
		ws, err := workspace.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &text.Resolver{}}, nil)
		t.Cleanup(func() { lib.Close() })
		links := transport.NewEvidenceLinks(lib, nil)
		bases[i] = overHTTP(t, lib, &mcpadapter.Options{Links: links}, &transport.HandlerOptions{Links: links})
		session := connectHTTP(t, bases[i], "")
		running.Go(func() { found[i], _ = resolved(t, session, secondNode) })
	}
	running.Wait()
	for _, e := range found {
		u, err := url.Parse(e.URL)
		if err != nil {
			t.Fatal(err)
		}
		for _, base := range bases {
			if response, body := fetch(t, http.MethodGet, base+u.RequestURI()); response.StatusCode != http.StatusOK {
				t.Errorf("%s: %s", response.Status, body)
			}
		}
	}
}

// A kindResolver makes evidence of the media type that a source's name says.
type kindResolver struct{}

func (kindResolver) Resolve(_ context.Context, src *citekit.Source, _ citekit.Request) (*citekit.Content, error) {
	kind := strings.ReplaceAll(src.Name(), "-", "/")
	return &citekit.Content{Body: io.NopCloser(strings.NewReader("x")), Size: 1, MediaType: kind, Ext: ".x", Charset: charsetOf(kind)}, nil
}

func charsetOf(kind string) string {
	if strings.HasPrefix(kind, "text/") {
		return "windows-1252"
	}
	return ""
}

// TestServedTypes serves evidence of many media types: nothing that a browser
// would run is shown by one.
func TestServedTypes(t *testing.T) {
	ws := workspace.NewMemory(nil)
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: kindResolver{}}, nil)
	defer lib.Close()
	links := transport.NewEvidenceLinks(lib, nil)
	base := overHTTP(t, lib, &mcpadapter.Options{Links: links}, &transport.HandlerOptions{Links: links})
	session := connectHTTP(t, base, "")
	const sandbox = "sandbox; default-src 'none'"
	for i, test := range []struct{ kind, served, disposition, policy string }{
		{"text-html", "text/plain; charset=windows-1252", "inline", sandbox},
		{"application-xhtml+xml", "text/plain", "inline", sandbox},
		{"application-xml", "text/plain", "inline", sandbox},
		{"text-javascript", "text/plain; charset=windows-1252", "inline", sandbox},
		{"text-markdown", "text/markdown; charset=windows-1252", "attachment", sandbox},
		{"image-svg+xml", "image/svg+xml", "attachment", sandbox},
		{"image-png", "image/png", "inline", sandbox},
		{"video-mp4", "video/mp4", "inline", sandbox},
		{"application-pdf", "application/pdf", "inline", "default-src 'none'"},
		{"application-json", "application/json", "attachment", sandbox},
		{"application-octet-stream", "application/octet-stream", "attachment", sandbox},
	} {
		id := fmt.Sprintf("r%d", i)
		ws.AddSource(test.kind, []byte("a\n"))
		data := fmt.Sprintf(`{"resource_id": %q, "type": "text", "title": "", "source_path": %q, "nodes": [{"id": "größe \"x\"", "type": "x", "location": {"modality": "text", "lines": [1, 1]}}]}`, id, test.kind)
		if err := ws.WriteMap(t.Context(), id, []byte(data)); err != nil {
			t.Fatal(err)
		}
		e, link := resolved(t, session, map[string]any{"resource_id": id, "node_id": `größe "x"`})
		h := func() http.Header { r, _ := fetch(t, http.MethodGet, e.URL); return r.Header }()
		if got := h.Get("Content-Type"); got != test.served {
			t.Errorf("%s: %s", test.kind, got)
		}
		if got := h.Get("Content-Security-Policy"); !strings.HasPrefix(got, test.policy) {
			t.Errorf("%s: %s", test.kind, got)
		}
		got := h.Get("Content-Disposition")
		if !strings.HasPrefix(got, test.disposition+`; filename="`) || link == nil || strings.ContainsAny(got, "öß\r\n") {
			t.Errorf("%s: %s", test.kind, got)
		}
	}
}

// FuzzEvidenceLink follows links of any path and query: only that which was given
// opens anything.
func FuzzEvidenceLink(f *testing.F) {
	lib := mcptest.StandardLibrary(f)
	links := transport.NewEvidenceLinks(lib, &transport.LinkOptions{BaseURL: "http://cite.example"})
	e, _ := resolved(f, connectHTTP(f, overHTTP(f, lib, &mcpadapter.Options{Links: links}, &transport.HandlerOptions{Links: links}), ""), secondNode)
	given, err := url.Parse(e.URL)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(given.Path, given.RawQuery)
	f.Add("/evidence/", "ticket=")
	f.Add("/evidence/../../etc/passwd", "ticket=%0a")
	f.Add(given.Path, strings.Replace(given.RawQuery, "=A", "=B", 1))
	f.Fuzz(func(t *testing.T, path, query string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL = &url.URL{Path: path, RawQuery: query}
		links.ServeHTTP(w, r)
		values, _ := url.ParseQuery(query)
		if opened := w.Code == http.StatusOK; opened != (path == given.Path && "ticket="+values.Get("ticket") == given.RawQuery && len(values["ticket"]) == 1) {
			t.Errorf("%d for path %q, query %q", w.Code, path, query)
		}
		if w.Code >= http.StatusInternalServerError {
			t.Errorf("%d: %s", w.Code, w.Body)
		}
	})
}

func BenchmarkEvidenceLink(b *testing.B) {
	ws, err := workspace.Open(mcptest.NewDirectory(b), nil)
	if err != nil {
		b.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &text.Resolver{}}, nil)
	defer lib.Close()
	links := transport.NewEvidenceLinks(lib, nil)
	e, _ := resolved(b, connectHTTP(b, overHTTP(b, lib, &mcpadapter.Options{Links: links}, &transport.HandlerOptions{Links: links}), ""), secondNode)
	given, err := url.Parse(e.URL)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		w := httptest.NewRecorder()
		if links.ServeHTTP(w, &http.Request{Method: http.MethodGet, URL: given}); w.Code != http.StatusOK {
			b.Fatal(w.Code)
		}
	}
}
