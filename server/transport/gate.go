package transport

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/strictjson"
)

// A Call is a request of the protocol that came over HTTP.
type Call struct {
	Method   string // such as tools/call, or [MethodEvidence]; "other" if unknown
	Tool     string // of tools/call, or ""; "other" for a tool that citekit does not define
	Resource string // the id of the resource that the call names, or ""

	// Lookup is set for calls of the protocol itself and for calls that are
	// answered from maps, in parts of limited length. Other calls may search,
	// extract and read long texts.
	Lookup bool

	// Writes is set for calls that make maps. Their work continues even if nobody
	// waits for the answer.
	Writes bool

	// Stream is set for calls that last as long as the client likes: a stream of
	// changes, fetching evidence, or sending a file; or as long as a job whose number
	// has a limit of its own.
	Stream bool

	// Grant is the grant of the caller; nil if nobody authenticated. Of a link that
	// is followed without a token it has only the ID of the caller that the link was
	// given to, the workspace, and when the grant expires.
	Grant     *access.Grant
	Cancel    func()        // of a link, ends the answer; it may be called at any time. Else nil
	Workspace string        // the workspace that the call is for; may be ""
	Start     time.Time     // when the whole request had arrived
	Waited    time.Duration // how long the gate made it wait

	// Traceparent is the caller's span that contains the call, in the format of
	// W3C Trace Context. It comes from "_meta" of the call, else from the header
	// of the request. It is "" if invalid.
	Traceparent string

	// The following fields are set once the call has ended.
	RequestID string
	Duration  time.Duration // from Start until the answer was ready
	Outcome   string        // the code of the error, such as NOT_FOUND, or one of those below
	Bytes     int64         // of the body of the HTTP answer; in a batch, the first call has the bytes of all
}

// The outcomes of calls that are not error codes.
const (
	OutcomeOK          = "ok"
	OutcomeLimited     = "limited"     // refused because of a limit for the caller
	OutcomeBusy        = "busy"        // refused because of a limit of the server
	OutcomeUnavailable = "unavailable" // refused because what the server needs is missing, such as a folder
	OutcomeCancelled   = "cancelled"   // the caller, or the server, did not wait for the end
)

// A Gate decides when calls may run, and is notified when they end. It must be
// safe for concurrent use.
type Gate interface {
	// Enter returns once the calls of a request may run. The error matches
	// [*BusyError] if they may not run now, or [access.ErrRefused] if the holder
	// of a link may not follow it; any other error is treated as if ctx had
	// ended. There are several calls only in a batch, and none in a request with
	// only notifications. End is called once, after all calls have ended, even if
	// nobody takes the answer.
	Enter(ctx context.Context, calls []*Call) (end func(), err error)

	// Ended is called when a call has ended and its answer is written, or the
	// client has stopped reading it.
	Ended(ctx context.Context, call *Call)
}

// A BusyError is the error of a [Gate] that refuses calls.
type BusyError struct {
	Server     bool          // the limit is the server's: status 503, else 429
	Missing    bool          // it is no limit, but what the server needs is missing: status 503
	RetryAfter time.Duration // when to try again; callers are told at least one second
	Message    string        // which limit, for the caller
}

func (e *BusyError) Error() string { return e.Message }

func (e *BusyError) status() int {
	if e.Server || e.Missing {
		return http.StatusServiceUnavailable
	}
	return http.StatusTooManyRequests
}

// seconds returns the value of the header Retry-After.
func (e *BusyError) seconds() string {
	return strconv.Itoa(max(1, int(math.Ceil(e.RetryAfter.Seconds()))))
}

// passHeader carries the pass of a request from the handler to its middleware. No
// header that arrives over a connection can have this name.
const passHeader = "citekit pass"

// passes are the passes of unanswered requests of a handler.
type passes struct {
	gate  Gate
	tools Tools
	last  atomic.Int64
	byID  sync.Map // of *pass, by the header's value
}

// A pass is the permission of a gate for one request.
type pass struct {
	gate    Gate
	request context.Context // ends when nobody waits for the answer
	end     func()

	mu       sync.Mutex
	waiting  []*Call // not begun yet
	finished []*Call // ended
	running  int
	answered bool // the request is answered
}

// enter waits until the gate lets the calls of a request pass. The caller calls
// leave once the request is answered, with the size of the answer in bytes.
func (p *passes) enter(r *http.Request, requests []*jsonrpc.Request) (leave func(bytes int64), err error) {
	delete(r.Header, passHeader)
	if p.gate == nil {
		return func(int64) {}, nil
	}
	var calls []*Call
	for _, request := range requests {
		c := newCall(p.tools, request.Method, request.Params, r.Header)
		c.identify(auth.TokenInfoFromContext(r.Context()))
		calls = append(calls, c)
	}
	held := &pass{gate: p.gate, request: r.Context(), waiting: calls}
	if held.end, err = enterGate(r.Context(), p.gate, calls); err != nil {
		return nil, err
	}
	id := strconv.FormatInt(p.last.Add(1), 10)
	r.Header[passHeader] = []string{id}
	p.byID.Store(id, held)
	return func(bytes int64) {
		p.byID.Delete(id)
		held.leave(bytes)
	}, nil
}

// enterGate waits for the turn of calls, and reports refused calls to the gate.
func enterGate(ctx context.Context, gate Gate, calls []*Call) (end func(), err error) {
	end, err = gate.Enter(ctx, calls)
	if err == nil {
		return end, nil
	}
	outcome := OutcomeCancelled
	busy := new(BusyError)
	switch {
	case errors.Is(err, access.ErrRefused):
		outcome = message.CodeForbidden
	case errors.As(err, &busy) && busy.Missing:
		outcome = OutcomeUnavailable
	case errors.As(err, &busy) && busy.Server:
		outcome = OutcomeBusy
	case errors.As(err, &busy):
		outcome = OutcomeLimited
	}
	for _, c := range calls {
		c.Duration, c.Outcome = time.Since(c.Start), outcome
		gate.Ended(ctx, c)
	}
	return nil, err
}

// of returns the pass of the request that carried a call, or nil, and whether the
// request was given up or answered meanwhile.
func (p *passes) of(header http.Header) (held *pass, isGone bool) {
	id := header[passHeader]
	if len(id) != 1 {
		return nil, false
	}
	known, ok := p.byID.Load(id[0])
	if !ok {
		return nil, true
	}
	held = known.(*pass)
	return held, held.request.Err() != nil
}

// begin takes the waiting call that middleware now handles, whose tool is named as in
// [Call.Tool]. It returns nil if no call of that method and tool is waiting.
func (p *pass) begin(method, tool string) *Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.waiting, func(c *Call) bool { return c.Method == mcpcall.KnownMethod(method) && c.Tool == tool })
	if i < 0 {
		return nil
	}
	c := p.waiting[i]
	p.waiting = slices.Delete(p.waiting, i, i+1)
	p.running++
	return c
}

// done records that a call has ended.
func (p *pass) done(c *Call) {
	p.mu.Lock()
	p.running--
	p.finished = append(p.finished, c)
	p.settle()
}

// leave records that the request is answered.
func (p *pass) leave(bytes int64) {
	p.mu.Lock()
	p.answered = true
	for _, c := range p.waiting { // the SDK refused them
		c.Duration, c.Outcome = time.Since(c.Start), message.CodeInvalidInput
		if p.request.Err() != nil { // the request was given up
			c.Outcome = OutcomeCancelled
		}
		p.finished = append(p.finished, c)
	}
	p.waiting = nil
	if len(p.finished) > 0 {
		p.finished[0].Bytes = bytes
	}
	p.settle()
}

// settle reports ended calls to the gate. It unlocks the pass.
func (p *pass) settle() {
	end := p.end
	if p.running > 0 || len(p.waiting) > 0 {
		end = nil
	}
	if end != nil {
		p.end = nil
	}
	var told []*Call
	if p.answered {
		told, p.finished = p.finished, nil
	}
	p.mu.Unlock()
	if end != nil {
		end()
	}
	for _, c := range told {
		p.gate.Ended(p.request, c)
	}
}

// pass runs a call through the gate: with the pass of its request, or alone if
// there is none, as over HTTP+SSE. The context of the call ends when nobody waits
// for its answer.
func (h *Handler) pass(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	gate := h.passes.gate
	if gate == nil {
		return next(ctx, method, req)
	}
	tool := h.passes.tools.Tool(toolOf(req), nil)
	held, isGone := h.passes.of(headerOf(ctx, req))
	var c *Call
	if held != nil {
		c = held.begin(method, tool.Name)
	}
	if c == nil && isGone && !mcpcall.IsNotification(method) && !tool.Writes {
		return nil, context.Canceled // the request was given up before its call began
	}
	if c == nil {
		return h.passAlone(ctx, method, req, next)
	}
	defer held.done(c)
	if !c.Writes {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(held.request, cancel)()
	}
	result, err := next(ctx, method, req)
	c.ended(ctx, result, err)
	return result, err
}

// passAlone runs a call that has no pass through the gate.
func (h *Handler) passAlone(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	params, _ := json.Marshal(req.GetParams()) // decoded values always encode
	c := newCall(h.passes.tools, method, params, headerOf(ctx, req))
	if extra := mcpcall.ExtraOf(ctx, req); extra != nil {
		c.identify(extra.TokenInfo)
	}
	gate := h.passes.gate
	end, err := enterGate(ctx, gate, []*Call{c})
	if err != nil {
		if busy := new(BusyError); errors.As(err, &busy) {
			return nil, busy.wire()
		}
		return nil, err
	}
	result, err := next(ctx, method, req)
	end()
	c.ended(ctx, result, err)
	if err == nil {
		c.Bytes = encodedSize(result)
	}
	gate.Ended(ctx, c)
	return result, err
}

// encodedSize returns the approximate size of a result, in bytes, on a stream
// that several calls share.
func encodedSize(result mcp.Result) int64 {
	if long, ok := result.(interface{ longBody() *longBody }); ok {
		return long.longBody().size()
	}
	data, _ := json.Marshal(result) // if that fails, the answer is an error
	return int64(len(data))
}

// listenMethod is the call that lasts as long as its stream of changes.
const listenMethod = "subscriptions/listen"

// wire returns the error as a protocol error.
func (e *BusyError) wire() error {
	data, _ := json.Marshal(map[string]string{"retry_after": e.seconds()}) // strings always encode
	return mcpcall.Detailed(&jsonrpc.Error{Code: codeBusy, Message: e.Message, Data: data})
}

// refuseBusy answers a request whose calls may not run.
func refuseBusy(w http.ResponseWriter, err error, calls []*jsonrpc.Request) {
	busy := &BusyError{Server: true, Message: "the request ended before its turn came"}
	_ = errors.As(err, &busy)
	r := &rejection{code: codeBusy, message: busy.Message}
	if len(calls) == 1 {
		r.id, _ = json.Marshal(calls[0].ID.Raw())
	}
	w.Header().Set("Retry-After", busy.seconds())
	r.respond(w, busy.status())
}

// ended records how a call with a context ended.
func (c *Call) ended(ctx context.Context, result mcp.Result, err error) {
	c.Duration = time.Since(c.Start)
	switch {
	case errors.Is(err, context.Canceled):
		c.Outcome = OutcomeCancelled
		return
	case err != nil:
		c.Outcome, c.RequestID = outcomeOf(err)
		return
	}
	c.Outcome = OutcomeOK
	if !mcpcall.HasMeta(result) {
		return
	}
	meta := result.GetMeta()
	c.RequestID, _ = meta[mcpcall.MetaRequestID].(string)
	if failed, ok := result.(*mcp.CallToolResult); ok && failed.IsError {
		if c.Outcome, ok = meta["code"].(string); !ok {
			c.Outcome = message.CodeInternal
		}
		if c.Outcome == message.CodeTimeout && errors.Is(ctx.Err(), context.Canceled) {
			c.Outcome = OutcomeCancelled // nobody waits for it, as when a key was revoked
		}
	}
}

// outcomeOf returns the code of a protocol error, and the id of its request.
func outcomeOf(err error) (code, requestID string) {
	var coded *jsonrpc.Error
	if !errors.As(err, &coded) {
		return citekit.CodeOf(err), ""
	}
	var data struct {
		Code      string `json:"code"`
		RequestID string `json:"requestId"`
	}
	if json.Unmarshal(coded.Data, &data) == nil && data.Code != "" {
		return data.Code, data.RequestID
	}
	if coded.Code == jsonrpc.CodeInternalError {
		return message.CodeInternal, data.RequestID
	}
	return message.CodeInvalidInput, data.RequestID
}

// newCall makes a call from the method, the parameters and the headers of a
// request.
func newCall(tools Tools, method string, params json.RawMessage, header http.Header) *Call {
	c := &Call{Method: mcpcall.KnownMethod(method), Start: time.Now(), Lookup: true, Stream: method == listenMethod}
	var name, arguments, uri, meta json.RawMessage
	list, err := strictjson.Members(params)
	if err != nil {
		list = nil
	}
	for _, m := range list {
		switch m.Key {
		case "name":
			name = m.Value
		case "arguments":
			arguments = m.Value
		case "uri":
			uri = m.Value
		case "_meta":
			meta = m.Value
		}
	}
	c.trace(meta, header)
	switch method {
	case "tools/call":
		named, _ := strictjson.Unquoted(name)
		tool := tools.Tool(named, arguments)
		c.Tool, c.Resource, c.Workspace, c.Lookup, c.Writes = tool.Name, tool.Resource, tool.Workspace, tool.Lookup, tool.Writes
	case "resources/read":
		c.Lookup = false
		text, _ := strictjson.Unquoted(uri)
		c.Resource = tools.Resource(text)
	}
	return c
}

// identify sets the caller, and the workspace unless the arguments name another one that
// the caller may see.
func (c *Call) identify(info *auth.TokenInfo) {
	named, workspace := c.Workspace, ""
	c.Grant, workspace = mcpcall.GrantOf(info)
	if c.Workspace = workspace; named != "" && c.Grant != nil && c.Grant.Has(named) {
		c.Workspace = named
	}
}

// MethodEvidence is the Method of a [Call] that follows a link to evidence.
const MethodEvidence = "evidence"

// evidence serves links.
type evidence interface {
	http.Handler
	origin(*http.Request) origin // of the link; zero if no key of the server signed it
}

// gated returns a handler of links whose requests pass the gate.
func (h *Handler) gated(links evidence) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from, info := links.origin(r), auth.TokenInfoFromContext(r.Context())
		c := &Call{
			Method: MethodEvidence, Start: time.Now(), Lookup: true, Stream: true,
			Resource: from.resource, Grant: from.grant(), Workspace: from.workspace,
		}
		holder := holderOf(r)
		if info != nil {
			c.identify(info)
		} else if from.caller != "" {
			holder = mcpcall.HolderOfGrant(from.caller)
		}
		if !atWork(r, holder) {
			tooManyAtWork.write(w)
			return
		}
		ctx, cancel := untilExpired(r.Context(), c.Grant)
		defer cancel()
		defer cutWith(ctx, w)()
		r = r.WithContext(ctx)
		c.Cancel = cancel
		gate := h.passes.gate
		if gate == nil {
			links.ServeHTTP(w, r)
			return
		}
		c.trace(nil, r.Header)
		end, err := enterGate(r.Context(), gate, []*Call{c})
		if err != nil {
			refuseEvidence(w, err)
			return
		}
		defer end()
		status := &statusWriter{ResponseWriter: w}
		links.ServeHTTP(status, r)
		c.Duration, c.Bytes, c.Outcome = time.Since(c.Start), bytesWritten(w), status.outcome()
		if ctx.Err() != nil {
			c.Outcome = OutcomeCancelled
		}
		gate.Ended(r.Context(), c)
	})
}

// untilExpired returns a context that ends with a grant, which may be nil.
func untilExpired(ctx context.Context, grant *access.Grant) (context.Context, context.CancelFunc) {
	if grant == nil || grant.Expires.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, grant.Expires)
}

// refuseEvidence answers a request for evidence that the gate refuses.
func refuseEvidence(w http.ResponseWriter, err error) {
	busy := new(BusyError)
	switch {
	case errors.As(err, &busy):
		w.Header().Set("Retry-After", busy.seconds())
		refuse(w, &refusal{busy.status(), busy.Message})
	case errors.Is(err, access.ErrRefused):
		refuse(w, refusedTicket)
	default:
		refuse(w, refusedNow)
	}
}

// A statusWriter records the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int // zero until it is written
}

// Unwrap is for [http.ResponseController].
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// outcome returns the outcome for the status.
func (w *statusWriter) outcome() string {
	switch {
	case w.status < http.StatusBadRequest:
		return OutcomeOK
	case w.status == http.StatusForbidden:
		return message.CodeForbidden
	case w.status == http.StatusNotFound || w.status == http.StatusGone:
		return message.CodeNotFound
	case w.status < http.StatusInternalServerError:
		return message.CodeInvalidInput
	}
	return message.CodeInternal
}

func toolOf(req mcp.Request) string {
	if call, ok := req.(*mcp.CallToolRequest); ok {
		return call.Params.Name
	}
	return ""
}

// headerOf returns the header of the HTTP request that carried req, or nil.
func headerOf(ctx context.Context, req mcp.Request) http.Header {
	if extra := mcpcall.ExtraOf(ctx, req); extra != nil {
		return extra.Header
	}
	return nil
}
