package transport

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/strictjson"
)

// APIPath begins the paths of the JSON interface.
const APIPath = "/v1/"

// An API answers the requests below [APIPath]. Package api has one.
type API interface {
	http.Handler

	// Call returns what a request does, from its method, its path and its body.
	Call(r *http.Request, body []byte) APICall
}

// An APICall is what a request of an [API] does. The zero value is that of an unknown
// operation.
type APICall struct {
	ToolCall         // the tool that does the same, whose rights and limits hold
	Operation string // such as search; "" if unknown
	Stream    bool   // as in [Call.Stream]
}

// apiMethod begins [Call.Method] of requests of an API; their operation follows.
const apiMethod = "v1/"

// isAPI reports whether a request is one of the JSON interface.
func (h *Handler) isAPI(r *http.Request) bool {
	return h.opts.API != nil && strings.HasPrefix(r.URL.Path, APIPath)
}

// refuse answers a request that is not served, in the form that its client reads.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, why *refusal) {
	if !h.isAPI(r) {
		why.write(w)
		return
	}
	why.end(w.Header())
	NewProblem(codeOfStatus(why.status), why.status, why.message).Write(w, r)
}

// codeOfStatus returns the code of a refusal.
func codeOfStatus(status int) string {
	switch status {
	case http.StatusTooManyRequests:
		return OutcomeLimited
	case http.StatusServiceUnavailable:
		return OutcomeBusy
	case http.StatusRequestEntityTooLarge:
		return string(message.CodeTooLarge)
	case http.StatusForbidden:
		return string(message.CodeForbidden)
	case http.StatusInternalServerError:
		return string(message.CodeInternal)
	}
	return string(message.CodeInvalidInput)
}

// RequestIDOf returns the id of a request of the JSON interface: that of its context, or
// that which the caller gave in the header X-Request-Id, or a new one.
func RequestIDOf(r *http.Request) string {
	if id := mcpcall.RequestID(r.Context()); id != "" {
		return id
	}
	if id := r.Header.Get(mcpcall.RequestIDHeader); mcpcall.ValidRequestID(id) {
		return id
	}
	return rand.Text()
}

// serveAPI serves a request of the JSON interface.
func (h *Handler) serveAPI(w http.ResponseWriter, r *http.Request) {
	r = r.WithContext(mcpcall.WithRequestID(r.Context(), RequestIDOf(r)))
	var body []byte
	if r.Method != http.MethodPut { // the body of which is a file, that is not kept in memory
		read, release, ok := h.readBody(w, r)
		if !ok {
			return
		}
		defer release()
		body = read
	}
	body = bytes.TrimPrefix(body, []byte("\ufeff")) // readers take it as well
	if !atWork(r, holderOf(r)) {
		h.refuse(w, r, tooManyAtWork)
		return
	}
	what := h.opts.API.Call(r, body)
	c := &Call{
		Method: apiMethod + what.Operation, Tool: what.Name, Resource: what.Resource, Lookup: what.Lookup, Stream: what.Stream, Start: time.Now(),
		RequestID: mcpcall.RequestID(r.Context()), Outcome: OutcomeOK,
	}
	if what.Operation == "" {
		c.Method, c.Lookup = mcpcall.Other, true
	}
	info := auth.TokenInfoFromContext(r.Context())
	c.identify(info)
	if name := workspaceNamed(r, body); name != "" && c.Grant != nil && c.Grant.Has(name) {
		c.Workspace = name
	}
	c.trace(nil, r.Header)
	ctx := mcpcall.WithCaller(r.Context(), mcpcall.CallerOf(&mcp.RequestExtra{Header: r.Header, TokenInfo: info}))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.killed, cancel)()
	pass := &apiPass{gate: h.passes.gate, call: c, written: func() int64 { return bytesWritten(w) }, cancel: cancel}
	if err := pass.enter(ctx); err != nil {
		GateProblem(w, err).Write(w, r)
		return
	}
	defer pass.leave(ctx)
	if what.Long {
		done, err := h.answers.turnsOf(what.Name).take(ctx, holderOf(r))
		if err != nil {
			GateProblem(w, err).Write(w, r)
			return
		}
		defer done() // once the answer is written
	}
	h.opts.API.ServeHTTP(w, r.WithContext(context.WithValue(ctx, apiPassKey{}, pass)))
}

// workspaceNamed returns the name of the workspace that a request of the JSON interface
// asks for: workspaceId of its body, or of its query; "" if it names none. It is only
// what the caller says: whether the caller may use it is not checked.
func workspaceNamed(r *http.Request, body []byte) string {
	if r.Method != http.MethodPost {
		return r.URL.Query().Get("workspaceId")
	}
	if !json.Valid(body) {
		return ""
	}
	list, _ := strictjson.Members(body)
	for _, m := range list {
		if m.Key == "workspaceId" {
			name, _ := strictjson.Unquoted(m.Value)
			return name
		}
	}
	return ""
}

// An apiPass is the permission of a gate for a request of the JSON interface.
type apiPass struct {
	gate    Gate // nil if there is none
	call    *Call
	end     func()       // gives its places back
	written func() int64 // bytes of the answer
	before  int64        // bytes that were counted for an earlier call of the request
	cancel  func()       // ends the request
}

type apiPassKey struct{}

func (p *apiPass) enter(ctx context.Context) (err error) {
	if p.gate != nil {
		p.end, err = enterGate(ctx, p.gate, []*Call{p.call})
	}
	return err
}

// leave ends the call.
func (p *apiPass) leave(ctx context.Context) {
	if p.gate == nil || p.call == nil {
		return
	}
	p.end()
	p.call.Duration, p.call.Bytes = time.Since(p.call.Start), p.written()-p.before
	if ctx.Err() != nil && (p.call.Outcome == OutcomeOK || p.call.Outcome == string(message.CodeTimeout)) {
		p.call.Outcome = OutcomeCancelled
	}
	p.gate.Ended(ctx, p.call)
	p.before, p.call = p.before+p.call.Bytes, nil
}

// SetOutcome tells the logs of the server how the call that ctx belongs to ended: the
// code of an error. Without a call of an [API] it does nothing.
func SetOutcome(ctx context.Context, code string) {
	if pass, ok := ctx.Value(apiPassKey{}).(*apiPass); ok && pass.call != nil {
		pass.call.Outcome = code
	}
}

// ServeEvidence answers GET and HEAD of evidence, with ranges, as a link to it is
// answered. If the request is one of an [API], its work has ended, and fetching the
// evidence counts as following a link does. The error is that of the gate; then nothing
// is answered.
func ServeEvidence(w http.ResponseWriter, r *http.Request, content io.ReadSeeker, stored *citekit.StoredEvidence) error {
	if pass, ok := r.Context().Value(apiPassKey{}).(*apiPass); ok && pass.gate != nil {
		done := pass.call
		pass.leave(r.Context())
		pass.call = &Call{
			Method: MethodEvidence, Resource: done.Resource, Lookup: true, Stream: true, Grant: done.Grant, Workspace: done.Workspace,
			Start: time.Now(), Traceparent: done.Traceparent, RequestID: done.RequestID, Outcome: OutcomeOK, Cancel: pass.cancel,
		}
		if err := pass.enter(r.Context()); err != nil {
			pass.call = nil // it is reported
			return err
		}
		defer cutWith(r.Context(), w)()
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	describe(w.Header(), stored)
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin") // unlike a link it can be guessed
	w.Header().Set("Cache-Control", "private, no-cache")
	p := newPatient(w)
	http.ServeContent(p, r, "", time.Time{}, content)
	p.end()
	return nil
}

// GateProblem returns the problem of a request that a [Gate] refuses, and says in the
// head of its answer when to try again.
func GateProblem(w http.ResponseWriter, err error) *Problem {
	busy := new(BusyError)
	switch {
	case errors.Is(err, access.ErrRefused):
		return NewProblem(string(message.CodeForbidden), 0, "the key is not valid any more")
	case !errors.As(err, &busy):
		return NewProblem(OutcomeBusy, http.StatusServiceUnavailable, "the request ended before its turn came")
	}
	w.Header().Set("Retry-After", busy.seconds())
	code := codeOfStatus(busy.status())
	if busy.Missing {
		code = OutcomeUnavailable
	}
	return NewProblem(code, busy.status(), busy.Message)
}

// DefaultWorkspace is the name of the workspace of a server that has only one.
const DefaultWorkspace = "default"

// OneSegment returns a request of the JSON interface or of a page whose path names an
// address or the id of a resource with slashes as one that has these encoded, so that an
// [http.ServeMux] does not take "//" for a mistake. Other requests are returned as they
// are.
func OneSegment(r *http.Request) *http.Request {
	escaped := r.URL.EscapedPath()
	for _, prefix := range []string{APIPath + "evidence/", APIPath + "files/", APIPath + "pictures/", APIPath + "resources/", APIPath + "view/", ViewPath} {
		rest, ok := strings.CutPrefix(escaped, prefix)
		if !ok || !strings.Contains(rest, "/") || prefix == ViewPath && strings.HasPrefix(rest, "-/") {
			continue
		}
		named, err := url.PathUnescape(rest)
		if err != nil {
			return r
		}
		u := *r.URL
		u.Path, u.RawPath = prefix+named, prefix+url.PathEscape(named)
		clean := *r
		clean.URL = &u
		return &clean
	}
	return r
}
