package index_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

// A farStore is a store that is not on this machine. It counts what is read, and can hold
// up the reading of segments.
type farStore struct {
	*workspace.Memory
	reads atomic.Int64
	hold  chan struct{} // nil, or closed when segments can be read
}

func (*farStore) NoteLatency() time.Duration { return time.Second }

func (f *farStore) ReadNote(ctx context.Context, kind, name string) ([]byte, citekit.Stamp, error) {
	f.reads.Add(1)
	return f.Memory.ReadNote(ctx, kind, name)
}

func (f *farStore) FindEvidence(ctx context.Context, key string) (*citekit.StoredEvidence, error) {
	f.reads.Add(1)
	return f.Memory.FindEvidence(ctx, key)
}

func (f *farStore) OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	f.reads.Add(1)
	if f.hold != nil {
		select {
		case <-f.hold:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	return f.Memory.OpenEvidence(ctx, key)
}

// Within the latency of its store nothing is read of it, and then what others have put
// is found.
func TestLatency(t *testing.T) {
	for name, test := range map[string]struct {
		opts    index.Options
		latency time.Duration
	}{
		"of the store":   {index.Options{}, time.Second},
		"of the options": {index.Options{Latency: 3 * time.Second}, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				memory := workspace.NewMemory(nil)
				f := &farStore{Memory: memory}
				reader, writer := index.New(f, &test.opts), index.New(memory, nil)
				defer reader.Close()
				defer writer.Close()
				put(t, writer, resource("a", "1", "a whale"))
				check(t, reader, "whale", "a.n0")
				synctest.Wait()
				f.reads.Store(0)
				began := time.Now()
				put(t, writer, resource("b", "1", "a whale, and another whale"))
				for time.Since(began) < test.latency {
					check(t, reader, "whale", "a.n0")
					if version, err := reader.Holds(ctx, "b"); !errors.Is(err, fs.ErrNotExist) {
						t.Fatalf("the index holds %q, %v", version, err)
					}
					time.Sleep(test.latency / 100)
				}
				if n := f.reads.Load(); n != 0 {
					t.Errorf("%d reads within the latency", n)
				}
				time.Sleep(test.latency / 100)
				check(t, reader, "whale", "a.n0 b.n0")
				if n := f.reads.Load(); n == 0 || n > 3 {
					t.Errorf("%d reads of one more segment", n)
				}
			})
		})
	}
}

// An index is ready once its segments are here, and stays so. Who asks may give up; the
// fetching goes on.
func TestReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := workspace.NewMemory(nil)
		writer := index.New(memory, index.NeverMerge())
		defer writer.Close()
		for _, id := range []string{"a", "b", "c"} {
			put(t, writer, resource(id, "1", "a whale"))
		}
		f := &farStore{Memory: memory, hold: make(chan struct{})}
		x := index.New(f, nil)
		defer x.Close()
		for range 2 {
			limited, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			err := x.Ready(limited)
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "0 of 3 segments") {
				t.Fatal(err)
			}
		}
		if _, err := x.Stats(limitedTo(t, time.Second)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a search without segments: %v", err)
		}
		if n := f.reads.Load(); n != 4 { // the manifest and three segments
			t.Errorf("%d reads", n)
		}
		close(f.hold)
		if err := x.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		check(t, x, "whale", "a.n0 b.n0 c.n0")
		f.hold = make(chan struct{})
		put(t, writer, resource("d", "1", "a whale"))
		time.Sleep(2 * time.Second)
		go func() { time.Sleep(time.Minute); close(f.hold) }()
		if err := x.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		check(t, x, "whale", "a.n0 b.n0 c.n0 d.n0") // it waits for what is small
	})
}

func limitedTo(t *testing.T, time time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time)
	t.Cleanup(cancel)
	return ctx
}

// While much is fetched, searches go on without it; a change waits for it.
func TestSearchWhileFetching(t *testing.T) {
	defer index.SetMostWaited(1)()
	synctest.Test(t, func(t *testing.T) {
		memory := workspace.NewMemory(nil)
		f := &farStore{Memory: memory}
		x, writer := index.New(f, nil), index.New(memory, nil)
		defer x.Close()
		defer writer.Close()
		put(t, writer, resource("a", "1", "a whale"))
		check(t, x, "whale", "a.n0")
		put(t, writer, resource("b", "1", "a whale"))
		synctest.Wait()
		f.hold = make(chan struct{})
		time.Sleep(2 * time.Second)
		for range 5 {
			check(t, x, "whale", "a.n0")
			time.Sleep(2 * time.Second)
		}
		deleted := make(chan error)
		go func() { deleted <- x.Delete(ctx, "b") }()
		synctest.Wait()
		select {
		case err := <-deleted:
			t.Errorf("deleted before it is known: %v", err)
		default:
		}
		check(t, x, "whale", "a.n0")
		close(f.hold)
		if err := <-deleted; err != nil {
			t.Error(err)
		}
		check(t, x, "whale", "a.n0")
		if _, err := x.Holds(ctx, "b"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	})
}
