package mcpadapter

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/mcpadapter/internal/apps"
	"github.com/citekit/citekit/server/transport"
)

// Native is the name of the dialect of this package, for [Options.Dialects].
const Native = "citekit"

// A Dialect is the interface of another server: tools, resources and prompts under the
// names and with the schemas that its clients know. The server checks arguments, limits
// the time of calls, narrows the tools for each caller, and logs, as for its own tools.
// A Dialect must not change once it is in use.
type Dialect struct {
	// Name is the prefix of a tool whose name another dialect has; see
	// [Options.Dialects]. One with the name [Native] and nothing else stands for the
	// tools, resources and prompts of this package.
	Name string

	Tools     []DialectTool
	Resources []DialectResource
	Prompts   []DialectPrompt

	// Instructions tell a model how to use the tools; "" means nothing.
	Instructions string

	// Failed encodes the failure of a call. Nil means the message and the code as text.
	Failed func(context.Context, Failure) DialectResult

	// List returns a page of the resources for resources/list, and the cursor of the
	// next one, which is "" after the last. The first page has the cursor "". Nil means
	// that none are listed.
	List func(ctx context.Context, cursor string) (page []*mcp.Resource, next string, err error)
}

// A DialectTool is a tool of a dialect.
type DialectTool struct {
	Name, Title, Description string

	// Input is the JSON Schema of the arguments, which the server checks before a call,
	// and Output that of the result; nil means that clients are told nothing about it.
	// [Options.Check] reports an Input with keywords that are not checked. Arguments
	// that it does not name are errors, unless additionalProperties allows them.
	Input, Output json.RawMessage

	// Annotations are hints for clients; nil means those that follow from Toolset.
	Annotations *mcp.ToolAnnotations

	// Toolset is [ToolsetRead], [ToolsetSearch] or [ToolsetWrite]. Callers who may not
	// write do not get the tools of the last.
	Toolset string

	// Native is the tool of this package that does the same, "" if none does. Who is
	// offered the one may do by package api what the other does.
	Native string

	Lookup bool // as in [transport.ToolCall]
	Long   bool // as in [transport.ToolCall]

	// Timeout is the longest time of a call, unless [Options.Timeouts] has another;
	// zero means 30 seconds, and a negative time no limit.
	Timeout time.Duration

	// Streams reports whether a call tells a client that follows it what it finds until
	// it ends. Then Timeout is not its limit; for a client that did not ask for progress
	// it is. Nil means that none does.
	Streams func(arguments json.RawMessage) bool

	// Doing is the message for a client that follows a call, such as "answering".
	// With it the client also gets what [mcpcall.Announce] sends. "" is for tools
	// that are done at once.
	Doing string

	// About returns what a call with some arguments is about, before they are checked:
	// the id of a resource and the name of a workspace, if the arguments name them. Nil
	// means that they never do.
	About func(arguments json.RawMessage) (resource, workspace string)

	// Call handles a call. Its arguments are an object in which the defaults of the
	// schema are filled in, nulls left out, and numbers and flags that came as text
	// converted. Errors have the code that [citekit.CodeOf] returns.
	Call func(ctx context.Context, arguments json.RawMessage) (DialectResult, error)
}

type calledKey struct{}

// CalledTool returns the name of the tool of a dialect that a context calls, as it is
// offered, or "".
func CalledTool(ctx context.Context) string {
	name, _ := ctx.Value(calledKey{}).(string)
	return name
}

// A DialectResult is the result of a tool.
type DialectResult struct {
	Data json.RawMessage // one JSON object
	Text string          // for models; "" means Data
	More []mcp.Content   // that follows
	Meta mcp.Meta        // for "_meta" of the result
}

// A Failure is a call that failed.
type Failure struct {
	Tool    string        // its name in the dialect
	Err     error         // may have details that only concern the server
	Code    string        // of Err
	Message string        // of Err, for the caller
	Elapsed time.Duration // since the call began
	Limit   time.Duration // of the call; zero or less means none
}

// A DialectResource is a template of resources of a dialect.
type DialectResource struct {
	Template mcp.ResourceTemplate

	// Prefix begins the URIs; "" means the part of the template before the first
	// variable. If a URI has the prefixes of several, the longest counts.
	Prefix string

	// Tools are the tools of the dialect that give the same content. A caller needs one
	// of them, and the time of the first one is the limit.
	Tools []string

	// About returns the id of the resource that a URI names, or "". Nil means "".
	About func(uri string) string

	// Count returns how many there are, which clients find as "count" in "_meta" of the
	// template. Nil leaves it out.
	Count func(context.Context) (int, error)

	// Read returns the content of a URI.
	Read func(ctx context.Context, uri string) ([]*mcp.ResourceContents, error)
}

func (r *DialectResource) prefix() string {
	before, _, _ := strings.Cut(r.Template.URITemplate, "{")
	return cmp.Or(r.Prefix, before)
}

// A DialectPrompt is a prompt of a dialect.
type DialectPrompt struct {
	Prompt mcp.Prompt

	// Tools are the tools of the dialect that give the same content. A caller needs one
	// of them; if there are none, a prompt is for all.
	Tools []string

	// Get returns the prompt for arguments, which are checked.
	Get func(ctx context.Context, arguments map[string]string) (*mcp.GetPromptResult, error)
}

// An interfaces value is the dialects that a server offers.
type interfaces struct {
	dialects []Dialect
	native   bool                   // with the tools of this package
	names    map[string]string      // names of those tools that are offered under another one
	foreign  map[string]dialectTool // of the others, by the name under which they are offered
	toolsets access.Toolsets        // of all tools, under these names
}

// A dialectTool is a tool of a dialect that is offered.
type dialectTool struct {
	*DialectTool
	dialect *Dialect
	input   func() (*shape, error) // reads the schema once
}

// interfacesOf returns the dialects of a server, which are those of this package alone
// if there are none.
func interfacesOf(dialects []Dialect) (*interfaces, error) {
	if len(dialects) == 0 {
		dialects = []Dialect{{Name: Native}}
	}
	all := &interfaces{dialects: slices.Clone(dialects), names: map[string]string{}, foreign: map[string]dialectTool{}}
	taken, known := map[string]bool{}, map[string]bool{}
	var fault error
	for i := range all.dialects {
		d := &all.dialects[i]
		if known[d.Name] || d.Name == "" {
			fault = cmp.Or(fault, fmt.Errorf("dialect '%s' is given twice, or has no name", d.Name))
			continue
		}
		known[d.Name] = true
		name := func(name string) string {
			if taken[name] {
				name = d.Name + "_" + name
			}
			taken[name] = true
			return name
		}
		if d.Name == Native {
			all.native = true
			for _, tool := range append(ToolNames(), apps.Tool) {
				if as := name(tool); as != tool {
					all.names[tool] = as
				}
			}
		}
		for j := range d.Tools {
			t := &d.Tools[j]
			if !slices.Contains(Toolsets(), t.Toolset) {
				fault = cmp.Or(fault, fmt.Errorf("tool '%s' of dialect %s: unknown toolset '%s'", t.Name, d.Name, t.Toolset))
				continue
			}
			all.foreign[name(t.Name)] = dialectTool{t, d, sync.OnceValues(func() (*shape, error) { return parseShape(d.Name, t.Input) })}
		}
	}
	for _, set := range toolsets {
		of := access.Toolset{Name: set.Name, Writes: set.Writes}
		if all.native {
			for _, tool := range set.Tools {
				of.Tools = append(of.Tools, all.called(tool))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(all.foreign)) {
			if all.foreign[name].Toolset == set.Name {
				of.Tools = append(of.Tools, name)
			}
		}
		all.toolsets = append(all.toolsets, of)
	}
	return all, fault
}

// checkSchemas leaves out the tools whose schema cannot be checked.
func (all *interfaces) checkSchemas() (fault error) {
	for _, name := range slices.Sorted(maps.Keys(all.foreign)) {
		t := all.foreign[name]
		if _, err := t.input(); err != nil {
			fault = cmp.Or(fault, fmt.Errorf("tool '%s' of dialect %s: %w", t.Name, t.dialect.Name, err))
			delete(all.foreign, name)
		}
	}
	return fault
}

// called returns the name under which a tool of this package is offered.
func (all *interfaces) called(tool string) string { return cmp.Or(all.names[tool], tool) }

// callable returns the tools of this package that are called otherwise in other
// packages: names under which they are offered.
func (all *interfaces) callable(tools []string) []string {
	if !all.native {
		return nil
	}
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = all.called(tool)
	}
	return names
}

// meant returns the tool of this package that is offered under a name, or "".
func (all *interfaces) meant(name string) string {
	if _, ok := all.foreign[name]; ok || !all.native {
		return ""
	}
	for tool, as := range all.names {
		if as == name {
			return tool
		}
	}
	if toolsets.Of(name).Name == "" && name != apps.Tool {
		return ""
	}
	return name
}

// resource returns the template of a dialect for a URI and the dialect, or nil.
func (all *interfaces) resource(uri string) (found *DialectResource, of *Dialect) {
	for i := range all.dialects {
		d := &all.dialects[i]
		for j := range d.Resources {
			r := &d.Resources[j]
			if p := r.prefix(); p != "" && strings.HasPrefix(uri, p) && (found == nil || len(p) > len(found.prefix())) {
				found, of = r, d
			}
		}
	}
	return found, of
}

// offeredAs returns the names under which tools of a dialect are offered.
func (all *interfaces) offeredAs(d *Dialect, tools []string) (names []string) {
	for _, tool := range tools {
		for name, t := range all.foreign {
			if t.dialect == d && t.Name == tool {
				names = append(names, name)
			}
		}
	}
	return names
}

// toolsFor returns the tools that give the content of a URI. Any one of them
// suffices.
func (all *interfaces) toolsFor(uri string) []string {
	if r, d := all.resource(uri); r != nil {
		return all.offeredAs(d, r.Tools)
	}
	return all.callable(toolsFor(uri))
}

// listing returns the tools that list ids. Any one of them suffices.
func (all *interfaces) listing() []string {
	names := all.callable(listing)
	for i := range all.dialects {
		names = append(names, all.listingOf(&all.dialects[i])...)
	}
	return names
}

// listingOf is listing for one dialect.
func (all *interfaces) listingOf(d *Dialect) (names []string) {
	for _, r := range d.Resources {
		names = append(names, all.offeredAs(d, r.Tools)...)
	}
	return names
}

// Tool implements [transport.Tools].
func (all *interfaces) Tool(name string, arguments json.RawMessage) transport.ToolCall {
	t, ok := all.foreign[name]
	if !ok {
		call := knownTools{}.Tool(all.meant(name), arguments)
		if call.Name = name; name != "" && all.meant(name) == "" {
			call.Name = "other"
		}
		return call
	}
	call := transport.ToolCall{Name: name, Lookup: t.Lookup, Writes: t.Toolset == ToolsetWrite, Long: t.Long}
	if t.About != nil {
		call.Resource, call.Workspace = t.About(arguments)
	}
	return call
}

// Resource implements [transport.Tools].
func (all *interfaces) Resource(uri string) string {
	if r, _ := all.resource(uri); r != nil {
		if r.About == nil {
			return ""
		}
		return r.About(uri)
	}
	return resourceOf(uri)
}

// ToolsetsOf returns the tools that a server with some dialects may have, under the names
// under which they are offered.
func ToolsetsOf(dialects []Dialect) access.Toolsets {
	all, _ := interfacesOf(dialects) // NewServer reports the error
	return all.toolsets
}

// ToolsOf says what the calls of a server with some options do, for the options of
// package transport. Nil means the defaults.
func ToolsOf(opts *Options) transport.Tools {
	if opts == nil || len(opts.Dialects) == 0 {
		return Tools()
	}
	all, _ := interfacesOf(opts.Dialects) // NewServer reports the error
	return all
}
