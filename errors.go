package citekit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

var (
	// ErrSyntax reports an invalid address, id, map or location.
	ErrSyntax = errors.New("invalid syntax")

	// ErrRange reports a location outside its source.
	ErrRange = errors.New("location out of range")

	// ErrStale reports a source of another version than the map or the address.
	ErrStale = errors.New("source has changed")

	// ErrConflict reports stored data that changed since it was read. It matches ErrStale.
	ErrConflict error = saying{"changed by someone else since it was read", ErrStale}

	// ErrDamaged reports stored data that is not what was written.
	ErrDamaged = errors.New("damaged in storage")

	// ErrNotStored reports that evidence could not be stored, for example because the
	// disk is full. If the limit on evidence is reached, the error matches ErrTooLarge
	// too. The source is not at fault.
	ErrNotStored = errors.New("not stored")

	// ErrForbidden reports access that is not allowed: to a path outside the roots, to
	// something that is not a regular file, or to a source that this program may not
	// read.
	ErrForbidden = errors.New("access not allowed")

	// ErrTooLarge reports something over a limit of size, depth or work.
	ErrTooLarge = errors.New("too large")

	// ErrFormat reports a source that is damaged, encrypted, or not of its map's format.
	ErrFormat = errors.New("source cannot be read")

	// ErrEncrypted reports a source, or a member of an archive, that cannot be read
	// without its password or licence. It matches ErrFormat.
	ErrEncrypted error = saying{"the source is encrypted", ErrFormat}

	// ErrEmpty reports a source of a known format that holds nothing to cite, such as a
	// document without a paragraph. It matches ErrFormat.
	ErrEmpty error = saying{"there is nothing to cite", ErrFormat}
)

// A saying is an error with a text of its own that matches another.
type saying struct {
	text  string
	match error
}

func (e saying) Error() string { return e.text }

func (e saying) Is(target error) bool { return target == e.match }

// CodeOf returns the machine-readable code of err, or "" for nil: the first of these
// whose errors it matches.
//
//	INVALID_INPUT  ErrSyntax, ErrRange and ErrFormat, which ErrEncrypted and ErrEmpty match
//	STALE          ErrStale, which ErrConflict matches
//	FORBIDDEN      ErrForbidden and fs.ErrPermission
//	TOO_LARGE      ErrTooLarge
//	NOT_FOUND      fs.ErrNotExist
//	UNSUPPORTED    errors.ErrUnsupported
//	TIMEOUT        context.DeadlineExceeded, context.Canceled and os.ErrDeadlineExceeded
//	INTERNAL       any other error, such as ErrDamaged
func CodeOf(err error) string {
	is := func(targets ...error) bool {
		return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
	}
	switch {
	case err == nil:
		return ""
	case is(ErrSyntax, ErrRange, ErrFormat):
		return message.CodeInvalidInput
	case is(ErrStale):
		return message.CodeStale
	case is(ErrForbidden, fs.ErrPermission):
		return message.CodeForbidden
	case is(ErrTooLarge):
		return message.CodeTooLarge
	case is(fs.ErrNotExist):
		return message.CodeNotFound
	case is(errors.ErrUnsupported):
		return message.CodeUnsupported
	case is(context.DeadlineExceeded, context.Canceled, os.ErrDeadlineExceeded):
		return message.CodeTimeout
	}
	return message.CodeInternal
}

// maxShown is how many bytes of an id or an address an error shows; some are huge.
const maxShown = 300

// A ResolveError records the operation and the address that failed. The [Library] makes
// it; a [Resolver] returns the plain error.
type ResolveError struct {
	Op      string  // such as "resolve" or "open"
	Address Address // only Resource is set if the call failed before the address was known
	Node    string  // id of the requested node if its address is not known or not valid, for example because the node does not exist; else ""
	Err     error   // the cause

	file string // path that ResolveFile got, or ""
}

// Error returns the operation, the address and the cause on one line.
func (e *ResolveError) Error() string {
	return fmt.Sprintf("citekit: %s %s: %v", e.Op, plain.ShortenAddress(e.where(), maxShown), e.Err)
}

// where returns the address, or "resource.node" or the resource where there is none.
func (e *ResolveError) where() string {
	a := e.Address
	switch {
	case e.Node != "":
		return a.Resource + "." + e.Node
	case e.file != "" && (a.Location.Modality == "" || errors.Is(e.Err, fs.ErrNotExist)):
		return plain.Line(e.file)
	case a.Location.Modality == "" && a.Fragment() == "":
		return a.Resource
	}
	return a.String()
}

// Unwrap returns Err.
func (e *ResolveError) Unwrap() error { return e.Err }

// A NotFoundError reports a resource or node that is not there: [fs.ErrNotExist].
type NotFoundError struct {
	Kind        string   // "resource" or "node"
	ID          string   // what was asked for
	Suggestions []string // existing ids that look alike, best first; may be empty
	Want        string   // for a resource, the map file expected; else ""
}

// Error names what is missing, and what may have been meant.
func (e *NotFoundError) Error() string {
	return message.Missing(e.Kind, e.ID, plain.Shorten(e.ID, maxShown), e.Want, e.Suggestions)
}

// Is reports whether target is [fs.ErrNotExist].
func (e *NotFoundError) Is(target error) bool { return target == fs.ErrNotExist }

func syntaxError(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrSyntax)...)
}

// asSyntax returns err as one that matches ErrSyntax, or nil.
func asSyntax(err error) error {
	if err == nil {
		return nil
	}
	return syntaxError("%w", err)
}
