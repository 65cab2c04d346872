package sources_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud/internal/blockcache"
	"github.com/citekit/citekit/cloud/internal/sources"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
	"github.com/citekit/citekit/workspace/workspacetest"
)

// A meter counts the requests to a store.
type meter struct {
	driver.Bucket

	mu       sync.Mutex
	requests []string
	wait     func(ctx context.Context) error // of reads
}

func (m *meter) note(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, fmt.Sprintf(format, args...))
}

// took returns the requests since it was last called.
func (m *meter) took() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	requests := m.requests
	m.requests = nil
	return requests
}

func (m *meter) Attributes(ctx context.Context, key string) (driver.Attributes, error) {
	m.note("head %s", key)
	return m.Bucket.Attributes(ctx, key)
}

func (m *meter) Read(ctx context.Context, key string, opts driver.ReadOptions) (io.ReadCloser, driver.Attributes, error) {
	m.note("get %s %d+%d", key, opts.Offset, opts.Length)
	if m.wait != nil {
		if err := m.wait(ctx); err != nil {
			return nil, driver.Attributes{}, err
		}
	}
	return m.Bucket.Read(ctx, key, opts)
}

func (m *meter) List(ctx context.Context, opts driver.ListOptions) (driver.Page, error) {
	m.note("list %s after %s", opts.Prefix, opts.After)
	return m.Bucket.List(ctx, opts)
}

func (m *meter) put(t testing.TB, key, content string) {
	t.Helper()
	if _, err := m.Bucket.Write(t.Context(), key, strings.NewReader(content), driver.WriteOptions{Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
}

func newBucket(t testing.TB, hashes sources.Hashes) (*sources.Bucket, *meter) {
	t.Helper()
	cache, err := blockcache.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cache.Close)
	m := &meter{Bucket: driver.NewMemory()}
	return sources.New(m, cache, &sources.Options{Name: t.Name(), Hashes: hashes}), m
}

// A mixed workspace has its sources in a bucket.
type mixed struct {
	*workspace.Memory
	sources *sources.Bucket
}

func (m mixed) OpenSource(ctx context.Context, path string) (*citekit.Source, error) {
	return m.sources.OpenSource(ctx, path)
}

func (m mixed) Find(ctx context.Context, req workspace.FindRequest) iter.Seq2[workspace.Candidate, error] {
	return m.sources.Find(ctx, req)
}

func TestConforms(t *testing.T) {
	workspacetest.Run(t, func(t testing.TB) citekit.Workspace {
		b, m := newBucket(t, nil)
		m.put(t, workspacetest.SourcePath, workspacetest.SourceContent)
		return mixed{workspace.NewMemory(nil), b}
	})
}

func TestChangedSourceIsStale(t *testing.T) {
	b, m := newBucket(t, nil)
	for _, size := range []int{1000, 65 << 20} {
		first := strings.Repeat("a", size)
		m.put(t, "x.txt", first)
		src, err := b.OpenSource(t.Context(), "x.txt")
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		m.put(t, "x.txt", strings.Repeat("b", size))
		if _, err := src.ReadAt(make([]byte, 10), 0); !errors.Is(err, citekit.ErrStale) {
			t.Errorf("a source that changed before it was read: %v, want stale", err)
		}
		src, err = b.OpenSource(t.Context(), "x.txt")
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		p := make([]byte, 10)
		if _, err := src.ReadAt(p, 0); err != nil || string(p) != "bbbbbbbbbb" {
			t.Errorf("the new version: %q, %v", p, err)
		}
		if err := m.Delete(t.Context(), "x.txt", ""); err != nil {
			t.Fatal(err)
		}
		// What is on this machine is still of the version that was opened.
		if _, err := src.ReadAt(p, 5); err != nil || string(p) != "bbbbbbbbbb" {
			t.Errorf("the version that was opened: %q, %v", p, err)
		}
		if _, err := src.ReadAt(p, int64(size)-10); size > 64<<20 && !errors.Is(err, citekit.ErrStale) {
			t.Errorf("another block of a source that was deleted: %v, want stale", err)
		}
	}
}

func TestCancelledRead(t *testing.T) {
	b, m := newBucket(t, nil)
	m.put(t, "x.txt", "text")
	began := make(chan struct{})
	m.wait = func(ctx context.Context) error {
		close(began)
		<-ctx.Done()
		return ctx.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	src, err := b.OpenSource(ctx, "x.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	go func() {
		<-began
		cancel()
	}()
	if _, err := src.ReadAt(make([]byte, 4), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled read: %v", err)
	}
}

// TestHashIsKept hashes a version once, also for another process.
func TestHashIsKept(t *testing.T) {
	notes := workspace.NewMemory(nil)
	first, m := newBucket(t, sources.NoteHashes(notes))
	m.put(t, "x.txt", "text")
	src, err := first.OpenSource(t.Context(), "x.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, err := src.Hash(t.Context())
	if err != nil || src.Close() != nil {
		t.Fatal(err)
	}
	m.took()
	for _, b := range []*sources.Bucket{first, again(t, m, notes)} {
		src, err := b.OpenSource(t.Context(), "x.txt")
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		if src.KnownHash() != want {
			t.Errorf("the hash that is known is %q, want %q", src.KnownHash(), want)
		}
	}
	if got := m.took(); !slices.Equal(got, []string{"head x.txt", "head x.txt"}) {
		t.Errorf("requests: %q", got)
	}
	m.put(t, "x.txt", "another")
	src, err = first.OpenSource(t.Context(), "x.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if src.KnownHash() != "" {
		t.Error("the hash of another version is taken for this one's")
	}
}

func again(t testing.TB, m *meter, notes citekit.NoteStore) *sources.Bucket {
	cache, err := blockcache.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return sources.New(m, cache, &sources.Options{Name: t.Name(), Hashes: sources.NoteHashes(notes)})
}

var tree = []string{
	"a-b.txt", "a.txt", "a/b-c.md", "a/b.md", "a/b/c.md", "a/b/.hidden/x.md", "docs/deep/er/x.txt", "docs/one.txt", "docs/two.md",
	".git/config", ".secret", "talks/a.en.srt", "talks/a.mp4", "talks/a.mp4.json", "talks/a.txt", "talks/ab.srt", "talks/z.mp3", "z[1].txt", "zz.txt",
}

// TestFindsWhatOthersFind compares with the search of a file system.
func TestFindsWhatOthersFind(t *testing.T) {
	b, m := newBucket(t, nil)
	files := make(fstest.MapFS)
	for _, name := range tree {
		m.put(t, name, name)
		files[name] = &fstest.MapFile{Data: []byte(name)}
	}
	other := workspace.NewMemory(files)
	found := func(f workspace.Finder, req workspace.FindRequest) (all []string) {
		for c, err := range f.Find(t.Context(), req) {
			what := fmt.Sprintf("%s %d %v %v %q", c.Path, c.Size, c.Named, c.Folder, c.Companions)
			if err != nil {
				what = fmt.Sprintf("%s not found: %v, forbidden: %v", c.Path, errors.Is(err, fs.ErrNotExist), errors.Is(err, citekit.ErrForbidden))
			}
			all = append(all, what)
		}
		return all
	}
	for _, req := range []workspace.FindRequest{
		{Paths: []string{"."}},
		{Paths: []string{"."}, Hidden: true},
		{Paths: []string{"docs"}},
		{Paths: []string{"docs/"}},
		{Paths: []string{"docs/one.txt", "docs"}},
		{Paths: []string{"docs", "docs/one.txt", "."}},
		{Paths: []string{"*.txt"}},
		{Paths: []string{"**/*.md", "a"}},
		{Paths: []string{"docs/*.none"}},
		{Paths: []string{"z[1].txt"}},
		{Paths: []string{"talks/a.mp4"}},
		{Paths: []string{"none", "../x", "/etc/passwd", "docs"}},
	} {
		got, want := found(mixed{sources: b}, req), found(other, req)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%+v:\n%s\nwant\n%s", req, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestFindInPages walks a large folder page by page, and goes on from a path.
func TestFindInPages(t *testing.T) {
	b, m := newBucket(t, nil)
	const number = 2500
	for i := range number {
		m.put(t, fmt.Sprintf("d/%d/%06d.txt", i/100, i), "x")
	}
	seen := make(map[string]bool)
	var last string
	count := func(all iter.Seq2[workspace.Candidate, error], most int) {
		for c, err := range all {
			if err != nil {
				t.Fatal(err)
			}
			if c.Folder {
				continue
			}
			if seen[c.Path] || c.Identity == "" {
				t.Fatalf("%+v was found before, or has no identity", c)
			}
			seen[c.Path], last = true, c.Path
			if most--; most == 0 {
				return
			}
		}
	}
	count(b.FindAfter(t.Context(), "d", ""), 1200)
	count(b.FindAfter(t.Context(), "d", last), -1)
	if len(seen) != number {
		t.Errorf("%d sources were found, want %d", len(seen), number)
	}
	if requests := len(m.took()); requests > 5 {
		t.Errorf("%d requests for pages of 1000, want at most 5", requests)
	}
}

// TestFindPathsThatAreNone reports objects that no path can name.
func TestFindPathsThatAreNone(t *testing.T) {
	b, m := newBucket(t, nil)
	for _, key := range []string{"a//b.txt", "a/../b.txt", "/abs.txt", "folder/", "ok.txt"} {
		m.put(t, key, "x")
	}
	var refused, found []string
	for c, err := range b.Find(t.Context(), workspace.FindRequest{Paths: []string{"."}, Hidden: true}) {
		switch {
		case err != nil && !errors.Is(err, citekit.ErrForbidden):
			t.Error(err)
		case err != nil:
			refused = append(refused, c.Path)
		case !c.Folder:
			found = append(found, path.Clean(c.Path))
		}
	}
	if want := []string{"/abs.txt", "a/../b.txt", "a//b.txt"}; !slices.Equal(refused, want) || !slices.Equal(found, []string{"ok.txt"}) {
		t.Errorf("refused %q, want %q; found %q", refused, want, found)
	}
}
