package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/workspace"
)

func logPath(dir string) string { return filepath.Join(dir, evidenceDir, ".meta", "notes", "kind.log") }

func writeNote(t testing.TB, ws citekit.NoteStore, name, data string, stamp citekit.Stamp) citekit.Stamp {
	t.Helper()
	now, err := ws.WriteNoteIf(context.Background(), "kind", name, []byte(data), stamp)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// checkNotes checks that the notes of a kind are those given, by each way to
// read them, and returns their stamps.
func checkNotes(t testing.TB, ws citekit.NoteStore, want map[string]string) map[string]citekit.Stamp {
	t.Helper()
	ctx := context.Background()
	got, stamps := make(map[string]string), make(map[string]citekit.Stamp)
	for n, err := range ws.Notes(ctx, "kind") {
		if err != nil {
			t.Fatal(err)
		}
		got[n.Name], stamps[n.Name] = string(n.Data), n.Stamp
	}
	if !maps.Equal(got, want) {
		t.Errorf("the notes are %.300q, want %.300q", got, want)
	}
	for name, data := range want {
		read, stamp, err := ws.ReadNote(ctx, "kind", name)
		if err != nil || string(read) != data || stamp != stamps[name] {
			t.Errorf("note %q is %.50q with stamp %v, %v; it was listed with %v", name, read, stamp, err, stamps[name])
		}
	}
	return stamps
}

// What a process that died left of a line, what a loss of power left of the
// file, and what somebody else put there costs no other note.
func TestDamagedLog(t *testing.T) {
	appendTo := func(t *testing.T, path, text string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	both := map[string]string{"a": "1", "b": "2"}
	for name, test := range map[string]struct {
		damage func(t *testing.T, path string, lines []string)
		left   map[string]string
	}{
		"part of a line": {func(t *testing.T, path string, lines []string) { appendTo(t, path, lines[0][:len(lines[0])-2]) }, both},
		"zeros":          {func(t *testing.T, path string, _ []string) { appendTo(t, path, strings.Repeat("\x00", 5000)) }, both},
		"a long line":    {func(t *testing.T, path string, _ []string) { appendTo(t, path, strings.Repeat("x", 2<<20)+"\n") }, both},
		"no seal": {func(t *testing.T, path string, lines []string) {
			appendTo(t, path, strings.Replace(lines[1], "=2", "=3", 1)+"\n")
		}, map[string]string{"a": "1"}},
		"last line gone": {func(t *testing.T, path string, lines []string) { writeFile(t, path, lines[0]+"\n") }, map[string]string{"a": "1"}},
		"first line changed": {func(t *testing.T, path string, lines []string) {
			os.Remove(path)
			writeFile(t, path, strings.Replace(lines[0], "=1", "=9", 1)+"\n"+lines[1]+"\n")
		}, nil},
		"of another kind": {func(t *testing.T, path string, lines []string) {
			if err := os.Rename(filepath.Join(filepath.Dir(path), "other.log"), path); err != nil {
				t.Fatal(err)
			}
		}, nil},
		"emptied":     {func(t *testing.T, path string, _ []string) { os.Truncate(path, 0) }, nil},
		"removed":     {func(t *testing.T, path string, _ []string) { os.Remove(path) }, nil},
		"a directory": {func(t *testing.T, path string, _ []string) { os.Remove(path); os.Mkdir(path, 0o700) }, nil},
		"a pipe":      {func(t *testing.T, path string, _ []string) { os.Remove(path); mkfifo(t, path) }, nil},
		"a link":      {func(t *testing.T, path string, _ []string) { os.Remove(path); symlink(t, "/etc/passwd", path) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			d := open(t, dir, nil)
			writeNote(t, d, "a", "1", citekit.Stamp{})
			writeNote(t, d, "b", "2", citekit.Stamp{})
			if _, err := d.WriteNoteIf(t.Context(), "other", "a", []byte("9"), citekit.Stamp{}); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(logPath(dir))
			if err != nil {
				t.Fatal(err)
			}
			test.damage(t, logPath(dir), strings.Split(string(data), "\n"))
			for _, ws := range []*workspace.Directory{d, open(t, dir, nil)} {
				checkNotes(t, ws, test.left)
			}
			now := map[string]string{"c": "3"}
			maps.Copy(now, test.left)
			writeNote(t, open(t, dir, nil), "c", "3", citekit.Stamp{})
			for _, ws := range []*workspace.Directory{d, open(t, dir, nil)} {
				checkNotes(t, ws, now)
			}
		})
	}
}

// Notes are not written through a hard link to a file of somebody else.
// TestPartOfALine has somebody else write part of a line once the log has been
// read: what is written next can be read by others.
func TestPartOfALine(t *testing.T) {
	for _, first := range []bool{false, true} {
		dir := t.TempDir()
		d := open(t, dir, nil)
		if _, err := d.WriteNoteIf(t.Context(), "other", "n", []byte("1"), citekit.Stamp{}); err != nil {
			t.Fatal(err) // makes the directory
		}
		if !first {
			writeNote(t, d, "a", "one", citekit.Stamp{})
		}
		f, err := os.OpenFile(logPath(dir), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err == nil {
			_, err = f.WriteString("99\tpart of a line that was not written whole")
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := d.ReadNote(t.Context(), "kind", "b"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a note that is not there: %v", err)
		}
		writeNote(t, d, "b", "two", citekit.Stamp{})
		want := map[string]string{"a": "one", "b": "two"}
		if first {
			delete(want, "a")
		}
		checkNotes(t, d, want)
		checkNotes(t, open(t, dir, nil), want)
	}
}

func TestLinkedLog(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	writeFile(t, victim, "mine\n")
	if err := errors.Join(os.MkdirAll(filepath.Dir(logPath(dir)), 0o700), os.Link(victim, logPath(dir))); err != nil {
		t.Skip(err)
	}
	d := open(t, dir, nil)
	writeNote(t, d, "a", "1", citekit.Stamp{})
	checkNotes(t, d, map[string]string{"a": "1"})
	if data, err := os.ReadFile(victim); err != nil || string(data) != "mine\n" {
		t.Errorf("the file that was linked to is %q, %v", data, err)
	}
}

// Notes count where they were written, for the person who did.
func TestForeignNotes(t *testing.T) {
	dir, keys := t.TempDir(), t.TempDir()
	mine := &workspace.Options{KeyDir: keys}
	writeNote(t, open(t, dir, mine), "a", "1", citekit.Stamp{})
	checkNotes(t, open(t, copyTo(t, dir), mine), nil)
	theirs := open(t, dir, &workspace.Options{KeyDir: t.TempDir()})
	checkNotes(t, theirs, nil)
	checkNotes(t, open(t, dir, mine), map[string]string{"a": "1"})
	writeNote(t, theirs, "a", "2", citekit.Stamp{})
	checkNotes(t, theirs, map[string]string{"a": "2"})
	checkNotes(t, open(t, dir, mine), nil)
}

// A file that is mostly outdated is written anew; processes that have it
// open go on.
func TestLogIsCompacted(t *testing.T) {
	dir := t.TempDir()
	d, other := open(t, dir, nil), open(t, dir, nil)
	large := strings.Repeat("x", 60<<10)
	want := map[string]string{"small": "1", "gone": "2"}
	stamp := writeNote(t, d, "small", "1", citekit.Stamp{})
	gone := writeNote(t, d, "gone", "2", citekit.Stamp{})
	stamps := checkNotes(t, other, want)
	if stamps["small"] != stamp {
		t.Errorf("stamp %v, want %v", stamps["small"], stamp)
	}
	if err := d.DeleteNoteIf(t.Context(), "kind", "gone", gone); err != nil {
		t.Fatal(err)
	}
	delete(want, "gone")
	var last citekit.Stamp
	for i := range 100 {
		ws := []*workspace.Directory{d, other}[i%2]
		want["large"] = large + strconv.Itoa(i)
		last = writeNote(t, ws, "large", want["large"], last)
	}
	for _, ws := range []*workspace.Directory{d, other, open(t, dir, nil)} {
		if stamps := checkNotes(t, ws, want); stamps["small"] != stamp || stamps["large"] != last {
			t.Errorf("stamps %v, want %v and %v", stamps, stamp, last)
		}
	}
	if info, err := os.Stat(logPath(dir)); err != nil || info.Size() > 2<<20 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
}

// count adds one to the number in a note and returns it.
func count(ctx context.Context, ws citekit.NoteStore, kind, name string) (int, error) {
	for {
		data, stamp, err := ws.ReadNote(ctx, kind, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
		n := 1
		if err == nil {
			before, err := strconv.Atoi(string(data))
			if err != nil {
				return 0, err
			}
			n = before + 1
		}
		if _, err = ws.WriteNoteIf(ctx, kind, name, []byte(strconv.Itoa(n)), stamp); !errors.Is(err, citekit.ErrConflict) {
			return n, err
		}
	}
}

// countMap adds one to the number that a map is and returns it.
func countMap(ctx context.Context, ws citekit.Workspace, id string) (int, error) {
	for {
		data, stamp, err := ws.ReadMap(ctx, id, 100)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
		n := 1
		if err == nil {
			before, err := strconv.Atoi(string(data))
			if err != nil {
				return 0, err
			}
			n = before + 1
		}
		if _, err = ws.WriteMapIf(ctx, id, []byte(strconv.Itoa(n)), stamp); !errors.Is(err, citekit.ErrConflict) {
			return n, err
		}
	}
}

// Processes that count in the same notes or map are killed; what they said they
// counted is counted, and at most one more for each that was killed.
func TestKilledCounters(t *testing.T) {
	if !long() {
		t.Skip("kills processes as TestKilledWriters does; set CITEKIT_LONG")
	}
	for _, role := range []string{"count", "count maps"} {
		t.Run(role, func(t *testing.T) {
			dir := t.TempDir()
			said, kills := killCounters(t, role, dir)
			d := open(t, dir, nil)
			for kind, n := range said {
				var data []byte
				var err error
				if kind == "map" {
					data, _, err = d.ReadMap(t.Context(), "n", 100)
				} else {
					data, _, err = d.ReadNote(t.Context(), kind, "n")
				}
				counted, _ := strconv.Atoi(string(data))
				if err != nil || counted < n || counted > n+kills {
					t.Errorf("%s: counted %s, %v; the processes said %d", kind, data, err, n)
				}
			}
			t.Logf("counted %v, %d kills", said, kills)
		})
	}
}

// killCounters starts processes in a role, three at a time, and kills them. It
// returns how often they said that they counted, by what.
func killCounters(t *testing.T, role, dir string) (said map[string]int, kills int) {
	t.Helper()
	said = make(map[string]int)
	random := sharedtest.Rand(t)
	for range 100 {
		for _, lines := range killed(t, random, dir, role, role, role) {
			kills++
			for kind := range strings.Lines(lines) {
				if strings.HasPrefix(kind, "ERR") {
					t.Error(kind)
				}
				said[strings.TrimSuffix(kind, "\n")]++
			}
		}
	}
	return said, kills
}

// batch is how many notes a process changes together until it is killed.
const batch = 40

func init() { roles["change notes"] = changeNotes }

// changeNotes gives all notes of a batch the same number, again and again. The
// numbers say how often.
func changeNotes(ctx context.Context, dir string, out io.Writer) error {
	d, err := workspace.Open(dir, nil)
	if err != nil {
		return err
	}
	defer d.Close()
	numbers, stamps, err := readBatch(ctx, d)
	if err != nil {
		return err
	}
	for next := numbers[0] + 1; ; next++ {
		changes := make([]citekit.NoteChange, batch)
		for i := range changes {
			data := strconv.Itoa(next) + strings.Repeat(" ", 2000) // so that the log is compacted now and then
			changes[i] = citekit.NoteChange{Name: strconv.Itoa(i), Data: []byte(data), Stamp: stamps[i]}
		}
		if stamps, err = d.ChangeNotes(ctx, "kind", changes); err != nil {
			return err
		}
		fmt.Fprintln(out, next)
	}
}

func readBatch(ctx context.Context, d *workspace.Directory) (numbers []int, stamps []citekit.Stamp, err error) {
	numbers, stamps = make([]int, batch), make([]citekit.Stamp, batch)
	for n, err := range d.Notes(ctx, "kind") {
		if err != nil {
			return nil, nil, err
		}
		i, err := strconv.Atoi(n.Name)
		if err != nil {
			return nil, nil, err
		}
		stamps[i] = n.Stamp
		if numbers[i], err = strconv.Atoi(strings.TrimSpace(string(n.Data))); err != nil {
			return nil, nil, err
		}
	}
	return numbers, stamps, nil
}

// A process that changes notes together is killed: what it said it did is done,
// and of what it was doing the first of the changes.
func TestKilledChanges(t *testing.T) {
	if !long() {
		t.Skip("kills processes as TestKilledWriters does; set CITEKIT_LONG")
	}
	dir, random := t.TempDir(), sharedtest.Rand(t)
	d := open(t, dir, nil)
	last := 0
	for range 200 {
		for line := range strings.Lines(killed(t, random, dir, "change notes")[0]) {
			number, err := strconv.Atoi(strings.TrimSuffix(line, "\n"))
			if err != nil {
				t.Fatal(line)
			}
			last = number
		}
		numbers, _, err := readBatch(t.Context(), d)
		if err != nil || numbers[batch-1] < last || numbers[0] > numbers[batch-1]+1 {
			t.Errorf("said %d, %v, error %v", last, numbers, err)
		}
		if !slices.IsSortedFunc(numbers, func(a, b int) int { return b - a }) {
			t.Errorf("not the first of the changes: %v", numbers)
		}
		last = numbers[0]
	}
	t.Logf("%d changes of %d notes", last, batch)
}

// manyNotes makes n notes as ingest would, with a process of its own.
func manyNotes(t testing.TB, dir string, n int) {
	t.Helper()
	d, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	all := make([]citekit.NoteChange, n)
	for i := range all {
		all[i] = citekit.NoteChange{Name: fmt.Sprintf("docs/lecture-%06d.pdf", i), Data: []byte(strings.Repeat("x", 400))}
	}
	for changes := range slices.Chunk(all, 1000) {
		if _, err := d.ChangeNotes(context.Background(), "kind", changes); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkNotes(b *testing.B) {
	ctx := context.Background()
	for _, n := range []int{1000, 100000} {
		dir := b.TempDir()
		manyNotes(b, dir, n)
		list := func(b *testing.B, d *workspace.Directory) {
			found := 0
			for _, err := range d.Notes(ctx, "kind") {
				if err != nil {
					b.Fatal(err)
				}
				found++
			}
			if found != n {
				b.Fatal(found)
			}
		}
		b.Run(fmt.Sprintf("%d/list first", n), func(b *testing.B) {
			for b.Loop() {
				d, err := workspace.Open(dir, nil)
				if err != nil {
					b.Fatal(err)
				}
				list(b, d)
				d.Close()
			}
		})
		d := open(b, dir, nil)
		list(b, d)
		b.Run(fmt.Sprintf("%d/list again", n), func(b *testing.B) {
			for b.Loop() {
				list(b, d)
			}
		})
		b.Run(fmt.Sprintf("%d/read", n), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := d.ReadNote(ctx, "kind", "docs/lecture-000500.pdf"); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("%d/change 1000", n), func(b *testing.B) {
			changes := make([]citekit.NoteChange, 1000)
			for i := range changes {
				changes[i].Name, changes[i].Data = fmt.Sprintf("docs/lecture-%06d.pdf", i), []byte(strings.Repeat("z", 400))
				_, stamp, err := d.ReadNote(ctx, "kind", changes[i].Name)
				if err != nil {
					b.Fatal(err)
				}
				changes[i].Stamp = stamp
			}
			for b.Loop() {
				stamps, err := d.ChangeNotes(ctx, "kind", changes)
				if err != nil {
					b.Fatal(err)
				}
				for i := range changes {
					changes[i].Stamp = stamps[i]
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/note")
		})
		b.Run(fmt.Sprintf("%d/write", n), func(b *testing.B) {
			_, stamp, err := d.ReadNote(ctx, "kind", "docs/lecture-000500.pdf")
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				stamp = writeNote(b, d, "docs/lecture-000500.pdf", strings.Repeat("y", 400), stamp)
			}
		})
	}
}
