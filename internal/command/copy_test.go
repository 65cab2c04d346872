package command

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// A folderStore keeps its sources in a folder and, if it may write only so often, then
// fails.
type folderStore struct {
	*workspace.Bucket
	sources string
	writes  *atomic.Int64 // left; nil means any number
}

var errNoMoreWrites = errors.New("the store is lost")

func (f folderStore) mayWrite() error {
	if f.writes != nil && f.writes.Add(-1) < 0 {
		return errNoMoreWrites
	}
	return nil
}

func (f folderStore) AddSource(_ context.Context, path string, content io.Reader) (int64, error) {
	if err := f.mayWrite(); err != nil {
		return 0, err
	}
	data, err := io.ReadAll(content)
	if err != nil {
		return 0, err
	}
	name := filepath.Join(f.sources, path)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return 0, err
	}
	if _, err := os.Stat(name); err == nil {
		return 0, fs.ErrExist
	}
	return int64(len(data)), os.WriteFile(name, data, 0o600)
}

func (f folderStore) WriteMapIf(ctx context.Context, id string, data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	if err := f.mayWrite(); err != nil {
		return citekit.Stamp{}, err
	}
	return f.Bucket.WriteMapIf(ctx, id, data, stamp)
}

// newCopyTest has the store mem, which is empty, and a directory with two maps.
func newCopyTest(t *testing.T) (s *storeTest, dir string, writes *atomic.Int64) {
	s, writes = newStoreTest(t), new(atomic.Int64)
	writes.Store(1 << 40)
	open := s.options.Stores["mem"]
	s.options.Stores["mem"] = func(ctx context.Context, url string, readOnly bool) (Store, error) {
		store, err := open(ctx, url, readOnly)
		return folderStore{store.(*workspace.Bucket), s.sources, writes}, err
	}
	dir = t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "notes"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "guide.md"), []byte(tides), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "notes", "other.txt"), []byte("one\ntwo\nthree\n"), 0o600))
	s.must("--dir", dir, "ingest", ".")
	s.must("--dir", dir, "resolve", "guide#lines=3")
	return s, dir, writes
}

// must runs a command that must succeed, and returns what it prints.
func (s *storeTest) must(args ...string) string {
	s.Helper()
	code, stdout, stderr := s.run(args...)
	if code != exitOK {
		s.Fatalf("%v: exit code %d, %q, %q", args, code, stdout, stderr)
	}
	return stdout
}

func (s *storeTest) copied(args ...string) (code int, r copyReport, stderr string) {
	s.Helper()
	code, stdout, stderr := s.run(append([]string{"copy", "--json"}, args...)...)
	if stdout != "" {
		must(s.T, json.Unmarshal([]byte(stdout), &r))
	}
	return code, r, stderr
}

// TestCopy copies a directory to a store and back, with everything.
func TestCopy(t *testing.T) {
	s, dir, _ := newCopyTest(t)
	back := t.TempDir()
	all := []string{"--sources", "--evidence"}

	code, dry, stderr := s.copied(append(all, dir, "mem://", "--dry-run")...)
	if code != exitOK || dry.Maps.Copied != 2 || dry.Sources.Copied != 2 || dry.Notes.Copied != 2 || dry.Evidence.Copied == 0 {
		t.Errorf("dry run: exit code %d, %+v, %q", code, dry, stderr)
	}
	if got := s.must("--workspace", "mem://", "list", "-1"); got != "" {
		t.Errorf("a dry run wrote %q", got)
	}
	s.options.Stores["new"] = func(_ context.Context, _ string, readOnly bool) (Store, error) {
		if !readOnly {
			t.Error("a dry run may make something")
		}
		return nil, fs.ErrNotExist
	}
	if code, r, stderr := s.copied(append(all, dir, "new://", "--dry-run")...); code != exitOK || !reflect.DeepEqual(r, dry) {
		t.Errorf("dry run to what is still to be made: exit code %d, %+v, %q", code, r, stderr)
	}

	for _, trip := range [][2]string{{dir, "mem://"}, {"mem://", back}} {
		code, first, stderr := s.copied(append(all, trip[:]...)...)
		if code != exitOK || first.Maps.Copied != 2 || first.Sources.Copied != 2 || first.Notes.Copied != 2 || first.Evidence.Copied != dry.Evidence.Copied {
			t.Errorf("%v: exit code %d, %+v, %q", trip, code, first, stderr)
		}
		code, again, stderr := s.copied(append(all, trip[:]...)...)
		if code != exitOK || again.Maps.Copied+again.Sources.Copied+again.Notes.Copied+again.Evidence.Copied != 0 ||
			again.Maps.Same != 2 || again.Sources.Same != 2 || again.Notes.Same != 2 || again.Evidence.Same != dry.Evidence.Copied {
			t.Errorf("%v again: exit code %d, %+v, %q", trip, code, again, stderr)
		}
	}
	for _, name := range []string{"guide.md", "notes/other.txt", ".resource_maps/guide.json", ".resource_maps/other.json"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		if got, err := os.ReadFile(filepath.Join(back, name)); err != nil || string(got) != string(want) {
			t.Errorf("%s came back as %q, %v; it was %q", name, got, err, want)
		}
	}
	for _, place := range []string{"mem://", back} {
		if got := s.must("--workspace", place, "ingest", "."); !strings.Contains(got, "2 unchanged") {
			t.Errorf("an ingest into %s found %q", place, got)
		}
		if got := s.must("--workspace", place, "resolve", "guide#lines=3", "--json"); !strings.Contains(got, `"cached": true`) {
			t.Errorf("the evidence was not copied to %s: %s", place, got)
		}
	}
}

// TestCopyDiffers keeps what is there with another content, and says so.
func TestCopyDiffers(t *testing.T) {
	s, dir, _ := newCopyTest(t)
	s.add("guide.md", "# Other\n\nAnother guide.\n")
	s.must("--workspace", "mem://", "ingest", ".")
	code, r, stderr := s.copied(dir, "mem://", "--sources")
	if code != exitFailure || r.Maps.Differ != 1 || r.Maps.Copied != 1 || r.Sources.Differ != 1 || r.Sources.Copied != 1 {
		t.Errorf("exit code %d, %+v", code, r)
	}
	for _, want := range []string{"map guide is there with another content and was kept; --force replaces it", "source guide.md is there with another content and was kept\n"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in %q", want, stderr)
		}
	}
	if got := s.must("--workspace", "mem://", "structure", "guide"); !strings.Contains(got, "Other") {
		t.Errorf("the map that was there was replaced by %q", got)
	}
	if code, r, stderr = s.copied(dir, "mem://", "--force"); code != exitOK || r.Maps.Copied != 1 || r.Maps.Same != 1 {
		t.Errorf("with --force: exit code %d, %+v, %q", code, r, stderr)
	}
	if !strings.Contains(stderr, "guide has a map of another version than its source there; 'citekit ingest' there makes one that fits") {
		t.Errorf("with --force: %q; want it to say that the map does not fit", stderr)
	}
	if got := s.must("--workspace", "mem://", "structure", "guide"); !strings.Contains(got, "Winds") {
		t.Errorf("with --force the map is %q", got)
	}
}

// TestCopyGoesOn loses the store after each number of writes, and runs again.
func TestCopyGoesOn(t *testing.T) {
	s, dir, writes := newCopyTest(t)
	writes.Store(1)
	if code, _, stderr := s.copied(dir, "mem://", "--sources"); code == exitOK {
		t.Errorf("a lost store was not noticed: %q", stderr)
	}
	writes.Store(1 << 40)
	code, r, stderr := s.copied(dir, "mem://", "--sources")
	if code != exitOK || r.Sources.Same != 1 || r.Sources.Copied != 1 || r.Maps.Copied != 2 {
		t.Errorf("exit code %d, %+v, %q", code, r, stderr)
	}
	if got := s.must("--workspace", "mem://", "check-map", "--all"); strings.Contains(got, "error") {
		t.Error(got)
	}
}

// TestCopyChecks refuses content that changes on its way.
func TestCopyChecks(t *testing.T) {
	for _, test := range []struct{ text, sum string }{
		{"four", "04efaf080f5a3e74e1c29d1ca6a48569382cbbcd324e8d59d2b83ef21c039f00"},  // of five bytes
		{"fours", "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa"}, // another one
	} {
		if _, err := io.ReadAll(checked(strings.NewReader(test.text), 5, test.sum)); !errors.Is(err, citekit.ErrStale) {
			t.Errorf("%q: %v, want %v", test.text, err, citekit.ErrStale)
		}
	}
	if _, err := io.ReadAll(checked(strings.NewReader("four"), 4, "04efaf080f5a3e74e1c29d1ca6a48569382cbbcd324e8d59d2b83ef21c039f00")); err != nil {
		t.Error(err)
	}
}

// TestCopyWords holds what a person reads.
func TestCopyWords(t *testing.T) {
	s, dir, _ := newCopyTest(t)
	must(t, os.Remove(filepath.Join(dir, "guide.md")))
	code, stdout, stderr := s.run("copy", dir, "mem://", "--sources")
	if code != exitFailure || !strings.Contains(stdout, "sources: 1 copied, 14 bytes; 1 missing\nmaps: 2 copied") || !strings.Contains(stderr, "source guide.md is not there to copy") {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
	for want, args := range map[string][]string{
		"flag --dir says nothing here":                 {"--dir", dir, "copy", dir, "mem://"},
		"mem:// is the workspace to copy from and to":  {"copy", "mem://", "mem://"},
		"the workspace to copy to: ":                   {"copy", dir, filepath.Join(dir, "none")},
		"the workspace to copy from: this program has": {"copy", "pg://a:b@c", dir},
	} {
		if code, _, stderr := s.run(args...); code == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, %q, want %q", args, code, stderr, want)
		}
	}
}

// TestCopyEarlierTexts moves a citation of an earlier version in a store, and in a folder
// that came from there.
func TestCopyEarlierTexts(t *testing.T) {
	s, dir, _ := newCopyTest(t)
	answer := filepath.Join(t.TempDir(), "answer.md")
	must(t, os.WriteFile(answer, []byte("So it is [text://guide#lines=3].\n"), 0o600))
	s.must("--dir", dir, "reanchor", "--pin", answer)
	must(t, os.WriteFile(filepath.Join(dir, "guide.md"), []byte("# New\n\n"+tides), 0o600))
	s.must("--dir", dir, "ingest", ".")
	back := t.TempDir()
	for _, trip := range [][]string{{dir, "mem://"}, {"mem://", back}, {dir, "mem://", "--evidence"}} {
		again := len(trip) == 3
		code, r, stderr := s.copied(append(trip, "--sources")...)
		if code != exitOK || r.Texts.Copied+r.Texts.Same == 0 || again == (r.Texts.Copied > 0) {
			t.Errorf("%v: exit code %d, %+v, %q", trip, code, r, stderr)
		}
	}
	for _, place := range []string{dir, "mem://", back} {
		if got := s.must("--workspace", place, "reanchor", "--dry-run", answer); !strings.Contains(got, "1 to move") || !strings.Contains(got, "-> text://guide#lines=5-5&v=") {
			t.Errorf("%s: %s", place, got)
		}
	}
}
