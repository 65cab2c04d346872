package mcpadapter

import (
	"context"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
)

const (
	maxCompletions = 100 // in one answer, a limit of the protocol
	maxCompleted   = 512 // bytes of the value to complete
)

// complete completes ids in URIs of resources and in arguments of prompts. Ids
// that begin with the typed text come before ids that contain it. Unknown
// arguments get no values.
func (a *adapter) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	argument := req.Params.Argument
	if len(argument.Value) > maxCompleted {
		return nil, badArgument("a value to complete has at most %d bytes", maxCompleted)
	}
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	details, err := a.completions(ctx, argument.Name, argument.Value, req.Params.Context)
	if err != nil {
		return nil, err
	}
	return &mcp.CompleteResult{Completion: details.details()}, nil
}

func (a *adapter) completions(ctx context.Context, name, value string, known *mcp.CompleteContext) (*completions, error) {
	c := &completions{typed: strings.ToLower(value)}
	switch name {
	case "resource_id":
		return c, a.completeResource(ctx, c)
	case "node_id":
		if known == nil || known.Arguments["resource_id"] == "" {
			return c, nil
		}
		return c, a.completeNode(ctx, c, known.Arguments["resource_id"])
	case "task_type":
		for _, kind := range taskTypes {
			c.add(kind)
		}
	}
	return c, nil
}

func (a *adapter) completeResource(ctx context.Context, c *completions) error {
	ids, err := a.lib.Resources(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		c.add(id)
	}
	return ctx.Err()
}

// completeNode completes the id of a node. The id of the resource may be
// percent-encoded, as in a URI.
func (a *adapter) completeNode(ctx context.Context, c *completions, resource string) error {
	m, err := a.lib.Map(ctx, resource)
	if err != nil {
		unescaped, escapeErr := url.PathUnescape(resource)
		if escapeErr != nil || citekit.CodeOf(err) == citekit.CodeInternal {
			return nil // there is nothing to complete
		}
		if m, err = a.lib.Map(ctx, unescaped); err != nil {
			return nil
		}
	}
	for n := range m.All() {
		c.add(n.ID)
	}
	return ctx.Err()
}

// completions collects the values that complete a text.
type completions struct {
	typed          string // in lower case
	begin, contain []string
	total          int
}

func (c *completions) add(value string) {
	at := strings.Index(strings.ToLower(value), c.typed)
	if at < 0 {
		return
	}
	c.total++
	if at == 0 && len(c.begin) < maxCompletions {
		c.begin = append(c.begin, value)
	} else if at > 0 && len(c.contain) < maxCompletions {
		c.contain = append(c.contain, value)
	}
}

func (c *completions) details() mcp.CompletionResultDetails {
	values := append(c.begin, c.contain...)
	values = append([]string{}, values[:min(len(values), maxCompletions)]...)
	return mcp.CompletionResultDetails{Values: values, Total: c.total, HasMore: c.total > len(values)}
}
