package server

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
)

// TestHangingCheck: a folder that hangs is told, and those beside it stay well.
func TestHangingCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		hangs := func(context.Context) error { <-release; return nil }
		var workspaces []Workspace
		for _, name := range []string{"a", "b", "c", "d"} {
			w := Workspace{Name: name, Ready: func(context.Context) error { return nil }}
			if name == "a" {
				w.Ready = hangs
			}
			workspaces = append(workspaces, w)
		}
		checked := make(chan struct{}, 10)
		workspaces[3].Ready = func(ctx context.Context) error { checked <- struct{}{}; return ctx.Err() }
		var log bytes.Buffer
		p := newProbes(workspaces, nil, slog.New(slog.NewTextHandler(&log, nil)))
		if failing := p.look(t.Context()).failing; len(failing) != 1 || failing[0] != "workspaces" {
			t.Errorf("failing: %v", failing)
		}
		if text := log.String(); strings.Count(text, "not ready") != 1 || !strings.Contains(text, "name=a") {
			t.Errorf("log: %s", text)
		}
		<-checked
		close(release)
	})
}
