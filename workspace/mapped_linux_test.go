package workspace_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/workspace"
)

// mapFile returns the content of a file mapped for writing, and what ends that.
func mapFile(t testing.TB, path string) (content []byte, unmap func()) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // the mapping stays
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	content, err = syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		t.Skip("this file system does not map files: ", err)
	}
	unmap = sync.OnceFunc(func() { syscall.Munmap(content) })
	t.Cleanup(unmap)
	return content, unmap
}

// onFileSystems runs a test in a directory of the usual file system, and of
// one in memory if there is one.
func onFileSystems(t *testing.T, test func(t *testing.T, dir string)) {
	t.Run("usual", func(t *testing.T) { test(t, t.TempDir()) })
	t.Run("memory", func(t *testing.T) {
		dir, err := os.MkdirTemp("/dev/shm", "citekit-")
		if err != nil {
			t.Skip("no file system in memory: ", err)
		}
		defer os.RemoveAll(dir)
		test(t, dir)
	})
}

const (
	smallSource = 100 << 10
	largeSource = 2 << 20  // its hash is recorded
	hugeSource  = 33 << 20 // it is not held in memory
)

// sourceSizes are the sizes of sources, without the huge one if -short is set.
func sourceSizes() map[string]int {
	sizes := map[string]int{"small": smallSource, "large": largeSource, "huge": hugeSource}
	if testing.Short() {
		delete(sizes, "huge")
	}
	return sizes
}

// hashOf returns the hash of a source as the workspace gives it, having
// compared it with what is read.
func hashOf(t testing.TB, ws citekit.Workspace, name string) string {
	t.Helper()
	src, err := ws.OpenSource(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	hash, err := src.Hash(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(src.Reader())
	if err != nil {
		t.Fatal(err)
	}
	if err := src.CheckUnchanged(); err == nil && sum(string(content)) != hash {
		t.Errorf("%d bytes with another hash than the source, which is said to be unchanged", len(content))
	}
	return hash
}

// A page that was written through a mapping is written again: the times stay.
func TestSourceWrittenThroughMapping(t *testing.T) {
	sharedtest.NotShort(t)
	t.Parallel()
	onFileSystems(t, func(t *testing.T, dir string) {
		for name, size := range sourceSizes() {
			t.Run(name, func(t *testing.T) {
				path := filepath.Join(dir, name)
				writeFile(t, path, strings.Repeat("a", size))
				content, unmap := mapFile(t, path)
				copy(content[5000:], "first")
				waitUntilSettled(t, path)
				d := open(t, dir, nil)
				first := hashOf(t, d, name)
				copy(content[5000:], "again")
				want := sum(string(content))
				for _, ws := range []*workspace.Directory{d, open(t, dir, nil)} {
					if got := hashOf(t, ws, name); got == first || got != want {
						t.Error("the source has the hash of what it was")
					}
				}
				copy(content[5000:], "third")
				want = sum(string(content))
				unmap()
				for _, ws := range []*workspace.Directory{d, open(t, dir, nil)} {
					if got := hashOf(t, ws, name); got != want {
						t.Error("once unmapped, the source has the hash of what it was")
					}
				}
			})
		}
	})
}

// The mapping begins after the source was hashed while nobody wrote, is read
// before it is written, and ends before the source is opened again.
func TestSourceMappedInBetween(t *testing.T) {
	sharedtest.NotShort(t)
	t.Parallel()
	onFileSystems(t, func(t *testing.T, dir string) {
		path := filepath.Join(dir, "a")
		writeFile(t, path, strings.Repeat("a", largeSource))
		waitUntilSettled(t, path)
		d := open(t, dir, nil)
		hashOf(t, d, "a")
		content, unmap := mapFile(t, path)
		before := content[5000]
		content[5000] = before + 1
		want := sum(string(content))
		unmap()
		for _, ws := range []*workspace.Directory{d, open(t, dir, nil)} {
			if hashOf(t, ws, "a") != want {
				t.Error("the source has the hash of what it was")
			}
		}
	})
}

// What was read of a source that is written meanwhile has its hash, or is
// refused.
func TestSourceWrittenWhileRead(t *testing.T) {
	sharedtest.NotShort(t)
	t.Parallel()
	onFileSystems(t, func(t *testing.T, dir string) {
		for name, size := range sourceSizes() {
			path := filepath.Join(dir, name)
			writeFile(t, path, strings.Repeat("a", size))
			content, _ := mapFile(t, path)
			content[5000] = 'b'
			waitUntilSettled(t, path)
			src, err := open(t, dir, nil).OpenSource(context.Background(), name)
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			hash, err := src.Hash(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			content[5000] = 'c'
			read, err := io.ReadAll(src.Reader())
			if err != nil {
				t.Fatal(err)
			}
			err = src.CheckUnchanged()
			if err == nil && sum(string(read)) != hash || err != nil && !errors.Is(err, citekit.ErrStale) {
				t.Errorf("%s: other bytes than were hashed, %v", name, err)
			}
			if src.Identity() != "" {
				t.Errorf("%s: a source that is mapped for writing has an identity", name)
			}
		}
	})
}

// The identity of a source counts again once nobody writes.
func TestIdentityAmongWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	writeFile(t, path, "content")
	waitUntilSettled(t, path)
	d := open(t, dir, nil)
	needIdentities(t, d, "a")
	for _, flag := range []int{os.O_WRONLY, os.O_RDWR, os.O_APPEND | os.O_WRONLY} {
		f, err := os.OpenFile(path, flag, 0)
		if err != nil {
			t.Fatal(err)
		}
		if v := version(t, d, "a"); v != "" {
			t.Errorf("open for writing: version %q", v)
		}
		f.Close()
		if version(t, d, "a") == "" {
			t.Error("closed: no version")
		}
	}
}

func TestMemoryOverDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	writeFile(t, path, strings.Repeat("a", smallSource))
	content, _ := mapFile(t, path)
	content[5000] = 'b'
	waitUntilSettled(t, path)
	m := workspace.NewMemory(os.DirFS(dir))
	first := hashOf(t, m, "a")
	content[5000] = 'c'
	if got := hashOf(t, m, "a"); got == first || got != sum(string(content)) {
		t.Error("the source has the hash of what it was")
	}
	for found, err := range m.Find(context.Background(), workspace.FindRequest{Paths: []string{"a", "."}}) {
		if err != nil || found.Identity != "" {
			t.Errorf("found %+v, %v", found, err)
		}
	}
}

// Evidence that somebody has mapped for writing is not found, so that it is
// made again, and is then another file.
func TestEvidenceWrittenThroughMapping(t *testing.T) {
	sharedtest.NotShort(t)
	t.Parallel()
	onFileSystems(t, func(t *testing.T, dir string) {
		for _, size := range []int{100, smallSource} {
			body := strings.Repeat("a", size)
			d := open(t, dir, nil)
			stored := store(t, d, key, "e.txt", body)
			content, unmap := mapFile(t, stored.Path)
			content[50] = 'a' // dirty, and right
			time.Sleep(150 * time.Millisecond)
			for _, ws := range []*workspace.Directory{d, open(t, dir, nil)} {
				checkEvidence(t, ws, key, body)
			}
			content[50] = 'b'
			for _, ws := range []*workspace.Directory{d, open(t, dir, nil)} {
				checkEvidence(t, ws, key, body)
			}
			unmap()
			for _, ws := range []*workspace.Directory{d, open(t, dir, nil)} {
				if checkEvidence(t, ws, key, body) {
					t.Error("evidence that was altered is found")
				}
			}
			store(t, d, key, "e.txt", body)
			for _, ws := range []*workspace.Directory{d, open(t, dir, nil)} {
				if !checkEvidence(t, ws, key, body) {
					t.Error("evidence that was made again is not found")
				}
			}
			content, unmap = mapFile(t, stored.Path)
			before := content[50]
			content[50] = before + 1 // which moves no time in memory
			unmap()
			for _, ws := range []*workspace.Directory{d, open(t, dir, nil)} {
				if checkEvidence(t, ws, key, body) {
					t.Error("evidence that was altered in between is found")
				}
			}
		}
	})
}

// Found says nothing of sources that are mapped for writing.
func TestFindInMemoryFileSystem(t *testing.T) {
	sharedtest.NotShort(t)
	t.Parallel()
	onFileSystems(t, func(t *testing.T, dir string) {
		writeFile(t, filepath.Join(dir, "docs", "a"), "content")
		waitUntilSettled(t, filepath.Join(dir, "docs", "a"))
		time.Sleep(100 * time.Millisecond)
		d := open(t, dir, nil)
		settled := version(t, d, "docs/a") != ""
		for _, path := range []string{"docs", "docs/a", "docs/*"} {
			for found, err := range d.Find(context.Background(), workspace.FindRequest{Paths: []string{path}}) {
				if err != nil || !found.Folder && (found.Identity != "") != settled {
					t.Errorf("%s: %+v, %v; settled: %v", path, found, err, settled)
				}
			}
		}
	})
}

// Writers go on at once when a lease is in their way, and no signal that a
// program waits for comes of it.
func TestLeaseHurtsNobody(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	writeFile(t, path, "content")
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGIO)
	defer signal.Stop(signals)
	d := open(t, dir, nil)
	done := make(chan struct{})
	var writers sync.WaitGroup
	for range 2 {
		writers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				f, err := os.OpenFile(path, os.O_WRONLY, 0)
				if err != nil {
					t.Error(err)
					return
				}
				f.Close()
			}
		})
	}
	for range rounds(5000) {
		src, err := d.OpenSource(context.Background(), "a")
		if err != nil {
			t.Fatal(err)
		}
		src.Close()
	}
	close(done)
	writers.Wait()
	select {
	case s := <-signals:
		t.Errorf("signal %v", s)
	default:
	}
}
