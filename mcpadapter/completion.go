package mcpadapter

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/lookup"
)

const (
	maxCompletions = 100 // in one answer, a limit of the protocol
	maxCompleted   = 512 // bytes of the value to complete
)

// complete completes ids and addresses in URIs of resources, and ids in arguments
// of prompts. Values that begin with the typed text come before values that
// contain it. Unknown arguments get no values.
func (a *adapter) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	argument := req.Params.Argument
	if len(argument.Value) > maxCompleted {
		return nil, badArgument("a value to complete has at most %d bytes", maxCompleted)
	}
	if a.native && !a.mayHave(askedOf(ctx), a.callable(listing)) {
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	uri := ""
	if req.Params.Ref != nil {
		uri = req.Params.Ref.URI
	}
	found := lookup.NewCompletion(argument.Value, maxCompletions)
	if err := a.completeArgument(ctx, found, uri, argument.Name, argument.Value, req.Params.Context); err != nil {
		return nil, err
	}
	values, total := found.Values()
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: total, HasMore: total > len(values)}}, nil
}

// completeArgument finds values of an argument, which may be that of the template of a
// URI.
func (a *adapter) completeArgument(ctx context.Context, found *lookup.Completion, uri, name, value string, known *mcp.CompleteContext) error {
	switch name {
	case "resource_id":
		return found.Resources(ctx, a.lib)
	case "node_id":
		if known != nil && known.Arguments["resource_id"] != "" {
			return found.Nodes(ctx, a.lib, known.Arguments["resource_id"])
		}
	case "address":
		scheme, _, _ := strings.Cut(uri, "://")
		return found.Addresses(ctx, a.lib, scheme, value, a.stats.Addresses)
	case "task_type":
		for _, kind := range taskTypes {
			found.Add(kind)
		}
	}
	return nil
}
