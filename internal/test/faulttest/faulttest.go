// Package faulttest has implementations that fail on request, for tests. Its
// workspace fails at a chosen call, its resolver never ends, and it lists the
// faults that strace can inject into system calls.
package faulttest

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// ErrFault is the error of a failed call.
var ErrFault = errors.New("a fault")

// A Workspace fails at one of the calls that package search and the packages it
// uses make. A call that writes is counted twice, because it can fail before or
// after writing.
type Workspace struct {
	*workspace.Memory

	// Fail is the number of the call that fails, from 1; 0 means none. It must
	// not change during calls: see Heal.
	Fail int

	mu    sync.Mutex
	calls int
}

// Calls returns how many calls there were.
func (f *Workspace) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

// Heal lets all further calls succeed.
func (f *Workspace) Heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Fail = 0
}

func (f *Workspace) call() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.calls == f.Fail {
		return ErrFault
	}
	return nil
}

func (f *Workspace) ListMaps(ctx context.Context, after string, limit int) ([]string, error) {
	if err := f.call(); err != nil {
		return nil, err
	}
	return f.Memory.ListMaps(ctx, after, limit)
}

func (f *Workspace) StatMap(ctx context.Context, id string) (citekit.Stamp, error) {
	if err := f.call(); err != nil {
		return citekit.Stamp{}, err
	}
	return f.Memory.StatMap(ctx, id)
}

func (f *Workspace) ReadMap(ctx context.Context, id string, most int64) ([]byte, citekit.Stamp, error) {
	if err := f.call(); err != nil {
		return nil, citekit.Stamp{}, err
	}
	return f.Memory.ReadMap(ctx, id, most)
}

func (f *Workspace) OpenSource(ctx context.Context, path string) (*citekit.Source, error) {
	if err := f.call(); err != nil {
		return nil, err
	}
	return f.Memory.OpenSource(ctx, path)
}

func (f *Workspace) FindEvidence(ctx context.Context, key string) (*citekit.StoredEvidence, error) {
	if err := f.call(); err != nil {
		return nil, err
	}
	return f.Memory.FindEvidence(ctx, key)
}

func (f *Workspace) StoreEvidence(ctx context.Context, key string, meta citekit.EvidenceMeta, body io.Reader) (*citekit.StoredEvidence, error) {
	if err := f.call(); err != nil {
		return nil, err
	}
	stored, err := f.Memory.StoreEvidence(ctx, key, meta, body)
	if failed := f.call(); failed != nil {
		return nil, failed // stored, but reported as failed
	}
	return stored, err
}

func (f *Workspace) OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	if err := f.call(); err != nil {
		return nil, nil, err
	}
	return f.Memory.OpenEvidence(ctx, key)
}

func (f *Workspace) ReadNote(ctx context.Context, kind, name string) ([]byte, citekit.Stamp, error) {
	if err := f.call(); err != nil {
		return nil, citekit.Stamp{}, err
	}
	return f.Memory.ReadNote(ctx, kind, name)
}

func (f *Workspace) WriteNoteIf(ctx context.Context, kind, name string, data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	if err := f.call(); err != nil {
		return citekit.Stamp{}, err
	}
	now, err := f.Memory.WriteNoteIf(ctx, kind, name, data, stamp)
	if failed := f.call(); failed != nil {
		return citekit.Stamp{}, failed
	}
	return now, err
}

func (f *Workspace) ChangeNotes(ctx context.Context, kind string, changes []citekit.NoteChange) ([]citekit.Stamp, error) {
	if err := f.call(); err != nil {
		return nil, err
	}
	now, err := f.Memory.ChangeNotes(ctx, kind, changes)
	if failed := f.call(); failed != nil {
		return nil, failed
	}
	return now, err
}

func (f *Workspace) DeleteKept(ctx context.Context, k workspace.Kept) error {
	if err := f.call(); err != nil {
		return err
	}
	err := f.Memory.DeleteKept(ctx, k)
	if failed := f.call(); failed != nil {
		return failed
	}
	return err
}
