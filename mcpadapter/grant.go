package mcpadapter

import (
	"cmp"
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/server/transport"
)

// granted returns the tools that the grant of a request's caller allows.
func granted(ctx context.Context, req mcp.Request) access.Choice {
	extra := transport.ExtraOf(ctx, req)
	if extra == nil {
		return access.Choice{}
	}
	grant, _ := transport.GrantOf(extra.TokenInfo)
	if grant == nil {
		return access.Choice{}
	}
	return grant.MayUse(toolsets)
}

// GivesEvidence reports whether a caller with a grant may get files of evidence.
func GivesEvidence(grant *access.Grant) bool {
	return !grant.ReadOnly && grant.MayUse(toolsets).HasAny(evidenceTools...)
}

// evidenceTools are the tools that give evidence. Any one of them suffices.
var evidenceTools = []string{"resolve", "getContents"}

// checkFeature returns an error if req reads a resource or uses another feature
// for which the grant leaves out all tools that give the same.
func checkFeature(c access.Choice, req mcp.Request) error {
	switch req := req.(type) {
	case *mcp.ReadResourceRequest:
		if !c.HasAny(toolsFor(req.Params.URI)...) {
			return missingAs(noResource(req.Params.URI), req.Session, req.Params.URI)
		}
	case *mcp.SubscribeRequest:
		if !c.HasAny(toolsFor(req.Params.URI)...) {
			return missingAs(noResource(req.Params.URI), req.Session, req.Params.URI)
		}
	case *mcp.SubscriptionsListenRequest:
		if req.Params.Notifications == nil {
			return nil // the SDK reports that they are missing
		}
		for _, uri := range req.Params.Notifications.ResourceSubscriptions {
			if !c.HasAny(toolsFor(uri)...) {
				return featureError("subscriptions/listen", noResource(uri), citekit.CodeNotFound)
			}
		}
	}
	return nil
}

// noResource returns the error for a resource that does not exist.
func noResource(uri string) error {
	return &citekit.NotFoundError{Kind: "resource", ID: cmp.Or(resourceOf(uri), uri)}
}

// toolsFor returns the tools that give the content of a URI. Any one of them
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

// listing are the tools that list ids. Any one of them suffices.
var listing = []string{"listResources", "getStructure"}
