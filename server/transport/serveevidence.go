package transport

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/mcpcall"
)

// The errors of links. If this server did not sign a link, the error reveals
// nothing more.
var (
	refusedAddress = &refusal{http.StatusNotFound, "There is nothing here. Links to evidence come from resolve."}
	refusedTicket  = &refusal{http.StatusForbidden, "This link is not valid. Call resolve for a new one."}
	refusedUser    = &refusal{http.StatusForbidden, "This link was given to another user. Call resolve for one of your own."}
	refusedGone    = &refusal{http.StatusGone, "The evidence is not kept any more. Call resolve to have it made again."}
	refusedNow     = &refusal{http.StatusServiceUnavailable, "The evidence cannot be read now. Try again later."}
)

// ServeHTTP implements [http.Handler]: it answers GET and HEAD of a link, with
// ranges. If [auth.TokenInfoFromContext] returns an authenticated user, a link
// that was given to another user is refused.
func (l *EvidenceLinks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, &refusal{http.StatusMethodNotAllowed, "Links to evidence answer GET and HEAD."})
		return
	}
	t, err := l.check(r)
	if err != nil {
		refuse(w, err)
		return
	}
	content, stored, err := l.open(r.Context(), t)
	if err != nil {
		refuse(w, err)
		return
	}
	defer content.Close()
	describe(w.Header(), stored)
	w.Header().Set("Cache-Control", "private, max-age="+strconv.Itoa(int(t.expires.Sub(l.now()).Seconds())))
	p := newPatient(w)
	http.ServeContent(p, r, "", time.Time{}, content)
	p.end()
}

// behind returns a handler that authenticates clients that send credentials, so
// that links of other users are refused. Without credentials, the link alone is
// enough. Authenticate may be nil.
func behind(links http.Handler, authenticate func(http.Handler) http.Handler) http.Handler {
	if authenticate == nil {
		return links
	}
	known := authenticate(links)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			known.ServeHTTP(w, r)
			return
		}
		links.ServeHTTP(w, r)
	})
}

// refuse answers a request that gets no evidence.
func refuse(w http.ResponseWriter, err error) {
	var r *refusal
	if !errors.As(err, &r) {
		r = refusedNow
	}
	w.Header().Set("Cache-Control", "no-store")
	if r == refusedNow {
		w.Header().Set("Retry-After", retryAfter)
	}
	http.Error(w, r.message, r.status)
}

// check returns the ticket of a link if the link is valid now.
func (l *EvidenceLinks) check(r *http.Request) (ticket, error) {
	hash, ok := strings.CutPrefix(r.URL.Path, evidencePath)
	if !ok || !isHash(hash) {
		return ticket{}, refusedAddress
	}
	key, err := l.checkingKey(r.Context())
	if errors.Is(err, fs.ErrNotExist) {
		return ticket{}, refusedTicket
	}
	if err != nil {
		return ticket{}, err
	}
	text, ok := ticketOf(r.URL)
	if !ok {
		return ticket{}, refusedTicket
	}
	t, ok := openTicket(key, hash, text)
	switch {
	case !ok:
		return ticket{}, refusedTicket
	case !l.now().Before(t.expires):
		return ticket{}, &refusal{http.StatusGone, "This link worked until " + t.expires.Format(time.RFC3339) + ". Call resolve for a new one."}
	case t.user != [userTagSize]byte{} && !isFor(t, key, auth.TokenInfoFromContext(r.Context())):
		return ticket{}, refusedUser
	}
	return t, nil
}

// ticketOf returns the ticket in a link, if there is one.
func ticketOf(u *url.URL) (string, bool) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil || len(query[ticketParameter]) != 1 {
		return "", false
	}
	return query.Get(ticketParameter), true
}

// isFor reports whether a caller may use a ticket that was given to a user. The
// link alone is enough, unless the caller authenticated as another user.
func isFor(t ticket, key []byte, info *auth.TokenInfo) bool {
	return info == nil || info.UserID == "" || userTag(key, info.UserID) == t.user
}

// open opens the evidence of a ticket, which must still be what the link was made
// for.
func (l *EvidenceLinks) open(ctx context.Context, t ticket) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	opener, ok := l.lib.Workspace().(citekit.EvidenceOpener)
	if !ok {
		return nil, nil, refusedGone
	}
	content, stored, err := opener.OpenEvidence(ctx, t.storeKey())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, refusedGone
	}
	if err != nil {
		return nil, nil, err
	}
	if stored.SHA256 != t.hash() {
		content.Close()
		return nil, nil, refusedGone
	}
	return content, stored, nil
}

// The content security policies for evidence that a browser shows: they allow
// nothing, or only what the browser's own viewers of pictures, sound and video
// need. Browsers show no PDF in a sandbox.
const (
	policyOfData  = "sandbox; default-src 'none'"
	policyOfMedia = "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'"
	policyOfPDF   = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'"
)

// describe sets the headers of evidence. Types not known to be harmless in a
// browser are sent as downloads, and source code that a browser would run as
// plain text.
func describe(h http.Header, stored *citekit.StoredEvidence) {
	kind, parameters := mcpcall.ServedType(stored)
	h.Set("Content-Type", mime.FormatMediaType(kind, parameters))
	disposition, policy := "attachment", policyOfData
	switch major, _, _ := strings.Cut(kind, "/"); {
	case kind == "application/pdf":
		disposition, policy = "inline", policyOfPDF
	case major == "image" && kind != "image/svg+xml", major == "audio", major == "video":
		disposition, policy = "inline", policyOfMedia
	case kind == "text/plain":
		disposition = "inline"
	}
	h.Set("Content-Disposition", dispositionOf(disposition, stored.Name))
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // anyone with the link may show it
	h.Set("ETag", `"`+stored.SHA256+`"`)
}

// dispositionOf returns a Content-Disposition with a file name. Programs that do
// not know the encoded form get the name with underscores for unusual characters.
func dispositionOf(disposition, name string) string {
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' || r == '%' {
			return '_'
		}
		return r
	}, name)
	value := disposition + `; filename="` + plain + `"`
	if plain != name {
		value += "; filename*=UTF-8''" + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
	}
	return value
}

// stallTime is how long a client may take to read the next part of evidence.
const stallTime = 30 * time.Second

// A patientWriter is a response that may take any time as long as the client keeps
// reading.
type patientWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func newPatient(w http.ResponseWriter) patientWriter {
	return patientWriter{w, http.NewResponseController(w)}
}

// Write implements [io.Writer].
func (p patientWriter) Write(data []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(stallTime)) // if the writer supports deadlines
	return p.ResponseWriter.Write(data)
}

// end sends the rest, and removes the deadline for the next request.
func (p patientWriter) end() {
	if p.control.SetWriteDeadline(time.Now().Add(stallTime)) == nil {
		_ = p.control.Flush()
		_ = p.control.SetWriteDeadline(time.Time{})
	}
}

// Unwrap is for [http.ResponseController].
func (p patientWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }
