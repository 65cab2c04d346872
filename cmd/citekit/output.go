package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
)

// writeEvidence writes the bytes of the evidence to the standard output.
func (s *session) writeEvidence(ctx context.Context, e *citekit.Evidence) error {
	f, err := os.Open(e.OutputPath)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(s.stdout, ctxio.Reader(ctx, f))
	return err
}

// checkOutput returns an error if the evidence cannot be copied to the file, before
// any work is done. The names "" and "-" are no files.
func checkOutput(name string, force bool) error {
	if name == "" || name == "-" {
		return nil
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err = os.Stat(filepath.Dir(name))
		return err
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("'%s' is a directory; name a file in it", name)
	case info.Mode().IsRegular() && !force:
		return fmt.Errorf("'%s' exists; --force replaces it", name)
	}
	return nil
}

// copyEvidence copies the evidence to a file atomically. An existing file is
// replaced only with force; a device or pipe is written to.
func copyEvidence(ctx context.Context, e *citekit.Evidence, name string, force bool) error {
	if err := checkOutput(name, force); err != nil { // a file may have appeared meanwhile
		return err
	}
	src, err := os.Open(e.OutputPath)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return copyToDevice(ctx, src, name)
	default:
		if name, err = filepath.EvalSymlinks(name); err != nil { // keep the link, replace its target
			return err
		}
	}
	return copyToFile(ctx, src, name)
}

func copyToDevice(ctx context.Context, src io.Reader, name string) error {
	dst, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, ctxio.Reader(ctx, src))
	return errors.Join(err, dst.Close())
}

// copyToFile writes a temporary file beside name and renames it. The file gets the
// default permissions of new files, unlike evidence in the output directory, which
// only its owner can read.
func copyToFile(ctx context.Context, src io.Reader, name string) (err error) {
	dst, err := createBeside(name)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(dst.Name())
		}
	}()
	_, err = io.Copy(dst, ctxio.Reader(ctx, src))
	if err = errors.Join(err, dst.Sync(), dst.Close()); err != nil {
		return err
	}
	return os.Rename(dst.Name(), name)
}

func createBeside(name string) (*os.File, error) {
	const attempts = 100
	dir := filepath.Dir(name)
	for i := 0; ; i++ {
		temporary := filepath.Join(dir, fmt.Sprintf(".citekit-%d-%d.tmp", os.Getpid(), i))
		f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || i == attempts || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}
