package workspace

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
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

// loadKey returns the key kept in the directory dir, making it if there is
// none, or that of the process if dir has no key that only this person can
// read and write.
func loadKey(dir string) []byte {
	if dir == "" {
		return processKey()
	}
	key, err := readKey(dir)
	if errors.Is(err, fs.ErrNotExist) || err == errNoKey {
		if makeKey(dir, err == errNoKey) == nil {
			key, err = readKey(dir) // that of whoever was first
		}
	}
	if err != nil {
		return processKey()
	}
	return key
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
	if there, err := root.Lstat(keyName); err != nil || !os.SameFile(there, info) {
		return nil, errKeyNotOwn // a link, made this instant
	}
	if !isOwned(info) {
		return nil, errKeyNotOwn
	}
	key := make([]byte, keySize)
	if _, err := io.ReadFull(f, key); err != nil || info.Size() != keySize || !isPrivate(info) {
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
