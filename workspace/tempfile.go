package workspace

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/citekit/citekit/internal/ctxio"
)

const (
	tempPrefix = ".tmp-"
	tempDigits = 32

	// tempLife is how long a temporary file must be unchanged before it is
	// treated as left by a dead process. Where files can be locked, it must
	// also be unlocked, and unlockedLife is enough: a writer locks its file
	// right after it has made it.
	tempLife     = time.Hour
	unlockedLife = time.Minute
)

// A sweep decides when to look for the temporary files of dead processes: at the first
// write, and again after a while, as a server may be started right after it was killed.
type sweep struct {
	mu sync.Mutex
	at time.Time
}

func (s *sweep) isDue(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.at.IsZero() && now.Sub(s.at) < 2*unlockedLife {
		return false
	}
	s.at = now
	return true
}

// A tempFile is a file being written that will be renamed into place.
type tempFile struct {
	*os.File
	root *os.Root
	name string
	hold *os.File // locked until the file has its name, or nil
}

// createTemp makes a temporary file in a directory of root.
func (p permissions) createTemp(root *os.Root, dir string) (*tempFile, error) {
	var random [tempDigits / 2]byte
	rand.Read(random[:])
	name := path.Join(dir, tempPrefix+hex.EncodeToString(random[:]))
	var f *os.File
	err := p.patiently(func() (err error) {
		f, err = root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		return err
	})
	if err != nil {
		return nil, err
	}
	t := &tempFile{File: f, root: root, name: name}
	err = p.inheritFile(f, root, dir)
	if err == nil {
		err = p.give(f)
	}
	if err != nil {
		t.discard()
		return nil, err
	}
	t.hold = holdTemp(root, name)
	return t, nil
}

// finish ends writing. If it fails, the file is gone.
func (t *tempFile) finish(durable bool) error {
	var err error
	if durable {
		err = t.Sync()
	}
	if closeErr := t.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		t.remove()
	}
	return err
}

// rename gives the finished file its name. If it fails, the file is gone.
func (t *tempFile) rename(name string) error {
	err := t.root.Rename(t.name, name)
	if err != nil && removeEmptyDir(t.root, name) {
		err = t.root.Rename(t.name, name)
	}
	if err != nil {
		t.remove()
		return err
	}
	t.release()
	return nil
}

// removeEmptyDir removes an empty directory that has the name of a file to
// write.
func removeEmptyDir(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.IsDir() && root.Remove(name) == nil
}

func (t *tempFile) discard() {
	t.Close()
	t.remove()
}

// remove removes the file, which must be closed.
func (t *tempFile) remove() {
	t.root.Remove(t.name)
	t.release()
}

func (t *tempFile) release() {
	if t.hold != nil {
		t.hold.Close()
	}
}

// follow gives the file the permissions of an older one and a later time of
// change.
func (t *tempFile) follow(old fs.FileInfo) error {
	if err := t.Chmod(old.Mode().Perm()); err != nil {
		return err
	}
	info, err := t.Stat()
	if err != nil || info.ModTime().After(old.ModTime()) {
		return err
	}
	later := old.ModTime().Add(time.Microsecond)
	return t.root.Chtimes(t.name, later, later)
}

// writeFile writes data under a name, whole or not at all.
func (p permissions) writeFile(root *os.Root, tempDir, name string, data []byte, durable bool) error {
	t, err := p.createTemp(root, tempDir)
	if err != nil {
		return err
	}
	if _, err := t.Write(data); err != nil {
		t.discard()
		return err
	}
	if err := t.finish(durable); err != nil {
		return err
	}
	return t.rename(name)
}

// removeOldTemps removes the temporary files in a directory that dead processes
// left.
func removeOldTemps(ctx context.Context, root *os.Root, dir string, now time.Time) error {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	for ctx.Err() == nil {
		names, err := d.Readdirnames(4096)
		for _, name := range names {
			if isTempName(name) {
				removeOldTemp(root, path.Join(dir, name), now)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func removeOldTemp(root *os.Root, name string, now time.Time) {
	if isOldTemp(root, name, now) {
		root.Remove(name)
	}
}

// isOldTemp reports whether a temporary file was left by a dead process.
func isOldTemp(root *os.Root, name string, now time.Time) bool {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || now.Sub(info.ModTime()) <= unlockedLife {
		return false
	}
	held, known := isHeld(root, name) // a held file looks old if the clock was set forward
	return !held && (known || now.Sub(info.ModTime()) > tempLife)
}

func isTempName(name string) bool {
	random, ok := strings.CutPrefix(name, tempPrefix)
	return ok && len(random) == tempDigits && ctxio.IsHex(random)
}
