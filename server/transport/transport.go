package transport

import (
	"encoding/json"
	"slices"
	"strings"

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
	Lookup   bool   // as in [Call.Lookup]
	Writes   bool   // as in [Call.Writes]
	Long     bool   // its answer may be megabytes, so few are made at a time
}

// noTools are those of a server of which nothing is known.
type noTools struct{}

func (noTools) Tool(name string, _ json.RawMessage) ToolCall {
	if name != "" {
		name = other
	}
	return ToolCall{Name: name}
}

func (noTools) Resource(string) string { return "" }

// methods are the protocol methods that clients call.
var methods = []string{
	"initialize", "server/discover", "ping", "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read",
	"resources/subscribe", "resources/unsubscribe", "subscriptions/listen", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel",
}

// other replaces names that callers made up.
const other = "other"

func knownMethod(method string) string {
	if slices.Contains(methods, method) {
		return method
	}
	return other
}

func isNotification(method string) bool {
	name, ok := strings.CutPrefix(method, "notifications/")
	return ok && name != ""
}

const (
	maxMessage = 2000 // bytes of an error message
	maxQuoted  = 100  // bytes of a name in a message
)

// printable returns s on one line and shortened, without characters that cannot be
// seen.
func printable(s string) string { return plain.ShowLine(s, maxMessage) }

// quote returns s in quotes, on one line and shortened.
func quote(s string) string { return "'" + printable(plain.Shorten(s, maxQuoted)) + "'" }
