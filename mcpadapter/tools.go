package mcpadapter

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/stats"
	"github.com/citekit/citekit/internal/strictjson"
	"github.com/citekit/citekit/preview"
)

// An adapter turns calls of tools into calls of a Library.
type adapter struct {
	lib      *citekit.Library
	opts     Options
	previews *preview.Maker
	stats    *stats.Collector
	*interfaces

	served              []tool    // what the server has, before it is narrowed
	resolveWithoutFiles *mcp.Tool // for calls that must not write
}

// An answer is the result of a tool: one JSON object, the text for a model if it
// differs from the JSON, and further content, such as pictures.
type answer struct {
	data   json.RawMessage
	text   string
	more   []mcp.Content
	hidden int // how many characters that cannot be seen are codes in the data already
}

// asJSON returns an answer that is only data. It returns err unchanged.
func asJSON(data json.RawMessage, err error) (answer, error) { return answer{data: data}, err }

// A tool is one of the server's tools.
type tool struct {
	name        string
	title       string
	description string
	parameters  []parameter
	output      *schema       // nil if the data are only in the text, as pictures may follow
	writes      bool          // it may write a file, with the same content at every call
	adds        bool          // it may write maps
	doing       string        // message for a client that follows the call; "" for short calls
	long        bool          // its answers may be megabytes, so few calls are handled at a time
	timeout     time.Duration // zero means none

	call   func(context.Context, arguments) (answer, error)
	follow func(context.Context, arguments, mcpcall.Notifier) (json.RawMessage, error) // instead of call, for tools that report progress
}

func (a *adapter) tools() []tool {
	citedResource := parameter{name: "resource_id", kind: text, description: "From listResources, unless address is given."}
	citedNode := parameter{name: "node_id", kind: text, description: "From getStructure, unless address is given."}
	branch := citedNode
	branch.description = "Only this node and what is below it."
	return []tool{
		{
			name:  "listResources",
			title: "List resources",
			description: "List what can be cited: documents, videos, recordings, images and texts. " +
				"Without arguments, resources has all ids, unless there are too many, and items describe the first; " +
				"with arguments, both are only of what matches. total counts them; next_cursor continues.",
			parameters: []parameter{
				{name: "query", kind: text, longest: maxQuery, description: "Words of id, title or path."},
				{name: "type", kind: text, description: "Such as document."},
				{name: "limit", kind: count, positive: true, greatest: stats.MaxListed, description: "Maximum items."},
				{name: "cursor", kind: text, longest: maxCursor, description: "next_cursor, with the same arguments."},
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
				"A long map shows its upper levels and a hint. " +
				"Pass node_id, depth or cursor for the rest; next_cursor continues.",
			parameters: []parameter{
				citedResource,
				branch,
				{name: "address", kind: text, description: "Instead of resource_id and node_id."},
				{name: "depth", kind: count, description: "Levels below the topmost; 0 is those alone."},
				{name: "cursor", kind: text, longest: maxCursor, description: "next_cursor; empty for the first part."},
				{name: "full", kind: flag, description: "The whole map, however long, for programs."},
				{name: "format", kind: text, choices: []string{formatJSON, formatOutline}, description: "outline: a compact text with ids, titles and places."},
			},
			output:  structureSchema(),
			long:    true,
			timeout: defaultTimeout,
			call:    a.getStructure,
		},
		{
			name:        "getNode",
			title:       "Get a node",
			description: "Get a node of a resource: title, summary, location, ids of its children.",
			parameters: []parameter{citedResource, citedNode,
				{name: "address", kind: text, description: "Of a part: finds its smallest node."}},
			output:  nodeSchema(),
			timeout: defaultTimeout,
			call:    a.getNode,
		},
		{
			name:        "resolve",
			title:       "Resolve a node or an address to evidence",
			description: "Get the evidence for a node, or for an address such as doc://book#pages=12-15: its address, to cite, and a file with exactly that part of the source, at output_path (over HTTP at evidence_url).",
			parameters: []parameter{
				citedResource,
				citedNode,
				{name: "address", kind: text, description: "Instead of resource_id and node_id: pages=3-5,9 for doc://, t=10-20 (seconds) for video:// and audio://, bbox=x1,y1,x2,y2 for image://, lines=10-25 for text://."},
				{name: "virtual", kind: flag, description: "Only the address, at once, without a file or a check of the source."},
				{name: "mode", kind: text, choices: []string{string(citekit.ModeExact), string(citekit.ModeCopy), string(citekit.ModeStrict)},
					description: "Of video and audio. exact: cut at the frame (default); copy: at the key frame before; strict: without hidden frames, which some players show."},
				{name: timeLimit.name, kind: count, description: "Then TIMEOUT, with only the address."},
			},
			output: evidenceSchema(),
			writes: true,
			doing:  "resolving",
			call:   a.resolve,
		},
	}
}

// withoutFiles returns the tool resolve for servers and calls that write no
// files.
func (t tool) withoutFiles() tool {
	t.writes = false
	t.description = "Get the evidence for a node, or for an address such as doc://book#pages=12-15: its address, to cite. " +
		"No file is written, and output_path is null."
	t.parameters = slices.Clone(t.parameters)
	for i := range t.parameters {
		if t.parameters[i].name == "virtual" {
			t.parameters[i].description = "Always true here."
		}
	}
	return t
}

// annotations describes what a call may change. A read-only tool needs no further
// hint. resolve only adds a file and never changes another, so it is not
// read-only, but can be repeated without harm.
func (t tool) annotations() *mcp.ToolAnnotations {
	no := false
	hints := &mcp.ToolAnnotations{ReadOnlyHint: !t.writes && !t.adds, OpenWorldHint: &no}
	if !hints.ReadOnlyHint {
		hints.DestructiveHint, hints.IdempotentHint = &no, true
	}
	return hints
}

func (t tool) definition() *mcp.Tool {
	var output any // a nil json.RawMessage would be encoded
	if t.output != nil {
		output = t.output.raw()
	}
	return &mcp.Tool{
		Name:         t.name,
		Title:        t.title,
		Description:  t.description,
		InputSchema:  inputSchema(t.parameters).raw(),
		OutputSchema: output,
		Annotations:  t.annotations(),
	}
}

// handler decodes the arguments, calls the tool within its time limit, and
// encodes the result.
func (a *adapter) handler(t tool) mcp.ToolHandler {
	usual := t.timeout
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		start, t := time.Now(), t
		t.timeout = a.timeout(a.gate(a.called(t.name)), usual)
		answer, err := a.invoke(ctx, t, req)
		if err == nil {
			answer.data = a.withLinks(mcpcall.CallerOf(mcpcall.ExtraOf(ctx, req)), t.name, answer.data)
			answer = answer.visible()
			answer.data = strictjson.Plain(answer.data)
			err = answer.checkSize()
		}
		a.log(ctx, t.name, time.Since(start), err)
		if err != nil {
			return failure(t.name, a.advise(ctx, a.sayWhereNow(ctx, err))), nil
		}
		return success(answer, t.output != nil && takesStructure(req.Session)), nil
	}
}

// timeout returns how long a call of a tool may take.
func (a *adapter) timeout(tool string, usual time.Duration) time.Duration {
	timeouts := a.opts.Timeouts
	if a.opts.Adjust != nil {
		timeouts = a.opts.Adjust().Timeouts
	}
	if timeout, ok := timeouts[tool]; ok {
		return timeout
	}
	return usual
}

func (a *adapter) invoke(ctx context.Context, t tool, req *mcp.CallToolRequest) (answer, error) {
	args, err := decodeArguments(req.Params.Arguments, t.parameters)
	if err != nil {
		return answer{}, err
	}
	ctx = mcpcall.WithCaller(ctx, mcpcall.CallerOf(mcpcall.ExtraOf(ctx, req)))
	a.fromRoots(ctx, args)
	if err := checkResourceID(args); err != nil && !a.readPath(ctx, t, args) {
		if meant := a.addressesMeant(ctx, args.text("resource_id")); meant != "" {
			err = badArgument("%s; did you mean address %s?", err, meant)
		}
		return answer{}, err
	}
	start, limit := time.Now(), t.limitFor(args)
	ctx, cancel := limit.start(ctx)
	defer cancel()
	result, err := a.dispatch(ctx, t, args, req)
	if missing := new(citekit.NotFoundError); errors.As(err, &missing) && (args.readCodes() || a.readPath(ctx, t, args)) {
		if again, err := a.dispatch(ctx, t, args, req); err == nil {
			return again, nil
		}
	}
	return result, limit.explain(err, time.Since(start))
}

// readCodes puts the characters of codes into the ids, as [plain.ShowHidden] shows
// ids that have characters that cannot be seen. It reports whether there were any.
func (a arguments) readCodes() (changed bool) {
	for _, name := range []string{"node_id", "address"} {
		if raw := plain.ReadCodes(a.text(name)); raw != a.text(name) {
			a[name], changed = raw, true
		}
	}
	return changed
}

// dispatch calls the tool.
func (a *adapter) dispatch(ctx context.Context, t tool, args arguments, req *mcp.CallToolRequest) (answer, error) {
	if t.follow != nil {
		return asJSON(t.follow(ctx, args, mcpcall.NotifierFor(ctx, req)))
	}
	if t.doing != "" {
		reporting, done := mcpcall.ReportProgress(ctx, req, a.opts.Heartbeat, t.doing)
		defer done()
		ctx = reporting
	}
	return t.call(ctx, args)
}

// asArgument turns a syntax error of the request into an error about an argument.
func asArgument(err error) error {
	if errors.Is(err, citekit.ErrSyntax) {
		return inputError(withoutSyntax(err))
	}
	return err
}

// log records how a call ended. It leaves out the text of errors that the caller
// caused, as they repeat the caller's input, such as a query.
func (a *adapter) log(ctx context.Context, tool string, took time.Duration, err error) {
	level, attrs := slog.LevelDebug, []slog.Attr{slog.String("tool", tool), slog.String("request_id", mcpcall.RequestID(ctx)), slog.Float64("ms", float64(took.Round(time.Microsecond))/1e6)}
	if err != nil {
		code := citekit.CodeOf(err)
		attrs = append(attrs, slog.String("code", string(code)))
		level = slog.LevelInfo
		if code == message.CodeInternal {
			level = slog.LevelError
			attrs = append(attrs, slog.String("error", printable(err.Error())))
		}
	}
	a.opts.Logger.LogAttrs(ctx, level, "tool call", attrs...)
}

func (a *adapter) getNode(ctx context.Context, args arguments) (answer, error) {
	var n *citekit.Node
	resource, node, err := a.placeOf(ctx, args)
	switch {
	case err == nil && node == nil:
		err = badArgument("argument 'node_id' is missing; give resource_id and node_id, or the address of a part")
	case err == nil:
		n, err = a.lib.Node(ctx, resource, *node)
	}
	if err != nil {
		return answer{}, err
	}
	defer ctxio.Time(ctx, ctxio.PhaseEncode)()
	return asJSON(encodeNode(n))
}
