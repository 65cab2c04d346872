package mcpadapter

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/message"
)

// granted returns the tools that the grant of a request's caller allows.
func (a *adapter) granted(ctx context.Context, req mcp.Request) access.Choice {
	extra := mcpcall.ExtraOf(ctx, req)
	if extra == nil {
		return access.Choice{}
	}
	grant, _ := mcpcall.GrantOf(extra.TokenInfo)
	if grant == nil {
		return access.Choice{}
	}
	return grant.MayUse(a.toolsets)
}

// GivesEvidence reports whether a caller with a grant may get files of evidence.
func GivesEvidence(grant *access.Grant) bool {
	return !grant.ReadOnly && grant.MayUse(toolsets).HasAny(evidenceTools...)
}

// Offers reports whether the caller of an HTTP request may use a tool of a server with
// the options, or of this package even if they leave it out for other dialects; then it
// is enough to be offered one that does the same. The context is that of a request which
// a [transport.Handler] passes on, or of the call of a tool of a dialect; of others every
// tool is allowed that the options have. The tool resolve is offered only to who may have
// files of evidence.
func (o *Options) Offers(ctx context.Context, tool string) bool {
	dialects := slices.Clone(o.Dialects)
	if !slices.ContainsFunc(dialects, func(d Dialect) bool { return d.Name == Native }) {
		dialects = append(dialects, Dialect{Name: Native})
	}
	all, _ := interfacesOf(dialects) // NewServer reports the error
	a := &adapter{opts: *o, interfaces: all}
	choice := access.Choice{}
	grant, _ := mcpcall.GrantOf(auth.TokenInfoFromContext(ctx))
	if grant == nil {
		grant, _ = mcpcall.GrantFrom(ctx)
	}
	if grant != nil {
		choice = grant.MayUse(a.toolsets)
	}
	given := a.given(choice)
	if tool == "resolve" {
		return a.offers(tool, given) && !o.ReadOnly && !given.ReadOnly
	}
	if a.offersAs(tool, given) || a.offers(tool, given) {
		return true
	}
	for name, t := range a.foreign {
		if t.Native == tool && tool != "" && a.offersAs(name, given) {
			return true
		}
	}
	return false
}

// Timeout returns how long a call of a tool may take now on a server with the options;
// zero or less means no limit.
func (o *Options) Timeout(tool string) time.Duration {
	usual := defaultTimeout
	if tool == "resolve" {
		usual = 0
	}
	return (&adapter{opts: *o}).timeout(tool, usual)
}

// evidenceTools are the tools that give evidence. Any one of them suffices.
var evidenceTools = []string{"resolve", "getContents"}

// mayHave reports whether the server offers one of some tools to a caller, whatever the
// headers of the request ask for: they leave out tools alone.
func (a *adapter) mayHave(asked access.Choice, names []string) bool {
	granted := access.Choice{Within: asked.Within}
	return slices.ContainsFunc(names, func(name string) bool { return a.offersAs(name, granted) })
}

// mayHaveOf is mayHave for what a dialect has: if no tool gives the same, it is for the
// callers that nothing is left out for.
func (a *adapter) mayHaveOf(asked access.Choice, names []string) bool {
	return len(names) == 0 && asked.Within == nil || a.mayHave(asked, names)
}

// mayRead reports whether a caller may read a URI. What another program adds needs the
// tools of this package only if the grant leaves out some.
func (a *adapter) mayRead(asked access.Choice, uri string) bool {
	names := a.toolsFor(uri)
	if dialect, _ := a.resource(uri); dialect != nil {
		return a.mayHaveOf(asked, names)
	}
	if a.isOurs(uri) {
		return a.mayHave(asked, names)
	}
	return asked.Within == nil || asked.Within.HasAny(names...)
}

// checkFeature returns an error if req reads a resource or uses another feature
// for which the server or the grant leaves out all tools that give the same.
func (a *adapter) checkFeature(c access.Choice, req mcp.Request) error {
	switch req := req.(type) {
	case *mcp.ReadResourceRequest:
		if !a.mayRead(c, req.Params.URI) {
			return missingAs(noResource(req.Params.URI), req.Session, req.Params.URI)
		}
	case *mcp.SubscribeRequest:
		if !a.mayRead(c, req.Params.URI) {
			return missingAs(noResource(req.Params.URI), req.Session, req.Params.URI)
		}
	case *mcp.SubscriptionsListenRequest:
		if req.Params.Notifications == nil {
			return nil // the SDK reports that they are missing
		}
		for _, uri := range req.Params.Notifications.ResourceSubscriptions {
			if !a.mayRead(c, uri) {
				return featureError("subscriptions/listen", noResource(uri), message.CodeNotFound)
			}
		}
	}
	return nil
}

// noResource returns the error for a resource that does not exist.
func noResource(uri string) error {
	return &citekit.NotFoundError{Kind: "resource", ID: cmp.Or(resourceOf(uri), uri)}
}

// toolsFor returns the tools of this package that give the content of a URI. Any one of them
// suffices.
func toolsFor(uri string) []string {
	switch {
	case strings.HasPrefix(uri, nodeURI):
		return []string{"getNode", "getStructure"}
	case strings.HasPrefix(uri, "citekit://"):
		return []string{"getStructure"}
	}
	return evidenceTools
}

// listing are the tools of this package that list ids. Any one of them suffices.
var listing = []string{"listResources", "getStructure"}
