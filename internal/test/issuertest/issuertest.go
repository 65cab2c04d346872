// Package issuertest is an identity provider for tests.
package issuertest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Audience is what tokens are for.
const Audience = "https://cite.example/mcp"

// An Issuer is an identity provider that signs tokens on a loopback address.
type Issuer struct {
	*httptest.Server
	key *ecdsa.PrivateKey
}

// New starts a provider that ends with the test.
func New(t testing.TB) *Issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		t.Fatal(err)
	}
	p, mux := &Issuer{key: key}, http.NewServeMux()
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"issuer": p.URL, "jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"ES256"}})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"keys": []any{map[string]any{
			"kty": "EC", "crv": "P-256", "kid": "k", "alg": "ES256", "use": "sig", "x": base64URL(point[1:33]), "y": base64URL(point[33:]),
		}}})
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func base64URL(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// Token returns a token with changes to the claims of one that counts: it is for audience,
// of anna, and has the scope read-red. The algorithms none and HS256 are those of attacks.
func (p *Issuer) Token(t testing.TB, algorithm string, changes map[string]any) string {
	t.Helper()
	claims := map[string]any{
		"iss": p.URL, "aud": Audience, "sub": "anna", "scope": "read-red", "iat": time.Now().Unix(), "exp": time.Now().Add(24 * time.Hour).Unix(),
	}
	maps.Copy(claims, changes)
	var parts []string
	for _, v := range []any{map[string]any{"alg": algorithm, "kid": "k", "typ": "at+jwt"}, claims} {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, base64URL(data))
	}
	input := strings.Join(parts, ".")
	switch algorithm {
	case "none":
		return input + "."
	case "HS256": // with the public key as the secret
		public, err := p.key.PublicKey.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		mac := hmac.New(sha256.New, public)
		mac.Write([]byte(input))
		return input + "." + base64URL(mac.Sum(nil))
	}
	hash := sha256.Sum256([]byte(input))
	r, s, err := ecdsa.Sign(rand.Reader, p.key, hash[:])
	if err != nil {
		t.Fatal(err)
	}
	return input + "." + base64URL(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
}
