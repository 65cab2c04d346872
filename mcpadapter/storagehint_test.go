package mcpadapter

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/citekit/citekit"
)

type fullDisk struct{ error }

func (fullDisk) StorageFault() string { return "no space left on device" }

// passing is the fault of a store that may answer again soon.
type passing struct{ fullDisk }

func (passing) Temporary() bool { return true }

// An agent is told to call again if that may help.
func TestHintOfLostStore(t *testing.T) {
	for err, want := range map[error]bool{passing{fullDisk{errors.New("lost")}}: true, fullDisk{errors.New("full")}: false} {
		if got := hintFor("search", err, citekit.CodeOf(err)); strings.Contains(got, "call again") != want {
			t.Errorf("%v: %q", err, got)
		}
	}
}

// Only a call that wants evidence is told how to get an address without it.
func TestHintOfFullDisk(t *testing.T) {
	for _, err := range []error{errors.ErrUnsupported, citekit.ErrFormat, citekit.ErrTooLarge, context.DeadlineExceeded} {
		if got := hintFor("resolve", virtualError{err}, citekit.CodeOf(err)); strings.Contains(got, "virtual") {
			t.Errorf("%v: %q", err, got)
		}
	}
	for _, err := range []error{fullDisk{errors.New("full")}, citekit.ErrNotStored} {
		for tool, want := range map[string]bool{"resolve": true, "search": false, "getContents": false} {
			if got := hintFor(tool, err, citekit.CodeOf(err)); got == "" || strings.Contains(got, "virtual") != want {
				t.Errorf("%s: %v: %q", tool, err, got)
			}
			if got := hintFor(tool, virtualError{err}, citekit.CodeOf(err)); strings.Contains(got, "virtual") {
				t.Errorf("%s with virtual: %v: %q", tool, err, got)
			}
		}
	}
}
