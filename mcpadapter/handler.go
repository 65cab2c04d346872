package mcpadapter

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
)

// HandlerOptions configures a [Handler]. The zero value is ready to use.
type HandlerOptions struct {
	// Stateless serves every version of the protocol without sessions, so that
	// any of several servers behind a load balancer can answer any request.
	// Clients of the versions before 2026-07-28 then hear of no changes.
	Stateless bool

	// SessionTimeout is how long a session may be idle, without a call and
	// without an open stream; zero means 10 minutes.
	SessionTimeout time.Duration

	// MaxSessions is how many sessions there may be at a time, of each caller
	// that authenticated and of all others together; zero means 1,000. Streams
	// of changes that have no session count as one. Beyond that the session
	// that was idle for the longest time ends for a new one, those with an open
	// stream last; if all have calls that run, the new one is refused with
	// status 429. Callers are told apart by [auth.TokenInfo.UserID].
	MaxSessions int

	// MaxBodyBytes bounds the body of a request; zero means 4 MiB, and more than
	// 1 GiB means that.
	MaxBodyBytes int64

	// BodyTimeout is how long the body of a request may take to arrive; zero
	// means 30 seconds.
	BodyTimeout time.Duration

	// Hosts are the host names, without ports, that requests may name beside
	// the loopback ones; nil means any where the server is reached by another
	// address than a loopback one. Behind a proxy of the same machine they are
	// needed.
	Hosts []string

	// Origins are the origins of web pages that may call, such as
	// https://agents.example; by default only pages of the server's own.
	Origins []string

	// SSE also serves the HTTP+SSE transport of version 2024-11-05, at /sse.
	SSE bool

	// Authenticate, if it is not nil, wraps what answers callers, such as with
	// [auth.RequireBearerToken]. It must tell callers apart by
	// [auth.TokenInfo.UserID], else they all share the sessions of one. Signed
	// links to evidence need no authentication.
	Authenticate func(http.Handler) http.Handler

	// Anonymous says that Authenticate lets everybody in. [Handler.Serve] then
	// listens on loopback addresses alone, as without Authenticate.
	Anonymous bool

	// Links serves evidence at /evidence/; the same as in [Options], or nil.
	Links *EvidenceLinks

	// Gate, if it is not nil, says when calls may run, and hears how they end.
	// Then a call that makes no maps is cancelled when nobody waits for its
	// answer.
	Gate Gate

	// Logger is as in [Options].
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

// statelessVersions are the versions of the protocol that have no sessions.
var statelessVersions = []string{"2026-07-28"}

// sessionVersions are those that have. The last one began with another
// transport, and clients that want it use this one too.
var sessionVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// The headers of the protocol.
const (
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
)

// The paths of a [Handler], beside evidencePath.
const (
	endpointPath = "/mcp"
	ssePath      = "/sse"
)

// A Handler serves a server over HTTP, to clients of every version of the
// protocol: at /mcp, and evidence at /evidence/. Make one with [NewHandler].
//
// It refuses what a web page of another site asks for, and what reaches a
// loopback address by another name than localhost, by every method.
type Handler struct {
	opts     HandlerOptions
	mux      *http.ServeMux
	guard    *originGuard
	bodies   *bodies
	answers  *longAnswers
	sessions *sessions
	passes   passes

	stateless, stateful, sse http.Handler

	// stopping ends when the server is to stop, and with it streams; killed
	// ends when the calls that still run are to be cancelled.
	stopping, killed context.Context
	stop, kill       context.CancelFunc

	mu      sync.Mutex
	running int           // requests
	idle    chan struct{} // closed once no request runs; nil unless it is awaited
}

// NewHandler returns a handler that serves server. A nil opts means the
// defaults.
//
// It adds middleware to server, which follows the calls that come by the
// handler.
func NewHandler(server *mcp.Server, opts *HandlerOptions) *Handler {
	o := opts.withDefaults()
	h := newHandler(&o, func(*http.Request) *mcp.Server { return server })
	server.AddReceivingMiddleware(h.followSessions)
	if o.Links != nil {
		h.mux.Handle(evidencePath, h.counted(behind(h.gated(o.Links), o.Authenticate)))
	}
	return h
}

// newHandler returns a handler that has no evidence yet.
func newHandler(o *HandlerOptions, get func(*http.Request) *mcp.Server) *Handler {
	h := &Handler{
		opts: *o, mux: http.NewServeMux(), guard: newOriginGuard(o.Hosts, o.Origins), passes: passes{gate: o.Gate},
		bodies: newBodies(o.MaxBodyBytes), answers: newLongAnswers(), sessions: newSessions(o.MaxSessions, o.SessionTimeout),
	}
	h.stopping, h.stop = context.WithCancel(context.Background())
	h.killed, h.kill = context.WithCancel(context.Background())

	// Hosts, the lengths of bodies and idle sessions are seen to here.
	h.stateless = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, MaxRequestBodyBytes: -1, Logger: forForeign(o.Logger),
	})
	h.stateful = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		DisableLocalhostProtection: true, MaxRequestBodyBytes: -1, Logger: forForeign(o.Logger),
	})
	h.sse = mcp.NewSSEHandler(get, &mcp.SSEOptions{DisableLocalhostProtection: true, MaxRequestBodyBytes: -1})

	h.mux.Handle(endpointPath, h.authenticated(h.serveEndpoint))
	if o.SSE {
		h.mux.Handle(ssePath, h.authenticated(h.serveSSE))
	}
	return h
}

// authenticated returns what serves callers that may call.
func (h *Handler) authenticated(serve http.HandlerFunc) http.Handler {
	if h.opts.Authenticate == nil {
		return serve
	}
	return h.opts.Authenticate(serve)
}

// counted returns a handler of requests without bodies.
func (h *Handler) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			(&refusal{http.StatusBadRequest, "a request for evidence has no body"}).write(w)
			return
		}
		atWork(r)
		next.ServeHTTP(w, r)
	})
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := newDeadlineWriter(&countingWriter{ResponseWriter: w})
	answer.answers = h.answers
	defer answer.extend()
	if r.ContentLength != 0 {
		answer.body = &followedBody{ReadCloser: r.Body}
		r.Body = answer.body
		// Also for what the server itself reads of a body that was refused.
		_ = answer.control.SetReadDeadline(time.Now().Add(h.opts.BodyTimeout))
	}
	if !h.enter() {
		(&refusal{http.StatusServiceUnavailable, "the server is stopping"}).write(answer)
		return
	}
	defer h.leave()
	answer.Header().Set("X-Content-Type-Options", "nosniff")
	if why := h.guard.check(r); why != "" {
		(&refusal{http.StatusForbidden, why}).write(answer)
		return
	}
	if h.guard.allowOrigin(answer, r) {
		return
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	r.Header[baseHeader] = []string{scheme + "://" + r.Host}
	h.mux.ServeHTTP(answer, r)
}

// readBody replaces the body of a request by one that is in memory. The caller
// calls release once the request is answered.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) (data []byte, release func(), ok bool) {
	if r.ContentLength == 0 {
		return nil, func() {}, true
	}
	data, release, err := h.bodies.read(r)
	if err != nil {
		// A client that still sends would see its connection cut, and no answer.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(restTime))
		_, _ = io.CopyN(io.Discard, r.Body, 4*min(h.bodies.limit, defaultMaxBody))
		err.(*refusal).write(w)
		return nil, nil, false
	}
	// What follows has no deadline: it may be a stream.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(data))
	return data, release, true
}

// serveEndpoint serves a request of any version. Only versions that are known
// choose the way: others, newer ones too, are refused.
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
	atWork(r)
	versions := r.Header[versionHeader]
	switch {
	case len(versions) > 1:
		http.Error(w, "more than one header "+versionHeader, http.StatusBadRequest)
	case len(versions) == 1 && !slices.Contains(statelessVersions, versions[0]) && !slices.Contains(sessionVersions, versions[0]):
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

// isJSON reports whether a body is said to be JSON. The SDK refuses others.
func isJSON(r *http.Request) bool {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && media == "application/json"
}

// withoutSession reports whether requests of a version are served each for itself.
func (h *Handler) withoutSession(version string) bool {
	return h.opts.Stateless || slices.Contains(statelessVersions, version)
}

// serveVersion serves a request of a version that is known, or that is not told.
func (h *Handler) serveVersion(w http.ResponseWriter, r *http.Request) {
	if h.withoutSession(r.Header.Get(versionHeader)) {
		h.serveStateless(w, r)
	} else {
		h.serveStateful(w, r)
	}
}

// refuseVersion answers a request of a version that is not known, as the
// protocol says. The body may be anything.
func refuseVersion(w http.ResponseWriter, version string, body []byte) {
	supported := slices.Concat(statelessVersions, sessionVersions)
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
	answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": request.ID, "error": &jsonrpc.Error{
		Code: mcp.CodeUnsupportedProtocolVersion, Data: data,
		Message: fmt.Sprintf("the header %s has a version that is not supported; supported are %s", versionHeader, strings.Join(supported, ", ")),
	}})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	w.Write(answer)
}

// serveStateless serves a request that is its own session: what it calls ends
// with it.
func (h *Handler) serveStateless(w http.ResponseWriter, r *http.Request) {
	s := newSession(r, r.Context())
	defer s.end()
	h.forSession(h.stateless, w, r, s)
}

// serveStateful serves a request of a session, or one that makes a session.
func (h *Handler) serveStateful(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		h.forSession(h.stateful, w, r, newSession(r, context.Background()))
		return
	}
	s := h.sessions.find(userOf(r), id)
	switch {
	case s == nil: // none, or one of another caller, which must not learn more
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

// forSession serves a request whose session is new: if there is no room for it
// the request is refused.
func (h *Handler) forSession(next http.Handler, w http.ResponseWriter, r *http.Request, s *session) {
	answer := newDeadlineWriter(w)
	answer.refused = func() *refusal {
		if !h.sessions.wasRefused(s) {
			return nil
		}
		return tooManySessions
	}
	next.ServeHTTP(answer, r.WithContext(context.WithValue(r.Context(), sessionKey{}, heldBy{h, s})))
}

var (
	tooManySessions = &refusal{http.StatusTooManyRequests, "too many sessions at work; end one, or try again later"}
	errNoRoom       = &jsonrpc.Error{Code: -32000, Message: tooManySessions.message}
)

// serveSSE serves the transport of version 2024-11-05, whose sessions are as
// long as their streams.
func (h *Handler) serveSSE(w http.ResponseWriter, r *http.Request) {
	body, release, ok := h.readBody(w, r)
	if !ok {
		return
	}
	atWork(r)
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
	ctx = context.WithValue(ctx, sessionKey{}, heldBy{h, s})
	ctx = context.WithValue(ctx, streamKey{}, &mcp.RequestExtra{Header: r.Header, TokenInfo: auth.TokenInfoFromContext(ctx)})
	stream := &sseStream{w, func(id string) { h.sessions.nameSSE(s, id) }, func() { h.sessions.settle(s, 1) }}
	h.sse.ServeHTTP(stream, r.WithContext(ctx))
}

// postSSE serves a message of a session of HTTP+SSE, which must be the caller's.
func (h *Handler) postSSE(w http.ResponseWriter, r *http.Request, body []byte, release func()) {
	calls, rejected := checkBody(body, "")
	s := h.sessions.find(userOf(r), sseID(r.URL.Query().Get("sessionid")))
	switch {
	case rejected != nil:
		rejected.respond(w, http.StatusBadRequest)
	case s == nil:
		http.Error(w, "session not found", http.StatusNotFound)
	case h.sessions.owesMuch(s, len(body)), !h.sessions.ask(s, len(calls)):
		tooMuchUnanswered.write(w)
	default:
		defer h.sessions.releaseLater(s, len(body), release)
		if len(calls) == 0 { // calls pass the gate one by one, where they are made
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
			h.sessions.settle(s, len(calls))
		}
		return
	}
	release()
}

// userOf returns who authenticated, or "" for all who did not.
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

// Shutdown ends what the handler serves: streams at once, and calls when they
// are done, or cancelled when ctx ends before. From then on requests are
// refused. It returns ctx.Err() if it cancelled calls. A program that does not
// use [Handler.Serve] calls it before [http.Server.Shutdown], which would wait
// for streams.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	h.stop()
	idle := make(chan struct{})
	switch {
	case h.running == 0:
		close(idle)
	case h.idle != nil:
		idle = h.idle // of another call
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
		case <-idle: // the answers of what was cancelled are written
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
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	return opts
}

// baseHeader is where the handler tells the tools which base URL the client
// called, such as http://127.0.0.1:8808. The name has a space, so that no
// request has it from elsewhere.
const baseHeader = "citekit base"
