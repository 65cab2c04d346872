package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/semaphore"
)

const (
	notesDir = metaDir + "/notes"
	maxNotes = 1 << 30 // bytes
)

// checkNotesName returns an error unless name is letters a-z.
func checkNotesName(name string) error {
	if name == "" || len(name) > 64 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
		return fmt.Errorf("notes are named by 1 to 64 letters a-z: %w", citekit.ErrSyntax)
	}
	return nil
}

// LockNotes implements [citekit.Finder], by flock as for maps.
func (d *Directory) LockNotes(ctx context.Context, name string) (release func(), err error) {
	if err := checkNotesName(name); err != nil {
		return nil, err
	}
	root, err := d.evidence.make()
	if err == nil {
		err = makeMeta(root, notesDir)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the notes: %w", withoutPath(storageFault(evidenceUnwritable, err)))
	}
	inProcess := d.notes.turn(name)
	if err := semaphore.Acquire(ctx, inProcess); err != nil {
		return nil, err
	}
	f, err := openLock(root, notesDir+"/"+name+".lock")
	if err == nil {
		if err = waitLock(ctx, f); err != nil {
			f.Close()
		}
	}
	if err != nil {
		<-inProcess
		return nil, fmt.Errorf("lock the notes: %w", withoutPath(storageFault(evidenceUnwritable, err)))
	}
	return func() {
		unlock(f)
		f.Close()
		<-inProcess
	}, nil
}

// ReadNotes implements [citekit.Finder]. Notes that are damaged, or that this
// person's citekit did not write here, are not there.
func (d *Directory) ReadNotes(ctx context.Context, name string) ([]byte, error) {
	if err := checkNotesName(name); err != nil {
		return nil, err
	}
	root, _, err := d.evidence.open()
	switch {
	case mayPass(err):
		return nil, fmt.Errorf("notes: %w", withoutPath(err))
	case err != nil:
		return nil, missing("notes")
	}
	f, info, err := openPlain(root, notesName(name), errRecordNotPlain)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errRecordNotPlain):
		return nil, missing("notes")
	case err != nil: // they may be there: without them a person's changes to maps are forgotten
		return nil, fmt.Errorf("notes: %w", withoutPath(err))
	}
	defer f.Close()
	data, err := readAtMost(f, info.Size(), maxNotes)
	if err != nil {
		return nil, fmt.Errorf("notes: %w", withoutPath(err))
	}
	seal, notes, ok := bytes.Cut(data, []byte("\n"))
	if !ok {
		return nil, missing("notes")
	}
	switch own, err := d.isSealed(root, notesName(name), string(seal), notes); {
	case err != nil:
		return nil, fmt.Errorf("notes: %w", withoutPath(err))
	case !own:
		return nil, missing("notes")
	}
	return notes, ctx.Err()
}

// WriteNotes implements [citekit.Finder]. The file begins with the seal of
// what follows.
func (d *Directory) WriteNotes(ctx context.Context, name string, data []byte) error {
	err := errors.Join(checkNotesName(name), ctx.Err())
	if err == nil {
		err = d.writeNotes(ctx, name, data)
	}
	if err != nil {
		return fmt.Errorf("write the notes: %w", withoutPath(storageFault(evidenceUnwritable, err)))
	}
	return nil
}

func (d *Directory) writeNotes(ctx context.Context, name string, data []byte) error {
	root, err := d.evidence.make()
	if err != nil {
		return err
	}
	if err := makeMeta(root, notesDir); err != nil {
		return err
	}
	// Temporary files that dead processes left go; what cannot be removed harms
	// no notes.
	d.sweep.Do(func() { _ = removeOldTemps(ctx, root, tempDir, d.now()) })
	seal, err := d.seal(root, notesName(name), data)
	if err != nil {
		return err
	}
	return writeFile(root, tempDir, notesName(name), append([]byte(seal+"\n"), data...), false)
}

func notesName(name string) string { return notesDir + "/" + name + ".json" }

// noteTurns has, for each name of notes, what the goroutine that holds them
// has taken.
type noteTurns struct {
	mu    sync.Mutex
	turns map[string]chan struct{}
}

func (t *noteTurns) turn(name string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.turns == nil {
		t.turns = make(map[string]chan struct{})
	}
	if t.turns[name] == nil {
		t.turns[name] = make(chan struct{}, 1)
	}
	return t.turns[name]
}
