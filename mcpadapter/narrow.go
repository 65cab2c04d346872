package mcpadapter

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/mcpcall"
)

type choiceKey struct{}

// askedOf returns the tools that the caller of a request may have by its headers, its
// grant, and the settings that apply now.
func askedOf(ctx context.Context) access.Choice {
	asked, _ := ctx.Value(choiceKey{}).(access.Choice)
	return asked
}

// readOnly reports whether a call must not write evidence either.
func (a *adapter) readOnly(ctx context.Context) bool {
	return a.opts.ReadOnly || askedOf(ctx).ReadOnly
}

// hasTool reports whether the caller has a tool.
func (a *adapter) hasTool(ctx context.Context, tool string) bool {
	return a.offers(tool, askedOf(ctx))
}

// narrow is middleware that limits the tools for a client to those that its
// headers ask for and its grant allows. It never adds a tool that the server does
// not offer.
func (a *adapter) narrow(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		var header http.Header
		if extra := mcpcall.ExtraOf(ctx, req); extra != nil {
			header = extra.Header
		}
		asked, err := a.toolsets.FromHeader(header)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		}
		if given := a.given(a.granted(ctx, req)); !given.IsAll() {
			asked.Within, asked.ReadOnly = &given, asked.ReadOnly || given.ReadOnly
		}
		if err := a.checkFeature(asked, req); err != nil {
			return nil, err
		}
		if asked.IsAll() {
			result, err := next(ctx, method, req)
			return result, a.nearestTool(err, req, asked)
		}
		ctx = context.WithValue(ctx, choiceKey{}, asked)
		if call, ok := req.(*mcp.CallToolRequest); ok && !asked.Has(a.gate(call.Params.Name)) {
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
	everybody := a.forEverybody()
	if everybody.IsAll() {
		return granted
	}
	granted.Of, granted.Within, granted.ReadOnly = a.toolsets, &everybody, granted.ReadOnly || everybody.ReadOnly
	return granted
}

// forEverybody returns the tools that all callers may have at present.
func (a *adapter) forEverybody() access.Choice {
	if a.opts.Adjust == nil {
		return access.Choice{Of: a.toolsets}
	}
	now := a.opts.Adjust()
	return access.Choice{Of: a.toolsets, Toolsets: now.Toolsets, Tools: now.Tools, ReadOnly: now.ReadOnly}
}

// tellTools returns a function that tells clients if the tools have changed since its last
// call. The prompts change with them, as they name only tools that there are.
func (a *adapter) tellTools(server *mcp.Server) func() {
	known := a.forEverybody()
	return func() { // what is added again makes the SDK tell them
		now := a.forEverybody()
		if reflect.DeepEqual(now, known) {
			return
		}
		known = now
		a.offerTools(server)
		a.offerPrompts(server)
		a.offerDialects(server)
	}
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
	names := slices.DeleteFunc(a.toolsets.Tools(), func(name string) bool { return !a.offersAs(name, asked) })
	var served []string
	for _, d := range a.dialects {
		served = append(served, d.Name)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: coded.Message + meantTool(call.Params.Name, names, served)}
}

// narrowed returns a result without the tools that were not asked for.
func (a *adapter) narrowed(result mcp.Result, asked access.Choice) (mcp.Result, error) {
	switch r := result.(type) {
	case *mcp.ListToolsResult:
		if err := a.checkTools(asked, r); err != nil {
			return nil, err
		}
		r.Tools = slices.DeleteFunc(slices.Clone(r.Tools), func(t *mcp.Tool) bool { return !asked.Has(a.gate(t.Name)) })
		if i := slices.IndexFunc(r.Tools, func(t *mcp.Tool) bool { return t.Name == a.called("resolve") }); i >= 0 && asked.ReadOnly && a.resolveWithoutFiles != nil {
			r.Tools[i] = a.resolveWithoutFiles
		}
	case *mcp.ListResourcesResult:
		if asked.Within != nil && !asked.Within.HasAny(a.listing()...) {
			r.Resources, r.NextCursor = []*mcp.Resource{}, ""
		}
	case *mcp.CompleteResult:
		if asked.Within != nil && !asked.Within.HasAny(a.callable(listing)...) {
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
func (a *adapter) checkTools(c access.Choice, list *mcp.ListToolsResult) error {
	if list.NextCursor != "" {
		return nil
	}
	known := a.toolsets.Tools()
	for _, t := range list.Tools {
		if a.toolsets.Of(t.Name).Name == "" {
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
