// Package mcpcall is what is known of a call to a server of the Model Context Protocol
// while it runs: who called ([Caller]), with which rights ([GrantOf]), its id and times
// ([Describe]), its progress ([Announce]), and what its caller holds ([Shares]). Package
// mcpadapter makes servers and package transport serves them; both need it, and no
// other program does.
package mcpcall

import (
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/plain"
)

// methods are the protocol methods that clients call.
var methods = []string{
	"initialize", "server/discover", "ping", "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read",
	"resources/subscribe", "resources/unsubscribe", "subscriptions/listen", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel",
}

// Other replaces names that callers made up.
const Other = "other"

// KnownMethod returns the name of a method for logs, or [Other].
func KnownMethod(method string) string {
	if slices.Contains(methods, method) {
		return method
	}
	return Other
}

// IsNotification reports whether a method is that of a message without an answer.
func IsNotification(method string) bool {
	name, ok := strings.CutPrefix(method, "notifications/")
	return ok && name != ""
}

const maxMessage = 2000 // bytes of an error message

// Printable returns s on one line and shortened, without characters that cannot be
// seen.
func Printable(s string) string { return plain.ShowLine(s, maxMessage) }
