package transport

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

	"github.com/citekit/citekit/internal/timing"
)

// The keys in "_meta" of every answer.
const (
	metaRequestID = "requestId"
	metaTiming    = "timing"

	requestIDHeader = "X-Request-Id"
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
	if id, _ := metaOf(req)[metaRequestID].(string); validRequestID(id) {
		return id
	}
	if extra := req.GetExtra(); extra != nil && validRequestID(extra.Header.Get(requestIDHeader)) {
		return extra.Header.Get(requestIDHeader)
	}
	return rand.Text()
}

func validRequestID(id string) bool {
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

func breakdownOf(r *timing.Recorder, total time.Duration, failed bool) breakdown {
	b := breakdown{
		milliseconds(total), milliseconds(r.Spent(timing.Lookup)), milliseconds(r.Spent(timing.Hash)),
		milliseconds(r.Spent(timing.Extract)), milliseconds(r.Spent(timing.Encode)), nil,
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
// [RequestID], and lets long answers bypass the SDK's encoder.
func Describe(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if isNotification(method) {
			return next(ctx, method, req)
		}
		start, recorder, id := time.Now(), new(timing.Recorder), requestIDOf(req)
		ctx = timing.With(context.WithValue(ctx, requestIDKey{}, id), recorder)
		result, err := next(ctx, method, req)
		if err != nil {
			return nil, withRequestID(err, id)
		}
		call, isCall := result.(*mcp.CallToolResult)
		failed := isCall && call.IsError
		return hold(ctx, withMeta(result, mcp.Meta{metaRequestID: id, metaTiming: breakdownOf(recorder, time.Since(start), failed)})), nil
	}
}

// hasMeta reports whether a result has a "_meta". Asking the results of the SDK's
// other methods for it panics.
func hasMeta(result mcp.Result) bool {
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
	if !hasMeta(result) {
		return result
	}
	switch r := result.(type) {
	case *mcp.CallToolResult:
		result = copied(r)
	case *mcp.ReadResourceResult:
		result = copied(r)
	case *mcp.GetPromptResult:
		result = copied(r)
	case *mcp.CompleteResult:
		result = copied(r)
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

func copied[T any](of *T) *T {
	c := *of
	return &c
}

// withRequestID returns a protocol error with the id of the request in its data,
// unless the data is not an object.
func withRequestID(err error, id string) error {
	var coded *jsonrpc.Error
	if !errors.As(err, &coded) {
		return err
	}
	data := make(map[string]json.RawMessage)
	if len(coded.Data) > 0 && json.Unmarshal(coded.Data, &data) != nil || data == nil {
		return err
	}
	described := *coded
	data[metaRequestID], _ = json.Marshal(id) // a string always encodes
	described.Data, _ = json.Marshal(data)    // decoded values always encode
	return &described
}
