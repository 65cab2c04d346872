package mcpadapter

import (
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// HandlerOptions configures a [Handler]. The zero value is ready to use.
type HandlerOptions struct {
	// Stateless serves every version of the protocol without sessions, so that
	// any of several servers behind a load balancer can answer any request.
	// Clients of the versions before 2026-07-28 then hear of no changes.
	Stateless bool

	// SessionTimeout is how long a session may be idle; zero means 10 minutes.
	SessionTimeout time.Duration

	// MaxSessions is how many sessions there may be at a time, of each caller
	// that authenticated and of all others together; zero means 1,000.
	MaxSessions int

	// MaxBodyBytes bounds the body of a request; zero means 4 MiB.
	MaxBodyBytes int64

	// BodyTimeout is how long the body of a request may take to arrive; zero
	// means 30 seconds.
	BodyTimeout time.Duration

	// Hosts are the host names, without ports, that requests may name beside
	// the loopback ones; nil means any where the server is reached by another
	// address than a loopback one.
	Hosts []string

	// Origins are the origins of web pages that may call, such as
	// https://agents.example; by default only pages of the server's own.
	Origins []string

	// SSE also serves the HTTP+SSE transport of version 2024-11-05, at /sse.
	SSE bool

	// Authenticate, if it is not nil, wraps what answers callers, such as with
	// [auth.RequireBearerToken]. Signed links to evidence need no
	// authentication.
	Authenticate func(http.Handler) http.Handler

	// Links serves evidence at /evidence/; the same as in [Options], or nil.
	Links *EvidenceLinks

	// Logger is as in [Options].
	Logger *slog.Logger
}

// The defaults of HandlerOptions.
const (
	defaultSessionTimeout = 10 * time.Minute
	defaultMaxSessions    = 1000
	defaultMaxBody        = 4 << 20
	defaultBodyTimeout    = 30 * time.Second
)

// statelessVersions are the versions of the protocol that have no sessions.
var statelessVersions = []string{"2026-07-28"}

const versionHeader = "Mcp-Protocol-Version"

// A Handler serves a server over HTTP, to clients of every version of the
// protocol: at /mcp, and evidence at /evidence/. Make one with [NewHandler].
type Handler struct {
	opts HandlerOptions
	mux  *http.ServeMux
}

// NewHandler returns a handler that serves server. A nil opts means the
// defaults.
func NewHandler(server *mcp.Server, opts *HandlerOptions) *Handler {
	h := &Handler{opts: opts.withDefaults(), mux: http.NewServeMux()}
	get := func(*http.Request) *mcp.Server { return server }
	stateless := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: h.opts.MaxBodyBytes, Logger: h.opts.Logger,
	})
	sessions := stateless
	if !h.opts.Stateless {
		sessions = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
			SessionTimeout: h.opts.SessionTimeout, MaxRequestBodyBytes: h.opts.MaxBodyBytes, Logger: h.opts.Logger,
		})
	}
	endpoint := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.Contains(statelessVersions, r.Header.Get(versionHeader)) {
			stateless.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	}))
	if h.opts.Authenticate != nil {
		endpoint = h.opts.Authenticate(endpoint)
	}
	h.mux.Handle("/mcp", http.NewCrossOriginProtection().Handler(endpoint))
	if h.opts.Links != nil {
		h.mux.Handle(evidencePath, h.opts.Links)
	}
	return h
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	r.Header[baseHeader] = []string{scheme + "://" + r.Host}
	h.mux.ServeHTTP(w, r)
}

func (o *HandlerOptions) withDefaults() HandlerOptions {
	var opts HandlerOptions
	if o != nil {
		opts = *o
	}
	if opts.SessionTimeout <= 0 {
		opts.SessionTimeout = defaultSessionTimeout
	}
	if opts.MaxSessions <= 0 {
		opts.MaxSessions = defaultMaxSessions
	}
	if opts.MaxBodyBytes <= 0 {
		opts.MaxBodyBytes = defaultMaxBody
	}
	if opts.BodyTimeout <= 0 {
		opts.BodyTimeout = defaultBodyTimeout
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	return opts
}

// baseHeader is where the handler tells the tools which base URL the client
// called, such as http://127.0.0.1:8808. The name has a space, so that no
// request has it from elsewhere.
const baseHeader = "citekit base"
