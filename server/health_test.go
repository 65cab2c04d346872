package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A lostStore is the error of a store that does not answer.
type lostStore struct{ error }

func (lostStore) StorageFault() string { return "the store cannot be used" }

// TestLostStore: calls are refused while a store does not answer, and no longer.
func TestLostStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var err error
		p := newProbes([]Workspace{{Name: "a", Ready: func(context.Context) error { return err }}}, nil, slog.New(slog.DiscardHandler))
		for _, err = range []error{nil, lostStore{errors.New("lost")}, errors.New("its index is not here yet"), fmt.Errorf("while reading: %w", lostStore{errors.New("lost")}), nil} {
			time.Sleep(probeAgain)
			failing := len(p.look(t.Context()).failing) > 0
			lost := errors.As(err, new(lostStore))
			if failing != (err != nil) || p.isGone("a") != lost {
				t.Errorf("%v: not ready: %v, calls are refused: %v; want %v, %v", err, failing, p.isGone("a"), err != nil, lost)
			}
		}
	})
}

// TestStopping: a server that is told to stop says so before it does.
func TestStopping(t *testing.T) {
	p := newProbes(nil, nil, slog.New(slog.DiscardHandler))
	for _, want := range []int{http.StatusOK, http.StatusServiceUnavailable} {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", readyPath, nil))
		if w.Code != want || (want != http.StatusOK) != strings.Contains(w.Body.String(), `"stopping"`) {
			t.Errorf("%d %s; want %d", w.Code, w.Body, want)
		}
		p.stopping.Store(true)
	}
}

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
