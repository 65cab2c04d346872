package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/citekit/citekit/api"
)

// A lostStore is the fault of a store, which may pass.
type lostStore struct {
	error
	passes bool
}

func (lostStore) StorageFault() string { return "the store cannot be used" }

func (s lostStore) Temporary() bool { return s.passes }

// Callers try again later if a store does not answer, and not if it refuses.
func TestStoreDoesNotAnswer(t *testing.T) {
	for passes, want := range map[bool]int{true: http.StatusServiceUnavailable, false: http.StatusInternalServerError} {
		p := api.ProblemOf(fmt.Errorf("find the evidence: %w", lostStore{errors.New("at db.example"), passes}))
		if text := p.Detail; p.Status != want || text[:24] != "the store cannot be used" {
			t.Errorf("%v: %d %s; want %d", passes, p.Status, text, want)
		}
	}
}
