package telemetry_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/command/internal/telemetry"
	"github.com/citekit/citekit/server"
)

// TestHeadersStaySecret has a collector that sends elsewhere, and one that repeats
// what it was sent: the log has no header, and another host gets none.
func TestHeadersStaySecret(t *testing.T) {
	const secret = "s3cret-key"
	var elsewhere int
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	for name, handler := range map[string]http.HandlerFunc{
		"307": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"?key="+secret, http.StatusTemporaryRedirect)
		},
		"401": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "bad key "+r.Header.Get("Api-Key"), http.StatusUnauthorized)
		},
		"connection": func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(handler)
			defer s.Close()
			t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", s.URL+"/v1/traces?key="+secret)
			t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key="+secret)
			var log lockedBuffer
			tel, end := tracing(t, &log)
			tel.Observe(t.Context(), server.Event{Start: time.Now(), Method: "ping", Outcome: server.OutcomeOK})
			end()
			if text := log.String(); !strings.Contains(text, "cannot be exported") || strings.Contains(text, secret) {
				t.Errorf("told: %s", text)
			}
		})
	}
	if elsewhere != 0 {
		t.Error("spans went to another host")
	}
}

// TestEndedExport has a collector that does not answer: when a telemetry ends nothing
// is sent any more.
func TestEndedExport(t *testing.T) {
	began, gone := make(chan struct{}, 1), make(chan struct{}, 1)
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server then notices who goes
		began <- struct{}{}
		<-r.Context().Done()
		gone <- struct{}{}
	}))
	defer hangs.Close()
	for name, value := range map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": hangs.URL, "OTEL_BSP_SCHEDULE_DELAY": "1", "OTEL_BSP_EXPORT_TIMEOUT": "1000000", "OTEL_EXPORTER_OTLP_TIMEOUT": "1000000"} {
		t.Setenv(name, value)
	}
	tel, err := telemetry.New(t.Context(), &telemetry.Options{Traces: true})
	if err != nil {
		t.Fatal(err)
	}
	tel.Observe(t.Context(), server.Event{Start: time.Now(), Method: "ping", Outcome: server.OutcomeOK})
	late := time.After(3 * time.Minute)
	wait := func(done <-chan struct{}, what string) {
		t.Helper()
		select {
		case <-done:
		case <-late:
			t.Fatal(what)
		}
	}
	wait(began, "nothing is sent")
	over, end := context.WithCancel(t.Context())
	end()
	if err := tel.Shutdown(over); err == nil {
		t.Error("spans that were not exported are not told of")
	}
	wait(gone, "what was being sent goes on")
}

// TestEndpoint has endpoints that are none.
func TestEndpoint(t *testing.T) {
	for _, endpoint := range []string{"localhost:4318", "http://[::1", "ftp://secret@host"} {
		if _, err := telemetry.New(t.Context(), &telemetry.Options{Traces: true, Endpoint: endpoint}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}
