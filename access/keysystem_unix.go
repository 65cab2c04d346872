//go:build unix

package access

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// openFlags prevent following a link, and waiting for the other end of a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// mountedFlags prevent waiting for the other end of a pipe.
const mountedFlags = syscall.O_NONBLOCK

// checkMounted is checkPrivate for a file that may belong to root and be readable
// by the group of this process, as Kubernetes gives Secrets to users other than
// root.
func checkMounted(path string, info fs.FileInfo) error {
	if ownerOf(info) == 0 && info.Mode().Perm()&0o037 == 0 {
		return nil
	}
	return checkPrivate(path, info)
}

// checkPrivate returns an error, with the remedy, if others may read or write a
// file, or if it belongs to another person.
func checkPrivate(path string, info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("others may read or write %s, whose mode is %#o; run: chmod 600 %s", path, mode, path)
	}
	owner, me := ownerOf(info), os.Geteuid()
	switch {
	case owner == me, owner == 0:
		return nil
	case me != 0:
		return fmt.Errorf("%s belongs to another user (%d), who could change it; run citekit as that user, or make a file of your own", path, owner)
	}
	// Root may read another user's file, such as a server's, if only the owner of
	// the directory could have put it there.
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	if dir.Mode().Perm()&0o022 != 0 && ownerOf(dir) != owner {
		return fmt.Errorf("%s belongs to another user (%d), and others may write in its directory; run: chmod go-w %s", path, owner, filepath.Dir(path))
	}
	return nil
}

func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

// giveTo gives a new file the owner of another one, so that the server can still
// read a file that root changed.
func giveTo(f *os.File, like fs.FileInfo) error {
	stat, ok := like.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) == os.Geteuid() {
		return nil
	}
	if err := f.Chown(int(stat.Uid), int(stat.Gid)); err != nil {
		return fmt.Errorf("keep the owner of %s: %w", like.Name(), errors.Unwrap(err))
	}
	return nil
}

func rename(from, to string) error { return os.Rename(from, to) }

// syncDir makes the entries of a directory durable. Some file systems do not
// support this, and have no alternative.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}
