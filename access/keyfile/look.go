package keyfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/citekit/citekit/access"
)

const (
	// lookEvery is how long the keys that were read count without a look at the
	// file.
	lookEvery = 250 * time.Millisecond

	// settledAfter is how old a file must be before its time and size tell that it
	// did not change: some file systems count in steps of 2 s.
	settledAfter = 2500 * time.Millisecond
)

// keys returns the keys last read, after a look at the file if it is time for one.
// While another goroutine looks, nobody waits who has keys.
func (f *File) keys() (*snapshot, error) {
	keys := f.last.Load()
	if keys != nil && f.sinceLook() < lookEvery {
		return keys, nil
	}
	if keys == nil {
		f.mu.Lock()
	} else if !f.mu.TryLock() {
		return keys, nil
	}
	defer f.mu.Unlock()
	if f.sinceLook() >= lookEvery {
		f.look()
	}
	if keys = f.last.Load(); keys == nil {
		return nil, f.err
	}
	return keys, nil
}

func (f *File) sinceLook() time.Duration {
	return time.Since(f.opened) - time.Duration(f.looked.Load())
}

// look reads the file if it may have changed. The caller has the mutex.
func (f *File) look() {
	defer func() { f.looked.Store(int64(time.Since(f.opened))) }()
	there, err := statFile(f.path)
	if err == nil && f.seen != nil && f.settled && sameFile(f.seen, there) {
		return
	}
	records, info, err := f.read()
	if f.seen = info; info != nil {
		f.settled = f.now().Sub(info.ModTime()) > settledAfter
	}
	if f.err = f.explain(err); err == nil {
		f.take(records)
	}
}

// read returns what the file has now, and what is known of it, also where it is
// malformed.
func (f *File) read() ([]record, fs.FileInfo, error) {
	data, info, err := readPrivate(f.path, maxFile)
	if err != nil {
		return nil, nil, err
	}
	records, err := parse(data, f.opts.Check)
	if err != nil {
		err = fmt.Errorf("%s: %w", f.path, err)
	}
	return records, info, err
}

// sameFile reports whether a file is the one seen before, unchanged.
func sameFile(seen, there fs.FileInfo) bool {
	return os.SameFile(seen, there) && seen.Size() == there.Size() && seen.Mode() == there.Mode() && seen.ModTime().Equal(there.ModTime())
}

// explain says what to do about an error of the file.
func (f *File) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return missing("there is no file of keys " + f.path + "; make a key with: citekit key new --workspace NAME --keys " + f.path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; run citekit as the user that the file belongs to", err)
	}
	return err
}

// missing is an error about what is not there, which matches [fs.ErrNotExist].
type missing string

func (m missing) Error() string { return string(m) }

func (m missing) Is(target error) bool { return target == fs.ErrNotExist }

// take makes the records the keys that count.
func (f *File) take(records []record) {
	keys := &snapshot{entries: make(map[string]*entry, len(records))}
	used := f.uses.of(records)
	for i, r := range records {
		keys.entries[r.ID] = &entry{key: r.Key, hash: r.hash, used: used[i], grant: access.Grant{
			ID: r.ID, Workspaces: r.Workspaces, Toolsets: r.Toolsets, Tools: r.Tools, ReadOnly: r.ReadOnly, Expires: r.Expires,
		}}
	}
	f.last.Store(keys)
}
