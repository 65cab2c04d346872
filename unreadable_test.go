package citekit_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// A deniedWorkspace has sources that the system keeps from the program.
type deniedWorkspace struct{ citekit.Workspace }

func (deniedWorkspace) OpenSource(_ context.Context, path string) (*citekit.Source, error) {
	return nil, &fs.PathError{Op: "open", Path: "/secret/" + path, Err: fs.ErrPermission}
}

// TestUnreadableSource checks that a source inside the roots that cannot be
// read is not said to be outside them.
func TestUnreadableSource(t *testing.T) {
	memory := workspace.NewMemory(nil)
	if err := memory.WriteMap(t.Context(), "a", []byte(`{"resource_id":"a","type":"text","source_path":"a.txt","nodes":[]}`)); err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(deniedWorkspace{memory}, citekit.Resolvers{citekit.Text: &text.Resolver{}}, nil)
	defer lib.Close()
	_, resolved := lib.ResolveAddress(t.Context(), parse(t, "text://a#lines=1"), nil)
	_, file := lib.ResolveFile(t.Context(), "a.txt", citekit.Location{}, nil)
	for _, err := range []error{resolved, file} {
		if !errors.Is(err, citekit.ErrForbidden) || !strings.Contains(err.Error(), "permission denied") ||
			strings.Contains(err.Error(), "roots") || strings.Contains(err.Error(), "secret") {
			t.Errorf("error %v", err)
		}
	}
}
