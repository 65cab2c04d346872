// Package fserror makes errors of the operating system fit to be shown to
// others than the person whose files they are about.
package fserror

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
)

// WithoutPath returns what went wrong without the path it went wrong with: the
// cause of the first [fs.PathError], [os.LinkError] or [exec.Error] that err
// is or wraps, and err itself if it is none. The operation and what wraps the
// error are dropped too, as they may repeat the path; the result still matches
// what the cause does, such as [fs.ErrPermission].
func WithoutPath(err error) error {
	for {
		var path *fs.PathError
		var link *os.LinkError
		var program *exec.Error
		switch {
		case errors.As(err, &path):
			err = path.Err
		case errors.As(err, &link):
			err = link.Err
		case errors.As(err, &program):
			err = program.Err
		default:
			return err
		}
	}
}
