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
)

// kept returns the items that a workspace keeps, such as "evidence a abc".
func kept(t testing.TB, ws citekit.Workspace) []string {
	t.Helper()
	var all []string
	for k, err := range ws.(citekit.Deleter).Kept(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.TrimRight(k.Kind+" "+k.ResourceID+" "+k.SourceHash, " "))
	}
	slices.Sort(all)
	return all
}

// writePin pins the source of a map.
func writePin(t testing.TB, ws citekit.Workspace, id string) {
	t.Helper()
	if _, err := ws.WriteNoteIf(t.Context(), citekit.PinNotes, id, []byte("one"), citekit.Stamp{}); err != nil {
		t.Fatal(err)
	}
}

func deleteMap(ctx context.Context, d citekit.Deleter, id string, stamp citekit.Stamp) error {
	deleted, err := d.DeleteMaps(ctx, []citekit.MapVersion{{ID: id, Stamp: stamp}})
	if err == nil && deleted != 1 {
		return fmt.Errorf("%d of 1 deleted, without an error", deleted)
	}
	return err
}

func checkDeleteMap(t testing.TB, ws citekit.Workspace) {
	d, ok := ws.(citekit.Deleter)
	if !ok {
		return
	}
	ctx := t.Context()
	if err := deleteMap(ctx, d, "poem", citekit.Stamp{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a map that is not there: %v", err)
	}
	for _, id := range []string{"poem", "Poem", "é"} {
		if err := ws.WriteMap(ctx, id, []byte(`{}`)); err != nil {
			t.Fatal(err)
		}
		writePin(t, ws, id)
	}
	old, err := ws.StatMap(ctx, "poem")
	if err != nil {
		t.Fatal(err)
	}
	if err := ws.WriteMap(ctx, "poem", []byte(`{"a": 1}`)); err != nil {
		t.Fatal(err)
	}
	if err := deleteMap(ctx, d, "poem", old); !errors.Is(err, citekit.ErrStale) || !errors.Is(err, citekit.ErrConflict) {
		t.Errorf("a map that was replaced: %v", err)
	}
	stamp, err := ws.StatMap(ctx, "poem")
	if err != nil {
		t.Fatal(err)
	}
	if err := deleteMap(ctx, d, "poem", stamp); err != nil {
		t.Fatal(err)
	}
	checkListed(t, ws, "", 0, "Poem", "é")
	if _, err := ws.WriteMapIf(ctx, "poem", []byte(`{}`), stamp); !errors.Is(err, citekit.ErrConflict) {
		t.Errorf("WriteMapIf of a map that was deleted: %v", err)
	}
	if got := kept(t, ws); !slices.Equal(got, []string{"pin Poem", "pin é"}) {
		t.Errorf("kept are %q", got)
	}
	if _, _, err := ws.ReadNote(ctx, citekit.PinNotes, "poem"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the pin of a map that was deleted: %v", err)
	}
}

// checkDeleteMaps deletes several maps together, up to a map that was replaced.
func checkDeleteMaps(t testing.TB, ws citekit.Workspace) {
	d, ok := ws.(citekit.Deleter)
	if !ok {
		return
	}
	ctx := t.Context()
	var all []citekit.MapVersion
	for _, id := range []string{"a", "b", "c", "d"} {
		stamp, err := ws.WriteMapIf(ctx, id, []byte(`{}`), citekit.Stamp{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, citekit.MapVersion{ID: id, Stamp: stamp})
	}
	if n, err := d.DeleteMaps(ctx, nil); n != 0 || err != nil {
		t.Errorf("none: %d deleted, %v", n, err)
	}
	now, err := ws.WriteMapIf(ctx, "c", []byte(`{"a": 1}`), all[2].Stamp)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := d.DeleteMaps(ctx, all); n != 2 || !errors.Is(err, citekit.ErrConflict) {
		t.Errorf("with one that was replaced: %d deleted, %v", n, err)
	}
	checkListed(t, ws, "", 0, "c", "d")
	all[2].Stamp = now
	if n, err := d.DeleteMaps(ctx, all); n != 0 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("with one that is gone: %d deleted, %v", n, err)
	}
	if n, err := d.DeleteMaps(ctx, all[2:]); n != 2 || err != nil {
		t.Errorf("the rest: %d deleted, %v", n, err)
	}
	checkListed(t, ws, "", 0)
}

func checkDeleteKept(t testing.TB, ws citekit.Workspace) {
	d, ok := ws.(citekit.Deleter)
	if !ok {
		return
	}
	ctx := t.Context()
	if got := kept(t, ws); len(got) > 0 {
		t.Fatalf("of nothing are kept %q", got)
	}
	store := func(key, resource, hash, body string) *citekit.StoredEvidence {
		meta := citekit.EvidenceMeta{Name: "x_lines-" + key[:16] + ".txt", Size: -1, Resource: resource, SourceHash: hash}
		e, err := ws.StoreEvidence(ctx, key, meta, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	a := store(strings.Repeat("a", 64), "poem", "11", "one")
	store(strings.Repeat("b", 64), "", "22", "two")
	writePin(t, ws, "poem")
	if got := kept(t, ws); !slices.Equal(got, []string{"evidence  22", "evidence poem 11", "pin poem"}) {
		t.Errorf("kept are %q", got)
	}
	var all []citekit.Kept
	for k, err := range d.Kept(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, k)
	}
	store(strings.Repeat("b", 64), "", "33", "three") // stored after the listing
	for range 2 {
		for _, k := range all {
			if err := d.DeleteKept(ctx, k); err != nil {
				t.Errorf("%+v: %v", k, err)
			}
		}
	}
	if got := kept(t, ws); !slices.Equal(got, []string{"evidence  33"}) {
		t.Errorf("kept are %q", got)
	}
	if isFile(a.Path) {
		t.Errorf("the file %s is left", a.Path)
	}
	if _, err := ws.FindEvidence(ctx, strings.Repeat("a", 64)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("found: %v", err)
	}
}
