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
	// readEvery is how often a file is read whose time and size do not tell yet
	// that it did not change, and looked for if it was missing.
	readEvery = 250 * time.Millisecond

	// settledAfter is how old a file must be before its time and size tell that it
	// did not change: some file systems count in steps of 2 s.
	settledAfter = 2500 * time.Millisecond
)

// keys returns the keys of the file after a look at it. While another goroutine
// looks, nobody waits who has keys.
func (f *File) keys() (*snapshot, error) {
	keys := f.last.Load()
	if keys == nil {
		f.mu.Lock()
	} else if !f.mu.TryLock() {
		return keys, nil
	}
	defer f.mu.Unlock()
	f.look()
	if keys = f.last.Load(); keys == nil {
		return nil, f.err
	}
	return keys, nil
}

// look reads the file if it may have changed: at once where it was replaced or has
// another time or size, now and then where they do not tell. The caller has the mutex.
func (f *File) look() {
	there, err := statFile(f.path)
	if err == nil && f.seen != nil && sameFile(f.seen, there) && (f.settled || f.readLately()) {
		return
	}
	if err != nil && f.seen == nil && f.readLately() {
		return // it was not there before either
	}
	f.readAt = time.Now()
	records, info, err := f.read()
	if f.seen = info; info != nil {
		f.settled = f.now().Sub(info.ModTime()) > settledAfter
	}
	if f.err = f.explain(err); err == nil {
		f.take(records)
	}
}

func (f *File) readLately() bool { return time.Since(f.readAt) < readEvery }

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
