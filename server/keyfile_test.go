package server_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/server"
)

// TestRevokedInFile checks that a call ends whose key another process revokes in the
// file, also where the server takes other tokens too.
func TestRevokedInFile(t *testing.T) {
	sharedtest.NotShort(t)
	t.Parallel()
	slow := newSlow()
	_, workspaces := slowPlace(t, slow)
	path := filepath.Join(t.TempDir(), "keys.json")
	open := func() *access.KeyFile {
		f, err := access.OpenKeyFile(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	operator := open()
	key, token, err := operator.New(t.Context(), access.Key{Workspaces: []string{"slow"}})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, workspaces, &server.Options{Authenticator: access.Several(open())})
	session := s.as(token).session()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		answer, err := session.do(ctx, "POST", "/mcp", toolCall("resolve", map[string]any{"address": "audio://slow#t=1-2"}))
		if err == nil {
			answer.Body.Close()
		}
		ended <- err
	}()
	<-slow.started
	if _, err := operator.Revoke(ctx, key.ID); err != nil {
		t.Fatal(err)
	}
	<-slow.cancelled
	<-ended
	if status, _, _ := session.send("POST", "/mcp", message("ping", nil)); status != 401 {
		t.Errorf("after it: %d", status)
	}
}
