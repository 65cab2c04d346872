package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/citekit/citekit"
)

type pinRecord struct {
	Name    string `json:"name"`
	Guard   string `json:"guard"`
	Version string `json:"version"`
}

// Pin implements [citekit.Workspace]. Among processes the first one wins.
//
// A record that is damaged is an error matching [citekit.ErrStale]: to pin
// again would be to accept whatever the source is now. A whole record that
// was not made here, by this person's citekit, is missing: it tells nothing
// about a source that this person has seen. It came with a folder that was
// copied, or somebody planted it; who can do that can remove it as well, so
// that to refuse it would protect nobody, and make copies useless.
func (d *Directory) Pin(ctx context.Context, name, guard, version string) (string, error) {
	pinned, err := d.readPin(name, guard)
	if !errors.Is(err, fs.ErrNotExist) {
		return pinned, err
	}
	if pinned, err = d.writePin(ctx, pinRecord{Name: name, Guard: guard, Version: version}); err != nil {
		return "", fmt.Errorf("record the version of the source: %w", withoutPath(storageFault(evidenceUnwritable, err)))
	}
	return pinned, nil
}

// writePin records a version, unless another process was faster, and returns
// the one that is recorded.
func (d *Directory) writePin(ctx context.Context, r pinRecord) (string, error) {
	root, err := d.evidence.make()
	if err != nil {
		return "", err
	}
	unlock, err := d.evidence.lock(ctx, root)
	if err != nil {
		return "", err
	}
	defer unlock()
	pinned, err := d.readPin(r.Name, r.Guard)
	if !errors.Is(err, fs.ErrNotExist) {
		return pinned, err
	}
	return r.Version, d.writeOwn(root, pinName(r.Name), r, true)
}

// readPin returns the version pinned for name, or an error matching
// fs.ErrNotExist if there is none under that guard.
func (d *Directory) readPin(name, guard string) (string, error) {
	root, _, err := d.evidence.open()
	if errors.Is(err, fs.ErrNotExist) {
		return "", missing("recorded version")
	}
	if err != nil {
		return "", storageFault(evidenceUnreadable, err)
	}
	var r pinRecord
	err = d.readOwn(root, pinName(name), &r)
	if err == nil && r.Name != name {
		err = errDamaged
	}
	if errors.Is(err, fs.ErrNotExist) || err == errForeign {
		return "", missing("recorded version")
	}
	if err != nil {
		return "", fmt.Errorf("the record of the version the source had: %w; to accept the source as it is now, remove .meta/pins from the evidence directory: %w",
			withoutPath(storageFault(evidenceUnreadable, err)), citekit.ErrStale)
	}
	if r.Guard != guard {
		return "", missing("version recorded for this map")
	}
	return r.Version, nil
}

func pinName(name string) string { return recordName(pinsDir, checksum([]byte(name))) }
