package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/workspace"
)

func store(t testing.TB, ws citekit.Workspace, key, name, body string) *citekit.StoredEvidence {
	t.Helper()
	stored, err := ws.StoreEvidence(context.Background(), key, citekit.EvidenceMeta{Name: name, Size: int64(len(body))}, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func keyOf(i int) string { return fmt.Sprintf("%016x", i) }

// checkEvidence checks that evidence is either right or not there.
func checkEvidence(t testing.TB, ws citekit.Workspace, key, body string) (there bool) {
	t.Helper()
	found, err := ws.FindEvidence(context.Background(), key)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		t.Error(err)
		return false
	}
	data, err := os.ReadFile(found.Path)
	if err != nil || string(data) != body || found.SHA256 != sum(body) {
		t.Errorf("evidence %s is %.20q, %v", key, data, err)
	}
	return true
}

// damages are ways in which an evidence file or a record may be spoilt.
var damages = map[string]func(t testing.TB, path string){
	"truncated": func(t testing.TB, path string) { os.Truncate(path, 5) },
	"emptied":   func(t testing.TB, path string) { os.Truncate(path, 0) },
	"flipped": func(t testing.TB, path string) {
		data, _ := os.ReadFile(path)
		data[len(data)/2] ^= 1
		os.WriteFile(path, data, 0o600)
	},
	"flipped, times kept": func(t testing.TB, path string) {
		info, _ := os.Stat(path)
		data, _ := os.ReadFile(path)
		data[len(data)/2] ^= 1
		os.WriteFile(path, data, 0o600)
		os.Chtimes(path, info.ModTime(), info.ModTime())
	},
	"zeroed": func(t testing.TB, path string) {
		info, _ := os.Stat(path)
		os.WriteFile(path, make([]byte, info.Size()), 0o600)
	},
	"longer": func(t testing.TB, path string) {
		data, _ := os.ReadFile(path)
		os.WriteFile(path, append(data, 'x'), 0o600)
	},
	"removed": func(t testing.TB, path string) { os.Remove(path) },
	"linked": func(t testing.TB, path string) {
		os.Remove(path)
		symlink(t, filepath.Join(filepath.Dir(path), "..", "..", "..", "canary"), path)
	},
	"mode 000":  func(t testing.TB, path string) { os.Chmod(path, 0) },
	"directory": func(t testing.TB, path string) { os.Remove(path); os.Mkdir(path, 0o700) },
	"pipe":      func(t testing.TB, path string) { os.Remove(path); mkfifo(t, path) },
}

func TestDamagedEvidence(t *testing.T) {
	sharedtest.NotShort(t)
	const body = "the right bytes, whole"
	for name, damage := range damages {
		if runtime.GOOS == "windows" && strings.Contains(name, "kept") {
			continue // there is no time of change of metadata
		}
		for _, what := range []string{"file", "record"} {
			t.Run(name+" "+what, func(t *testing.T) {
				dir := t.TempDir()
				writeFile(t, filepath.Join(dir, "canary"), canary)
				d := open(t, dir, nil)
				stored := store(t, d, key, "e.txt", body)
				path := stored.Path
				if what == "record" {
					path = filepath.Join(dir, ".citekit_output", ".meta", "evidence", key+".json")
				}
				damage(t, path)
				other := open(t, dir, nil)
				for _, ws := range []*workspace.Directory{d, other} {
					checkEvidence(t, ws, key, body)
				}
				store(t, other, key, "e.txt", body)
				for _, ws := range []*workspace.Directory{d, other, open(t, dir, nil)} {
					if !checkEvidence(t, ws, key, body) {
						t.Error("evidence that was stored again is not found")
					}
				}
				if data, _ := os.ReadFile(filepath.Join(dir, "canary")); string(data) != canary {
					t.Error("something was written through a link")
				}
			})
		}
	}
}

// Everything in the evidence directory is spoilt at random; afterwards there
// is right evidence, none, or an error.
func TestPoisonedDirectory(t *testing.T) {
	ctx := context.Background()
	for seed := range int64(rounds(3)) {
		rng := rand.New(rand.NewSource(seed))
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "canary"), canary)
		d := open(t, dir, nil)
		body := func(i int) string { return strings.Repeat(fmt.Sprint(i), 50) }
		for i := range 10 {
			store(t, d, keyOf(i), fmt.Sprintf("e%d.txt", i), body(i))
			if _, err := pin(ctx, d, fmt.Sprint(i), "", "v"); err != nil {
				t.Fatal(err)
			}
		}
		ways := []string{"truncated", "flipped", "linked", "mode 000", "directory"}
		filepath.WalkDir(filepath.Join(dir, ".citekit_output"), func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && e.Name() != ".lock" {
				damages[ways[rng.Intn(len(ways))]](t, path)
			}
			return nil
		})
		for _, ws := range []*workspace.Directory{d, open(t, dir, nil)} {
			for i := range 10 {
				checkEvidence(t, ws, keyOf(i), body(i))
				if v, err := pin(ctx, ws, fmt.Sprint(i), "", "other"); err == nil && v != "v" {
					t.Errorf("seed %d: a damaged pin gave %q", seed, v)
				}
			}
		}
		for i := range 10 {
			store(t, d, keyOf(i), fmt.Sprintf("e%d.txt", i), body(i))
			if !checkEvidence(t, d, keyOf(i), body(i)) {
				t.Errorf("seed %d: evidence %d is not found", seed, i)
			}
		}
	}
}

// What stands at the names of evidence and records is replaced, not followed.
func TestHostileEvidenceDirectory(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim", "keep.txt")
	writeFile(t, victim, "keep")
	out := filepath.Join(dir, ".citekit_output")
	names := []string{"r1", "r1_n1.pdf", "r1.n1.pdf", "n1.pdf", "r1.json", "index.json", "cache", "maps", "fifo"}
	os.Mkdir(out, 0o700)
	for _, name := range append(names, ".tmp") {
		if name != "fifo" {
			symlink(t, victim, filepath.Join(out, name))
		}
	}
	mkfifo(t, filepath.Join(out, "fifo"))
	d := open(t, dir, nil)
	for i, name := range names {
		store(t, d, keyOf(i), name, "evidence")
		if !checkEvidence(t, d, keyOf(i), "evidence") {
			t.Errorf("%s: not found", name)
		}
	}
	if data, _ := os.ReadFile(victim); string(data) != "keep" {
		t.Errorf("the victim holds %q", data)
	}
	for _, planted := range []string{".lock", ".meta"} {
		dir := t.TempDir()
		out := filepath.Join(dir, ".citekit_output")
		os.Mkdir(out, 0o700)
		symlink(t, filepath.Dir(victim), filepath.Join(out, planted))
		d := open(t, dir, nil)
		_, err := d.StoreEvidence(context.Background(), key, citekit.EvidenceMeta{Name: "e", Size: -1}, strings.NewReader("x"))
		if replaced := planted == ".lock"; (err == nil) != replaced {
			t.Errorf("%s leads out of the directory: %v", planted, err)
		}
	}
	if entries, _ := os.ReadDir(filepath.Dir(victim)); len(entries) != 1 {
		t.Errorf("the victim's directory holds %v", entries)
	}
}

func TestBusyEvidenceName(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, nil)
	writeFile(t, filepath.Join(dir, ".citekit_output", "e.txt", "mine"), "x")
	_, err := d.StoreEvidence(context.Background(), key, citekit.EvidenceMeta{Name: "e.txt", Size: -1}, strings.NewReader("x"))
	if !errors.Is(err, citekit.ErrForbidden) {
		t.Errorf("a directory stands at the name: %v", err)
	}
	if _, err := d.FindEvidence(context.Background(), key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("FindEvidence: %v", err)
	}
	if temps, _ := os.ReadDir(filepath.Join(dir, ".citekit_output", ".meta", "tmp")); len(temps) != 0 {
		t.Errorf("left behind: %v", temps)
	}
}

func TestEvidenceBudget(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, &workspace.Options{MaxEvidenceBytes: 1000})
	now := time.Now()
	d.SetClock(func() time.Time { return now })
	body := strings.Repeat("x", 100)
	for i := range 10 {
		store(t, d, keyOf(i), fmt.Sprint("e", i), body)
		markUsed(t, dir, keyOf(i), now)
		now = now.Add(time.Hour)
	}
	writeFile(t, filepath.Join(dir, ".citekit_output", "mine.txt"), strings.Repeat("x", 5000))
	checkEvidence(t, d, keyOf(0), body) // used now: not the oldest any more
	store(t, d, keyOf(10), "e10", body)
	for i := range 11 {
		want := i != 1 && i != 2
		if there := checkEvidence(t, open(t, dir, nil), keyOf(i), body); there != want {
			t.Errorf("evidence %d is there: %v", i, there)
		}
		if _, err := os.Stat(filepath.Join(dir, ".citekit_output", fmt.Sprint("e", i))); (err == nil) != want {
			t.Errorf("file %d: %v", i, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".citekit_output", "mine.txt")); err != nil {
		t.Errorf("a file that is no evidence: %v", err)
	}
	_, err := d.StoreEvidence(context.Background(), keyOf(99), citekit.EvidenceMeta{Name: "big", Size: -1}, strings.NewReader(strings.Repeat("x", 1001)))
	if !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("evidence over the budget: %v", err)
	}
}

// markUsed sets when evidence was last used.
func markUsed(t testing.TB, dir, key string, when time.Time) {
	t.Helper()
	record := filepath.Join(dir, ".citekit_output", ".meta", "evidence", key+".json")
	if err := os.Chtimes(record, when, when); err != nil {
		t.Fatal(err)
	}
}

// Evidence just returned is kept, although what comes then does not fit.
func TestEvidenceJustReturned(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, &workspace.Options{MaxEvidenceBytes: 1000})
	body := strings.Repeat("x", 100)
	for i := range 10 {
		store(t, d, keyOf(i), fmt.Sprint("e", i), body)
	}
	for i := range 10 {
		if !checkEvidence(t, d, keyOf(i), body) {
			t.Errorf("evidence %d is gone", i)
		}
	}
	for range 2 {
		_, err := d.StoreEvidence(context.Background(), keyOf(20), citekit.EvidenceMeta{Name: "e20", Size: 100}, strings.NewReader(body))
		if !errors.Is(err, citekit.ErrTooLarge) || !d.EvidenceFull() {
			t.Errorf("evidence over the budget: %v; it is full: %v", err, d.EvidenceFull())
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".citekit_output", ".meta", "tmp", "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	store(t, d, keyOf(7), "e7", body) // replaces itself
	d.SetClock(func() time.Time { return time.Now().Add(time.Hour) })
	store(t, d, keyOf(20), "e20", body)
	d.SetClock(time.Now)
	if d.EvidenceFull() {
		t.Error("it is full although space became free")
	}
	total := 0
	for i := range 21 {
		if checkEvidence(t, d, keyOf(i), body) {
			total += 100
		}
	}
	if total > 1000 || total < 700 {
		t.Errorf("%d bytes are left of a budget of 1000", total)
	}
}

// Evidence that is replaced between being found and opened is not mixed up with
// what replaced it, and what is open stays as it is.
func TestOpenEvidence(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	d, other := open(t, dir, nil), open(t, dir, nil)
	if _, _, err := d.OpenEvidence(ctx, key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("evidence that is not there: %v", err)
	}
	store(t, d, key, "e.txt", "first")
	hour := time.Duration(0)
	d.SetClock(func() time.Time { // asked for after it was looked at
		if hour++; hour == 1 {
			store(t, other, key, "e.txt", "second")
		}
		return time.Now().Add(hour * time.Hour)
	})
	body, found, err := d.OpenEvidence(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	store(t, other, key, "e.txt", "third")
	data, err := io.ReadAll(body)
	if err != nil || found.SHA256 != sum(string(data)) || found.Size != int64(len(data)) || string(data) == "third" {
		t.Errorf("%q of %+v, %v", data, found, err)
	}
}

// Evidence that another process evicts after it was found, and before it was
// marked as used, is not returned.
func TestEvictedWhileFound(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []*workspace.Directory{open(t, dir, nil), open(t, dir, nil)} {
		path := store(t, open(t, dir, nil), key, "e.txt", "body").Path
		if !checkEvidence(t, d, key, "body") {
			t.Error("evidence just stored is not found")
		}
		d.SetClock(func() time.Time { // asked for between the two
			os.Remove(path)
			return time.Now().Add(time.Hour)
		})
		for range 2 {
			if found, err := d.FindEvidence(context.Background(), key); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("evicted evidence: %v, %v", found, err)
			}
		}
	}
}

// Evidence that is used while others are evicted stays.
func TestUsedWhileEvicted(t *testing.T) {
	dir := t.TempDir()
	d, other := open(t, dir, &workspace.Options{MaxEvidenceBytes: 1000}), open(t, dir, nil)
	body := strings.Repeat("x", 100)
	for i := range 10 {
		store(t, d, keyOf(i), fmt.Sprint("e", i), body)
		markUsed(t, dir, keyOf(i), time.Now().Add(time.Duration(i-20)*time.Hour))
	}
	d.SetClock(func() time.Time { // asked for when all records have been read
		checkEvidence(t, other, keyOf(0), body)
		return time.Now()
	})
	store(t, d, keyOf(10), "e10", body)
	if !checkEvidence(t, open(t, dir, nil), keyOf(0), body) {
		t.Error("evidence that was just found was evicted")
	}
}

// Evidence whose last use is in the future, as when the clock was set back,
// can be evicted.
func TestEvidenceAfterClockWasSetBack(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, &workspace.Options{MaxEvidenceBytes: 1000})
	body := strings.Repeat("x", 100)
	for i := range 10 {
		store(t, d, keyOf(i), fmt.Sprint("e", i), body)
		markUsed(t, dir, keyOf(i), time.Now().Add(time.Duration(i+1)*24*time.Hour))
	}
	for i := 10; i < 20; i++ {
		store(t, d, keyOf(i), fmt.Sprint("e", i), body)
	}
	for i := range 20 {
		if there := checkEvidence(t, open(t, dir, nil), keyOf(i), body); there != (i >= 10) {
			t.Errorf("evidence %d is there: %v", i, there)
		}
	}
}

// A count of bytes that is lost or wrong is made up for.
func TestUsageIsRecounted(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, &workspace.Options{MaxEvidenceBytes: 1000})
	now := time.Now()
	d.SetClock(func() time.Time { return now })
	body := strings.Repeat("x", 100)
	for i := range 30 {
		store(t, d, keyOf(i), fmt.Sprint("e", i), body)
		markUsed(t, dir, keyOf(i), now)
		now = now.Add(time.Hour)
		if i%3 == 0 {
			os.Remove(filepath.Join(dir, ".citekit_output", ".meta", "usage.json"))
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, ".citekit_output", "e*"))
	records, _ := filepath.Glob(filepath.Join(dir, ".citekit_output", ".meta", "evidence", "*"))
	if len(files) > 10 || len(files) < 8 || len(records) != len(files) {
		t.Errorf("%d files, %d records", len(files), len(records))
	}
}

func TestConcurrentEvidence(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	spaces := []*workspace.Directory{open(t, dir, nil), open(t, dir, nil)}
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			ws := spaces[i%2]
			k, body := keyOf(i%4), strings.Repeat(fmt.Sprint(i%4), 3000)
			for range rounds(5) {
				stored, err := ws.StoreEvidence(ctx, k, citekit.EvidenceMeta{Name: fmt.Sprint("e", i%4), Size: -1}, strings.NewReader(body))
				if err != nil || stored.SHA256 != sum(body) {
					t.Errorf("StoreEvidence: %v", err)
				}
				if !checkEvidence(t, ws, k, body) {
					t.Error("evidence just stored is not there")
				}
			}
		})
	}
	wg.Wait()
}

// Waiting for another writer ends with the context.
func TestLockWaitEnds(t *testing.T) {
	dir := t.TempDir()
	d, other := open(t, dir, nil), open(t, dir, nil)
	started, release := make(chan struct{}), make(chan struct{})
	go func() {
		unlock, err := d.LockMaps()
		close(started)
		if err == nil {
			<-release
			unlock()
		}
	}()
	<-started
	for _, ws := range []*workspace.Directory{d, other} {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		if err := ws.WriteMap(ctx, "m", []byte("{}")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("WriteMap while another writes: %v", err)
		}
		cancel()
	}
	close(release)
	if err := other.WriteMap(context.Background(), "m", []byte("{}")); err != nil {
		t.Error(err)
	}
}

func TestClosed(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	d := open(t, dir, nil)
	if err := d.WriteMap(ctx, "m", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := d.StatMap(ctx, "m"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("StatMap after Close: %v", err)
	}
	if err := d.WriteMap(ctx, "m", nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("WriteMap after Close: %v", err)
	}
}
