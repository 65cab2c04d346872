package mcpadapter

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/citekit/citekit/server/transport"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type choiceKey struct{}

// readOnly reports whether a call must not write evidence either.
func (a *adapter) readOnly(ctx context.Context) bool {
	asked, _ := ctx.Value(choiceKey{}).(choice)
	return a.opts.ReadOnly || asked.readOnly
}

// hasTool reports whether the caller has a tool.
func (a *adapter) hasTool(ctx context.Context, tool string) bool {
	asked, _ := ctx.Value(choiceKey{}).(choice)
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
		asked, err := choiceOf(header)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		}
		if given := a.given(granted(ctx, req)); !given.all() {
			asked.within, asked.readOnly = &given, asked.readOnly || given.readOnly
			if err := given.checkFeature(req); err != nil {
				return nil, err
			}
		}
		if asked.all() {
			result, err := next(ctx, method, req)
			return result, a.nearestTool(err, req, asked)
		}
		ctx = context.WithValue(ctx, choiceKey{}, asked)
		if call, ok := req.(*mcp.CallToolRequest); ok && !asked.has(call.Params.Name) {
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
func (a *adapter) given(granted choice) choice {
	if a.opts.Adjust == nil {
		return granted
	}
	now := a.opts.Adjust()
	everybody := choice{toolsets: now.Toolsets, tools: now.Tools, readOnly: now.ReadOnly}
	if everybody.all() {
		return granted
	}
	granted.within, granted.readOnly = &everybody, granted.readOnly || now.ReadOnly
	return granted
}

// unknownTool returns the SDK's error for an unknown tool, so that hidden tools
// cannot be distinguished from it.
func unknownTool(name string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q", name)}
}

// nearestTool adds to an error about an unknown tool the tool of the caller that has
// a similar name. It returns other errors unchanged.
func (a *adapter) nearestTool(err error, req mcp.Request, asked choice) error {
	call, ok := req.(*mcp.CallToolRequest)
	var coded *jsonrpc.Error
	if !ok || !errors.As(err, &coded) || coded.Error() != unknownTool(call.Params.Name).Error() {
		return err
	}
	names := slices.DeleteFunc(ToolNames(), func(name string) bool { return !a.offers(name, asked) })
	near := nearest(call.Params.Name, names)
	if near == "" {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("%s; did you mean %q?", coded.Message, near)}
}

// narrowed returns a result without the tools that were not asked for.
func (a *adapter) narrowed(result mcp.Result, asked choice) (mcp.Result, error) {
	switch r := result.(type) {
	case *mcp.ListToolsResult:
		if err := asked.checkTools(r); err != nil {
			return nil, err
		}
		r.Tools = slices.DeleteFunc(slices.Clone(r.Tools), func(t *mcp.Tool) bool { return !asked.has(t.Name) })
		if i := slices.IndexFunc(r.Tools, func(t *mcp.Tool) bool { return t.Name == "resolve" }); i >= 0 && asked.readOnly {
			r.Tools[i] = a.resolveWithoutFiles
		}
	case *mcp.ListResourcesResult:
		if asked.within != nil && !asked.within.hasAny(listing...) {
			r.Resources, r.NextCursor = []*mcp.Resource{}, ""
		}
	case *mcp.CompleteResult:
		if asked.within != nil && !asked.within.hasAny(listing...) {
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
func (c choice) checkTools(list *mcp.ListToolsResult) error {
	if list.NextCursor != "" {
		return nil
	}
	known := ToolNames()
	for _, t := range list.Tools {
		if toolsetOf(t.Name) == "" {
			known = append(known, t.Name)
		}
	}
	for _, name := range c.tools {
		if err := checkName("tool", name, known); err != nil {
			return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "header X-MCP-Tools: " + err.Error()}
		}
	}
	return nil
}

// narrowedInstructions returns the instructions for fewer tools. The instructions
// of another program stay unchanged.
func (a *adapter) narrowedInstructions(whole string, asked choice) string {
	if whole != a.instructions(choice{}) {
		return whole
	}
	return a.instructions(asked)
}
