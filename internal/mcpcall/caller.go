package mcpcall

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The headers that tell a [Caller] of a request: the version of the protocol, and the
// base URL that the client called, such as http://127.0.0.1:8808. The name of the latter
// has a space, so no request can bring it.
const (
	VersionHeader = "Mcp-Protocol-Version"
	BaseHeader    = "citekit base"
)

// firstStateless is the first version of the protocol without sessions. Version
// 2024-11-05 defines another transport, but clients of that version may also use this
// one.
const firstStateless = "2026-07-28"

// IsStateless reports whether requests of a version of the protocol, which is a day, are
// independent of each other, without a session.
func IsStateless(version string) bool { return version >= firstStateless }

// A Caller is a client that called over HTTP. Paths on this machine are of no use
// to it, and reveal what it should not know.
type Caller struct {
	Base string          // of links, as the client called the server; "" if unknown
	User string          // the authenticated user, or ""
	Info *auth.TokenInfo // of User; may be nil

	version string // of the protocol, as the client states with each request; "" before 2025-06-18
}

// CallerOf returns the caller, or nil if the call did not come over HTTP.
func CallerOf(extra *mcp.RequestExtra) *Caller {
	if extra == nil || extra.Header == nil {
		return nil
	}
	c := &Caller{version: extra.Header.Get(VersionHeader)}
	if base := extra.Header[BaseHeader]; len(base) == 1 {
		c.Base = base[0]
	}
	if extra.TokenInfo != nil {
		c.User, c.Info = extra.TokenInfo.UserID, extra.TokenInfo
	}
	return c
}

// TakesLinks reports whether the client's version of the protocol allows links in
// the results of tools.
func (c *Caller) TakesLinks() bool {
	return c.version != "" && c.version != "2025-03-26" && c.version != "2024-11-05"
}

// Holder returns whom what the caller holds is counted for. All that have not
// authenticated are one.
func (c *Caller) Holder() string {
	if grant, _ := GrantOf(c.Info); grant != nil && grant.ID != "" {
		return HolderOfGrant(grant.ID)
	}
	return "user " + c.User
}

// streamKey is the context key, in a session over HTTP+SSE, for the extra of the
// request that began the session.
type streamKey struct{}

// WithExtra returns the context of a session over HTTP+SSE, with the extra of the
// request that began it.
func WithExtra(ctx context.Context, extra *mcp.RequestExtra) context.Context {
	return context.WithValue(ctx, streamKey{}, extra)
}

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
