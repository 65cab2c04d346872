package ledger_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/citekit/citekit/internal/ledger"
)

func TestPins(t *testing.T) {
	pin := ledger.Pin{Identity: "i", Hash: "h"}
	data, err := json.Marshal(ledger.PinNote{Guard: "g", Version: pin.String()})
	if err != nil {
		t.Fatal(err)
	}
	if n, ok := ledger.ParsePin(data); !ok || n.Guard != "g" || n.Pin() != pin {
		t.Errorf("%+v, %v", n, ok)
	}
	if _, ok := ledger.ParsePin([]byte("v1")); ok {
		t.Error("text that is not a note was read as one")
	}
	failed := errors.New("failed")
	for _, test := range []struct {
		pin      ledger.Pin
		identity string
		hash     string
		err      error
		want     bool
	}{
		{pin, "i", "", failed, true}, {pin, "j", "h", nil, true}, {pin, "j", "k", nil, false},
		{pin, "j", "", failed, false}, {ledger.Pin{Identity: "i"}, "j", "", failed, false}, {ledger.Pin{}, "", "", failed, false},
	} {
		same, err := test.pin.Matches(t.Context(), test.identity, func(context.Context) (string, error) { return test.hash, test.err })
		asked := test.pin.Hash != "" && test.identity != "i"
		if same != test.want || (err != nil) != (asked && test.err != nil) {
			t.Errorf("%+v of %q, %q: %v, %v", test.pin, test.identity, test.hash, same, err)
		}
	}
}

func TestIDsOf(t *testing.T) {
	got := ledger.IDsOf("a.txt", func(yield func(name string, data []byte)) {
		yield("z/a.txt", ledger.Note{ID: "z-a"}.Encode())
		yield("a.txt", ledger.Note{ID: "a"}.Encode())
		yield("b.txt", ledger.Note{ID: "b"}.Encode())
		yield("y/a.txt", []byte("?"))
	})
	if !slices.Equal(got, []string{"a", "z-a"}) {
		t.Errorf("got %q", got)
	}
}
