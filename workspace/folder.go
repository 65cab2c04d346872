package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/localfile"
)

// A folder is a directory held open. If another directory has taken its path
// since, that one is opened instead, so that nothing is written to a directory
// that was deleted or replaced.
type folder struct {
	what string // for messages, such as "maps directory"
	path string // absolute

	// inside is the directory that path is below and must not lead out of; ""
	// if a person chose path as it is. If inside is set, path must not be a
	// symbolic link.
	inside string

	perms    permissions // of the folder and the files made in it
	readOnly bool        // nothing is written in it

	writing chan struct{} // capacity 1: held by whoever writes

	mu     sync.Mutex
	root   *os.Root
	info   fs.FileInfo
	closed bool
}

func newFolder(what, path, inside string) *folder {
	return &folder{what: what, path: path, inside: inside, perms: private, writing: make(chan struct{}, 1)}
}

// open returns the directory and its metadata. A missing directory is an error
// matching [fs.ErrNotExist].
func (d *folder) open() (*os.Root, fs.FileInfo, error) {
	info, err := d.stat()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", d.what, d.denied(".", err))
	}
	if !info.IsDir() {
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, nil, refusal("the " + d.what + " is a symbolic link; configure the directory it points to")
		}
		return nil, nil, refusal("the " + d.what + " is not a directory")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, nil, fs.ErrClosed
	}
	if d.root != nil && os.SameFile(d.info, info) {
		return d.root, info, nil
	}
	root, err := d.openRoot()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", d.what, d.denied(".", err))
	}
	opened, err := root.Stat(".")
	if err != nil || !os.SameFile(opened, info) {
		root.Close()
		return nil, nil, refusal("the " + d.what + " is reached through a symbolic link, or was replaced just now")
	}
	// Other goroutines may still use the old root, so it is not closed here. It
	// is closed when it is no longer referenced.
	d.root, d.info = root, opened
	return root, info, nil
}

func (d *folder) stat() (fs.FileInfo, error) {
	if d.inside != "" {
		return os.Lstat(d.path)
	}
	return os.Stat(d.path)
}

func (d *folder) openRoot() (*os.Root, error) {
	if d.inside == "" {
		return os.OpenRoot(d.path)
	}
	outer, err := os.OpenRoot(d.inside)
	if err != nil {
		return nil, err
	}
	defer outer.Close()
	return outer.OpenRoot(d.relative())
}

func (d *folder) relative() string {
	rel, err := filepath.Rel(d.inside, d.path)
	if err != nil {
		return "."
	}
	return rel
}

// make is like open, but makes a missing directory.
func (d *folder) make() (*os.Root, error) {
	if d.readOnly {
		return nil, d.errReadOnly()
	}
	root, _, err := d.open()
	if !errors.Is(err, fs.ErrNotExist) {
		return root, err
	}
	if err := d.mkdir(); err != nil {
		return nil, fmt.Errorf("make the %s: %w", d.what, d.denied(".", err))
	}
	root, _, err = d.open()
	return root, err
}

func (d *folder) errReadOnly() error {
	return refusal("the " + d.what + " is open for reading only")
}

func (d *folder) mkdir() error {
	outer, name := d.inside, d.relative()
	if outer == "" {
		outer, name = filepath.Dir(d.path), filepath.Base(d.path)
		if err := os.MkdirAll(outer, 0o700); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(outer)
	if err != nil {
		return err
	}
	defer root.Close()
	perms := d.perms
	perms.inherit = false // the directory around it is not citekit's
	return perms.mkdirAll(root, name)
}

// mkdirAll makes a directory and its parents, durably.
func (p permissions) mkdirAll(root *os.Root, name string) error {
	if info, err := root.Lstat(name); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(name)
	if parent != "." {
		if err := p.mkdirAll(root, parent); err != nil {
			return err
		}
	}
	if err := p.patiently(func() error { return root.Mkdir(name, 0o700) }); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return isDir(root, name)
		}
		return err
	}
	if err := p.inheritDir(root, name); err != nil {
		return err
	}
	if err := p.giveDir(root, name); err != nil {
		return err
	}
	return syncDir(root, parent)
}

func isDir(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err == nil && !info.IsDir() {
		return refusal("a file stands where a directory of citekit should be")
	}
	return err
}

const lockName = ".lock"

// lock waits until no other goroutine or process writes in the folder. The lock
// ends with the process that holds it.
func (d *folder) lock(ctx context.Context, root *os.Root) (release func(), err error) {
	if d.readOnly {
		return nil, d.errReadOnly()
	}
	if err := concurrent.Acquire(ctx, d.writing); err != nil {
		return nil, err
	}
	f, err := d.perms.openLock(root, lockName)
	if err == nil {
		err = localfile.Lock(ctx, f)
		if err != nil {
			f.Close()
		}
	}
	if err != nil {
		<-d.writing
		return nil, fmt.Errorf("lock the %s: %w", d.what, d.denied(lockName, err))
	}
	return func() {
		localfile.Unlock(f)
		f.Close()
		<-d.writing
	}, nil
}

// openLock opens the lock file, replacing anything else at its name.
func (p permissions) openLock(root *os.Root, name string) (*os.File, error) {
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		if err := root.Remove(name); err != nil {
			return nil, refusal("the lock is not a plain file")
		}
	}
	var f *os.File
	fresh := false
	err := p.patiently(func() (err error) {
		f, err = root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if fresh = err == nil; errors.Is(err, fs.ErrExist) {
			f, err = root.OpenFile(name, os.O_CREATE|os.O_RDWR|nonblock, 0o600)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if fresh {
		err = p.inheritFile(f, root, filepath.Dir(name))
	}
	info, statErr := f.Stat()
	if err == nil {
		err = statErr
	}
	if err == nil && !info.Mode().IsRegular() {
		err = refusal("the lock is not a plain file")
	}
	if err == nil && info.Mode().Perm()&p.file != p.file { // the file is new
		err = p.restore(f)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (d *folder) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.root == nil {
		return nil
	}
	root := d.root
	d.root = nil
	return root.Close()
}
