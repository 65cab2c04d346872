package mcpadapter

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/access"
)

// The keys of [auth.TokenInfo.Extra] for what [Identify] says.
const (
	grantKey     = "citekit.grant"
	workspaceKey = "citekit.workspace"
)

// Identify returns what tells a [Handler] who calls, with what right and to which
// of several workspaces: what [HandlerOptions.Authenticate] is to have
// [auth.RequireBearerToken] put into the context of a request. A caller has
// sessions and links of its own in each workspace.
//
// The workspace is often what a header of the request asks for. One that the grant
// does not have is served to nobody: answer such a request with an error that does
// not tell whether it exists, as package server does.
//
// The grant leaves out tools as the headers of a request do: see the package
// comment. It also leaves out resources of the protocol: the map of a resource
// needs the tool getStructure, a node getNode, an address resolve or getContents,
// and their list and completion listResources or getStructure.
func Identify(grant *access.Grant, workspace string) *auth.TokenInfo {
	return &auth.TokenInfo{
		UserID: grant.ID + "@" + workspace, Expiration: grant.Expires,
		Extra: map[string]any{grantKey: grant, workspaceKey: workspace},
	}
}

// grantOf returns what [Identify] said: nil and "" if it said nothing.
func grantOf(info *auth.TokenInfo) (*access.Grant, string) {
	if info == nil {
		return nil, ""
	}
	grant, _ := info.Extra[grantKey].(*access.Grant)
	workspace, _ := info.Extra[workspaceKey].(string)
	return grant, workspace
}

// granted returns the choice of tools that the caller of a request has by its
// grant.
func granted(ctx context.Context, req mcp.Request) choice {
	extra := extraOf(ctx, req)
	if extra == nil {
		return choice{}
	}
	grant, _ := grantOf(extra.TokenInfo)
	if grant == nil {
		return choice{}
	}
	return choice{toolsets: grant.Toolsets, tools: grant.Tools, readOnly: grant.ReadOnly}
}

// checkFeature returns an error for what is beside the tools if a grant leaves out
// the tools that give the same.
func (c choice) checkFeature(req mcp.Request) error {
	switch req := req.(type) {
	case *mcp.ReadResourceRequest:
		if !c.hasAny(toolsFor(req.Params.URI)...) {
			return missingAs(noResource(req.Params.URI), req)
		}
	case *mcp.SubscribeRequest:
		if !c.hasAny(toolsFor(req.Params.URI)...) {
			return featureError("resources/subscribe", noResource(req.Params.URI), citekit.CodeNotFound)
		}
	case *mcp.SubscriptionsListenRequest:
		if req.Params.Notifications == nil {
			return nil // the SDK says that they are missing
		}
		for _, uri := range req.Params.Notifications.ResourceSubscriptions {
			if !c.hasAny(toolsFor(uri)...) {
				return featureError(listenMethod, noResource(uri), citekit.CodeNotFound)
			}
		}
	}
	return nil
}

// noResource returns the error for a resource that there is not.
func noResource(uri string) error {
	return &citekit.NotFoundError{Kind: "resource", ID: cmp.Or(resourceOf(uri), uri)}
}

// toolsFor returns the tools that give what is read at a URI. Any one is enough.
func toolsFor(uri string) []string {
	switch {
	case strings.HasPrefix(uri, nodeURI):
		return []string{"getNode", "getStructure"}
	case strings.HasPrefix(uri, "citekit://"):
		return []string{"getStructure"}
	}
	return []string{"resolve", "getContents"}
}

// listing are the tools that list ids. Any one is enough.
var listing = []string{"listResources", "getStructure"}

func (c choice) hasAny(tools ...string) bool {
	for _, tool := range tools {
		if c.has(tool) {
			return true
		}
	}
	return false
}

// A Hosted is a server that a handler serves beside others.
type Hosted struct {
	Server *mcp.Server
	Links  *EvidenceLinks // as in the Options of the server; may be nil
}

// NewWorkspacesHandler returns a handler that serves several servers, each to the
// callers that [Identify] names its workspace for, if their grant has it; others
// find none. A nil opts
// means the defaults, and [HandlerOptions.Links] counts for nothing.
func NewWorkspacesHandler(all map[string]Hosted, opts *HandlerOptions) *Handler {
	o := opts.withDefaults()
	o.Links = nil
	h := newHandler(&o, func(r *http.Request) *mcp.Server {
		grant, workspace := grantOf(auth.TokenInfoFromContext(r.Context()))
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

// severalLinks are those of several workspaces. A link does not tell which one it
// is of: its signature does.
type severalLinks []*EvidenceLinks

// ServeHTTP implements [http.Handler].
func (s severalLinks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.signer(r).ServeHTTP(w, r)
}

func (s severalLinks) givenTo(r *http.Request) *auth.TokenInfo { return s.signer(r).givenTo(r) }

// signer returns the links that signed the link of a request. If none did, the
// first says what is wrong. All are asked in any case.
func (s severalLinks) signer(r *http.Request) *EvidenceLinks {
	signer := s[0]
	for _, l := range s {
		if _, ok := l.signed(r); ok {
			signer = l
		}
	}
	return signer
}

// signed returns the ticket of a link that was signed here.
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

// givenTo implements evidence. Who links were given to is known for as long as
// the process runs.
func (l *EvidenceLinks) givenTo(r *http.Request) *auth.TokenInfo {
	t, ok := l.signed(r)
	if !ok {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.users[t.user]
}

// rememberedUsers is how many callers are known at most to whom links were given.
const rememberedUsers = 10_000

// remember notes who has links that are for a user.
func (l *EvidenceLinks) remember(tag [userTagSize]byte, info *auth.TokenInfo) {
	if info == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users == nil || len(l.users) >= rememberedUsers {
		l.users = make(map[[userTagSize]byte]*auth.TokenInfo)
	}
	l.users[tag] = info
}

// isHash reports whether text is a SHA-256 in lower-case hex.
func isHash(text string) bool { return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == "" }

// EndCaller ends the sessions of callers, and the calls that they wait for, such
// as when their key is revoked.
func (h *Handler) EndCaller(is func(*access.Grant) bool) {
	for _, s := range h.sessions.all() {
		if s.grant != nil && is(s.grant) {
			s.end()
			h.sessions.remove(s)
			go s.close()
		}
	}
}
