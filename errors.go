package citekit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

var (
	// ErrSyntax reports an invalid address, id, map or location.
	ErrSyntax = errors.New("invalid syntax")

	// ErrRange reports a location outside its source.
	ErrRange = errors.New("location out of range")

	// ErrStale reports a source that is not the version the map or the
	// address was made from.
	ErrStale = errors.New("source has changed")

	// ErrConflict reports stored data that somebody else changed since it was
	// read. It matches ErrStale.
	ErrConflict error = saying{"changed by someone else since it was read", ErrStale}

	// ErrDamaged reports stored data that is not what was written.
	ErrDamaged = errors.New("damaged in storage")

	// ErrNotStored reports that evidence could not be stored, for example
	// because the disk is full. If the limit on evidence is reached, the error
	// matches ErrTooLarge too. The source is not at fault.
	ErrNotStored = errors.New("not stored")

	// ErrForbidden reports access that is not allowed: to a path outside the
	// roots, to something that is not a regular file, or to a source that this
	// program may not read.
	ErrForbidden = errors.New("access not allowed")

	// ErrTooLarge reports something over a limit of size, depth or work.
	ErrTooLarge = errors.New("too large")

	// ErrFormat reports a source that is damaged, encrypted, or not of the
	// format its map claims.
	ErrFormat = errors.New("source cannot be read")

	// ErrEncrypted reports a source, or a member of an archive, that cannot be
	// read without its password or licence. It matches ErrFormat.
	ErrEncrypted error = saying{"the source is encrypted", ErrFormat}

	// ErrEmpty reports a source of a known format that holds nothing to cite, such
	// as a document without a paragraph. It matches ErrFormat.
	ErrEmpty error = saying{"there is nothing to cite", ErrFormat}
)

// A saying is an error with a text of its own that matches another.
type saying struct {
	text  string
	match error
}

func (e saying) Error() string { return e.text }

func (e saying) Is(target error) bool { return target == e.match }

// A Code is the machine-readable kind of an error.
type Code string

// The codes that [CodeOf] returns, each with the errors that have it.
const (
	CodeInvalidInput Code = "INVALID_INPUT" // ErrSyntax, ErrRange and ErrFormat, which ErrEncrypted and ErrEmpty match
	CodeStale        Code = "STALE"         // ErrStale, which ErrConflict matches
	CodeForbidden    Code = "FORBIDDEN"     // ErrForbidden and fs.ErrPermission
	CodeTooLarge     Code = "TOO_LARGE"     // ErrTooLarge
	CodeNotFound     Code = "NOT_FOUND"     // fs.ErrNotExist
	CodeUnsupported  Code = "UNSUPPORTED"   // errors.ErrUnsupported
	CodeTimeout      Code = "TIMEOUT"       // context.DeadlineExceeded, context.Canceled and os.ErrDeadlineExceeded
	CodeInternal     Code = "INTERNAL"      // any other error, such as ErrDamaged
)

// CodeOf returns the code of err, or "" for nil. If err matches errors with
// different codes, the code is the first of them in the order in which the
// constants are listed.
func CodeOf(err error) Code {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrSyntax), errors.Is(err, ErrRange), errors.Is(err, ErrFormat):
		return CodeInvalidInput
	case errors.Is(err, ErrStale):
		return CodeStale
	case errors.Is(err, ErrForbidden), errors.Is(err, fs.ErrPermission):
		return CodeForbidden
	case errors.Is(err, ErrTooLarge):
		return CodeTooLarge
	case errors.Is(err, fs.ErrNotExist):
		return CodeNotFound
	case errors.Is(err, errors.ErrUnsupported):
		return CodeUnsupported
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.Is(err, os.ErrDeadlineExceeded):
		return CodeTimeout
	}
	return CodeInternal
}

// maxShown is how many bytes of an id or an address an error shows: some are
// megabytes long.
const maxShown = 300

// A ResolveError records the operation and the address that failed. The
// [Library] makes it; a [Resolver] returns the plain error.
type ResolveError struct {
	Op      string  // such as "resolve" or "open"
	Address Address // only Resource is set if the call failed before the address was known
	Node    string  // id of the requested node if its address is not known or not valid, for example because the node does not exist; else ""
	Err     error   // the cause

	file string // path that ResolveFile got, or ""
}

// Error returns the operation, the address and the cause on one line.
func (e *ResolveError) Error() string {
	return fmt.Sprintf("citekit: %s %s: %v", e.Op, shortAddress(e.where()), e.Err)
}

// where returns the address, or "resource.node" or the resource where there is
// none.
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

// shortAddress returns what to show of an address. A part of one is none: of
// a long one it is the address of the whole resource, or what has no scheme.
func shortAddress(s string) string {
	if len(s) <= maxShown {
		return s
	}
	whole, _, _ := strings.Cut(s, "#")
	if _, rest, ok := strings.Cut(whole, "://"); ok && len(whole) > maxShown {
		return plain.Shorten(rest, maxShown)
	} else if ok {
		return fmt.Sprintf("%s (at selectors of %d bytes)", whole, len(s)-len(whole)-1)
	}
	return plain.Shorten(s, maxShown)
}

// Unwrap returns Err.
func (e *ResolveError) Unwrap() error { return e.Err }

// A NotFoundError reports a resource or node that does not exist. It matches
// [fs.ErrNotExist].
type NotFoundError struct {
	Kind        string   // "resource" or "node"
	ID          string   // what was asked for
	Suggestions []string // existing ids that look alike, best first; may be empty
	Want        string   // for a resource, the map file expected; else ""
}

// Error names what is missing, and what may have been meant.
func (e *NotFoundError) Error() string {
	text := "no " + e.Kind + " '" + plain.Shorten(e.ID, maxShown) + "'"
	if e.Want != "" {
		text += "; its map would be " + e.Want
	}
	if len(e.Suggestions) > 0 {
		text += "; " + message.DidYouMean(e.ID, e.Suggestions)
	}
	return text
}

// Is reports whether target is [fs.ErrNotExist].
func (e *NotFoundError) Is(target error) bool { return target == fs.ErrNotExist }
