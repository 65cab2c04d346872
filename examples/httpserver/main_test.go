package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/citekit/citekit/corpus"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

func post(t *testing.T, url, key, session, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func TestKeys(t *testing.T) {
	files, err := corpus.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.Close() })
	server := httptest.NewServer(newMux(files, parseKeys("alice=secret,bob=other")))
	t.Cleanup(server.Close)

	for _, key := range []string{"", "wrong", "alice"} {
		if resp := post(t, server.URL, key, "", initialize); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("key %q: %s", key, resp.Status)
		}
	}
	resp := post(t, server.URL, "secret", "", initialize)
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), `"serverInfo"`) {
		t.Fatalf("%s, %v: %s", resp.Status, err, body)
	}
	session := resp.Header.Get("Mcp-Session-Id")
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`
	if resp := post(t, server.URL, "secret", session, list); resp.StatusCode != http.StatusOK {
		t.Errorf("the session's user: %s", resp.Status)
	}
	if resp := post(t, server.URL, "other", session, list); resp.StatusCode < 400 {
		t.Errorf("another user: %s", resp.Status)
	}
	health, err := http.Get(server.URL + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer health.Body.Close()
	if health.StatusCode != http.StatusOK {
		t.Errorf("health: %s", health.Status)
	}
}
