package oidc

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit/access"
)

// The errors of refused tokens. They contain no part of a token.
var (
	errMalformed  = refusal("it is not a JSON Web Token")
	errAlgorithm  = refusal("its algorithm is not accepted")
	errType       = refusal("its type is not the type of an access token")
	errIssuer     = refusal("it is from another issuer")
	errUnknownKey = refusal("its issuer has no such key")
	errSignature  = refusal("its signature is wrong")
	errAudience   = refusal("it is for another audience")
	errNoExpiry   = refusal("it has no expiry")
	errExpired    = refusal("it has expired")
	errNotYet     = refusal("it is not valid yet")
	errNoSubject  = refusal("it has no subject")
	errNotAccess  = refusal("it is an ID token or a refresh token, not an access token")
)

func refusal(text string) error { return fmt.Errorf("%s: %w", text, access.ErrRefused) }

// A header is the first part of a token.
type header struct {
	Algorithm string `json:"alg"`
	Type      string `json:"typ"`
	KeyID     string `json:"kid"`
}

// readHeader returns the header of a token that may be valid. It checks all that
// can be checked without a key. A token of another kind or issuer never causes a
// request to our issuer.
func (a *Authenticator) readHeader(token string) (header, error) {
	var h header
	parts := strings.SplitN(token, ".", 4)
	if len(parts) != 3 || strings.ContainsAny(token, "\r\n") || decodePart(parts[0], &h) != nil {
		return h, errMalformed
	}
	if _, err := encoding.DecodeString(parts[2]); err != nil {
		return h, errMalformed
	}
	var said struct {
		Issuer string `json:"iss"`
	}
	switch {
	case !slices.Contains(a.opts.Algorithms, h.Algorithm):
		return h, errAlgorithm
	case !a.isType(h.Type):
		return h, errType
	case decodePart(parts[1], &said) != nil:
		return h, errMalformed
	case said.Issuer != a.issuer:
		return h, errIssuer
	}
	return h, nil
}

// encoding is the encoding of the parts of a token. It accepts only one form of
// each part.
var encoding = base64.RawURLEncoding.Strict()

func decodePart(part string, v any) error {
	data, err := encoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

// isType reports whether access tokens can have a type.
func (a *Authenticator) isType(typ string) bool {
	switch strings.TrimPrefix(strings.ToLower(typ), "application/") {
	case "at+jwt":
		return true
	case "jwt", "":
		return !a.opts.RequireType
	}
	return false
}

// claims are the claims of a signed token.
type claims map[string]json.RawMessage

// text returns a claim that is a string, or "".
func (c claims) text(name string) string {
	var s string
	_ = json.Unmarshal(c[name], &s)
	return s
}

// time returns a claim in seconds since 1970, or false if it is missing or after
// the year 9999.
func (c claims) time(name string) (time.Time, bool) {
	const last = 253402300799
	var seconds float64
	if c[name] == nil || json.Unmarshal(c[name], &seconds) != nil || seconds <= 0 || seconds > last {
		return time.Time{}, false
	}
	return time.Unix(int64(seconds), 0).UTC(), true
}

// list returns the strings of a claim, which is an array or a string with spaces.
func (c claims) list(name string) []string {
	var all []string
	if err := json.Unmarshal(c[name], &all); err == nil {
		return all
	}
	return strings.Fields(c.text(name))
}

// grant returns what a token may do. The signature and the issuer were checked
// before.
func (a *Authenticator) grant(c claims) (*access.Grant, error) {
	expires, ok := c.time("exp")
	if !ok {
		return nil, errNoExpiry
	}
	now := a.now()
	if expires = expires.Add(a.opts.Skew); !now.Before(expires) {
		return nil, errExpired
	}
	if c["nbf"] != nil {
		if begins, ok := c.time("nbf"); !ok || now.Add(a.opts.Skew).Before(begins) {
			return nil, errNotYet
		}
	}
	subject := c.text("sub")
	switch {
	case !slices.ContainsFunc(c.audience(), func(audience string) bool { return slices.Contains(a.audiences, audience) }):
		return nil, errAudience
	case c.isOther():
		return nil, errNotAccess
	case subject == "":
		return nil, errNoSubject
	}
	grant := &access.Grant{ID: idOf(a.issuer, subject), Expires: expires}
	a.apply(grant, a.scopes(c))
	return grant, nil
}

// audience returns the audience of a token: one string, or the strings of an
// array.
func (c claims) audience() []string {
	if one := c.text("aud"); one != "" {
		return []string{one}
	}
	return c.list("aud")
}

// isOther reports whether claims belong to a token other than an access token. ID
// tokens have hashes of other tokens, and some providers name the kind.
func (c claims) isOther() bool {
	kind := strings.ToLower(c.text("typ"))
	return c["at_hash"] != nil || c["c_hash"] != nil || kind == "id" || kind == "refresh" || kind == "offline" ||
		c.text("token_use") == "id" || c["events"] != nil
}

// idPrefix begins the IDs of callers. IDs of keys in a file never begin with it.
const idPrefix = "oidc-"

// idOf returns the ID of a caller.
func idOf(issuer, subject string) string {
	sum := sha256.Sum256([]byte(issuer + "\x00" + subject))
	return idPrefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}
