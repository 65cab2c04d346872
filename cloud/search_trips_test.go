//go:build unix

package cloud_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/relations"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace/driver"
)

// putNotes puts so many notes, each of which has some paragraphs, maps and indexes them,
// and returns a searcher of another process that is ready.
func (d *distant) putNotes(t testing.TB, notes, paragraphs int) *search.Searcher {
	t.Helper()
	random := sharedtest.Rand(t)
	var keys []string
	for i := range notes {
		var text strings.Builder
		for n := range paragraphs {
			fmt.Fprintf(&text, "The kettle %d of note %d is on the stove.", n, i)
			for range 60 {
				fmt.Fprintf(&text, " w%d", random.IntN(1+random.IntN(20_000)))
			}
			text.WriteString(".\n\n")
		}
		keys = append(keys, fmt.Sprintf("note%d.txt", i))
		d.put(t, keys[i], int64(text.Len()), strings.NewReader(text.String()))
	}
	d.ingest(t, keys...)
	writer := d.searcher(t)
	if err := writer.Update(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d.searcher(t)
}

// searcher returns a searcher of another process.
func (d *distant) searcher(t testing.TB) *search.Searcher {
	t.Helper()
	s := search.New(d.replica(t, ""), nil)
	t.Cleanup(func() { s.Close() })
	if err := s.Ready(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}

func (d *distant) search(t testing.TB, s *search.Searcher, query string) *search.Results {
	t.Helper()
	r, err := s.Search(context.Background(), search.Request{Query: query})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTripsOfSearches counts the requests of first searches, and has others answered while
// the store answers nothing. These see what changed once it is known.
func TestTripsOfSearches(t *testing.T) {
	const notes = 20
	d := newDistant(t)
	s := d.putNotes(t, notes, 6)
	d.took()
	first := d.search(t, s, "kettle")
	// Each result: its map and version, its source with its hash, and its text; rows are
	// looked for in more hits than are shown.
	made := d.took()
	t.Logf("the first search: %d requests", len(made))
	if most := 12*notes + 20; len(made) > most {
		t.Errorf("the first search made %d requests, want at most %d:\n\t%s", len(made), most, strings.Join(made, "\n\t"))
	}
	// It is by chance whether what was asked lately was so just now, or seconds ago.
	for end := time.Now().Add(3 * time.Minute); ; {
		d.search(t, s, "kettle")
		release := d.hold()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		r, err := s.Search(ctx, search.Request{Query: "kettle"})
		cancel()
		release()
		if err == nil && r.Complete && len(r.Results) == len(first.Results) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no search is answered by what is known: %+v, %v", r, err)
		}
	}

	// A source that changes is left out once that is seen, and shown again once it is mapped.
	r := d.search(t, s, "kettle note 7")
	id := r.Results[0].ResourceID
	text := "The kettle of note 7 is on a shelf now."
	key := id + ".txt"
	if _, err := d.bucket.Write(t.Context(), key, strings.NewReader(text), driver.WriteOptions{Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	until := func(what string, is func(*search.Results) bool) {
		t.Helper()
		for end := time.Now().Add(3 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
			r := d.search(t, s, "kettle note 7")
			if is(r) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: %+v", what, r)
			}
		}
	}
	has := func(r *search.Results) bool {
		return slices.ContainsFunc(r.Results, func(one *search.Result) bool { return one.ResourceID == id })
	}
	until("the source changed", func(r *search.Results) bool { return !has(r) && slices.Contains(r.LeftOutIDs, id) })
	d.ingest(t, key)
	until("it was mapped again", func(r *search.Results) bool {
		return has(r) && slices.ContainsFunc(r.Results, func(one *search.Result) bool { return strings.Contains(one.Snippet, "shelf now") })
	})
}

// TestTripsOfRelations counts the requests for the relations of a place: those to look
// whether maps have changed do not grow with their number.
func TestTripsOfRelations(t *testing.T) {
	const notes = 20
	d := newDistant(t)
	d.putNotes(t, notes, 1)
	lib := d.replica(t, "")
	graph := relations.New(lib)
	at := citekit.Address{Resource: "note7", Location: citekit.Location{Modality: citekit.Text}}
	for n, most := range []int{3*notes + 20, 10} {
		d.took()
		if _, err := graph.Outgoing(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		if made := d.took(); len(made) > most {
			t.Errorf("call %d: %d requests, want at most %d:\n\t%s", n+1, len(made), most, strings.Join(made, "\n\t"))
		} else {
			t.Logf("call %d: %d requests", n+1, len(made))
		}
	}
}

// BenchmarkSearchDistant searches a store whose requests each take 20 ms longer, with words
// of which most are in several resources. CITEKIT_BENCH_PASSAGES is how many passages there
// are, about.
func BenchmarkSearchDistant(b *testing.B) {
	paragraphs, _ := strconv.Atoi(os.Getenv("CITEKIT_BENCH_PASSAGES"))
	const notes = 200
	d := newDistant(b)
	s := d.putNotes(b, notes, max(1, cmp.Or(paragraphs, 10_000)/notes))
	stats, err := s.Stats(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	random := sharedtest.Rand(b)
	query := func() string { return fmt.Sprintf("kettle w%d w%d", random.IntN(20_000), random.IntN(2_000)) }
	for _, c := range []struct {
		name string
		warm int // searches before
		each time.Duration
	}{{"first", 0, 20 * time.Millisecond}, {"warm", 200, 20 * time.Millisecond}, {"warm, near", 0, 0}} {
		b.Run(c.name, func(b *testing.B) {
			d.each.Store(int64(c.each))
			for range c.warm {
				d.search(b, s, query())
			}
			d.took()
			var took []time.Duration
			busy := processor()
			for b.Loop() {
				q := query()
				begun := time.Now()
				d.search(b, s, q)
				took = append(took, time.Since(begun))
			}
			busy = processor() - busy
			slices.Sort(took)
			ms := func(share float64) float64 {
				return float64(took[int(share*float64(len(took)-1))].Microseconds()) / 1000
			}
			b.ReportMetric(ms(.5), "ms-p50")
			b.ReportMetric(ms(.95), "ms-p95")
			b.ReportMetric(float64(len(d.took()))/float64(b.N), "requests/op")
			b.ReportMetric(float64(busy.Microseconds())/1000/float64(len(took)), "ms-cpu/op")
			b.ReportMetric(float64(stats.Entries), "passages")
		})
	}
}

// processor returns the time of a core that this process took, with the store that it has
// for itself.
func processor() time.Duration {
	var use syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &use)
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
