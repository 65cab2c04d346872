package transport

import (
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/mcpcall"
)

// Identify returns the info that tells a [Handler] who calls, with which rights,
// and which of several workspaces. [HandlerOptions.Authenticate] should make
// [auth.RequireBearerToken] put the result into the context of a request. A
// caller has separate sessions and links in each workspace.
//
// A header of the request often selects the workspace. If the grant does not
// include that workspace, answer with an error that does not reveal whether it
// exists, as package server does.
//
// The grant leaves out tools in the same way as request headers do: see the
// package comment. It also leaves out protocol resources: the map of a resource
// needs the tool getStructure, a node getNode, an address resolve or getContents,
// and their list and completion listResources or getStructure.
func Identify(grant *access.Grant, workspace string) *auth.TokenInfo {
	return mcpcall.Identify(grant, workspace)
}

// A Hosted is one of the servers of a handler.
type Hosted struct {
	Server *mcp.Server
	Links  *EvidenceLinks // as in the Options of the server; may be nil
}

// NewWorkspacesHandler returns a handler for several servers, by the name of the
// workspace. [Identify] names the workspace of a caller; a caller whose grant
// does not include it finds no server. A nil opts means the defaults.
// [HandlerOptions.Links] is ignored.
func NewWorkspacesHandler(all map[string]Hosted, opts *HandlerOptions) *Handler {
	o := opts.withDefaults()
	o.Links = nil
	h := newHandler(&o, func(r *http.Request) *mcp.Server {
		grant, workspace := mcpcall.GrantOf(auth.TokenInfoFromContext(r.Context()))
		if grant == nil || !grant.Has(workspace) {
			return nil
		}
		return all[workspace].Server
	})
	var links severalLinks
	for _, hosted := range all {
		hosted.Server.AddReceivingMiddleware(h.followSessions)
		if hosted.Links != nil {
			links = append(links, hosted.Links)
		}
	}
	if links != nil {
		h.mux.Handle(evidencePath, h.counted(behind(h.gated(links), o.Authenticate)))
	}
	return h
}

// severalLinks are the links of several workspaces. A link does not name its
// workspace: its signature decides.
type severalLinks []*EvidenceLinks

// ServeHTTP implements [http.Handler].
func (s severalLinks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.signer(r).ServeHTTP(w, r)
}

func (s severalLinks) origin(r *http.Request) origin { return s.signer(r).origin(r) }

// signer returns the links that signed the link of a request. If none did, it
// returns the first, which reports the fault. It always asks all of them.
func (s severalLinks) signer(r *http.Request) *EvidenceLinks {
	signer := s[0]
	for _, l := range s {
		if _, ok := l.signed(r); ok {
			signer = l
		}
	}
	return signer
}

// signed returns the ticket of a link if l signed it.
func (l *EvidenceLinks) signed(r *http.Request) (ticket, bool) {
	hash, _ := strings.CutPrefix(r.URL.Path, evidencePath)
	text, ok := ticketOf(r.URL)
	if !ok || !isHash(hash) {
		return ticket{}, false
	}
	key, err := l.checkingKey(r.Context())
	if err != nil {
		return ticket{}, false
	}
	return openTicket(key, hash, text)
}

// origin implements evidence.
func (l *EvidenceLinks) origin(r *http.Request) origin {
	t, _ := l.signed(r)
	return t.origin
}

// isHash reports whether text is a SHA-256 in lower-case hex.
func isHash(text string) bool { return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == "" }

// EndCaller ends the sessions of callers and their pending calls, for example
// when their key is revoked.
func (h *Handler) EndCaller(is func(*access.Grant) bool) {
	for _, s := range h.sessions.all() {
		if s.grant != nil && is(s.grant) {
			s.end()
			h.sessions.remove(s)
			go s.close()
		}
	}
}
