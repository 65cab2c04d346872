package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
)

// An Endpoint is a server that speaks JSON over HTTP. It has a time limit for
// each request, retries, bounded answers, and errors without secrets. Set its
// fields before using it.
//
// Requests never follow a redirect: that would send the key along.
type Endpoint struct {
	Client  *http.Client  // nil means a new client
	Key     string        // left out of every error
	Header  http.Header   // sent with every request
	Timeout time.Duration // of one attempt; zero means 5 minutes
	Retry   Retry         // of failed requests

	// MaxBytes is the maximum length of an answer; zero means 16 MiB.
	MaxBytes int64

	// Explain reads the body of an unsuccessful answer into the error; nil
	// reads nothing.
	Explain func(err *Error, header http.Header, body []byte)
}

const (
	defaultTimeout  = 5 * time.Minute
	defaultMaxBytes = 16 << 20
)

// A Call is one request to an [Endpoint].
type Call struct {
	Method string      // of HTTP
	URL    string      // absolute
	Header http.Header // in addition to that of the endpoint
	Bare   bool        // without the header of the endpoint
	Body   []byte      // sent as it is
	JSON   any         // sent as JSON, if Body is nil; nil sends nothing

	// Once turns retries off.
	Once bool
}

// A Reply is the answer of an [Endpoint].
type Reply struct {
	Header   http.Header // of the answer
	Body     []byte      // of the answer
	Attempts int         // number of requests made
}

// BaseURL returns base as the URL of a server, without a slash at its end. The
// error matches [citekit.ErrSyntax] if base is not such a URL, or has a query
// or fragment, because no path can be added to these.
func BaseURL(base string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return nil, fmt.Errorf("base_url is not the URL of a server, such as https://example.com: %w", citekit.ErrSyntax)
	}
	return u, nil
}

// FindKey returns key, or, if key is "", the value of the environment variable
// with the name variable, without the surrounding white space that files and
// shells leave. If variable is "", no environment variable is read. The error
// matches [citekit.ErrSyntax] if the key cannot stand in a header.
func FindKey(key, variable string) (string, error) {
	if key == "" && variable != "" {
		key = os.Getenv(variable)
	}
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("the key contains characters that a header cannot have, such as spaces or line breaks: %w", citekit.ErrSyntax)
	}
	return key, nil
}

// Do makes a call, and retries it after a temporary failure: too many requests,
// or a fault of the server or the connection. If into is not nil, the answer
// must be JSON and is decoded into it.
//
// Errors are an [*Error], or match [citekit.ErrTooLarge] if the answer is too
// long, or ctx.Err() once ctx is done.
func (e *Endpoint) Do(ctx context.Context, call Call, into any) (*Reply, error) {
	if call.Body == nil && call.JSON != nil {
		body, err := json.Marshal(call.JSON)
		if err != nil {
			return nil, err
		}
		call.Body = body
		call.Header = withJSON(call.Header)
	}
	var reply *Reply
	retry := e.Retry
	if call.Once {
		retry.Attempts = 1
	}
	attempts, err := retry.Do(ctx, func() (err error) {
		reply, err = e.attempt(ctx, call, into)
		return err
	})
	if err != nil {
		var failed *Error
		if errors.As(err, &failed) {
			failed.Attempts = attempts
		}
		return nil, err
	}
	reply.Attempts = attempts
	return reply, nil
}

func withJSON(header http.Header) http.Header {
	header = header.Clone()
	if header == nil {
		header = make(http.Header)
	}
	header.Set("Content-Type", "application/json")
	return header
}

// attempt makes a call once.
func (e *Endpoint) attempt(ctx context.Context, call Call, into any) (*Reply, error) {
	limit := e.Timeout
	if limit <= 0 {
		limit = defaultTimeout
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	reply, err := e.exchange(limited, call, into)
	switch {
	case err == nil:
		return reply, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, &Error{Message: fmt.Sprintf("no answer within %v", limit), Temporary: true, cause: context.DeadlineExceeded}
	}
	return nil, err
}

// send makes the request of a call. The caller closes the body of the response.
func (e *Endpoint) send(ctx context.Context, call Call) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, call.Method, call.URL, bytes.NewReader(call.Body))
	if err != nil {
		return nil, fmt.Errorf("the base URL is not a valid URL: %w", citekit.ErrSyntax)
	}
	headers := []http.Header{call.Header}
	if !call.Bare {
		headers = append(headers, e.Header)
	}
	for _, header := range headers {
		for name, values := range header {
			request.Header[name] = values
		}
	}
	response, err := e.client().Do(request)
	if err != nil {
		return nil, e.connectionError(err)
	}
	return response, nil
}

func (e *Endpoint) exchange(ctx context.Context, call Call, into any) (*Reply, error) {
	response, err := e.send(ctx, call)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := e.read(response)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, e.statusError(response, body)
	}
	if into != nil {
		if err := decode(response.Header, body, into); err != nil {
			return nil, err
		}
	}
	return &Reply{Header: response.Header, Body: body}, nil
}

// client returns a client that follows no redirect, even if the configured one
// does.
func (e *Endpoint) client() *http.Client {
	var client http.Client
	if e.Client != nil {
		client = *e.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

func (e *Endpoint) read(response *http.Response) ([]byte, error) {
	limit := e.MaxBytes
	if limit <= 0 {
		limit = defaultMaxBytes
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return nil, e.connectionError(err)
	}
	if int64(len(body)) > limit {
		return nil, fmt.Errorf("the answer of the server is longer than %d bytes: %w", limit, citekit.ErrTooLarge)
	}
	return body, nil
}

func decode(header http.Header, body []byte, into any) error {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	if err := json.Unmarshal(body, into); err != nil {
		if kind != "" && kind != "application/json" && !strings.HasSuffix(kind, "+json") {
			return &Error{Message: fmt.Sprintf("the server answers %s, not JSON; is the base URL right?", clip(kind))}
		}
		return &Error{Message: "the server answers JSON that is broken", Temporary: true}
	}
	return nil
}

// connectionError describes the failure of a connection, without the URL.
func (e *Endpoint) connectionError(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var op *net.OpError // contains the ports
	if errors.As(err, &op) {
		err = op.Err
	}
	var dns *net.DNSError // contains the name server
	if errors.As(err, &dns) {
		err = errors.New(dns.Err)
	}
	return &Error{Message: "the connection failed: " + e.redact(err.Error()), Temporary: true, cause: err}
}

func (e *Endpoint) statusError(response *http.Response, body []byte) error {
	status := response.StatusCode
	failed := &Error{
		Status:     status,
		RetryAfter: retryAfter(response.Header, time.Now()),
		Temporary:  status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500 && status != http.StatusNotImplemented,
	}
	if e.Explain != nil {
		e.Explain(failed, response.Header, body)
	}
	switch {
	case failed.KeyRejected || status == http.StatusUnauthorized:
		// The server's message about a key may contain part of the key.
		failed.KeyRejected, failed.Temporary = true, false
		failed.Message = "the key was not accepted"
		if e.Key == "" {
			failed.Message = "a key is needed"
		}
	case status >= 300 && status <= 399:
		failed.Message = "the server redirects, which is not followed; is the base URL right?"
	case failed.Message == "":
		failed.Message = strings.ToLower(http.StatusText(status))
	default:
		failed.Message = e.redact(failed.Message)
	}
	return failed
}

// redact shortens a message to one line and removes the key.
func (e *Endpoint) redact(message string) string {
	if e.Key != "" {
		message = strings.ReplaceAll(message, e.Key, "[key]")
	}
	return clip(message)
}

// maxShown is the number of bytes of a foreign text that an error shows.
const maxShown = 200

// clip shortens s to one line.
func clip(s string) string { return plain.Words(s, maxShown) }
