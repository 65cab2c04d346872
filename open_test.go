package citekit_test

import (
	"errors"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/linetest"
)

// TestOpen opens the source of a map until it is another.
func TestOpen(t *testing.T) {
	f := linetest.New(t)
	opened, err := f.Open(t.Context(), citekit.Address{Resource: "poem"})
	if err != nil {
		t.Fatal(err)
	}
	m, src := opened.Map, opened.Source
	if m.ResourceID != "poem" || src.Size() != 18 || src.Declared() != citekit.Text {
		t.Errorf("the map %q, %d bytes, declared %q", m.ResourceID, src.Size(), src.Declared())
	}
	src.Close()
	f.Write(t, "poem.txt", "another poem")
	var failed *citekit.ResolveError
	if _, err := f.Open(t.Context(), citekit.Address{Resource: "poem"}); !errors.Is(err, citekit.ErrStale) || !errors.As(err, &failed) {
		t.Errorf("a changed source: %v", err)
	}
	if _, err := f.Open(t.Context(), citekit.Address{Resource: "none"}); citekit.CodeOf(err) != message.CodeNotFound {
		t.Errorf("a resource that is not there: %v", err)
	}
}
