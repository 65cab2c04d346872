// Package api answers programs over HTTP with JSON: a page, a script, or an application
// in any language that does not speak MCP.
//
//	c, err := corpus.Open("papers", nil)
//	…
//	http.Handle("/v1/", api.New(c.Service(nil), nil))
//
// GET /v1/openapi.json describes all operations, as OpenAPI 3.1 has it. Answers have a
// "meta" with the id of the request and the time of each stage. Errors are problems as
// RFC 9457 has them, application/problem+json, whose type is urn:citekit:error: and the
// code of the error in lower case; those of the body name the field.
//
// A document is a resource. A chunk is a part of its text, with an id that stays as long
// as that text is in the document, wherever it moves.
//
// A [Handler] lets in everybody who can reach it. Package transport serves one behind
// authentication, limits and checks of origins, beside MCP: see
// [transport.HandlerOptions.API], which package server and corpus.Corpus.Handler set.
package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/strictjson"
	"github.com/citekit/citekit/server/transport"
)

// Options configures [New]. The zero value is ready to use.
type Options struct {
	// Version is that of the program, for the description; "" means "dev".
	Version string

	// Workspace returns the service of a workspace that the caller of a request may use,
	// whose context this is, or nil. The name is workspaceId; "" means the first that the
	// caller may use. A nil Workspace means that there is one, which has no name.
	Workspace func(ctx context.Context, name string) *Service

	// MaxBodyBytes bounds the body of a request; zero means 4 MiB.
	MaxBodyBytes int64

	// MaxFileBytes bounds a file that a caller adds; zero means 1 GiB.
	MaxFileBytes int64

	// Logger gets what the operator should know of internal errors; nil discards.
	Logger *slog.Logger
}

const (
	defaultMaxBody = 4 << 20
	defaultMaxFile = 1 << 30
)

// A Handler serves the operations, at the paths below /v1/. Make one with [New]. It is a
// [transport.API].
type Handler struct {
	opts       Options
	mux        *http.ServeMux
	api        huma.API
	operations map[string]*operation // by their pattern in mux
	described  func() []byte         // the description as JSON
	begun      time.Time
}

var _ transport.API = (*Handler)(nil)

// An operation is one that a [Handler] serves.
type operation struct {
	name   string
	tool   string       // of MCP, that does the same; "" if every caller may have it
	lookup bool         // it only reads maps
	stream bool         // it lasts as long as the client likes, or a job
	body   *huma.Schema // of the body; nil without one

	query map[string]*huma.Schema // of the parameters of the query, by name
}

// New returns a handler of the paths below /v1/. The service is that of the workspace
// without a name; it may be nil if Options.Workspace is set. A nil opts means the
// defaults.
func New(service *Service, opts *Options) *Handler {
	h := &Handler{mux: http.NewServeMux(), operations: make(map[string]*operation), begun: time.Now()}
	if opts != nil {
		h.opts = *opts
	}
	if h.opts.Workspace == nil {
		h.opts.Workspace = func(_ context.Context, name string) *Service {
			if name != "" && name != transport.DefaultWorkspace {
				return nil
			}
			return service
		}
	}
	if h.opts.MaxBodyBytes <= 0 {
		h.opts.MaxBodyBytes = defaultMaxBody
	}
	if h.opts.MaxFileBytes <= 0 {
		h.opts.MaxFileBytes = defaultMaxFile
	}
	if h.opts.Logger == nil {
		h.opts.Logger = slog.New(slog.DiscardHandler)
	}
	if h.opts.Version == "" {
		h.opts.Version = "dev"
	}
	config := huma.DefaultConfig("citekit", h.opts.Version)
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.CreateHooks = nil
	config.Formats = map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat}
	config.Transformers = []huma.Transformer{func(ctx huma.Context, _ string, v any) (any, error) {
		if e, ok := v.(*huma.ErrorModel); ok {
			v = ofHuma(e)
		}
		if p, ok := v.(*Problem); ok {
			p.Meta = callOf(ctx.Context()).meta()
			transport.SetOutcome(ctx.Context(), p.Code())
		}
		return v, nil
	}}
	h.api = humago.New(h.mux, config)
	h.api.UseMiddleware(func(ctx huma.Context, next func(huma.Context)) { next(wrongParameters{ctx}) })
	h.register()
	h.described = sync.OnceValue(func() []byte {
		data, err := json.Marshal(h.api.OpenAPI())
		if err != nil {
			panic(err) // cannot happen: the types are ours
		}
		return data
	})
	return h
}

// wrongParameters answers requests with wrong parameters with 400 as those with a wrong
// body, where huma has 422.
type wrongParameters struct{ humaContext }

type humaContext = huma.Context // whose method Context an embedded field of that name would hide

// Unwrap is for [humago.Unwrap].
func (c wrongParameters) Unwrap() huma.Context { return c.humaContext }

// SetStatus implements [huma.Context].
func (c wrongParameters) SetStatus(status int) {
	if status == http.StatusUnprocessableEntity {
		status = http.StatusBadRequest
	}
	c.humaContext.SetStatus(status)
}

// register adds the operations.
func (h *Handler) register() {
	h.describe()
	post(h, "search", "search", "Find passages", "", (*Service).Search)
	post(h, "similar", "findSimilar", "Find what is like a text, a chunk or a document", "", (*Service).Similar)
	post(h, "contents", "getContents", "Read documents and chunks", "", (*Service).Contents)
	post(h, "verify", "verify", "Check a quote, or what a text cites", "", (*Service).Verify)
	post(h, "cite", citeTool, "Write a citation", "What is cited must be there, and a quote must occur in it.", (*Service).Cite)
	post(h, "resolve", "resolve", "Make the evidence of an address", "Exactly the part of the source that the address names, as a file of its own.", (*Service).Resolve)
	h.registerView()
	h.registerAnswer()
	h.registerResources()
	h.registerInfo()
	h.registerEvidence()
	h.registerPictures()
	h.registerFiles()
	h.registerIngest()
	h.registerUnmapped()
	h.registerOpenAPI()
	h.noteQueries()
	for _, schema := range h.api.OpenAPI().Components.Schemas.Map() {
		withoutNull(schema)
	}
}

// A request is the body of a request, which names its workspace.
type request interface{ workspace() string }

// A body is the body of an answer, which has a Meta.
type body interface{ meta() *Meta }

func (r *SearchRequest) workspace() string   { return r.WorkspaceID }
func (r *SimilarRequest) workspace() string  { return r.WorkspaceID }
func (r *ContentsRequest) workspace() string { return r.WorkspaceID }
func (r *AnswerRequest) workspace() string   { return r.WorkspaceID }
func (r *IngestRequest) workspace() string   { return r.WorkspaceID }

func (r *Results) meta() *Meta  { return &r.Meta }
func (c *Contents) meta() *Meta { return &c.Meta }
func (a *Answer) meta() *Meta   { return &a.Meta }

// A call is a request that runs.
type call struct {
	id    string
	start time.Time
	times ctxio.Recorder
	op    *operation
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// meta returns what an answer tells of its call.
func (c *call) meta() Meta {
	return Meta{RequestID: c.id, Latency: c.times.Latency(time.Since(c.start))}
}

// Call implements [transport.API].
func (h *Handler) Call(r *http.Request, body []byte) transport.APICall {
	_, pattern := h.mux.Handler(r)
	op := h.operations[pattern]
	if op == nil {
		return transport.APICall{ToolCall: transport.ToolCall{Lookup: true}}
	}
	return transport.APICall{Operation: op.name, Stream: op.stream, ToolCall: transport.ToolCall{Name: op.tool, Lookup: op.lookup, Long: op.name == "contents" || op.name == "resource", Resource: resourceOf(r, body)}}
}

// resourceOf returns the id of the resource that a request names, or "".
func resourceOf(r *http.Request, body []byte) string {
	named := ""
	if rest, ok := strings.CutPrefix(r.URL.Path, resourcePath); ok {
		named = rest
	} else if rest, ok := strings.CutPrefix(r.URL.Path, evidencePath); ok {
		named = rest
	} else if rest, ok := strings.CutPrefix(r.URL.Path, picturePath); ok {
		named = rest
	} else if rest, ok := strings.CutPrefix(r.URL.Path, viewPath); ok {
		named = rest
	} else if json.Valid(body) {
		list, _ := strictjson.Members(body)
		for _, m := range list {
			if m.Key == "address" {
				named, _ = strictjson.Unquoted(m.Value)
			}
		}
	}
	if citekit.CheckResourceID(named) == nil {
		return named
	}
	if address, err := citekit.ParseAddress(named); err == nil {
		return address.Resource
	}
	return ""
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r = transport.OneSegment(r)
	c := &call{id: transport.RequestIDOf(r), start: time.Now()}
	r = r.WithContext(context.WithValue(ctxio.WithRecorder(r.Context(), &c.times), callKey{}, c))
	answer := &answerWriter{ResponseWriter: w}
	defer h.survive(answer, r)
	header := w.Header()
	header.Set("X-Request-Id", c.id)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	served, pattern := h.mux.Handler(r)
	if c.op = h.operations[pattern]; c.op == nil {
		refuseUnknown(answer, r, served)
		return
	}
	p := checkQuery(r, c.op)
	if p == nil && strings.HasSuffix(pattern, "/{address}") {
		p = checkWhole(r)
	}
	if p == nil && c.op.body != nil {
		p = h.readBody(answer, r, c.op.body)
	}
	if p != nil {
		writeProblem(answer, r, p)
		return
	}
	h.mux.ServeHTTP(answer, r)
}

// writeProblem answers a request with a problem.
func writeProblem(w http.ResponseWriter, r *http.Request, p *Problem) {
	p.Meta = callOf(r.Context()).meta()
	transport.SetOutcome(r.Context(), p.Code())
	p.Write(w, r)
}

// refuseUnknown answers a request of no operation: with 404, or with 405 if another
// method has one.
func refuseUnknown(w http.ResponseWriter, r *http.Request, served http.Handler) {
	said := &headWriter{header: make(http.Header)}
	served.ServeHTTP(said, r)
	p := transport.NewProblem(string(message.CodeNotFound), 0, "there is no such operation; GET "+descriptionPath+" lists them")
	if said.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", said.header.Get("Allow"))
		p = transport.NewProblem(string(message.CodeInvalidInput), said.status, "this operation has the methods "+said.header.Get("Allow"))
	}
	writeProblem(w, r, p)
}

// A headWriter keeps the head of an answer.
type headWriter struct {
	header http.Header
	status int
}

func (w *headWriter) Header() http.Header                { return w.header }
func (w *headWriter) WriteHeader(status int)             { w.status = status }
func (w *headWriter) Write(data []byte) (n int, e error) { return len(data), nil }

// An answerWriter knows whether an answer has begun.
type answerWriter struct {
	http.ResponseWriter
	begun bool
}

// Unwrap is for [http.ResponseController].
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (w *answerWriter) WriteHeader(status int) {
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [io.Writer].
func (w *answerWriter) Write(data []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(data)
}

// survive answers a request whose handler panicked. It is deferred.
func (h *Handler) survive(w *answerWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		panic(p)
	}
	h.opts.Logger.LogAttrs(r.Context(), slog.LevelError, "panic", slog.String("request_id", callOf(r.Context()).id),
		slog.String("panic", plain.ShowLine(fmt.Sprint(p), maxMessage)), slog.String("stack", string(debug.Stack())))
	transport.SetOutcome(r.Context(), string(message.CodeInternal))
	if w.begun {
		panic(http.ErrAbortHandler) // so that the answer does not look whole
	}
	writeProblem(w, r, transport.NewProblem(string(message.CodeInternal), 0, "internal error"))
}

// readBody reads and checks the body of a request, which can be read again then.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request, schema *huma.Schema) *Problem {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return transport.NewProblem(string(message.CodeInvalidInput), http.StatusUnsupportedMediaType, "send the body as JSON, with the header Content-Type: application/json")
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.opts.MaxBodyBytes))
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		return transport.NewProblem(string(message.CodeTooLarge), http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", tooLong.Limit))
	case err != nil:
		return transport.NewProblem(string(message.CodeInvalidInput), 0, "the body cannot be read")
	}
	data, wrong := checkBody(h.api.OpenAPI().Components.Schemas, schema, data)
	if len(wrong) > 0 {
		return wrongInput(wrong)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	return nil
}

// begin finds the service of a call, which may take its time until end is called.
func (h *Handler) begin(ctx context.Context, workspace string) (_ context.Context, s *Service, end context.CancelFunc, err error) {
	op := callOf(ctx).op
	if s = h.opts.Workspace(ctx, workspace); s == nil {
		where := "workspaceId"
		if op.body != nil {
			where = "/workspaceId"
		}
		return ctx, nil, nil, ofField(where, transport.NewProblem(string(message.CodeNotFound), 0, "there is no such workspace for this caller; name one of the key's, or leave workspaceId out"))
	}
	if s.Offers != nil && op.tool != "" && !s.Offers(ctx, op.tool) {
		return ctx, nil, nil, transport.NewProblem(string(message.CodeForbidden), 0, "this caller may not use "+op.name+": its key, or the settings of the server, leave it out")
	}
	limit := defaultTimeout
	if s.Timeout != nil {
		limit = s.Timeout(op.tool)
	}
	if limit <= 0 {
		ctx, end = context.WithCancel(ctx)
	} else {
		ctx, end = context.WithTimeout(ctx, limit)
	}
	return ctx, s, end, nil
}

// defaultTimeout is how long a call may take. It is for storage and programs that hang:
// how much a call may do is counted, so that it has the same answer on any machine.
const defaultTimeout = 30 * time.Second

// failed returns an error of a call for its caller, and logs one that is internal.
func (h *Handler) failed(ctx context.Context, err error) *Problem {
	p := problemOf(err)
	if code := p.Code(); code == string(message.CodeInternal) || code == transport.OutcomeUnavailable {
		c := callOf(ctx)
		h.opts.Logger.LogAttrs(ctx, slog.LevelError, "request failed", slog.String("operation", c.op.name), slog.String("request_id", c.id), slog.String("error", plain.ShowLine(err.Error(), maxMessage)))
	}
	return p
}

// post registers an operation that answers a body with a body. The tool is that of MCP
// which does the same.
func post[Req any, Resp any, PReq interface {
	*Req
	request
}, PResp interface {
	*Resp
	body
}](h *Handler, name, tool, summary, about string, do func(*Service, context.Context, PReq) (PResp, error)) {
	type input struct{ Body Req }
	op := h.operation(http.MethodPost, "/v1/"+name, name, tool, summary, about, reflect.TypeFor[Resp]())
	h.takes(op, reflect.TypeFor[Req]())
	huma.Register(h.api, op, func(_ context.Context, in *input) (*huma.StreamResponse, error) {
		req := PReq(&in.Body)
		return h.serve(req.workspace(), func(ctx context.Context, s *Service) (body, error) { return do(s, ctx, req) }), nil
	})
}

// serve returns an answer whose body do makes, with the service of a workspace.
func (h *Handler) serve(workspace string, do func(context.Context, *Service) (body, error)) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(to huma.Context) {
		r, w := humago.Unwrap(to)
		ctx, s, end, err := h.begin(r.Context(), workspace)
		var answer body
		if err == nil {
			defer end()
			answer, err = do(ctx, s)
		}
		if err != nil {
			writeProblem(w, r, h.failed(ctx, err))
			return
		}
		*answer.meta() = callOf(ctx).meta()
		w.Header().Set("Content-Type", "application/json")
		_ = encoder(w).Encode(answer) // who asked is gone
	}}
}

// encoder returns an encoder of answers.
func encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// operation describes an operation, whose answers are of a type; nil if they are no JSON.
func (h *Handler) operation(method, path, name, tool, summary, about string, answers reflect.Type) huma.Operation {
	h.operations[method+" "+path] = &operation{name: name, tool: tool}
	op := huma.Operation{
		OperationID: name, Method: method, Path: path, Summary: summary, Description: about,
		MaxBodyBytes: -1, BodyReadTimeout: -1, SkipValidateBody: true, Responses: h.problems(),
	}
	if answers != nil {
		op.Responses["200"] = &huma.Response{Description: "OK", Content: map[string]*huma.MediaType{
			"application/json": {Schema: h.schema(answers)},
		}}
	}
	return op
}

// schema returns a reference to the schema of a type.
func (h *Handler) schema(t reflect.Type) *huma.Schema {
	return h.api.OpenAPI().Components.Schemas.Schema(t, true, t.Name())
}

// takes says which type the body of an operation has.
func (h *Handler) takes(op huma.Operation, t reflect.Type) {
	h.operations[op.Method+" "+op.Path].body = h.schema(t)
}
