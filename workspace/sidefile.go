package workspace

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/sqlite"
)

// A sideFileError says that a file is no source, because SQLite keeps it beside a
// database for changes that may not be committed. It matches [fs.ErrNotExist], so that
// what was made of the file before counts as gone.
type sideFileError struct{ database string } // the base name

func (e sideFileError) Error() string {
	return "a side file of the SQLite database " + message.Quote(e.database) + ", which may have changes that are not committed; it is no source: name the database"
}

func (e sideFileError) Is(target error) bool { return target == fs.ErrNotExist }

// checkNotSide returns a [sideFileError] if a path is that of a side file of a SQLite
// database, which open opens by its path.
func checkNotSide(path string, open func(database string) (io.ReadCloser, error)) error {
	database, ok := sqlite.CutSide(path)
	if !ok {
		return nil
	}
	f, err := open(database)
	if err != nil {
		return nil // there is no database
	}
	defer f.Close()
	if isDatabase(f) {
		return sideFileError{filepath.Base(database)}
	}
	return nil
}

// isDatabase reads the start of a file.
func isDatabase(f io.Reader) bool {
	start, err := io.ReadAll(io.LimitReader(f, int64(sqlite.MagicSize)))
	return err == nil && sqlite.IsDatabase(bytes.NewReader(start))
}

// openRegularIn opens a regular file in a file system.
func openRegularIn(fsys fs.FS) func(name string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) {
		info, err := fs.Stat(fsys, name) // opening a pipe would wait
		switch {
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, errNotPlain
		}
		return fsys.Open(name)
	}
}

// checkNotSide returns a [sideFileError] if the source at an absolute path, which
// exists, or the target of a link there is a side file of a SQLite database.
func (d *Directory) checkNotSide(abs string) error {
	if target, ok := d.allowedTarget(abs); ok {
		return checkNotSide(target, func(database string) (io.ReadCloser, error) {
			return opened(openFile(database))
		})
	}
	if target, err := filepath.EvalSymlinks(abs); err == nil {
		abs = target // SQLite looks beside the target of a link
	}
	return checkNotSide(abs, func(database string) (io.ReadCloser, error) {
		f, err := d.openAllowed(database)
		return opened(f, nil, err)
	})
}

func opened(f *os.File, _ fs.FileInfo, err error) (io.ReadCloser, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

// checkNotSide returns a [sideFileError] if a source is a side file of a SQLite
// database.
func (s *fileSources) checkNotSide(name string) error {
	return checkNotSide(name, func(database string) (io.ReadCloser, error) {
		added, ok := s.get(database)
		switch {
		case ok:
			return io.NopCloser(bytes.NewReader(added.data)), nil
		case s.sources == nil:
			return nil, fs.ErrNotExist
		}
		return openRegularIn(s.sources)(database)
	})
}
