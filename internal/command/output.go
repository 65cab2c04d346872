package command

import (
	"cmp"
	"context"
	"crypto/rand"
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
		return checkFolderOf(name)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("'%s' is a directory; name a file in it", name)
	case info.Mode().IsRegular() && !force:
		return fmt.Errorf("'%s' exists; --force replaces it", name)
	}
	return nil
}

// checkFolderOf returns an error unless the folder of a file to be written exists.
func checkFolderOf(name string) error {
	dir := filepath.Dir(name)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no folder '%s'%w; make it, or name another", dir, silent{fs.ErrNotExist})
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("'%s' is not a folder; name another", dir)
	}
	return nil
}

// folderError returns err, which a temporary file beside name met, as an error of the
// folder: nobody knows the temporary file.
func folderError(name string, err error) error {
	if err := checkFolderOf(name); err != nil {
		return err
	}
	return fmt.Errorf("cannot write to the folder '%s': %w; name another, or make room or let this user write there", filepath.Dir(name), systemError(err))
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
	return writeOutput(ctx, src, name)
}

// writeOutput writes a file atomically, or to a device or pipe of that name. A link
// stays a link, and its target is replaced.
func writeOutput(ctx context.Context, src io.Reader, name string) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return copyToDevice(ctx, src, name)
	default:
		if name, err = filepath.EvalSymlinks(name); err != nil {
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

// copyToFile writes a file with the default permissions of new files, unlike evidence in
// the output directory, which only its owner can read.
func copyToFile(ctx context.Context, src io.Reader, name string) error {
	return writeWhole(name, 0o666, func(f *os.File) error {
		_, err := io.Copy(f, ctxio.Reader(ctx, src))
		return err
	})
}

// replaceFile replaces the content of a file atomically, if check, which is called when
// all is written, returns no error. The file keeps its permissions, and a link stays a
// link.
func replaceFile(name string, data []byte, check func(target string) error) error {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	return writeWhole(target, info.Mode().Perm(), func(f *os.File) error {
		_, err := f.Write(data)
		return cmp.Or(err, f.Chmod(info.Mode().Perm()), f.Sync(), check(target))
	})
}

// writeWhole writes a temporary file beside name and renames it.
func writeWhole(name string, mode fs.FileMode, write func(*os.File) error) (err error) {
	temporary := filepath.Join(filepath.Dir(name), ".citekit-"+rand.Text()+".tmp")
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return folderError(name, err)
	}
	defer func() {
		if err != nil {
			os.Remove(temporary)
		}
	}()
	err = write(f)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(temporary, name)
	}
	return writeError(name, temporary, err)
}

// writeError returns err as an error of the file name if it is one of the temporary
// file that was to become it.
func writeError(name, temporary string, err error) error {
	var of *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &of) && of.Path == temporary:
		return fmt.Errorf("cannot write %s: %w", name, of.Err)
	case errors.As(err, &link) && link.Old == temporary:
		return fmt.Errorf("cannot write %s: %w", name, link.Err)
	}
	return err
}
