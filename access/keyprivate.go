package access

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// openPrivate opens a plain file that only its owner can read or write, and that
// belongs to this user or to root.
func openPrivate(path string) (*os.File, fs.FileInfo, error) {
	there, err := os.Lstat(path)
	if err != nil {
		return nil, nil, err
	}
	if isLink(there) {
		return openMounted(path)
	}
	if !there.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is %s; it must be a plain file", path, kindOf(there.Mode()))
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(there, info) {
		err = fmt.Errorf("%s was replaced while it was opened", path)
	}
	if err == nil {
		err = checkPrivate(path, info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func isLink(info fs.FileInfo) bool { return info.Mode()&fs.ModeSymlink != 0 }

// openMounted opens a file behind a link, as Kubernetes mounts a Secret. The
// link, and further links on the way, must stay in its directory.
func openMounted(path string) (*os.File, fs.FileInfo, error) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	f, err := dir.OpenFile(filepath.Base(path), os.O_RDONLY|mountedFlags, 0)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("%s is a symbolic link, which must stay in its directory, as in a Kubernetes Secret: %w", path, cmp.Or(errors.Unwrap(err), err))
		}
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s leads to %s; it must lead to a plain file", path, kindOf(info.Mode()))
	}
	if err == nil {
		err = checkMounted(path, info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// statFile returns the FileInfo of a file, following a link.
func statFile(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err == nil && isLink(info) {
		return os.Stat(path)
	}
	return info, err
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode.IsDir():
		return "a directory"
	}
	return "no file"
}

// readPrivate reads a file of at most most bytes.
func readPrivate(path string, most int64) ([]byte, fs.FileInfo, error) {
	f, info, err := openPrivate(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s is larger than %d MiB", path, most>>20)
	}
	return data, info, err
}

// replacePrivate replaces a file by a new one, completely or not at all. The new
// file gets the owner of the file like, if that is not nil. The caller has the
// lock.
func replacePrivate(path string, data []byte, like fs.FileInfo) (err error) {
	dir, prefix := filepath.Dir(path), "."+filepath.Base(path)+"-"
	removeTemporary(dir, prefix)
	f, err := os.CreateTemp(dir, prefix+"*"+temporary)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err == nil && like != nil {
		err = giveTo(f, like)
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err = rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// removeTemporary removes the files that killed writers left.
func removeTemporary(dir, prefix string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), temporary) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// temporary ends the names of incomplete files.
const temporary = ".tmp"
