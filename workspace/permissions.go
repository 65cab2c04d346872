package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/citekit/citekit"
)

// permissions are the permissions of files and directories that citekit makes.
type permissions struct {
	file, dir fs.FileMode
	gid       int // of the group; -1 leaves it to the system

	// inherit says that what root makes gets the owner of the directory that it
	// is made in.
	inherit bool
}

// private are the permissions of files for one user only.
var private = permissions{file: 0o600, dir: 0o700, gid: -1}

// permissions returns the permissions that the options select.
func (o *Options) permissions() (permissions, error) {
	if runtime.GOOS == "windows" {
		return private, nil // permissions are inherited from the directory there
	}
	p := permissions{file: o.FileMode, dir: o.DirMode, gid: -1}
	if p.file == 0 {
		p.file = private.file
	}
	if p.file&^0o666 != 0 || p.file&0o600 != 0o600 {
		return p, fmt.Errorf("file mode %#o: only permissions to read and write are allowed, and the owner needs both, as in 0660: %w", p.file, citekit.ErrSyntax)
	}
	if p.dir == 0 {
		p.dir = p.file | p.file&0o444>>2
		if p.file&0o070 != 0 {
			p.dir |= fs.ModeSetgid
		}
	}
	if p.dir&^(fs.ModeSetgid|0o777) != 0 || p.dir&0o700 != 0o700 {
		return p, fmt.Errorf("the mode %v of directories: it is of permissions and setgid alone, and the owner must have all, as in 0770: %w", p.dir, citekit.ErrSyntax)
	}
	if o.Group == "" {
		return p, nil
	}
	var err error
	p.gid, err = groupID(o.Group)
	return p, err
}

// isShared reports whether other users than the owner may be meant to open the
// files.
func (p permissions) isShared() bool { return p.gid >= 0 || p.file&0o077 != 0 }

// mostDenied is the longest pause until another user who is making a file has given
// it its permissions; with those before it that makes a second.
const mostDenied = 512 * time.Millisecond

// patiently calls f, and calls it again for a moment if access is denied,
// because another user may be just making the file.
func (p permissions) patiently(f func() error) error {
	err := f()
	for wait := time.Millisecond; p.isShared() && errors.Is(err, fs.ErrPermission) && wait <= mostDenied; wait *= 2 {
		time.Sleep(wait)
		err = f()
	}
	return err
}

// give gives an open file its group and its mode, whatever the umask.
func (p permissions) give(f *os.File) error {
	if p.gid >= 0 {
		if err := f.Chown(-1, p.gid); err != nil {
			return err
		}
	}
	return f.Chmod(p.file)
}

// giveDir is like give, for a directory.
func (p permissions) giveDir(root *os.Root, name string) error {
	if p.gid >= 0 {
		if err := root.Lchown(name, -1, p.gid); err != nil {
			return err
		}
	}
	return root.Chmod(name, p.dir)
}

// restore sets the mode of an existing file, if it differs. The file of another
// user stays unchanged, unless more people may use it than should.
func (p permissions) restore(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Mode().Perm() == p.file {
		return err
	}
	err = p.give(f)
	if errors.Is(err, fs.ErrPermission) && info.Mode().Perm()&^p.file == 0 {
		return nil
	}
	return err
}
