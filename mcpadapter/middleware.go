package mcpadapter

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/message"
)

// codedErrors gives every error a code, makes its data valid JSON, and keeps
// internal details in the log. Otherwise the SDK answers a resource URI with
// control characters with data that ends the session, and sends the text of an
// error without a code unchanged.
func codedErrors(logger *slog.Logger) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, req)
			if err == nil {
				return withCode(result, req), nil
			}
			var coded *jsonrpc.Error
			if errors.As(err, &coded) {
				return nil, withValidData(forCursor(coded, req), req)
			}
			if !isFeature(method) { // from the SDK itself, such as for a second initialize
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: printable(err.Error())}
			}
			code := citekit.CodeOf(err)
			if code == message.CodeInternal {
				logger.LogAttrs(ctx, slog.LevelError, "request failed", slog.String("method", method), slog.String("request_id", mcpcall.RequestID(ctx)), slog.String("error", printable(err.Error())))
			}
			return nil, featureError(method, err, code)
		}
	}
}

// withCode words the failure of a tool like this package's own tools do, if
// citekit knows the error. Otherwise it keeps the words of the tool's author.
func withCode(result mcp.Result, req mcp.Request) mcp.Result {
	call, ok := req.(*mcp.CallToolRequest)
	if !ok {
		return result
	}
	failed, ok := result.(*mcp.CallToolResult)
	if !ok || failed.GetError() == nil || citekit.CodeOf(failed.GetError()) == message.CodeInternal {
		return result
	}
	return failure(call.Params.Name, foreignError{failed.GetError()})
}

// A foreignError is what a tool returned that another program added. What its
// arguments mean is not known here.
type foreignError struct{ error }

func (e foreignError) Unwrap() error { return e.error }

// isCall reports whether the call is at fault, or something that the Library knows
// nothing of, rather than a map, a source or a limit.
func (e foreignError) isCall(code string) bool {
	var failed *citekit.ResolveError
	switch {
	case code == message.CodeTooLarge || code == message.CodeTimeout:
		return false
	case !errors.As(e.error, &failed):
		return true
	case code != message.CodeInvalidInput && code != message.CodeUnsupported || errors.Is(e.error, citekit.ErrFormat):
		return false
	}
	return failed.Address.Location.Modality != "" || citekit.CheckResourceID(failed.Address.Resource) != nil
}

// hint returns what to do if the call is at fault; "" if the message says it.
func (e foreignError) hint() string {
	var failed *citekit.ResolveError
	switch {
	case !errors.As(e.error, &failed):
		return ""
	case citekit.CheckResourceID(failed.Address.Resource) != nil:
		return "listResources lists the resources."
	}
	return "Correct the address: getStructure shows those of the nodes. If it is one of them, the map must be corrected."
}

// forCursor says what is wrong with a cursor of a list. The SDK only says that a
// parameter is invalid.
func forCursor(coded *jsonrpc.Error, req mcp.Request) *jsonrpc.Error {
	if coded.Code != jsonrpc.CodeInvalidParams || coded.Message != "invalid params" {
		return coded
	}
	var list struct {
		Cursor string `json:"cursor"`
	}
	params, _ := json.Marshal(req.GetParams()) // decoded values always encode
	if json.Unmarshal(params, &list) != nil || list.Cursor == "" {
		return coded
	}
	said := *coded
	said.Message = badCursor("it is not from this list; leave it out to begin").Error()
	return &said
}

func withValidData(coded *jsonrpc.Error, req mcp.Request) error {
	if len(coded.Data) == 0 || json.Valid(coded.Data) {
		return coded
	}
	fixed := *coded
	fixed.Data = nil
	if read, ok := req.(*mcp.ReadResourceRequest); ok {
		fixed.Data, _ = json.Marshal(map[string]string{"uri": read.Params.URI}) // strings always encode
	}
	return &fixed
}

// isFeature reports whether a program that embeds the server may have written the
// handler of the method.
func isFeature(method string) bool {
	switch method {
	case "tools/call", "resources/read", "resources/subscribe", "resources/unsubscribe", "subscriptions/listen",
		"prompts/get", "completion/complete":
		return true
	}
	return false
}

// featureError returns err as a protocol error with both kinds of code.
func featureError(method string, err error, code string) error {
	number := int64(jsonrpc.CodeInvalidParams)
	switch code { // the request is not wrong
	case message.CodeInternal, message.CodeTimeout, message.CodeForbidden:
		number = jsonrpc.CodeInternalError
	}
	said := map[string]string{"code": code, "details": printable(explain(method, err, code))}
	text := said["details"]
	if hint := hintFor(method, err, code); hint != "" {
		said["details"] = strings.TrimSuffix(text, ".") + ". " + printable(hint)
	}
	data, _ := json.Marshal(said) // strings always encode
	return &jsonrpc.Error{Code: number, Message: text, Data: data}
}
