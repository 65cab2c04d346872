package search_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

// A spoilt reads texts, but none whose names begin with "bad", and counts its readings.
type spoilt struct {
	*text.Resolver
	mu   *sync.Mutex
	read map[string]int
}

func (s spoilt) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	s.mu.Lock()
	s.read[src.Name()]++
	s.mu.Unlock()
	if strings.HasPrefix(src.Name(), "bad") {
		return func(yield func(citekit.TextRun, error) bool) {
			yield(citekit.TextRun{}, fmt.Errorf("torn: %w", citekit.ErrFormat))
		}
	}
	return s.Resolver.ReadText(ctx, src, loc)
}

func newSpoilt(t *testing.T, files map[string]string) (*citekit.Library, map[string]int) {
	ws := workspace.NewMemory(nil)
	for name, content := range files {
		ws.AddSource(name, []byte(content))
	}
	resolver := spoilt{new(text.Resolver), new(sync.Mutex), make(map[string]int)}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: resolver}, nil)
	t.Cleanup(func() { lib.Close() })
	return lib, resolver.read
}

func newSearcher(t *testing.T, lib *citekit.Library, opts *search.Options) *search.Searcher {
	t.Helper()
	s := search.New(lib, opts)
	t.Cleanup(func() { s.Close() })
	return s
}

// TestIngestMakesSearchable ingests with a Searcher: no search after it reads a text, also
// none by a Searcher of another process, and what cannot be read is not read again by the
// same program.
func TestIngestMakesSearchable(t *testing.T) {
	files := map[string]string{"bad.txt": "Nothing.\n"}
	for i := range 30 {
		files[fmt.Sprintf("t%02d.txt", i)] = fmt.Sprintf("A kettle of kind%02d.\n", i)
	}
	lib, read := newSpoilt(t, files)
	s := newSearcher(t, lib, &search.Options{Program: "one"})
	last := [2]int{-1, 0}
	report, err := ingest.Run(t.Context(), lib, []string{"."}, &ingest.Options{Index: s, Progress: func(p ingest.Progress) {
		if p.ToIndex == 0 {
			return
		}
		if p.Done != 31 || p.Total != 31 || p.Indexed < last[0] {
			t.Errorf("progress %+v after %v", p, last)
		}
		last = [2]int{p.Indexed, p.ToIndex}
	}})
	if err != nil || report.Err() != nil || last != [2]int{31, 31} {
		t.Fatalf("%v, %v, progress %v", err, report.Err(), last)
	}
	x := report.Index
	if x.Resources != 31 || x.Searchable != 30 || len(x.Missing) != 1 {
		t.Fatalf("%+v", x)
	}
	if one := x.Missing[0]; one.ResourceID != "bad" || one.Path != "bad.txt" || one.Before || one.Begun || !errors.Is(one.Err, citekit.ErrFormat) || !strings.Contains(one.Err.Error(), "torn") {
		t.Errorf("%+v", one)
	}
	for i, searcher := range []*search.Searcher{s, newSearcher(t, lib, &search.Options{Program: "one"})} {
		clear(read)
		found, err := searcher.Search(t.Context(), search.Request{Query: "kettle", TopK: 50})
		if err != nil || !found.Complete || found.Total != 30 || found.Hint != "" || found.LeftOut != 0 || read["bad.txt"] > 0 {
			t.Errorf("searcher %d: %+v, %v, read %v", i, found, err, read)
		}
		if found, err := searcher.Search(t.Context(), search.Request{Query: "kettle", Filters: filterOf("bad")}); err != nil || !slices.Equal(found.UnreadableIDs, []string{"bad"}) {
			t.Errorf("searcher %d, in bad: %+v, %v", i, found, err)
		}
		if ids, err := searcher.Unindexed(t.Context()); err != nil || !slices.Equal(ids, []string{"bad"}) {
			t.Errorf("searcher %d: unindexed are %q, %v", i, ids, err)
		}
		again, err := searcher.Index(t.Context(), nil)
		if err != nil || again.Searchable != 30 || len(again.Missing) != 1 || !again.Missing[0].Before || !errors.Is(again.Missing[0].Err, citekit.ErrFormat) || read["bad.txt"] > 0 {
			t.Errorf("searcher %d, again: %+v, %v, read %v", i, again, err, read)
		}
	}
	other := newSearcher(t, lib, &search.Options{Program: "two"})
	if x, err := other.Index(t.Context(), nil); err != nil || len(x.Missing) != 1 || x.Missing[0].Before || read["bad.txt"] != 1 {
		t.Errorf("another program: %+v, %v, read %v", x, err, read)
	}
	s.Close()
	if _, err := s.Index(t.Context(), nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestSearchTellsWithoutIngest: where no ingest has told of a text that cannot be read,
// each search of the Searcher that found it so does.
func TestSearchTellsWithoutIngest(t *testing.T) {
	lib, _ := newSpoilt(t, map[string]string{"bad.txt": "Nothing.\n", "tea.txt": "A kettle.\n"})
	if _, err := ingest.Run(t.Context(), lib, []string{"."}, nil); err != nil {
		t.Fatal(err)
	}
	s := newSearcher(t, lib, &search.Options{Program: "one"})
	for range 2 {
		if found, err := s.Search(t.Context(), search.Request{Query: "kettle"}); err != nil || !slices.Equal(found.UnreadableIDs, []string{"bad"}) {
			t.Errorf("%+v, %v", found, err)
		}
	}
	if x, err := s.Index(t.Context(), nil); err != nil || len(x.Missing) != 1 || x.Missing[0].Before {
		t.Errorf("%+v, %v", x, err)
	}
	if found, err := s.Search(t.Context(), search.Request{Query: "kettle"}); err != nil || found.LeftOut != 0 {
		t.Errorf("after it was told: %+v, %v", found, err)
	}
}

// TestCancelledIndexGoesOn cancels an ingest while a text is read that takes for ever:
// the maps and what was read stay, and the next ingest reads the rest.
func TestCancelledIndexGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTable(t)
		d.ws.AddSource("a.txt", []byte("A kettle.\n"))
		d.ws.AddSource("slow.txt", []byte("A spoon.\n"))
		s := search.New(d.Library, nil)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			synctest.Wait() // until the rest waits for slow.txt
			cancel()
		}()
		report, err := ingest.Run(ctx, d.Library, []string{"."}, &ingest.Options{Index: s})
		if !errors.Is(err, context.Canceled) || report.Count(ingest.Mapped) != 2 || report.Index != nil {
			t.Errorf("%+v, %v", report, err)
		}
		s.Close() // as a program does that ends
		local := index.New(d.ws, nil)
		defer local.Close()
		if _, err := local.Holds(t.Context(), "a"); err != nil {
			t.Errorf("what was read is lost: %v", err)
		}
		close(d.gate)
		s = search.New(d.Library, search.WithIndex(local))
		defer s.Close()
		report, err = ingest.Run(t.Context(), d.Library, []string{"."}, &ingest.Options{Index: s})
		if err != nil || report.Count(ingest.Unchanged) != 2 || report.Index.Searchable != 2 {
			t.Errorf("the next: %+v, %v", report, err)
		}
	})
}

// TestSharedIndexing has two Searchers as of two processes index the same texts, of which
// one takes long: the second reads none again that the first has put.
func TestSharedIndexing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, read := newSpoilt(t, map[string]string{"a.txt": "A kettle.\n", "b.txt": "A lid.\n"})
		if _, err := ingest.Run(t.Context(), lib, []string{"."}, nil); err != nil {
			t.Fatal(err)
		}
		first := newSearcher(t, lib, nil)
		late := &lateLook{Local: index.New(lib.Workspace().(*workspace.Memory), nil)}
		defer late.Close()
		late.looked = func() { // once the second has seen what is missing
			if _, err := first.Index(t.Context(), nil); err != nil {
				t.Error(err)
			}
			time.Sleep(2 * index.Latency)
		}
		second := newSearcher(t, lib, search.WithIndex(late))
		x, err := second.Index(t.Context(), nil)
		if err != nil || x.Searchable != 2 || read["a.txt"] != 1 || read["b.txt"] != 1 {
			t.Errorf("%+v, %v, read %v", x, err, read)
		}
	})
}

// A lateLook is an index that calls looked once, after it was asked for b.
type lateLook struct {
	*index.Local
	looked func()
}

func (l *lateLook) Holds(ctx context.Context, id string) (string, error) {
	held, err := l.Local.Holds(ctx, id)
	if looked := l.looked; id == "b" && looked != nil {
		l.looked = nil
		looked()
	}
	return held, err
}

// TestSecondProcessBeginsAtTheEnd indexes beside another process, which has the lock: it
// begins with what that one does last. A lock is no reason to wait.
func TestSecondProcessBeginsAtTheEnd(t *testing.T) {
	for _, second := range []bool{false, true} {
		dir := t.TempDir()
		for i := range 30 {
			write(t, dir, fmt.Sprintf("t%02d.txt", i), fmt.Sprintf("A kettle of kind%02d.\n", i))
		}
		ws, err := workspace.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		order := &ordered{Resolver: new(text.Resolver)}
		lib := citekit.New(ws, citekit.Resolvers{citekit.Text: order}, nil)
		if _, err := ingest.Run(t.Context(), lib, []string{"."}, nil); err != nil {
			t.Fatal(err)
		}
		other, err := workspace.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if second {
			release, first := other.TryLockIndex()
			if !first {
				t.Fatal("nobody else indexes, and the lock is held")
			}
			defer release()
		}
		s := newSearcher(t, lib, nil)
		if x, err := s.Index(t.Context(), nil); err != nil || x.Searchable != 30 {
			t.Errorf("%+v, %v", x, err)
		}
		const readers = 8 // at once, in any order
		end := "t29.txt"
		if second {
			end = "t00.txt"
		}
		if at := slices.Index(order.read, end); at < 30-readers || len(order.read) != 30 {
			t.Errorf("second %v: %s is number %d of %d", second, end, at, len(order.read))
		}
		if !second {
			release, first := other.TryLockIndex()
			if release(); !first {
				t.Error("the lock stays after the work")
			}
		}
		s.Close()
		lib.Close()
		other.Close()
	}
}

// An ordered reads texts and notes in which order.
type ordered struct {
	*text.Resolver
	mu   sync.Mutex
	read []string
}

func (o *ordered) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	o.mu.Lock()
	o.read = append(o.read, src.Name())
	o.mu.Unlock()
	return o.Resolver.ReadText(ctx, src, loc)
}
