package workspace

import (
	"errors"
	"io/fs"
	"os"

	"github.com/citekit/citekit"
)

// A refusal says why something is not opened. It matches
// [citekit.ErrForbidden].
type refusal string

func (r refusal) Error() string { return string(r) }

func (r refusal) Is(target error) bool { return target == citekit.ErrForbidden }

const (
	errOutside          = refusal("the source is outside the allowed roots")
	errNotPlain         = refusal("the source is not a plain file")
	errMapNotPlain      = refusal("the map is not a plain file")
	errEvidenceNotPlain = refusal("the evidence is not a plain file")
	errRecordNotPlain   = refusal("a record in the evidence directory is not a plain file")
)

// withoutPath returns what went wrong without the path it went wrong with.
func withoutPath(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	var linkErr *os.LinkError
	if errors.As(err, &linkErr) {
		return linkErr.Err
	}
	return err
}

// isEscape reports whether err says that a name leads out of its [os.Root].
func isEscape(root *os.Root, err error) bool {
	_, escape := root.Lstat("..")
	return escape != nil && errors.Is(err, withoutPath(escape))
}
