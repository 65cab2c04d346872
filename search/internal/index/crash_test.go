package index_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/faulttest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

const writerVar = "CITEKIT_SEARCH_WRITER"

// smallManifest is the size of the notes of a manifest in processes of these tests, so that
// it has several.
const smallManifest = 700

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerVar); dir != "" {
		index.SetMaxManifest(smallManifest)
		write(dir)
		return
	}
	os.Exit(m.Run())
}

// write is what a process of these tests does.
func write(dir string) {
	if os.Getenv("ONCE") == "" {
		writeForever(dir)
		return
	}
	if err := writeOnce(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// writeOnce puts, deletes and merges, and says what it begins and has done.
func writeOnce(dir string) error {
	d, err := workspace.Open(dir, nil)
	if err != nil {
		return err
	}
	defer d.Close()
	x := index.New(d, &index.Options{MergeAll: true})
	defer x.Close()
	for _, step := range []struct {
		id, version int
		delete      bool
	}{{1, 2, false}, {2, 0, true}, {7, 1, false}} {
		if _, err := fmt.Println("BEGIN", step.id, step.version, step.delete); err != nil {
			return err // nobody would know of it
		}
		if step.delete {
			err = x.Delete(context.Background(), fmt.Sprint("r", step.id))
		} else {
			err = x.Put(context.Background(), all(versioned(step.id, step.version)))
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Println("DONE", step.id, step.version, step.delete); err != nil {
			return err
		}
	}
	return x.Merge(context.Background())
}

// Resources of these tests have texts that tell their version: all of them
// "shared", and each a word of its own.
func versioned(id, version int) index.Resource {
	return resource(fmt.Sprint("r", id), strconv.Itoa(version), fmt.Sprintf("shared mark%dx%d", id, version), "shared again")
}

// writeForever puts and deletes until it is killed. It says what it begins and
// what it has done. With so few segments all merging is due again and again.
func writeForever(dir string) {
	d, err := workspace.Open(dir, nil)
	if err != nil {
		fmt.Println("ERR", err)
		return
	}
	x := index.New(d, &index.Options{MergeAll: os.Getenv("MERGE") != ""})
	seed, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	r := rand.New(rand.NewPCG(seed, 0))
	from, _ := strconv.Atoi(os.Getenv("FROM"))
	for version := from; ; version++ {
		id := r.IntN(6)
		delete := r.IntN(4) == 0
		fmt.Println("BEGIN", id, version, delete)
		if delete {
			err = x.Delete(context.Background(), fmt.Sprint("r", id))
		} else {
			err = x.Put(context.Background(), all(versioned(id, version)))
		}
		if err != nil {
			fmt.Println("ERR", err)
			return
		}
		fmt.Println("DONE", id, version, delete)
	}
}

// A model says what an index must hold: of each resource one of some versions,
// where 0 is none.
type model map[int][]int

// check compares an index with the model, and the model becomes what is held.
func (m model) check(t *testing.T, x index.Index) {
	t.Helper()
	var want []string
	for id, versions := range m {
		got, err := x.Holds(ctx, fmt.Sprint("r", id))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		held, _ := strconv.Atoi(got)
		if !slices.Contains(versions, held) {
			t.Fatalf("resource %d has version %d, not one of %d", id, held, versions)
		}
		m[id] = []int{held}
		for _, v := range versions {
			hits := found(t, x, index.Query{Text: fmt.Sprintf("+mark%dx%d", id, v), Filters: index.Filters{Resources: []string{fmt.Sprint("r", id)}}})
			if v != 0 && v == held && !strings.HasPrefix(hits, fmt.Sprintf("r%d.n0", id)) {
				t.Fatalf("version %d of resource %d finds %q", v, id, hits)
			}
		}
		if held != 0 {
			want = append(want, fmt.Sprintf("r%d.n0", id), fmt.Sprintf("r%d.n1", id))
		}
	}
	got := strings.Fields(found(t, x, index.Query{Text: "shared", TopK: 1000}))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("all hits are %v, want %v", got, want)
	}
}

// A writer is killed at random moments, of putting, deleting and merging. What
// it said it had done is there, and of what it had begun all or nothing.
func TestKill(t *testing.T) {
	sharedtest.NotShort(t)
	kills := 4
	if sharedtest.Long() {
		kills = 200
	}
	dir, m, random := t.TempDir(), make(model), sharedtest.Rand(t)
	w := &writerProcess{dir: dir, model: m, version: 1}
	for i := range kills {
		w.merge = i%2 == 1
		w.killed(t, random.Uint64())
		x := index.New(directory(t, dir), nil)
		m.check(t, x)
		x.Close()
	}
}

// A writerProcess runs writeForever, again and again.
type writerProcess struct {
	dir     string
	model   model
	version int // the next
	merge   bool
}

// killed runs a writer, kills it some milliseconds after it has said that it has
// done something, and notes what it may have done.
func (w *writerProcess) killed(t *testing.T, seed uint64) {
	self, err := os.Executable()
	if err != nil {
		t.Error(err)
		return
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), writerVar+"="+w.dir, fmt.Sprint("FROM=", w.version), fmt.Sprint("SEED=", seed))
	if w.merge {
		cmd.Env = append(cmd.Env, "MERGE=1")
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return
	}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	kill := time.AfterFunc(3*time.Minute, func() { cmd.Process.Kill() })
	done := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		w.note(t, lines.Text())
		if !done && strings.HasPrefix(lines.Text(), "DONE") {
			done = true
			kill.Reset(time.Duration(seed%100) * time.Millisecond)
		}
	}
	_ = cmd.Wait()
	if !done {
		t.Error("a writer did nothing in three minutes")
	}
}

// note notes what a writer says.
func (w *writerProcess) note(t *testing.T, line string) {
	var word string
	var id, v int
	var deleted bool
	if n, _ := fmt.Sscan(line, &word, &id, &v, &deleted); n != 4 {
		t.Error(line)
		return
	}
	w.version = v + 1
	if deleted {
		v = 0
	}
	if word != "BEGIN" {
		w.model[id] = []int{v}
		return
	}
	if w.model[id] == nil {
		w.model[id] = []int{0}
	}
	w.model[id] = append(w.model[id], v)
}

// Whatever call of the store fails, the index holds the old or the new.
func TestFaultAtEachCallOfTheStore(t *testing.T) {
	sharedtest.NotShort(t)
	for n := 1; ; n++ {
		store, m := workspace.NewMemory(nil), make(model)
		before := newIndex(t, store)
		for id := range 12 { // enough that merging is due
			put(t, before, versioned(id, 1))
			m[id] = []int{1}
		}
		before.Close() // ends merging in the background
		f := &faulttest.Workspace{Memory: store, Fail: n}
		x := index.New(f, &index.Options{MergeAll: true})
		fallible := func(id, version int, err error) {
			if err == nil {
				m[id] = []int{version}
			} else if m[id] = append(m[id], version); !errors.Is(err, faulttest.ErrFault) {
				t.Fatal(err)
			}
		}
		fallible(3, 2, x.Put(ctx, all(versioned(3, 2))))
		fallible(4, 0, x.Delete(ctx, "r4"))
		fallible(5, 2, x.Put(ctx, all(versioned(5, 2))))
		if err := x.Merge(ctx); err != nil && !errors.Is(err, faulttest.ErrFault) {
			t.Fatal(err)
		}
		f.Heal()
		m.check(t, newIndex(t, store))
		m.check(t, x)
		x.Close()
		if f.Calls() < n {
			t.Logf("%d calls", f.Calls())
			return
		}
	}
}

// Several write at the same time, each with a Local of its own, and lose
// nothing; those who read meanwhile see each resource once or not at all.
func TestSideBySide(t *testing.T) {
	sharedtest.NotShort(t)
	each(t, func(t *testing.T, store index.Store) {
		const writers, rounds = 3, 12
		var wait sync.WaitGroup
		for w := range writers {
			wait.Go(func() {
				x := index.New(store, &index.Options{MergeAll: w == 0})
				defer x.Close()
				for version := 1; version <= rounds; version++ {
					if err := x.Put(ctx, all(versioned(w, version), versioned(w+100, version))); err != nil {
						t.Error(err)
					}
					if result, err := x.Search(ctx, index.Query{Text: fmt.Sprintf(`"mark%dx%d"`, w, version)}); err != nil || len(result.Hits) != 1 {
						t.Errorf("what was put is not there: %+v, %v", result, err)
					}
				}
			})
		}
		reader := newIndex(t, store)
		done := make(chan struct{})
		go func() { wait.Wait(); close(done) }()
		for reading := true; reading; {
			select {
			case <-done:
				reading = false
			default:
			}
			hits := strings.Fields(found(t, reader, index.Query{Text: "shared", TopK: 1000}))
			slices.Sort(hits)
			if n := len(hits); len(slices.Compact(hits)) != n {
				t.Errorf("an entry twice: %v", hits)
			}
		}
		m := make(model)
		for w := range writers {
			m[w], m[w+100] = []int{rounds}, []int{rounds}
		}
		time.Sleep(2 * index.Latency)
		m.check(t, reader)
	})
}

// Segments that are cut, changed or gone cost what they held, and nothing else.
func TestDamagedSegments(t *testing.T) {
	for name, damage := range map[string]func(string) error{
		"gone":    os.Remove,
		"cut":     func(name string) error { return os.Truncate(name, 100) },
		"empty":   func(name string) error { return os.Truncate(name, 0) },
		"changed": func(name string) error { return os.WriteFile(name, []byte(strings.Repeat("x", 4096)), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			open := newIndex(t, directory(t, dir))
			put(t, open, versioned(1, 1), versioned(2, 1))
			first := segments(t, dir)
			put(t, open, versioned(1, 2))
			for _, name := range segments(t, dir) {
				if !slices.Contains(first, name) {
					if err := damage(name); err != nil {
						t.Fatal(err)
					}
				}
			}
			for range 3 { // pages that are mapped may still be there, or not
				found(t, open, index.Query{Text: "shared mark1x2"})
			}
			x := newIndex(t, directory(t, dir))
			model{1: {0}, 2: {1}}.check(t, x) // version 1 does not come back
			put(t, x, versioned(1, 3))
			model{1: {3}, 2: {1}}.check(t, x)
			if stats, err := x.Stats(ctx); err != nil || stats.Lost != 0 {
				t.Errorf("%+v, %v", stats, err)
			}
		})
	}
}

func segments(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*", "search_segment-*"))
	if err != nil || len(names) == 0 {
		hidden, _ := filepath.Glob(filepath.Join(dir, ".*", "search_segment-*"))
		names = append(names, hidden...)
	}
	if len(names) == 0 {
		t.Fatal("no segments")
	}
	return names
}
