package mcpadapter

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
)

// A Call is a request of the protocol that came over HTTP.
type Call struct {
	Method   string // such as tools/call, or [MethodEvidence]; "other" for one that is not known
	Tool     string // of tools/call, or ""; "other" for one that is not of ours
	Resource string // the id of the resource that it names, or ""

	// Lookup is set for calls that are answered from maps, in parts of limited
	// length, and for those of the protocol itself. Others may search, extract,
	// and read what is long.
	Lookup bool

	// Writes is set for calls that make maps. What they began goes on when
	// nobody waits for their answer.
	Writes bool

	// Stream is set for what lasts as long as a client takes: a stream of changes,
	// or evidence that is fetched.
	Stream bool

	Grant     *access.Grant // of the caller; nil if nobody authenticated
	Workspace string        // the name of the one that the call is for; may be ""
	Start     time.Time     // when all of the request had come
	Waited    time.Duration // how long the gate let it wait

	// Traceparent is the span of the caller that the call is of, as W3C Trace
	// Context writes it: what "_meta" of the call has, else the header of the
	// request. It is "" unless it is valid.
	Traceparent string

	// What is known once the call has ended.
	RequestID string
	Duration  time.Duration // from Start until the answer was made
	Outcome   string        // the code of the error, such as NOT_FOUND, or one of those below
	Bytes     int64         // of the HTTP answer's body; of a batch those of all its calls, at the first
}

// The outcomes of calls that are no codes of errors.
const (
	OutcomeOK        = "ok"
	OutcomeLimited   = "limited"   // refused for a limit of the caller's
	OutcomeBusy      = "busy"      // refused for a limit of the server's
	OutcomeCancelled = "cancelled" // the caller, or the server, did not wait for the end
)

// A Gate says when calls may run, and hears how they ended. It must be safe for
// concurrent use.
type Gate interface {
	// Enter returns once the calls of a request may run, or with an error that
	// matches a [*BusyError] if they may not now, or [access.ErrRefused] if who
	// has a link may not follow it; other errors are as if ctx had ended. There
	// are several calls only in a batch, and none in a request that has
	// notifications alone. End is called, once, when all of them have ended,
	// whether or not somebody takes the answer.
	Enter(ctx context.Context, calls []*Call) (end func(), err error)

	// Ended is told of a call that has ended, and whose answer was written as
	// far as somebody took it.
	Ended(ctx context.Context, call *Call)
}

// A BusyError is the error of a [Gate] that refuses calls.
type BusyError struct {
	Server     bool          // the limit is the server's: status 503, else 429
	RetryAfter time.Duration // when to try again; at least a second is told
	Message    string        // which limit, for the caller
}

func (e *BusyError) Error() string { return e.Message }

func (e *BusyError) status() int {
	if e.Server {
		return http.StatusServiceUnavailable
	}
	return http.StatusTooManyRequests
}

// seconds returns what the header Retry-After says.
func (e *BusyError) seconds() string {
	return strconv.Itoa(max(1, int(math.Ceil(e.RetryAfter.Seconds()))))
}

// passHeader is where the handler tells its middleware which pass a request has.
// No header that comes over a connection can have this name.
const passHeader = "citekit pass"

// passes are those of the requests of a handler that are not answered.
type passes struct {
	gate Gate
	last atomic.Int64
	byID sync.Map // of *pass, by the header's value
}

// A pass is what a gate gave a request.
type pass struct {
	gate    Gate
	request context.Context // ends when nobody waits for the answer
	end     func()

	mu       sync.Mutex
	waiting  []*Call // that have not begun
	finished []*Call // that have ended
	running  int
	answered bool // the request is
}

// enter has the calls of a request pass the gate. The caller calls leave once
// the request is answered, with the bytes that it took.
func (p *passes) enter(r *http.Request, requests []*jsonrpc.Request) (leave func(bytes int64), err error) {
	delete(r.Header, passHeader)
	if p.gate == nil {
		return func(int64) {}, nil
	}
	var calls []*Call
	for _, request := range requests {
		c := newCall(request.Method, request.Params, r.Header)
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

// enterGate has calls wait for their turn, and tells the gate of those that get
// none.
func enterGate(ctx context.Context, gate Gate, calls []*Call) (end func(), err error) {
	end, err = gate.Enter(ctx, calls)
	if err == nil {
		return end, nil
	}
	outcome := OutcomeCancelled
	busy := new(BusyError)
	switch {
	case errors.Is(err, access.ErrRefused):
		outcome = string(citekit.CodeForbidden)
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

// of returns the pass of the request that a call came by, or nil.
func (p *passes) of(header http.Header) *pass {
	id := header[passHeader]
	if len(id) != 1 {
		return nil
	}
	held, ok := p.byID.Load(id[0])
	if !ok {
		return nil
	}
	return held.(*pass)
}

// begin takes the call that middleware has come to; nil if the pass has none of
// that kind that has not begun.
func (p *pass) begin(method, tool string) *Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.waiting, func(c *Call) bool { return c.Method == knownMethod(method) && c.Tool == knownTool(tool) })
	if i < 0 {
		return nil
	}
	c := p.waiting[i]
	p.waiting = slices.Delete(p.waiting, i, i+1)
	p.running++
	return c
}

// done notes that a call has ended.
func (p *pass) done(c *Call) {
	p.mu.Lock()
	p.running--
	p.finished = append(p.finished, c)
	p.settle()
}

// leave notes that the request is answered.
func (p *pass) leave(bytes int64) {
	p.mu.Lock()
	p.answered = true
	for _, c := range p.waiting { // the SDK refused them
		c.Duration, c.Outcome = time.Since(c.Start), string(citekit.CodeInvalidInput)
		p.finished = append(p.finished, c)
	}
	p.waiting = nil
	if len(p.finished) > 0 {
		p.finished[0].Bytes = bytes
	}
	p.settle()
}

// settle tells the gate what has ended. It unlocks the pass.
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

// pass has a call go through the gate: by the pass of its request, or, where it
// has none, as over HTTP+SSE, by itself. The context of the call ends when nobody
// waits for its answer.
func (h *Handler) pass(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	gate := h.passes.gate
	if gate == nil {
		return next(ctx, method, req)
	}
	tool := toolOf(req)
	held := h.passes.of(headerOf(ctx, req))
	var c *Call
	if held != nil {
		c = held.begin(method, tool)
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
	c.ended(result, err)
	return result, err
}

// passAlone has a call go through the gate that has no pass.
func (h *Handler) passAlone(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	params, _ := json.Marshal(req.GetParams()) // what was decoded encodes
	c := newCall(method, params, headerOf(ctx, req))
	if extra := extraOf(ctx, req); extra != nil {
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
	c.ended(result, err)
	if err == nil {
		c.Bytes = encodedSize(result)
	}
	gate.Ended(ctx, c)
	return result, err
}

// encodedSize returns about how many bytes a result has where it is written to a
// stream that several calls share.
func encodedSize(result mcp.Result) (size int64) {
	switch r := result.(type) {
	case *heldTool:
		r.body.write(func(part []byte) { size += int64(len(part)) })
	case *heldResource:
		r.body.write(func(part []byte) { size += int64(len(part)) })
	default:
		data, _ := json.Marshal(result) // the answer is an error if that fails
		size = int64(len(data))
	}
	return size
}

// listenMethod is the call that lasts as long as its stream of changes.
const listenMethod = "subscriptions/listen"

// wire returns the error as one of the protocol.
func (e *BusyError) wire() error {
	data, _ := json.Marshal(map[string]string{"retry_after": e.seconds()}) // strings always encode
	return &jsonrpc.Error{Code: codeBusy, Message: e.Message, Data: data}
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

// ended notes how a call ended.
func (c *Call) ended(result mcp.Result, err error) {
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
	if !hasMeta(result) {
		return
	}
	meta := result.GetMeta()
	c.RequestID, _ = meta[metaRequestID].(string)
	if failed, ok := result.(*mcp.CallToolResult); ok && failed.IsError {
		if c.Outcome, ok = meta["code"].(string); !ok {
			c.Outcome = string(citekit.CodeInternal)
		}
	}
}

// outcomeOf returns the code of an error of the protocol, and the id of its
// request.
func outcomeOf(err error) (code, requestID string) {
	var coded *jsonrpc.Error
	if !errors.As(err, &coded) {
		return string(citekit.CodeOf(err)), ""
	}
	var data struct {
		Code      string `json:"code"`
		RequestID string `json:"requestId"`
	}
	if json.Unmarshal(coded.Data, &data) == nil && data.Code != "" {
		return data.Code, data.RequestID
	}
	if coded.Code == jsonrpc.CodeInternalError {
		return string(citekit.CodeInternal), data.RequestID
	}
	return string(citekit.CodeInvalidInput), data.RequestID
}

// newCall returns what the method, the parameters and the headers of a request
// say of a call.
func newCall(method string, params json.RawMessage, header http.Header) *Call {
	c := &Call{Method: knownMethod(method), Start: time.Now(), Lookup: true, Stream: method == listenMethod}
	var name, arguments, uri, meta json.RawMessage
	list, err := members(params)
	if err != nil {
		list = nil
	}
	for _, m := range list {
		switch m.key {
		case "name":
			name = m.value
		case "arguments":
			arguments = m.value
		case "uri":
			uri = m.value
		case "_meta":
			meta = m.value
		}
	}
	c.trace(meta, header)
	switch method {
	case "tools/call":
		tool, _ := unquoted(name)
		c.Tool = knownTool(tool)
		c.Lookup = isLookup(tool, arguments)
		c.Writes = toolsetOf(tool) == ToolsetWrite
		c.Resource = resourceNamed(arguments)
	case "resources/read":
		c.Lookup = false
		text, _ := unquoted(uri)
		c.Resource = resourceOf(text)
	}
	return c
}

// identify notes who calls.
func (c *Call) identify(info *auth.TokenInfo) {
	c.Grant, c.Workspace = grantOf(info)
}

// isLookup reports whether a tool answers from maps alone, and not with a whole one.
func isLookup(tool string, arguments json.RawMessage) bool {
	switch tool {
	case "listResources", "getNode", "ingestStatus":
		return true
	case "getStructure":
		list, _ := members(arguments)
		return !slices.ContainsFunc(list, func(m member) bool { return m.key == "full" && string(m.value) != "false" })
	}
	return false
}

// resourceNamed returns the id of the resource that arguments name, or "".
func resourceNamed(arguments json.RawMessage) string {
	list, err := members(arguments)
	if err != nil {
		return ""
	}
	for _, m := range list {
		text, err := unquoted(m.value)
		if err != nil {
			continue
		}
		switch m.key {
		case "resource_id":
			if citekit.CheckResourceID(text) == nil {
				return text
			}
		case "address":
			if address, err := citekit.ParseAddress(text); err == nil {
				return address.Resource
			}
		}
	}
	return ""
}

// MethodEvidence is the Method of a [Call] for a link that is followed.
const MethodEvidence = "evidence"

// evidence is what serves links.
type evidence interface {
	http.Handler
	givenTo(*http.Request) *auth.TokenInfo // who the link was given to, if that is known
}

// gated returns a handler of links whose requests pass the gate.
func (h *Handler) gated(links evidence) http.Handler {
	gate := h.passes.gate
	if gate == nil {
		return links
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &Call{Method: MethodEvidence, Start: time.Now(), Lookup: true, Stream: true}
		info := auth.TokenInfoFromContext(r.Context())
		if info == nil {
			info = links.givenTo(r)
		}
		c.identify(info)
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
		gate.Ended(r.Context(), c)
	})
}

// refuseEvidence answers a request for evidence that may not be had now.
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

// A statusWriter knows the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int // zero before it is written
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

// outcome returns what the status says.
func (w *statusWriter) outcome() string {
	switch {
	case w.status < http.StatusBadRequest:
		return OutcomeOK
	case w.status == http.StatusForbidden:
		return string(citekit.CodeForbidden)
	case w.status == http.StatusNotFound || w.status == http.StatusGone:
		return string(citekit.CodeNotFound)
	case w.status < http.StatusInternalServerError:
		return string(citekit.CodeInvalidInput)
	}
	return string(citekit.CodeInternal)
}

func toolOf(req mcp.Request) string {
	if call, ok := req.(*mcp.CallToolRequest); ok {
		return call.Params.Name
	}
	return ""
}

// methods are those of the protocol that clients call.
var methods = []string{
	"initialize", "server/discover", "ping", "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read",
	"resources/subscribe", "resources/unsubscribe", "subscriptions/listen", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel",
}

// other stands for names that callers made up.
const other = "other"

func knownMethod(method string) string {
	if slices.Contains(methods, method) {
		return method
	}
	return other
}

func knownTool(tool string) string {
	if tool == "" || toolsetOf(tool) != "" {
		return tool
	}
	return other
}
