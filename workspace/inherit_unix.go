//go:build linux || darwin

package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// inheritFile gives a file that root has just made in a directory of root the owner
// and the group of the directory. Otherwise the user whose folder it is, such as
// a server's, could not read what one command of root left there. The file is
// open and was made by O_EXCL, so nothing else can have its place. Others than
// root change nothing.
func (p permissions) inheritFile(f *os.File, root *os.Root, dir string) error {
	if !p.inherit || os.Geteuid() != 0 {
		return nil
	}
	info, err := root.Stat(dir)
	if err != nil {
		return err
	}
	return giveTo(f, info)
}

// inheritDir is inheritFile for a directory that root has just made. It is not
// followed where something else has taken its place.
func (p permissions) inheritDir(root *os.Root, name string) error {
	if !p.inherit || os.Geteuid() != 0 {
		return nil
	}
	parent, err := root.Stat(filepath.Dir(name))
	if err != nil {
		return err
	}
	made, err := root.Lstat(name)
	if err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	opened, err := f.Stat()
	if err == nil && (!opened.IsDir() || !os.SameFile(made, opened)) {
		err = fmt.Errorf("the directory was replaced: %w", fs.ErrInvalid)
	}
	if err != nil {
		return err
	}
	return giveTo(f, parent)
}

func giveTo(f *os.File, like fs.FileInfo) error {
	owner, ok := like.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	return f.Chown(int(owner.Uid), int(owner.Gid))
}
