package localfile

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// The codes with which Windows says that a disk is full.
const (
	windowsHandleDiskFull = syscall.Errno(39)
	windowsDiskFull       = syscall.Errno(112)
)

// IsFull reports whether an error says that a disk, or what a user may have of it, is full.
func IsFull(err error) bool {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return true
	}
	return runtime.GOOS == "windows" && (errors.Is(err, windowsDiskFull) || errors.Is(err, windowsHandleDiskFull))
}

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
