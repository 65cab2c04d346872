package transport

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/strictjson"
)

// traceparentKey is the name, in "_meta" and HTTP, of the caller's place in a
// trace. Its value has the format of W3C Trace Context in both.
const traceparentKey = "traceparent"

// trace sets the caller's span of a call: the one that "_meta" names, else the
// one of the HTTP request, which may carry several calls.
func (c *Call) trace(meta json.RawMessage, header http.Header) {
	if len(meta) > 0 {
		list, _ := strictjson.Members(meta)
		for _, m := range list {
			if m.Key == traceparentKey {
				c.Traceparent, _ = strictjson.Unquoted(m.Value)
			}
		}
	}
	if !validTraceparent(c.Traceparent) {
		c.Traceparent = ""
		if values := header[http.CanonicalHeaderKey(traceparentKey)]; len(values) == 1 && validTraceparent(values[0]) {
			c.Traceparent = values[0]
		}
	}
}

// validTraceparent reports whether a text is a traceparent: a version, the ids of
// a trace and a span, and flags, in lower-case hexadecimal digits. Anything that
// versions after 00 append must only satisfy the rules for request ids.
func validTraceparent(text string) bool {
	const length = 55 // bytes
	if len(text) < length || text[2] != '-' || text[35] != '-' || text[52] != '-' {
		return false
	}
	version, trace, span, flags := text[:2], text[3:35], text[36:52], text[53:length]
	for _, digits := range []string{version, trace, span, flags} {
		if strings.Trim(digits, "0123456789abcdef") != "" {
			return false
		}
	}
	if version == "ff" || strings.Trim(trace, "0") == "" || strings.Trim(span, "0") == "" {
		return false
	}
	rest := text[length:]
	return rest == "" || version != "00" && rest[0] == '-' && mcpcall.ValidRequestID(text)
}
