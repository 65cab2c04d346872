package mcpadapter

import (
	"errors"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
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

// No ingest is advised for a resource that is unreadable and did not change.
func TestHintOfUnreadable(t *testing.T) {
	ws := workspace.NewMemory(nil)
	lib := citekit.New(ws, nil, nil)
	defer lib.Close()
	for _, id := range []string{"bomb", "tea"} {
		ws.AddSource(id+".txt", []byte("x"))
		if err := ws.WriteMap(t.Context(), id, []byte(`{"resource_id":"`+id+`","type":"text","title":"T","source_path":"`+id+`.txt","nodes":[]}`)); err != nil {
			t.Fatal(err)
		}
	}
	a := &adapter{lib: lib, opts: Options{}}
	const help = `an ingest does not help with what did not change ('bomb'): a person replaces the files, or removes the resources with citekit rm`
	if got := a.hint(t.Context(), "", 1, []string{"bomb"}, "bomb"); !strings.HasSuffix(got, help) || strings.Contains(got, "map them again") {
		t.Error(got)
	}
	if got := a.hint(t.Context(), "", 2, []string{"bomb", "tea"}, "bomb"); !strings.HasSuffix(got, "citekit ingest tea.txt; "+help) {
		t.Error(got)
	}
}
