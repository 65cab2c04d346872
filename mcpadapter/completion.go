package mcpadapter

import (
	"context"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
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
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	uri := ""
	if req.Params.Ref != nil {
		uri = req.Params.Ref.URI
	}
	details, err := a.completions(ctx, uri, argument.Name, argument.Value, req.Params.Context)
	if err != nil {
		return nil, err
	}
	return &mcp.CompleteResult{Completion: details.details()}, nil
}

// completions completes an argument, which may be that of the template of a URI.
func (a *adapter) completions(ctx context.Context, uri, name, value string, known *mcp.CompleteContext) (*completions, error) {
	c := &completions{typed: strings.ToLower(value)}
	switch name {
	case "resource_id":
		return c, a.completeResource(ctx, c)
	case "node_id":
		if known == nil || known.Arguments["resource_id"] == "" {
			return c, nil
		}
		return c, a.completeNode(ctx, c, known.Arguments["resource_id"])
	case "address":
		return c, a.completeAddress(ctx, c, uri, value)
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

// completeAddress completes what follows the scheme in an address: the id of a
// resource, and behind a "#" the selectors of its nodes. If the scheme is typed
// too, as some clients send it, the values have it.
func (a *adapter) completeAddress(ctx context.Context, c *completions, uri, value string) error {
	scheme, rest, typed := strings.Cut(value, "://")
	if !typed {
		rest = value
		scheme, _, _ = strings.Cut(uri, "://")
	}
	add := func(address citekit.Address) {
		if address.Validate() != nil {
			return
		}
		text := address.String()
		if of, after, _ := strings.Cut(text, "://"); of == scheme && typed {
			c.add(text)
		} else if of == scheme {
			c.add(after)
		}
	}
	if id, _, ok := strings.Cut(rest, "#"); ok {
		id, err := url.PathUnescape(id)
		if err != nil {
			return nil // there is nothing to complete
		}
		m, err := a.lib.Map(ctx, id)
		if err != nil {
			return ctx.Err()
		}
		for n := range m.All() {
			add(m.Address(n))
		}
		return ctx.Err()
	}
	all, err := a.catalog.entries(ctx, a.lib)
	if err != nil {
		return err
	}
	for _, e := range all.list {
		add(citekit.Address{Resource: e.id, Location: citekit.Location{Modality: e.modality}})
	}
	return ctx.Err()
}

// completions collects the values that complete a text.
type completions struct {
	typed          string // in lower case
	begin, contain []string
	total          int
	last           string
}

// add adds a value, unless it is that of the call before.
func (c *completions) add(value string) {
	if c.total > 0 && value == c.last {
		return
	}
	at := strings.Index(strings.ToLower(value), c.typed)
	if at < 0 {
		return
	}
	c.total++
	c.last = value
	if at == 0 && len(c.begin) < maxCompletions {
		c.begin = append(c.begin, value)
	} else if at > 0 && len(c.contain) < maxCompletions {
		c.contain = append(c.contain, value)
	}
}

func (c *completions) details() mcp.CompletionResultDetails {
	values := append(c.begin, c.contain...)
	values = append([]string{}, values[:min(len(values), maxCompletions)]...)
	for i := range values {
		values[i], _ = plain.ShowHidden(values[i])
	}
	return mcp.CompletionResultDetails{Values: values, Total: c.total, HasMore: c.total > len(values)}
}
