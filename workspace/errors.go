package workspace

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/localfile"
)

// A refusal says why a file is not opened. It matches [citekit.ErrForbidden].
type refusal string

func (r refusal) Error() string { return string(r) }

func (r refusal) Is(target error) bool { return target == citekit.ErrForbidden }

// Outside reports whether the reason is that a source is outside the roots.
// Callers that explain how to allow it find it with [errors.As] and an
// interface.
func (r refusal) Outside() bool { return r == errOutside }

const (
	errOutside          = refusal("the source is outside the allowed roots")
	errNotPlain         = refusal("the source is not a plain file")
	errMapNotPlain      = refusal("the map is not a plain file")
	errEvidenceNotPlain = refusal("the evidence is not a plain file")
	errRecordNotPlain   = refusal("a record in the evidence directory is not a plain file")
)

// The messages of a storageError.
const (
	mapsUnwritable     = "the maps directory cannot be written"
	evidenceUnwritable = "the evidence directory cannot be written"
	evidenceUnreadable = "the evidence directory cannot be read"
)

// A storageError reports that a directory of citekit is at fault. It matches
// its cause and, if evidence cannot be written, [citekit.ErrNotStored], but not [fs.ErrPermission], because it is not the source that is
// forbidden.
type storageError struct {
	what  string
	cause syscall.Errno
	path  string // absolute, of the file that this user may not use; "" if that is not the fault
}

func (e *storageError) Error() string { return e.what + ": " + e.cause.Error() }

func (e *storageError) Is(target error) bool {
	return target == e.cause || target == citekit.ErrNotStored && e.what == evidenceUnwritable
}

// StorageFault describes the fault without naming a path. Callers that show
// errors to others find it with [errors.As] and an interface.
func (e *storageError) StorageFault() string { return e.Error() }

// Denied returns the absolute path of the file or directory that the system does
// not let this user use, or "" if that is not the fault.
func (e *storageError) Denied() string { return e.path }

// storageFault returns a storageError if err is an error of the operating
// system, else err.
func storageFault(what string, err error) error {
	var cause syscall.Errno
	if errors.As(err, &cause) {
		return &storageError{what: what, cause: cause}
	}
	return err
}

// fault is like storageFault for an error about the folder. It keeps which file
// this user may not use.
func (d *folder) fault(what string, err error) error {
	named := storageFault(what, err)
	if failed, ok := named.(*storageError); ok && errors.Is(err, fs.ErrPermission) {
		failed.path = d.culprit(".", err)
	}
	return named
}

// withoutPath returns err without the path it applies to.
func withoutPath(err error) error { return localfile.WithoutPath(err) }

// isEscape reports whether err means that a name leads out of its [os.Root].
func isEscape(root *os.Root, err error) bool {
	_, escape := root.Lstat("..")
	return escape != nil && errors.Is(err, withoutPath(escape))
}
