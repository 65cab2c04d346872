package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

const mapsDir = ".resource_maps"

// mapFiles returns the names in the maps directory that are not hidden.
func mapFiles(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, mapsDir))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestOpenMakesNothing(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	d := open(t, dir, nil)
	d.ListMaps(ctx, "", 0)
	d.StatMap(ctx, "m")
	d.FindEvidence(ctx, key)
	d.OpenSource(ctx, "none")
	d.MapPath("m")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("reading made %v, %v", entries, err)
	}
	if _, err := workspace.Open(filepath.Join(dir, "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of a directory that is not there: %v", err)
	}
}

func TestOlderNames(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	d := open(t, dir, nil)
	maps := filepath.Join(dir, mapsDir)
	writeFile(t, filepath.Join(maps, "Lecture_01.json"), "old")
	writeFile(t, filepath.Join(maps, "a b.json"), "old")
	if runtime.GOOS != "darwin" {
		writeFile(t, filepath.Join(maps, "café.json"), "old")
	} else {
		d.WriteMap(ctx, "café", []byte("old"))
	}
	ids, err := d.ListMaps(ctx, "", 0)
	if diff := cmp.Diff([]string{"Lecture_01", "a b", "café"}, ids); err != nil || diff != "" {
		t.Fatalf("ListMaps: %v\n%s", err, diff)
	}
	for _, id := range ids {
		data, stamp, err := d.ReadMap(ctx, id, 10)
		if now, statErr := d.StatMap(ctx, id); err != nil || statErr != nil || string(data) != "old" || stamp != now {
			t.Errorf("%s: %q, %v, %v", id, data, err, statErr)
		}
	}
	if got := d.MapPath("Lecture_01"); got != mapsDir+"/Lecture_01.json" {
		t.Errorf("MapPath = %q", got)
	}
	if _, err := d.StatMap(ctx, "lecture_01"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the map of an id in other case: %v", err)
	}
	if err := d.WriteMap(ctx, "Lecture_01", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(maps, "Lecture_01.json")); err != nil || string(data) != "new" {
		t.Errorf("an older map was not updated in place: %q, %v", data, err)
	}
	if n := len(mapFiles(t, dir)); n != 3 {
		t.Errorf("%d files; 3 maps", n)
	}
}

// What is shown for a map that is not there is a path where it would be read.
func TestMapPathIsRead(t *testing.T) {
	ctx := context.Background()
	tests := map[string]string{
		"poem":                   "poem.json",
		"Lecture_01":             "Lecture_01.json",
		"a b":                    "a b.json",
		"Élan":                   "Élan.json",
		"-x":                     "-x.json",
		".hidden":                "%2Ehidden.json",
		"a%20b":                  "a%2520b.json",
		"tab\there":              workspace.FileName("tab\there"),
		strings.Repeat("X", 250): strings.Repeat("X", 250) + ".json",
		strings.Repeat("X", 251): workspace.FileName(strings.Repeat("X", 251)),
	}
	for id, want := range tests {
		if citekit.CheckResourceID(id) != nil {
			continue
		}
		dir := t.TempDir()
		d, memory := open(t, dir, nil), workspace.NewMemory(nil)
		got := d.MapPath(id)
		if got != mapsDir+"/"+want || memory.MapPath(id) != got {
			t.Errorf("MapPath(%q) = %q, in memory %q; want %q", id, got, memory.MapPath(id), want)
		}
		writeFile(t, filepath.Join(dir, filepath.FromSlash(got)), `{"resource_id":"`+id+`"}`)
		if data, _, err := d.ReadMap(ctx, id, 1000); err != nil || len(data) == 0 {
			t.Errorf("the map at %q is not read: %v", got, err)
		}
	}
}

func TestCanonicalNameWins(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	d := open(t, dir, nil)
	if err := d.WriteMap(ctx, "Lecture", []byte("canonical")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, mapsDir, "Lecture.json"), "older")
	if ids, err := d.ListMaps(ctx, "", 0); err != nil || len(ids) != 1 || ids[0] != "Lecture" {
		t.Errorf("ListMaps = %v, %v", ids, err)
	}
	if data, _, err := d.ReadMap(ctx, "Lecture", 100); err != nil || string(data) != "canonical" {
		t.Errorf("ReadMap = %q, %v", data, err)
	}
}

func TestWhatIsNoMap(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs symbolic links and pipes")
	}
	dir, ctx := t.TempDir(), context.Background()
	d := open(t, dir, nil)
	maps := filepath.Join(dir, mapsDir)
	writeFile(t, filepath.Join(dir, "victim.json"), "canary")
	writeFile(t, filepath.Join(maps, "good.json"), "{}")
	writeFile(t, filepath.Join(maps, ".hidden.json"), "{}")
	writeFile(t, filepath.Join(maps, ".tmp-0123.json"), "{}")
	writeFile(t, filepath.Join(maps, "notes.txt"), "{}")
	writeFile(t, filepath.Join(maps, "dir.json", "x"), "{}")
	symlink(t, filepath.Join(dir, "victim.json"), filepath.Join(maps, "link.json"))
	symlink(t, "good.json", filepath.Join(maps, "inner.json"))
	symlink(t, "loop.json", filepath.Join(maps, "loop.json"))
	symlink(t, filepath.Join(dir, "victim.json"), filepath.Join(maps, "Upper.json"))
	mkfifo(t, filepath.Join(maps, "fifo.json"))
	if ids, err := d.ListMaps(ctx, "", 0); err != nil || len(ids) != 1 || ids[0] != "good" {
		t.Errorf("ListMaps = %v, %v", ids, err)
	}
	for _, id := range []string{"link", "inner", "loop", "fifo", "dir"} {
		if _, _, err := d.ReadMap(ctx, id, 100); !errors.Is(err, citekit.ErrForbidden) {
			t.Errorf("ReadMap(%s): %v", id, err)
		}
		if _, err := d.StatMap(ctx, id); !errors.Is(err, citekit.ErrForbidden) {
			t.Errorf("StatMap(%s): %v", id, err)
		}
	}
	if _, _, err := d.ReadMap(ctx, "Upper", 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link with an older name: %v", err)
	}
	for _, id := range []string{"link", "inner", "loop", "fifo"} {
		if err := d.WriteMap(ctx, id, []byte("new")); err != nil {
			t.Errorf("WriteMap(%s): %v", id, err)
		}
		if data, _, err := d.ReadMap(ctx, id, 100); err != nil || string(data) != "new" {
			t.Errorf("ReadMap(%s) = %q, %v", id, data, err)
		}
	}
	if err := d.WriteMap(ctx, "dir", []byte("new")); err == nil {
		t.Error("a map replaced a directory that is not empty")
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "victim.json")); string(data) != "canary" {
		t.Errorf("a map was written through a link: %q", data)
	}
	if data, _, err := d.ReadMap(ctx, "good", 100); err != nil || string(data) != "{}" {
		t.Errorf("ReadMap(good) = %q, %v", data, err)
	}
}

func TestLinkedDirectories(t *testing.T) {
	ctx := context.Background()
	for _, target := range []string{"victim", "inside"} {
		outer := t.TempDir()
		dir := filepath.Join(outer, "base")
		victim := map[string]string{"victim": filepath.Join(outer, "victim"), "inside": filepath.Join(dir, "inside")}[target]
		writeFile(t, filepath.Join(victim, "keep.json"), "keep")
		writeFile(t, filepath.Join(dir, "x"), "x")
		symlink(t, victim, filepath.Join(dir, mapsDir))
		symlink(t, victim, filepath.Join(dir, ".citekit_output"))
		d := open(t, dir, nil)
		if _, err := d.ListMaps(ctx, "", 0); !errors.Is(err, citekit.ErrForbidden) {
			t.Errorf("%s: ListMaps: %v", target, err)
		}
		if err := d.WriteMap(ctx, "keep", nil); !errors.Is(err, citekit.ErrForbidden) {
			t.Errorf("%s: WriteMap: %v", target, err)
		}
		if _, err := d.StoreEvidence(ctx, key, citekit.EvidenceMeta{Name: "keep.json", Size: -1}, strings.NewReader("")); !errors.Is(err, citekit.ErrForbidden) {
			t.Errorf("%s: StoreEvidence: %v", target, err)
		}
		if _, err := d.FindEvidence(ctx, key); !errors.Is(err, citekit.ErrForbidden) {
			t.Errorf("%s: FindEvidence: %v", target, err)
		}
		if data, _ := os.ReadFile(filepath.Join(victim, "keep.json")); string(data) != "keep" {
			t.Errorf("%s: wrote through a linked directory", target)
		}
		// A person may choose such a directory.
		chosen := open(t, dir, &workspace.Options{MapsDir: filepath.Join(dir, mapsDir)})
		if ids, err := chosen.ListMaps(ctx, "", 0); err != nil || len(ids) != 1 {
			t.Errorf("%s: ListMaps of a chosen directory = %v, %v", target, ids, err)
		}
	}
}

func TestConfiguredDirectories(t *testing.T) {
	outer, ctx := t.TempDir(), context.Background()
	dir := filepath.Join(outer, "base")
	writeFile(t, filepath.Join(dir, "x"), "x")
	for maps, want := range map[string]string{
		"a/b/maps":                         "a/b/maps/m.json",
		"../maps":                          "../maps/m.json",
		".":                                "m.json",
		filepath.Join(outer, "other"):      "../other/m.json",
		filepath.Join(dir, "deep", "maps"): "deep/maps/m.json",
	} {
		d := open(t, dir, &workspace.Options{MapsDir: maps})
		if err := d.WriteMap(ctx, "m", []byte("{}")); err != nil {
			t.Errorf("%s: %v", maps, err)
			continue
		}
		if ids, err := d.ListMaps(ctx, "", 0); err != nil || len(ids) != 1 {
			t.Errorf("%s: ListMaps = %v, %v", maps, ids, err)
		}
		if got := d.MapPath("m"); got != want {
			t.Errorf("%s: MapPath = %q, want %q", maps, got, want)
		}
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(want))); err != nil {
			t.Error(err)
		}
	}
}

// A directory that is replaced while it is in use is noticed.
func TestReplacedDirectory(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	d := open(t, dir, nil)
	if err := d.WriteMap(ctx, "one", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, mapsDir)); err != nil {
		t.Fatal(err)
	}
	if ids, err := d.ListMaps(ctx, "", 0); err != nil || len(ids) != 0 {
		t.Errorf("ListMaps of a deleted directory = %v, %v", ids, err)
	}
	if err := d.WriteMap(ctx, "two", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if ids, err := d.ListMaps(ctx, "", 0); err != nil || len(ids) != 1 || ids[0] != "two" {
		t.Errorf("ListMaps = %v, %v", ids, err)
	}
}

// The list is right after every change, however quickly changes follow.
func TestListingIsNeverOld(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	d := open(t, dir, nil)
	for i := range 100 {
		if err := d.WriteMap(ctx, fmt.Sprintf("m%03d", i), []byte("{}")); err != nil {
			t.Fatal(err)
		}
		if ids, err := d.ListMaps(ctx, "", 0); err != nil || len(ids) != i+1 {
			t.Fatalf("after %d writes: %d ids, %v", i+1, len(ids), err)
		}
	}
	old := time.Now().Add(-time.Hour)
	os.Chtimes(filepath.Join(dir, mapsDir), old, old)
	d.ListMaps(ctx, "", 0)
	os.Remove(filepath.Join(dir, mapsDir, "m050.json"))
	os.Chtimes(filepath.Join(dir, mapsDir), old, old)
	if ids, err := d.ListMaps(ctx, "", 0); err != nil || len(ids) != 99 {
		t.Errorf("after a removal with the time set back: %d ids, %v", len(ids), err)
	}
	ids, _ := d.ListMaps(ctx, "", 0)
	ids[0] = "changed"
	if again, _ := d.ListMaps(ctx, "", 0); again[0] == "changed" {
		t.Error("the slice is shared")
	}
}

// Waiting for another who lists the maps ends with the context.
func TestListingWaitEnds(t *testing.T) {
	d := open(t, t.TempDir(), nil)
	if err := d.WriteMap(context.Background(), "m", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	release := d.HoldListing()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := d.ListMaps(ctx, "", 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while another reads: %v", err)
	}
	release()
	if ids, err := d.ListMaps(context.Background(), "", 0); err != nil || len(ids) != 1 {
		t.Errorf("afterwards: %v, %v", ids, err)
	}
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	for _, mask := range []int{0, 0o077, 0o777} {
		withUmask(t, mask, func() {
			dir, ctx := t.TempDir(), context.Background()
			os.Chmod(dir, 0o755)
			d := open(t, dir, nil)
			if err := d.WriteMap(ctx, "m", []byte("{}")); err != nil {
				t.Fatal(err)
			}
			if _, err := d.StoreEvidence(ctx, key, citekit.EvidenceMeta{Name: "e", Size: -1}, strings.NewReader("x")); err != nil {
				t.Fatal(err)
			}
			if _, err := pin(ctx, d, "a", "b", "c"); err != nil {
				t.Fatal(err)
			}
			filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
				if err != nil {
					t.Fatal(err)
				}
				info, _ := e.Info()
				want := fs.FileMode(0o600)
				if e.IsDir() {
					want = 0o700
				}
				if path != dir && info.Mode().Perm() != want {
					t.Errorf("umask %03o: %s has mode %v", mask, path, info.Mode())
				}
				return nil
			})
			path := filepath.Join(dir, mapsDir, "m.json")
			os.Chmod(path, 0o644)
			if err := d.WriteMap(ctx, "m", []byte("{}")); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
				t.Errorf("a map that is replaced has mode %v, %v", info.Mode(), err)
			}
		})
	}
}

func TestConcurrentWriters(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	d := open(t, dir, nil)
	version := func(i int) string { return strings.Repeat(fmt.Sprintf("%02d", i), 5000) }
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			if err := d.WriteMap(ctx, "Same", []byte(version(i))); err != nil {
				t.Error(err)
			}
			data, _, err := d.ReadMap(ctx, "Same", 1<<20)
			if err != nil || len(data) != 10000 || string(data) != strings.Repeat(string(data[:2]), 5000) {
				t.Errorf("read %d bytes, %v", len(data), err)
			}
		})
	}
	wg.Wait()
	if names := mapFiles(t, dir); len(names) != 1 {
		t.Errorf("files: %v", names)
	}
}

func TestOldTempsAreRemoved(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	digits := "0123456789abcdef0123456789abcdef"
	old := time.Now().Add(-2 * time.Hour)
	var gone, stay []string
	for _, below := range []string{mapsDir, ".citekit_output/.meta/tmp"} {
		path := filepath.Join(dir, filepath.FromSlash(below))
		gone = append(gone, filepath.Join(path, ".tmp-"+digits))
		stay = append(stay, filepath.Join(path, ".tmp-notes"), filepath.Join(path, ".tmp-1"+digits[1:]))
	}
	for _, path := range append(gone, stay...) {
		writeFile(t, path, "x")
		if !strings.Contains(path, ".tmp-1") {
			os.Chtimes(path, old, old)
		}
	}
	if runtime.GOOS != "windows" { // where nobody locks them
		killed, recently := filepath.Join(dir, ".citekit_output/.meta/tmp/.tmp-2"+digits[1:]), time.Now().Add(-2*time.Minute)
		writeFile(t, killed, "x")
		os.Chtimes(killed, recently, recently)
		gone = append(gone, killed)
	}
	d := open(t, dir, nil)
	if err := d.WriteMap(ctx, "m", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.StoreEvidence(ctx, key, citekit.EvidenceMeta{Name: "e", Size: -1}, strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	for _, path := range gone {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s was left", path)
		}
	}
	for _, path := range stay {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}

// A file being written is not removed, however far the clock is set forward.
func TestTempsInUseStay(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files that are open are not removed")
	}
	dir := t.TempDir()
	d, other := open(t, dir, nil), open(t, dir, nil)
	other.SetClock(func() time.Time { return time.Now().Add(48 * time.Hour) })
	body := &hookReader{Reader: strings.NewReader("body"), hook: func() { store(t, other, keyOf(1), "other", "other") }}
	if _, err := d.StoreEvidence(context.Background(), key, citekit.EvidenceMeta{Name: "e", Size: -1}, body); err != nil {
		t.Fatal(err)
	}
	if !checkEvidence(t, d, key, "body") {
		t.Error("evidence just stored is not found")
	}
}

// A hookReader calls hook before the first read.
type hookReader struct {
	io.Reader
	hook func()
}

func (r *hookReader) Read(p []byte) (int, error) {
	if r.hook != nil {
		r.hook()
		r.hook = nil
	}
	return r.Reader.Read(p)
}

// Errors say what went wrong without saying where things are.
func TestErrorsHaveNoPaths(t *testing.T) {
	ctx := context.Background()
	outer := t.TempDir()
	writeFile(t, filepath.Join(outer, "file"), "x")
	for name, opts := range map[string]*workspace.Options{
		"file as directory": {MapsDir: filepath.Join(outer, "file"), EvidenceDir: filepath.Join(outer, "file")},
		"below a file":      {MapsDir: filepath.Join(outer, "file", "x"), EvidenceDir: filepath.Join(outer, "file", "x")},
		"long name":         {MapsDir: strings.Repeat("x", 300), EvidenceDir: strings.Repeat("x", 300)},
		"proc":              {MapsDir: "/proc", EvidenceDir: "/proc"},
	} {
		if name == "proc" && runtime.GOOS != "linux" {
			continue
		}
		d := open(t, outer, opts)
		errs := []error{d.WriteMap(ctx, "m", []byte("{}"))}
		_, err := d.StoreEvidence(ctx, key, citekit.EvidenceMeta{Name: "e", Size: -1}, strings.NewReader("x"))
		errs = append(errs, err)
		_, err = pin(ctx, d, "a", "b", "c")
		errs = append(errs, err)
		for _, err := range errs {
			if err == nil || strings.Contains(err.Error(), outer) || strings.Contains(err.Error(), "/proc") || strings.Contains(err.Error(), "xxx") {
				t.Errorf("%s: %v", name, err)
			} else {
				t.Logf("%s: %v", name, err)
			}
		}
	}
}
