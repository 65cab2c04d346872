package viewer_test

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/citekit/citekit/server/transport"
	"github.com/citekit/citekit/viewer"
)

// addressIn returns the address and the quote that a page reads from its link, after what
// browsers do with the path.
func addressIn(t *testing.T, link string) (address, quote string) {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatalf("%s: %v", link, err)
	}
	escaped, ok := strings.CutPrefix(u.EscapedPath(), "/view/")
	if !ok || strings.HasPrefix(escaped, "-/") {
		t.Fatalf("%s is no page of an address", link)
	}
	for part := range strings.SplitSeq(escaped, "/") {
		switch strings.ToLower(strings.ReplaceAll(part, "%2e", ".")) {
		case ".", "..":
			t.Errorf("browsers take %q out of %s", part, link)
		}
	}
	address, err = url.PathUnescape(escaped)
	if err != nil {
		t.Fatalf("%s: %v", link, err)
	}
	return address, u.Query().Get("q")
}

// TestLink checks that a page gets the address and the quote of its link, through a mux
// too.
func TestLink(t *testing.T) {
	for _, test := range []struct{ address, quote, want string }{
		{"doc://book#pages=12", "", "/view/doc://book%23pages=12"},
		{"doc://book#pages=12", "high water & 50%?", "/view/doc://book%23pages=12?q=high+water+%26+50%25%3F"},
		{"doc://a%20b#sheet=Q%26A&cells=B2:C3", "", "/view/doc://a%2520b%23sheet=Q%2526A&cells=B2:C3"},
		{"doc://zip#member=dir/a.pdf&pages=3", "", "/view/doc://zip%23member=dir/a.pdf&pages=3"},
		{"doc://zip#member=a!/../b", "", "/view/doc://zip%23member=a!%2F..%2Fb"},
		{"doc://zip#member=a//b/./c/", "", "/view/doc://zip%23member=a%2F%2Fb%2F.%2Fc%2F"},
		{"virtual://feed/x?y=1#z", "", "/view/virtual://feed/x%3Fy=1%23z"},
		{"virtual://./x", "", "/view/virtual:%2F%2F.%2Fx"},
		{"doc://größe#pages=1", "Maß „a“", "/view/doc://gr%C3%B6%C3%9Fe%23pages=1?q=Ma%C3%9F+%E2%80%9Ea%E2%80%9C"},
		{"book.chapter-2", "", "/view/book.chapter-2"},
		{"-/session", "", "/view/-%2Fsession"},
		{`a\b`, "", "/view/a%5Cb"},
		{"", "", "/view/"},
	} {
		link := viewer.Link("https://cite.example/", test.address, test.quote)
		if link != "https://cite.example"+test.want {
			t.Errorf("Link(%q, %q): %s", test.address, test.quote, link)
		}
	}
	random := rand.New(rand.NewPCG(7, 7))
	pieces := []string{"/", "//", ".", "..", "-", "%", "%2F", "?", "#", "&", "+", " ", ":", "\\", "é", "\u202e", "\t", "a", "doc://", "%2e%2e", "=", "\xff", ";", "\"", "<"}
	for range 3000 {
		address, quote := "", ""
		for range 1 + random.IntN(8) {
			address += pieces[random.IntN(len(pieces))]
			quote += pieces[random.IntN(len(pieces))]
		}
		if address == "." || address == ".." || strings.EqualFold(address, "%2e%2e") {
			continue
		}
		link := viewer.Link("http://127.0.0.1:8808", address, quote)
		quote = strings.Join(strings.Fields(quote), " ")
		if gotAddress, gotQuote := addressIn(t, link); gotAddress != address || gotQuote != quote {
			t.Fatalf("%q %q: %s is of %q %q", address, quote, link, gotAddress, gotQuote)
		}
		in := viewer.InWorkspace(link, "a b")
		if u, err := url.Parse(in); err != nil || u.Query().Get("w") != "a b" || u.Query().Get("q") != quote {
			t.Fatalf("in a workspace: %s", in)
		}
	}
}

// TestLinkThroughMux checks that a mux leaves the paths of links alone behind OneSegment.
func TestLinkThroughMux(t *testing.T) {
	var got string
	mux := http.NewServeMux()
	mux.HandleFunc("/view/", func(_ http.ResponseWriter, r *http.Request) { got = r.URL.Path })
	for _, address := range []string{"doc://book#pages=12", "doc://zip#member=a//b/../c/", "-/session", "a/b", "doc://größe%20#x?y"} {
		link := viewer.Link("http://127.0.0.1", address, "")
		got = ""
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, transport.OneSegment(httptest.NewRequest("GET", link, nil)))
		if got != "/view/"+address {
			t.Errorf("%s: %q, %d %s", link, got, w.Code, w.Header().Get("Location"))
		}
	}
}
