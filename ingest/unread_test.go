package ingest_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/workspace"
)

// A closedMaps is a workspace some of whose maps this user may not read.
type closedMaps struct {
	*workspace.Directory
	closed map[string]bool
}

func (c *closedMaps) ReadMap(ctx context.Context, id string, max int64) ([]byte, citekit.Stamp, error) {
	if c.closed[id] {
		return nil, citekit.Stamp{}, fs.ErrPermission
	}
	return c.Directory.ReadMap(ctx, id, max)
}

// A source whose map cannot be read keeps its id: where no note tells
// whose map it is, the source fails, and gets no other map beside it, not even by
// force.
func TestIngestUnreadMap(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"lease.txt": "one\ntwo\n", "b/lease.txt": "three\n", "c.txt": "four\n"})
	ws, err := workspace.Open(f.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	closed := &closedMaps{ws, map[string]bool{}}
	f.lib = citekit.New(closed, citekit.Resolvers{citekit.Text: f.mapper}, nil)
	defer f.lib.Close()
	f.want(t, f.ingest(t, nil), "mapped b/lease.txt as lease: 1", "mapped c.txt as c: 1", "mapped lease.txt as lease-txt: 2")
	before := f.readMap(t, "lease")
	closed.closed["lease"], closed.closed["lease-txt"] = true, true
	f.write(t, "lease.txt", "one\ntwo\nthree\n")
	f.write(t, "b/lease.txt", "three\nfour\n")
	const (
		first  = "failed b/lease.txt (its map may be one that cannot be read: map 'lease': permission denied)"
		second = "failed lease.txt (its map may be one that cannot be read: map 'lease': permission denied)"
	)
	if err := os.RemoveAll(filepath.Join(f.dir, ".citekit_output")); err != nil {
		t.Fatal(err)
	}
	for _, opts := range []*ingest.Options{nil, nil, {Force: true}} {
		got := f.ingest(t, opts)
		f.want(t, []string{got[0], got[2]}, first, second)
	}
	if ids, err := ws.ListMaps(t.Context(), "", 0); err != nil || len(ids) != 3 {
		t.Errorf("maps %v, %v", ids, err)
	}
	if f.readMap(t, "lease") != before {
		t.Error("the map that could not be read was replaced")
	}
}
