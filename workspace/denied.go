package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A denied error reports a file or directory of citekit that the system does not
// let this user use. Its text names no path, as people read it who may not see
// where files are stored.
type denied struct {
	error
	path string // absolute
}

func (e *denied) Unwrap() error { return e.error }

// Denied returns the absolute path of what is closed. Programs whose user may
// see paths find it with [errors.As] and an interface.
func (e *denied) Denied() string { return e.path }

// denied returns err without a path. If err says that the system does not let
// this user use a file, given by its name in the folder, the result also keeps
// where that is. A name in err comes before the given one.
func (d *folder) denied(name string, err error) error {
	if !errors.Is(err, fs.ErrPermission) || errors.As(err, new(refusal)) || errors.As(err, new(*denied)) {
		return withoutPath(err)
	}
	return &denied{withoutPath(err), d.culprit(name, err)}
}

// culprit returns the absolute path of the file that err, an error about the
// named file in the folder, is about: the file, or the nearest directory above
// it that can be looked at.
func (d *folder) culprit(name string, err error) string {
	var before *denied
	if errors.As(err, &before) {
		return before.path
	}
	var failed *fs.PathError
	if errors.As(err, &failed) {
		name = failed.Path
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.path, name)
	}
	for {
		_, err := os.Lstat(path)
		if err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}
