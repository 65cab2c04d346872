package workspacetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// wantKept checks what a workspace keeps, such as "evidence a abc".
func wantKept(t testing.TB, ws citekit.Workspace, want ...string) {
	t.Helper()
	var all []string
	for k, err := range ws.(workspace.Deleter).Kept(t.Context()) {
		if err != nil {
			t.Fatalf("Kept: %v, want no error", err)
		}
		all = append(all, strings.TrimRight(k.Kind+" "+k.ResourceID+" "+k.SourceHash, " "))
	}
	slices.Sort(all)
	if !slices.Equal(all, want) {
		t.Fatalf("Kept yields %q, want %q", all, want)
	}
}

// writePin pins the source of a map.
func writePin(t testing.TB, ws citekit.Workspace, id string) {
	t.Helper()
	if _, err := ws.WriteNoteIf(t.Context(), workspace.PinNotes, id, []byte("one"), citekit.Stamp{}); err != nil {
		t.Fatalf("WriteNoteIf: %v, want no error", err)
	}
}

func deleteMap(ctx context.Context, d workspace.Deleter, id string, stamp citekit.Stamp) error {
	deleted, err := d.DeleteMaps(ctx, []workspace.MapVersion{{ID: id, Stamp: stamp}})
	if err == nil && deleted != 1 {
		return fmt.Errorf("%d of 1 deleted, without an error", deleted)
	}
	return err
}

func checkDeleteMap(t testing.TB, ws citekit.Workspace) {
	d, ok := ws.(workspace.Deleter)
	if !ok {
		return
	}
	ctx := t.Context()
	if err := deleteMap(ctx, d, "poem", citekit.Stamp{}); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a map that is not there: %v, want fs.ErrNotExist", err)
	}
	for _, id := range []string{"poem", "Poem", "é"} {
		if err := ws.WriteMap(ctx, id, []byte(`{}`)); err != nil {
			t.Fatalf("WriteMap: %v, want no error", err)
		}
		writePin(t, ws, id)
	}
	old, err := ws.StatMap(ctx, "poem")
	if err != nil {
		t.Fatalf("StatMap: %v, want no error", err)
	}
	if err := ws.WriteMap(ctx, "poem", []byte(`{"a": 1}`)); err != nil {
		t.Fatalf("WriteMap: %v, want no error", err)
	}
	if err := deleteMap(ctx, d, "poem", old); !errors.Is(err, citekit.ErrStale) || !errors.Is(err, citekit.ErrConflict) {
		t.Fatalf("a map that was replaced: %v, want citekit.ErrConflict", err)
	}
	stamp, err := ws.StatMap(ctx, "poem")
	if err != nil {
		t.Fatalf("StatMap: %v, want no error", err)
	}
	if err := deleteMap(ctx, d, "poem", stamp); err != nil {
		t.Fatalf("DeleteMaps: %v, want no error", err)
	}
	checkListed(t, ws, "", 0, "Poem", "é")
	if _, err := ws.WriteMapIf(ctx, "poem", []byte(`{}`), stamp); !errors.Is(err, citekit.ErrConflict) {
		t.Fatalf("WriteMapIf of a map that was deleted: %v, want citekit.ErrConflict", err)
	}
	wantKept(t, ws, "pin Poem", "pin é")
	if _, _, err := ws.ReadNote(ctx, workspace.PinNotes, "poem"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the pin of a map that was deleted: %v, want fs.ErrNotExist", err)
	}
}

// checkDeleteMaps deletes several maps together, up to a map that was replaced.
func checkDeleteMaps(t testing.TB, ws citekit.Workspace) {
	d, ok := ws.(workspace.Deleter)
	if !ok {
		return
	}
	ctx := t.Context()
	var all []workspace.MapVersion
	for _, id := range []string{"a", "b", "c", "d"} {
		stamp, err := ws.WriteMapIf(ctx, id, []byte(`{}`), citekit.Stamp{})
		if err != nil {
			t.Fatalf("WriteMapIf: %v, want no error", err)
		}
		all = append(all, workspace.MapVersion{ID: id, Stamp: stamp})
	}
	if n, err := d.DeleteMaps(ctx, nil); n != 0 || err != nil {
		t.Fatalf("DeleteMaps of none: %d deleted, %v; want 0", n, err)
	}
	now, err := ws.WriteMapIf(ctx, "c", []byte(`{"a": 1}`), all[2].Stamp)
	if err != nil {
		t.Fatalf("WriteMapIf: %v, want no error", err)
	}
	if n, err := d.DeleteMaps(ctx, all); n != 2 || !errors.Is(err, citekit.ErrConflict) {
		t.Fatalf("with one that was replaced: %d deleted, %v; want 2, and citekit.ErrConflict", n, err)
	}
	checkListed(t, ws, "", 0, "c", "d")
	all[2].Stamp = now
	if n, err := d.DeleteMaps(ctx, all); n != 0 || !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("with one that is gone: %d deleted, %v; want 0, and fs.ErrNotExist", n, err)
	}
	if n, err := d.DeleteMaps(ctx, all[2:]); n != 2 || err != nil {
		t.Fatalf("the rest: %d deleted, %v; want 2", n, err)
	}
	checkListed(t, ws, "", 0)
}

func checkDeleteKept(t testing.TB, ws citekit.Workspace) {
	d, ok := ws.(workspace.Deleter)
	if !ok {
		return
	}
	ctx := t.Context()
	wantKept(t, ws)
	store := func(key, resource, hash, body string) *citekit.StoredEvidence {
		meta := citekit.EvidenceMeta{Name: "x_lines-" + key[:16] + ".txt", Size: -1, Resource: resource, SourceHash: hash}
		e, err := ws.StoreEvidence(ctx, key, meta, strings.NewReader(body))
		if err != nil {
			t.Fatalf("StoreEvidence: %v, want no error", err)
		}
		return e
	}
	a := store(strings.Repeat("a", 64), "poem", "11", "one")
	store(strings.Repeat("b", 64), "", "22", "two")
	writePin(t, ws, "poem")
	wantKept(t, ws, "evidence  22", "evidence poem 11", "pin poem")
	var all []workspace.Kept
	for k, err := range d.Kept(ctx) {
		if err != nil {
			t.Fatalf("Kept: %v, want no error", err)
		}
		all = append(all, k)
	}
	store(strings.Repeat("b", 64), "", "33", "three") // stored after the listing
	for range 2 {
		for _, k := range all {
			if err := d.DeleteKept(ctx, k); err != nil {
				t.Fatalf("DeleteKept(%+v): %v, want no error, also the second time", k, err)
			}
		}
	}
	wantKept(t, ws, "evidence  33")
	if isFile(a.Path) {
		t.Fatalf("the file %s is left, want it deleted", a.Path)
	}
	if _, err := ws.FindEvidence(ctx, strings.Repeat("a", 64)); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("FindEvidence of what was deleted: %v, want fs.ErrNotExist", err)
	}
}
