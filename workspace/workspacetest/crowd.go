package workspacetest

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// An operation makes one call for the map, note or evidence named id.
type operation func(ctx context.Context, id string) error

// checkCrowd makes all calls of a workspace from many callers at once. A
// workspace lets one caller at a time write to a folder, list one, or ingest.
// Some callers give up. All must end, and release what they held.
func checkCrowd(t testing.TB, ws citekit.Workspace) {
	all := operations(ws)
	var callers sync.WaitGroup
	var first firstFault
	for name, do := range all {
		for i := range 8 {
			callers.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				givesUp := i%4 == 3
				if givesUp {
					ctx, cancel = context.WithTimeout(t.Context(), time.Duration(i)*200*time.Microsecond)
				}
				defer cancel()
				for range 3 {
					err := do(ctx, string(rune('a'+i%3)))
					if err != nil && !givesUp && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, citekit.ErrStale) {
						first.report("%s: %v, want no error but fs.ErrNotExist and citekit.ErrStale", name, err)
						return
					}
				}
			})
		}
	}
	callers.Wait()
	first.check(t)
	for _, name := range []string{"write", "store evidence", "list", "pin", "note", "notes", "lock ingest"} {
		if do, ok := all[name]; ok {
			if err := do(t.Context(), "a"); err != nil {
				t.Fatalf("%s, afterwards: %v, want no error", name, err)
			}
		}
	}
}

func operations(ws citekit.Workspace) map[string]operation {
	write := func(ctx context.Context, id string) error { return ws.WriteMap(ctx, id, []byte(`{}`)) }
	note := func(kind string) operation {
		return func(ctx context.Context, id string) error {
			_, stamp, err := ws.ReadNote(ctx, kind, id)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if _, err = ws.WriteNoteIf(ctx, kind, id, []byte("one"), stamp); errors.Is(err, citekit.ErrConflict) {
				return nil
			}
			return err
		}
	}
	all := map[string]operation{
		"write": write,
		"write if": func(ctx context.Context, id string) error {
			stamp, err := ws.StatMap(ctx, id)
			if err != nil {
				return err
			}
			_, err = ws.WriteMapIf(ctx, id, []byte(`[]`), stamp)
			return err
		},
		"store evidence": func(ctx context.Context, id string) error {
			meta := citekit.EvidenceMeta{Name: "x_lines-" + id + ".txt", Size: -1, Resource: id}
			_, err := ws.StoreEvidence(ctx, strings.Repeat(id, 64), meta, strings.NewReader("evidence of "+id))
			return err
		},
		"read": func(ctx context.Context, id string) error {
			_, _, err := ws.ReadMap(ctx, id, 1000)
			return err
		},
		"list": func(ctx context.Context, _ string) error {
			_, err := ws.ListMaps(ctx, "", 0)
			return err
		},
		"pin":  note(workspace.PinNotes),
		"note": note("kind"),
		"notes": func(ctx context.Context, id string) error {
			var changes []citekit.NoteChange
			for n, err := range ws.Notes(ctx, "kind") {
				if err != nil {
					return err
				}
				changes = append(changes, citekit.NoteChange{Name: n.Name, Data: []byte(id), Stamp: n.Stamp})
			}
			if _, err := ws.ChangeNotes(ctx, "kind", changes); !errors.Is(err, citekit.ErrConflict) {
				return err
			}
			return nil
		},
		"list notes": func(ctx context.Context, _ string) error {
			for n, err := range ws.Notes(ctx, "kind") {
				if err != nil {
					return err
				}
				if err := note("kind")(ctx, n.Name); err != nil { // while they are listed
					return err
				}
			}
			return nil
		},
		"find evidence": func(ctx context.Context, id string) error {
			_, err := ws.FindEvidence(ctx, strings.Repeat(id, 64))
			return err
		},
		"hash a source": func(ctx context.Context, _ string) error {
			src, err := ws.OpenSource(ctx, SourcePath)
			if err != nil {
				return err
			}
			defer src.Close()
			_, err = src.Hash(ctx)
			return err
		},
	}
	if opener, ok := ws.(citekit.EvidenceOpener); ok {
		all["open evidence"] = func(ctx context.Context, id string) error {
			body, _, err := opener.OpenEvidence(ctx, strings.Repeat(id, 64))
			if err != nil {
				return err
			}
			return body.Close()
		}
	}
	if deleter, ok := ws.(workspace.Deleter); ok {
		all["delete a map"] = func(ctx context.Context, id string) error {
			stamp, err := ws.StatMap(ctx, id)
			if err != nil {
				return err
			}
			return deleteMap(ctx, deleter, id, stamp)
		}
		all["delete what is kept"] = func(ctx context.Context, _ string) error {
			for k, err := range deleter.Kept(ctx) {
				if err != nil {
					return err
				}
				if err := deleter.DeleteKept(ctx, k); err != nil { // while it is listed
					return err
				}
			}
			return nil
		}
	}
	if finder, ok := ws.(workspace.Finder); ok {
		all["lock ingest"] = func(ctx context.Context, _ string) error {
			release, err := finder.LockIngest(ctx)
			if err != nil {
				return err
			}
			defer release()
			return write(ctx, "d") // while it is held
		}
	}
	return all
}

func checkCancelled(t testing.TB, ws citekit.Workspace) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	calls := []struct {
		name string
		call func() error
	}{
		{"WriteMap", func() error { return ws.WriteMap(ctx, "m", nil) }},
		{"WriteMapIf", func() error { _, err := ws.WriteMapIf(ctx, "m", nil, citekit.Stamp{}); return err }},
		{"ListMaps", func() error { _, err := ws.ListMaps(ctx, "", 0); return err }},
		{"OpenSource", func() error { _, err := ws.OpenSource(ctx, SourcePath); return err }},
		{"StoreEvidence", func() error {
			_, err := ws.StoreEvidence(ctx, key, citekit.EvidenceMeta{Name: "n", Size: -1}, strings.NewReader("x"))
			return err
		}},
		{"WriteNoteIf", func() error { _, err := ws.WriteNoteIf(ctx, "kind", "n", nil, citekit.Stamp{}); return err }},
		{"ChangeNotes", func() error {
			_, err := ws.ChangeNotes(ctx, "kind", []citekit.NoteChange{{Name: "n", Data: []byte("x")}})
			return err
		}},
		{"Notes", func() error {
			for _, err := range ws.Notes(ctx, "kind") {
				return err
			}
			return nil
		}},
	}
	for _, c := range calls {
		if err := c.call(); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: %v, want context.Canceled", c.name, err)
		}
	}
	if _, err := ws.StatMap(t.Context(), "m"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a map was written: %v, want fs.ErrNotExist", err)
	}
	if _, err := ws.FindEvidence(t.Context(), key); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("evidence was stored: %v, want fs.ErrNotExist", err)
	}
	checkAllNotes(t, ws, "kind", nil)
}

func checkClose(t testing.TB, ws citekit.Workspace) {
	writeSome(t, ws)
	for i := range 3 {
		if err := ws.Close(); err != nil {
			t.Fatalf("Close, call %d: %v, want no error", i+1, err)
		}
	}
}
