package oidc_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citekit/citekit/access/oidc"
)

const audience = "https://cite.example/mcp"

// An issuer is an identity provider on a loopback address.
type issuer struct {
	*httptest.Server
	fetches atomic.Int64 // of keys

	mu       sync.Mutex
	keys     map[string]crypto.Signer // by kid
	metadata func(w http.ResponseWriter, r *http.Request)
	jwks     func(w http.ResponseWriter, r *http.Request)
}

// rsaKey is made once: keys of RSA take long.
var rsaKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func newECKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newEdKey(t testing.TB) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newIssuer(t testing.TB) *issuer {
	t.Helper()
	i := &issuer{keys: map[string]crypto.Signer{"r1": rsaKey(), "e1": newECKey(t), "d1": newEdKey(t)}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		if serve := i.serves(&i.metadata); serve != nil {
			serve(w, r)
			return
		}
		respond(w, map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256", "none", "HS256"}})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, r *http.Request) {
		i.fetches.Add(1)
		if serve := i.serves(&i.jwks); serve != nil {
			serve(w, r)
			return
		}
		respond(w, i.keySet())
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) serves(what *func(http.ResponseWriter, *http.Request)) func(http.ResponseWriter, *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return *what
}

func (i *issuer) set(change func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change()
}

func respond(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}

func (i *issuer) keySet() map[string]any {
	i.mu.Lock()
	defer i.mu.Unlock()
	keys := []any{map[string]any{"kty": "new", "kid": "unheard of"}, map[string]any{"kty": "oct", "kid": "o1", "k": "c2VjcmV0"}}
	for kid, key := range i.keys {
		keys = append(keys, jwk(kid, key.Public()))
	}
	return map[string]any{"keys": keys}
}

func jwk(kid string, public crypto.PublicKey) map[string]any {
	switch k := public.(type) {
	case *rsa.PublicKey:
		return map[string]any{"kty": "RSA", "kid": kid, "use": "sig", "n": encode(k.N.Bytes()), "e": encode(big.NewInt(int64(k.E)).Bytes())}
	case *ecdsa.PublicKey:
		point, err := k.Bytes()
		if err != nil {
			panic(err)
		}
		return map[string]any{"kty": "EC", "kid": kid, "crv": "P-256", "x": encode(point[1:33]), "y": encode(point[33:])}
	case ed25519.PublicKey:
		return map[string]any{"kty": "OKP", "kid": kid, "crv": "Ed25519", "x": encode(k)}
	}
	panic(fmt.Sprintf("key of type %T", public))
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// claims returns those of a good token, with some changed; nil leaves one out.
func (i *issuer) claims(changes map[string]any) map[string]any {
	c := map[string]any{
		"iss": i.URL, "aud": audience, "sub": "ada", "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(),
		"scope": "openid citekit:workspace:papers citekit:toolset:read",
	}
	maps.Copy(c, changes)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

// token returns one that is signed with a key of the issuer.
func (i *issuer) token(t testing.TB, algorithm, kid string, changes map[string]any) string {
	t.Helper()
	i.mu.Lock()
	key := i.keys[kid]
	i.mu.Unlock()
	return sign(t, map[string]any{"alg": algorithm, "kid": kid, "typ": "at+jwt"}, i.claims(changes), key)
}

// sign returns a token. A key that is bytes is one of HMAC, and nil signs nothing.
func sign(t testing.TB, header, claims map[string]any, key any) string {
	t.Helper()
	input := part(t, header) + "." + part(t, claims)
	sum := sha256.Sum256([]byte(input))
	var signature []byte
	var err error
	switch k := key.(type) {
	case *rsa.PrivateKey:
		signature, err = signRSA(k, header["alg"], input)
	case *ecdsa.PrivateKey:
		r, s, signErr := ecdsa.Sign(rand.Reader, k, sum[:])
		signature, err = make([]byte, 64), signErr
		r.FillBytes(signature[:32])
		s.FillBytes(signature[32:])
	case ed25519.PrivateKey:
		signature = ed25519.Sign(k, []byte(input))
	case []byte:
		mac := hmac.New(sha256.New, k)
		mac.Write([]byte(input))
		signature = mac.Sum(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return input + "." + encode(signature)
}

func signRSA(key *rsa.PrivateKey, algorithm any, input string) ([]byte, error) {
	short, long := sha256.Sum256([]byte(input)), sha512.Sum512([]byte(input))
	switch algorithm {
	case "PS256":
		return rsa.SignPSS(rand.Reader, key, crypto.SHA256, short[:], nil)
	case "RS512":
		return rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA512, long[:])
	}
	return rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, short[:])
}

func part(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return encode(data)
}

func newAuthenticator(t testing.TB, i *issuer, opts *oidc.Options) *oidc.Authenticator {
	t.Helper()
	a, err := oidc.New(i.URL, []string{audience, "other"}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
