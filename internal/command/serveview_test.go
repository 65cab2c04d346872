//go:build unix

package command

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestServeView checks that a person with a key of a file sees its workspace, until the key
// is revoked, and that answers lead to the pages.
func TestServeView(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "keys.json")
	made := &teamServer{t: t, dir: t.TempDir()}
	red := made.run("key", "new", "--keys", keys, "--workspace", "red")
	s := startTeam(t, "public_url: https://cite.example\nview: true\n"+strings.ReplaceAll(teamSettings, "keys.json", keys))
	s.await("serving pages at " + s.url + "/view/")
	ask := func(method, path, body string, header ...string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		data, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer, string(data)
	}
	signedIn, body := ask("POST", "/view/-/session", "", "Authorization", "Bearer "+red)
	cookie, _, _ := strings.Cut(signedIn.Header.Get("Set-Cookie"), ";")
	if signedIn.StatusCode != 200 || !strings.Contains(body, `"workspaces":["red"]`) || !strings.HasPrefix(cookie, "__Host-citekit_session_") {
		t.Fatalf("%s %s %s", signedIn.Status, cookie, body)
	}
	search := func() (*http.Response, string) {
		return ask("POST", "/v1/search", `{"q": "says"}`, "Cookie", cookie, "Origin", s.url)
	}
	if found, body := search(); found.StatusCode != 200 || !strings.Contains(body, `"link":"https://cite.example/view/text://red%23lines=1-1?w=red"`) {
		t.Errorf("%s %s", found.Status, body)
	}
	status, body := s.request(red, "", "tools/call", `"name":"search","arguments":{"query":"says"},`)
	if status != 200 || !strings.Contains(body, "https://cite.example/view/text://red%23lines=1-1?w=red") {
		t.Errorf("over MCP: %d %s", status, body)
	}
	if page, body := ask("GET", "/view/text://red%23lines=1-1?w=red", ""); page.StatusCode != 200 || !strings.Contains(body, "<html") {
		t.Errorf("%s %s", page.Status, body)
	}
	_, rest, _ := strings.Cut(red, "_")
	id, _, _ := strings.Cut(rest, "_")
	made.run("key", "revoke", "--keys", keys, id)
	s.until("the session ends", func() bool {
		ended, _ := search()
		return ended.StatusCode == 401
	})
}

// TestServeWithoutView checks that a server has no pages unless it is asked for them.
func TestServeWithoutView(t *testing.T) {
	s := startTeam(t, "public_url: https://cite.example\nlimits: {calls: 5}\nworkspaces: {red: {dir: red}}\ntransport: http\nport: 0\n")
	for _, path := range []string{"/", "/view/", "/view/-/session", "/view/-/assets/app.js"} {
		if status, _ := s.get(path); status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if status, body := s.request("", "", "tools/call", `"name":"search","arguments":{"query":"says"},`); status != 200 || strings.Contains(body, "/view/") {
		t.Errorf("%d %s", status, body)
	}
}
