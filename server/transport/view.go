package transport

import (
	"fmt"
	"net/http"
	"strings"
)

// ViewPath begins the paths of pages for people.
const ViewPath = "/view/"

// A View serves pages for people below [ViewPath], from which browsers call the JSON
// interface in sessions that the pages begin. Package viewer has one.
type View interface {
	// Pages returns the handler of the pages. Authenticate is that of the options, or nil;
	// anonymous reports whether anybody may call.
	Pages(authenticate func(http.Handler) http.Handler, anonymous bool) http.Handler

	// Authorize returns a request of a browser in a session as one with the token of that
	// session, and any other as it is.
	Authorize(r *http.Request) *http.Request

	// Link returns the link to the page of an address, with a quote that may be "", or ""
	// if it is not known how browsers find the server.
	Link(address, quote string) string
}

// maxSignIn bounds the body of a request for pages, in bytes.
const maxSignIn = 4 << 10

// authorized lets browsers call next in the sessions of the pages.
func (h *Handler) authorized(next http.Handler) http.Handler {
	if h.opts.View == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, h.opts.View.Authorize(r))
	})
}

// mountView adds the pages.
func (h *Handler) mountView() {
	pages := h.opts.View.Pages(h.opts.Authenticate, h.opts.Authenticate == nil || h.opts.Anonymous)
	h.mux.HandleFunc(ViewPath, func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength < 0 || r.ContentLength > maxSignIn { // who sends it may be anybody
			h.refuse(w, r, &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body must state its length, at most %d bytes", maxSignIn)})
			return
		}
		_, release, ok := h.readBody(w, r)
		if !ok {
			return
		}
		defer release()
		pages.ServeHTTP(w, r)
	})
	toLibrary := http.RedirectHandler(ViewPath, http.StatusSeeOther)
	h.mux.Handle("GET /{$}", toLibrary)
	h.mux.Handle("GET "+strings.TrimSuffix(ViewPath, "/"), toLibrary)
}
