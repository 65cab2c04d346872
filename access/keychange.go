package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
)

// New makes a key and returns it with its token, which cannot be recovered later.
// It uses the fields Label, Workspaces, Toolsets, Tools, ReadOnly and Expires of
// key. It makes a missing file, with its folder. The error names the wrong field,
// or explains why the file cannot be read or written.
func (f *KeyFile) New(ctx context.Context, key Key) (made Key, token string, err error) {
	now := f.now().UTC().Truncate(time.Second)
	made = Key{
		Label: key.Label, Workspaces: slices.Clone(key.Workspaces), Toolsets: slices.Clone(key.Toolsets), Tools: slices.Clone(key.Tools),
		ReadOnly: key.ReadOnly, Created: now, Expires: key.Expires.UTC().Truncate(time.Second),
	}
	err = made.check()
	if err == nil && f.opts.Check != nil {
		err = f.opts.Check(made)
	}
	if err == nil && !made.Expires.IsZero() && (!made.Expires.After(now) || made.Expires.Year() > 9999) {
		err = fmt.Errorf("expires is %s, which is not in the future", made.Expires.Format(time.RFC3339))
	}
	if err != nil {
		return Key{}, "", err
	}
	err = f.change(ctx, true, func(records []keyRecord) ([]keyRecord, error) {
		for made.ID == "" || slices.ContainsFunc(records, func(r keyRecord) bool { return r.ID == made.ID }) {
			made.ID, token = newToken()
		}
		return makeRoom(append(records, keyRecord{Key: made, hash: hashOf(token)}))
	})
	if err != nil {
		return Key{}, "", err
	}
	return made, token, nil
}

// makeRoom deletes the keys that were revoked earliest, if there are too many
// keys.
func makeRoom(records []keyRecord) ([]keyRecord, error) {
	for len(records) > maxKeys {
		first := -1
		for i, r := range records {
			if !r.Revoked.IsZero() && (first < 0 || r.Revoked.Before(records[first].Revoked)) {
				first = i
			}
		}
		if first < 0 {
			return nil, fmt.Errorf("there are already %d keys, the maximum; revoke one first", maxKeys)
		}
		records = slices.Delete(records, first, first+1)
	}
	return records, nil
}

// Revoke ends a key permanently and returns it. The key stays in the list; a key
// that was already revoked is unchanged. If no key has the id, the error matches
// [fs.ErrNotExist].
func (f *KeyFile) Revoke(ctx context.Context, id string) (Key, error) {
	if inToken, ok := idOf(id); ok {
		return Key{}, fmt.Errorf("this is a token; give the id of its key, %s", inToken)
	}
	var revoked Key
	err := f.change(ctx, false, func(records []keyRecord) ([]keyRecord, error) {
		i := slices.IndexFunc(records, func(r keyRecord) bool { return r.ID == id })
		if i < 0 {
			return nil, notFoundError("no key has the id " + message.Quote(id))
		}
		if records[i].Revoked.IsZero() {
			records[i].Revoked = f.now().UTC().Truncate(time.Second)
		}
		revoked = records[i].Key
		return records, nil
	})
	return revoked, err
}

// Restore replaces the keys by the keys of a saved file, with their hashes. Keys
// that are revoked in the current file stay revoked, and stay in the list. The
// error explains what is wrong with the saved file, or why the current one cannot
// be read or written.
func (f *KeyFile) Restore(ctx context.Context, data []byte) error {
	saved, err := parse(data, f.opts.Check)
	if err != nil {
		return fmt.Errorf("the saved keys: %w", err)
	}
	return f.change(ctx, true, func(records []keyRecord) ([]keyRecord, error) {
		for _, r := range records {
			if r.Revoked.IsZero() {
				continue
			}
			if i := slices.IndexFunc(saved, func(s keyRecord) bool { return s.ID == r.ID }); i >= 0 {
				saved[i] = r
			} else {
				saved = append(saved, r)
			}
		}
		return makeRoom(saved)
	})
}

// List returns all keys in the current file, in the order in which they were
// made.
func (f *KeyFile) List(ctx context.Context) ([]Key, error) {
	if err := f.Check(ctx); err != nil {
		return nil, err
	}
	kept, keys := f.uses.read(), []Key{}
	for id, e := range f.last.Load().entries {
		k := e.key
		k.LastUsed = kept[id]
		if at := e.used.Load(); at != 0 && time.Unix(at, 0).After(k.LastUsed) {
			k.LastUsed = time.Unix(at, 0).UTC()
		}
		k.Workspaces, k.Toolsets, k.Tools = slices.Clone(k.Workspaces), slices.Clone(k.Toolsets), slices.Clone(k.Tools)
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b Key) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return keys, nil
}

// change writes the file with the keys that edit returns. If there is no file and
// create is set, it begins without keys.
func (f *KeyFile) change(ctx context.Context, create bool, edit func([]keyRecord) ([]keyRecord, error)) error {
	err := f.locked(ctx, create, func(fs.FileInfo) error {
		records, info, err := f.read()
		if err != nil && !(create && errors.Is(err, fs.ErrNotExist)) {
			return f.explain(err)
		}
		if records, err = edit(records); err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		data, err := encode(records)
		if err == nil && len(data) > maxFile {
			err = fmt.Errorf("%s would be larger than %d MiB", f.path, maxFile>>20)
		}
		if err == nil {
			err = replacePrivate(f.path, data, info)
		}
		return f.explain(err)
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen, f.readAt = nil, time.Time{} // even if the new file has the same size and times
	f.look()
	return err
}

// locked calls do while no other process changes the file, with the file's
// FileInfo, or nil if there is no file. It makes the folder if it may.
func (f *KeyFile) locked(ctx context.Context, create bool, do func(fs.FileInfo) error) error {
	info, err := os.Lstat(f.path)
	if err != nil {
		info = nil
	}
	if err != nil && !create {
		return f.explain(err)
	}
	if info != nil && isLink(info) {
		return fmt.Errorf("%s is a link, as in a Kubernetes Secret, and is read-only; change the keys in the file that the Secret is made from", f.path)
	}
	if create {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
			return f.explain(err)
		}
	}
	lock, err := f.openLock(info)
	if err != nil {
		return f.explain(err)
	}
	defer lock.Close()
	if err := localfile.Lock(ctx, lock); err != nil {
		return fmt.Errorf("wait for another process that writes %s: %w", f.path, err)
	}
	defer localfile.Unlock(lock)
	return do(info)
}

// openLock opens the lock file. A new one gets the owner of the file of keys, so
// that a server can use a lock that root made.
func (f *KeyFile) openLock(like fs.FileInfo) (*os.File, error) {
	path := f.path + ".lock"
	lock, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|openFlags, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return os.OpenFile(path, os.O_RDWR|openFlags, 0o600)
	}
	if err != nil {
		return nil, err
	}
	if like != nil {
		if err := giveTo(lock, like); err != nil {
			lock.Close()
			return nil, err
		}
	}
	return lock, nil
}
