package index_test

import (
	"fmt"
	"iter"
	"math"
	"math/rand"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/citekit/citekit/search/internal/index"
)

// A zipf makes text of made-up words. Few of them are common: the n-th is about
// 1/n as common as the first, as in languages that people speak.
type zipf struct {
	words []string
	next  *rand.Zipf
}

func newZipf(r *rand.Rand, vocabulary int) *zipf {
	syllables := strings.Fields("ba ke lo mi nu ra se ti vo zu pla stre gro ni qua ler min tor sen pal dis con")
	z := &zipf{next: rand.NewZipf(r, 1.07, 3, uint64(vocabulary-1))}
	for range vocabulary {
		word := ""
		for range 2 + r.Intn(3) {
			word += syllables[r.Intn(len(syllables))]
		}
		z.words = append(z.words, word)
	}
	return z
}

func (z *zipf) text(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = z.words[z.next.Uint64()]
	}
	return strings.Join(words, " ")
}

const (
	passageWords  = 85
	perResource   = 250
	benchResource = "resource-%05d"
)

// collection yields generated passages, and adds up the bytes of their text.
func collection(seed int64, passages int, size *int) iter.Seq[index.Resource] {
	return func(yield func(index.Resource) bool) {
		r := rand.New(rand.NewSource(seed))
		z := newZipf(r, 60_000)
		for n := 0; n < passages; n += perResource {
			entries := make([]index.Entry, min(perResource, passages-n))
			for i := range entries {
				entries[i] = index.Entry{
					Node: fmt.Sprint("node-", i/5), Type: "section", Modality: "document", Title: z.text(4), Path: []string{fmt.Sprint("Chapter ", i/50)},
					Text: z.text(passageWords), Location: fmt.Sprintf("pages=%d", i), Ordinal: i, SourcePath: fmt.Sprintf("books/%d.pdf", n),
				}
				*size += len(entries[i].Text) + len(entries[i].Title)
			}
			if !yield(index.Resource{ID: fmt.Sprintf(benchResource, n/perResource), Version: "1", Entries: slices.Values(entries)}) {
				return
			}
		}
	}
}

// passages returns how many passages benchmarks index: CITEKIT_PASSAGES, or
// 50,000.
func passages() int {
	if n, err := strconv.Atoi(os.Getenv("CITEKIT_PASSAGES")); err == nil {
		return n
	}
	return 50_000
}

// memory returns what the system says of the memory of the process, in MiB:
// VmRSS is what it has, VmHWM the most it had since clearPeak.
func memory(name string) float64 {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return float64(n) / 1024
		}
	}
	return 0
}

func clearPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

func cpuTime() time.Duration { return cpuTimeOf(syscall.RUSAGE_SELF) }

// cpuTimeOf returns the processor time of the process, or of the thread.
func cpuTimeOf(who int) time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(who, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const rusageThread = 1

// BenchmarkIndex puts passages into an empty index. The text is made beforehand.
func BenchmarkIndex(b *testing.B) {
	n, text := passages(), 0
	resources := slices.Collect(collection(1, n, &text))
	for b.Loop() {
		dir := b.TempDir()
		x := newIndex(b, directory(b, dir))
		clearPeak()
		before, cpu, began := memory("VmRSS:"), cpuTime(), time.Now()
		if err := x.Put(ctx, slices.Values(resources)); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(began).Seconds(), "wall-s")
		b.ReportMetric((cpuTime() - cpu).Seconds(), "cpu-s")
		b.ReportMetric(memory("VmHWM:")-before, "grown-MB")
		stats, err := x.Stats(ctx)
		if err != nil || stats.Entries != n {
			b.Fatal(stats, err)
		}
		b.ReportMetric(float64(stats.Bytes)/1e6, "index-MB")
		b.ReportMetric(float64(text)/1e6, "text-MB")
		b.ReportMetric(100*float64(stats.Bytes)/float64(text), "index-%")
	}
}

// indexed returns an index of passages, for benchmarks of what comes after.
func indexed(b *testing.B) (x *index.Local, dir string) {
	dir = b.TempDir()
	x = newIndex(b, directory(b, dir))
	text := 0
	if err := x.Put(ctx, collection(1, passages(), &text)); err != nil {
		b.Fatal(err)
	}
	if err := x.Merge(ctx); err != nil {
		b.Fatal(err)
	}
	return x, dir
}

func BenchmarkSearch(b *testing.B) {
	x, dir := indexed(b)
	stats, _ := x.Stats(ctx)
	b.Logf("%+v", stats)
	for _, kind := range []struct {
		name        string
		least, most int
	}{{"short", 2, 5}, {"verbose", 12, 30}} {
		b.Run(kind.name, func(b *testing.B) {
			r := rand.New(rand.NewSource(2))
			z := newZipf(rand.New(rand.NewSource(1)), 60_000)
			z.next = rand.NewZipf(r, 1.07, 30, 59_999) // fewer of the commonest: they would be stop words
			queries := make([]string, 500)
			for i := range queries {
				queries[i] = z.text(kind.least + r.Intn(kind.most-kind.least+1))
			}
			var took, worked []time.Duration // worked is of this thread alone: long queries use others too
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			cpu := cpuTime()
			for i := 0; b.Loop(); i++ {
				began, before := time.Now(), cpuTimeOf(rusageThread)
				if _, err := x.Search(ctx, index.Query{Text: queries[i%len(queries)]}); err != nil {
					b.Fatal(err)
				}
				took, worked = append(took, time.Since(began)), append(worked, cpuTimeOf(rusageThread)-before)
			}
			b.ReportMetric((cpuTime()-cpu).Seconds()*1000/float64(len(took)), "cpu-ms/op")
			slices.Sort(worked)
			b.ReportMetric(float64(worked[len(worked)*95/100].Microseconds())/1000, "cpu-p95-ms")
			reportQuantiles(b, took)
		})
	}
	b.Run("8 callers", func(b *testing.B) {
		r := rand.New(rand.NewSource(2))
		z := newZipf(rand.New(rand.NewSource(1)), 60_000)
		z.next = rand.NewZipf(r, 1.07, 30, 59_999)
		queries := make([]string, 500)
		for i := range queries {
			queries[i] = z.text(2 + r.Intn(4))
		}
		var mu sync.Mutex
		var took []time.Duration
		b.SetParallelism((8 + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
		b.RunParallel(func(pb *testing.PB) {
			for i := 0; pb.Next(); i++ {
				began := time.Now()
				if _, err := x.Search(ctx, index.Query{Text: queries[i%len(queries)]}); err != nil {
					b.Error(err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
		})
		reportQuantiles(b, took)
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			again := index.New(directory(b, dir), nil)
			if _, err := again.Search(ctx, index.Query{Text: "bake"}); err != nil {
				b.Fatal(err)
			}
			again.Close()
		}
	})
	b.Run("change", func(b *testing.B) {
		var took []time.Duration
		for i := 0; b.Loop(); i++ {
			began := time.Now()
			put(b, x, resource(fmt.Sprintf(benchResource, i%100), fmt.Sprint(i), "changed text of unheard words"))
			if got := found(b, x, index.Query{Text: "unheard", Filters: index.Filters{Resources: []string{fmt.Sprintf(benchResource, i%100)}}}); got == "" {
				b.Fatal("the change is not visible")
			}
			took = append(took, time.Since(began))
		}
		reportQuantiles(b, took)
	})
}

func reportQuantiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	for _, q := range []float64{.5, .95, 1} {
		i := int(math.Ceil(q*float64(len(took)))) - 1
		b.ReportMetric(float64(took[i].Microseconds())/1000, fmt.Sprintf("p%.0f-ms", 100*q))
	}
}
