package mcpadapter

import (
	"net/http"
	"time"

	"github.com/citekit/citekit"
)

// evidencePath begins the path of every link to evidence; the SHA-256 of the
// evidence follows.
const evidencePath = "/evidence/"

// LinkOptions configures [EvidenceLinks]. The zero value is ready to use.
type LinkOptions struct {
	// BaseURL is what links begin with, such as https://cite.example; ""
	// means the host that the client called.
	BaseURL string

	// Lifetime is how long a link works; zero means 15 minutes.
	Lifetime time.Duration

	// Key signs the links: at least 32 bytes. Servers that answer for one
	// another need the same. Nil means one that the workspace keeps, which is
	// made when it is first needed.
	Key []byte
}

// EvidenceLinks gives clients elsewhere links to evidence, and serves them: each
// is signed and works for a while, for one piece of evidence. Nothing is ever
// served by path. Make it with [NewEvidenceLinks].
type EvidenceLinks struct {
	lib  *citekit.Library
	opts LinkOptions
}

// NewEvidenceLinks returns links to the evidence of lib. A nil opts means the
// defaults.
func NewEvidenceLinks(lib *citekit.Library, opts *LinkOptions) *EvidenceLinks {
	l := &EvidenceLinks{lib: lib}
	if opts != nil {
		l.opts = *opts
	}
	return l
}

// ServeHTTP implements [http.Handler].
func (l *EvidenceLinks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	http.Error(w, "no such evidence", http.StatusNotFound)
}
