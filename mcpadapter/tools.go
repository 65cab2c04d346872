package mcpadapter

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
)

// An adapter turns calls of tools into calls of a Library.
type adapter struct {
	lib  *citekit.Library
	opts Options
}

// A tool is one of the server's tools.
type tool struct {
	name        string
	title       string
	description string
	parameters  []parameter
	output      *jsonschema.Schema
	writes      bool          // it may write a file, the same at every call
	adds        bool          // it may write maps
	long        bool          // its answers may be megabytes: few calls are handled at a time
	timeout     time.Duration // zero means none

	call   func(context.Context, arguments) (json.RawMessage, error)
	follow func(context.Context, arguments, notifier) (json.RawMessage, error) // instead of call, for what has progress of its own
}

func (a *adapter) tools() []tool {
	resource := parameter{name: "resource_id", kind: text, required: true, description: "Resource id, from listResources."}
	node := parameter{name: "node_id", kind: text, required: true, description: "Node id, from getStructure."}
	citedResource, citedNode := resource, node
	citedResource.required, citedNode.required = false, false
	citedResource.description += " With node_id, unless address is given."
	citedNode.description += " With resource_id, unless address is given."
	branch := node
	branch.required = false
	branch.description = "Show only this node and what is below it."
	return []tool{
		{
			name:  "listResources",
			title: "List resources",
			description: "List all resources: the documents, videos, recordings, images and texts that can be cited. " +
				"resources are the ids of all; items say of the first of them type, title, extent and address, and next_cursor continues. " +
				"With a cursor, which may be empty, resources are only those of the items.",
			parameters: []parameter{
				{name: "cursor", kind: text, longest: maxCursor, description: "next_cursor of the previous answer; empty for the first part."},
			},
			output:  resourceListSchema(),
			long:    true,
			timeout: defaultTimeout,
			call:    a.listResources,
		},
		{
			name:  "getStructure",
			title: "Get the structure of a resource",
			description: "Get the map of a resource: a tree of nodes, each with its title, summary and location. " +
				"With only resource_id it is the whole map. For a large one give depth, node_id or cursor: the answer is then cut to a readable size, " +
				"a node of which not all children are shown has child_count, one apart from its parent has parent_id, and next_cursor continues.",
			parameters: []parameter{
				resource,
				branch,
				{name: "depth", kind: count, description: "How many levels to show below the topmost nodes; 0 shows only those."},
				{name: "cursor", kind: text, longest: maxCursor, description: "next_cursor of the previous answer; empty for the first part."},
			},
			output:  structureSchema(),
			long:    true,
			timeout: defaultTimeout,
			call:    a.getStructure,
		},
		{
			name:        "getNode",
			title:       "Get a node",
			description: "Get one node of a resource: its title, summary and location, and the ids of its children.",
			parameters:  []parameter{resource, node},
			output:      nodeSchema(),
			timeout:     defaultTimeout,
			call:        a.getNode,
		},
		{
			name:  "resolve",
			title: "Resolve a node or an address to evidence",
			description: "Get the evidence for a node, or for an address such as doc://book#pages=12-15: its address, for citing, and a file holding exactly that part of the source, at output_path. " +
				"With virtual true there is only the address, at once. The file is written to the server's output directory; nothing else is changed.",
			parameters: []parameter{
				citedResource,
				citedNode,
				{name: "address", kind: text, description: "An address of a part of a resource, in place of resource_id and node_id: pages=3-5,9 of doc://, t=10-20 (seconds) of video:// and audio://, bbox=x1,y1,x2,y2 of image://, lines=10-25 of text://."},
				{name: "virtual", kind: flag, description: "Only the address, no file. Default false."},
				{name: "mode", kind: text, choices: []string{string(citekit.ModeExact), string(citekit.ModeCopy), string(citekit.ModeStrict)},
					description: "How to cut video and audio: exact to the frame (default), copy from the key frame before without re-encoding, or strict for players that show hidden frames."},
			},
			output: evidenceSchema(),
			writes: true,
			call:   a.resolve,
		},
	}
}

func (t tool) definition() *mcp.Tool {
	no := false
	return &mcp.Tool{
		Name:         t.name,
		Title:        t.title,
		Description:  t.description,
		InputSchema:  inputSchema(t.parameters),
		OutputSchema: t.output,
		// resolve adds a file of its own and never touches another, so it
		// is not read-only, but harmless to repeat.
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint:    !t.writes && !t.adds,
			DestructiveHint: &no,
			IdempotentHint:  true,
			OpenWorldHint:   &no,
		},
	}
}

// handler decodes the arguments, calls the tool within its time, and encodes
// what it returns.
func (a *adapter) handler(t tool) mcp.ToolHandler {
	if timeout, ok := a.opts.Timeouts[t.name]; ok {
		t.timeout = timeout
	}
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		start := time.Now()
		if t.timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, t.timeout)
			defer cancel()
		}
		data, err := a.invoke(ctx, t, req)
		if err == nil {
			err = checkSize(data)
		}
		a.log(ctx, t.name, time.Since(start), err)
		if err != nil {
			return failure(t.name, err), nil
		}
		return success(data), nil
	}
}

func (a *adapter) invoke(ctx context.Context, t tool, req *mcp.CallToolRequest) (json.RawMessage, error) {
	args, err := decodeArguments(req.Params.Arguments, t.parameters)
	if err != nil {
		return nil, err
	}
	if err := checkResourceID(args); err != nil {
		return nil, err
	}
	if t.follow != nil {
		return t.follow(ctx, args, notifierFor(ctx, req))
	}
	if t.writes {
		reporting, done := a.reportProgress(ctx, req)
		defer done()
		ctx = reporting
	}
	return t.call(ctx, args)
}

func (a *adapter) log(ctx context.Context, tool string, took time.Duration, err error) {
	level, attrs := slog.LevelDebug, []slog.Attr{slog.String("tool", tool), slog.Duration("took", took)}
	if err != nil {
		code := citekit.CodeOf(err)
		level = slog.LevelInfo
		if code == citekit.CodeInternal {
			level = slog.LevelError
		}
		attrs = append(attrs, slog.String("code", string(code)), slog.String("error", clip(err.Error())))
	}
	a.opts.Logger.LogAttrs(ctx, level, "tool call", attrs...)
}

func (a *adapter) getNode(ctx context.Context, args arguments) (json.RawMessage, error) {
	n, err := a.lib.Node(ctx, args.text("resource_id"), args.text("node_id"))
	if err != nil {
		return nil, err
	}
	return encodeNode(n)
}

func (a *adapter) resolve(ctx context.Context, args arguments) (json.RawMessage, error) {
	opts := &citekit.ResolveOptions{Virtual: args.flag("virtual"), Mode: citekit.Mode(args.text("mode"))}
	resolve := a.resolveNode
	if args.text("address") != "" {
		resolve = a.resolveAddress
	}
	evidence, err := resolve(ctx, args, opts)
	if err != nil {
		return nil, err
	}
	return compact(evidence.MarshalJSON())
}

func (a *adapter) resolveNode(ctx context.Context, args arguments, opts *citekit.ResolveOptions) (*citekit.Evidence, error) {
	for _, name := range []string{"resource_id", "node_id"} {
		if !args.has(name) {
			return nil, badArgument("argument '%s' is missing; give resource_id and node_id, or address", name)
		}
	}
	return a.lib.Resolve(ctx, args.text("resource_id"), args.text("node_id"), opts)
}

// resolveAddress resolves an address. The id of its resource may be given as
// well.
func (a *adapter) resolveAddress(ctx context.Context, args arguments, opts *citekit.ResolveOptions) (*citekit.Evidence, error) {
	address, err := citekit.ParseAddress(args.text("address"))
	if err != nil {
		return nil, inputError(withoutSyntax(err))
	}
	if args.text("node_id") != "" {
		return nil, badArgument("give node_id or address, not both")
	}
	if id := args.text("resource_id"); id != "" && id != address.Resource {
		return nil, badArgument("the address is of resource %s, and resource_id is %s", quote(address.Resource), quote(id))
	}
	evidence, err := a.lib.ResolveAddress(ctx, address, opts)
	if err != nil {
		return nil, addressError{err}
	}
	return evidence, nil
}

// An addressError reports an address that could be parsed and not resolved.
type addressError struct{ error }

func (e addressError) Unwrap() error { return e.error }

func (a *adapter) getStructure(ctx context.Context, args arguments) (json.RawMessage, error) {
	m, err := a.lib.Map(ctx, args.text("resource_id"))
	if err != nil {
		return nil, err
	}
	if !args.has("node_id") && !args.has("depth") && !args.has("cursor") {
		return compact(m.MarshalJSON())
	}
	view, err := viewOf(m, args)
	if err != nil {
		return nil, err
	}
	top := m.Nodes
	if view.NodeID != nil {
		n, err := a.lib.Node(ctx, m.ResourceID, *view.NodeID)
		if err != nil {
			return nil, err
		}
		top = []*citekit.Node{n}
	}
	return encodePage(m, top, view, a.opts.PageBytes)
}
