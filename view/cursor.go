package view

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
)

// A cursor is a place in a text from which to go on; zero means none.
type cursor struct {
	back bool   // to what stands before it
	at   int64  // bytes of the text
	hash string // the start of the SHA-256 of the source
}

// hashDigits is how many digits of the hash of the source a cursor has.
const hashDigits = 12

func (c cursor) String() string {
	direction := "a"
	if c.back {
		direction = "b"
	}
	return direction + strconv.FormatInt(c.at, 36) + "." + c.hash[:min(len(c.hash), hashDigits)]
}

// parseCursor parses what [cursor.String] returns; "" is the zero cursor.
func parseCursor(s string) (c cursor, err error) {
	if s == "" {
		return c, nil
	}
	offset, hash, ok := strings.Cut(s[1:], ".")
	c.back, c.hash = s[0] == 'b', hash
	c.at, err = strconv.ParseInt(offset, 36, 64)
	if !ok || err != nil || s[0] != 'a' && s[0] != 'b' || len(hash) != hashDigits || c.String() != s {
		return cursor{}, &CursorError{fmt.Errorf("give before or after of an answer to this address, or leave it out: %w", citekit.ErrSyntax)}
	}
	return c, nil
}

// A CursorError says that a cursor is wrong. It wraps an error matching
// [citekit.ErrSyntax], or [citekit.ErrStale] if the source is no longer that of the cursor.
type CursorError struct{ err error }

func (e *CursorError) Error() string { return "the cursor: " + e.err.Error() }

// A QuoteError says that a quote is wrong. It wraps the error of [verify.Verifier.Quote].
type QuoteError struct{ err error }

func (e *QuoteError) Error() string { return e.err.Error() }

// Unwrap returns the wrapped error.
func (e *QuoteError) Unwrap() error { return e.err }

// Unwrap returns the wrapped error.
func (e *CursorError) Unwrap() error { return e.err }
