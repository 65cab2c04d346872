package mcpadapter

import (
	"context"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
)

// A caller is a client that called over HTTP. Paths on this machine are of no use
// to it, and reveal what it should not know.
type caller struct {
	base    string          // of links, as the client called the server; "" if unknown
	user    string          // the authenticated user, or ""
	info    *auth.TokenInfo // of user; may be nil
	version string          // of the protocol, as the client states with each request; "" before 2025-06-18
}

// callerOf returns the caller, or nil if the call did not come over HTTP.
func callerOf(extra *mcp.RequestExtra) *caller {
	if extra == nil || extra.Header == nil {
		return nil
	}
	c := &caller{version: extra.Header.Get(versionHeader)}
	if base := extra.Header[baseHeader]; len(base) == 1 {
		c.base = base[0]
	}
	if extra.TokenInfo != nil {
		c.user, c.info = extra.TokenInfo.UserID, extra.TokenInfo
	}
	return c
}

// takesLinks reports whether the client's version of the protocol allows links in
// the results of tools.
func (c *caller) takesLinks() bool {
	return c.version != "" && c.version != "2025-03-26" && c.version != "2024-11-05"
}

// holder returns whom what the caller holds is counted for, as holderOf does. All
// that have not authenticated are one.
func (c *caller) holder() string {
	if grant, _ := grantOf(c.info); grant != nil && grant.ID != "" {
		return holderOfGrant(grant.ID)
	}
	return "user " + c.user
}

// streamKey is the context key, in a session over HTTP+SSE, for the extra of the
// request that began the session.
type streamKey struct{}

// extraOf returns what is known about the HTTP request that carried req, or nil.
// Over HTTP+SSE the SDK knows nothing about the requests that carry messages, so
// it is the request that began the session.
func extraOf(ctx context.Context, req mcp.Request) *mcp.RequestExtra {
	if extra := req.GetExtra(); extra != nil && extra.Header != nil {
		return extra
	}
	extra, _ := ctx.Value(streamKey{}).(*mcp.RequestExtra)
	return extra
}

type callerKey struct{}

// withCaller returns the context of a call with its caller, which is nil if the
// call did not come over HTTP.
func withCaller(ctx context.Context, c *caller) context.Context {
	if c == nil {
		return ctx
	}
	return context.WithValue(ctx, callerKey{}, c)
}

// callerFrom returns the caller, or nil if the call did not come over HTTP.
func callerFrom(ctx context.Context) *caller {
	c, _ := ctx.Value(callerKey{}).(*caller)
	return c
}

// withoutPath returns a map as the caller may see it: the path of a source outside
// the roots, and over HTTP of one outside the base directory, is reduced to its
// file name.
func (a *adapter) withoutPath(ctx context.Context, m *citekit.ResourceMap) *citekit.ResourceMap {
	path := shownPath(ctx, m.SourcePath)
	if local := filepath.FromSlash(path); !filepath.IsLocal(local) && a.outsideRoots(ctx, m) {
		path = filepath.Base(local)
	}
	if path == m.SourcePath {
		return m
	}
	shown := *m
	shown.SourcePath = path
	return &shown
}

// shownPath returns the path of a source as the caller may see it.
func shownPath(ctx context.Context, path string) string {
	if callerFrom(ctx) == nil || !filepath.IsAbs(path) {
		return path
	}
	return filepath.Base(path)
}
