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

// processKey is the key where none can be stored: records sealed with it are
// valid until the process ends.
var processKey = sync.OnceValue(newKey)

func newKey() []byte {
	key := make([]byte, keySize)
	rand.Read(key)
	return key
}

// keyFolder returns the directory of the key, or "" if there is no place for
// one.
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

// A keyHolder loads the key once. A failure that may be temporary is not
// cached.
type keyHolder struct {
	path  string      // absolute, or "" if the key is not stored
	named bool        // a person chose the file, which other users may have made
	perms permissions // of a file that is made
	keep  bool        // no key is made

	mu  sync.Mutex
	key []byte // nil until loaded
}

func newKeyHolder(o Options, perms permissions) (k *keyHolder, err error) {
	k = &keyHolder{path: o.KeyFile, named: o.KeyFile != "", perms: private, keep: o.ReadOnly}
	if k.named {
		k.perms = permissions{file: private.file | perms.file&0o040, gid: perms.gid}
	} else if dir := keyFolder(o); dir != "" {
		k.path = filepath.Join(dir, keyName)
	}
	if k.path != "" {
		if k.path, err = filepath.Abs(k.path); err != nil {
			return nil, fmt.Errorf("the key of evidence: %w", err)
		}
	}
	return k, nil
}

func (k *keyHolder) get() ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.key != nil {
		return k.key, nil
	}
	key, err := k.load()
	if err != nil {
		return nil, err
	}
	k.key = key
	return key, nil
}

// load returns the key, and makes it if it is missing. It returns the key of
// the process if no key is readable and writable by this user alone. A
// temporary obstacle, such as too many open files, is an error, because records
// sealed with another key would no longer be valid. A fault of a file that a
// person named is also an error.
func (k *keyHolder) load() ([]byte, error) {
	if k.path == "" {
		return processKey(), nil
	}
	key, err := k.read()
	replace := err == errNoKey && !k.named
	if k.keep && (errors.Is(err, fs.ErrNotExist) || err == errNoKey) {
		return processKey(), nil // no record is valid
	}
	if errors.Is(err, fs.ErrNotExist) || replace {
		if err = k.make(replace); err == nil {
			key, err = k.read() // the key of the process that was first
		}
	}
	switch {
	case err == nil:
		return key, nil
	case k.named:
		return nil, fmt.Errorf("the key file: %w", withoutPath(err))
	case err == errKeyNotOwn, err == errNoKey, errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return processKey(), nil // there is no place for one
	}
	return nil, fmt.Errorf("the key of evidence: %w", withoutPath(err))
}

// mayPass reports whether an error may be temporary.
func mayPass(err error) bool {
	for _, errno := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO, syscall.EINTR, syscall.EAGAIN} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

var (
	// errNoKey reports a file of this user that holds no secret key: it is
	// damaged, or other users may have read or written it.
	errNoKey = errors.New("the key file is incomplete, or other users can read or write it")

	// errKeyNotOwn reports a file that is not replaced.
	errKeyNotOwn = refusal("the key is not a plain file of this person")

	// Faults of a file that a person named.
	errKeyOpen   = refusal("others than its owner and its group may read it, or others than its owner may write it; make its mode 0640 or 0600, and a new one if somebody may have read it")
	errKeyBroken = refusal("it does not hold a key, which is 32 random bytes; name another file, or one that is not there, which is then made")
)

// read returns the key in the file.
func (k *keyHolder) read() ([]byte, error) {
	dir, name := filepath.Split(k.path)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, info, err := openPlain(root, name, errKeyNotOwn)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	there, err := root.Lstat(name)
	if mayPass(err) {
		return nil, err
	}
	if err != nil || !os.SameFile(there, info) {
		return nil, errKeyNotOwn // a link, made this instant
	}
	if err := k.checkOwner(info); err != nil {
		return nil, err
	}
	key := make([]byte, keySize)
	if _, err = io.ReadFull(f, key); mayPass(err) {
		return nil, err
	}
	switch {
	case err == nil && info.Size() == keySize:
		return key, nil
	case k.named:
		return nil, errKeyBroken
	}
	return nil, errNoKey
}

// checkOwner returns an error if the key may not be secret.
func (k *keyHolder) checkOwner(info fs.FileInfo) error {
	switch {
	case k.named && !isShareable(info):
		return errKeyOpen
	case k.named:
		return nil
	case !isOwned(info):
		return errKeyNotOwn
	case !isPrivate(info):
		return errNoKey
	}
	return nil
}

// make makes a key; the file is whole before it gets its name. An existing key
// stays, unless replace is set.
func (k *keyHolder) make(replace bool) error {
	dir, name := filepath.Split(k.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	t, err := k.perms.createTemp(root, ".")
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
		err = root.Link(t.name, name)
		if err == nil || errors.Is(err, fs.ErrExist) {
			t.remove()
			return syncDir(root, ".")
		}
		if _, statErr := root.Lstat(name); statErr == nil {
			t.remove()
			return nil
		}
	}
	if err := t.rename(name); err != nil {
		return err
	}
	return syncDir(root, ".")
}
