package citekit_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

func libraryOf(t *testing.T, resolvers citekit.Resolvers, most int) *citekit.Library {
	t.Helper()
	ws := workspace.NewMemory(nil)
	lib := citekit.New(ws, resolvers, &citekit.Options{MaxExtractions: most})
	t.Cleanup(func() { lib.Close() })
	for _, name := range []string{"a", "b", "c", "d"} {
		ws.AddSource(name+".txt", []byte(name+" 1\n"+name+" 2\n"))
	}
	return lib
}

// TestSlotsOfModalities fills the slots of one modality: others are served.
func TestSlotsOfModalities(t *testing.T) {
	const most = 2
	arrived := make(chan struct{}, 10)
	stuck := &lineResolver{Before: func(ctx context.Context) error {
		arrived <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}}
	lib := libraryOf(t, citekit.Resolvers{citekit.Document: stuck, citekit.Text: &lineResolver{}}, most)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 4)
	for _, name := range []string{"a", "b", "c", "d"} {
		go func() {
			_, err := lib.ResolveFile(ctx, name+".txt", citekit.Location{Modality: citekit.Document}, nil)
			ended <- err
		}()
	}
	for range most {
		<-arrived
	}
	loc := citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 2, Last: 2}}
	waiting, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	if _, err := lib.ResolveFile(waiting, "a.txt", loc, nil); err != nil {
		t.Errorf("a text while documents are stuck: %v", err)
	}
	cancel()
	for range 4 {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("a document that was given up: %v", err)
		}
	}
	if n := stuck.Calls.Load(); n != most {
		t.Errorf("%d documents at a time, want %d", n, most)
	}
}

// A storing workspace takes long once it has read a body.
type storing struct {
	citekit.Workspace
	release chan struct{}
	stored  chan struct{}
}

// StoreEvidence reads the body and then waits, as for a slow disk.
func (s *storing) StoreEvidence(ctx context.Context, key string, meta citekit.EvidenceMeta, body io.Reader) (*citekit.StoredEvidence, error) {
	stored, err := s.Workspace.StoreEvidence(ctx, key, meta, body)
	s.stored <- struct{}{}
	<-s.release
	return stored, err
}

// TestSlowDiskHoldsNoSlot has evidence that is read, and takes long to store.
func TestSlowDiskHoldsNoSlot(t *testing.T) {
	ws := workspace.NewMemory(nil)
	for _, name := range []string{"a", "b", "c"} {
		ws.AddSource(name+".txt", []byte("one\n"))
	}
	slow := &storing{ws, make(chan struct{}), make(chan struct{}, 3)}
	lib := citekit.New(slow, citekit.Resolvers{citekit.Text: &lineResolver{}}, &citekit.Options{MaxExtractions: 1})
	t.Cleanup(func() { lib.Close() })
	ended := make(chan error, 3)
	for _, name := range []string{"a", "b", "c"} {
		go func() {
			_, err := lib.ResolveFile(t.Context(), name+".txt", citekit.Location{Modality: citekit.Text}, nil)
			ended <- err
		}()
	}
	for range 3 {
		<-slow.stored
	}
	close(slow.release)
	for range 3 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestOneSlot has many callers do all that a library can at once, where one
// extraction of a modality may run at a time. Some give up, some panic. All
// end, and the slot is free afterwards.
func TestOneSlot(t *testing.T) {
	ws := workspace.NewMemory(nil)
	names := []string{"a", "b", "c"}
	for _, name := range names {
		ws.AddSource("docs/"+name+".txt", []byte("# "+name+"\n\none\ntwo\n"))
	}
	panics := &lineResolver{Before: func(context.Context) error { panic("the resolver gave up") }}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver), citekit.Document: panics}, &citekit.Options{MaxExtractions: 1})
	t.Cleanup(func() { lib.Close() })
	if _, err := ingest.Run(t.Context(), lib, []string{"docs"}, nil); err != nil {
		t.Fatal(err)
	}
	loc := citekit.Text.Lines(3, 4)
	operations := []func(ctx context.Context, id string) error{
		func(ctx context.Context, id string) error {
			_, err := lib.Measure(ctx, id)
			return err
		},
		func(ctx context.Context, id string) error {
			_, err := lib.ResolveAddress(ctx, citekit.Address{Resource: id, Location: loc}, nil)
			return err
		},
		func(ctx context.Context, id string) error {
			_, err := lib.ResolveFile(ctx, "docs/"+id+".txt", citekit.Text.Lines(2, 3), nil)
			return err
		},
		func(ctx context.Context, id string) error {
			if _, err := lib.ResolveFile(ctx, "docs/"+id+".txt", citekit.Location{Modality: citekit.Document}, nil); err == nil {
				return errors.New("no error of a resolver that panics")
			}
			return nil
		},
		func(ctx context.Context, id string) error {
			for _, err := range lib.ReadText(ctx, id, loc) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		func(ctx context.Context, id string) error {
			m, err := lib.Map(ctx, id)
			if err != nil {
				return err
			}
			for _, p := range ingest.Check(ctx, lib, m) {
				err = errors.Join(err, p.Err)
			}
			return err
		},
		func(ctx context.Context, id string) error {
			_, err := ingest.Run(ctx, lib, []string{"docs"}, &ingest.Options{Force: true})
			return err
		},
		func(ctx context.Context, id string) error {
			_, err := contents.DigestOf(ctx, lib, []string{id}, nil)
			return err
		},
	}
	var callers sync.WaitGroup
	for n, operation := range operations {
		for i := range 12 {
			callers.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
				givesUp := i%4 == 3
				if givesUp {
					ctx, cancel = context.WithTimeout(t.Context(), time.Duration(i)*100*time.Microsecond)
				}
				defer cancel()
				if err := operation(ctx, names[i%len(names)]); err != nil && !givesUp {
					t.Errorf("operation %d: %v", n, err)
				}
			})
		}
	}
	callers.Wait()
	if err := operations[1](t.Context(), "a"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestSharedSlots fills the slots of two libraries by one of them.
func TestSharedSlots(t *testing.T) {
	shared := &citekit.Slots{Max: 0} // one
	var libs [2]*citekit.Library
	for i := range libs {
		libs[i] = citekit.New(workspace.NewMemory(nil), nil, &citekit.Options{Extractions: shared})
		t.Cleanup(func() { libs[i].Close() })
	}
	err := libs[0].WithSlot(t.Context(), citekit.Text, func(ctx context.Context) error {
		short, cancel := context.WithCancel(ctx)
		cancel()
		if err := libs[1].WithSlot(short, citekit.Image, func(context.Context) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("a second extraction of another library: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := libs[1].WithSlot(t.Context(), citekit.Image, func(context.Context) error { return nil }); err != nil {
		t.Errorf("after the first: %v", err)
	}
}

// TestSharedSlotsOfModalities floods shared slots with work of one modality after
// another: the next has a slot at once.
func TestSharedSlotsOfModalities(t *testing.T) {
	for _, test := range []struct {
		slots int
		want  []int // how many of each modality run, in the order in which they come
	}{
		{8, []int{4, 1, 1, 1, 1}}, {20, []int{16, 1, 1, 1, 1}}, {4, []int{2, 1, 1, 0, 0}}, {2, []int{1, 1, 0, 0, 0}}, {1, []int{1, 0, 0, 0, 0}},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			shared, stop := &citekit.Slots{Max: test.slots}, make(chan struct{})
			var libs [2]*citekit.Library
			for i := range libs {
				libs[i] = citekit.New(workspace.NewMemory(nil), nil, &citekit.Options{MaxExtractions: 100, Extractions: shared})
				defer libs[i].Close()
			}
			modalities := []citekit.Modality{citekit.Video, citekit.Audio, citekit.Document, citekit.Image, citekit.Text}
			var running [5]atomic.Int32
			var callers sync.WaitGroup
			for i, m := range modalities {
				for n := range 30 {
					callers.Go(func() {
						_ = libs[n%2].WithSlot(ctx, m, func(context.Context) error {
							running[i].Add(1)
							<-stop
							return nil
						})
					})
				}
				synctest.Wait()
			}
			for i, want := range test.want {
				if n := running[i].Load(); int(n) != want {
					t.Errorf("%d slots: %d extractions of %s run, want %d", test.slots, n, modalities[i], want)
				}
			}
			close(stop) // all others have their turn, except those who give up
			cancel()
			callers.Wait()
			for range test.slots {
				if _, err := shared.Acquire(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestSharedSlotsOfEvidence has no slot left: evidence is not made before there
// is one.
func TestSharedSlotsOfEvidence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := workspace.NewMemory(nil)
		ws.AddSource("a.txt", []byte("one\n"))
		shared, resolver := &citekit.Slots{Max: 1}, &lineResolver{}
		lib := citekit.New(ws, citekit.Resolvers{citekit.Text: resolver}, &citekit.Options{Extractions: shared})
		defer lib.Close()
		release, err := shared.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := lib.ResolveFile(t.Context(), "a.txt", citekit.Location{Modality: citekit.Text}, nil)
			ended <- err
		}()
		synctest.Wait()
		if n := resolver.Calls.Load(); n != 0 {
			t.Errorf("%d extractions without a slot", n)
		}
		release()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestSlots(t *testing.T) {
	slots := &citekit.Slots{Max: 2}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	first, err := slots.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, err := slots.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first()
	first() // nobody else's
	if _, err := slots.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := slots.Acquire(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a third of two: %v", err)
	}
	second()
	var any *citekit.Slots
	if release, err := any.Acquire(t.Context()); err != nil {
		t.Error(err)
	} else {
		release()
	}
}
