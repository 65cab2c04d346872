package access

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

const (
	// readEvery is how often to read a file that may have changed without a new
	// time or size, and how often to look for a missing file.
	readEvery = 250 * time.Millisecond

	// settledAfter is how old a file must be before its time and size prove that
	// it did not change, as some file systems store times in steps of 2 s.
	settledAfter = 2500 * time.Millisecond
)

// keys returns the keys of the file after checking it for changes. If another
// goroutine is checking, it returns the last keys at once, if there are any.
func (f *KeyFile) keys() (*keySnapshot, error) {
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

// look reads the file if it may have changed: at once if it was replaced or has
// another time or size, and every readEvery while these prove nothing. The caller
// holds the mutex.
func (f *KeyFile) look() {
	there, err := statFile(f.path)
	if err == nil && f.seen != nil && sameFile(f.seen, there) && (f.settled || f.readLately()) {
		return
	}
	if err != nil && f.seen == nil && f.readLately() {
		return // it was missing before too
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

func (f *KeyFile) readLately() bool { return time.Since(f.readAt) < readEvery }

// read returns the current keys and FileInfo of the file. The FileInfo is also
// returned with an error about the content.
func (f *KeyFile) read() ([]keyRecord, fs.FileInfo, error) {
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

// sameFile reports whether a file is the unchanged file seen before.
func sameFile(seen, there fs.FileInfo) bool {
	return os.SameFile(seen, there) && seen.Size() == there.Size() && seen.Mode() == there.Mode() && seen.ModTime().Equal(there.ModTime())
}

// explain adds what to do about an error of the file.
func (f *KeyFile) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return f.lost()
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; run citekit as the user that the file belongs to", err)
	}
	return err
}

// lost returns the error for a file that is not there. A new file has none of the
// keys of a lost one, so it is not the advice to someone who has lost one.
func (f *KeyFile) lost() error {
	if f.last.Load() != nil {
		return notFoundError("there is no file of keys " + f.path + " any more: restore it from a backup, and do not restart meanwhile, as its keys are valid from memory until then; a new file locks out everybody who has a key")
	}
	return notFoundError("there is no file of keys " + f.path + "; if there was one, restore it from a backup; if not, make a key with: citekit key new --workspace NAME --keys " + f.path)
}

// notFoundError is an error about a missing file or key, which matches
// [fs.ErrNotExist].
type notFoundError string

func (m notFoundError) Error() string { return string(m) }

func (m notFoundError) Is(target error) bool { return target == fs.ErrNotExist }

// take makes the records the current keys.
func (f *KeyFile) take(records []keyRecord) {
	keys := &keySnapshot{entries: make(map[string]*keyEntry, len(records))}
	used := f.uses.of(records)
	for i, r := range records {
		keys.entries[r.ID] = &keyEntry{key: r.Key, hash: r.hash, used: used[i], grant: Grant{
			ID: r.ID, Workspaces: r.Workspaces, Toolsets: r.Toolsets, Tools: r.Tools, ReadOnly: r.ReadOnly, Expires: r.Expires,
		}}
	}
	f.last.Store(keys)
}
