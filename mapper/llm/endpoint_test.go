package llm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/mapper/llm"
)

const key = "sk-secret-4711"

// call makes a call to a server that handles requests as handlers say, the
// last of them from then on, and returns how often it was asked.
func call(t *testing.T, edit func(*llm.Endpoint), handlers ...http.HandlerFunc) (asked int, into map[string]any, err error) {
	t.Helper()
	var count atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(count.Add(1))
		handlers[min(n, len(handlers))-1](w, r)
	}))
	defer server.Close()
	e := &llm.Endpoint{
		Key:    key,
		Header: http.Header{"X-Key": {key}},
		Retry:  llm.Retry{Delay: time.Millisecond},
	}
	if edit != nil {
		edit(e)
	}
	_, err = e.Do(t.Context(), llm.Call{Method: http.MethodPost, URL: server.URL + "/path?private=1", JSON: map[string]int{"a": 1}}, &into)
	return int(count.Load()), into, err
}

func ok(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	fmt.Fprint(w, `{"ok":true}`)
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprintf(w, "what the server says, %s", key)
	}
}

// reset has the client see its connection reset.
func reset(w http.ResponseWriter, _ *http.Request) {
	conn, _, _ := w.(http.Hijacker).Hijack()
	_ = conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}

func TestEndpointRetries(t *testing.T) {
	short := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, `{"ok":`)
	}
	broken := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"ok":`)
	}
	for name, handler := range map[string]http.HandlerFunc{
		"429":                  status(429, "Retry-After", "0"),
		"429 until a date":     status(429, "Retry-After", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)),
		"500":                  status(500),
		"503":                  status(503),
		"connection reset":     reset,
		"a body cut off":       short,
		"JSON that is cut off": broken,
	} {
		t.Run(name, func(t *testing.T) {
			asked, into, err := call(t, nil, handler, handler, ok)
			if err != nil || asked != 3 || into["ok"] != true {
				t.Errorf("asked %d times: %v, %v", asked, into, err)
			}
			asked, _, err = call(t, nil, handler)
			var failed *llm.Error
			if !errors.As(err, &failed) || asked != 4 || failed.Attempts != 4 {
				t.Errorf("asked %d times: %v", asked, err)
			}
		})
	}
}

func TestEndpointErrors(t *testing.T) {
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		want    string
		is      error
	}{
		{"401", status(401), "the key was not accepted (HTTP 401)", fs.ErrPermission},
		{"403", status(403), "forbidden (HTTP 403)", fs.ErrPermission},
		{"404", status(404), "not found (HTTP 404)", nil},
		{"400", status(400), "bad request (HTTP 400)", nil},
		{"a redirect", status(307, "Location", "http://127.0.0.1:1/elsewhere"), "the server redirects, which is not followed; is the base URL right? (HTTP 307)", nil},
		{"429 for an hour", status(429, "Retry-After", "3600"), "too many requests (HTTP 429); try again in 1h0m0s", nil},
		{"a web page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>Log in</html>")
		}, "the server answers text/html, not JSON; is the base URL right?", nil},
		{"an answer without end", func(w http.ResponseWriter, _ *http.Request) {
			chunk := []byte(strings.Repeat("x", 1<<16))
			for {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, "the answer of the server is longer than 1000000 bytes: too large", citekit.ErrTooLarge},
	} {
		t.Run(test.name, func(t *testing.T) {
			asked, _, err := call(t, func(e *llm.Endpoint) { e.MaxBytes = 1_000_000 }, test.handler)
			if err == nil {
				t.Fatal("no error")
			}
			if asked != 1 {
				t.Errorf("asked %d times", asked)
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Error(diff)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%v is not %v", err, test.is)
			}
		})
	}
}

func TestEndpointTellsNoSecrets(t *testing.T) {
	handlers := []http.HandlerFunc{status(401), status(400), status(500), reset, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }}
	for _, handler := range handlers {
		_, _, err := call(t, func(e *llm.Endpoint) {
			e.Retry.Attempts = 1
			e.Explain = func(failed *llm.Error, _ http.Header, body []byte) { failed.Message = string(body) }
		}, handler)
		if err == nil || strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "private") || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("error %q", err)
		}
	}
}

func TestEndpointDoesNotTakeTheKeyElsewhere(t *testing.T) {
	var taken atomic.Bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		taken.Store(true)
	}))
	defer elsewhere.Close()
	_, _, err := call(t, nil, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	if err == nil || taken.Load() {
		t.Errorf("followed %v: %v", taken.Load(), err)
	}
}

func TestNewRetry(t *testing.T) {
	for retries, want := range map[int]int{-2: 1, -1: 1, 0: 4, 1: 2, 7: 8} {
		attempts, err := llm.NewRetry(retries, 1e-6).Do(t.Context(), func() error { return &llm.Error{Temporary: true} })
		if attempts != want || err == nil {
			t.Errorf("%d retries: %d attempts, error %v", retries, attempts, err)
		}
	}
}

func TestFindKey(t *testing.T) {
	t.Setenv("CITEKIT_TEST_KEY", " sk-env\r\n")
	for _, test := range []struct{ key, variable, want string }{
		{"sk-1", "CITEKIT_TEST_KEY", "sk-1"}, {"", "CITEKIT_TEST_KEY", "sk-env"}, {"", "", ""}, {"sk-1\n", "", "sk-1"},
	} {
		if got, err := llm.FindKey(test.key, test.variable); got != test.want || err != nil {
			t.Errorf("FindKey(%q, %q) = %q, %v", test.key, test.variable, got, err)
		}
	}
	for _, key := range []string{"sk-1\nsk-2", "sk 1", "sk-\u00e9", "sk-\x00"} {
		if _, err := llm.FindKey(key, ""); !errors.Is(err, citekit.ErrSyntax) || strings.Contains(err.Error(), "sk") {
			t.Errorf("FindKey(%q): error %v", key, err)
		}
	}
}

func TestEndpointWithoutAServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(ok))
	server.Close()
	e := llm.Endpoint{Retry: llm.NewRetry(1, 0.001)}
	_, err := e.Do(t.Context(), llm.Call{Method: "GET", URL: server.URL}, nil)
	var failed *llm.Error
	if !errors.As(err, &failed) || failed.Attempts != 2 || !strings.HasPrefix(err.Error(), "the connection failed: ") || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("%v", err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestEndpointNamesNoNetwork looks for a host that is not there.
func TestEndpointNamesNoNetwork(t *testing.T) {
	e := llm.Endpoint{Retry: llm.NewRetry(-1, 0), Client: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "models.intern", Server: "10.0.0.53:53"}}
	})}}
	_, err := e.Do(t.Context(), llm.Call{Method: http.MethodGet, URL: "https://models.intern/"}, nil)
	if err == nil || err.Error() != "the connection failed: no such host" {
		t.Errorf("error %v", err)
	}
}

func TestEndpointTimeout(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the end of the connection is seen only then
		<-r.Context().Done()
	}
	asked, _, err := call(t, func(e *llm.Endpoint) { e.Timeout, e.Retry.Attempts = 50*time.Millisecond, 2 }, hang)
	if !errors.Is(err, context.DeadlineExceeded) || asked != 2 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	if citekit.CodeOf(err) != message.CodeTimeout {
		t.Errorf("code %s", citekit.CodeOf(err))
	}
}

func TestEndpointCancelled(t *testing.T) {
	started := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(started)
		<-r.Context().Done()
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	if _, err := new(llm.Endpoint).Do(ctx, llm.Call{Method: "GET", URL: server.URL}, nil); err != context.Canceled {
		t.Errorf("in a request: %v", err)
	}

	ctx, cancel = context.WithCancel(t.Context())
	e := llm.Endpoint{Retry: llm.Retry{Delay: time.Hour, MaxDelay: time.Hour}}
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(503)
		time.AfterFunc(10*time.Millisecond, cancel)
	}))
	defer busy.Close()
	if _, err := e.Do(ctx, llm.Call{Method: "GET", URL: busy.URL}, nil); err != context.Canceled {
		t.Errorf("in a pause: %v", err)
	}
}

func TestParseConfig(t *testing.T) {
	type first struct {
		Model   string      `json:"model"`
		Timeout llm.Seconds `json:"timeout"`
	}
	for _, test := range []struct{ config, want string }{
		{``, ""},
		{`{}`, ""},
		{`{"model":"m","timeout":1.5,"concurrency":2}`, ""},
		{`{"modle":"m"}`, `the configuration has no "modle": invalid syntax`},
		{`{"model":7}`, "the configuration: model is of the wrong kind: invalid syntax"},
		{`[]`, "the configuration is not a JSON object: invalid syntax"},
		{`null`, "the configuration is not a JSON object: invalid syntax"},
		{`{`, "the configuration is not a JSON object: invalid syntax"},
	} {
		var a first
		var b llm.Options
		err := llm.ParseConfig([]byte(test.config), &a, &b)
		if got := fmt.Sprint(err); err == nil && test.want != "" || err != nil && got != test.want {
			t.Errorf("%s: %v, want %q", test.config, err, test.want)
		}
		if err == nil && strings.Contains(test.config, "model") && (a.Model != "m" || a.Timeout.Duration(0) != 1500*time.Millisecond || b.Concurrency != 2) {
			t.Errorf("%s: %+v, %+v", test.config, a, b)
		}
	}
}
