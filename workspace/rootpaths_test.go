package workspace_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/citekit/citekit/workspace"
)

func TestRootPaths(t *testing.T) {
	base, root := t.TempDir(), t.TempDir()
	d, err := workspace.Open(base, &workspace.Options{Roots: []string{filepath.Join(root, ".")}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := d.RootPaths(); !slices.Equal(got, []string{base, root}) {
		t.Errorf("%q", got)
	}
}
