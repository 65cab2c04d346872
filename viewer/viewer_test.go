package viewer_test

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/server/transport"
	"github.com/citekit/citekit/viewer"
)

const key = "the-key-of-the-test"

// A site is a server with pages.
type site struct {
	t    *testing.T
	view *viewer.Handler
	base string
}

// open serves the pages of a folder with files.
func open(t *testing.T, key string) *site {
	t.Helper()
	view := viewer.New(folder(t).Service(nil), &viewer.Options{Version: "1.2.3", Key: key})
	server := httptest.NewServer(view)
	t.Cleanup(server.Close)
	return &site{t, view, server.URL}
}

// folder opens a folder with mapped files.
func folder(t *testing.T) *corpus.Corpus {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"notes.txt":   "one\nthe kettle boils at noon\nthree\n",
		"page.html":   "<html><body><h1>Tides</h1><script>alert(1)</script><p>High water at noon.</p></body></html>",
		"drawing.svg": `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>`,
	} {
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

// An answer is one of the server.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request, whose path is sent as it is, with headers and their values in turn.
func (s *site) ask(method, path, body string, header ...string) answer {
	s.t.Helper()
	u, err := url.Parse(s.base)
	if err != nil {
		s.t.Fatal(err)
	}
	path, query, _ := strings.Cut(path, "?")
	r := &http.Request{Method: method, URL: &url.URL{Scheme: "http", Host: u.Host, Opaque: path, RawQuery: query}, Header: make(http.Header)}
	if body != "" {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Set(header[i], header[i+1])
	}
	got, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(r.WithContext(s.t.Context()))
	if err != nil {
		s.t.Fatal(err)
	}
	defer got.Body.Close()
	data, err := io.ReadAll(got.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{got.StatusCode, got.Header, string(data)}
}

// cookie returns the cookie that an answer sets, as requests send it.
func (a answer) cookie() string {
	pair, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	return pair
}

// signIn begins a session, and returns its cookie.
func (s *site) signIn() string {
	s.t.Helper()
	a := s.ask("POST", "/view/-/session", fmt.Sprintf(`{"token": %q}`, s.view.Pages.Invite(key)), "Origin", s.base, "Sec-Fetch-Site", "same-origin")
	if a.status != 200 || a.cookie() == "" {
		s.t.Fatalf("signing in: %d %s", a.status, a.body)
	}
	return a.cookie()
}

const search = `{"q": "kettle"}`

// TestSession checks what begins and ends a session, and what it is good for.
func TestSession(t *testing.T) {
	s := open(t, key)
	once := fmt.Sprintf(`{"token": %q}`, s.view.Pages.Invite(key))
	if a := s.ask("GET", "/view/-/session", ""); a.body != `{"signedIn":false,"needed":true,"workspaces":[]}`+"\n" {
		t.Errorf("before: %s", a.body)
	}
	begun := s.ask("POST", "/view/-/session", once)
	for _, attribute := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if set := begun.header.Get("Set-Cookie"); !strings.Contains(set, "; "+attribute) || strings.Contains(set, "Secure") {
			t.Errorf("the cookie over http: %s", set)
		}
	}
	if begun.status != 200 || begun.body != `{"signedIn":true,"needed":true,"workspaces":[],"version":"1.2.3"}`+"\n" || begun.header.Get("Cache-Control") != "no-store" {
		t.Errorf("begun: %d %s", begun.status, begun.body)
	}
	if a := s.ask("POST", "/view/-/session", once); a.status != 401 || a.cookie() != "" {
		t.Errorf("a token works twice: %d %s", a.status, a.body)
	}
	if a := s.ask("POST", "/view/-/session", `{"token": "x"}`); a.status != 401 || a.cookie() != "" {
		t.Errorf("any token: %d", a.status)
	}
	for _, body := range []string{"", "{}", `{"token": ""}`, `{"token": 1}`, "["} {
		if a := s.ask("POST", "/view/-/session", body); a.status != 400 || a.cookie() != "" {
			t.Errorf("%s: %d", body, a.status)
		}
	}
	if a := s.ask("POST", "/view/-/session", "", "Authorization", "Bearer "+key); a.status != 200 || a.cookie() == "" || a.cookie() == begun.cookie() {
		t.Errorf("with the key: %d", a.status)
	}
	if a := s.ask("POST", "/view/-/session", "", "Authorization", "Bearer x"); a.status != 401 || a.cookie() != "" || a.header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("with a wrong key: %d %v", a.status, a.header)
	}
	if a := s.ask("POST", "/view/-/session", strings.Repeat(" ", 5000)); a.status != 413 {
		t.Errorf("a long body: %d", a.status)
	}
	if a := s.ask("PUT", "/view/-/session", ""); a.status != 405 {
		t.Errorf("PUT: %d", a.status)
	}
	if a := s.ask("GET", "/v1/info", "", "Cookie", begun.cookie()); a.status != 200 || !strings.Contains(a.body, `"resources":`) {
		t.Errorf("in the session: %d %s", a.status, a.body)
	}
	if a := s.ask("POST", "/v1/search", search, "Cookie", begun.cookie(), "Origin", s.base); a.status != 200 || !strings.Contains(a.body, "text://notes") {
		t.Errorf("in the session: %d %s", a.status, a.body)
	}
	if a := s.ask("GET", "/view/-/session", "", "Cookie", begun.cookie()); !strings.Contains(a.body, `"signedIn":true`) {
		t.Errorf("in the session: %s", a.body)
	}
	if a := s.ask("DELETE", "/view/-/session", "", "Cookie", begun.cookie()); a.status != 403 {
		t.Errorf("ended by anybody: %d", a.status)
	}
	if a := s.ask("DELETE", "/view/-/session", "", "Cookie", begun.cookie(), "Origin", s.base); a.status != 200 || !strings.Contains(a.header.Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("ended: %d %v", a.status, a.header)
	}
	if a := s.ask("GET", "/v1/info", "", "Cookie", begun.cookie()); a.status != 401 {
		t.Errorf("after the end: %d", a.status)
	}
}

// everyPath returns the methods and paths of the JSON interface, as it describes them.
func (s *site) everyPath() (all [][2]string) {
	s.t.Helper()
	var described struct {
		Paths map[string]map[string]json.RawMessage
	}
	if a := s.ask("GET", "/v1/openapi.json", "", "Authorization", "Bearer "+key); json.Unmarshal([]byte(a.body), &described) != nil {
		s.t.Fatalf("the description: %d %.300s", a.status, a.body)
	}
	for path, methods := range described.Paths {
		for _, name := range []string{"{address}", "{id}", "{path}"} {
			path = strings.ReplaceAll(path, name, "text:%2F%2Fnotes")
		}
		for method := range methods {
			all = append(all, [2]string{strings.ToUpper(method), path})
		}
	}
	if len(all) < 10 {
		s.t.Fatalf("only %v", all)
	}
	slices.SortFunc(all, func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) })
	return all
}

// TestNobodyElse checks that programs of other users, and the browsers of other servers,
// get nothing of the JSON interface.
func TestNobodyElse(t *testing.T) {
	s, other := open(t, key), open(t, key)
	foreign := other.signIn()
	_, id, _ := strings.Cut(foreign, "=")
	u, _ := url.Parse(s.base)
	own := "citekit_session_" + u.Port()
	good := s.signIn()
	if !strings.HasPrefix(good, own+"=") {
		t.Fatalf("the cookie is %s", good)
	}
	for _, operation := range s.everyPath() {
		for name, header := range map[string][]string{
			"nothing": nil, "another key": {"Authorization", "Bearer x"}, "no scheme": {"Authorization", key}, "another scheme": {"Authorization", "Basic " + key},
			"the cookie of another server": {"Cookie", foreign}, "its id": {"Cookie", own + "=" + id}, "no id": {"Cookie", own + "="},
			"the key as an id": {"Cookie", own + "=" + key}, "two cookies": {"Cookie", good + "; " + own + "=x"},
			"a wrong key and the cookie": {"Authorization", "Bearer x", "Cookie", good},
		} {
			if a := s.ask(operation[0], operation[1], "", append(header, "Origin", s.base)...); a.status != 401 {
				t.Errorf("%s: %s %s: %d %.200s", name, operation[0], operation[1], a.status, a.body)
			}
		}
	}
	for _, path := range []string{"/mcp", "/sse", "/evidence/" + strings.Repeat("0", 64), "/healthz", "/v1", "/other"} {
		if a := s.ask("GET", path, "", "Cookie", good); a.status != 404 && a.status/100 != 3 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}

// TestCookieIsForPages checks that MCP takes keys alone.
func TestCookieIsForPages(t *testing.T) {
	pages := viewer.NewPages(nil)
	let := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+key {
				http.Error(w, "no", http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	server := httptest.NewServer(folder(t).Handler(&transport.HandlerOptions{View: pages, Authenticate: let, SSE: true}))
	t.Cleanup(server.Close)
	s := &site{t, &viewer.Handler{Pages: pages}, server.URL}
	cookie := s.signIn()
	if a := s.ask("GET", "/v1/info", "", "Cookie", cookie); a.status != 200 {
		t.Errorf("/v1/info: %d", a.status)
	}
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, path := range []string{"/mcp", "/sse"} {
		if a := s.ask("POST", path, initialize, "Cookie", cookie, "Origin", s.base); a.status != 401 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
		if a := s.ask("GET", path, "", "Cookie", cookie); a.status != 401 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

// TestOtherPages checks that pages of other sites get nothing by a browser that has a
// session, whatever it sends.
func TestOtherPages(t *testing.T) {
	s := open(t, key)
	cookie := s.signIn()
	evidence := "/v1/evidence/" + url.PathEscape("text://notes#lines=1-2")
	if a := s.ask("GET", evidence, "", "Cookie", cookie, "Sec-Fetch-Site", "same-origin"); a.status != 200 || !strings.Contains(a.body, "kettle") {
		t.Fatalf("%s: %d %s", evidence, a.status, a.body)
	}
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.base, "http://"))
	for name, header := range map[string][]string{
		"another site":         {"Sec-Fetch-Site", "cross-site"},
		"another port":         {"Sec-Fetch-Site", "same-site"},
		"a picture":            {"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"},
		"a link":               {"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"},
		"a frame":              {"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"},
		"another origin":       {"Origin", "http://evil.example"},
		"a sandbox":            {"Origin", "null"},
		"an origin of a port":  {"Origin", "http://127.0.0.1:1"},
		"an origin like ours":  {"Origin", s.base + ".evil.example"},
		"a rebound name":       {"Host", "evil.example:" + port},
		"a rebound own origin": {"Host", "evil.example:" + port, "Origin", "http://evil.example:" + port, "Sec-Fetch-Site", "same-origin"},
	} {
		header = append(header, "Cookie", cookie)
		for _, ask := range [][3]string{
			{"GET", evidence, ""}, {"HEAD", evidence, ""}, {"GET", "/v1/resources", ""}, {"GET", "/v1/pictures/" + url.PathEscape("doc://book#pages=1"), ""},
			{"POST", "/v1/search", search}, {"POST", "/view/-/session", fmt.Sprintf(`{"token": %q}`, s.view.Pages.Invite(key))}, {"DELETE", "/view/-/session", ""}, {"PUT", "/v1/files/x.txt", "{}"},
		} {
			a := s.ask(ask[0], ask[1], ask[2], header...)
			if a.status != 403 || a.cookie() != "" || strings.Contains(a.body, "kettle") || a.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s: %s %s: %d %.200s", name, ask[0], ask[1], a.status, a.body)
			}
		}
	}
	// Without a word of where it comes from, a request changes and computes nothing.
	if a := s.ask("POST", "/v1/search", search, "Cookie", cookie); a.status != 401 {
		t.Errorf("POST without an origin: %d", a.status)
	}
	// A link on another site leads to a page, which holds nothing, and not into a frame.
	link := "/view/text://notes%23lines=1"
	if a := s.ask("GET", link, "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"); a.status != 200 || strings.Contains(a.body, "kettle") {
		t.Errorf("a link to a page: %d", a.status)
	}
	for _, dest := range []string{"iframe", "script", "empty", ""} {
		if a := s.ask("GET", link, "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", dest); a.status != 403 {
			t.Errorf("a page as %s: %d", dest, a.status)
		}
	}
}

// TestListedOrigin checks that pages of a site that may call with keys of its own may not
// with the sessions of others.
func TestListedOrigin(t *testing.T) {
	view := viewer.New(folder(t).Service(nil), &viewer.Options{Key: key, Handler: transport.HandlerOptions{Origins: []string{"http://localhost:3000"}}})
	server := httptest.NewServer(view)
	t.Cleanup(server.Close)
	s := &site{t, view, server.URL}
	cookie := s.signIn()
	for _, site := range []string{"same-site", "cross-site"} {
		a := s.ask("POST", "/v1/search", search, "Cookie", cookie, "Origin", "http://localhost:3000", "Sec-Fetch-Site", site)
		if a.status != 401 || a.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %d %v", site, a.status, a.header)
		}
	}
	if a := s.ask("POST", "/view/-/session", "", "Authorization", "Bearer "+key, "Origin", "http://localhost:3000", "Sec-Fetch-Site", "same-site"); a.status != 403 || a.cookie() != "" {
		t.Errorf("it begins a session: %d %s", a.status, a.body)
	}
	if a := s.ask("POST", "/v1/search", search, "Authorization", "Bearer "+key, "Origin", "http://localhost:3000", "Sec-Fetch-Site", "cross-site"); a.status != 200 {
		t.Errorf("with the key: %d", a.status)
	}
}

// TestPages checks that each path is a page, that files have no other paths, and what
// browsers are told of both.
func TestPages(t *testing.T) {
	s := open(t, key)
	index := s.ask("GET", "/view/", "")
	if index.status != 200 || !strings.Contains(index.body, "<html") {
		t.Fatalf("the page: %d %s", index.status, index.body)
	}
	for _, path := range []string{"/view/text://notes%23lines=1?q=x", "/view/doc://../../etc/passwd", "/view/%00", "/view/-/search?q=x", "/view/-", "/view/-%2Fassets/app.js", "/view/-/session/"} {
		if a := s.ask("GET", path, ""); a.status != 200 || a.body != index.body {
			t.Errorf("%s: %d %.200s", path, a.status, a.body)
		}
	}
	for _, path := range []string{"/", "/view"} {
		if a := s.ask("GET", path, ""); a.status != 303 || a.header.Get("Location") != "/view/" {
			t.Errorf("%s: %d %s", path, a.status, a.header.Get("Location"))
		}
	}
	for _, path := range []string{
		"/view/-/assets/", "/view/-/assets/none.js", "/view/-/assets/index.html/", "/view/-/assets/..%2Fpages.go", "/view/-/assets/%2e%2e/pages.go",
		"/view/-/assets/../pages.go", "/view/-/assets//index.html", "/view/-/assets/./index.html", "/view/-/assets/assets/index.html", "/view/-/assets/..%5Cpages.go",
		"/view/-/assets/%2Fetc%2Fpasswd", "/view/-/assets/index.html%00.js", "/view/-/assets/INDEX.HTML", "/view/-/assets/%69ndex.html", "/view/-/assets/vendor",
	} {
		if a := s.ask("GET", path, ""); a.status != 404 && a.status/100 != 3 || strings.Contains(a.body, "package viewer") {
			t.Errorf("%s: %d %.200s", path, a.status, a.body)
		}
	}
	for _, path := range []string{"/view/", "/view/-/assets/app.js", "/view/-/session"} {
		a := s.ask("GET", path, "")
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		} {
			if got := a.header[name]; len(got) != 1 || got[0] != want {
				t.Errorf("%s: %s: %q", path, name, got)
			}
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		if a := s.ask(method, "/view/", ""); a.status != 405 {
			t.Errorf("%s: %d", method, a.status)
		}
	}
}

// TestAssets checks that browsers ask for a file once, and take it compressed.
func TestAssets(t *testing.T) {
	s := open(t, "")
	const path = "/view/-/assets/app.js"
	plain := s.ask("GET", path, "")
	if plain.status != 200 || plain.header.Get("Content-Type") != "text/javascript; charset=utf-8" || plain.header.Get("Cache-Control") != "no-cache" {
		t.Fatalf("%d %v", plain.status, plain.header)
	}
	small := s.ask("GET", path, "", "Accept-Encoding", "br, gzip;q=0.5")
	unpacked, err := gzip.NewReader(strings.NewReader(small.body))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(unpacked); err != nil || string(text) != plain.body || small.header.Get("Content-Encoding") != "gzip" || small.header.Get("ETag") == plain.header.Get("ETag") {
		t.Errorf("compressed: %v %v", err, small.header)
	}
	for _, none := range []string{"", "br", "gzip;q=0", "gzip; q=0.0", "xgzip"} {
		if a := s.ask("GET", path, "", "Accept-Encoding", none); a.header.Get("Content-Encoding") != "" || a.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: %v", none, a.header)
		}
	}
	for _, one := range []answer{plain, small} {
		again := s.ask("GET", path, "", "If-None-Match", one.header.Get("ETag"), "Accept-Encoding", cmp.Or(one.header.Get("Content-Encoding"), "identity"))
		if again.status != 304 || again.body != "" {
			t.Errorf("again: %d", again.status)
		}
	}
}

// TestVersionedAssets checks that the page asks for each file by a path where it never
// changes, so that browsers keep it.
func TestVersionedAssets(t *testing.T) {
	s := open(t, "")
	links := regexp.MustCompile(`(?:href|src)="([^"]+)"`).FindAllStringSubmatch(s.ask("GET", "/view/", "").body, -1)
	if len(links) < 4 {
		t.Fatalf("the page has %d files", len(links))
	}
	for _, link := range links {
		a := s.ask("GET", link[1], "")
		if a.status != 200 || a.header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %d %v", link[1], a.status, a.header)
		}
		version := strings.Split(link[1], "/")[4]
		if other := s.ask("GET", strings.Replace(link[1], version, "0123456789abcdef", 1), ""); other.status != 404 {
			t.Errorf("%s of another version: %d", link[1], other.status)
		}
	}
}

// TestWithoutKey checks that a program that checks its callers itself needs no sessions.
func TestWithoutKey(t *testing.T) {
	s := open(t, "")
	for _, method := range []string{"GET", "POST"} {
		if a := s.ask(method, "/view/-/session", ""); a.status != 200 || a.cookie() != "" || a.body != `{"signedIn":true,"needed":false,"workspaces":[],"version":"1.2.3"}`+"\n" {
			t.Errorf("%s: %d %s", method, a.status, a.body)
		}
	}
	if a := s.ask("POST", "/v1/search", search); a.status != 200 {
		t.Errorf("search: %d", a.status)
	}
	if a := s.ask("POST", "/v1/search", search, "Sec-Fetch-Site", "cross-site"); a.status != 403 {
		t.Errorf("search from another site: %d", a.status)
	}
}

// TestPath serves pages below a path: the cookie is sent there alone, what the page names is
// there, and nothing is elsewhere.
func TestPath(t *testing.T) {
	view := viewer.New(folder(t).Service(nil), &viewer.Options{Path: "/at/here", Key: key})
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	server := httptest.NewServer(view.Beside(mux))
	t.Cleanup(server.Close)
	s := &site{t, view, server.URL}
	got := s.ask("POST", "/at/here/view/-/session", `{"token":"`+view.Pages.Invite(key)+`"}`)
	if got.status != http.StatusOK || !strings.Contains(got.header.Get("Set-Cookie"), "; Path=/at/here/;") {
		t.Fatalf("signed in: %d %v", got.status, got.header)
	}
	if got := s.ask("GET", "/at/here/v1/evidence/text:%2F%2Fnotes%23lines=2", "", "Cookie", got.cookie(), "Sec-Fetch-Site", "same-origin"); got.body != "the kettle boils at noon\n" {
		t.Errorf("evidence: %d %q", got.status, got.body)
	}
	link := s.ask("GET", "/at/here/view/text://notes%23lines=2", "", "Cookie", got.cookie()).header.Get("Link")
	early, _, ok := strings.Cut(strings.TrimPrefix(link, "<"), ">")
	if shown := s.ask("GET", early, "", "Cookie", got.cookie(), "Sec-Fetch-Site", "same-origin"); !ok || shown.status != http.StatusOK {
		t.Errorf("what a page asks for early: %q: %d", link, shown.status)
	}
	page := s.ask("GET", "/at/here/view/text://notes%23lines=2", "").body
	named := regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(named) < 10 {
		t.Errorf("the page names %d files", len(named))
	}
	for _, one := range named {
		if got := s.ask("GET", one[1], ""); got.status != http.StatusOK || !strings.HasPrefix(one[1], "/at/here/view/-/assets/") {
			t.Errorf("%s: %d", one[1], got.status)
		}
	}
	for _, path := range []string{"/view/", "/v1/resources", "/view/-/session", "/at/herev1/resources", "/at/view/"} {
		if got := s.ask("GET", path, "", "Authorization", "Bearer "+key); got.status != http.StatusTeapot {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	alone := httptest.NewServer(view)
	t.Cleanup(alone.Close)
	if got := (&site{t, view, alone.URL}).ask("GET", "/v1/resources", "", "Authorization", "Bearer "+key); got.status != http.StatusNotFound {
		t.Errorf("without the path: %d", got.status)
	}
}

// TestHTTPS checks that the cookie of a server behind https is for https and this host
// alone.
func TestHTTPS(t *testing.T) {
	view := viewer.New(folder(t).Service(nil), &viewer.Options{Key: key, BaseURL: "https://cite.example", Handler: transport.HandlerOptions{Hosts: []string{"cite.example"}}})
	server := httptest.NewServer(view)
	t.Cleanup(server.Close)
	s := &site{t, view, server.URL}
	a := s.ask("POST", "/view/-/session", "", "Authorization", "Bearer "+key, "Host", "cite.example", "Origin", "https://cite.example")
	if set := a.header.Get("Set-Cookie"); !strings.HasPrefix(set, "__Host-citekit_session=") || !strings.Contains(set, "; Secure") {
		t.Fatalf("%d %s", a.status, set)
	}
	if got := s.ask("GET", "/v1/info", "", "Cookie", a.cookie(), "Host", "cite.example"); got.status != 200 {
		t.Errorf("in the session: %d %s", got.status, got.body)
	}
	if link := view.Pages.Link("doc://book#pages=1", "a b"); link != "https://cite.example/view/doc://book%23pages=1?q=a+b" {
		t.Error(link)
	}
	if link := viewer.NewPages(nil).Link("doc://book", ""); link != "" {
		t.Error(link)
	}
}

// TestEvidenceIsInert checks that a browser runs nothing of what is cited.
func TestEvidenceIsInert(t *testing.T) {
	s := open(t, key)
	cookie := s.signIn()
	for _, address := range []string{"text://page", "text://drawing", "text://notes#lines=1-2"} {
		a := s.ask("GET", "/v1/evidence/"+url.PathEscape(address), "", "Cookie", cookie, "Sec-Fetch-Site", "same-origin")
		header := a.header
		kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
		asText := kind == "text/plain" || strings.HasPrefix(header.Get("Content-Disposition"), "attachment")
		if a.status != 200 || !asText || !strings.HasPrefix(header.Get("Content-Security-Policy"), "sandbox; default-src 'none'") ||
			header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s: %d %v", address, a.status, header)
		}
	}
}

// TestEarly checks for whom a page has its browser ask for what it shows before its scripts
// are there, and that this is what the pages ask for.
func TestEarly(t *testing.T) {
	s := open(t, key)
	begun := s.ask("POST", "/view/-/session", "", "Authorization", "Bearer "+key)
	cookie := begun.cookie()
	const page = "/view/text://notes%23lines=2?q=the+kettle"
	const early = "</v1/view/text%3A%2F%2Fnotes%23lines%3D2?quote=the+kettle>; rel=preload; as=fetch; crossorigin"
	for _, test := range []struct {
		path, want string
		header     []string
	}{
		{page, early, []string{"Cookie", cookie}},
		{page, early, []string{"Cookie", cookie, "Sec-Fetch-Site", "none"}},
		{page, early, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}}, // browsers then keep the cookie back
		{page, "", nil},
		{page, "", []string{"Sec-Fetch-Site", "none"}}, // a link with a token, perhaps
		{page, "", []string{"Cookie", strings.Split(cookie, "=")[0] + "=other"}},
		{"/view/", "", []string{"Cookie", cookie}},
		{"/view/-/search?q=the+kettle", "", []string{"Cookie", cookie}},
		{"/view/-/assets/app.js", "", []string{"Cookie", cookie}},
		{"/view/%FF", "", []string{"Cookie", cookie}},
		{"/view/text:/notes", "", []string{"Cookie", cookie}},
		{"/view/x?q=" + strings.Repeat("y", 2000), "", []string{"Cookie", cookie}},
		{"/view/a%3E%2C%22b?q=~*%27()%3E%C3%A9&w=one+two", "</v1/view/a%3E%2C%22b?workspaceId=one+two&quote=%7E*%27%28%29%3E%C3%A9>; rel=preload; as=fetch; crossorigin", []string{"Cookie", cookie}},
	} {
		a := s.ask("GET", test.path, "", test.header...)
		if got := a.header.Get("Link"); got != test.want {
			t.Errorf("%s with %v: %q, want %q", test.path, test.header, got, test.want)
		}
	}
	with, without := s.ask("GET", page, "", "Cookie", cookie), s.ask("GET", page, "")
	if with.body != without.body || with.header.Get("ETag") == without.header.Get("ETag") {
		t.Errorf("a browser keeps the head for one who is signed out: %v", with.header)
	}
	if a := s.ask("GET", "/v1/view/text%3A%2F%2Fnotes%23lines%3D2?quote=the+kettle", "", "Cookie", cookie, "Sec-Fetch-Site", "same-origin"); a.status != 200 || !strings.Contains(a.body, `"marks":[[0,10]]`) || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s", a.status, a.body)
	}
}
