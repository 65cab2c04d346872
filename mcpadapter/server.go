package mcpadapter

import (
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/access"
	answers "github.com/citekit/citekit/answer"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/stats"
	"github.com/citekit/citekit/preview"
	"github.com/citekit/citekit/reanchor"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/server/transport"
	"github.com/citekit/citekit/verify"
	"github.com/citekit/citekit/view"
)

// Options configures a server. The zero value is ready to use.
type Options struct {
	Name    string // of the server, as clients show it; "" means "citekit"
	Version string // of the server; "" means the version of this module

	// Timeouts gives the longest time a call of a tool of this package may take,
	// by tool name. Those without an entry have 30 seconds, except resolve, which
	// only the Library limits, and ingest, which answers after
	// IngesterOptions.AnswerWithin. A negative time means no limit. What a call may
	// do is bounded by counts of work, so that its answer does not depend on the
	// machine; the time is for storage and programs that hang.
	Timeouts map[string]time.Duration

	// Adjust, if not nil, is called at each request and returns the settings that
	// apply now. It must return quickly and be safe for concurrent use.
	Adjust func() Adjustment

	// PageBytes is about how many bytes getStructure and listResources answer with,
	// unless getStructure is asked for the full map: longer maps and lists come in
	// parts. Zero means 12,000, or about 4,000 tokens, for a map, and 60,000 for a
	// list, which is about as much as clients show to a model.
	PageBytes int

	// Heartbeat is the time between the reports that a resolve is still running,
	// for clients that ask for its progress; zero means 5 seconds.
	Heartbeat time.Duration

	// Searcher, if not nil, lets agents search: the server then has the tools
	// search and findSimilar. It must be over the same library. The server does
	// not own it.
	Searcher *search.Searcher

	// Contents, if not nil, lets agents read texts and look at pictures without
	// opening files: the server then has the tool getContents. It must be over
	// the same library.
	Contents *contents.Reader

	// Reanchorer, if not nil, finds the new place of an address that pins a
	// version which the source no longer has. The error of a stale address then
	// gives that place, with a confidence. It must be over the same library.
	Reanchorer *reanchor.Reanchorer

	// Briefing, if not nil, gathers evidence for a task: the server then has the
	// tool getContext. It must be over the same library.
	Briefing *contents.Briefer

	// Answerer, if not nil, answers questions: the server then has the tool
	// answer. It must be over the same library.
	Answerer *answers.Answerer

	// Verifier, if not nil, checks quotes and answers against their sources: the
	// server then has the tool verify. It must be over the same library.
	Verifier *verify.Verifier

	// Viewer, if not nil, shows evidence to people in clients that can show pages of
	// MCP Apps: for them the tools name a page, which calls one more tool for those who
	// may call getContents. It must be over the same library.
	Viewer *view.Viewer

	// Ingester, if not nil, lets agents make maps of files inside the roots of
	// the workspace: the server then has the tools ingest and ingestStatus. It
	// must be over the same library. The server does not own it.
	Ingester *Ingester

	// Dialects are the interfaces that the server offers. Nil means that of this package
	// alone, which a Dialect with the name [Native] stands for: without one the tools,
	// resources and prompts of this package are left out. If several have a tool of one
	// name, the first keeps it, and that of another has the name of its dialect and "_"
	// before it; Timeouts, Tools and grants have these names. See [ToolsOf].
	Dialects []Dialect

	// Links, if not nil, gives links to evidence to clients over HTTP, which
	// cannot use paths on this machine. It must be over the same library.
	Links *transport.EvidenceLinks

	// ViewLink, if not nil, returns the link to a page that shows an address with the
	// words of a quote, which may be "", as package viewer has it; "" is none. Hits,
	// citations and evidence then have it as "link", for callers over HTTP.
	ViewLink func(address, quote string) string

	// Toolsets are the groups of tools to offer: read, search and write. Nil
	// means all. A client may narrow them with the header X-MCP-Toolsets.
	Toolsets []string

	// Tools are the names of the tools to offer, from Toolsets. Nil means all. A
	// client may narrow them with the header X-MCP-Tools.
	Tools []string

	// ReadOnly leaves out the tools that make maps, whatever else is chosen, and
	// makes resolve write no evidence files: it then answers as with virtual
	// true, and so does reading an address as a resource. A client may ask for it
	// with the header X-MCP-Readonly.
	ReadOnly bool

	// Watch is how often the server looks for maps that other processes made,
	// changed or deleted, while there are clients to notify. Zero means 2
	// seconds; negative means never.
	Watch time.Duration

	// Logger gets one record for each event. A handler that writes text
	// must escape control characters, as those of log/slog do, and must not
	// write to the standard output, which belongs to the protocol. Nil
	// discards.
	Logger *slog.Logger
}

// An Adjustment has the settings that may change while a server runs. Toolsets,
// Tools and ReadOnly leave out tools that the [Options] offer; Timeouts replace
// those of Options.
type Adjustment struct {
	Timeouts        map[string]time.Duration
	Toolsets, Tools []string
	ReadOnly        bool
}

const (
	defaultTimeout   = 30 * time.Second // less than clients wait, such as 60 s
	defaultMapBytes  = 12_000
	defaultListBytes = 60_000
	defaultHeartbeat = 5 * time.Second
)

func (o *Options) withDefaults() Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.Name == "" {
		opts.Name = "citekit"
	}
	if opts.Version == "" {
		opts.Version = moduleVersion()
	}
	opts.PageBytes = max(opts.PageBytes, 0)
	if opts.Heartbeat <= 0 {
		opts.Heartbeat = defaultHeartbeat
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	return opts
}

// moduleVersion returns the version of this module in the build information, or
// "devel".
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	for _, module := range append(info.Deps, &info.Main) {
		if module.Path == "github.com/citekit/citekit" && module.Version != "" && module.Version != "(devel)" {
			return module.Version
		}
	}
	return "devel"
}

// NewServer returns a server over lib with the tools listResources, getStructure,
// getNode, resolve and info, and those that opts add; opts may choose some of them.
// A nil opts means the defaults. The server does not own lib.
func NewServer(lib *citekit.Library, opts *Options) *mcp.Server {
	a := newAdapter(lib, opts.withDefaults())
	settings := &mcp.ServerOptions{
		Instructions: a.instructions(access.Choice{}),
		Logger:       mcpcall.ForForeign(a.opts.Logger),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	}
	features := a.features(settings)
	server := mcp.NewServer(&mcp.Implementation{Name: a.opts.Name, Version: a.opts.Version}, settings)
	features(server)
	server.AddReceivingMiddleware(
		withoutOutput, mcpcall.Describe, codedErrors(a.opts.Logger), mcpcall.Recover(a.opts.Logger, a.panicked), a.narrow, a.app().Middleware)
	a.served = a.offered()
	a.offerTools(server)
	a.offerDialects(server)
	return server
}

// offerTools offers the tools of this package.
func (a *adapter) offerTools(server *mcp.Server) {
	for _, t := range a.served {
		definition := t.definition()
		definition.Name = a.called(t.name)
		server.AddTool(definition, a.handler(t))
	}
}

// newAdapter returns an adapter of lib. It logs a choice of tools that the other options
// do not allow.
func newAdapter(lib *citekit.Library, opts Options) *adapter {
	if err := opts.Check(); err != nil {
		opts.Logger.Warn("tools that were chosen are not offered", "error", printable(err.Error()))
	}
	all, _ := interfacesOf(opts.Dialects) // checked above
	_ = all.checkSchemas()
	return &adapter{
		lib: lib, opts: opts, interfaces: all, previews: preview.New(lib),
		stats: stats.New(lib, &stats.Options{Version: opts.Version, Searcher: opts.Searcher}),
	}
}

// everyTool returns all tools except those that make maps.
func (a *adapter) everyTool() []tool {
	return append(a.tools(), a.infoTool(), a.searchTool(), a.similarTool(), a.contextTool(), a.answerTool(), a.contentsTool(), a.verifyTool(), a.viewTool())
}

// offered returns the tools that the options provide and choose. It keeps the definition
// of resolve for calls that write no files.
func (a *adapter) offered() []tool {
	if !a.native {
		return nil
	}
	tools := a.everyTool()
	if a.opts.Ingester != nil {
		tools = append(tools, a.opts.Ingester.tools()...)
	}
	if a.opts.Contents != nil {
		tools = withReading(tools)
	}
	chosen := a.choice()
	tools = slices.DeleteFunc(tools, func(t tool) bool { return !a.opts.provides(t.name) || !chosen.Has(a.gate(a.called(t.name))) })
	i := slices.IndexFunc(tools, func(t tool) bool { return t.name == "resolve" })
	if i < 0 {
		return tools
	}
	without := tools[i].withoutFiles()
	a.resolveWithoutFiles = without.definition()
	a.resolveWithoutFiles.Name = a.called(without.name)
	if a.opts.ReadOnly {
		tools[i] = without
	}
	return tools
}
