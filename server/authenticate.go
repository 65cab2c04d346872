package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// workspaceHeader names one of the workspaces that a caller may see.
const workspaceHeader = "X-Mcp-Workspace"

// maxToken is how long a token may be, in bytes.
const maxToken = 16 << 10

// A denial is the reason why a request is not served.
type denial struct {
	status  int
	message string
	oauth   string // parameters of the WWW-Authenticate header, beside the URL of the metadata
	err     error  // for the log; may be nil
}

// code returns the code of a problem.
func (d *denial) code() string {
	switch d.status {
	case http.StatusUnauthorized:
		return OutcomeUnauthenticated
	case http.StatusServiceUnavailable:
		return OutcomeUnavailable
	case http.StatusForbidden:
		return outcomeForbidden
	}
	return "INVALID_INPUT"
}

// claimed returns the ID of the caller that a refused token names, or "". Nobody has
// proven it.
func (d *denial) claimed() string {
	var refused *access.RefusedError
	if !errors.As(d.err, &refused) {
		return ""
	}
	return refused.ID
}

// errExpired is the reason why a token is refused whose grant has ended.
var errExpired = fmt.Errorf("it has expired: %w", access.ErrRefused)

// authenticated returns a handler that finds the caller and the workspace of a
// request before the request is served.
func (s *Server) authenticated(workspaces []Workspace) func(http.Handler) http.Handler {
	everything := &access.Grant{}
	for _, w := range workspaces {
		everything.Workspaces = append(everything.Workspaces, w.Name)
	}
	return func(next http.Handler) http.Handler {
		next = withoutToken(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			grant, why := everything, (*denial)(nil)
			if s.opts.Authenticator != nil {
				grant, why = s.whoCalls(r)
			}
			var workspace string
			if why == nil {
				workspace, why = s.workspaceOf(r, grant)
			}
			if why != nil {
				s.deny(w, r, why, grant, start)
				return
			}
			ctx, done := s.begin(r.Context(), grant)
			defer done()
			identified(next, transport.Identify(grant, workspace)).ServeHTTP(w, r.WithContext(ctx))
		})
	}
}

// identified makes the SDK put the caller into the context of requests. The SDK
// does that only for requests with a token.
func identified(next http.Handler, info *auth.TokenInfo) http.Handler {
	known := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) { return info, nil }
	require := auth.RequireBearerToken(known, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header["Authorization"] = []string{"Bearer known"}
		require.ServeHTTP(w, r)
	})
}

// withoutToken removes the token from what tools receive.
func withoutToken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		delete(r.Header, "Authorization")
		next.ServeHTTP(w, r)
	})
}

// whoCalls returns the grant of the token of a request.
func (s *Server) whoCalls(r *http.Request) (*access.Grant, *denial) {
	values := r.Header["Authorization"]
	if len(values) == 0 {
		return nil, &denial{status: http.StatusUnauthorized, message: "this server needs a token: send the header Authorization: Bearer TOKEN"}
	}
	invalid := &denial{status: http.StatusUnauthorized, message: "the token is not valid: it may be revoked, expired or not copied whole", oauth: `error="invalid_token"`}
	scheme, token, _ := strings.Cut(values[0], " ")
	if len(values) > 1 || !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > maxToken || strings.ContainsFunc(token, isNotInToken) {
		invalid.message = "the header Authorization must be Bearer and a token"
		invalid.oauth = `error="invalid_request"`
		return nil, invalid
	}
	grant, err := s.opts.Authenticator.Authenticate(r.Context(), token)
	switch {
	case err == nil && (grant.Expires.IsZero() || time.Now().Before(grant.Expires)):
		return grant, nil
	case err == nil:
		invalid.err = &access.RefusedError{ID: grant.ID, Err: errExpired}
		return nil, invalid
	case errors.Is(err, access.ErrRefused):
		invalid.err = err
		return nil, invalid
	}
	return nil, &denial{status: http.StatusServiceUnavailable, message: "tokens cannot be checked at the moment; try again later", err: err}
}

// isNotInToken reports whether tokens cannot contain the character (RFC 6750,
// section 2.1).
func isNotInToken(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == ',' || r == '\\' }

// workspaceOf returns the workspace that a request is for. The error is the same
// for a workspace that the caller may not see and for a missing one.
func (s *Server) workspaceOf(r *http.Request, grant *access.Grant) (string, *denial) {
	values := r.Header[workspaceHeader]
	if len(values) > 1 {
		return "", &denial{status: http.StatusBadRequest, message: "more than one header X-MCP-Workspace"}
	}
	if len(values) == 1 {
		if name := values[0]; grant.Has(name) && s.names[name] {
			return name, nil
		}
		return "", &denial{status: http.StatusForbidden, message: "there is no such workspace for this token; name one of its workspaces in the header X-MCP-Workspace, or leave the header out"}
	}
	for _, name := range grant.Workspaces {
		if s.names[name] {
			return name, nil
		}
	}
	return "", &denial{status: http.StatusForbidden, message: "the token is for no workspace of this server", err: s.wrongWorkspaces(grant)}
}

// maxNamed is how many workspaces the reason of a denial names.
const maxNamed = 5

// wrongWorkspaces returns the reason of the denial of a grant for workspaces that
// the server does not have. It is for the log only, as callers may not know the
// workspaces of others.
func (s *Server) wrongWorkspaces(grant *access.Grant) error {
	list := func(names []string) string {
		if more := len(names) - maxNamed; more > 0 {
			names = append(slices.Clone(names[:maxNamed]), fmt.Sprintf("%d more", more))
		}
		return strings.Join(names, ", ")
	}
	return fmt.Errorf("the key is for %s; the server has the workspaces %s", list(grant.Workspaces), list(slices.Sorted(maps.Keys(s.names))))
}

// deny answers a request that is not served, and reports it.
func (s *Server) deny(w http.ResponseWriter, r *http.Request, why *denial, grant *access.Grant, start time.Time) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	switch why.status {
	case http.StatusUnauthorized:
		challenge := []string{}
		if why.oauth != "" {
			challenge = append(challenge, why.oauth)
		}
		if s.opts.Metadata != nil {
			challenge = append(challenge, fmt.Sprintf("resource_metadata=%q", s.opts.Metadata.url()))
		}
		header.Set("WWW-Authenticate", strings.TrimSpace("Bearer "+strings.Join(challenge, ", ")))
	case http.StatusServiceUnavailable:
		header.Set("Retry-After", "5")
	}
	if len(s.services) > 0 && strings.HasPrefix(r.URL.Path, transport.APIPath) {
		transport.NewProblem(why.code(), why.status, why.message).Write(w, r)
	} else {
		http.Error(w, why.message, why.status)
	}
	event := Event{Start: start, Duration: time.Since(start), Method: "other", Outcome: OutcomeUnauthenticated}
	if grant != nil {
		event.Caller, event.Outcome = grant.ID, string(outcomeForbidden)
	}
	if why.status == http.StatusServiceUnavailable {
		event.Outcome = OutcomeUnavailable
		if skipped, ok := s.unchecked.now(); ok {
			s.opts.Logger.LogAttrs(r.Context(), slog.LevelError, "tokens cannot be checked", slog.String("error", safe(why.err.Error())), slog.Int("not_logged", skipped))
		}
	}
	if skipped, ok := s.failed.now(); ok {
		more := []slog.Attr{slog.Int("not_logged", skipped)}
		if id := why.claimed(); id != "" {
			more = append(more, slog.String("claimed_caller", safe(id)))
		}
		if why.err != nil {
			more = append(more, slog.String("reason", safe(why.err.Error())))
		}
		s.log(r.Context(), &event, more...)
	}
	s.observe(r.Context(), event)
}

// outcomeForbidden is the outcome of a request for a workspace that the caller may
// not see.
const outcomeForbidden = "FORBIDDEN"

// A Revalidator is an [access.Authenticator] that knows at any time which callers
// still have a valid token.
type Revalidator interface {
	Valid(id string) bool // of the ID of a grant
}

// revokedAfter is how long the requests of a caller go on after its key is revoked.
const revokedAfter = 500 * time.Millisecond

// revoked reports whether a caller is known to have no valid token any more.
func (s *Server) revoked(grant *access.Grant) bool {
	revalidator, ok := s.opts.Authenticator.(Revalidator)
	return ok && grant != nil && !revalidator.Valid(grant.ID)
}

// A Regranter is an [access.Authenticator] that knows at any time what callers may
// do. Requests that were made with a wider grant are ended.
type Regranter interface {
	Granted(id string) *access.Grant // of the ID of a grant; nil if it is not known
}

// narrowed reports whether a caller may do less now than a grant allows.
func (s *Server) narrowed(grant *access.Grant) bool {
	regranter, ok := s.opts.Authenticator.(Regranter)
	if !ok || grant == nil {
		return false
	}
	now := regranter.Granted(grant.ID)
	return now != nil && !(within(grant.Workspaces, now.Workspaces) && (now.Toolsets == nil || grant.Toolsets != nil && within(grant.Toolsets, now.Toolsets)) &&
		(now.Tools == nil || grant.Tools != nil && within(grant.Tools, now.Tools)) && (grant.ReadOnly || !now.ReadOnly))
}

// withdrawn reports whether a caller may not have evidence of a workspace any more.
func (s *Server) withdrawn(grant *access.Grant, workspace string) bool {
	regranter, ok := s.opts.Authenticator.(Regranter)
	if !ok || grant == nil {
		return false
	}
	now := regranter.Granted(grant.ID)
	return now != nil && !(now.Has(workspace) && mcpadapter.GivesEvidence(now))
}

func within(all, of []string) bool {
	return !slices.ContainsFunc(all, func(one string) bool { return !slices.Contains(of, one) })
}

// watchRevoked ends the requests of callers whose tokens are no longer valid, or
// allow less than before.
func (s *Server) watchRevoked(ctx context.Context) {
	_, ends := s.opts.Authenticator.(Revalidator)
	if _, narrows := s.opts.Authenticator.(Regranter); !ends && !narrows {
		return
	}
	ticker := time.NewTicker(revokedAfter)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		s.active.end()
		s.handler.EndCaller(s.over)
	}
}

// over reports whether a caller has no valid token any more, or may do less now than a
// grant allows.
func (s *Server) over(grant *access.Grant) bool { return s.revoked(grant) || s.narrowed(grant) }

// activeRequests are the requests that are being served.
type activeRequests struct {
	mu       sync.Mutex
	requests map[*request]struct{}
}

type request struct {
	over   func() bool // reports whether the caller may have no more of it
	cancel func()
}

func newActive() *activeRequests { return &activeRequests{requests: make(map[*request]struct{})} }

// grantKey is the key of the context of a request for the grant of its caller.
type grantKey struct{}

// begin notes a request until done is called. Its context ends with its token.
func (s *Server) begin(ctx context.Context, grant *access.Grant) (context.Context, func()) {
	var cancel context.CancelFunc
	if grant.Expires.IsZero() {
		ctx, cancel = context.WithCancel(ctx)
	} else {
		ctx, cancel = context.WithDeadline(ctx, grant.Expires)
	}
	forget := s.active.add(func() bool { return s.over(grant) }, cancel)
	return context.WithValue(ctx, grantKey{}, grant), func() {
		cancel()
		forget()
	}
}

// add notes a request until forget is called.
func (a *activeRequests) add(over func() bool, cancel func()) (forget func()) {
	r := &request{over, cancel}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests[r] = struct{}{}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.requests, r)
	}
}

// end cancels the requests that are over.
func (a *activeRequests) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for r := range a.requests {
		if r.over() {
			r.cancel()
		}
	}
}

// A floodLog limits log lines that may come in a flood.
type floodLog struct {
	mu      sync.Mutex
	most    int
	per     time.Duration
	since   time.Time
	count   int
	skipped int
}

func newSometimes(most int, per time.Duration) *floodLog { return &floodLog{most: most, per: per} }

// now reports whether this line may be written, and how many were left out since
// the last one.
func (s *floodLog) now() (skipped int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.since) >= s.per {
		s.since, s.count = now, 0
	}
	if s.count >= s.most {
		s.skipped++
		return 0, false
	}
	s.count++
	skipped, s.skipped = s.skipped, 0
	return skipped, true
}
