// Package access decides who may do what with a server of several workspaces.
//
// An [Authenticator] turns the bearer token of a request into a [Grant]. Package
// keyfile has an Authenticator for keys that an operator makes, and package oidc
// one for the tokens of an identity provider.
package access

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// A Grant is what a caller may do. Its receivers must not change it.
type Grant struct {
	// ID names the caller in logs, limits and sessions. It is the same for all
	// tokens of a caller, and reveals no secret.
	ID string

	// Workspaces are the names of the workspaces that the caller may see. The
	// first is the default for requests that name none.
	Workspaces []string

	// Toolsets and Tools are the groups of tools and the tools that the caller
	// may use, as in the Options of package mcpadapter; nil means all.
	Toolsets, Tools []string

	// ReadOnly excludes tools that make maps, and evidence files.
	ReadOnly bool

	// Expires is when the token expires; the zero time means never.
	Expires time.Time
}

// Has reports whether the caller may see a workspace.
func (g *Grant) Has(workspace string) bool { return slices.Contains(g.Workspaces, workspace) }

// ErrRefused matches the error of an invalid token: malformed, unknown, revoked,
// expired or not meant for this server.
var ErrRefused = errors.New("the token is not valid")

// A RefusedError is the error of a refused token that names a caller, as that of a
// revoked key does. It matches [ErrRefused] if Err does.
type RefusedError struct {
	// ID is as in [Grant.ID]. The token claims it, and nothing may be allowed
	// because of it: of a revoked key nobody knows whether the token was its own.
	ID string

	Err error // the reason
}

// Error returns the reason, without the ID.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.Err }

// An Authenticator decides what a bearer token may do.
//
// Implementations must be safe for concurrent use. An error that matches
// [ErrRefused] is about the token, and its text never contains any part of it.
// Any other error is about the authenticator, such as a file that cannot be read.
// Callers see neither text.
type Authenticator interface {
	Authenticate(ctx context.Context, token string) (*Grant, error)
}

// Several returns an authenticator that accepts a token if one of all does. It
// asks them in order. If none accepts the token, the last error that does not
// match [ErrRefused] counts, else the last that is a [RefusedError], else
// ErrRefused.
func Several(all ...Authenticator) Authenticator { return several(slices.Clone(all)) }

type several []Authenticator

// Authenticate implements [Authenticator].
func (s several) Authenticate(ctx context.Context, token string) (*Grant, error) {
	var failed, named error
	for _, a := range s {
		grant, err := a.Authenticate(ctx, token)
		if err == nil {
			return grant, nil
		}
		switch {
		case !errors.Is(err, ErrRefused):
			failed = err
		case errors.As(err, new(*RefusedError)):
			named = err
		}
	}
	return nil, cmp.Or(failed, named, ErrRefused)
}

// Valid reports whether the ID of a grant is still valid for one of the
// authenticators. An authenticator without a method Valid counts as valid.
func (s several) Valid(id string) bool {
	return slices.ContainsFunc(s, func(a Authenticator) bool {
		valid, ok := a.(interface{ Valid(id string) bool })
		return !ok || valid.Valid(id)
	})
}

// Granted returns the current grant with an ID, from the first authenticator that
// has it, or nil.
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
