// Package oidc authenticates callers by the access tokens of an identity provider,
// as an OAuth 2 resource server does: JSON Web Tokens (RFC 9068) of one issuer.
//
// # Which tokens are taken
//
// A token must be signed by a key that the issuer publishes, with an asymmetric
// algorithm; be from the issuer and for one of the audiences; have an end that has
// not come (exp), no beginning that is to come (nbf), and a subject (sub). Its type
// must be at+jwt, or JWT or none, which many providers write. What is known to be an
// ID token or a refresh token is refused: these are for the client, and say nothing
// of what it may do here. Since that cannot be told of all, have an audience of its
// own for the server, such as its URL, and not the id of a client; or set
// [Options.RequireType].
//
// # Scopes
//
// What a token may do its scopes say: the claim scope, a string with spaces, or scp,
// an array. Those of the form that follows count as they are; others, which a
// provider may have already, by [Options.Scopes].
//
//	citekit:workspace:NAME   may see a workspace
//	citekit:toolset:NAME     may use the tools of a toolset alone
//	citekit:tools:NAME       may use a tool alone
//	citekit:read-only        may not use tools that write
//
// Workspaces add up; a token without any is valid but may see none. Without a scope
// of tools all tools are allowed, with several what any of them allows; a scope of
// a toolset and one of a tool narrow each other, as the options of package
// mcpadapter do. What a token may use is the same in all its workspaces.
//
// # Callers
//
// The ID of a grant is "oidc-" and 26 letters and digits: a hash of issuer and
// subject. So it is the same for each token of a caller, tells nobody who that is,
// and can stand in a log.
//
// # The issuer
//
// Its metadata (OpenID Connect Discovery) and keys are fetched at the first token,
// and again every 15 minutes or for a key that is not known: at most once in 10
// seconds, whatever tokens come, or after a failure once in 1 to 30 seconds. While
// it cannot be reached, keys count for up to a day; where there are none, the error
// of a token does not match [access.ErrRefused]. A token that the issuer takes back
// is valid until it ends, so tokens should be short-lived.
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
	// Scopes say what scopes of the provider's own allow, beside those of the form
	// citekit:…; see [Rule].
	Scopes map[string]Rule

	// ScopeClaim is the claim that has the scopes: a string with spaces between
	// them, or an array of strings. One inside others is named with dots, such as
	// realm_access.roles. Empty means scope, or scp where there is none.
	ScopeClaim string

	// Algorithms are the signatures that are taken: RS256, RS384, RS512, PS256,
	// PS384, PS512, ES256, ES384, ES512 or EdDSA; nil means all of these.
	Algorithms []string

	// Skew is how much the clocks of the issuer and of this machine may differ.
	// Zero means one minute, negative not at all; 5 minutes are the most.
	Skew time.Duration

	// RequireType takes only tokens whose type is at+jwt (RFC 9068).
	RequireType bool

	// RootCAs are the authorities that may vouch for the issuer's certificate; nil
	// means those of the system.
	RootCAs *x509.CertPool
}

// An Authenticator takes the tokens of an issuer. It is safe for concurrent use.
// Make one with [New].
type Authenticator struct {
	issuer    string
	audiences []string
	opts      Options
	keys      *keySet
	taken     *cache
	now       func() time.Time
}

var _ access.Authenticator = (*Authenticator)(nil)

// asymmetric are the algorithms that are taken. Of none and those of HMAC, whose
// key would be public here, none can be chosen.
var asymmetric = []string{
	gooidc.RS256, gooidc.RS384, gooidc.RS512, gooidc.PS256, gooidc.PS384, gooidc.PS512,
	gooidc.ES256, gooidc.ES384, gooidc.ES512, gooidc.EdDSA,
}

const (
	defaultSkew = time.Minute
	maxSkew     = 5 * time.Minute
	maxToken    = 16 << 10 // bytes
)

// New returns an authenticator of tokens of an issuer, which is a URL with https,
// or with http on a loopback address, written as in its tokens. A token must be for
// one of the audiences. The issuer is not asked yet. A nil opts means the defaults;
// the error says which setting is wrong.
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
		return fmt.Errorf("issuer %q: it must be a URL with https; http is for loopback addresses alone", a.issuer)
	case len(a.audiences) == 0 || slices.Contains(a.audiences, ""):
		return errors.New("audiences: there must be at least one, which is not empty, such as the URL of the server")
	case a.opts.Skew > maxSkew:
		return fmt.Errorf("skew %s: %s are the most", a.opts.Skew, maxSkew)
	case a.opts.Algorithms != nil && len(a.opts.Algorithms) == 0:
		return errors.New("algorithms: the list is empty; leave it out for all")
	}
	for _, name := range a.opts.Algorithms {
		if !slices.Contains(asymmetric, name) {
			return fmt.Errorf("algorithm %q: there are %s", name, strings.Join(asymmetric, ", "))
		}
	}
	for scope, rule := range a.opts.Scopes {
		if err := rule.check(); err != nil {
			return fmt.Errorf("scope %q: %w", scope, err)
		}
	}
	return nil
}

// Authenticate implements [access.Authenticator]. It may wait for the issuer, for
// up to 10 seconds. The Expires of a grant is the end of the token and the skew.
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
	if err != nil {
		return nil, err
	}
	a.taken.put(sum, generation, grant)
	return grant, nil
}

// Valid reports whether an ID is one of a caller with a token. That a token was
// taken back only its issuer knows; that it has ended its grant says.
func (a *Authenticator) Valid(id string) bool { return strings.HasPrefix(id, idPrefix) }

// Check returns an error while there are no keys of the issuer that count. It may
// wait for the issuer as [Authenticator.Authenticate] does.
func (a *Authenticator) Check(ctx context.Context) error { return a.keys.check(ctx) }
