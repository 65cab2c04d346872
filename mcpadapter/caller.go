package mcpadapter

import (
	"context"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
)

// A caller is who called over HTTP, for whom paths on this machine mean nothing
// and tell what is nobody's business.
type caller struct {
	base    string          // what links begin with, as the client called the server; "" if that is not known
	user    string          // who it authenticated as, or ""
	info    *auth.TokenInfo // of that; may be nil
	version string          // of the protocol, as the client says with each request; "" before 2025-06-18
}

// callerOf returns who called, or nil if the call did not come over HTTP.
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

// takesLinks reports whether the client's version of the protocol has links in
// the answers of tools.
func (c *caller) takesLinks() bool {
	return c.version != "" && c.version != "2025-03-26" && c.version != "2024-11-05"
}

// streamKey is the key of the context of a session over HTTP+SSE for the extra of
// the request that began it.
type streamKey struct{}

// extraOf returns what is known of the HTTP request that a request came by, or
// nil. Over HTTP+SSE the SDK tells nothing of the requests that messages come by:
// there it is the one that began the session.
func extraOf(ctx context.Context, req mcp.Request) *mcp.RequestExtra {
	if extra := req.GetExtra(); extra != nil && extra.Header != nil {
		return extra
	}
	extra, _ := ctx.Value(streamKey{}).(*mcp.RequestExtra)
	return extra
}

type callerKey struct{}

// withCaller returns a context of a call with who called; nil is for one that did
// not come over HTTP.
func withCaller(ctx context.Context, c *caller) context.Context {
	if c == nil {
		return ctx
	}
	return context.WithValue(ctx, callerKey{}, c)
}

// callerFrom returns who called, or nil if the call did not come over HTTP.
func callerFrom(ctx context.Context) *caller {
	c, _ := ctx.Value(callerKey{}).(*caller)
	return c
}

// withoutPath returns a map as who called may see it: over HTTP a source outside
// the base directory is told by its name alone.
func withoutPath(ctx context.Context, m *citekit.ResourceMap) *citekit.ResourceMap {
	path := shownPath(ctx, m.SourcePath)
	if path == m.SourcePath {
		return m
	}
	shown := *m
	shown.SourcePath = path
	return &shown
}

// shownPath returns the path of a source as who called may see it.
func shownPath(ctx context.Context, path string) string {
	if callerFrom(ctx) == nil || !filepath.IsAbs(path) {
		return path
	}
	return filepath.Base(path)
}
