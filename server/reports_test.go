package server_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit/server"
)

// An observer of a test does what it is told to.
type observer func(server.Event)

func (o observer) Observe(_ context.Context, e server.Event) { o(e) }

// TestSlowObserver has an observer that takes its time: answers come all the same,
// and a server that was shut down has told it all, in the order of the calls.
func TestSlowObserver(t *testing.T) {
	_, _, workspaces, known := twoPlaces(t)
	release := make(chan struct{})
	var mu sync.Mutex
	var seen []string
	s := start(t, workspaces, &server.Options{Authenticator: known, Observer: observer(func(e server.Event) {
		<-release
		mu.Lock()
		defer mu.Unlock()
		if e.Tool != "" {
			seen = append(seen, e.RequestID)
		}
	})})
	c := s.as(redKey).session()
	var want []string
	for i := range 50 {
		id := "call-" + string(rune('A'+i))
		want = append(want, id)
		c.header.Set("X-Request-Id", id)
		if text, failed := c.tool("listResources", map[string]any{}); failed {
			t.Fatal(text)
		}
	}
	close(release)
	if err := s.server.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(seen, " "); got != strings.Join(want, " ") {
		t.Errorf("told of %s", got)
	}
}

// TestPanickingObserver has an observer whose panic ends nothing.
func TestPanickingObserver(t *testing.T) {
	_, _, workspaces, known := twoPlaces(t)
	s := start(t, workspaces, &server.Options{Authenticator: known, Observer: observer(func(server.Event) { panic("no\x1b[31m") })})
	c := s.as(redKey).session()
	for range 3 {
		if text, failed := c.tool("listResources", map[string]any{}); failed {
			t.Fatal(text)
		}
	}
	if err := s.server.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if log := s.journal.text(); strings.Count(log, `"tool":"listResources"`) != 3 || strings.Count(log, "panicked") < 3 || strings.Contains(log, "\x1b") {
		t.Errorf("%s", log)
	}
}
