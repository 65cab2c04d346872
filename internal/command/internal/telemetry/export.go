package telemetry

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

const (
	// firstWait and longestWait bound the time before a batch is sent again.
	firstWait   = 5 * time.Second
	longestWait = 30 * time.Second

	// mostAnswer is how many bytes of a collector's answer are read.
	mostAnswer = 64 << 10
)

// A client exports spans to a collector, with OTLP over HTTP in protocol buffers:
// https://opentelemetry.io/docs/specs/otlp/#otlphttp. The library's own exporter
// links gRPC, which makes the command half as large again and slower to start.
type client struct {
	*destination
	ended chan struct{}
	end   func() // closes ended
}

func newClient(to *destination) *client {
	ended := make(chan struct{})
	return &client{to, ended, sync.OnceFunc(func() { close(ended) })}
}

// ExportSpans implements [sdktrace.SpanExporter]. If the collector is busy, it
// sends a batch again until ctx is done or the client has ended.
func (c *client) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	body := appendRequest(make([]byte, 0, 512*len(spans)), spans)
	if c.gzip {
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		w.Write(body) // never fails in memory
		w.Close()
		body = zipped.Bytes()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-c.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		err := c.send(ctx, body)
		var busy *busyError
		if !errors.As(err, &busy) {
			return err
		}
		pause := time.NewTimer(cmp.Or(busy.after, wait/2+rand.N(wait)))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		}
	}
}

// Shutdown implements [sdktrace.SpanExporter]. It makes running requests fail.
func (c *client) Shutdown(context.Context) error {
	c.end()
	c.destination.client.CloseIdleConnections()
	return nil
}

// A busyError means that a request may be sent again.
type busyError struct {
	after time.Duration // as the collector asks; zero if it does not
	err   error
}

func (e *busyError) Error() string { return e.err.Error() }
func (e *busyError) Unwrap() error { return e.err }

func (c *client) send(ctx context.Context, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = c.header.Clone()
	if c.gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	answer, err := c.destination.client.Do(r)
	if err != nil {
		var network net.Error
		isLate := ctx.Err() == nil && errors.As(err, &network) && network.Timeout()
		var request *url.Error
		if errors.As(err, &request) {
			err = request.Err // without the URL, which may contain a key
		}
		if isLate {
			return &busyError{err: err}
		}
		return err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	switch code := answer.StatusCode; {
	case code >= 200 && code < 300:
		if err != nil {
			return err
		}
		return c.rejected(said, answer.Header.Get("Content-Type"))
	case code == http.StatusTooManyRequests, code == http.StatusBadGateway, code == http.StatusServiceUnavailable, code == http.StatusGatewayTimeout:
		return &busyError{after: retryAfter(answer.Header.Get("Retry-After")), err: fmt.Errorf("the collector answers %s", answer.Status)}
	default:
		return fmt.Errorf("the collector answers %s: %.200q", answer.Status, c.withoutSecrets(string(bytes.TrimSpace(said))))
	}
}

// withoutSecrets removes the values of headers from a collector's answer.
func (d *destination) withoutSecrets(text string) string {
	for _, values := range d.header {
		for _, value := range values {
			if len(value) > 3 { // shorter values are not secret
				text = strings.ReplaceAll(text, value, "…")
			}
		}
	}
	return text
}

// retryAfter returns how long a collector asks to wait, or zero if it does not.
func retryAfter(value string) time.Duration {
	if n, err := strconv.Atoi(value); err == nil && n > 0 {
		return time.Duration(min(n, 3600)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
