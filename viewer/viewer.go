// Package viewer shows what is cited: pages in a browser with the library, its search, and
// the place of each citation in its source, the quoted words marked.
//
//	c, err := corpus.Open("papers", nil)
//	…
//	view := viewer.New(c.Service(nil), nil)
//	err = http.ListenAndServe("127.0.0.1:8080", view.Beside(mux)) // /view/ and /v1/, and all else by mux
//
// The pages are files in the program. They hold no content, so anybody may have them, and
// they call the JSON interface of package api alone, on the same host. [Link] gives the
// page of an address.
//
// # Who may see it
//
// With [transport.HandlerOptions.View] the pages are served by a [transport.Handler],
// beside MCP, to its callers. A browser that sends a token of a caller to
// POST /view/-/session gets a session: a cookie that works for the JSON interface alone,
// from the pages of this server alone, as long as the token does. Without
// [Options.Sessions] they are in the memory of the process, so several servers behind a
// load balancer need one that sends a browser to the same server each time.
package viewer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/api"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
)

// Options configures a [Handler] and [Pages]. The zero value is ready to use.
type Options struct {
	// Version is that of the program, for the pages.
	Version string

	// BaseURL is where browsers find the server, such as https://cite.example, if a proxy
	// serves it by https; "" means as they call it.
	BaseURL string

	// Path begins the paths of the pages and of the JSON interface, such as "/cite"; ""
	// means that they are "/view/" and "/v1/". A [Handler] answers nothing else; a proxy in
	// front of other servers takes it out of requests. The cookies of sessions are sent
	// below it alone: browsers do not tell the ports of a host apart, so a path that nobody
	// can guess keeps them from other servers of a machine.
	Path string

	// Key is a token that callers of a [Handler] need; "" means that everybody who can
	// reach it may call, as is right behind a program that checks who that is.
	Key string

	// Sessions, if not nil, keeps the sessions of browsers for other servers and for later:
	// notes of the kind "sessions", of which nobody can make use without the cookie.
	Sessions citekit.NoteStore

	// Handler has further options of a [Handler], such as the hosts that requests may
	// name. API and View are its own; Authenticate is used if there is no Key. A nil Gate
	// means one of [server.NewGate]: of the calls that search, extract and verify one for
	// each CPU runs at a time, at least two, 64 of a caller wait up to 10 seconds, and
	// others are refused with status 429 or 503.
	Handler transport.HandlerOptions
}

// A Handler serves the pages below /view/ and the JSON interface below /v1/. It refuses
// requests of pages of other sites, and those that name another host, as its
// [transport.Handler] does. Make one with [New].
//
// An [http.ServeMux] takes the "//" in the paths of pages for a mistake, and redirects
// them to what is none. So put the Handler before a mux by [Handler.Beside], or give the
// mux requests through [transport.OneSegment].
type Handler struct {
	*transport.Handler
	Pages *Pages

	path  string
	below http.Handler
}

// New returns a handler of pages that show what a service has. A nil opts means the
// defaults. Put it before a mux by [Handler.Beside], not into it.
func New(service *api.Service, opts *Options) *Handler {
	o := *cmp.Or(opts, new(Options))
	h := &Handler{Pages: NewPages(&o), path: o.Path}
	endpoint := o.Handler
	endpoint.View = h.Pages
	endpoint.API = api.New(service, &api.Options{Version: o.Version, MaxBodyBytes: endpoint.MaxBodyBytes, Logger: endpoint.Logger})
	if endpoint.Gate == nil {
		// There may be one caller alone, whose pages ask for many pictures.
		endpoint.Gate = server.NewGate(server.Limits{CallsPerCaller: -1, HeavyPerCaller: -1, Rate: -1, BytesPerMinute: -1})
	}
	if o.Key != "" {
		endpoint.Authenticate, endpoint.Anonymous = needing(o.Key), false
	}
	h.Handler = transport.NewHandler(nil, &endpoint)
	h.below = http.StripPrefix(h.path, h.Handler)
	return h
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.below.ServeHTTP(w, r) }

// Serve is as [transport.Handler.Serve].
func (h *Handler) Serve(ctx context.Context, listener net.Listener, opts *transport.ServeOptions) error {
	o := *cmp.Or(opts, new(transport.ServeOptions))
	if o.Handler == nil {
		o.Handler = h
	}
	return h.Handler.Serve(ctx, listener, &o)
}

// Beside returns a handler that serves /view and what is below it and /v1/, behind
// [Options.Path], by h, and all else by next.
func (h *Handler) Beside(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, ok := strings.CutPrefix(r.URL.Path, h.path)
		if ok && (path+"/" == transport.ViewPath || strings.HasPrefix(path, transport.ViewPath) || strings.HasPrefix(path, transport.APIPath)) {
			h.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// needing returns a handler that lets in requests with a key.
func needing(key string) func(http.Handler) http.Handler {
	want := sha256.Sum256([]byte(key))
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			values := r.Header["Authorization"]
			if len(values) == 1 {
				scheme, token, _ := strings.Cut(values[0], " ")
				got := sha256.Sum256([]byte(token))
				if strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
					r.Header.Del("Authorization")
					next.ServeHTTP(w, r)
					return
				}
			}
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.Header().Set("Cache-Control", "no-store")
			transport.NewProblem("unauthenticated", http.StatusUnauthorized, "this server needs a key: open the link that the program printed").Write(w, r)
		})
	}
}
