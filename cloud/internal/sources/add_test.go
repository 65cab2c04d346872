package sources_test

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/citekit/citekit"
)

func TestAddSource(t *testing.T) {
	b, _ := newBucket(t, nil)
	if n, err := b.AddSource(t.Context(), "guide.md", strings.NewReader("one\n")); n != 4 || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	if _, err := b.AddSource(t.Context(), "guide.md", strings.NewReader("two\n")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a source was replaced: %v", err)
	}
	lost := errors.New("lost")
	if _, err := b.AddSource(t.Context(), "cut.md", io.MultiReader(strings.NewReader("one"), iotest.ErrReader(lost))); !errors.Is(err, lost) {
		t.Errorf("%v, want %v", err, lost)
	}
	if _, err := b.OpenSource(t.Context(), "cut.md"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a source that was cut short: %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := b.AddSource(t.Context(), "../guide.md", strings.NewReader("")); !errors.Is(err, citekit.ErrForbidden) {
		t.Errorf("a path out of the bucket: %v, want %v", err, citekit.ErrForbidden)
	}
	src, err := b.OpenSource(t.Context(), "guide.md")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if data, err := io.ReadAll(src.Reader()); string(data) != "one\n" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}
