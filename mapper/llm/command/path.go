package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/fserror"
)

// sourcePath returns a path by which another program can open src: its own path
// if that still leads to the open file, or else the path of a copy. The caller
// calls remove.
func sourcePath(ctx context.Context, src *citekit.Source, maxCopy int64) (path string, remove func(), err error) {
	if f := src.File(); f != nil && filepath.IsAbs(f.Name()) && leadsTo(f.Name(), f) {
		return f.Name(), func() {}, nil
	}
	if src.Size() > maxCopy {
		return "", nil, fmt.Errorf("a source of %d bytes that would have to be copied; at most %d: %w", src.Size(), maxCopy, citekit.ErrTooLarge)
	}
	dir, err := os.MkdirTemp("", "citekit-")
	if err != nil {
		return "", nil, fserror.WithoutPath(err)
	}
	remove = func() { os.RemoveAll(dir) }
	path = filepath.Join(dir, copyName(src.Name()))
	if err := copySource(ctx, src, path); err != nil {
		remove()
		return "", nil, err
	}
	return path, remove, nil
}

func leadsTo(path string, f *os.File) bool {
	there, err := os.Stat(path)
	if err != nil {
		return false
	}
	open, err := f.Stat()
	return err == nil && os.SameFile(there, open)
}

// copyName returns a name for a copy. It has the extension of the source, and
// nothing in it looks like an option or a pattern to a program.
func copyName(name string) string {
	ext := filepath.Ext(name)
	if len(ext) > 16 || strings.Trim(ext, ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		ext = ""
	}
	return "source" + ext
}

func copySource(ctx context.Context, src *citekit.Source, path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fserror.WithoutPath(err)
	}
	defer f.Close()
	if _, err := io.Copy(f, ctxio.Reader(ctx, src.Reader())); err != nil {
		return fserror.WithoutPath(err)
	}
	return fserror.WithoutPath(f.Close())
}
