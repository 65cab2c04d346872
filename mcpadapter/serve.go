package mcpadapter

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/strictjson"
	"github.com/citekit/citekit/mcpadapter/internal/apps"
	"github.com/citekit/citekit/server/transport"
)

// ServeStdio runs a server over a pair of streams, usually [os.Stdin] and [os.Stdout].
// See [transport.StreamTransport.Serve], which one with other dialects needs itself: see
// [ToolsOf].
func ServeStdio(ctx context.Context, server *mcp.Server, stdin io.Reader, stdout io.Writer) error {
	return (&transport.StreamTransport{Reader: stdin, Writer: stdout, Tools: Tools()}).Serve(ctx, server)
}

// NewHandler returns a handler that serves server over HTTP, as [transport.NewHandler]
// does for any server. A server with other dialects needs Tools in the options: see
// [ToolsOf].
func NewHandler(server *mcp.Server, opts *transport.HandlerOptions) *transport.Handler {
	var o transport.HandlerOptions
	if opts != nil {
		o = *opts
	}
	if o.Tools == nil {
		o.Tools = Tools()
	}
	return transport.NewHandler(server, &o)
}

// Tools returns what says of the calls of the servers of this package what they do, for the
// options of package transport.
func Tools() transport.Tools { return knownTools{} }

type knownTools struct{}

// Tool implements [transport.Tools].
func (knownTools) Tool(name string, arguments json.RawMessage) transport.ToolCall {
	set := toolsets.Of(name)
	call := transport.ToolCall{
		Name: name, Resource: resourceNamed(arguments), Lookup: isLookup(name, arguments),
		Writes: set.Writes, Long: slices.Contains(longTools(), name),
	}
	if name != "" && set.Name == "" && name != apps.Tool {
		call.Name = "other"
	}
	return call
}

// Resource implements [transport.Tools].
func (knownTools) Resource(uri string) string { return resourceOf(uri) }

// longTools returns the names of the tools whose answers may be megabytes.
var longTools = sync.OnceValue(func() (names []string) {
	for _, t := range new(adapter).everyTool() {
		if t.long {
			names = append(names, t.name)
		}
	}
	return names
})

// isLookup reports whether a tool answers from maps, without returning a whole
// one.
func isLookup(tool string, arguments json.RawMessage) bool {
	switch tool {
	case "listResources", "getNode", "ingestStatus":
		return true
	case "getStructure":
		list, _ := strictjson.Members(arguments)
		return !slices.ContainsFunc(list, func(m strictjson.Member) bool { return m.Key == "full" && string(m.Value) != "false" })
	}
	return false
}

// resourceNamed returns the id of the resource that arguments name, or "".
func resourceNamed(arguments json.RawMessage) string {
	list, err := strictjson.Members(arguments)
	if err != nil {
		return ""
	}
	for _, m := range list {
		text, err := strictjson.Unquoted(m.Value)
		if err != nil {
			continue
		}
		switch m.Key {
		case "resource_id":
			if citekit.CheckResourceID(text) == nil {
				return text
			}
		case "address":
			if address, err := citekit.ParseAddress(text); err == nil {
				return address.Resource
			}
		}
	}
	return ""
}

// resourceOf returns the id of the resource in a URI, or "".
func resourceOf(uri string) string {
	if id, _, err := idsOf(uri); err != nil || id != "" {
		return id
	}
	address, err := citekit.ParseAddress(uri)
	if err != nil {
		return ""
	}
	return address.Resource
}
