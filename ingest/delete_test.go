package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/workspace"
)

// eachIngested runs a test with a library over a directory and one over memory,
// in which a.txt and b.txt are mapped and cited.
func eachIngested(t *testing.T, test func(t *testing.T, lib *citekit.Library)) {
	files := map[string]string{"a.txt": "one\ntwo\n", "b.txt": "three\n"}
	fill := func(t *testing.T, lib *citekit.Library) {
		t.Helper()
		if _, err := ingest.Run(t.Context(), lib, []string{"."}, nil); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"a", "b"} {
			cite(t, lib, id)
		}
		test(t, lib)
	}
	t.Run("Directory", func(t *testing.T) {
		fill(t, newIngestFixture(t, files).lib)
	})
	t.Run("Memory", func(t *testing.T) {
		m := workspace.NewMemory(nil)
		for name, content := range files {
			m.AddSource(name, []byte(content))
		}
		fill(t, citekit.New(m, citekit.Resolvers{citekit.Text: new(lineMapper)}, nil))
	})
}

// cite resolves the first line of a resource and reports whether the evidence
// was there.
func cite(t *testing.T, lib *citekit.Library, id string) bool {
	t.Helper()
	a := parse(t, "text://"+id+"#lines=1")
	e, err := lib.ResolveAddress(t.Context(), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e.Cached
}

func TestDelete(t *testing.T) {
	eachIngested(t, func(t *testing.T, lib *citekit.Library) {
		if !cite(t, lib, "a") {
			t.Fatal("the evidence is not kept")
		}
		var missing *citekit.NotFoundError
		if _, err := ingest.Delete(t.Context(), lib, "aa", nil); !errors.As(err, &missing) || !slices.Contains(missing.Suggestions, "a") {
			t.Errorf("unknown id: %v", err)
		}
		if _, err := ingest.Delete(t.Context(), lib, "../a", nil); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("bad id: %v", err)
		}
		planned, err := ingest.Delete(t.Context(), lib, "a", &ingest.DeleteOptions{DryRun: true})
		if err != nil || planned.Evidence != 1 || planned.Bytes != 4 || planned.SourcePath != "a.txt" {
			t.Errorf("dry run: %+v, %v", planned, err)
		}
		deleted, err := ingest.Delete(t.Context(), lib, "a", nil)
		if err != nil || *deleted != *planned {
			t.Errorf("deleted %+v, %v", deleted, err)
		}
		if ids, err := lib.Resources(t.Context()); err != nil || !slices.Equal(ids, []string{"b"}) {
			t.Errorf("left are %v, %v", ids, err)
		}
		if _, err := lib.Map(t.Context(), "a"); !errors.As(err, &missing) {
			t.Errorf("the map is still there: %v", err)
		}
		if _, err := ingest.Delete(t.Context(), lib, "a", nil); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("deleted twice: %v", err)
		}
		// It is as if it had never been there.
		report, err := ingest.Run(t.Context(), lib, []string{"."}, nil)
		if err != nil || report.Count(ingest.Mapped) != 1 || report.Count(ingest.Unchanged) != 1 || report.Items[0].ResourceID != "a" {
			t.Errorf("mapped again: %+v, %v", report, err)
		}
		if cite(t, lib, "a") || !cite(t, lib, "b") {
			t.Error("evidence of a was left, or that of b went")
		}
	})
}

func TestDeleteAllOrNothing(t *testing.T) {
	eachIngested(t, func(t *testing.T, lib *citekit.Library) {
		if _, err := ingest.DeleteAll(t.Context(), lib, []string{"a", "none"}, nil); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v", err)
		}
		if ids, err := lib.Resources(t.Context()); err != nil || len(ids) != 2 {
			t.Errorf("left are %v, %v", ids, err)
		}
		if deleted, err := ingest.DeleteAll(t.Context(), lib, []string{"b", "a", "b"}, nil); err != nil || len(deleted) != 2 {
			t.Errorf("%v, %v", deleted, err)
		}
	})
}

// TestDeleteByHand checks that what a person wrote is only deleted if that is
// wanted.
func TestDeleteByHand(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	f.ingest(t, nil)
	f.edit(t, "a", `"title":"one"`, `"title":"uno"`)
	f.write(t, ".resource_maps/mine.json", `{"resource_id":"mine","type":"text","source_path":"b.txt","nodes":[]}`)
	f.write(t, ".resource_maps/broken.json", `{`)
	keep := &ingest.DeleteOptions{KeepByHand: true}
	for id, want := range map[string]error{"a": ingest.ErrByHand, "mine": ingest.ErrByHand, "broken": ingest.ErrByHand, "b": nil} {
		if _, err := ingest.Delete(t.Context(), f.lib, id, keep); !errors.Is(err, want) {
			t.Errorf("%s: %v", id, err)
		}
	}
	for _, id := range []string{"a", "mine", "broken"} {
		if _, err := ingest.Delete(t.Context(), f.lib, id, nil); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	if ids, err := f.lib.Resources(t.Context()); err != nil || len(ids) != 0 {
		t.Errorf("left are %v, %v", ids, err)
	}
}

// TestDeletePin checks that the version a source was held to goes with the map.
func TestDeletePin(t *testing.T) {
	f := linetest.New(t)
	if _, err := f.Resolve(t.Context(), "poem", "start", nil); err != nil {
		t.Fatal(err)
	}
	text := read(t, filepath.Join(f.Dir, ".resource_maps/poem.json"))
	f.Write(t, "poem.txt", "eno\ntwo\nthree\nfour")
	if _, err := f.Resolve(t.Context(), "poem", "start", nil); !errors.Is(err, citekit.ErrStale) {
		t.Fatalf("not stale: %v", err)
	}
	if _, err := ingest.Delete(t.Context(), f.Library, "poem", nil); err != nil {
		t.Fatal(err)
	}
	if names := f.Outputs(t); len(names) > 0 {
		t.Errorf("left are %q", names)
	}
	f.Write(t, ".resource_maps/poem.json", text)
	if _, err := f.Resolve(t.Context(), "poem", "start", nil); err != nil {
		t.Errorf("held to the version of the map that was deleted: %v", err)
	}
}

// replacingWorkspace is a workspace in which a map is replaced between being looked at
// and being deleted.
type replacingWorkspace struct{ *workspace.Memory }

func (r replacingWorkspace) DeleteMaps(ctx context.Context, maps []workspace.MapVersion) (int, error) {
	for _, m := range maps {
		if err := r.WriteMap(ctx, m.ID, []byte(`{"resource_id":"m","type":"text","nodes":[]}`)); err != nil {
			return 0, err
		}
	}
	return r.Memory.DeleteMaps(ctx, maps)
}

func TestDeleteReplaced(t *testing.T) {
	ws := replacingWorkspace{workspace.NewMemory(nil)}
	lib := citekit.New(ws, nil, nil)
	if err := ws.WriteMap(t.Context(), "m", []byte(`{"resource_id":"m","type":"text","nodes":[]}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := ingest.Delete(t.Context(), lib, "m", nil); !errors.Is(err, citekit.ErrStale) {
		t.Errorf("%v", err)
	}
	if _, err := lib.Map(t.Context(), "m"); err != nil {
		t.Errorf("the new map is gone: %v", err)
	}
}

// TestDeleteWhileInUse deletes maps that others resolve and make: each resolve
// gives the right bytes or says that there is nothing.
func TestDeleteWhileInUse(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	f := newIngestFixture(t, map[string]string{"a.txt": "one\ntwo\n"})
	var others []*citekit.Library // as other processes would
	for range 2 {
		ws, err := workspace.Open(f.dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		lib := citekit.New(ws, citekit.Resolvers{citekit.Text: f.mapper}, nil)
		defer lib.Close()
		others = append(others, lib)
	}
	address := parse(t, "text://a#lines=1")
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		for range 60 {
			if _, err := ingest.Run(t.Context(), f.lib, []string{"a.txt"}, nil); err != nil {
				t.Error(err)
			}
			if _, err := ingest.Delete(t.Context(), others[0], "a", nil); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			e, err := others[1].ResolveAddress(t.Context(), address, nil)
			if err != nil {
				if !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%v", err)
				}
				continue
			}
			data, err := os.ReadFile(e.OutputPath)
			if err == nil && string(data) != "one\n" || err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("evidence %q, %v", data, err)
			}
		}
	})
	wg.Wait()
	if _, err := ingest.Prune(t.Context(), f.lib, nil); err != nil { // what was stored after the map had gone
		t.Error(err)
	}
	entries, err := os.ReadDir(filepath.Join(f.dir, ".citekit_output"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			t.Errorf("%s is left", e.Name())
		}
	}
}

func (f *ingestFixture) plan(t *testing.T, opts *ingest.PruneOptions) (*ingest.PrunePlan, []string) {
	t.Helper()
	plan, err := ingest.PlanPrune(t.Context(), f.lib, opts)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, item := range plan.Items {
		lines = append(lines, fmt.Sprintf("%s %s %d: %s", item.Kind, item.ResourceID, item.Bytes, item.Reason))
	}
	slices.Sort(lines)
	return plan, lines
}

func TestPrune(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "two\n", "c.txt": "three\n", "d.txt": "four\n", "e.txt": "five\n"})
	f.ingest(t, nil)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		cite(t, f.lib, id)
	}
	f.edit(t, "b", `"title":"two"`, `"title":"duo"`)
	for _, name := range []string{"a.txt", "b.txt", ".resource_maps/d.json"} {
		if err := os.Remove(filepath.Join(f.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f.write(t, "c.txt", "seven\n")
	f.ingest(t, nil, "c.txt")
	f.write(t, ".citekit_output/lost_lines_1-0123456789abcdef.txt", "lost")
	f.write(t, ".citekit_output/mine.txt", "mine")

	plan, got := f.plan(t, nil)
	f.want(t, got, "evidence c 6: made from another version of the source than the mapped one", "evidence d 5: its map is gone",
		"leftover  4: nothing refers to it", "map a 4: its source vanished")
	if len(plan.ByHand) != 1 || plan.ByHand[0].ResourceID != "b" || plan.Bytes() != 19 {
		t.Errorf("by hand %v, %d bytes", plan.ByHand, plan.Bytes())
	}
	f.write(t, "a.txt", "back\n") // between the plan and the prune
	pruned, err := ingest.Prune(t.Context(), f.lib, plan)
	if err != nil || len(pruned) != 3 {
		t.Errorf("pruned %v, %v", pruned, err)
	}
	if err := os.Remove(filepath.Join(f.dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	if pruned, err = ingest.Prune(t.Context(), f.lib, nil); err != nil || len(pruned) != 1 || pruned[0].ResourceID != "a" {
		t.Errorf("pruned %v, %v", pruned, err)
	}
	if _, got := f.plan(t, nil); len(got) > 0 {
		t.Errorf("still to prune: %q", got)
	}
	if _, got := f.plan(t, &ingest.PruneOptions{Force: true}); len(got) != 1 || !strings.HasPrefix(got[0], "map b ") {
		t.Errorf("with force: %q", got)
	}
	if !cite(t, f.lib, "e") {
		t.Error("evidence that is needed went")
	}
	if text := read(t, filepath.Join(f.dir, ".citekit_output/mine.txt")); text != "mine" {
		t.Errorf("a file of others: %q", text)
	}
	f.want(t, f.ingest(t, nil), "unchanged c.txt as c: 1", "mapped d.txt as d: 1", "unchanged e.txt as e: 1", "vanished b.txt as b")
}

func TestDeleteUnsupported(t *testing.T) {
	lib := citekit.New(struct{ citekit.Workspace }{workspace.NewMemory(nil)}, nil, nil)
	if _, err := ingest.Delete(t.Context(), lib, "a", nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Delete: %v", err)
	}
	if _, err := ingest.Prune(t.Context(), lib, nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Prune: %v", err)
	}
}

// A countingDeleter counts how often it waits for the disk, and replaces a map
// in between if it is to.
type countingDeleter struct {
	*workspace.Directory
	batches  int
	replaces string
}

func (c *countingDeleter) DeleteMaps(ctx context.Context, maps []workspace.MapVersion) (int, error) {
	c.batches++
	if c.replaces != "" {
		if err := c.Directory.WriteMap(ctx, c.replaces, []byte(`{}`)); err != nil {
			return 0, err
		}
		c.replaces = ""
	}
	return c.Directory.DeleteMaps(ctx, maps)
}

// TestDeleteMany deletes and prunes many maps while one of them is
// replaced, with few waits for the disk.
func TestDeleteMany(t *testing.T) {
	sharedtest.NotShort(t)
	const many = 600
	for _, prunes := range []bool{false, true} {
		dir := t.TempDir()
		ws, err := workspace.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		counting := &countingDeleter{Directory: ws}
		lib := citekit.New(counting, citekit.Resolvers{citekit.Text: new(lineMapper)}, nil)
		defer lib.Close()
		ids := make([]string, many)
		for i := range ids {
			ids[i] = fmt.Sprintf("m%03d", i)
			data := `{"resource_id":"` + ids[i] + `","type":"text","source_path":"gone.txt","nodes":[],"metadata":{"adapter":"other/1"}}`
			path := filepath.Join(dir, ".resource_maps", ids[i]+".json")
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(data), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		counting.replaces = ids[7]
		var deleted int
		if prunes {
			plan, err := ingest.PlanPrune(t.Context(), lib, &ingest.PruneOptions{Emptied: true})
			if err != nil {
				t.Fatal(err)
			}
			pruned, err := ingest.Prune(t.Context(), lib, plan)
			if err != nil {
				t.Error(err)
			}
			deleted = len(pruned)
		} else {
			first, err := ingest.DeleteAll(t.Context(), lib, ids, nil)
			if !errors.Is(err, citekit.ErrStale) || !strings.Contains(err.Error(), ids[7]) || len(first) != 7 {
				t.Errorf("deleted %d, %v", len(first), err)
			}
			rest, err := ingest.DeleteAll(t.Context(), lib, ids[8:], nil)
			if err != nil {
				t.Error(err)
			}
			deleted = len(first) + len(rest)
		}
		left, err := lib.Resources(t.Context())
		if err != nil || deleted != many-1 || !slices.Equal(left, ids[7:8]) {
			t.Errorf("%d deleted, %q left, %v", deleted, left, err)
		}
		if counting.batches > 5 {
			t.Errorf("deleted in %d batches", counting.batches)
		}
	}
}
