package mcpadapter

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/server/transport"
)

type choiceKey struct{}

// readOnly reports whether a call must not write evidence either.
func (a *adapter) readOnly(ctx context.Context) bool {
	asked, _ := ctx.Value(choiceKey{}).(access.Choice)
	return a.opts.ReadOnly || asked.ReadOnly
}

// hasTool reports whether the caller has a tool.
func (a *adapter) hasTool(ctx context.Context, tool string) bool {
	asked, _ := ctx.Value(choiceKey{}).(access.Choice)
	return a.offers(tool, asked)
}

// narrow is middleware that limits the tools for a client to those that its
// headers ask for and its grant allows. It never adds a tool that the server does
// not offer.
func (a *adapter) narrow(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		var header http.Header
		if extra := transport.ExtraOf(ctx, req); extra != nil {
			header = extra.Header
		}
		asked, err := toolsets.FromHeader(header)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		}
		if given := a.given(granted(ctx, req)); !given.IsAll() {
			asked.Within, asked.ReadOnly = &given, asked.ReadOnly || given.ReadOnly
			if err := checkFeature(given, req); err != nil {
				return nil, err
			}
		}
		if asked.IsAll() {
			result, err := next(ctx, method, req)
			return result, a.nearestTool(err, req, asked)
		}
		ctx = context.WithValue(ctx, choiceKey{}, asked)
		if call, ok := req.(*mcp.CallToolRequest); ok && !asked.Has(call.Params.Name) {
			return nil, a.nearestTool(unknownTool(call.Params.Name), req, asked)
		}
		result, err := next(ctx, method, req)
		if err != nil {
			return nil, a.nearestTool(err, req, asked)
		}
		return a.narrowed(result, asked)
	}
}

// given returns the tools that a grant allows, without those that are currently
// left out for all callers.
func (a *adapter) given(granted access.Choice) access.Choice {
	if a.opts.Adjust == nil {
		return granted
	}
	now := a.opts.Adjust()
	everybody := access.Choice{Of: toolsets, Toolsets: now.Toolsets, Tools: now.Tools, ReadOnly: now.ReadOnly}
	if everybody.IsAll() {
		return granted
	}
	granted.Of, granted.Within, granted.ReadOnly = toolsets, &everybody, granted.ReadOnly || now.ReadOnly
	return granted
}

// unknownTool returns the SDK's error for an unknown tool, so that hidden tools
// cannot be distinguished from it.
func unknownTool(name string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q", name)}
}

// nearestTool adds to an error about an unknown tool the tool of the caller that has
// a similar name. It returns other errors unchanged.
func (a *adapter) nearestTool(err error, req mcp.Request, asked access.Choice) error {
	call, ok := req.(*mcp.CallToolRequest)
	var coded *jsonrpc.Error
	if !ok || !errors.As(err, &coded) || coded.Error() != unknownTool(call.Params.Name).Error() {
		return err
	}
	names := slices.DeleteFunc(ToolNames(), func(name string) bool { return !a.offers(name, asked) })
	near := message.Nearest(call.Params.Name, names)
	if near == "" {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("%s; did you mean %q?", coded.Message, near)}
}

// narrowed returns a result without the tools that were not asked for.
func (a *adapter) narrowed(result mcp.Result, asked access.Choice) (mcp.Result, error) {
	switch r := result.(type) {
	case *mcp.ListToolsResult:
		if err := checkTools(asked, r); err != nil {
			return nil, err
		}
		r.Tools = slices.DeleteFunc(slices.Clone(r.Tools), func(t *mcp.Tool) bool { return !asked.Has(t.Name) })
		if i := slices.IndexFunc(r.Tools, func(t *mcp.Tool) bool { return t.Name == "resolve" }); i >= 0 && asked.ReadOnly {
			r.Tools[i] = a.resolveWithoutFiles
		}
	case *mcp.ListResourcesResult:
		if asked.Within != nil && !asked.Within.HasAny(listing...) {
			r.Resources, r.NextCursor = []*mcp.Resource{}, ""
		}
	case *mcp.CompleteResult:
		if asked.Within != nil && !asked.Within.HasAny(listing...) {
			r.Completion = mcp.CompletionResultDetails{Values: []string{}}
		}
	case *mcp.InitializeResult:
		r.Instructions = a.narrowedInstructions(r.Instructions, asked)
	case *mcp.DiscoverResult:
		r.Instructions = a.narrowedInstructions(r.Instructions, asked)
	}
	return result, nil
}

// checkTools returns an error if a requested name is not the name of a tool, of
// this package or in a complete list.
func checkTools(c access.Choice, list *mcp.ListToolsResult) error {
	if list.NextCursor != "" {
		return nil
	}
	known := ToolNames()
	for _, t := range list.Tools {
		if toolsets.Of(t.Name).Name == "" {
			known = append(known, t.Name)
		}
	}
	for _, name := range c.Tools {
		if err := access.CheckName("tool", name, known); err != nil {
			return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "header X-MCP-Tools: " + err.Error()}
		}
	}
	return nil
}

// narrowedInstructions returns the instructions for fewer tools. The instructions
// of another program stay unchanged.
func (a *adapter) narrowedInstructions(whole string, asked access.Choice) string {
	if whole != a.instructions(access.Choice{}) {
		return whole
	}
	return a.instructions(asked)
}
