package oidc_test

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/access/oidc"
)

func mustTake(t *testing.T, a *oidc.Authenticator, token string) *access.Grant {
	t.Helper()
	grant, err := a.Authenticate(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return grant
}

// mustRefuse checks that a token is refused for a reason, in words that have
// nothing of it.
func mustRefuse(t *testing.T, a *oidc.Authenticator, token, reason string) {
	t.Helper()
	grant, err := a.Authenticate(t.Context(), token)
	if grant != nil || !errors.Is(err, access.ErrRefused) || !strings.Contains(err.Error(), reason) {
		t.Fatalf("grant %v, error %v; want a refusal: %s", grant, err, reason)
	}
	if signed := reason == "it has expired"; errors.As(err, new(*access.RefusedError)) != signed && signed {
		t.Errorf("the error %v does not name the caller of a signed token", err)
	}
	for _, part := range regexp.MustCompile(`[0-9A-Za-z_-]{12,}`).FindAllString(token, -1) {
		if strings.Contains(err.Error(), part) {
			t.Errorf("the error %q has a part of the token", err)
		}
	}
}

func TestTaken(t *testing.T) {
	i := newIssuer(t)
	a := newAuthenticator(t, i, nil)
	expires := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	for kid, algorithms := range map[string][]string{"r1": {"RS256", "PS256", "RS512"}, "e1": {"ES256"}, "d1": {"EdDSA"}} {
		for _, algorithm := range algorithms {
			token := i.token(t, algorithm, kid, map[string]any{"exp": expires.Unix()})
			for range 2 { // also from the cache
				grant := mustTake(t, a, token)
				want := &access.Grant{ID: grant.ID, Workspaces: []string{"papers"}, Toolsets: []string{"read"}, Expires: expires.Add(time.Minute)}
				if diff := cmp.Diff(want, grant); diff != "" {
					t.Errorf("%s: %s", algorithm, diff)
				}
				if !regexp.MustCompile(`^oidc-[a-z2-7]{26}$`).MatchString(grant.ID) || !a.Valid(grant.ID) {
					t.Errorf("ID %q", grant.ID)
				}
			}
		}
	}
	if n := i.fetches.Load(); n != 1 {
		t.Errorf("the keys were fetched %d times", n)
	}
}

func TestCallers(t *testing.T) {
	i := newIssuer(t)
	a := newAuthenticator(t, i, nil)
	id := func(changes map[string]any) string { return mustTake(t, a, i.token(t, "EdDSA", "d1", changes)).ID }
	ada := id(nil)
	if again := id(map[string]any{"exp": time.Now().Add(2 * time.Hour).Unix(), "jti": "2"}); again != ada {
		t.Errorf("another token of a caller: %s, %s", ada, again)
	}
	if bob := id(map[string]any{"sub": "bob"}); bob == ada {
		t.Error("two callers have one ID")
	}
	if a.Valid("abcdefghij") {
		t.Error("the ID of a key is one of a caller with a token")
	}
}

func TestForms(t *testing.T) {
	i := newIssuer(t)
	a := newAuthenticator(t, i, nil)
	for name, changes := range map[string]map[string]any{
		"audiences":           {"aud": []string{"x", audience}},
		"other audience":      {"aud": "other"},
		"begins soon":         {"nbf": time.Now().Add(30 * time.Second).Unix()},
		"ended just now":      {"exp": time.Now().Add(-30 * time.Second).Unix()},
		"fractions":           {"exp": float64(time.Now().Add(time.Hour).Unix()) + 0.5},
		"scp":                 {"scope": nil, "scp": []string{"citekit:workspace:papers"}},
		"subject with spaces": {"sub": "a b\n\x1b[31m"},
	} {
		t.Run(name, func(t *testing.T) {
			if grant := mustTake(t, a, i.token(t, "EdDSA", "d1", changes)); !grant.Has("papers") {
				t.Errorf("%+v", grant)
			}
		})
	}
	for _, typ := range []any{"JWT", "jwt", "application/at+jwt", "AT+JWT", nil} {
		mustTake(t, a, sign(t, map[string]any{"alg": "EdDSA", "kid": "d1", "typ": typ}, i.claims(nil), i.keys["d1"]))
	}
	mustTake(t, a, sign(t, map[string]any{"alg": "EdDSA"}, i.claims(nil), i.keys["d1"])) // no kid
	strict := newAuthenticator(t, i, &oidc.Options{RequireType: true})
	mustTake(t, strict, i.token(t, "EdDSA", "d1", nil))
	mustRefuse(t, strict, sign(t, map[string]any{"alg": "EdDSA", "kid": "d1", "typ": "JWT"}, i.claims(nil), i.keys["d1"]), "its type")
}

func TestRefused(t *testing.T) {
	i := newIssuer(t)
	a := newAuthenticator(t, i, &oidc.Options{Algorithms: []string{"RS256", "ES256", "EdDSA"}})
	for name, test := range map[string]struct {
		changes map[string]any
		reason  string
	}{
		"another issuer":       {map[string]any{"iss": "https://evil.example"}, "another issuer"},
		"issuer with a slash":  {map[string]any{"iss": i.URL + "/"}, "another issuer"},
		"no issuer":            {map[string]any{"iss": nil}, "another issuer"},
		"another audience":     {map[string]any{"aud": "https://mail.example"}, "another audience"},
		"audience in a string": {map[string]any{"aud": "x " + audience}, "another audience"},
		"part of an audience":  {map[string]any{"aud": audience + "/more"}, "another audience"},
		"no audience":          {map[string]any{"aud": nil}, "another audience"},
		"expired":              {map[string]any{"exp": time.Now().Add(-2 * time.Minute).Unix()}, "it has expired"},
		"no end":               {map[string]any{"exp": nil}, "it has no expiry"},
		"an end of null":       {map[string]any{"exp": 0}, "it has no expiry"},
		"not yet valid":        {map[string]any{"nbf": time.Now().Add(2 * time.Minute).Unix()}, "not valid yet"},
		"a wrong beginning":    {map[string]any{"nbf": 1e300}, "not valid yet"},
		"no subject":           {map[string]any{"sub": nil}, "no subject"},
		"an ID token":          {map[string]any{"at_hash": "x"}, "not an access token"},
		"an ID token's kind":   {map[string]any{"typ": "ID"}, "not an access token"},
		"a refresh token":      {map[string]any{"typ": "Refresh"}, "not an access token"},
		"a logout token":       {map[string]any{"events": map[string]any{}}, "not an access token"},
	} {
		t.Run(name, func(t *testing.T) { mustRefuse(t, a, i.token(t, "EdDSA", "d1", test.changes), test.reason) })
	}
}

func TestForged(t *testing.T) {
	i := newIssuer(t)
	a := newAuthenticator(t, i, &oidc.Options{Algorithms: []string{"RS256", "ES256", "EdDSA"}})
	good := i.token(t, "RS256", "r1", nil)
	mustTake(t, a, good)
	parts := strings.Split(good, ".")
	public, err := x509.MarshalPKIXPublicKey(&rsaKey().PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	header := func(algorithm, kid string) map[string]any {
		return map[string]any{"alg": algorithm, "kid": kid, "typ": "at+jwt"}
	}
	other := newEdKey(t)
	embedded := header("EdDSA", "evil")
	embedded["jwk"] = jwk("evil", other.Public())
	critical := header("EdDSA", "d1")
	critical["crit"] = []string{"x"}
	for name, test := range map[string]struct{ token, reason string }{
		"empty":                    {"", "not a JSON Web Token"},
		"a key of an operator":     {"citekit_abcdefghij_" + strings.Repeat("0", 49), "not a JSON Web Token"},
		"truncated":                {good[:len(good)-10], ""},
		"without signature":        {parts[0] + "." + parts[1] + ".", ""},
		"two parts":                {parts[0] + "." + parts[1], "not a JSON Web Token"},
		"encrypted":                {good + ".a.b", "not a JSON Web Token"},
		"padded":                   {good + "=", ""},
		"other claims":             {parts[0] + "." + part(t, i.claims(map[string]any{"sub": "root"})) + "." + parts[2], "its signature is wrong"},
		"huge":                     {good + strings.Repeat("a", 16<<10), "not a JSON Web Token"},
		"as JSON":                  {`{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`, "not a JSON Web Token"},
		"none":                     {sign(t, header("none", ""), i.claims(nil), nil), "its algorithm"},
		"None":                     {sign(t, header("None", "r1"), i.claims(nil), nil), "its algorithm"},
		"HS256, public key, DER":   {sign(t, header("HS256", "r1"), i.claims(nil), public), "its algorithm"},
		"HS256, public key, PEM":   {sign(t, header("HS256", "r1"), i.claims(nil), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})), "its algorithm"},
		"HS256, symmetric key":     {sign(t, header("HS256", "o1"), i.claims(nil), []byte("secret")), "its algorithm"},
		"an algorithm not taken":   {i.token(t, "PS256", "r1", nil), "its algorithm"},
		"another's key":            {sign(t, header("EdDSA", "d1"), i.claims(nil), other), "its signature is wrong"},
		"a key in the token":       {sign(t, embedded, i.claims(nil), other), "no such key"},
		"algorithm of another key": {sign(t, header("RS256", "d1"), i.claims(nil), rsaKey()), "no such key"},
		"a critical header":        {sign(t, critical, i.claims(nil), i.keys["d1"]), ""},
		"type of an ID token":      {sign(t, map[string]any{"alg": "EdDSA", "kid": "d1", "typ": "logout+jwt"}, i.claims(nil), i.keys["d1"]), "its type"},
	} {
		t.Run(name, func(t *testing.T) { mustRefuse(t, a, test.token, test.reason) })
	}
}

func TestSettings(t *testing.T) {
	for want, test := range map[string]struct {
		issuer    string
		audiences []string
		opts      oidc.Options
	}{
		"must be a URL such as":    {"id.example", []string{"a"}, oidc.Options{}},
		"must be a URL with https": {"http://id.example", []string{"a"}, oidc.Options{}},
		"audiences: there must be": {"https://id.example", nil, oidc.Options{}},
		"none may be empty":        {"https://id.example", []string{""}, oidc.Options{}},
		"algorithm \"HS256\"":      {"https://id.example", []string{"a"}, oidc.Options{Algorithms: []string{"RS256", "HS256"}}},
		"algorithm \"none\"":       {"https://id.example", []string{"a"}, oidc.Options{Algorithms: []string{"none"}}},
		"the list is empty":        {"https://id.example", []string{"a"}, oidc.Options{Algorithms: []string{}}},
		"skew 6m0s":                {"https://id.example", []string{"a"}, oidc.Options{Skew: 6 * time.Minute}},
		"scope \"x\": its rule":    {"https://id.example", []string{"a"}, oidc.Options{Scopes: map[string]oidc.Rule{"x": {}}}},
	} {
		if _, err := oidc.New(test.issuer, test.audiences, &test.opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want %q", err, want)
		}
	}
}

func TestScopes(t *testing.T) {
	i := newIssuer(t)
	rules := map[string]oidc.Rule{
		"papers.read": {Workspaces: []string{"papers"}, Toolsets: []string{"read", "search"}},
		"notes.all":   {Workspaces: []string{"notes"}, Toolsets: []string{"all"}},
		"mail.write":  {Workspaces: []string{"mail"}, Toolsets: []string{"write"}},
		"careful":     {ReadOnly: true},
	}
	const papers = "citekit:workspace:papers"
	for name, test := range map[string]struct {
		claim  string
		claims map[string]any
		want   access.Grant
	}{
		"none":                   {"", map[string]any{"scope": "openid profile"}, access.Grant{}},
		"no claim":               {"", map[string]any{"scope": nil}, access.Grant{}},
		"of another kind":        {"", map[string]any{"scope": 7}, access.Grant{}},
		"without a name":         {"", map[string]any{"scope": "citekit:workspace: citekit:tools: citekit:nonsense:x"}, access.Grant{}},
		"all tools":              {"", map[string]any{"scope": papers}, access.Grant{Workspaces: []string{"papers"}}},
		"two workspaces, in row": {"", map[string]any{"scope": papers + " citekit:workspace:a " + papers}, access.Grant{Workspaces: []string{"papers", "a"}}},
		"toolsets add up":        {"", map[string]any{"scope": papers + " citekit:toolset:read citekit:toolset:search"}, access.Grant{Workspaces: []string{"papers"}, Toolsets: []string{"read", "search"}}},
		"the toolset of all":     {"", map[string]any{"scope": papers + " citekit:toolset:read citekit:toolset:all"}, access.Grant{Workspaces: []string{"papers"}}},
		"tools, read-only":       {"", map[string]any{"scope": papers + " citekit:tools:getNode citekit:read-only"}, access.Grant{Workspaces: []string{"papers"}, Tools: []string{"getNode"}, ReadOnly: true}},
		"a rule":                 {"", map[string]any{"scp": []string{"papers.read"}, "scope": nil}, access.Grant{Workspaces: []string{"papers"}, Toolsets: []string{"read", "search"}}},
		"a rule of all":          {"", map[string]any{"scope": "papers.read notes.all careful"}, access.Grant{Workspaces: []string{"papers", "notes"}, Toolsets: []string{"read", "search"}, ReadOnly: true}},
		"rules that differ":      {"", map[string]any{"scope": "papers.read mail.write"}, access.Grant{Workspaces: []string{"papers", "mail"}, Toolsets: []string{}}},
		"a rule and a scope":     {"", map[string]any{"scope": "papers.read citekit:toolset:read citekit:toolset:write"}, access.Grant{Workspaces: []string{"papers"}, Toolsets: []string{"read"}}},
		"a claim":                {"https://x.example/roles", map[string]any{"https://x.example/roles": []string{papers}, "scope": "citekit:workspace:a"}, access.Grant{Workspaces: []string{"papers"}}},
		"a claim within":         {"realm.access.roles", map[string]any{"realm": map[string]any{"access": map[string]any{"roles": []string{papers}}}}, access.Grant{Workspaces: []string{"papers"}}},
		"a claim not there":      {"realm.access.roles", map[string]any{"realm": 7}, access.Grant{}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthenticator(t, i, &oidc.Options{Scopes: rules, ScopeClaim: test.claim})
			grant := *mustTake(t, a, i.token(t, "EdDSA", "d1", test.claims))
			grant.ID, grant.Expires = "", time.Time{}
			if diff := cmp.Diff(test.want, grant); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzAuthenticate checks that whatever is sent is refused, and no panic.
func FuzzAuthenticate(f *testing.F) {
	i := newIssuer(f)
	a := newAuthenticator(f, i, nil)
	good := i.token(f, "EdDSA", "d1", nil)
	f.Add(good[:len(good)-1])
	f.Add("a.b.c")
	f.Add(part(f, map[string]any{"alg": "EdDSA"}) + "." + part(f, map[string]any{"iss": i.URL}) + ".")
	f.Fuzz(func(t *testing.T, token string) {
		if _, err := a.Authenticate(t.Context(), token); token != good && !errors.Is(err, access.ErrRefused) {
			t.Fatalf("%q: %v", token, err)
		}
	})
}
