package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
)

// TestLinkTellsItsOrigin follows a link at the server that made it, and at another
// over the same workspace, as after a restart. Both tell what it leads to and whom it
// was given to, and neither serves it once the key is revoked.
func TestLinkTellsItsOrigin(t *testing.T) {
	place, workspace := newPlace(t, modality.All(), "red", map[string]string{"rednotes.md": "One.\nTwo.\nThree.\n"})
	known := &keys{grants: map[string]*access.Grant{
		redKey:  {ID: "k-red", Workspaces: []string{"red"}},
		bothKey: {ID: "k-both", Workspaces: []string{"red"}},
	}}
	opts := &server.Options{Authenticator: known}
	first := start(t, []server.Workspace{workspace}, opts)
	link := first.as(redKey).session().evidenceLink("text://rednotes#lines=2-3")
	if strings.Contains(link, "rednotes") || strings.Contains(link, "k-red") {
		t.Errorf("the link shows where it comes from: %s", link)
	}
	second := start(t, []server.Workspace{{Name: "red", Hosted: host(t, place.lib)}}, opts)
	told := func(at *runningServer, outcome string) server.Event {
		return at.journal.await(t, "a link with the outcome "+outcome, func(e server.Event) bool { return e.Method == transport.MethodEvidence && e.Outcome == outcome })
	}
	check := func(e server.Event) {
		t.Helper()
		if e.Caller != "k-red" || e.Workspace != "red" || e.Resource != "rednotes" {
			t.Errorf("told of a link: %+v", e)
		}
	}
	for _, s := range []*runningServer{first, second} {
		if status, _, body := s.as("").send("GET", link, ""); status != 200 || body != "Two.\nThree.\n" {
			t.Errorf("the link: %d %q", status, body)
		}
		check(told(s, server.OutcomeOK))
	}
	// Who is refused is told, with what was asked for.
	if status, _, _ := second.as(bothKey).send("GET", link, ""); status != 403 {
		t.Errorf("the link of another: %d", status)
	}
	if e := told(second, "FORBIDDEN"); e.Caller != "k-both" || e.Resource != "rednotes" {
		t.Errorf("told of the link of another: %+v", e)
	}
	if status, _, _ := second.as("").send("GET", strings.Replace(link, "ticket=", "ticket=A", 1), ""); status != 403 {
		t.Errorf("a forged link: %d", status)
	}
	known.revoke(redKey)
	third := start(t, []server.Workspace{{Name: "red", Hosted: host(t, place.lib)}}, opts)
	if status, _, _ := third.as("").send("GET", link, ""); status != 403 {
		t.Errorf("the link of a revoked key: %d", status)
	}
	check(told(third, "FORBIDDEN"))
}

// TestClaimedCaller: the log says which key a refused token names, apart from callers.
func TestClaimedCaller(t *testing.T) {
	_, _, workspaces, known := twoPlaces(t)
	var audit journal
	s := start(t, workspaces, &server.Options{Authenticator: known, Audit: slog.New(slog.NewJSONHandler(&audit, nil))})
	known.fail(&access.RefusedError{ID: "abcdefghij", Err: fmt.Errorf("its key was revoked: %w", access.ErrRefused)})
	if status, _, body := s.as("gone").send("POST", "/mcp", message("ping", nil)); status != 401 || strings.Contains(body, "abcdefghij") {
		t.Errorf("%d %s", status, body)
	}
	s.journal.await(t, "the refusal", func(e server.Event) bool { return e.Outcome == server.OutcomeUnauthenticated })
	var line map[string]any
	if err := json.Unmarshal([]byte(audit.text()), &line); err != nil || line["claimed_caller"] != "abcdefghij" || line["caller"] != nil || !strings.HasPrefix(fmt.Sprint(line["reason"]), "its key was revoked") {
		t.Errorf("%v: %s", err, audit.text())
	}
}

// TestUnavailable: what is missing is told apart from what is too much.
func TestUnavailable(t *testing.T) {
	sharedtest.NotShort(t)
	_, _, workspaces, known := twoPlaces(t)
	var gone atomic.Bool
	workspaces[0].Ready = func(context.Context) error {
		if gone.Load() {
			return fmt.Errorf("/srv/red: %w", fs.ErrNotExist)
		}
		return nil
	}
	s := start(t, workspaces, &server.Options{Authenticator: known})
	session := s.as(redKey).session()
	gone.Store(true)
	status := 0
	for end := time.Now().Add(patience); status != 503 && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		status, _, _ = s.as("").send("GET", "/readyz", "") // the server knows it from then on
	}
	if status, header, body := session.send("POST", "/mcp", toolCall("listResources", map[string]any{})); status != 503 || header.Get("Retry-After") == "" || !strings.Contains(body, "cannot be read at the moment") {
		t.Errorf("%d %v %s", status, header, body)
	}
	s.journal.await(t, "a call that cannot be answered", func(e server.Event) bool {
		return e.Outcome == server.OutcomeUnavailable && e.Workspace == "red" && e.Caller == "k-red"
	})
	known.fail(errors.New("keys.json: no such file"))
	if status, _, _ := s.as(blueKey).send("POST", "/mcp", message("ping", nil)); status != 503 {
		t.Errorf("while tokens cannot be checked: %d", status)
	}
	s.journal.await(t, "a token that cannot be checked", func(e server.Event) bool {
		return e.Outcome == server.OutcomeUnavailable && e.Workspace == ""
	})
}

// TestEvidenceFull: one workspace without room for evidence does not make the server
// unready.
func TestEvidenceFull(t *testing.T) {
	_, _, workspaces, known := twoPlaces(t)
	workspaces[1].Full = func() bool { return true }
	s := start(t, workspaces, &server.Options{Authenticator: known})
	if status, _, body := s.as("").send("GET", "/readyz", ""); status != 200 || body != "{\"ready\":true,\"degraded\":[\"evidence\"]}\n" {
		t.Errorf("readyz: %d %s", status, body)
	}
	if log := s.journal.text(); !strings.Contains(log, `"level":"WARN","msg":"degraded","check":"evidence","name":"blue"`) || strings.Contains(log, "not ready") {
		t.Errorf("log: %s", log)
	} else if !strings.Contains(log, "raise limits.evidence_per_workspace, and restart") {
		t.Errorf("the log does not say what to do: %s", log)
	}
}
