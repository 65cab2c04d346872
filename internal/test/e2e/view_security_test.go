package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// viewSecurity has pages of other origins try what they can with a server that the browser
// is signed in to: they read nothing, show nothing of it, and change nothing.
func viewSecurity(t *testing.T, b *browser, base string) {
	v := startView(t, base)
	type answer struct {
		site, request string
		status        int
	}
	var mu sync.Mutex
	var answers []answer
	target, err := url.Parse(v.URL)
	if err != nil {
		t.Fatal(err)
	}
	path := target.Path
	target.Path = ""
	// What the server answers is seen by a proxy, as browsers do not tell all.
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
		},
		ModifyResponse: func(r *http.Response) error {
			mu.Lock()
			defer mu.Unlock()
			answers = append(answers, answer{r.Request.Header.Get("Sec-Fetch-Site"), r.Request.Method + " " + strings.TrimPrefix(r.Request.URL.Path, path), r.StatusCode})
			return nil
		},
	})
	defer proxy.Close()
	v.link = strings.Replace(v.link, target.String(), proxy.URL, 1)
	v.URL = proxy.URL + path
	b.signIn(t, v)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if sent := r.Header["Cookie"]; len(sent) > 0 {
			t.Errorf("another port gets the cookie: %s", sent)
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>Another page</title><body>"))
	}))
	defer other.Close()
	paths := []string{"/v1/resources", "/v1/evidence/text:%2F%2Fnotes%23lines=1-3", "/v1/pictures/doc:%2F%2Freport%23pages=1"}
	var got struct {
		Probes  map[string]map[string]string
		Frames  []bool
		Rebound int
		Again   struct {
			Address string
			Words   string
			Cookies int
			Status  int
		}
		Own [3]any
	}
	port := proxy.URL[strings.LastIndexByte(proxy.URL, ':'):]
	b.run(t, "security", map[string]any{
		"site": v, "link": v.link, "paths": paths, "rebound": "http://rebound.example" + port + path + "/view/",
		"foreign": []string{other.URL, strings.Replace(other.URL, "127.0.0.1", "localhost", 1)},
	}, &got)
	if len(got.Probes) != 2 {
		t.Errorf("%d pages tried", len(got.Probes))
	}
	for from, probes := range got.Probes {
		for probe, what := range probes {
			if what != "refused" && what != "opaque" && what != "closed to us" {
				t.Errorf("a page of %s: %s: %s", from, probe, what)
			}
		}
	}
	// What the browser keeps from a page, the server did not send either.
	mu.Lock()
	defer mu.Unlock()
	foreign := 0
	for _, a := range answers {
		if a.site != "same-site" && a.site != "cross-site" || strings.HasPrefix(a.request, "GET /view/") {
			continue // a page itself has no content
		}
		foreign++
		if a.status < 400 {
			t.Errorf("%s for a page of another origin was answered with %d", a.request, a.status)
		}
	}
	if foreign < 2*4*len(paths) {
		t.Errorf("other pages made %d requests", foreign)
	}
	for _, shown := range got.Frames {
		if shown {
			t.Error("a frame of another page shows the viewer")
		}
	}
	if got.Rebound != http.StatusForbidden {
		t.Errorf("another name of this machine: %d", got.Rebound)
	}
	if strings.Contains(got.Again.Address, "token") || got.Again.Cookies != 0 || got.Again.Status != http.StatusUnauthorized || !strings.Contains(got.Again.Words, "the link was used before") {
		t.Errorf("a used link: %+v", got.Again)
	}
	if got.Own[0] != float64(http.StatusOK) || got.Own[1] != "" || len(got.Own[2].([]any)) > 0 {
		t.Errorf("the page itself: status, cookies and storage that scripts see: %v", got.Own)
	}
}
