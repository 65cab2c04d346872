package modalitytest

import (
	"errors"
	"mime"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
)

// inspectTypes checks the types that a content gives for its bytes.
func inspectTypes(t testing.TB, loc citekit.Location, x *citekit.Content) {
	t.Helper()
	if kind, _, err := mime.ParseMediaType(x.MediaType); err != nil || !strings.Contains(kind, "/") {
		t.Errorf("%v: %q is not a media type", label(loc), x.MediaType)
	}
	if !isExt(x.Ext) {
		t.Errorf("%v: %q is not a file name extension with its dot", label(loc), x.Ext)
	}
	if x.Charset != strings.ToLower(x.Charset) {
		t.Errorf("%v: the charset %q is not lower case", label(loc), x.Charset)
	}
}

const maxExt = 16

func isExt(ext string) bool {
	if len(ext) < 2 || len(ext) > maxExt || ext[0] != '.' {
		return false
	}
	return strings.IndexFunc(ext[1:], func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' && r != '+'
	}) < 0
}

const maxMessage = 1000

// inspectError checks the text of an error, which people and agents read.
func (s *suite) inspectError(t testing.TB, loc citekit.Location, err error) {
	t.Helper()
	if errors.Is(err, errPanic) {
		return
	}
	message := err.Error()
	switch {
	case message == "":
		t.Errorf("%v: an error without words", label(loc))
	case len(message) > maxMessage:
		t.Errorf("%v: an error of %d bytes; at most %d", label(loc), len(message), maxMessage)
	case !utf8.ValidString(message) || strings.ContainsFunc(message, unicode.IsControl):
		t.Errorf("%v: the error %q has control characters or is not UTF-8", label(loc), message)
	case strings.Contains(message, filepath.Dir(s.path)) || strings.Contains(message, s.temp):
		t.Errorf("%v: the error %q shows a path", label(loc), message)
	}
}

// inspectKnown also checks that a caller can find out the kind of the error.
func (s *suite) inspectKnown(t testing.TB, loc citekit.Location, err error) {
	t.Helper()
	s.inspectError(t, loc, err)
	switch {
	case errors.Is(err, errPanic):
	case citekit.CodeOf(err) == message.CodeInternal:
		t.Errorf("%v: the error %q matches none that Resolver documents", label(loc), err)
	case errors.Is(err, citekit.ErrStale):
		t.Errorf("%v: the error %q of a source that did not change", label(loc), err)
	}
}
