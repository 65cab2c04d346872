//go:build unix

package cloud_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace/driver"
)

// TestReadNotes reads those notes of a kind that there are.
func TestReadNotes(t *testing.T) {
	w := open(t, schema(t), driver.NewMemory())
	names := []string{"none"}
	for i := range 4 {
		name := fmt.Sprintf("note %d", i)
		if _, err := w.WriteNoteIf(t.Context(), "things", name, []byte(name), citekit.Stamp{}); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if _, err := w.WriteNoteIf(t.Context(), "others", "none", nil, citekit.Stamp{}); err != nil {
		t.Fatal(err)
	}
	notes, err := w.ReadNotes(t.Context(), "things", names)
	if err != nil || len(notes) != 4 {
		t.Fatalf("%d notes, %v; want 4", len(notes), err)
	}
	for name, n := range notes {
		data, stamp, err := w.ReadNote(t.Context(), "things", name)
		if err != nil || n.Name != name || string(n.Data) != string(data) || n.Stamp != stamp {
			t.Errorf("%q is %+v; alone it is %q, %v, %v", name, n, data, stamp, err)
		}
	}
	if _, err := w.ReadNotes(t.Context(), "No Kind", names); !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("a kind that is none: %v", err)
	}
}
