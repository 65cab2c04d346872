// Package server serves several workspaces to several callers over the Model
// Context Protocol, and over the JSON interface of package api: each caller sees its
// own, and none can starve another.
//
// A [Server] is an [http.Handler]. It authenticates callers by an
// [access.Authenticator], finds the workspace that the caller means, lets calls
// run within its [Limits], and reports to a logger, an audit log and an [Observer]
// how they ended. Package mcpadapter implements the protocol itself, with one
// protocol server for each workspace, and package transport serves it.
//
// # Who sees what
//
// A token says which workspaces its caller may see. A caller of several names one
// by the header X-MCP-Workspace; the default is the first of the token. A
// workspace that the caller may not see is answered like a missing one.
// Sessions, links to evidence and subscriptions belong to a caller and a workspace.
//
// # Answers of its own
//
// A request without a valid token gets status 401; a request for a workspace that
// the caller may not see gets 403. If a limit of the caller is reached, the status
// is 429; if a limit of the server is reached, it is 503. Both have Retry-After and
// a JSON-RPC error with code -32000, or a problem (RFC 9457) below /v1/. While callers cannot be authenticated, such as
// when a file of keys cannot be read and none was read before, the status is 503.
//
// GET /healthz answers 200 while the process runs. GET /readyz answers 200, or 503
// with the names of the checks that fail, which reveal nothing about the workspaces.
// An answer 200 has "degraded" with what works in part.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/api"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// A Workspace is one workspace of a server, under a name.
type Workspace struct {
	Name string // as in [access.Grant.Workspaces]; 1 to 64 letters, digits, "-", "_" and "."

	// Hosted is the protocol server of the workspace, and its links.
	Hosted transport.Hosted

	// API answers the JSON interface below /v1/ for the workspace, with Hosted.Server's
	// rights, limits and logs; nil means that it has none.
	API *api.Service

	// Ready returns an error if files that the workspace needs cannot be read or
	// written. It is called at most once per second, and every two seconds while
	// [Server.Serve] runs. If the error matches [io/fs.ErrNotExist], the files are
	// missing, and calls are refused until they are back, rather than answered as
	// if the workspace were empty. So they are if it has a method StorageFault, as
	// errors of stores do: calls would wait for the store in vain. A nil Ready means
	// that the workspace is always ready.
	Ready func(context.Context) error

	// Full reports whether evidence was lately not stored because of a limit for
	// the workspace. The server stays ready, as one caller could otherwise take it
	// from all others; the answer of the probe and the log say so. It is called as
	// often as Ready; nil means never.
	Full func() bool
}

// Options configures a [Server]. The zero value is ready to use.
type Options struct {
	// Authenticator decides what a token may do. Nil means that anybody who can
	// reach the server may use all workspaces; the server then listens only on
	// loopback addresses.
	Authenticator access.Authenticator

	// Limits bound what callers may ask for; see also [Server.SetLimits].
	Limits Limits

	// Meter, if not nil, is shared with other servers: together they then keep each
	// caller to its Rate, Burst and BytesPerMinute. The other limits are of each server.
	// While it fails, so are these.
	Meter Meter

	// Handler has the options of the endpoint. The server sets Authenticate, Gate,
	// Links and API itself. Without Tools they are those of package mcpadapter.
	Handler transport.HandlerOptions

	// Version is that of the program, for the JSON interface.
	Version string

	// Metadata says where callers get tokens (RFC 9728). Nil means that tokens
	// come from the operator.
	Metadata *Metadata

	// Ready holds checks of what the workspaces share. The key is the name that a
	// probe gets if the check fails, such as "keys" or "disk".
	Ready map[string]func(context.Context) error

	// Logger gets a record of each request, and of what the operator should
	// know. Audit gets only the records of requests, at level info. Neither gets
	// evidence, quotes, queries or tokens. Nil discards. If a logger hangs, up to
	// 1,024 records wait to be written. Beyond that, records for Logger are left
	// out, and their number is logged once it goes on; requests wait for Audit, so
	// that it has no gap.
	Logger, Audit *slog.Logger

	// Observer receives each request that has ended; it may be nil.
	Observer Observer
}

// A Server serves workspaces. Make one with [New].
type Server struct {
	opts              Options
	handler           *transport.Handler
	mux               *http.ServeMux
	names             map[string]bool
	services          map[string]*api.Service // of the JSON interface, by workspace
	queue             *queue
	active            *activeRequests
	reports, audits   *reports  // of requests that have ended; audits is nil without Options.Audit
	failed, unchecked *floodLog // log lines of requests without a valid token, and of tokens that cannot be checked
	probes            *probes
}

// New returns a server of workspaces. A nil opts means the defaults. The error
// says which workspace has an invalid name, or the name of another workspace.
func New(workspaces []Workspace, opts *Options) (*Server, error) {
	s := &Server{mux: http.NewServeMux(), names: make(map[string]bool), services: make(map[string]*api.Service)}
	if opts != nil {
		s.opts = *opts
	}
	for _, logger := range []**slog.Logger{&s.opts.Logger, &s.opts.Audit} {
		if *logger == nil {
			*logger = slog.New(slog.DiscardHandler)
		}
	}
	if len(workspaces) == 0 {
		return nil, errors.New("server: there is no workspace to serve")
	}
	hosted := make(map[string]transport.Hosted)
	for _, w := range workspaces {
		if err := CheckName(w.Name); err != nil {
			return nil, fmt.Errorf("server: %w", err)
		}
		if s.names[w.Name] {
			return nil, fmt.Errorf("server: two workspaces have the name %s", w.Name)
		}
		s.names[w.Name] = true
		hosted[w.Name] = w.Hosted
		if w.API != nil {
			s.services[w.Name] = w.API
		}
	}
	s.queue, s.active = newQueue(s.opts.Limits), newActive()
	if s.opts.Meter != nil {
		s.queue.meter = &meter{shared: s.opts.Meter, logger: s.opts.Logger}
	}
	s.failed, s.unchecked = newSometimes(10, time.Second), newSometimes(1, time.Second)
	s.reports = newReports(s.report, s.missed)
	if opts != nil && opts.Audit != nil {
		s.audits = newReports(s.audit, nil)
	}
	s.probes = newProbes(workspaces, s.opts.Ready, s.opts.Logger)
	endpoint := s.opts.Handler
	endpoint.Gate, endpoint.API = gate{s}, nil
	if endpoint.Tools == nil {
		endpoint.Tools = mcpadapter.Tools()
	}
	if len(s.services) > 0 {
		endpoint.API = api.New(nil, &api.Options{Version: s.opts.Version, Workspace: s.service, MaxBodyBytes: endpoint.MaxBodyBytes, Logger: endpoint.Logger})
	}
	endpoint.Authenticate, endpoint.Anonymous = s.authenticated(workspaces), s.opts.Authenticator == nil
	s.handler = transport.NewWorkspacesHandler(hosted, &endpoint)
	s.mux.Handle("/", s.handler)
	s.mux.HandleFunc("GET "+healthPath, serveHealth)
	s.mux.Handle("GET "+readyPath, s.probes)
	if m := s.opts.Metadata; m != nil {
		s.mux.Handle(metadataPath, m.handler())
	}
	return s, nil
}

// service returns the service of a workspace for a caller, or nil if the caller may not
// see it. Without a name it is the workspace that the request is for.
func (s *Server) service(ctx context.Context, name string) *api.Service {
	grant, workspace := mcpcall.GrantOf(auth.TokenInfoFromContext(ctx))
	if name == "" {
		name = workspace
	}
	if grant == nil || !grant.Has(name) {
		return nil
	}
	return s.services[name]
}

// The paths of the probes.
const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
)

// CheckName returns an error if name is not a valid workspace name. It must have 1
// to 64 ASCII letters, digits, "-", "_" and ".", and begin with a letter or digit.
func CheckName(name string) error {
	for i, r := range name {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		if !letter && (i == 0 || r != '-' && r != '_' && r != '.') {
			return fmt.Errorf("workspace name %.70q: names have ASCII letters, digits, \"-\", \"_\" and \".\", and begin with a letter or digit", name)
		}
	}
	if len(name) == 0 || len(name) > 64 {
		return fmt.Errorf("workspace name %.70q: names have 1 to 64 letters", name)
	}
	return nil
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mux.ServeHTTP(w, transport.OneSegment(r))
}

// SetLimits changes the limits. Calls that run and wait go on; the longest wait and
// the size of the queue apply to new calls.
func (s *Server) SetLimits(limits Limits) { s.queue.set(limits) }

// Load returns the work of the server at the moment.
func (s *Server) Load() Load { return s.queue.load() }

// Serve serves the clients that connect to listener until ctx is done, as
// [transport.Handler.Serve] does; /readyz fails from then on. The error also says how
// many requests are missing from the logs, which get five seconds for the last ones.
// Options may have a Handler that wraps the server, and other Probes than /healthz and
// /readyz; a nil opts means the defaults.
// Without an Authenticator the listener must have a loopback address.
func (s *Server) Serve(ctx context.Context, listener net.Listener, opts *transport.ServeOptions) error {
	var o transport.ServeOptions
	if opts != nil {
		o = *opts
	}
	if o.Handler == nil {
		o.Handler = s
	}
	if o.Probes == nil {
		o.Probes = []string{healthPath, readyPath}
	}
	defer context.AfterFunc(ctx, func() { s.probes.stopping.Store(true) })()
	watch, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go s.watchRevoked(watch)
	go s.probes.watch(watch)
	err := s.handler.Serve(ctx, listener, &o)
	settle, end := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer end()
	return errors.Join(err, s.settle(settle))
}

// settleTime is how long the logs may take for the last requests when a server
// ends.
const settleTime = 5 * time.Second

// Shutdown ends the streams and calls of the server, as [transport.Handler.Shutdown]
// does, and waits until all ended requests are in the logs. If ctx is done before,
// the error also says how many requests are missing from them.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.handler.Shutdown(ctx)
	return errors.Join(err, s.settle(ctx))
}
