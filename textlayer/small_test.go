package textlayer_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// Small texts that are all of their source are not kept; others are.
func TestSmall(t *testing.T) {
	for name, test := range map[string]struct {
		source string
		kept   bool
	}{
		"plain":     {"one\ntwo\nthree\n", false},
		"no end":    {"one\ntwo", false},
		"marked":    {"\xef\xbb\xbfone\ntwo\n", false},
		"CRLF":      {"one\r\ntwo\r\n", false},
		"empty":     {"", false},
		"binary":    {"one\x00\x01two\n", false}, // as the map says that it is a text
		"UTF-16":    {"\xff\xfeo\x00n\x00e\x00\n\x00", true},
		"not UTF-8": {"caf\xe9 ferm\xe9\n", true},
		"large":     {strings.Repeat("a line\n", 64<<10), true},
	} {
		t.Run(name, func(t *testing.T) {
			lib, _ := textLibrary(t, test.source)
			want := text(t, open(t, textlayer.New(lib, &textlayer.Options{SmallBytes: -1}), "a"))
			lib, ws := textLibrary(t, test.source)
			s := textlayer.New(lib, nil)
			for range 2 { // the second is served from memory
				l := open(t, s, "a")
				if got := text(t, l); got != want {
					t.Errorf("the text is %.40q, want %.40q", got, want)
				}
				if got := keptBytes(t, lib) > 0; got != test.kept {
					t.Errorf("it is kept: %v, want %v", got, test.kept)
				}
			}
			l := open(t, s, "a")
			for _, s := range []*textlayer.Store{s, textlayer.New(lib, nil)} {
				if again, err := s.OpenVersion(t.Context(), "a", l.SourceHash()); err != nil || text(t, again) != want {
					t.Errorf("by its version: %v", err)
				}
			}
			ws.AddSource("a.txt", []byte("another\n"))
			var out strings.Builder
			if _, err := l.WriteTo(&out); out.String() != want && !errors.Is(err, citekit.ErrStale) {
				t.Errorf("what is open of a source that changed has %.40q, %v", out.String(), err)
			}
			if _, err := s.OpenVersion(t.Context(), "a", l.SourceHash()); !test.kept && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a version that is gone: %v", err)
			}
		})
	}
}

// A cancelingWorkspace is a workspace whose caller gives up when it opens a source.
type cancelingWorkspace struct {
	*workspace.Memory
	leave context.CancelFunc
}

func (l cancelingWorkspace) OpenSource(ctx context.Context, path string) (*citekit.Source, error) {
	l.leave()
	return l.Memory.OpenSource(ctx, path)
}

// Who gives up is not told that a version is gone.
func TestVersionCanceled(t *testing.T) {
	_, ws := textLibrary(t, "one\n")
	ctx, leave := context.WithCancel(t.Context())
	lib := citekit.New(cancelingWorkspace{ws, leave}, modality.All(), nil)
	defer lib.Close()
	_, err := textlayer.New(lib, nil).OpenVersion(ctx, "a", fmt.Sprintf("%x", sha256.Sum256([]byte("one\n"))))
	if !errors.Is(err, context.Canceled) || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A source of few bytes is read once if its text is not in them.
func TestSmallIsReadOnce(t *testing.T) {
	for name, run := range map[string]citekit.TextRun{
		"other": page(1, "the text of a picture"),
		"none":  page(1, ""),
		"part":  page(1, "the"),
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, citekit.Document, run)
			for range 3 {
				if got := text(t, open(t, textlayer.New(d.Library, nil), "a")); got != run.Text {
					t.Errorf("the text is %q", got)
				}
			}
			if n := d.teller.calls.Load(); n != 1 {
				t.Errorf("it was read %d times", n)
			}
		})
	}
}

// BenchmarkSmall opens texts that are kept or not and reads them, in a process
// that did so before (warm) or did not.
func BenchmarkSmall(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10, 256 << 10} {
		lib := benchLibrary(b, citekit.Text, "a.txt", func(path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("a line of text\n", size/15)), 0o600); err != nil {
				b.Fatal(err)
			}
		})
		for name, opts := range map[string]textlayer.Options{
			"kept-cold": {SmallBytes: -1, CacheBytes: -1}, "kept-warm": {SmallBytes: -1},
			"not-cold": {SmallBytes: 1 << 20, CacheBytes: -1, MaxBytes: 1 << 30}, "not-warm": {SmallBytes: 1 << 20, MaxBytes: 1 << 30},
		} {
			b.Run(fmt.Sprintf("%dKiB/%s", size>>10, name), func(b *testing.B) {
				s := textlayer.New(lib, &opts)
				for b.Loop() {
					l, err := s.Open(b.Context(), "a")
					if err != nil {
						b.Fatal(err)
					}
					if _, err := l.Text(b.Context(), 0, l.Len()); err != nil {
						b.Fatal(err)
					}
					l.Close()
				}
			})
		}
	}
}
