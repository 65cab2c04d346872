package workspace

import (
	"context"
	"fmt"
	"os"

	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/localfile"
)

const (
	ingestLockName = notesDir + "/ingest.lock"
	indexLockName  = notesDir + "/index.lock"
)

// LockIngest implements [Finder] with flock, as for maps.
func (d *Directory) LockIngest(ctx context.Context) (release func(), err error) {
	release, err = d.lockIngest(ctx)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("lock the notes: %w", withoutPath(d.evidence.fault(evidenceUnwritable, err)))
	}
	return release, err
}

func (d *Directory) lockIngest(ctx context.Context) (release func(), err error) {
	if err := concurrent.Acquire(ctx, d.ingesting); err != nil {
		return nil, err
	}
	f, err := d.openNotesLock(ingestLockName)
	if err == nil {
		if err = localfile.Lock(ctx, f); err != nil {
			f.Close()
		}
	}
	if err != nil {
		<-d.ingesting
		return nil, err
	}
	return func() {
		localfile.Unlock(f)
		f.Close()
		<-d.ingesting
	}, nil
}

// openNotesLock opens a file to lock in the directory of the notes.
func (d *Directory) openNotesLock(name string) (*os.File, error) {
	root, err := d.evidence.make()
	if err == nil {
		err = d.perms.makeMeta(root, notesDir)
	}
	if err != nil {
		return nil, err
	}
	return d.perms.openLock(root, name)
}

// TryLockIndex tries to become the first of the processes that index the texts of this
// workspace, until release. The others need not wait: they can begin at the other end of
// what there is to do. If nothing can be locked, the caller is the first.
func (d *Directory) TryLockIndex() (release func(), first bool) {
	nothing := func() {}
	f, err := d.openNotesLock(indexLockName)
	if err != nil {
		return nothing, true
	}
	locked, err := localfile.TryLock(f)
	if !locked {
		f.Close()
		return nothing, err != nil
	}
	return func() {
		localfile.Unlock(f)
		f.Close()
	}, true
}
