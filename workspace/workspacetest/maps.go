package workspacetest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// someIDs are ids that differ in letter case, need more than ASCII, or make
// long file names. They are in ascending byte order.
var someIDs = []string{"Poem", "a b", "poem", strings.Repeat("x", 300), "Élan"}

func mapOf(id string) []byte { return []byte(`{"resource_id":"` + id + `"}`) }

func checkMaps(t testing.TB, ws citekit.Workspace) {
	ctx := t.Context()
	if ids, err := ws.ListMaps(ctx, "", 0); err != nil || ids == nil || len(ids) != 0 {
		t.Fatalf("ListMaps of nothing = %#v, %v; want []string{}, which is not nil", ids, err)
	}
	if _, err := ws.StatMap(ctx, "poem"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("StatMap of nothing: %v, want fs.ErrNotExist", err)
	}
	if _, _, err := ws.ReadMap(ctx, "poem", 100); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("ReadMap of nothing: %v, want fs.ErrNotExist", err)
	}
	writeSome(t, ws)
	for _, id := range someIDs {
		checkMap(t, ws, id, mapOf(id))
	}
	for _, id := range []string{"poem", "Poem"} {
		changed := []byte(`{"resource_id":"` + id + `","title":"a longer one"}`)
		if err := ws.WriteMap(ctx, id, changed); err != nil {
			t.Fatalf("WriteMap: %v, want no error", err)
		}
		checkMap(t, ws, id, changed)
	}
	checkMap(t, ws, "a b", mapOf("a b"))
	if _, _, err := ws.ReadMap(ctx, "poem", 5); !errors.Is(err, citekit.ErrTooLarge) {
		t.Fatalf("ReadMap with a small limit: %v, want citekit.ErrTooLarge", err)
	}
	if _, _, err := ws.ReadMap(ctx, "a b", int64(len(mapOf("a b")))); err != nil {
		t.Fatalf("ReadMap with a limit that is just enough: %v, want no error", err)
	}
}

// writeSome writes a map for each of someIDs.
func writeSome(t testing.TB, ws citekit.Workspace) {
	t.Helper()
	for _, id := range slices.Backward(someIDs) {
		if err := ws.WriteMap(t.Context(), id, mapOf(id)); err != nil {
			t.Fatalf("WriteMap: %v, want no error", err)
		}
	}
}

// checkMap checks that a map exists, in each way to read it.
func checkMap(t testing.TB, ws citekit.Workspace, id string, want []byte) {
	t.Helper()
	data, stamp, err := ws.ReadMap(t.Context(), id, 1000)
	if err != nil || !bytes.Equal(data, want) {
		t.Fatalf("ReadMap(%.20q) = %q, %v; want %q", id, data, err, want)
	}
	if now, err := ws.StatMap(t.Context(), id); err != nil || now != stamp || now == (citekit.Stamp{}) {
		t.Fatalf("StatMap(%.20q) = %v, %v; want %v, with which it was read, and not zero", id, now, err, stamp)
	}
}

func checkBadIDs(t testing.TB, ws citekit.Workspace) {
	for _, id := range []string{"", "..", "../x", "a/b", "a\x00"} {
		if err := ws.WriteMap(t.Context(), id, nil); !errors.Is(err, citekit.ErrSyntax) {
			t.Fatalf("WriteMap(%q): %v, want citekit.ErrSyntax", id, err)
		}
		if _, err := ws.WriteMapIf(t.Context(), id, nil, citekit.Stamp{}); !errors.Is(err, citekit.ErrSyntax) {
			t.Fatalf("WriteMapIf(%q): %v, want citekit.ErrSyntax", id, err)
		}
	}
	checkListed(t, ws, "", 0)
}

func checkPages(t testing.TB, ws citekit.Workspace) {
	writeSome(t, ws)
	checkListed(t, ws, "", 0, someIDs...)
	checkListed(t, ws, "", len(someIDs), someIDs...)
	checkListed(t, ws, "", 1000, someIDs...)
	for i, id := range someIDs {
		checkListed(t, ws, id, 0, someIDs[i+1:]...)
		checkListed(t, ws, id, 2, someIDs[i+1:min(i+3, len(someIDs))]...)
		checkListed(t, ws, id+"\x01", 1, someIDs[i+1:min(i+2, len(someIDs))]...)
	}
	checkListed(t, ws, "\x01", 1, someIDs[0])
	checkListed(t, ws, "\xff", 3)
}

// checkListed checks one page of maps.
func checkListed(t testing.TB, ws citekit.Workspace, after string, limit int, want ...string) {
	t.Helper()
	ids, err := ws.ListMaps(t.Context(), after, limit)
	if err != nil || ids == nil || !slices.Equal(ids, want) {
		t.Fatalf("ListMaps(%.20q, %d) = %.200q, %v; want %.200q", after, limit, ids, err, want)
	}
}

// checkStamps writes the same bytes repeatedly: each version must have its own
// stamp.
func checkStamps(t testing.TB, ws citekit.Workspace) {
	seen := make(map[citekit.Stamp]bool)
	for range rounds(50) {
		if err := ws.WriteMap(t.Context(), "m", []byte("{}")); err != nil {
			t.Fatalf("WriteMap: %v, want no error", err)
		}
		stamp, err := ws.StatMap(t.Context(), "m")
		if err != nil || seen[stamp] {
			t.Fatalf("StatMap after WriteMap of the same bytes: %v, %v; want a stamp that no version had before", stamp, err)
		}
		if again, err := ws.StatMap(t.Context(), "m"); err != nil || again != stamp {
			t.Fatalf("StatMap of a map that did not change: %v, %v; want %v as before", again, err, stamp)
		}
		seen[stamp] = true
	}
}

func checkMapConflicts(t testing.TB, ws citekit.Workspace) {
	ctx := t.Context()
	write := func(data string, stamp citekit.Stamp) (citekit.Stamp, error) {
		return ws.WriteMapIf(ctx, "m", []byte(data), stamp)
	}
	if _, err := write("0", citekit.Stamp{Identity: "another"}); !errors.Is(err, citekit.ErrConflict) {
		t.Fatalf("WriteMapIf of a map that is gone: %v, want citekit.ErrConflict", err)
	}
	first, err := write("1", citekit.Stamp{})
	if err != nil {
		t.Fatalf("WriteMapIf of a new map: %v, want no error", err)
	}
	if now, err := ws.StatMap(ctx, "m"); err != nil || now != first {
		t.Fatalf("StatMap = %v, %v; want %v, which WriteMapIf gave", now, err, first)
	}
	if _, err := write("2", citekit.Stamp{}); !errors.Is(err, citekit.ErrConflict) {
		t.Fatalf("WriteMapIf of a new map that is there: %v, want citekit.ErrConflict", err)
	}
	second, err := write("2", first)
	if err != nil || second == first {
		t.Fatalf("WriteMapIf gave the stamp %v, %v; want another than %v", second, err, first)
	}
	if _, err := write("3", first); !errors.Is(err, citekit.ErrConflict) {
		t.Fatalf("WriteMapIf of a map that was replaced: %v, want citekit.ErrConflict", err)
	}
	checkMap(t, ws, "m", []byte("2"))
	if err := ws.WriteMap(ctx, "m", []byte("4")); err != nil {
		t.Fatalf("WriteMap: %v, want no error", err)
	}
	if _, err := write("5", second); !errors.Is(err, citekit.ErrConflict) {
		t.Fatalf("WriteMapIf after WriteMap: %v, want citekit.ErrConflict", err)
	}
	checkMap(t, ws, "m", []byte("4"))
}

// checkWholeMaps reads a map while it is replaced: each read must return one
// whole version.
func checkWholeMaps(t testing.TB, ws citekit.Workspace) {
	ctx := t.Context()
	version := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%2)}, 3000+1000*(i%2)) }
	if err := ws.WriteMap(ctx, "m", version(0)); err != nil {
		t.Fatalf("WriteMap: %v, want no error", err)
	}
	done := make(chan struct{})
	var reading sync.WaitGroup
	var first firstFault
	for range 2 {
		reading.Go(func() {
			for {
				data, _, err := ws.ReadMap(ctx, "m", 10000)
				if err != nil || !bytes.Equal(data, version(0)) && !bytes.Equal(data, version(1)) {
					first.report("ReadMap while others write: %d bytes, %v; want the 3000 or the 4000 bytes that were written", len(data), err)
					return
				}
				if ids, err := ws.ListMaps(ctx, "", 0); err != nil || !slices.Equal(ids, []string{"m"}) {
					first.report("ListMaps while others write = %q, %v; want \"m\"", ids, err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i := range rounds(100) {
		if err := ws.WriteMap(ctx, "m", version(i)); err != nil {
			first.report("WriteMap: %v, want no error", err)
		}
	}
	close(done)
	reading.Wait()
	first.check(t)
}

// counters are the kinds of stored values that can hold a count.
var counters = map[string]func(t testing.TB, ws citekit.Workspace) error{
	"maps": func(t testing.TB, ws citekit.Workspace) error {
		return countIn(
			func() ([]byte, citekit.Stamp, error) { return ws.ReadMap(t.Context(), "n", 1000) },
			func(data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
				return ws.WriteMapIf(t.Context(), "n", data, stamp)
			})
	},
	"notes": func(t testing.TB, ws citekit.Workspace) error { return countInNote(t, ws, "kind") },
	"pins":  func(t testing.TB, ws citekit.Workspace) error { return countInNote(t, ws, workspace.PinNotes) },
}

func countInNote(t testing.TB, ws citekit.Workspace, kind string) error {
	return countIn(
		func() ([]byte, citekit.Stamp, error) { return ws.ReadNote(t.Context(), kind, "n") },
		func(data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
			return ws.WriteNoteIf(t.Context(), kind, "n", data, stamp)
		})
}

// countIn adds an x to a stored value. Each conflict means that another caller
// has added one, so there are few.
func countIn(read func() ([]byte, citekit.Stamp, error), write func([]byte, citekit.Stamp) (citekit.Stamp, error)) error {
	for range 1000 {
		data, stamp, err := read()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if _, err = write(append(data, 'x'), stamp); !errors.Is(err, citekit.ErrConflict) {
			return err
		}
	}
	return errors.New("1000 conflicts, where 6 callers make 36 changes")
}

// checkCounting lets many callers count at once: no count may be lost.
func checkCounting(t testing.TB, ws citekit.Workspace) { countTogether(t, ws, ws) }

func countTogether(t testing.TB, spaces ...citekit.Workspace) {
	t.Helper()
	const callers = 6
	times := rounds(6)
	for name, count := range counters {
		var counting sync.WaitGroup
		var first firstFault
		for i := range callers {
			counting.Go(func() {
				for range times {
					if err := count(t, spaces[i%len(spaces)]); err != nil {
						first.report("%s: %v, want no error but citekit.ErrConflict", name, err)
					}
				}
			})
		}
		counting.Wait()
		first.check(t)
	}
	for i, ws := range spaces {
		data, _, err := ws.ReadMap(t.Context(), "n", 1000)
		checkCount(t, fmt.Sprint("maps ", i), data, err, callers*times)
		data, _, err = ws.ReadNote(t.Context(), "kind", "n")
		checkCount(t, fmt.Sprint("notes ", i), data, err, callers*times)
		data, _, err = ws.ReadNote(t.Context(), workspace.PinNotes, "n")
		checkCount(t, fmt.Sprint("pins ", i), data, err, callers*times)
	}
}

func checkCount(t testing.TB, name string, data []byte, err error, want int) {
	t.Helper()
	if err != nil || len(data) != want {
		t.Fatalf("%s: counted %d, %v; want %d: no change is lost or made twice", name, len(data), err, want)
	}
}
