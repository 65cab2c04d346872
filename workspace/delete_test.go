package workspace_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// kept returns what a workspace keeps, such as "evidence a abc".
func kept(t *testing.T, ws citekit.Workspace) []string {
	t.Helper()
	var all []string
	for k, err := range ws.(workspace.Deleter).Kept(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.TrimRight(string(k.Kind)+" "+k.ResourceID+" "+k.SourceHash, " "))
	}
	slices.Sort(all)
	return all
}

// TestDeleteLeftovers checks what no process needs any more, and that files of
// others stay.
func TestDeleteLeftovers(t *testing.T) {
	dir := t.TempDir()
	ws := open(t, dir, nil)
	key := strings.Repeat("a", 64)
	meta := citekit.EvidenceMeta{Name: "x_1-aaaaaaaaaaaaaaaa.txt", Size: -1}
	if _, err := ws.StoreEvidence(t.Context(), key, meta, strings.NewReader("one")); err != nil {
		t.Fatal(err)
	}
	out, maps := filepath.Join(dir, ".citekit_output"), filepath.Join(dir, ".resource_maps")
	stays := []string{
		filepath.Join(out, meta.Name), filepath.Join(out, "notes.txt"), filepath.Join(out, "-_x-0123456789abcdef"),
		filepath.Join(out, ".meta/tmp/.tmp-"+strings.Repeat("1", 32)), filepath.Join(out, ".meta/pins/"+key+".json"),
	}
	goes := []string{
		filepath.Join(out, "x_2-0123456789abcdef.txt"), filepath.Join(out, ".meta/evidence/"+strings.Repeat("b", 64)+".json"),
		filepath.Join(out, ".meta/tmp/.tmp-"+strings.Repeat("2", 32)), filepath.Join(maps, ".tmp-"+strings.Repeat("3", 32)),
	}
	for _, name := range append(stays[1:], goes...) {
		writeFile(t, name, "{}")
	}
	past := time.Now().Add(-2 * time.Hour)
	for _, name := range goes {
		if err := os.Chtimes(name, past, past); err != nil {
			t.Fatal(err)
		}
	}
	for k, err := range ws.Kept(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if k.Kind == workspace.KeptScrap {
			if err := ws.DeleteKept(t.Context(), k); err != nil {
				t.Error(err)
			}
		}
	}
	for _, name := range stays {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("%v", err)
		}
	}
	for _, name := range goes {
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", name, err)
		}
	}
}

// TestGrantsOfMaps checks that a file outside the roots can be read as long as a
// map that it was allowed for names it.
func TestGrantsOfMaps(t *testing.T) {
	base, other, state := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "allowed")
	file, words := filepath.Join(other, "a.mp3"), filepath.Join(other, "a.srt")
	writeFile(t, file, "a")
	writeFile(t, words, "w")
	ws := open(t, base, &workspace.Options{AllowedDir: state})
	ctx := t.Context()
	readable := func(path string) bool {
		src, err := ws.OpenSource(ctx, path)
		if err == nil {
			src.Close()
		} else if !errors.Is(err, citekit.ErrForbidden) {
			t.Errorf("%v", err)
		}
		return err == nil
	}
	write := func(id, source string) {
		t.Helper()
		data := `{"resource_id":"` + id + `","type":"audio","source_path":"` + source + `","nodes":[],"metadata":{"transcript":{"source_path":"` + filepath.ToSlash(words) + `"}}}`
		if err := ws.WriteMap(ctx, id, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(id string) {
		t.Helper()
		stamp, err := ws.StatMap(ctx, id)
		if err == nil {
			_, err = ws.DeleteMaps(ctx, []workspace.MapVersion{{ID: id, Stamp: stamp}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{file, words} {
		for _, id := range []string{"one", "two"} {
			if err := ws.Allow(ctx, path, id); err != nil {
				t.Fatal(err)
			}
		}
	}
	if readable(file) || readable(words) {
		t.Error("readable without a map")
	}
	write("three", filepath.ToSlash(file))
	if readable(file) {
		t.Error("readable for a map that it was not allowed for")
	}
	write("one", filepath.ToSlash(file))
	write("two", filepath.ToSlash(file))
	if !readable(file) || !readable(words) {
		t.Error("not readable")
	}
	if grants, err := ws.Allowed(ctx); err != nil || len(grants) != 2 || !grants[0].InEffect || !slices.Equal(grants[0].Maps, []string{"one", "two"}) {
		t.Errorf("allowed: %+v, %v", grants, err)
	}
	remove("one")
	if !readable(file) || !readable(words) {
		t.Error("not readable though there is another map")
	}
	write("two", filepath.ToSlash(words))
	if readable(file) || !readable(words) {
		t.Error("readable though the map names another source")
	}
	write("two", filepath.ToSlash(file))
	if err := os.Rename(filepath.Join(base, ".resource_maps/two.json"), filepath.Join(base, "two.json")); err != nil {
		t.Fatal(err)
	}
	if readable(file) {
		t.Error("readable though the map was taken away")
	}
	if err := os.Rename(filepath.Join(base, "two.json"), filepath.Join(base, ".resource_maps/two.json")); err != nil {
		t.Fatal(err)
	}
	remove("two")
	write("two", filepath.ToSlash(file)) // another one of that name
	if readable(file) || readable(words) {
		t.Error("readable though the map it was allowed for was deleted")
	}
	if grants, err := ws.AllAllowed(ctx); err != nil || len(grants) != 0 {
		t.Errorf("allowed: %+v, %v", grants, err)
	}
}

func TestRevoke(t *testing.T) {
	base, other, state := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "allowed")
	writeFile(t, filepath.Join(other, "a.txt"), "a")
	writeFile(t, filepath.Join(other, "b.txt"), "b")
	ws, ctx := open(t, base, &workspace.Options{AllowedDir: state}), t.Context()
	for _, name := range []string{"b.txt", "a.txt"} {
		if err := ws.Allow(ctx, filepath.Join(other, name)); err != nil {
			t.Fatal(err)
		}
	}
	grants, err := ws.Allowed(ctx)
	if err != nil || len(grants) != 2 || filepath.Base(grants[0].Path) != "a.txt" {
		t.Fatalf("allowed: %+v, %v", grants, err)
	}
	elsewhere := open(t, t.TempDir(), &workspace.Options{AllowedDir: state})
	if of, err := elsewhere.Allowed(ctx); err != nil || len(of) != 0 {
		t.Errorf("allowed for another base directory: %+v, %v", of, err)
	}
	all, err := elsewhere.AllAllowed(ctx)
	if err != nil || len(all) != 2 {
		t.Fatalf("all: %+v, %v", all, err)
	}
	for range 2 {
		if err := elsewhere.Revoke(ctx, all[0]); err != nil {
			t.Error(err)
		}
	}
	if _, err := ws.OpenSource(ctx, grants[0].Path); !errors.Is(err, citekit.ErrForbidden) {
		t.Errorf("revoked: %v", err)
	}
	if src, err := ws.OpenSource(ctx, grants[1].Path); err != nil {
		t.Errorf("the other one: %v", err)
	} else {
		src.Close()
	}
}

// TestDeleteMaps deletes several maps together: up to the first that was
// replaced, with what belongs to them.
func TestDeleteMaps(t *testing.T) {
	base, other, ctx := t.TempDir(), t.TempDir(), t.Context()
	file := filepath.Join(other, "a.txt")
	writeFile(t, file, "a")
	ws := open(t, base, &workspace.Options{AllowedDir: filepath.Join(t.TempDir(), "allowed")})
	var maps []workspace.MapVersion
	write := func(id string) {
		t.Helper()
		data := `{"resource_id":"` + id + `","type":"text","source_path":"` + filepath.ToSlash(file) + `","nodes":[]}`
		if err := errors.Join(ws.Allow(ctx, file, id), ws.WriteMap(ctx, id, []byte(data))); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		write(id)
		if _, err := pin(ctx, ws, id, "guard", "one"); err != nil {
			t.Fatal(err)
		}
		stamp, err := ws.StatMap(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		maps = append(maps, workspace.MapVersion{ID: id, Stamp: stamp})
	}
	check := func(want ...string) {
		t.Helper()
		if ids, err := ws.ListMaps(ctx, "", 0); err != nil || !slices.Equal(ids, want) {
			t.Errorf("left are %q, %v; want %q", ids, err, want)
		}
		var pins []string
		for _, id := range want {
			pins = append(pins, "pin "+id)
		}
		if got := kept(t, ws); !slices.Equal(got, pins) {
			t.Errorf("kept are %q", got)
		}
		grants, err := ws.AllAllowed(ctx)
		if err != nil || len(grants) > 0 != (len(want) > 0) || len(want) > 0 && !slices.Equal(grants[0].Maps, want) {
			t.Errorf("allowed: %+v, %v", grants, err)
		}
	}
	write("c")
	if n, err := ws.DeleteMaps(ctx, maps); n != 2 || !errors.Is(err, citekit.ErrStale) {
		t.Errorf("deleted %d, %v", n, err)
	}
	check("c", "d", "e")
	if n, err := ws.DeleteMaps(ctx, maps); n != 0 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("again: deleted %d, %v", n, err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if n, err := ws.DeleteMaps(cancelled, maps[3:]); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: deleted %d, %v", n, err)
	}
	check("c", "d", "e")
	maps[2].Stamp, _ = ws.StatMap(ctx, "c")
	if n, err := ws.DeleteMaps(ctx, maps[2:]); n != 3 || err != nil {
		t.Errorf("deleted %d, %v", n, err)
	}
	check()
	if n, err := ws.DeleteMaps(ctx, nil); n != 0 || err != nil {
		t.Errorf("of none: deleted %d, %v", n, err)
	}
}
