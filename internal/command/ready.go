package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/command/internal/config"
	"github.com/citekit/citekit/search"
)

// probeBytes is how much a probe writes to see whether there is room: more than a
// file system may reserve for file names.
const probeBytes = 64 << 10

// readiness returns a check of whether a workspace can still be served: its folders
// and its maps can be read, the folders are the same as at the start, and there is room
// to write evidence and the index.
func readiness(w config.Workspace, readOnly bool) (func(context.Context) error, error) {
	var folders []folder
	for _, dir := range append([]string{w.Dir}, w.Roots...) {
		info, err := os.Stat(dir)
		if err != nil {
			return nil, err
		}
		folders = append(folders, folder{dir, info})
	}
	kept := within(w.Dir, cmp.Or(w.EvidenceDir, ".citekit_output"))
	maps := within(w.Dir, cmp.Or(w.MapsDir, ".resource_maps"))
	return func(ctx context.Context) error {
		for _, f := range folders {
			if err := errors.Join(ctx.Err(), f.check()); err != nil {
				return err
			}
		}
		err := readable(maps)
		if errors.Is(err, os.ErrNotExist) {
			err = nil // nothing is mapped yet
		}
		if readOnly || err != nil {
			return err
		}
		return checkRoom(w.Dir, kept)
	}, nil
}

// storeReadiness returns a check of whether a store can be read.
func storeReadiness(ws citekit.Workspace) func(context.Context) error {
	if w, ok := ws.(readier); ok {
		return w.Ready
	}
	return func(ctx context.Context) error {
		_, err := ws.ListMaps(ctx, "", 1)
		return err
	}
}

// fetchWait is how long a check waits for the index to be fetched. The next one asks again.
const fetchWait = 500 * time.Millisecond

// andIndex returns a check that also reports an index that searches would have to fetch
// first.
func andIndex(ready func(context.Context) error, s *search.Searcher) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := ready(ctx); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, fetchWait)
		defer cancel()
		if err := s.Ready(ctx); err != nil {
			return errors.New(err.Error()) // it does not say that the workspace is gone
		}
		return nil
	}
}

// A folder remembers the identity of a folder at the start.
type folder struct {
	dir string
	was os.FileInfo
}

// check returns an error if the folder is gone, was replaced, or cannot be read.
func (f folder) check() error {
	d, err := os.Open(f.dir)
	if err != nil {
		return err
	}
	defer d.Close()
	info, err := d.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(info, f.was) {
		return fmt.Errorf("%s is not the same folder as when the server started; is a disk not mounted? (%w)", f.dir, os.ErrNotExist)
	}
	if _, err := d.Readdirnames(1); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// checkRoom returns an error if nothing can be written to the folder of evidence and
// the index, or, while there is none, to the base directory.
func checkRoom(base, kept string) (err error) {
	if _, err := os.Lstat(kept); errors.Is(err, os.ErrNotExist) {
		kept = base
	}
	f, err := os.CreateTemp(kept, ".citekit-ready-*.tmp")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	_, err = f.Write(make([]byte, probeBytes))
	return err
}
