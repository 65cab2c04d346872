package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/citekit/citekit"
)

// ListMaps implements [citekit.Workspace]. It does not list files that are not
// regular, or names that begin with a dot. It opens only maps with cut names,
// which belong to very long ids.
func (d *Directory) ListMaps(ctx context.Context, after string, limit int) ([]string, error) {
	root, info, err := d.maps.open()
	if errors.Is(err, fs.ErrNotExist) {
		return []string{}, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	l, err := d.listings.get(ctx, d.maps.path, root, info)
	if err != nil {
		return nil, fmt.Errorf("list the maps: %w", d.maps.denied(".", err))
	}
	return append([]string{}, page(l.ids, after, limit)...), nil
}

// MapsStamp returns a stamp that changes whenever a map is written through a
// workspace, added or deleted, in this process or another. It returns the zero
// Stamp if changes cannot be detected: right after a change, or before there
// are maps. It does not detect that an editor wrote to a map in place.
func (d *Directory) MapsStamp(ctx context.Context) (citekit.Stamp, error) {
	_, info, err := d.maps.open()
	if errors.Is(err, fs.ErrNotExist) || err == nil && isRacy(info, time.Now()) {
		return citekit.Stamp{}, ctx.Err()
	}
	if err != nil {
		return citekit.Stamp{}, fmt.Errorf("list the maps: %w", d.maps.denied(".", err))
	}
	return stampOf(info), ctx.Err()
}

// page returns the sorted ids that are greater than after, at most limit unless
// that is zero.
func page(ids []string, after string, limit int) []string {
	if after != "" {
		i, found := slices.BinarySearch(ids, after)
		if found {
			i++
		}
		ids = ids[i:]
	}
	if limit > 0 {
		ids = ids[:min(limit, len(ids))]
	}
	return ids
}

// StatMap implements [citekit.Workspace].
func (d *Directory) StatMap(ctx context.Context, id string) (citekit.Stamp, error) {
	_, _, info, err := d.findMap(ctx, id)
	if err != nil {
		return citekit.Stamp{}, err
	}
	return stampOf(info), nil
}

// ReadMap implements [citekit.Workspace].
func (d *Directory) ReadMap(ctx context.Context, id string, max int64) ([]byte, citekit.Stamp, error) {
	root, name, _, err := d.findMap(ctx, id)
	if err != nil {
		return nil, citekit.Stamp{}, err
	}
	f, info, err := openPlain(root, name, errMapNotPlain)
	if err != nil {
		return nil, citekit.Stamp{}, fmt.Errorf("map: %w", d.maps.denied(name, err))
	}
	defer f.Close()
	data, err := readAtMost(f, info.Size(), max)
	if err != nil {
		return nil, citekit.Stamp{}, fmt.Errorf("map: %w", d.maps.denied(name, err))
	}
	return data, stampOf(info), nil
}

// readAtMost reads a file of the given size, and anything added to it since.
func readAtMost(r io.Reader, size, max int64) ([]byte, error) {
	if size > max {
		return nil, fmt.Errorf("%d bytes; at most %d: %w", size, max, citekit.ErrTooLarge)
	}
	data := make([]byte, 0, size+1) // the read that finds the end needs room
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > max:
			return nil, fmt.Errorf("more than %d bytes: %w", max, citekit.ErrTooLarge)
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

// WriteMap implements [citekit.Workspace].
func (d *Directory) WriteMap(ctx context.Context, id string, data []byte) error {
	_, err := d.writeMap(ctx, id, data, nil)
	return err
}

// WriteMapIf implements [citekit.Workspace].
func (d *Directory) WriteMapIf(ctx context.Context, id string, data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	return d.writeMap(ctx, id, data, &stamp)
}

// writeMap stores a map. If stamp is not nil, the current map must have it.
func (d *Directory) writeMap(ctx context.Context, id string, data []byte, stamp *citekit.Stamp) (citekit.Stamp, error) {
	now, err := d.replaceMap(ctx, id, data, stamp)
	if err != nil {
		return citekit.Stamp{}, fmt.Errorf("store the map: %w", withoutPath(d.maps.fault(mapsUnwritable, err)))
	}
	return now, nil
}

func (d *Directory) replaceMap(ctx context.Context, id string, data []byte, stamp *citekit.Stamp) (now citekit.Stamp, err error) {
	if err := citekit.CheckResourceID(id); err != nil {
		return now, err
	}
	root, err := d.maps.make()
	if err != nil {
		return now, err
	}
	// Slow work is done before the lock, so other writers need not wait for it.
	t, err := d.maps.perms.createTemp(root, ".")
	if err != nil {
		return now, err
	}
	_, err = t.Write(data)
	if err == nil {
		err = t.Sync()
	}
	if err != nil {
		t.discard()
		return now, err
	}
	if now, err = d.placeMap(ctx, root, id, t, stamp); err != nil {
		return now, err
	}
	return now, d.mapsSync.sync(func() error { return syncDir(root, ".") })
}

// placeMap gives a written map its name. If stamp is not nil, the current map
// must have it. If placeMap fails, the file is gone.
func (d *Directory) placeMap(ctx context.Context, root *os.Root, id string, t *tempFile, stamp *citekit.Stamp) (now citekit.Stamp, err error) {
	unlock, err := d.maps.lock(ctx, root)
	if err != nil {
		t.discard()
		return now, err
	}
	defer unlock()
	d.sweepMap.Do(func() { err = removeOldTemps(ctx, root, ".", d.now()) })
	name, old := fileName(id), fs.FileInfo(nil)
	if err == nil {
		name, old, err = d.nameForMap(ctx, id)
	}
	if err == nil && stamp != nil && stampOf(old) != *stamp {
		err = mapConflict(stampOf(old))
	}
	if err == nil && old != nil {
		err = errors.Join(t.follow(old), t.Sync())
	}
	if err != nil {
		t.discard()
		return now, err
	}
	own, err := t.Stat()
	if err != nil {
		t.discard()
		return now, err
	}
	if err := t.finish(false); err != nil {
		return now, err
	}
	if err := t.rename(name); err != nil {
		return now, err
	}
	written, err := root.Lstat(name)
	if err != nil || !os.SameFile(own, written) {
		written = own // another process replaced the map since; the stamp of ours matches no map
	}
	return stampOf(written), nil
}

// stampOf returns the stamp of a map from the metadata of its file, or the zero
// stamp for nil.
func stampOf(info fs.FileInfo) citekit.Stamp {
	if info == nil {
		return citekit.Stamp{}
	}
	return citekit.Stamp{Identity: identity(info)}
}

// mapConflict returns the error for a map that has changed since the caller
// read it.
func mapConflict(now citekit.Stamp) error {
	if now == (citekit.Stamp{}) {
		return fmt.Errorf("the map is not there any more: %w", citekit.ErrConflict)
	}
	return fmt.Errorf("the map was changed by another writer: %w", citekit.ErrConflict)
}

// nameForMap returns the name of the file for a map, and the metadata of the
// current one. A new file takes over its permissions and gets a later time, so
// that stamps differ however fast maps are written.
func (d *Directory) nameForMap(ctx context.Context, id string) (name string, old fs.FileInfo, err error) {
	_, there, old, err := d.findMap(ctx, id)
	switch {
	case err == nil:
		return there, old, nil
	case errors.Is(err, fs.ErrNotExist), err == errMapNotPlain:
		return fileName(id), nil, nil
	}
	return "", nil, err
}

// MapPath implements [MapPather]. For a missing map it is the plain
// <id>.json where a person could put it, else the name that WriteMap would give
// it.
func (d *Directory) MapPath(id string) string {
	name := shownName(id)
	if _, there, _, err := d.findMap(context.Background(), id); err == nil {
		name = there
	}
	path := filepath.Join(d.maps.path, name)
	if rel, err := filepath.Rel(d.base, path); err == nil {
		path = rel
	}
	return filepath.ToSlash(path)
}

// findMap returns the location of the map of id: under its name, or under the
// name that earlier implementations gave it.
func (d *Directory) findMap(ctx context.Context, id string) (*os.Root, string, fs.FileInfo, error) {
	root, dirInfo, err := d.maps.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil, missing("map")
	}
	if err != nil {
		return nil, "", nil, err
	}
	name := fileName(id)
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		name, info, err = d.findOlder(ctx, root, dirInfo, id)
	}
	if err != nil {
		return nil, "", nil, fmt.Errorf("map: %w", d.maps.denied(name, err))
	}
	if !info.Mode().IsRegular() {
		return nil, "", nil, errMapNotPlain
	}
	return root, name, info, nil
}

// findOlder looks for the map of id under its older name. The file system may
// find a file whose name differs in case or Unicode form and which is the map
// of another id, so findOlder consults the listing.
func (d *Directory) findOlder(ctx context.Context, root *os.Root, dirInfo fs.FileInfo, id string) (string, fs.FileInfo, error) {
	name, ok := olderName(id)
	if !ok {
		return "", nil, fs.ErrNotExist
	}
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return "", nil, fs.ErrNotExist
	}
	l, err := d.listings.get(ctx, d.maps.path, root, dirInfo)
	if err != nil {
		return "", nil, err
	}
	if _, there := l.older[name]; !there {
		return "", nil, fs.ErrNotExist
	}
	return name, info, nil
}

// openPlain opens a regular file in root, or returns notPlain if it is not
// regular. It does not follow a link at the last step, except one made this
// instant, and does not wait for a pipe.
func openPlain(root *os.Root, name string, notPlain error) (*os.File, fs.FileInfo, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, notPlain
	}
	return openRegular(root, name, notPlain)
}

// openRegular opens a file, or returns notPlain if the open file is not
// regular.
func openRegular(root *os.Root, name string, notPlain error) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = notPlain
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
