// Package access decides who may do what with a server of several workspaces.
//
// An [Authenticator] turns the bearer token of a request into a [Grant]. A [KeyFile]
// is one for keys that an operator makes; package oidc has one for the tokens of an
// identity provider.
//
// # Keys in a file
//
// A [KeyFile] authenticates callers by keys that an operator makes and keeps in one
// file. A token has the form citekit_<id>_<secret>. The id names the key in lists and
// logs. The secret has 256 random bits and a checksum, so that secret scanners
// can find leaked tokens by citekit_[a-z2-7]{10}_[0-9A-Za-z]{49}. The file stores
// only the SHA-256 of each token. A slow hash such as bcrypt is not needed: it
// protects guessable passwords, and nobody can guess 256 random bits. Hashes are
// compared in constant time, and a token without a key takes as long as a wrong
// one.
//
// The file is JSON, {"version": 1, "keys": [...]}, and may be edited by hand. Each
// write replaces the whole file, under a lock (the file's name with ".lock"), so
// several processes may change it. On Unix it must be a plain file that only its
// owner can read and write, or a symbolic link to one in its directory or below,
// as Kubernetes mounts a Secret. A linked file is never written; it may belong to
// root and be readable by the group of this process. The times of last use are in
// a separate file with the suffix ".used", written at most once a minute. So only
// changes of keys write the file of keys: a server can damage little, and can
// work with a read-only file.
//
// One in use notices at the next call that the file was replaced, as
// [KeyFile.New] and [KeyFile.Revoke] of any process do, and within a quarter of a
// second that it was written in place. If the file can no longer be read, the
// last known keys stay valid, and [KeyFile.Check] explains why.
//
// Revoked keys stay in the file without their hash, so that an id in an old log
// can still be traced. In a full file, with 10,000 keys, new keys replace those
// that were revoked earliest.
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
func Several(all ...Authenticator) Authenticator { return chain(slices.Clone(all)) }

type chain []Authenticator

// Authenticate implements [Authenticator].
func (s chain) Authenticate(ctx context.Context, token string) (*Grant, error) {
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
func (s chain) Valid(id string) bool {
	return slices.ContainsFunc(s, func(a Authenticator) bool {
		valid, ok := a.(interface{ Valid(id string) bool })
		return !ok || valid.Valid(id)
	})
}

// Granted returns the current grant with an ID, from the first authenticator that
// has it, or nil.
func (s chain) Granted(id string) *Grant {
	for _, a := range s {
		if regranter, ok := a.(interface{ Granted(id string) *Grant }); ok {
			if grant := regranter.Granted(id); grant != nil {
				return grant
			}
		}
	}
	return nil
}
