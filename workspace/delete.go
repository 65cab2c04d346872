package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/citekit/citekit"
)

var _ Deleter = (*Directory)(nil)

// DeleteMaps implements [Deleter]. A grant is removed right after the
// last map that needed it. Pinned versions of sources are removed only once the
// deletion of the maps is durable, so that an interruption never leaves a map
// without the pin of its source.
func (d *Directory) DeleteMaps(ctx context.Context, maps []MapVersion) (deleted int, err error) {
	deleted, failed := d.deleteMapFiles(ctx, maps)
	if failed != nil {
		err = fmt.Errorf("delete the map: %w", withoutPath(d.maps.fault(mapsUnwritable, failed)))
	}
	ctx = context.WithoutCancel(ctx) // finish what was begun
	for _, m := range maps[:deleted] {
		err = errors.Join(err, d.deletePin(ctx, m.ID))
	}
	return deleted, err
}

// deleteMapFiles deletes maps and the grants that only they needed, and waits
// until that is on disk. If the wait fails, no map is reported as deleted.
func (d *Directory) deleteMapFiles(ctx context.Context, maps []MapVersion) (deleted int, err error) {
	if len(maps) == 0 {
		return 0, nil
	}
	if err := citekit.CheckResourceID(maps[0].ID); err != nil {
		return 0, err
	}
	root, _, _, err := d.findMap(ctx, maps[0].ID) // nothing is locked if the map does not exist
	if err != nil {
		return 0, err
	}
	unlock, err := d.maps.lock(ctx, root)
	if err != nil {
		return 0, err
	}
	defer unlock()
	released := false
	for _, m := range maps {
		named := d.outsideSources(ctx, m.ID)
		if failed := d.deleteMapFile(ctx, root, m); failed != nil {
			err = errors.Join(err, failed)
			break
		}
		deleted++
		for _, abs := range named {
			err = errors.Join(err, d.release(abs, m.ID))
			released = true
		}
	}
	if released {
		err = errors.Join(err, d.syncGrants())
	}
	if deleted == 0 {
		return 0, err
	}
	if failed := syncDir(root, "."); failed != nil {
		return 0, errors.Join(err, failed)
	}
	return deleted, err
}

// deleteMapFile deletes a map in root, and the file that an earlier
// implementation wrote for it, which would otherwise take its place.
func (d *Directory) deleteMapFile(ctx context.Context, root *os.Root, m MapVersion) error {
	if err := errors.Join(citekit.CheckResourceID(m.ID), ctx.Err()); err != nil {
		return err
	}
	in, name, info, err := d.findMap(ctx, m.ID)
	switch {
	case err != nil:
		return err
	case in != root, identity(info) != m.Stamp.Identity:
		return fmt.Errorf("the map was replaced just now: %w", citekit.ErrConflict)
	}
	for err == nil {
		if err := root.Remove(name); err != nil {
			return err
		}
		_, name, _, err = d.findMap(ctx, m.ID)
	}
	return ignoreMissing(err)
}

func (d *Directory) deletePin(ctx context.Context, id string) error {
	return d.removeMeta(ctx, pinName(id))
}

// removeMeta removes a file of the evidence directory while no one writes
// there. A missing file is not an error.
func (d *Directory) removeMeta(ctx context.Context, name string) error {
	root, _, err := d.evidence.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := d.evidence.lock(ctx, root)
	if err != nil {
		return err
	}
	defer unlock()
	return removeFile(root, name)
}

// removeFile removes a file, a link or a pipe, and leaves a directory alone. A
// missing name is not an error.
func removeFile(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err == nil && !info.IsDir() {
		err = root.Remove(name)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return storageFault(evidenceUnwritable, withoutPath(err))
}

// DeleteKept implements [Deleter].
func (d *Directory) DeleteKept(ctx context.Context, k Kept) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch k.Kind {
	case KeptEvidence:
		return d.deleteEvidence(ctx, k)
	case KeptPin:
		return d.removeMeta(ctx, path.Join(pinsDir, path.Base(k.Name)))
	case KeptGrant:
		return d.dropGrant(path.Base(k.Name))
	case KeptScrap:
		return d.deleteScrap(ctx, k)
	}
	return fmt.Errorf("there is nothing of the kind %q: %w", k.Kind, errors.ErrUnsupported)
}

// deleteEvidence removes a file and then its record, unless the evidence was
// stored again since. A record without a file is detected; a file without a
// record would stay.
func (d *Directory) deleteEvidence(ctx context.Context, k Kept) error {
	if err := checkKey(k.Name); err != nil {
		return err
	}
	root, _, err := d.evidence.open()
	if err != nil {
		return ignoreMissing(err)
	}
	unlock, err := d.evidence.lock(ctx, root)
	if err != nil {
		return err
	}
	defer unlock()
	held, err := d.readHeld(root, k.Name)
	if err != nil || held.Meta.Resource != k.ResourceID || held.Meta.SourceHash != k.SourceHash {
		return nil
	}
	d.records.remove(k.Name)
	if err := removeFile(root, held.Meta.Name); err != nil {
		return err
	}
	if err := removeFile(root, recordName(evidenceDir, k.Name)); err != nil {
		return err
	}
	d.freed(root, held.Meta.Size)
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
