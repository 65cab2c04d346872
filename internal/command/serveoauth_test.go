//go:build unix

package command

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/issuertest"
)

// TestServeOAuth has the command take the tokens of an identity provider, and what
// they are for, and refuse others, with where tokens come from.
func TestServeOAuth(t *testing.T) {
	p := issuertest.New(t)
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
`, p.URL, issuertest.Audience))
	status, _, body := callAs(t, s.url, p.Token(t, "ES256", nil), "listResources")
	if status != http.StatusOK || !strings.Contains(body, "red") || strings.Contains(body, "blue") {
		t.Errorf("a token that counts: %d %s", status, body)
	}
	if _, _, body := callAs(t, s.url, p.Token(t, "ES256", nil), "search"); !strings.Contains(body, "unknown tool") {
		t.Errorf("a tool that the scope leaves out: %s", body)
	}
	other := issuertest.New(t)
	for name, token := range map[string]string{
		"none":               "",
		"another audience":   p.Token(t, "ES256", map[string]any{"aud": "https://other.example"}),
		"another issuer":     p.Token(t, "ES256", map[string]any{"iss": other.URL}),
		"another's key":      other.Token(t, "ES256", map[string]any{"iss": p.URL}),
		"expired":            p.Token(t, "ES256", map[string]any{"exp": time.Now().Add(-24 * time.Hour).Unix()}),
		"no algorithm":       p.Token(t, "none", nil),
		"another algorithm":  p.Token(t, "HS256", nil),
		"cut off":            p.Token(t, "ES256", nil)[:100],
		"a key of this tool": "ck_a-key-that-there-is-not-at-all-in-this-server",
	} {
		status, header, body := callAs(t, s.url, token, "listResources")
		if status != http.StatusUnauthorized || !strings.Contains(header.Get("WWW-Authenticate"), "resource_metadata=") {
			t.Errorf("%s: %d %v %s", name, status, header, body)
		}
	}
	if status, _, body := callAs(t, s.url, p.Token(t, "ES256", map[string]any{"scope": "other"}), "listResources"); status != http.StatusUnauthorized && status != http.StatusForbidden {
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
	if err := json.NewDecoder(answer.Body).Decode(&about); err != nil || about.Resource != issuertest.Audience || len(about.Servers) != 1 || about.Servers[0] != p.URL {
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
