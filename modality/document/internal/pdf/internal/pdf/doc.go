// Package pdf reads the structure of PDF files (ISO 32000-1) without loading
// them: the cross-reference data and the page tree when a file is opened, and
// afterwards only the objects that are requested.
//
// A [Document] holds no file. Every call that reads takes the file as an
// argument, so a Document can be cached while files are opened and closed.
//
// The reader is strict: contradictions are errors matching [ErrDamaged], so that
// a caller can have the file repaired instead of working with a part of it.
// [Rebuild] is the first such repair.
package pdf

import (
	"errors"
	"fmt"
)

var (
	// ErrNotPDF reports a file that does not begin like a PDF file.
	ErrNotPDF = errors.New("not a PDF file")

	// ErrDamaged reports a PDF file that contradicts its specification.
	ErrDamaged = errors.New("damaged PDF file")

	// ErrEmpty reports a damaged file in which no pages were found. It matches
	// ErrDamaged.
	ErrEmpty = fmt.Errorf("%w", ErrDamaged)

	// ErrNoEnd reports a file without the end of a PDF file, as one that was cut. It
	// matches ErrDamaged.
	ErrNoEnd = fmt.Errorf("no startxref at the end: %w", ErrDamaged)

	// ErrPassword reports a file that does not open with an empty user
	// password.
	ErrPassword = errors.New("the PDF file needs a password; save a copy without the password")

	// ErrEncryption reports a file encrypted in a way that is not supported.
	ErrEncryption = errors.New("the PDF file is encrypted in an unsupported way")

	// ErrLimit reports a file that needs more depth, memory or work than is
	// allowed.
	ErrLimit = errors.New("a limit for PDF files; split the file, or have another program write it anew")
)
