package localfile

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
)

// WithoutPath returns an error without the path in it: the cause of the first
// [fs.PathError], [os.LinkError] or [exec.Error] that err is or wraps, or err
// itself if there is none. It also drops the operation and the text of wrapping
// errors, as they may repeat the path. The result still matches what the cause
// matches, such as [fs.ErrPermission].
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
