package main

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// A record is what a server logs.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// A server of either kind is asked, and logs nothing of it.
func TestProbe(t *testing.T) {
	handler := http.NewServeMux()
	handler.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	handler.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "disk", http.StatusServiceUnavailable) })
	handler.Handle("GET /moved", http.RedirectHandler("/healthz", http.StatusFound))
	for name, start := range map[string]func(*httptest.Server){"http": (*httptest.Server).Start, "https": (*httptest.Server).StartTLS} {
		t.Run(name, func(t *testing.T) {
			var logged record
			server := httptest.NewUnstartedServer(handler)
			server.Config.ErrorLog = log.New(&logged, "", 0)
			start(server)
			address := server.Listener.Addr().String()
			for path, want := range map[string]string{"/healthz": "", "/readyz": "503 Service Unavailable: disk", "/moved": "302 Found", "/none": "404"} {
				err := run(t.Context(), []string{address + path})
				if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("%s: %v, want %q", path, err, want)
				}
			}
			server.Close()
			if logged.String() != "" {
				t.Errorf("the server logged %s", logged.String())
			}
			if err := run(t.Context(), []string{address + "/healthz"}); err == nil {
				t.Error("a server that has ended is well")
			}
		})
	}
}

func TestProbeRefuses(t *testing.T) {
	for _, args := range [][]string{nil, {"a", "b"}, {"192.0.2.1:80/healthz"}, {"localhost:80/"}, {"127.0.0.1/healthz"}, {"@127.0.0.1:80/"}, {""}} {
		if err := run(t.Context(), args); err == nil {
			t.Errorf("probe %q was made", args)
		}
	}
}
