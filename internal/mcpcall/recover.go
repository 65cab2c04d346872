package mcpcall

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Recover returns middleware that answers a request whose handler panics with an error,
// that of a tool with what failure returns. Otherwise the SDK would end the process.
func Recover(logger *slog.Logger, failure func(tool string) mcp.Result) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
			defer func() {
				p := recover()
				if p == nil {
					return
				}
				logger.LogAttrs(ctx, slog.LevelError, "panic",
					slog.String("method", KnownMethod(method)), slog.String("request_id", RequestID(ctx)), slog.String("panic", Printable(fmt.Sprint(p))), slog.String("stack", string(debug.Stack())))
				switch call, ok := req.(*mcp.CallToolRequest); {
				case ok:
					result, err = failure(call.Params.Name), nil
				case req.GetSession() == nil || IsNotification(method):
					result, err = nil, nil
				default:
					result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
				}
			}()
			return next(ctx, method, req)
		}
	}
}
