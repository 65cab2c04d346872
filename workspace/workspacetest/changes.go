package workspacetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// checkChangeNotes changes several notes at once.
func checkChangeNotes(t testing.TB, ws citekit.Workspace) {
	ctx := t.Context()
	for _, kind := range kinds {
		if stamps, err := ws.ChangeNotes(ctx, kind, nil); err != nil || len(stamps) != 0 {
			t.Fatalf("%s: ChangeNotes of nothing: %v, %v; want no stamps and no error", kind, stamps, err)
		}
		var changes []citekit.NoteChange
		for name, data := range someNotes {
			changes = append(changes, citekit.NoteChange{Name: name, Data: []byte(data)})
		}
		stamps, err := ws.ChangeNotes(ctx, kind, changes)
		if err != nil || len(stamps) != len(changes) {
			t.Fatalf("%s: ChangeNotes of new notes: %d stamps, %v; want %d", kind, len(stamps), err, len(changes))
		}
		listed := checkAllNotes(t, ws, kind, someNotes)
		for i, c := range changes {
			if listed[c.Name] != stamps[i] {
				t.Fatalf("%s: ChangeNotes gave note %.20q the stamp %v; want %v, with which it is listed", kind, c.Name, stamps[i], listed[c.Name])
			}
			changes[i] = citekit.NoteChange{Name: c.Name, Stamp: stamps[i]}
		}
		changes = append(changes, citekit.NoteChange{Name: "new", Data: []byte{}}, citekit.NoteChange{Name: "nothing"})
		again, err := ws.ChangeNotes(ctx, kind, changes)
		if err != nil || len(again) != len(changes) {
			t.Fatalf("%s: ChangeNotes that deletes: %d stamps, %v; want %d", kind, len(again), err, len(changes))
		}
		checkAllNotes(t, ws, kind, map[string]string{"new": ""})
		for i, c := range changes {
			if deleted := c.Data == nil; deleted != (again[i] == citekit.Stamp{}) {
				t.Fatalf("%s: ChangeNotes gave note %.20q the stamp %v; want zero if it was deleted (%v), else another", kind, c.Name, again[i], deleted)
			}
		}
	}
	checkBadChanges(t, ws)
}

// checkBadChanges makes changes with an invalid one among them: none may be
// applied.
func checkBadChanges(t testing.TB, ws citekit.Workspace) {
	good := citekit.NoteChange{Name: "good", Data: []byte("1")}
	for _, bad := range []struct { // in this order: the first fault is the one that is reported
		name   string
		change citekit.NoteChange
		want   error
	}{
		{"a name", citekit.NoteChange{Name: "\xff", Data: []byte("1")}, citekit.ErrSyntax},
		{"much data", citekit.NoteChange{Name: "n", Data: make([]byte, 64<<10+1)}, citekit.ErrTooLarge},
		{"one twice", good, citekit.ErrSyntax},
		{"a conflict", citekit.NoteChange{Name: "n", Data: []byte("1"), Stamp: citekit.Stamp{Identity: "another"}}, citekit.ErrConflict},
	} {
		for _, kind := range kinds {
			before := notesOf(t, ws, kind)
			if _, err := ws.ChangeNotes(t.Context(), kind, []citekit.NoteChange{good, bad.change}); !errors.Is(err, bad.want) {
				t.Fatalf("%s: ChangeNotes with %s that is wrong: %v, want an error that matches %v", kind, bad.name, err, bad.want)
			}
			checkAllNotes(t, ws, kind, before)
		}
	}
	if _, err := ws.ChangeNotes(t.Context(), "../x", []citekit.NoteChange{good}); !errors.Is(err, citekit.ErrSyntax) {
		t.Fatalf("ChangeNotes of a wrong kind: %v, want citekit.ErrSyntax", err)
	}
}

func notesOf(t testing.TB, ws citekit.Workspace, kind string) map[string]string {
	notes := make(map[string]string)
	for n, err := range ws.Notes(t.Context(), kind) {
		if err != nil {
			t.Fatalf("Notes: %v, want no error", err)
		}
		notes[n.Name] = string(n.Data)
	}
	return notes
}

// checkChangeConflicts lets another caller change some of the notes.
func checkChangeConflicts(t testing.TB, ws citekit.Workspace) {
	ctx := t.Context()
	for _, kind := range kinds {
		var changes []citekit.NoteChange
		want := make(map[string]string)
		for i := range 6 {
			name := fmt.Sprint("n", i)
			changes, want[name] = append(changes, citekit.NoteChange{Name: name, Data: []byte("1")}), "1"
		}
		stamps, err := ws.ChangeNotes(ctx, kind, changes)
		if err != nil || len(stamps) != len(changes) {
			t.Fatalf("%s: ChangeNotes of new notes: %v, want no error", kind, err)
		}
		if _, err := ws.WriteNoteIf(ctx, kind, "n2", []byte("other"), stamps[2]); err != nil {
			t.Fatalf("WriteNoteIf: %v, want no error", err)
		}
		if err := ws.DeleteNoteIf(ctx, kind, "n4", stamps[4]); err != nil {
			t.Fatalf("DeleteNoteIf: %v, want no error", err)
		}
		want["n2"] = "other"
		delete(want, "n4")
		for i := range changes {
			changes[i].Data, changes[i].Stamp = []byte("2"), stamps[i]
		}
		changes[5] = citekit.NoteChange{Name: "n5", Stamp: stamps[5]}
		changes = append(changes, citekit.NoteChange{Name: "new", Data: []byte("2")})
		_, err = ws.ChangeNotes(ctx, kind, changes)
		var conflict *citekit.NoteConflictError
		if !errors.Is(err, citekit.ErrConflict) || !errors.As(err, &conflict) || !slices.Equal(conflict.Names, []string{"n2", "n4"}) {
			t.Fatalf("%s: ChangeNotes of notes that others changed: %#v, want a *citekit.NoteConflictError that names n2 and n4", kind, err)
		}
		checkAllNotes(t, ws, kind, want)
	}
}

// checkChangeSlices changes the slices that it passed to the workspace.
func checkChangeSlices(t testing.TB, ws citekit.Workspace) {
	for _, kind := range kinds {
		data := []byte("written")
		changes := []citekit.NoteChange{{Name: "n", Data: data}}
		if _, err := ws.ChangeNotes(t.Context(), kind, changes); err != nil || !bytes.Equal(data, []byte("written")) {
			t.Fatalf("%s: ChangeNotes left its argument as %q, %v; want \"written\"", kind, data, err)
		}
		copy(data, strings.Repeat("!", len(data)))
		checkAllNotes(t, ws, kind, map[string]string{"n": "written"})
	}
}

// checkLockIngest lets two callers wait for the ingest lock.
func checkLockIngest(t testing.TB, ws citekit.Workspace) {
	checkLockedOut(t, ws, ws)
}

// checkLockedOut locks ingest through one workspace: another must wait.
func checkLockedOut(t testing.TB, ws, other citekit.Workspace) {
	finder, ok := ws.(workspace.Finder)
	if !ok {
		return
	}
	for range 2 {
		release, err := finder.LockIngest(t.Context())
		if err != nil {
			t.Fatalf("LockIngest: %v, want no error", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if second, err := other.(workspace.Finder).LockIngest(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("LockIngest while it is locked: %v, want context.DeadlineExceeded", err)
			if err == nil {
				second()
			}
		}
		cancel()
		release()
	}
}

// checkSharedLock is checkLockIngest for two workspaces over one storage.
func checkSharedLock(t testing.TB, open func() citekit.Workspace) {
	checkLockedOut(t, opened(t, open), opened(t, open))
}
