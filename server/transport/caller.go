package transport

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Caller is a client that called over HTTP. Paths on this machine are of no use
// to it, and reveal what it should not know.
type Caller struct {
	base    string          // of links, as the client called the server; "" if unknown
	user    string          // the authenticated user, or ""
	info    *auth.TokenInfo // of user; may be nil
	version string          // of the protocol, as the client states with each request; "" before 2025-06-18
}

// CallerOf returns the caller, or nil if the call did not come over HTTP.
func CallerOf(extra *mcp.RequestExtra) *Caller {
	if extra == nil || extra.Header == nil {
		return nil
	}
	c := &Caller{version: extra.Header.Get(versionHeader)}
	if base := extra.Header[baseHeader]; len(base) == 1 {
		c.base = base[0]
	}
	if extra.TokenInfo != nil {
		c.user, c.info = extra.TokenInfo.UserID, extra.TokenInfo
	}
	return c
}

// TakesLinks reports whether the client's version of the protocol allows links in
// the results of tools.
func (c *Caller) TakesLinks() bool {
	return c.version != "" && c.version != "2025-03-26" && c.version != "2024-11-05"
}

// Holder returns whom what the caller holds is counted for, as holderOf does. All
// that have not authenticated are one.
func (c *Caller) Holder() string {
	if grant, _ := GrantOf(c.info); grant != nil && grant.ID != "" {
		return holderOfGrant(grant.ID)
	}
	return "user " + c.user
}

// streamKey is the context key, in a session over HTTP+SSE, for the extra of the
// request that began the session.
type streamKey struct{}

// ExtraOf returns what is known about the HTTP request that carried req, or nil.
// Over HTTP+SSE the SDK knows nothing about the requests that carry messages, so
// it is the request that began the session.
func ExtraOf(ctx context.Context, req mcp.Request) *mcp.RequestExtra {
	if extra := req.GetExtra(); extra != nil && extra.Header != nil {
		return extra
	}
	extra, _ := ctx.Value(streamKey{}).(*mcp.RequestExtra)
	return extra
}

type callerKey struct{}

// WithCaller returns the context of a call with its caller, which is nil if the
// call did not come over HTTP.
func WithCaller(ctx context.Context, c *Caller) context.Context {
	if c == nil {
		return ctx
	}
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the caller, or nil if the call did not come over HTTP.
func CallerFrom(ctx context.Context) *Caller {
	c, _ := ctx.Value(callerKey{}).(*Caller)
	return c
}
