package mcpcall

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"reflect"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/ctxio"
)

// The keys in "_meta" of every answer.
const (
	MetaRequestID = "requestId"
	metaTiming    = "timing"

	// MetaDetails is the text in the data of every error that says what was wrong and,
	// where that is known, what to do.
	MetaDetails = "details"

	RequestIDHeader = "X-Request-Id" // of a request over HTTP
)

// maxRequestID is the longest request id that is accepted, in bytes.
const maxRequestID = 128

type requestIDKey struct{}

// RequestID returns the id of the request that ctx belongs to, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// requestIDOf returns the id that the caller gave a request in "_meta" or in a
// header, or a new one. An id that is too long or not printable ASCII is ignored.
func requestIDOf(req mcp.Request) string {
	if id, _ := metaOf(req)[MetaRequestID].(string); ValidRequestID(id) {
		return id
	}
	if extra := req.GetExtra(); extra != nil && ValidRequestID(extra.Header.Get(RequestIDHeader)) {
		return extra.Header.Get(RequestIDHeader)
	}
	return rand.Text()
}

// WithRequestID returns a context in which [RequestID] returns id.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// ValidRequestID reports whether an id is printable ASCII and not too long.
func ValidRequestID(id string) bool {
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return id != "" && len(id) <= maxRequestID
}

// metaOf returns the "_meta" of the params of a request.
func metaOf(req mcp.Request) map[string]any {
	params := req.GetParams()
	if v := reflect.ValueOf(params); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	return params.GetMeta()
}

// A breakdown is how the time of a call was spent, in milliseconds. Parallel work
// is added up as if it were sequential.
type breakdown struct {
	Total    float64 `json:"total_ms"`
	Lookup   float64 `json:"lookup_ms"`
	Hash     float64 `json:"hash_ms"`
	Extract  float64 `json:"extract_ms"`
	Encode   float64 `json:"encode_ms"`
	CacheHit *bool   `json:"cache_hit,omitempty"` // nil if the call failed
}

func breakdownOf(r *ctxio.Recorder, total time.Duration, failed bool) breakdown {
	b := breakdown{
		milliseconds(total), milliseconds(r.Spent(ctxio.PhaseLookup)), milliseconds(r.Spent(ctxio.PhaseHash)),
		milliseconds(r.Spent(ctxio.PhaseExtract)), milliseconds(r.Spent(ctxio.PhaseEncode)), nil,
	}
	if cached := r.Cached(); !failed {
		b.CacheHit = &cached
	}
	return b
}

// milliseconds returns a duration in milliseconds, rounded to microseconds.
func milliseconds(d time.Duration) float64 { return math.Round(float64(d)/1e3) / 1e3 }

// Describe is middleware that gives every request an id, and adds the id and the time
// of the request to every answer. It must be outside of all middleware that needs
// [RequestID], and passes answers through what [WithAdapter] set.
func Describe(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if IsNotification(method) {
			return next(ctx, method, req)
		}
		start, recorder, id := time.Now(), new(ctxio.Recorder), requestIDOf(req)
		ctx = ctxio.WithRecorder(WithRequestID(ctx, id), recorder)
		result, err := next(ctx, method, req)
		if err != nil {
			return nil, described(err, id)
		}
		call, isCall := result.(*mcp.CallToolResult)
		failed := isCall && call.IsError
		return adapted(ctx, withMeta(result, mcp.Meta{MetaRequestID: id, metaTiming: breakdownOf(recorder, time.Since(start), failed)})), nil
	}
}

type adapterKey struct{}

// WithAdapter returns a context of which [Describe] passes the answers through adapt.
func WithAdapter(ctx context.Context, adapt func(mcp.Result) mcp.Result) context.Context {
	return context.WithValue(ctx, adapterKey{}, adapt)
}

func adapted(ctx context.Context, result mcp.Result) mcp.Result {
	if adapt, ok := ctx.Value(adapterKey{}).(func(mcp.Result) mcp.Result); ok {
		return adapt(result)
	}
	return result
}

// HasMeta reports whether a result has a "_meta". Asking the results of the SDK's
// other methods for it panics.
func HasMeta(result mcp.Result) bool {
	switch result.(type) {
	case *mcp.CallToolResult, *mcp.ReadResourceResult, *mcp.GetPromptResult, *mcp.CompleteResult,
		*mcp.ListToolsResult, *mcp.ListResourcesResult, *mcp.ListResourceTemplatesResult,
		*mcp.ListPromptsResult, *mcp.InitializeResult, *mcp.DiscoverResult:
		return true
	}
	return false
}

// withMeta returns a result with more in its "_meta", if it has one. It copies
// results that a program may return again.
func withMeta(result mcp.Result, more mcp.Meta) mcp.Result {
	if !HasMeta(result) {
		return result
	}
	switch r := result.(type) {
	case *mcp.CallToolResult:
		result = Copied(r)
	case *mcp.ReadResourceResult:
		result = Copied(r)
	case *mcp.GetPromptResult:
		result = Copied(r)
	case *mcp.CompleteResult:
		result = Copied(r)
	}
	meta := mcp.Meta(maps.Clone(result.GetMeta()))
	if meta == nil {
		meta = more
	} else {
		maps.Copy(meta, more)
	}
	result.SetMeta(meta)
	return result
}

// Copied returns a copy of what a pointer leads to.
func Copied[T any](of *T) *T {
	c := *of
	return &c
}

// described returns a protocol error with the id of the request in its data, unless the
// data is not an object.
func described(err error, id string) error {
	var coded *jsonrpc.Error
	if !errors.As(err, &coded) {
		return err
	}
	return Detailed(coded, MetaRequestID, id)
}

// Detailed returns a protocol error whose data has details, and texts by their names,
// unless the data is not an object.
func Detailed(coded *jsonrpc.Error, more ...string) *jsonrpc.Error {
	data := make(map[string]json.RawMessage)
	if len(coded.Data) > 0 && json.Unmarshal(coded.Data, &data) != nil || data == nil {
		return coded
	}
	if data[MetaDetails] == nil {
		data[MetaDetails], _ = json.Marshal(Printable(coded.Message)) // a string always encodes
	}
	for i := 0; i < len(more); i += 2 {
		data[more[i]], _ = json.Marshal(more[i+1])
	}
	changed := *coded
	changed.Data, _ = json.Marshal(data) // decoded values always encode
	return &changed
}

// JSON is structured content that is encoded already, without line breaks. A result of
// which it is all, once as text and once like this, is not encoded again.
type JSON json.RawMessage

// MarshalJSON implements [json.Marshaler].
func (j JSON) MarshalJSON() ([]byte, error) { return j, nil }
