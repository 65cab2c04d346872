// Package server serves several workspaces to several callers over the Model
// Context Protocol: each caller sees its own, and none can starve another.
//
// A [Server] is an [http.Handler]. It authenticates who calls by an
// [access.Authenticator], finds the workspace that the caller means, lets calls
// run within its [Limits], and tells a logger, an audit log and an [Observer] how
// they ended. The protocol itself is the business of package mcpadapter, with one
// server of the protocol for each workspace.
//
// # Who sees what
//
// A token says which workspaces its caller may see. A caller of several names one
// by the header X-MCP-Workspace; without it the first of the token is meant. A
// workspace that the caller may not see is answered like one that there is not.
// Sessions, links to evidence and subscriptions belong to a caller and a workspace.
//
// # Answers of its own
//
// A request without a valid token gets status 401, one for a workspace that the
// caller has not 403. Where a limit is reached, the status is 429 if it is the
// caller's own, and 503 if it is the server's, with Retry-After and an error of
// JSON-RPC with code -32000. While callers cannot be authenticated, such as when a
// file of keys cannot be read and none was read before, it is 503.
//
// GET /healthz answers 200 while the process runs, and GET /readyz 200 or 503 with
// what is not well, in words that tell nothing of the workspaces.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/mcpadapter"
)

// A Workspace is what a server serves under a name.
type Workspace struct {
	Name string // as in [access.Grant.Workspaces]; 1 to 64 letters, digits, "-", "_" and "."

	// Hosted is the server of the protocol for it, and its links.
	Hosted mcpadapter.Hosted

	// Ready returns an error if what the workspace needs cannot be read or
	// written. It is called at most once in a second, and every two seconds while
	// [Server.Serve] runs. If the error matches [io/fs.ErrNotExist] the files are
	// gone, and calls are refused until they are back, rather than answered as if
	// there were none. Nil means that all is well.
	Ready func(context.Context) error
}

// Options configures a [Server]. The zero value is ready to use.
type Options struct {
	// Authenticator tells what a token may do. Nil means that whoever can reach
	// the server may use all workspaces; it then listens on loopback addresses
	// alone.
	Authenticator access.Authenticator

	// Limits bound what callers may ask for; see also [Server.SetLimits].
	Limits Limits

	// Handler has the options of the endpoint. Authenticate, Gate and Links are
	// the server's own.
	Handler mcpadapter.HandlerOptions

	// Metadata says where callers get tokens, as RFC 9728 has it; nil means that
	// tokens come from the operator.
	Metadata *Metadata

	// Ready are checks of what workspaces share, by what a probe is told if one
	// fails, such as "keys" or "disk".
	Ready map[string]func(context.Context) error

	// Logger gets a record of each request, and of what the operator should
	// know. Audit gets those of requests alone, at level info. Both never get
	// evidence, quotes, queries or tokens. Nil discards. Where a logger hangs, up
	// to 1,024 requests wait to be written. Then Logger leaves out others, and
	// says how many once it goes on; for Audit they wait, so that it has no gap.
	Logger, Audit *slog.Logger

	// Observer is told of each request that has ended; it may be nil.
	Observer Observer
}

// A Server serves workspaces. Make one with [New].
type Server struct {
	opts              Options
	handler           *mcpadapter.Handler
	mux               *http.ServeMux
	names             map[string]bool
	queue             *queue
	active            *active
	reports, audits   *reports   // of requests that have ended; audits is nil without Options.Audit
	failed, unchecked *sometimes // log lines of requests without a valid token, and of tokens that cannot be checked
	probes            *probes
}

// New returns a server of workspaces. A nil opts means the defaults. The error
// says which workspace has no valid name, or that of another.
func New(workspaces []Workspace, opts *Options) (*Server, error) {
	s := &Server{mux: http.NewServeMux(), names: make(map[string]bool)}
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
	hosted := make(map[string]mcpadapter.Hosted)
	for _, w := range workspaces {
		if err := CheckName(w.Name); err != nil {
			return nil, fmt.Errorf("server: %w", err)
		}
		if s.names[w.Name] {
			return nil, fmt.Errorf("server: two workspaces have the name %s", w.Name)
		}
		s.names[w.Name] = true
		hosted[w.Name] = w.Hosted
	}
	s.queue, s.active = newQueue(s.opts.Limits), newActive()
	s.failed, s.unchecked = newSometimes(10, time.Second), newSometimes(1, time.Second)
	s.reports = newReports(s.report, s.missed)
	if opts != nil && opts.Audit != nil {
		s.audits = newReports(s.audit, nil)
	}
	s.probes = newProbes(workspaces, s.opts.Ready, s.opts.Logger)
	endpoint := s.opts.Handler
	endpoint.Gate = gate{s}
	endpoint.Authenticate, endpoint.Anonymous = s.authenticated(workspaces), s.opts.Authenticator == nil
	s.handler = mcpadapter.NewWorkspacesHandler(hosted, &endpoint)
	s.mux.Handle("/", s.handler)
	s.mux.HandleFunc("GET /healthz", serveHealth)
	s.mux.Handle("GET /readyz", s.probes)
	if m := s.opts.Metadata; m != nil {
		s.mux.Handle(metadataPath, m.handler())
	}
	return s, nil
}

// CheckName returns an error if a workspace cannot have a name: it must have 1 to
// 64 ASCII letters, digits, "-", "_" and ".", and begin with a letter or digit.
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
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// SetLimits changes the limits. Calls that run and wait go on; what is told of
// the longest wait and the queue counts for those that come.
func (s *Server) SetLimits(limits Limits) { s.queue.set(limits) }

// Load returns what the server does at the moment.
func (s *Server) Load() Load { return s.queue.load() }

// Serve serves the clients that connect to listener until ctx is done, as
// [mcpadapter.Handler.Serve] does. The error also says how many requests are not in the
// logs, which have five seconds for the last. Options may have a Handler that wraps the
// server; a nil opts means the defaults. Without an Authenticator the listener
// must have a loopback address.
func (s *Server) Serve(ctx context.Context, listener net.Listener, opts *mcpadapter.ServeOptions) error {
	var o mcpadapter.ServeOptions
	if opts != nil {
		o = *opts
	}
	if o.Handler == nil {
		o.Handler = s
	}
	watch, stop := context.WithCancel(ctx)
	defer stop()
	go s.watchRevoked(watch)
	go s.probes.watch(watch)
	err := s.handler.Serve(ctx, listener, &o)
	settle, end := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer end()
	return errors.Join(err, s.settle(settle))
}

// settleTime is how long the logs may take for what has ended when a server does.
const settleTime = 5 * time.Second

// Shutdown ends what the server serves, as [mcpadapter.Handler.Shutdown] does, and
// waits until what has ended is in the logs. The error also says how many requests
// are not, if ctx is done before.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.handler.Shutdown(ctx)
	return errors.Join(err, s.settle(ctx))
}
