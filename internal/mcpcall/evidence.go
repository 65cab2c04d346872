package mcpcall

import (
	"cmp"
	"mime"
	"strings"

	"github.com/citekit/citekit"
)

// ServedType returns the media type with which evidence is served: of markup that a
// browser may run it is plain text.
func ServedType(stored *citekit.StoredEvidence) (kind string, parameters map[string]string) {
	kind, parameters, err := mime.ParseMediaType(stored.MediaType)
	if err != nil {
		return "application/octet-stream", nil
	}
	if isMarkup(kind) {
		kind = "text/plain"
	}
	if !strings.HasPrefix(kind, "text/") {
		return kind, nil
	}
	charset := cmp.Or(stored.Charset, parameters["charset"])
	if charset == "" {
		return kind, nil
	}
	return kind, map[string]string{"charset": charset}
}

// isMarkup reports whether a browser may run scripts in text of a media type.
func isMarkup(kind string) bool {
	switch kind {
	case "text/html", "text/xml", "application/xml", "application/xhtml+xml", "text/xsl":
		return true
	}
	return strings.Contains(kind, "javascript") || strings.Contains(kind, "ecmascript")
}
