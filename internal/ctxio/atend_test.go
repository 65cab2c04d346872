package ctxio_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/ctxio"
)

func TestAtEnd(t *testing.T) {
	ended := 0
	r := ctxio.AtEnd(strings.NewReader("abc"), func() error { ended++; return nil })
	if _, err := r.Read(make([]byte, 3)); err != nil || ended != 0 {
		t.Errorf("before the end: %v, called %d times", err, ended)
	}
	if data, err := io.ReadAll(r); err != nil || len(data) != 0 || ended != 1 {
		t.Errorf("at the end: %q, %v, called %d times", data, err, ended)
	}
	changed := errors.New("changed")
	if _, err := io.ReadAll(ctxio.AtEnd(strings.NewReader("abc"), func() error { return changed })); err != changed {
		t.Errorf("an end that fails: %v", err)
	}
	broken := errors.New("broken")
	_, err := io.ReadAll(ctxio.AtEnd(io.MultiReader(strings.NewReader("a"), failingReader{broken}), func() error { return changed }))
	if err != broken {
		t.Errorf("a reader that fails before its end: %v", err)
	}
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }
