package transport

import (
	"encoding/json"

	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/plain"
)

// Tools says what calls of a server do, before they run. Package mcpadapter has that of
// its servers. Its methods must be safe for concurrent use.
type Tools interface {
	// Tool returns what a call of a tool with some arguments does.
	Tool(name string, arguments json.RawMessage) ToolCall

	// Resource returns the id of the resource that the URI of a protocol resource
	// names, or "".
	Resource(uri string) string
}

// A ToolCall is what a call of a tool does. The zero value is that of an unknown tool,
// but for its name.
type ToolCall struct {
	Name     string // as in [Call.Tool]
	Resource string // as in [Call.Resource]

	// Workspace is the workspace that the arguments name, "" if they name none. It is
	// that of the call if its caller may see it; see [Call.Workspace].
	Workspace string

	Lookup bool // as in [Call.Lookup]
	Writes bool // as in [Call.Writes]
	Long   bool // its answer may be megabytes, so few are made at a time
}

// noTools are those of a server of which nothing is known.
type noTools struct{}

func (noTools) Tool(name string, _ json.RawMessage) ToolCall {
	if name != "" {
		name = mcpcall.Other
	}
	return ToolCall{Name: name}
}

func (noTools) Resource(string) string { return "" }

// maxQuoted is how many bytes of a name a message has.
const maxQuoted = 100

// quote returns s in quotes, on one line and shortened.
func quote(s string) string { return "'" + mcpcall.Printable(plain.Shorten(s, maxQuoted)) + "'" }
