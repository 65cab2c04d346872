// Package access says who may do what with a server of several workspaces.
//
// An [Authenticator] tells what the bearer token of a request may do, as a
// [Grant]. Package keyfile has one for keys that an operator makes, and package
// oidc one for the tokens of an identity provider.
package access

import (
	"context"
	"errors"
	"slices"
	"time"
)

// A Grant is what a caller may do. Whoever gets one must not change it.
type Grant struct {
	// ID names the caller in logs, limits and sessions. It is the same for each
	// token of a caller, and tells nothing that is secret.
	ID string

	// Workspaces are the names of those that the caller may see. The first is
	// the one that is meant where a request names none.
	Workspaces []string

	// Toolsets and Tools are the groups of tools and the tools that the caller
	// may use, as in the Options of package mcpadapter; nil means all.
	Toolsets, Tools []string

	// ReadOnly leaves out the tools that make maps, and evidence files.
	ReadOnly bool

	// Expires is when the token ends; the zero time means never.
	Expires time.Time
}

// Has reports whether the caller may see a workspace.
func (g *Grant) Has(workspace string) bool { return slices.Contains(g.Workspaces, workspace) }

// ErrRefused is matched by the error of a token that is not valid: malformed,
// unknown, revoked, expired or not meant for this server.
var ErrRefused = errors.New("the token is not valid")

// An Authenticator tells what a bearer token may do.
//
// Implementations must be safe for concurrent use. An error that matches
// [ErrRefused] is about the token, and its text never has any of it; another one
// is about the authenticator, such as a file that cannot be read. Nothing of
// either is shown to the caller.
type Authenticator interface {
	Authenticate(ctx context.Context, token string) (*Grant, error)
}

// Several returns an authenticator that takes what any of all takes, asked in
// turn. An error that does not match [ErrRefused] counts if nothing after takes
// the token.
func Several(all ...Authenticator) Authenticator { return several(slices.Clone(all)) }

type several []Authenticator

// Authenticate implements [Authenticator].
func (s several) Authenticate(ctx context.Context, token string) (*Grant, error) {
	failed := ErrRefused
	for _, a := range s {
		grant, err := a.Authenticate(ctx, token)
		if err == nil {
			return grant, nil
		}
		if !errors.Is(err, ErrRefused) {
			failed = err
		}
	}
	return nil, failed
}

// Valid reports whether one of the authenticators takes an ID of a grant for valid
// still. One that cannot tell counts as if it did.
func (s several) Valid(id string) bool {
	return slices.ContainsFunc(s, func(a Authenticator) bool {
		valid, ok := a.(interface{ Valid(id string) bool })
		return !ok || valid.Valid(id)
	})
}

// Granted returns what one of the authenticators that can tell says that the ID of a
// grant may do, else nil.
func (s several) Granted(id string) *Grant {
	for _, a := range s {
		if regranter, ok := a.(interface{ Granted(id string) *Grant }); ok {
			if grant := regranter.Granted(id); grant != nil {
				return grant
			}
		}
	}
	return nil
}
