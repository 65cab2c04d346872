package transport_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// What a foreign page or a rebound name asks for is refused, by every method and
// at every path.
func TestHTTPForeign(t *testing.T) {
	lib := mcptest.StandardLibrary(t)
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(lib, nil), &transport.HandlerOptions{
		SSE: true, Links: transport.NewEvidenceLinks(lib, nil), Origins: []string{"https://agents.example"},
	}, nil)
	_, port, _ := strings.Cut(s.Address, ":")
	refused := map[string][]string{
		"host": {"Host", "evil.example:" + port}, "suffix": {"Host", "localhost.evil.example:" + port},
		"decimal": {"Host", "2130706433:" + port}, "short": {"Host", "127.1"}, "octal": {"Host", "0177.0.0.1"},
		"origin": {"Origin", "http://evil.example"}, "null": {"Origin", "null"}, "prefix": {"Origin", "http://127.0.0.1.evil.example"},
		"another port": {"Origin", "http://127.0.0.1:1"}, "no scheme": {"Origin", s.Address}, "file": {"Origin", "file://" + s.Address},
		"path": {"Origin", "http://" + s.Address + "/x"}, "user": {"Origin", "http://x@" + s.Address}, "listed prefix": {"Origin", "https://agents.example.evil"},
		"listed, other scheme": {"Origin", "http://agents.example"},
		"cross-site":           {"Sec-Fetch-Site", "cross-site"}, "same site": {"Sec-Fetch-Site", "same-site"},
	}
	for name, header := range refused {
		for _, method := range []string{"GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT"} {
			for _, path := range []string{"/mcp", "/sse", "/evidence/x", "/"} {
				if status, got, _ := s.As(header...).Send(method, path, ""); status != 403 || got.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s: %s %s: %d %v", name, method, path, status, got)
				}
			}
		}
	}
	for _, header := range [][]string{
		nil, {"Host", "localhost:" + port}, {"Host", "[::1]:" + port}, {"Host", "127.0.0.2"}, {"Origin", "http://" + s.Address},
		{"Origin", "https://agents.example"}, {"Origin", "https://AGENTS.example:443", "Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-origin"},
	} {
		if status, _, body := s.As(header...).Send("POST", "/mcp", fmt.Sprintf(mcptest.InitializeMessage, "2025-06-18")); status != 200 {
			t.Errorf("%v: %d %s", header, status, body)
		}
	}
	// A person follows a link to evidence from a page.
	if status, _, _ := s.As("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document").Send("GET", "/evidence/x", ""); status == 403 {
		t.Error("a link to evidence cannot be followed")
	}
	for _, host := range []string{"", "Host:\r\n", "Host: " + s.Address + "\r\nHost: evil.example\r\n"} {
		conn := dial(s)
		fmt.Fprintf(conn, "GET /mcp HTTP/1.1\r\n%sConnection: close\r\n\r\n", host)
		if answer := readAnswer(t, conn); answer.StatusCode < 400 || answer.StatusCode >= 500 {
			t.Errorf("%q: %s", host, answer.Status)
		}
	}
}

// A page of a listed origin may call, and read what it needs.
func TestHTTPListedOrigin(t *testing.T) {
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), &transport.HandlerOptions{
		Origins:      []string{"https://agents.example"},
		Authenticate: func(http.Handler) http.Handler { return http.NotFoundHandler() },
	}, nil)
	asks := s.As("Origin", "https://agents.example", "Sec-Fetch-Site", "cross-site", "Access-Control-Request-Method", "POST",
		"Access-Control-Request-Headers", "content-type,authorization,mcp-protocol-version,mcp-param-x,x-other")
	status, header, _ := asks.Send("OPTIONS", "/mcp", "")
	allowed := header.Get("Access-Control-Allow-Headers")
	if status != 204 || header.Get("Access-Control-Allow-Origin") != "https://agents.example" || !strings.Contains(header.Get("Vary"), "Origin") ||
		!strings.Contains(allowed, "Authorization") || !strings.Contains(allowed, "mcp-param-x") || strings.Contains(allowed, "x-other") {
		t.Errorf("%d %v", status, header)
	}
	_, header, _ = s.As("Origin", "https://agents.example").Send("POST", "/mcp", mcptest.Ping)
	if header.Get("Access-Control-Allow-Origin") == "" || !strings.Contains(header.Get("Access-Control-Expose-Headers"), "Mcp-Session-Id") {
		t.Errorf("%v", header)
	}
}

// Behind a proxy of the machine, the names that it passes on are listed.
func TestHTTPHosts(t *testing.T) {
	s := mcptest.ServeHTTP(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), &transport.HandlerOptions{Hosts: []string{"Cite.example"}}, nil)
	for host, want := range map[string]int{"cite.example": 200, "CITE.example:443": 200, "localhost": 200, "x.cite.example": 403} {
		if status, _, _ := s.As("Host", host).Send("POST", "/mcp", fmt.Sprintf(mcptest.InitializeMessage, "2025-06-18")); status != want {
			t.Errorf("%s: %d; want %d", host, status, want)
		}
	}
}

func FuzzHTTPForeign(f *testing.F) {
	for _, seed := range [][2]string{
		{"127.0.0.1:8808", "http://127.0.0.1:8808"}, {"localhost", "null"}, {"[::1]:1", "http://[::1]:1"}, {"[::1%25lo]", ""},
		{"evil.example", "http://evil.example"}, {"[", "http://["}, {":", "://"}, {"127.0.0.1:", "http://127.0.0.1:0x"}, {"localhost.", "https://localhost."},
	} {
		f.Add(seed[0], seed[1])
	}
	handler := mcpadapter.NewHandler(mcpadapter.NewServer(mcptest.StandardLibrary(f), nil), nil)
	f.Fuzz(func(t *testing.T, host, origin string) {
		r := httptest.NewRequest("GET", "/nothing", nil)
		r.Host = host
		r.Header["Origin"] = []string{origin}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		io.Copy(io.Discard, w.Result().Body)
		if w.Code == 403 {
			return
		}
		named, err := url.Parse("http://" + host)
		if err != nil {
			t.Fatalf("host %q is allowed: %v", host, err)
		}
		from, err := url.Parse(origin)
		if err != nil {
			t.Fatalf("origin %q is allowed: %v", origin, err)
		}
		name := strings.ToLower(named.Hostname())
		if !strings.EqualFold(from.Hostname(), name) {
			t.Errorf("origin %q is allowed for host %q", origin, host)
		}
		if name != "localhost" && !strings.HasPrefix(name, "127.") && !strings.Contains(name, ":") {
			t.Errorf("host %q is allowed", host)
		}
	})
}
