package mcpadapter

import (
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/strictjson"
)

// definition returns the tool as clients see it, under a name.
func (t dialectTool) definition(name string) *mcp.Tool {
	annotations := t.Annotations
	if annotations == nil {
		annotations = tool{adds: t.Toolset == ToolsetWrite}.annotations()
	}
	var output any // a nil json.RawMessage would be encoded
	if t.Output != nil {
		output = t.Output
	}
	return &mcp.Tool{
		Name: name, Title: t.Title, Description: t.Description,
		InputSchema: t.Input, OutputSchema: output, Annotations: annotations,
	}
}

// usual returns how long a call may take if no option says it.
func (t *DialectTool) usual() time.Duration {
	if t.Timeout == 0 {
		return defaultTimeout
	}
	return t.Timeout
}

// dialectHandler checks the arguments of a tool of a dialect, calls it within its time
// limit, and encodes the result.
func (a *adapter) dialectHandler(name string, t dialectTool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		start, usual := time.Now(), t.usual()
		if t.Streams != nil && req.Params.GetProgressToken() != nil && t.Streams(req.Params.Arguments) {
			usual = 0
		}
		within := limit{serverLimit, a.timeout(name, usual)}
		result, err := a.callDialect(context.WithValue(ctx, calledKey{}, name), t, within, req)
		var shown answer
		if err == nil {
			shown = result.shown()
			err = shown.checkSize()
		}
		a.log(ctx, name, time.Since(start), err)
		if err != nil {
			return a.dialectFailure(ctx, t, err, time.Since(start), within.time, takesStructure(req.Session)), nil
		}
		encoded := success(shown, takesStructure(req.Session))
		encoded.Meta = result.Meta
		return encoded, nil
	}
}

// callDialect calls a tool of a dialect.
func (a *adapter) callDialect(ctx context.Context, t dialectTool, within limit, req *mcp.CallToolRequest) (DialectResult, error) {
	input, err := t.input()
	if err != nil {
		return DialectResult{}, err // cannot happen: the server would not offer it
	}
	args, err := input.arguments(req.Params.Arguments)
	if err != nil {
		return DialectResult{}, err
	}
	ctx = mcpcall.WithCaller(ctx, mcpcall.CallerOf(mcpcall.ExtraOf(ctx, req)))
	ctx, cancel := within.start(ctx)
	defer cancel()
	if t.Doing != "" {
		reporting, done := mcpcall.ReportProgress(ctx, req, a.opts.Heartbeat, t.Doing)
		defer done()
		ctx = reporting
	}
	return t.Call(ctx, args)
}

// shown returns a result as models see it.
func (r DialectResult) shown() answer {
	shown := answer{data: r.Data, text: r.Text, more: r.More}.visible()
	shown.data = strictjson.Plain(shown.data)
	return shown
}

// dialectFailure returns the result of a call that failed.
func (a *adapter) dialectFailure(ctx context.Context, t dialectTool, err error, elapsed, within time.Duration, structured bool) *mcp.CallToolResult {
	f := Failure{Tool: t.Name, Err: err, Code: citekit.CodeOf(err), Elapsed: elapsed, Limit: within}
	f.Message = printable(explain(t.Name, err, f.Code))
	result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Error: " + f.Message + "\nCode: " + string(f.Code)}}}
	if t.dialect.Failed != nil {
		encoded := t.dialect.Failed(ctx, f)
		if shown := encoded.shown(); shown.checkSize() == nil {
			result = success(shown, structured)
			result.Meta = encoded.Meta
		}
	}
	result.IsError = true
	if result.Meta == nil {
		result.Meta = mcp.Meta{}
	}
	result.Meta["code"] = string(f.Code)
	return result
}

// panicked returns the result of a tool whose handler panicked.
func (a *adapter) panicked(name string) mcp.Result {
	err := errors.New("panic")
	if t, ok := a.foreign[name]; ok {
		return a.dialectFailure(context.Background(), t, err, 0, 0, true)
	}
	return failure(name, err)
}

// offerDialects offers the tools, templates and prompts of the dialects.
func (a *adapter) offerDialects(server *mcp.Server) {
	for name, t := range a.foreign {
		if a.choice().Has(name) {
			server.AddTool(t.definition(name), a.dialectHandler(name, t))
		}
	}
	taken := make(map[string]bool)
	if a.native {
		for _, p := range prompts() {
			taken[p.name] = true
		}
	}
	for i := range a.dialects {
		d := &a.dialects[i]
		for _, p := range d.Prompts {
			offered := p.Prompt
			if taken[offered.Name] {
				offered.Name = d.Name + "_" + offered.Name
			}
			taken[offered.Name] = true
			server.AddPrompt(&offered, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				if len(p.Tools) > 0 && !a.mayHave(askedOf(ctx), a.offeredAs(d, p.Tools)) {
					return nil, badArgument("the prompt %s needs a tool that is not offered", offered.Name)
				}
				values, err := checkPrompt(offered.Name, offered.Arguments, req.Params.Arguments)
				if err != nil {
					return nil, err
				}
				ctx, cancel := context.WithTimeout(mcpcall.WithCaller(ctx, mcpcall.CallerOf(mcpcall.ExtraOf(ctx, req))), defaultTimeout)
				defer cancel()
				return p.Get(ctx, values)
			})
		}
	}
}
