package mcpadapter

import (
	"errors"
	"strings"
	"testing"

	"github.com/citekit/citekit"
)

type fullDisk struct{ error }

func (fullDisk) StorageFault() string { return "no space left on device" }

// Only a call that wants evidence is told how to get an address without it.
func TestHintOfFullDisk(t *testing.T) {
	for _, err := range []error{fullDisk{errors.New("full")}, citekit.ErrNotStored} {
		for tool, want := range map[string]bool{"resolve": true, "search": false, "getContents": false} {
			if got := hintFor(tool, err, citekit.CodeOf(err)); got == "" || strings.Contains(got, "virtual") != want {
				t.Errorf("%s: %v: %q", tool, err, got)
			}
		}
	}
}
