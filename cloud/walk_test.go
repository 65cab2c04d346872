//go:build unix

package cloud_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/cloud/internal/blockcache"
	"github.com/citekit/citekit/cloud/internal/sources"
	"github.com/citekit/citekit/cloud/jobs"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
)

// A countedBucket lists so many objects that nobody has stored.
type countedBucket struct {
	driver.Bucket // for what is not used
	number        int
	listed        func(first int) // before each page, if not nil
}

func countedKey(i int) string { return fmt.Sprintf("files/%09d.txt", i) }

func (b *countedBucket) List(ctx context.Context, opts driver.ListOptions) (page driver.Page, err error) {
	first := 0
	if name, ok := strings.CutPrefix(opts.After, "files/"); ok {
		if first, err = strconv.Atoi(strings.TrimSuffix(name, ".txt")); err != nil {
			return page, err
		}
		first++
	}
	if b.listed != nil {
		b.listed(first)
	}
	for i := first; i < b.number && len(page.Objects) < opts.Limit; i++ {
		page.Objects = append(page.Objects, driver.Object{Key: countedKey(i), Attributes: driver.Attributes{ETag: "1", Size: 10}})
	}
	page.More = first+len(page.Objects) < b.number
	return page, ctx.Err()
}

// walked opens a workspace over the objects of a countedBucket.
func walked(t testing.TB, url, dir string, b *countedBucket) *cloud.Workspace {
	t.Helper()
	cache, err := blockcache.Open(filepath.Join(dir, "cache"), nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := cloud.Open(context.Background(), url, &cloud.Options{Bucket: driver.NewMemory(), Sources: sources.New(b, cache, &sources.Options{Name: "counted"})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// noteAll has it noted that all objects have a map, but for each that new says, and that
// one more source is gone for each that gone says.
func noteAll(t testing.TB, w *cloud.Workspace, isNew, isGone func(i int) bool) {
	t.Helper()
	if _, err := w.WriteMapIf(t.Context(), "m", []byte("{}"), citekit.Stamp{}); err != nil {
		t.Fatal(err)
	}
	var changes []citekit.NoteChange
	write := func() {
		if _, err := w.ChangeNotes(t.Context(), ledger.Kind, changes); err != nil {
			t.Fatal(err)
		}
		changes = changes[:0]
	}
	i := 0
	for c, err := range w.FindAfter(t.Context(), ".", "") {
		if err != nil {
			t.Fatal(err)
		}
		if c.Folder {
			continue
		}
		note := ledger.Note{Identity: c.Identity, ID: "m"}
		if !isNew(i) {
			changes = append(changes, citekit.NoteChange{Name: c.Path, Data: note.Encode()})
		}
		if isGone(i) {
			changes = append(changes, citekit.NoteChange{Name: c.Path + ".gone", Data: note.Encode()})
		}
		if i++; len(changes) >= 1000 {
			write()
		}
	}
	write()
}

// walkVariable has the test be a process that walks the objects of a workspace, as many
// as another variable says, and is killed when it has listed half of them.
const walkVariable = "CITEKIT_TEST_WALK"

func init() {
	url := os.Getenv(walkVariable)
	if url == "" {
		return
	}
	number, _ := strconv.Atoi(os.Getenv("CITEKIT_TEST_WALK_NUMBER"))
	cache, err := blockcache.Open(os.Getenv("CITEKIT_TEST_WALK_DIR"), nil)
	if err != nil {
		panic(err)
	}
	b := &countedBucket{number: number, listed: func(first int) {
		if first > number/2 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}}
	w, err := cloud.Open(context.Background(), url, &cloud.Options{Bucket: driver.NewMemory(), Sources: sources.New(b, cache, &sources.Options{Name: "counted"})})
	if err != nil {
		panic(err)
	}
	q, err := w.Queue(context.Background())
	if err != nil {
		panic(err)
	}
	_, err = q.Find(context.Background(), w, &jobs.FindOptions{Request: workspace.FindRequest{Paths: []string{"."}}})
	fmt.Println(err)
	os.Exit(3)
}

// A walk that was killed goes on where it was, misses nothing, and tells what is gone
// once it has ended.
func TestWalk(t *testing.T) {
	number := 20_500
	if sharedtest.Long() {
		number = 200_000
	}
	url, b := schema(t), &countedBucket{number: number}
	w := walked(t, url, t.TempDir(), b)
	noteAll(t, w, func(i int) bool { return i%1000 == 7 }, func(i int) bool { return i%5000 == 11 })
	killed := exec.Command(os.Args[0])
	killed.Env = append(os.Environ(), walkVariable+"="+url, "CITEKIT_TEST_WALK_NUMBER="+strconv.Itoa(number), "CITEKIT_TEST_WALK_DIR="+t.TempDir())
	out, err := killed.CombinedOutput()
	if status, ok := killed.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the first walk was to be killed: %v: %s", err, out)
	}
	q, err := w.Queue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	opts := &jobs.FindOptions{Request: workspace.FindRequest{Paths: []string{"."}}, Progress: func(f jobs.Finding) {
		if f.Vanished != 0 {
			t.Error("a walk that has not ended tells what is gone")
		}
	}}
	found, err := q.Find(t.Context(), w, opts)
	if err != nil {
		t.Fatal(err)
	}
	gone := (number + 4988) / 5000
	if found.From < countedKey(number/3) || found.Sources > number*2/3 || found.Sources != found.Unchanged+(found.Sources+992)/1000 {
		t.Errorf("the walk went on after %q and found %d, %d of them unchanged", found.From, found.Sources, found.Unchanged)
	}
	if found.Vanished != gone || len(found.Gone) != min(gone, 100) || found.Gone[0] != countedKey(11)+".gone" {
		t.Errorf("%d are gone, such as %q; want %d", found.Vanished, found.Gone, gone)
	}
	added := make(map[string]int)
	for before := int64(math.MaxInt64); ; {
		some, err := q.List(t.Context(), jobs.Waiting, before, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range some {
			for _, s := range j.Sources {
				added[s.Path]++
			}
			before = j.ID
		}
		if len(some) < 1000 {
			break
		}
	}
	if len(added) != (number+992)/1000 || added[countedKey(7)] != 1 {
		t.Errorf("%d sources are in the queue, want %d", len(added), (number+992)/1000)
	}
	// One that is too old begins again.
	if _, err := w.WriteNoteIf(t.Context(), "walk", ".", []byte(`{"after":"files/000000100.txt","at":"2020-01-01T00:00:00Z","vanished":7}`), citekit.Stamp{}); err != nil {
		t.Fatal(err)
	}
	again, err := q.Find(t.Context(), w, opts)
	if err != nil || again.From != "" || again.Sources != number || again.Jobs != 0 || again.Vanished != gone {
		t.Errorf("the next walk: %+v, %v", again, err)
	}
}

// BenchmarkWalk walks objects that have not changed.
func BenchmarkWalk(b *testing.B) {
	for _, number := range []int{10_000, 100_000} {
		b.Run(strconv.Itoa(number), func(b *testing.B) {
			var heap uint64
			bucket := &countedBucket{number: number}
			w := walked(b, schema(b), b.TempDir(), bucket)
			noteAll(b, w, func(int) bool { return false }, func(int) bool { return false })
			bucket.listed = func(first int) {
				if first%(number/10) == 0 {
					var m runtime.MemStats
					runtime.GC()
					runtime.ReadMemStats(&m)
					heap = max(heap, m.HeapAlloc)
				}
			}
			q, err := w.Queue(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				found, err := q.Find(b.Context(), w, &jobs.FindOptions{Request: workspace.FindRequest{Paths: []string{"."}}})
				if err != nil || found.Unchanged != number {
					b.Fatalf("%+v, %v", found, err)
				}
			}
			b.ReportMetric(float64(number)*float64(b.N)/b.Elapsed().Seconds(), "keys/s")
			b.ReportMetric(float64(heap)/1e6, "MB-heap")
		})
	}
}
