package mcpcall

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/citekit/citekit/access"
)

// The keys of [auth.TokenInfo.Extra] for the arguments of [Identify].
const (
	grantKey     = "citekit.grant"
	workspaceKey = "citekit.workspace"
)

// Identify returns the info that tells a server who calls, with which rights, and which
// of several workspaces.
func Identify(grant *access.Grant, workspace string) *auth.TokenInfo {
	return &auth.TokenInfo{
		UserID: grant.ID + "@" + workspace, Expiration: grant.Expires,
		Extra: map[string]any{grantKey: grant, workspaceKey: workspace},
	}
}

// GrantOf returns the arguments of [Identify], or nil and "" if it was not used.
func GrantOf(info *auth.TokenInfo) (*access.Grant, string) {
	if info == nil {
		return nil, ""
	}
	grant, _ := info.Extra[grantKey].(*access.Grant)
	workspace, _ := info.Extra[workspaceKey].(string)
	return grant, workspace
}

// IsIdentified reports whether an info is one of [Identify].
func IsIdentified(info *auth.TokenInfo) bool { return info.Extra[grantKey] != nil }

// GrantFrom returns the grant of the caller of a context, and the workspace of its call,
// or nil and "" if it did not authenticate; see [WithCaller].
func GrantFrom(ctx context.Context) (*access.Grant, string) {
	c := CallerFrom(ctx)
	if c == nil {
		return nil, ""
	}
	return GrantOf(c.Info)
}
