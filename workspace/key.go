package workspace

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

const (
	keyName = "evidence.key"
	keySize = 32 // bytes
)

// processKey is the key where none can be kept: what it seals counts until
// the process ends.
var processKey = sync.OnceValue(newKey)

func newKey() []byte {
	key := make([]byte, keySize)
	rand.Read(key)
	return key
}

// keyFolder returns the directory that the key is kept in, or "" if there is
// no place for it.
func keyFolder(o Options) string {
	switch {
	case o.KeyDir != "":
		return o.KeyDir
	case o.AllowedDir != "":
		return o.AllowedDir
	}
	dir, err := os.UserConfigDir()
	if err != nil || !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Join(dir, "citekit")
}

// A keyHolder loads the key once. A failure that may pass is not kept.
type keyHolder struct {
	dir string

	mu  sync.Mutex
	key []byte // nil until it is loaded
}

func (k *keyHolder) get() ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.key != nil {
		return k.key, nil
	}
	key, err := loadKey(k.dir)
	if err != nil {
		return nil, err
	}
	k.key = key
	return key, nil
}

// loadKey returns the key kept in the directory dir, making it if there is
// none, or that of the process if dir has no key that only this person can
// read and write. What hides a key for the moment, such as too many open files,
// is an error: a record that another key sealed would not count any more.
func loadKey(dir string) ([]byte, error) {
	if dir == "" {
		return processKey(), nil
	}
	key, err := readKey(dir)
	if errors.Is(err, fs.ErrNotExist) || err == errNoKey {
		if err = makeKey(dir, err == errNoKey); err == nil {
			key, err = readKey(dir) // that of whoever was first
		}
	}
	switch {
	case err == nil:
		return key, nil
	case err == errKeyNotOwn, err == errNoKey, errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return processKey(), nil // there is no place for one
	}
	return nil, fmt.Errorf("the key of evidence: %w", withoutPath(err))
}

// mayPass reports whether an error may be gone at the next try.
func mayPass(err error) bool {
	for _, errno := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO, syscall.EINTR, syscall.EAGAIN} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

var (
	// errNoKey reports a file of this person that holds no secret key: it is
	// damaged, or others may have read or written it.
	errNoKey = errors.New("the key is not whole, or is open to others")

	// errKeyNotOwn reports something that is not replaced.
	errKeyNotOwn = refusal("the key is not a plain file of this person")
)

func readKey(dir string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, info, err := openPlain(root, keyName, errKeyNotOwn)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	there, err := root.Lstat(keyName)
	if mayPass(err) {
		return nil, err
	}
	if err != nil || !os.SameFile(there, info) {
		return nil, errKeyNotOwn // a link, made this instant
	}
	if !isOwned(info) {
		return nil, errKeyNotOwn
	}
	key := make([]byte, keySize)
	if _, err = io.ReadFull(f, key); mayPass(err) {
		return nil, err
	}
	if err != nil || info.Size() != keySize || !isPrivate(info) {
		return nil, errNoKey
	}
	return key, nil
}

// makeKey makes a key that is whole before it has its name. One that is there
// stays, unless it is to be replaced.
func makeKey(dir string, replace bool) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	t, err := createTemp(root, ".")
	if err != nil {
		return err
	}
	if _, err := t.Write(newKey()); err != nil {
		t.discard()
		return err
	}
	if err := t.finish(true); err != nil {
		return err
	}
	if !replace {
		err = root.Link(t.name, keyName)
		if err == nil || errors.Is(err, fs.ErrExist) {
			t.remove()
			return syncDir(root, ".")
		}
		if _, statErr := root.Lstat(keyName); statErr == nil {
			t.remove()
			return nil
		}
	}
	if err := t.rename(keyName); err != nil {
		return err
	}
	return syncDir(root, ".")
}
