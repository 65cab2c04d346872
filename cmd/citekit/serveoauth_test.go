//go:build unix

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const oauthAudience = "https://cite.example/mcp"

// An identityProvider signs tokens on a loopback address.
type identityProvider struct {
	*httptest.Server
	key *ecdsa.PrivateKey
}

func newIdentityProvider(t *testing.T) *identityProvider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		t.Fatal(err)
	}
	p, mux := &identityProvider{key: key}, http.NewServeMux()
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

// token returns a token with changes to the header and claims of one that counts.
func (p *identityProvider) token(t *testing.T, algorithm string, changes map[string]any) string {
	t.Helper()
	claims := map[string]any{
		"iss": p.URL, "aud": oauthAudience, "sub": "anna", "scope": "read-red", "iat": time.Now().Unix(), "exp": time.Now().Add(24 * time.Hour).Unix(),
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

// TestServeOAuth has the command take the tokens of an identity provider, and what
// they are for, and refuse others, with where tokens come from.
func TestServeOAuth(t *testing.T) {
	p := newIdentityProvider(t)
	s := startTeam(t, fmt.Sprintf(`transport: http
port: 0
workspaces:
  red: {dir: red}
  blue: {dir: blue}
oauth:
  issuer: %s
  resource: %s
  scopes: [read-red]
  grants:
    read-red: {workspaces: [red], tools: [listResources, getNode]}
`, p.URL, oauthAudience))
	status, _, body := callAs(t, s.url, p.token(t, "ES256", nil), "listResources")
	if status != http.StatusOK || !strings.Contains(body, "red") || strings.Contains(body, "blue") {
		t.Errorf("a token that counts: %d %s", status, body)
	}
	if _, _, body := callAs(t, s.url, p.token(t, "ES256", nil), "search"); !strings.Contains(body, "unknown tool") {
		t.Errorf("a tool that the scope leaves out: %s", body)
	}
	other := newIdentityProvider(t)
	for name, token := range map[string]string{
		"none":               "",
		"another audience":   p.token(t, "ES256", map[string]any{"aud": "https://other.example"}),
		"another issuer":     p.token(t, "ES256", map[string]any{"iss": other.URL}),
		"another's key":      other.token(t, "ES256", map[string]any{"iss": p.URL}),
		"expired":            p.token(t, "ES256", map[string]any{"exp": time.Now().Add(-24 * time.Hour).Unix()}),
		"no algorithm":       p.token(t, "none", nil),
		"another algorithm":  p.token(t, "HS256", nil),
		"cut off":            p.token(t, "ES256", nil)[:100],
		"a key of this tool": "ck_a-key-that-there-is-not-at-all-in-this-server",
	} {
		status, header, body := callAs(t, s.url, token, "listResources")
		if status != http.StatusUnauthorized || !strings.Contains(header.Get("WWW-Authenticate"), "resource_metadata=") {
			t.Errorf("%s: %d %v %s", name, status, header, body)
		}
	}
	if status, _, body := callAs(t, s.url, p.token(t, "ES256", map[string]any{"scope": "other"}), "listResources"); status != http.StatusUnauthorized && status != http.StatusForbidden {
		t.Errorf("no scope of the settings: %d %s", status, body)
	}
	answer, err := http.Get(s.url + "/.well-known/oauth-protected-resource/mcp")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var about struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&about); err != nil || about.Resource != oauthAudience || len(about.Servers) != 1 || about.Servers[0] != p.URL {
		t.Errorf("metadata: %+v %v", about, err)
	}
}

// callAs calls a tool without a session, by the stateless version of the protocol.
func callAs(t *testing.T, url, token, tool string) (status int, header http.Header, body string) {
	t.Helper()
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{},"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, tool)
	r, err := http.NewRequest("POST", url+"/mcp", strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		r.Header.Set(key, value)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return readAnswer(t, r)
}

func readAnswer(t *testing.T, r *http.Request) (status int, header http.Header, body string) {
	t.Helper()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(data)
}
