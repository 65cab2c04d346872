// Package oidc authenticates callers by the access tokens of an identity provider,
// as an OAuth 2 resource server does: JSON Web Tokens (RFC 9068) of one issuer.
//
// # Accepted tokens
//
// A token must be signed with a key that the issuer publishes and an asymmetric
// algorithm, come from the issuer, and be for one of the audiences. It must have
// an expiry time in the future (exp), no start time in the future (nbf), and a
// subject (sub). Its type must be at+jwt, JWT or absent; many providers use the
// last two. Known ID tokens and refresh tokens are refused, as they are for the
// client and do not authorize anything here. As not all of them can be
// recognized, use a separate audience for the server, such as its URL, instead of
// a client id; or set [Options.RequireType].
//
// # Scopes
//
// The scopes of a token decide what it may do: the claim scope, a string with
// spaces, or scp, an array. Scopes of the following form are built in.
// [Options.Scopes] gives a meaning to other scopes that a provider may already
// have.
//
//	citekit:workspace:NAME   may see a workspace
//	citekit:toolset:NAME     may use only the tools of a toolset
//	citekit:tools:NAME       may use only one tool
//	citekit:read-only        may not use tools that write
//
// Workspaces add up; a token without any is valid but may see none. Without a
// scope for tools all tools are allowed; several scopes of one kind allow what
// any of them allows; a scope for a toolset and one for a tool narrow each other,
// like the options of package mcpadapter. A token may use the same tools in all
// its workspaces.
//
// # Callers
//
// The ID of a grant is "oidc-" and 26 letters and digits: a hash of issuer and
// subject. So it is the same for all tokens of a caller, does not reveal the
// caller, and may appear in logs.
//
// # The issuer
//
// The metadata (OpenID Connect Discovery) and keys of the issuer are fetched for
// the first token, and again every 15 minutes or for an unknown key: at most once
// every 10 seconds, whatever tokens arrive, or after a failure once every 1 to 30
// seconds. If the issuer cannot be reached, keys are valid for up to a day.
// Without valid keys, the error for a token does not match [access.ErrRefused]. A
// token that the issuer revokes stays valid until it expires, so tokens should be
// short-lived.
package oidc

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"

	"github.com/citekit/citekit/access"
)

// Options configures an [Authenticator]. The zero value is ready to use.
type Options struct {
	// Scopes define what the provider's own scopes allow, in addition to scopes
	// of the form citekit:…; see [Rule].
	Scopes map[string]Rule

	// ScopeClaim is the claim with the scopes: a string with spaces between them,
	// or an array of strings. Dots name a nested claim, such as
	// realm_access.roles. Empty means scope, or scp if scope is missing.
	ScopeClaim string

	// Algorithms are the accepted signature algorithms: RS256, RS384, RS512,
	// PS256, PS384, PS512, ES256, ES384, ES512 or EdDSA; nil means all of these.
	Algorithms []string

	// Skew is how much the clocks of the issuer and of this machine may differ.
	// Zero means one minute, negative not at all; the maximum is 5 minutes.
	Skew time.Duration

	// RequireType accepts only tokens of type at+jwt (RFC 9068).
	RequireType bool

	// RootCAs are the authorities that may vouch for the issuer's certificate;
	// nil means the system's.
	RootCAs *x509.CertPool
}

// An Authenticator accepts the tokens of an issuer. It is safe for concurrent
// use. Make one with [New].
type Authenticator struct {
	issuer    string
	audiences []string
	opts      Options
	keys      *keySet
	taken     *cache
	now       func() time.Time
}

var _ access.Authenticator = (*Authenticator)(nil)

// asymmetric are the accepted algorithms. The algorithms none and HMAC, whose key
// would be public here, cannot be chosen.
var asymmetric = []string{
	gooidc.RS256, gooidc.RS384, gooidc.RS512, gooidc.PS256, gooidc.PS384, gooidc.PS512,
	gooidc.ES256, gooidc.ES384, gooidc.ES512, gooidc.EdDSA,
}

const (
	defaultSkew = time.Minute
	maxSkew     = 5 * time.Minute
	maxToken    = 16 << 10 // bytes
)

// New returns an authenticator for tokens of an issuer. The issuer is a URL with
// https, or with http on a loopback address, exactly as in its tokens. A token
// must be for one of the audiences. New does not contact the issuer. A nil opts
// means the defaults. The error names the wrong setting.
func New(issuer string, audiences []string, opts *Options) (*Authenticator, error) {
	a := &Authenticator{issuer: issuer, audiences: slices.Clone(audiences), now: time.Now, taken: newCache()}
	if opts != nil {
		a.opts = *opts
	}
	if err := a.check(); err != nil {
		return nil, fmt.Errorf("oidc: %w", err)
	}
	switch {
	case a.opts.Skew == 0:
		a.opts.Skew = defaultSkew
	case a.opts.Skew < 0:
		a.opts.Skew = 0
	}
	if a.opts.Algorithms = slices.Clone(a.opts.Algorithms); a.opts.Algorithms == nil {
		a.opts.Algorithms = asymmetric
	}
	a.keys = newKeySet(issuer, newClient(a.opts.RootCAs))
	return a, nil
}

func (a *Authenticator) check() error {
	u, err := url.Parse(a.issuer)
	switch {
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return fmt.Errorf("issuer %q: it must be a URL such as https://id.example", a.issuer)
	case !isSecure(u):
		return fmt.Errorf("issuer %q: it must be a URL with https; http is only for loopback addresses", a.issuer)
	case len(a.audiences) == 0 || slices.Contains(a.audiences, ""):
		return errors.New("audiences: there must be at least one, and none may be empty, such as the URL of the server")
	case a.opts.Skew > maxSkew:
		return fmt.Errorf("skew %s: at most %s is allowed", a.opts.Skew, maxSkew)
	case a.opts.Algorithms != nil && len(a.opts.Algorithms) == 0:
		return errors.New("algorithms: the list is empty; leave it out for all")
	}
	for _, name := range a.opts.Algorithms {
		if !slices.Contains(asymmetric, name) {
			return fmt.Errorf("algorithm %q: it must be one of %s", name, strings.Join(asymmetric, ", "))
		}
	}
	for scope, rule := range a.opts.Scopes {
		if err := rule.check(); err != nil {
			return fmt.Errorf("scope %q: %w", scope, err)
		}
	}
	return nil
}

// Authenticate implements [access.Authenticator]. It may wait up to 10 seconds
// for the issuer. The Expires of a grant is the expiry time of the token plus the
// skew.
func (a *Authenticator) Authenticate(ctx context.Context, token string) (*access.Grant, error) {
	if len(token) > maxToken {
		return nil, errMalformed
	}
	sum := sha256.Sum256([]byte(token))
	if grant := a.taken.get(sum, a.keys.generation()); grant != nil && a.now().Before(grant.Expires) {
		return grant, nil
	}
	head, err := a.readHeader(token)
	if err != nil {
		return nil, err
	}
	keys, generation, err := a.keys.find(ctx, head)
	if err != nil {
		return nil, err
	}
	config := &gooidc.Config{SkipClientIDCheck: true, SkipExpiryCheck: true, SupportedSigningAlgs: []string{head.Algorithm}}
	verified, err := gooidc.NewVerifier(a.issuer, &gooidc.StaticKeySet{PublicKeys: keys}, config).Verify(ctx, token)
	if err != nil {
		return nil, errSignature
	}
	var c claims
	if err := verified.Claims(&c); err != nil {
		return nil, errMalformed
	}
	grant, err := a.grant(c)
	if subject := c.text("sub"); err != nil && subject != "" {
		err = &access.RefusedError{ID: idOf(a.issuer, subject), Err: err}
	}
	if err != nil {
		return nil, err
	}
	a.taken.put(sum, generation, grant)
	return grant, nil
}

// Valid reports whether an ID can belong to a caller with a token. Only the
// issuer knows revoked tokens, and the grant has the expiry time.
func (a *Authenticator) Valid(id string) bool { return strings.HasPrefix(id, idPrefix) }

// Check returns an error while there are no valid keys of the issuer. It may wait
// for the issuer like [Authenticator.Authenticate].
func (a *Authenticator) Check(ctx context.Context) error { return a.keys.check(ctx) }
