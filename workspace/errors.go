package workspace

import (
	"errors"
	"os"
	"syscall"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/fserror"
)

// A refusal says why something is not opened. It matches
// [citekit.ErrForbidden].
type refusal string

func (r refusal) Error() string { return string(r) }

func (r refusal) Is(target error) bool { return target == citekit.ErrForbidden }

// Outside reports whether the reason is that a source is outside the roots.
// Callers that say how to allow it find it with [errors.As] and an interface.
func (r refusal) Outside() bool { return r == errOutside }

const (
	errOutside          = refusal("the source is outside the allowed roots")
	errNotPlain         = refusal("the source is not a plain file")
	errMapNotPlain      = refusal("the map is not a plain file")
	errEvidenceNotPlain = refusal("the evidence is not a plain file")
	errRecordNotPlain   = refusal("a record in the evidence directory is not a plain file")
)

// What a storageError may say.
const (
	mapsUnwritable     = "the maps directory cannot be written"
	evidenceUnwritable = "the evidence directory cannot be written"
	evidenceUnreadable = "the evidence directory cannot be read"
)

// A storageError says that a directory of citekit is at fault. It matches its
// cause but not [fs.ErrPermission]: it is not the source that is forbidden.
type storageError struct {
	what  string
	cause syscall.Errno
}

func (e *storageError) Error() string { return e.what + ": " + e.cause.Error() }

func (e *storageError) Is(target error) bool { return target == e.cause }

// StorageFault returns what is wrong, which names no path. Callers that show
// errors to others find it with [errors.As] and an interface.
func (e *storageError) StorageFault() string { return e.Error() }

// storageFault returns what says that a directory is at fault if err is an
// error of the operating system, else err.
func storageFault(what string, err error) error {
	var cause syscall.Errno
	if errors.As(err, &cause) {
		return &storageError{what, cause}
	}
	return err
}

// withoutPath returns what went wrong without the path it went wrong with.
func withoutPath(err error) error { return fserror.WithoutPath(err) }

// isEscape reports whether err says that a name leads out of its [os.Root].
func isEscape(root *os.Root, err error) bool {
	_, escape := root.Lstat("..")
	return escape != nil && errors.Is(err, withoutPath(escape))
}
