package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/mcpcall"
)

// HandlerOptions configures a [Handler]. The zero value is ready to use.
type HandlerOptions struct {
	// Stateless serves every version of the protocol without sessions, so that
	// any of several servers behind a load balancer can answer any request.
	// Clients of versions before 2026-07-28 then get no notifications of changes.
	Stateless bool

	// SessionTimeout is how long a session may be idle, without a call and
	// without an open stream; zero means 10 minutes.
	SessionTimeout time.Duration

	// MaxSessions is the maximum number of concurrent sessions of each caller, in
	// all workspaces together; zero means 1,000. A stream of changes without a
	// session counts as a session. At the limit, the session that was idle for the
	// longest time ends for a new one; sessions with an open stream end last. If all
	// have running calls, the new one is refused with status 429. Callers are
	// distinguished as for [ServeOptions.MaxConnections].
	MaxSessions int

	// MaxBodyBytes bounds the body of a request; zero means 4 MiB, and more than
	// 1 GiB is reduced to 1 GiB.
	MaxBodyBytes int64

	// BodyTimeout is how long the next part of the body of a request may take to
	// arrive; zero means 30 seconds. A body of any length may take any time as long
	// as it keeps coming. If there is no memory for all bodies, one of which nothing
	// comes gives its own up for another.
	BodyTimeout time.Duration

	// Hosts are the host names, without ports, that requests may name in addition
	// to the loopback names. If it is nil, requests at a loopback address may name
	// only these, and requests at other addresses any. Set it if a proxy on the same
	// machine forwards requests.
	Hosts []string

	// Origins are the origins of web pages that may call, such as
	// https://agents.example; by default only the server's own pages may.
	Origins []string

	// SSE also serves the HTTP+SSE transport of version 2024-11-05, at /sse.
	SSE bool

	// Authenticate, if not nil, wraps the handlers that answer callers, for
	// example with [auth.RequireBearerToken]. It must set a distinct
	// [auth.TokenInfo.UserID] for each caller, else they all share one set of
	// sessions. Signed links to evidence need no authentication. If the context of
	// the request that it passes on ends before the answer is written, as when a key
	// is revoked, the rest of the answer is not sent.
	Authenticate func(http.Handler) http.Handler

	// Anonymous states that Authenticate lets everybody in. [Handler.Serve] then
	// listens only on loopback addresses, as without Authenticate.
	Anonymous bool

	// Links serves evidence at /evidence/; the same value as in the options of
	// the server, or nil.
	Links *EvidenceLinks

	// Gate, if not nil, decides when calls may run, and is notified when they
	// end. A call that makes no maps is then cancelled when nobody waits for its
	// answer.
	Gate Gate

	// Tools says what calls do; nil means that nothing is known of them.
	Tools Tools

	// API, if not nil, serves the JSON interface below /v1/, with the same
	// authentication, gate and limits.
	API API

	// View, if not nil, serves pages for people below /view/, and lets browsers call the
	// JSON interface in the sessions of these pages. It belongs to one Handler.
	View View

	// Logger gets what an operator should know, as in the options of package
	// mcpadapter. Nil discards.
	Logger *slog.Logger
}

// The defaults of HandlerOptions.
const (
	defaultSessionTimeout = 10 * time.Minute
	defaultMaxSessions    = 1000
	defaultMaxBody        = 4 << 20
	mostBody              = 1 << 30
	defaultBodyTimeout    = 30 * time.Second
)

// The headers of the protocol.
const (
	versionHeader = mcpcall.VersionHeader
	sessionHeader = "Mcp-Session-Id"
)

// The paths of a [Handler], besides evidencePath.
const (
	endpointPath = "/mcp"
	ssePath      = "/sse"
)

// A Handler serves a server over HTTP, to clients of every version of the
// protocol: at /mcp, and evidence at /evidence/, and other programs by [HandlerOptions.API].
// Make one with [NewHandler].
//
// It refuses requests from web pages of other sites, and requests that reach a
// loopback address by a name other than localhost, with any method.
type Handler struct {
	opts     HandlerOptions
	mux      *http.ServeMux
	guard    *originGuard
	bodies   *bodies
	answers  *longAnswers
	sessions *sessions
	passes   passes

	stateless, stateful, sse http.Handler

	// stopping ends when the server and its streams must stop; killed ends when
	// the calls that still run must be cancelled.
	stopping, killed context.Context
	stop, kill       context.CancelFunc

	mu      sync.Mutex
	running int           // requests
	idle    chan struct{} // closed once no request runs; nil unless something waits for it
}

// NewHandler returns a handler that serves server. A nil opts means the defaults; a nil
// server means none, so that only what opts name is served.
//
// It adds middleware to server, which tracks the calls that come through the
// handler.
func NewHandler(server *mcp.Server, opts *HandlerOptions) *Handler {
	o := opts.withDefaults()
	var get func(*http.Request) *mcp.Server
	if server != nil {
		get = func(*http.Request) *mcp.Server { return server }
	}
	h := newHandler(&o, get)
	if server != nil {
		server.AddReceivingMiddleware(h.followSessions)
	}
	if o.Links != nil {
		h.mux.Handle(evidencePath, h.counted(behind(h.gated(o.Links), o.Authenticate)))
	}
	return h
}

// newHandler returns a handler without evidence links; a nil get means that no protocol
// server is served.
func newHandler(o *HandlerOptions, get func(*http.Request) *mcp.Server) *Handler {
	h := &Handler{
		opts: *o, mux: http.NewServeMux(), guard: newOriginGuard(o.Hosts, o.Origins), passes: passes{gate: o.Gate, tools: o.Tools},
		bodies: newBodies(o.MaxBodyBytes), answers: newLongAnswers(o.Tools), sessions: newSessions(o.MaxSessions, o.SessionTimeout),
	}
	h.stopping, h.stop = context.WithCancel(context.Background())
	h.killed, h.kill = context.WithCancel(context.Background())

	// The Handler itself checks hosts, the length of bodies and idle sessions.
	h.stateless = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, MaxRequestBodyBytes: -1, Logger: mcpcall.ForForeign(o.Logger),
	})
	h.stateful = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		DisableLocalhostProtection: true, MaxRequestBodyBytes: -1, Logger: mcpcall.ForForeign(o.Logger),
	})
	h.sse = mcp.NewSSEHandler(get, &mcp.SSEOptions{DisableLocalhostProtection: true, MaxRequestBodyBytes: -1})

	if get != nil {
		h.mux.Handle(endpointPath, h.authenticated(h.serveEndpoint))
	}
	if get != nil && o.SSE {
		h.mux.Handle(ssePath, h.authenticated(h.serveSSE))
	}
	if o.API != nil {
		h.mux.Handle(APIPath, h.authorized(h.authenticated(h.serveAPI)))
	}
	if o.View != nil {
		h.mountView()
	}
	return h
}

// authenticated wraps serve in the authentication of callers. An answer ends with
// the context of its caller.
func (h *Handler) authenticated(serve http.HandlerFunc) http.Handler {
	if h.opts.Authenticate == nil {
		return serve
	}
	return h.opts.Authenticate(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer cutWith(r.Context(), w)()
		serve(w, r)
	}))
}

// counted returns a handler of requests without bodies.
func (h *Handler) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			(&refusal{http.StatusBadRequest, "a request for evidence has no body"}).write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := newDeadlineWriter(&countingWriter{ResponseWriter: w})
	answer.answers, answer.request = h.answers, r.Context()
	defer answer.extend()
	if r.ContentLength != 0 {
		answer.body = &followedBody{ReadCloser: r.Body}
		r.Body = answer.body
		// This also limits how long the server itself reads a refused body.
		_ = answer.control.SetReadDeadline(time.Now().Add(h.opts.BodyTimeout))
	}
	if !h.enter() {
		h.refuse(answer, r, &refusal{http.StatusServiceUnavailable, "the server is stopping"})
		return
	}
	defer h.leave()
	answer.Header().Set("X-Content-Type-Options", "nosniff")
	if why := h.guard.check(r, h.opts.View != nil); why != "" {
		h.refuse(answer, r, &refusal{http.StatusForbidden, why})
		return
	}
	if h.guard.allowOrigin(answer, r) {
		return
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	r.Header[mcpcall.BaseHeader] = []string{scheme + "://" + r.Host}
	h.mux.ServeHTTP(answer, OneSegment(r))
	if answer.isCut() {
		panic(http.ErrAbortHandler) // so that the answer does not look whole
	}
}

// readBody reads the body of a request into memory. The caller calls release once
// the request is answered.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) (data []byte, release func(), ok bool) {
	if r.ContentLength == 0 {
		return nil, func() {}, true
	}
	control := http.NewResponseController(w)
	data, release, err := h.bodies.read(r, control, h.opts.BodyTimeout)
	if err != nil {
		// Otherwise a client that is still sending gets a closed connection and
		// no answer.
		_ = control.SetReadDeadline(time.Now().Add(restTime))
		_, _ = io.CopyN(io.Discard, r.Body, 4*min(h.bodies.limit, defaultMaxBody))
		h.refuse(w, r, err.(*refusal))
		return nil, nil, false
	}
	// From here on there is no deadline, as it may be a stream.
	_ = control.SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(data))
	return data, release, true
}

// serveEndpoint serves a request of any version. Unknown versions, even newer
// ones, are refused.
func (h *Handler) serveEndpoint(w http.ResponseWriter, r *http.Request) {
	body, release, ok := h.readBody(w, r)
	if !ok {
		return
	}
	s := h.sessions.find(userOf(r), r.Header.Get(sessionHeader))
	defer func() {
		if r.Context().Err() == nil { // all calls are answered
			s = nil
		}
		h.sessions.releaseLater(s, len(body), release)
	}()
	if h.sessions.owesMuch(s, len(body)) {
		tooMuchUnanswered.write(w)
		return
	}
	if !atWork(r, holderOf(r)) {
		tooManyAtWork.answer(w, body)
		return
	}
	versions := r.Header[versionHeader]
	switch {
	case len(versions) > 1:
		http.Error(w, "more than one header "+versionHeader, http.StatusBadRequest)
	case len(versions) == 1 && !slices.Contains(mcp.SupportedProtocolVersions(), versions[0]):
		refuseVersion(w, versions[0], body)
	case r.Method == http.MethodPost && isJSON(r):
		h.serveMessage(w, r, body)
	default:
		h.serveVersion(w, r)
	}
}

// serveMessage serves a request whose body must be a message.
func (h *Handler) serveMessage(w http.ResponseWriter, r *http.Request, body []byte) {
	version := r.Header.Get(versionHeader)
	requests, rejected := checkBody(body, version)
	if rejected == nil && !h.withoutSession(version) && r.Header.Get(sessionHeader) == "" {
		rejected = needSession(requests)
	}
	if rejected != nil {
		rejected.respond(w, http.StatusBadRequest)
		return
	}
	leave, err := h.passes.enter(r, requests)
	if err != nil {
		refuseBusy(w, err, requests)
		return
	}
	defer func() { leave(bytesWritten(w)) }()
	h.serveVersion(&errorWriter{ResponseWriter: w, calls: requests}, r)
}

// isJSON reports whether a body is declared as JSON. The SDK refuses others.
func isJSON(r *http.Request) bool {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && media == "application/json"
}

// withoutSession reports whether requests of a version are independent of each
// other.
func (h *Handler) withoutSession(version string) bool {
	return h.opts.Stateless || mcpcall.IsStateless(version)
}

// serveVersion serves a request of a known version, or of none.
func (h *Handler) serveVersion(w http.ResponseWriter, r *http.Request) {
	if h.withoutSession(r.Header.Get(versionHeader)) {
		h.serveStateless(w, r)
	} else {
		h.serveStateful(w, r)
	}
}

// refuseVersion answers a request of an unknown version as the protocol requires.
// The body may be anything.
func refuseVersion(w http.ResponseWriter, version string, body []byte) {
	supported := mcp.SupportedProtocolVersions()
	data, _ := json.Marshal(mcp.UnsupportedProtocolVersionData{Supported: supported, Requested: version}) // strings always encode
	var request struct {
		ID any `json:"id"`
	}
	if json.Unmarshal(body, &request) != nil {
		request.ID = nil
	}
	if _, isText := request.ID.(string); !isText {
		if _, isNumber := request.ID.(float64); !isNumber {
			request.ID = nil
		}
	}
	answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": request.ID, "error": mcpcall.Detailed(&jsonrpc.Error{
		Code: mcp.CodeUnsupportedProtocolVersion, Data: data,
		Message: fmt.Sprintf("the header %s has a version that is not supported; supported are %s", versionHeader, strings.Join(supported, ", ")),
	})})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	w.Write(answer)
}

// serveStateless serves a request that is a session of its own: its calls end
// with it.
func (h *Handler) serveStateless(w http.ResponseWriter, r *http.Request) {
	s := newSession(r, r.Context())
	defer s.end()
	h.forSession(h.stateless, w, r, s)
}

// serveStateful serves a request that belongs to a session or begins one.
func (h *Handler) serveStateful(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		h.forSession(h.stateful, w, r, newSession(r, context.Background()))
		return
	}
	s := h.sessions.find(userOf(r), id)
	switch {
	case s == nil: // none, or another caller's, which must not be revealed
		http.Error(w, "session not found", http.StatusNotFound)
		return
	case r.Method == http.MethodDelete:
		s.end()
		h.sessions.remove(s)
	case r.Method == http.MethodGet:
		defer h.sessions.begin(s, aStream)()
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(h.stopping, cancel)()
		r = r.WithContext(ctx)
	default:
		defer h.sessions.begin(s, aCall)()
	}
	h.stateful.ServeHTTP(w, r)
}

// forSession serves a request with a new session. If there is no room for the
// session, the request is refused.
func (h *Handler) forSession(next http.Handler, w http.ResponseWriter, r *http.Request, s *session) {
	answer := newDeadlineWriter(w)
	answer.refused = func() *refusal {
		if !h.sessions.wasRefused(s) {
			return nil
		}
		return tooManySessions
	}
	next.ServeHTTP(answer, r.WithContext(h.withSession(r.Context(), s)))
}

var (
	tooManySessions = &refusal{http.StatusTooManyRequests, "too many sessions at work; end one, or try again later"}
	errNoRoom       = mcpcall.Detailed(&jsonrpc.Error{Code: -32000, Message: tooManySessions.message})
)

// serveSSE serves the transport of version 2024-11-05, where a session lasts as
// long as its stream.
func (h *Handler) serveSSE(w http.ResponseWriter, r *http.Request) {
	body, release, ok := h.readBody(w, r)
	if !ok {
		return
	}
	if !atWork(r, holderOf(r)) {
		release()
		tooManyAtWork.answer(w, body)
		return
	}
	if r.Method == http.MethodPost {
		h.postSSE(w, r, body, release)
		return
	}
	defer release()
	if r.Method != http.MethodGet {
		h.sse.ServeHTTP(w, r)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	s := newSession(r, ctx)
	if !h.sessions.add(s, "", cancel) {
		tooManySessions.write(w)
		return
	}
	defer h.sessions.settle(s, maxOwed)
	defer h.sessions.remove(s)
	defer h.sessions.begin(s, aStream)()
	defer context.AfterFunc(h.stopping, func() { h.sessions.endAtRest(s, cancel) })()
	ctx = h.withSession(ctx, s)
	ctx = mcpcall.WithExtra(ctx, &mcp.RequestExtra{Header: r.Header, TokenInfo: auth.TokenInfoFromContext(ctx)})
	stream := &sseStream{ResponseWriter: w, session: s, sessions: h.sessions}
	h.sse.ServeHTTP(stream, r.WithContext(ctx))
}

// postSSE serves a message of a session of HTTP+SSE, which must belong to the
// caller.
func (h *Handler) postSSE(w http.ResponseWriter, r *http.Request, body []byte, release func()) {
	calls, rejected := checkBody(body, "")
	s := h.sessions.find(userOf(r), sseID(r.URL.Query().Get("sessionid")))
	isRoom := true
	if rejected == nil && s != nil {
		isRoom = !h.sessions.owesMuch(s, len(body))
		if isRoom {
			rejected, isRoom = h.sessions.ask(s, calls)
		}
	}
	switch {
	case rejected != nil:
		rejected.respond(w, http.StatusBadRequest)
	case s == nil:
		http.Error(w, "session not found", http.StatusNotFound)
	case !isRoom:
		tooMuchUnanswered.write(w)
	default:
		defer h.sessions.releaseLater(s, len(body), release)
		if len(calls) == 0 { // calls pass the gate one by one, in the session
			leave, err := h.passes.enter(r, nil)
			if err != nil {
				refuseBusy(w, err, nil)
				return
			}
			defer leave(0)
		}
		answer := &statusWriter{ResponseWriter: w}
		h.sse.ServeHTTP(answer, r)
		if answer.status != http.StatusAccepted {
			h.sessions.withdraw(s, calls)
		}
		return
	}
	release()
}

// userOf returns the authenticated user, or "" without authentication.
func userOf(r *http.Request) string {
	if token := auth.TokenInfoFromContext(r.Context()); token != nil {
		return token.UserID
	}
	return ""
}

// enter counts a request. It reports false once the handler is stopping.
func (h *Handler) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopping.Err() != nil {
		return false
	}
	h.running++
	return true
}

func (h *Handler) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running--
	if h.running == 0 && h.idle != nil {
		close(h.idle)
		h.idle = nil
	}
}

// Shutdown ends streams at once, and waits for calls, which it cancels if ctx
// ends first. From then on requests are refused. It returns ctx.Err() if it
// cancelled calls. A program that does not use [Handler.Serve] calls it before
// [http.Server.Shutdown], which would wait for streams.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	h.stop()
	idle := make(chan struct{})
	switch {
	case h.running == 0:
		close(idle)
	case h.idle != nil:
		idle = h.idle // of another call of Shutdown
	default:
		h.idle = idle
	}
	h.mu.Unlock()
	var err error
	select {
	case <-idle:
	case <-ctx.Done():
		err = ctx.Err()
		h.kill()
		select {
		case <-idle: // the answers of cancelled calls are written
		case <-time.After(cancelGrace):
		}
	}
	h.kill()
	for _, s := range h.sessions.all() {
		h.sessions.remove(s)
		go s.close()
	}
	return err
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
	opts.MaxBodyBytes = min(opts.MaxBodyBytes, mostBody)
	if opts.BodyTimeout <= 0 {
		opts.BodyTimeout = defaultBodyTimeout
	}
	if opts.Tools == nil {
		opts.Tools = noTools{}
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	return opts
}
