package relations_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/relations"
	"github.com/citekit/citekit/workspace"
)

// placesAround writes the places around an address, each with its hops.
func placesAround(t testing.TB, g *relations.Graph, at citekit.Address, hops, most int) ([]string, *relations.Surroundings) {
	t.Helper()
	around, err := g.Around(t.Context(), at, relations.Reach{Hops: hops, Most: most})
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{}
	for _, p := range around.Places {
		lines = append(lines, fmt.Sprintf("%d %s", p.Hops, p.Address))
	}
	return lines, around
}

func TestAround(t *testing.T) {
	lib, dir := newLibrary(t, map[string]string{
		"a.md": "# A\n\n[b](b.md#two) and [b](b.md#two), [self](#a), [web](https://e.com), [gone](gone.md)\n\n## Else\n\n[d](d.md)\n",
		"b.md": "# B\n\n[c](c.md)\n\n## Two\n\n[a](a.md)\n",
		"c.md": "# C\n\n[a](a.md)\n",
		"d.md": "# D\n",
	})
	g := relations.New(lib)
	a := idOf(t, lib, "a.md")
	for hops, want := range [][]string{
		{},
		{"1 text://b#lines=5-7", "1 text://c#lines=3-3", "1 text://d"},
	} {
		if got, around := placesAround(t, g, whole(a), hops, 10); !slices.Equal(got, want) || !around.Complete || around.More != 0 {
			t.Errorf("%d hops: %q, want %q; %+v", hops, got, want, around)
		}
	}
	first := citekit.Address{Resource: a, Location: citekit.Text.Lines(1, 3)}
	want := []string{"1 text://b#lines=5-7", "2 text://a"}
	if got, _ := placesAround(t, g, first, 2, 10); len(got) == 0 || got[0] != want[0] {
		t.Errorf("from a section: %q", got)
	}
	section := citekit.Address{Resource: a, Location: citekit.Modality("").Lines(5, 7)}
	for enclosing, want := range map[bool]int{false: 1, true: 3} {
		if around, err := g.Around(t.Context(), section, relations.Reach{Hops: 1, Most: 10, Enclosing: enclosing}); err != nil || len(around.Places) != want {
			t.Errorf("enclosing %t: %+v, %v", enclosing, around, err)
		}
	}
	got, around := placesAround(t, g, whole(a), 2, 2)
	if len(got) != 2 || around.More != 1 {
		t.Errorf("at most two: %q, %d more", got, around.More)
	}
	if _, err := g.Around(t.Context(), whole(a), relations.Reach{Hops: 3}); citekit.CodeOf(err) != message.CodeInvalidInput {
		t.Errorf("three hops: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if around, err := g.Around(cancelled, whole(a), relations.Reach{Hops: 1, Most: 10}); err == nil && (around.Complete || len(around.Places) > 0) {
		t.Errorf("cancelled: %+v", around)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.md"), []byte("# B\n\nchanged\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "d.md")); err != nil {
		t.Fatal(err)
	}
	got, around = placesAround(t, g, whole(a), 2, 10)
	if !slices.Equal(got, []string{"1 text://c#lines=3-3"}) || around.Outdated != 3 {
		t.Errorf("with b stale and d gone: %q, %d outdated", got, around.Outdated)
	}
	if _, err := g.Around(t.Context(), whole("b"), relations.Reach{Hops: 1, Most: 10}); citekit.CodeOf(err) != message.CodeStale {
		t.Errorf("around a stale source: %v", err)
	}
}

// TestAroundHub has a page with 10,000 links, and 500 that lead to one.
func TestAroundHub(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	ws := workspace.NewMemory(nil)
	var hub strings.Builder
	add := func(id, content string) {
		ws.AddSource(id+".md", []byte(content))
		m := fmt.Sprintf(`{"resource_id":%q,"type":"text","title":"","source_path":%q,"nodes":[]}`, id, id+".md")
		if err := ws.WriteMap(t.Context(), id, []byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10_000 {
		id := fmt.Sprintf("p%d", i%500)
		if fmt.Fprintf(&hub, "[%s](%s.md#L%d)\n", id, id, i/500+1); i < 500 {
			add(id, fmt.Sprintf("# P\n\n[hub](hub.md) [next](p%d.md)\n", (i+1)%500))
		}
	}
	add("hub", hub.String())
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	g := relations.New(lib)
	for _, hops := range []int{1, 2} {
		got, around := placesAround(t, g, whole("hub"), hops, 20)
		if len(got) != 20 || around.More < 100 || around.Complete {
			t.Errorf("%d hops: %d places, %d more, complete %t", hops, len(got), around.More, around.Complete)
		}
		seen := slices.Clone(got)
		slices.Sort(seen)
		if len(slices.Compact(seen)) != len(got) {
			t.Errorf("some come twice: %q", got)
		}
	}
}

// TestAroundPinned follows a link to a version that is no more.
func TestAroundPinned(t *testing.T) {
	lib, _ := newLibrary(t, map[string]string{"b.md": "# B\n", "a.md": "# A\n\ntext://b#lines=1&v=00112233 and text://b#lines=1\n"})
	got, around := placesAround(t, relations.New(lib), whole("a"), 1, 10)
	if !slices.Equal(got, []string{"1 text://b#lines=1-1"}) || around.Outdated != 1 {
		t.Errorf("%q, %d outdated", got, around.Outdated)
	}
}

// A cancelingWorkspace is a workspace whose caller gives up when it opens a source for the
// n-th time.
type cancelingWorkspace struct {
	*workspace.Memory
	n     int
	leave context.CancelFunc
}

func (l *cancelingWorkspace) OpenSource(ctx context.Context, path string) (*citekit.Source, error) {
	if l.n--; l.n == 0 {
		l.leave()
	}
	return l.Memory.OpenSource(ctx, path)
}

// A place is not outdated because there was no time to look at it.
func TestAroundCanceled(t *testing.T) {
	ws := &cancelingWorkspace{Memory: workspace.NewMemory(nil)}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	for id, content := range map[string]string{"a": "# A\n", "b": "[a](a.md)\n"} {
		ws.AddSource(id+".md", []byte(content))
		if err := lib.Save(t.Context(), &citekit.ResourceMap{ResourceID: id, Type: citekit.Text, SourcePath: id + ".md"}); err != nil {
			t.Fatal(err)
		}
	}
	g := relations.New(lib)
	if got, around := placesAround(t, g, whole("a"), 1, 10); !slices.Equal(got, []string{"1 text://b#lines=1-1"}) || !around.Complete {
		t.Fatalf("%q, %+v", got, around)
	}
	for n := 1; ; n++ {
		ctx, leave := context.WithCancel(t.Context())
		ws.n, ws.leave = n, leave
		around, err := g.Around(ctx, whole("a"), relations.Reach{Hops: 1, Most: 10})
		left := ctx.Err() != nil
		leave()
		if !left {
			break
		}
		if err == nil && (around.Complete || around.Outdated > 0) {
			t.Errorf("at source %d: %+v", n, around)
		}
	}
}

// TestAroundOutside follows links to a map whose source is outside the roots.
func TestAroundOutside(t *testing.T) {
	lib, dir := newLibrary(t, map[string]string{"a.md": "# A\n\n[secret](secret.md) text://secret#lines=1 [up](../secret.md)\n"})
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("# Secret\n\n[a](a.md)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Rel(dir, outside)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, outside} {
		m := fmt.Sprintf(`{"resource_id":"secret","type":"text","title":"","source_path":%q,"nodes":[]}`, filepath.ToSlash(p))
		if err := lib.Workspace().WriteMap(t.Context(), "secret", []byte(m)); err != nil {
			t.Fatal(err)
		}
		if got, around := placesAround(t, relations.New(lib), whole("a"), 2, 10); len(got) != 0 || around.Outdated == 0 {
			t.Errorf("%q, %d outdated", got, around.Outdated)
		}
	}
}

// TestAroundEntities has the relations of a map and the texts that prove them.
func TestAroundEntities(t *testing.T) {
	lib := farm(t)
	g := relations.New(lib)
	m, err := lib.Map(t.Context(), "farm")
	if err != nil {
		t.Fatal(err)
	}
	got, around := placesAround(t, g, m.Address(m.Node("rain")), 1, 10)
	if !slices.Equal(got, []string{"1 virtual://farm#farmer", "1 text://farm#lines=1-2"}) {
		t.Errorf("%q", got)
	}
	if len(around.Places) == 2 && (!around.Places[1].Proof || around.Places[0].By.Text != "helps" || around.Places[0].By.Origin != relations.FromAdapter) {
		t.Errorf("%+v", around.Places)
	}
}
