package relations_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/relations"
	"github.com/citekit/citekit/workspace"
)

// newLibrary ingests files by their paths, and returns the ids of their maps.
func newLibrary(t testing.TB, files map[string]string) (*citekit.Library, string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	t.Cleanup(func() { lib.Close() })
	ingestAll(t, lib)
	return lib, dir
}

func ingestAll(t testing.TB, lib *citekit.Library) {
	t.Helper()
	report, err := ingest.Run(t.Context(), lib, []string{"."}, nil)
	if err != nil || report.Err() != nil {
		t.Fatal(err, report.Err())
	}
}

// idOf returns the id of the map of a source.
func idOf(t testing.TB, lib *citekit.Library, path string) string {
	t.Helper()
	ids, err := lib.Resources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if m, err := lib.Map(t.Context(), id); err == nil && m.SourcePath == path {
			return id
		}
	}
	t.Fatalf("no map of %s among %q", path, ids)
	return ""
}

// shown writes relations one a line, with the paths of sources for resources.
func shown(t testing.TB, lib *citekit.Library, all []relations.Relation, err error) []string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	place := func(a citekit.Address, node string) string {
		if a.Resource == "" {
			return "outside"
		}
		m, err := lib.Map(t.Context(), a.Resource)
		if err != nil {
			t.Fatal(err)
		}
		lines := ""
		if !a.Location.Lines.IsZero() {
			lines = "#lines=" + a.Location.Lines.String()
		}
		if node != "" && strings.HasSuffix(m.SourcePath, ".md") {
			return m.SourcePath + lines + " in " + m.Node(node).Title
		}
		return m.SourcePath + lines
	}
	lines := []string{}
	for _, r := range all {
		lines = append(lines, fmt.Sprintf("%s -%s-> %s", place(r.From, r.FromNode), r.Kind, place(r.To, r.ToNode)))
	}
	return lines
}

func whole(id string) citekit.Address { return citekit.Address{Resource: id} }

func TestRelations(t *testing.T) {
	lib, _ := newLibrary(t, map[string]string{
		"docs/a.md":           "# A\n\nSee [b](b%20b.md#the-end), [self](#more), [none](../../out.md), [web](https://e.com).\n\n## More\n\n[code](/src/x.py#L2) and text://b-b#lines=1.\n",
		"docs/b b.md":         "# B\n\nWords.\n\n## The End\n\nLast.\n",
		"src/x.py":            "import os\nfrom pkg import mod\nfrom pkg.mod import name\n",
		"src/pkg/__init__.py": "from . import mod\n",
		"src/pkg/mod.py":      "def name():\n    pass\n",
		"go.mod":              "module example.com/m\n",
		"lib/lib.go":          "package lib\n",
		"cmd/main.go":         "package main\n\nimport (\n\t\"example.com/m/lib\"\n\t\"fmt\"\n)\n",
		"web/a.ts":            "import {b} from './b'\nimport r from 'react'\n",
		"web/b/index.ts":      "export const b = 1\n",
	})
	g := relations.New(lib)
	for path, want := range map[string][]string{
		"docs/a.md": {
			"docs/a.md#lines=3 in A -hyperlink-> docs/b b.md#lines=5-7 in The End",
			"docs/a.md#lines=3 in A -hyperlink-> docs/a.md#lines=5-7 in More",
			"docs/a.md#lines=3 in A -hyperlink-> outside",
			"docs/a.md#lines=3 in A -hyperlink-> outside",
			"docs/a.md#lines=7 in More -hyperlink-> src/x.py#lines=2",
			"docs/a.md#lines=7 in More -hyperlink-> docs/b b.md#lines=1 in B",
		},
		"src/x.py":            {"src/x.py#lines=1 -import-> outside", "src/x.py#lines=2 -import-> src/pkg/mod.py", "src/x.py#lines=3 -import-> src/pkg/mod.py"},
		"src/pkg/__init__.py": {"src/pkg/__init__.py#lines=1 -import-> src/pkg/mod.py"},
		"cmd/main.go":         {"cmd/main.go#lines=4 -import-> lib/lib.go", "cmd/main.go#lines=5 -import-> outside"},
		"web/a.ts":            {"web/a.ts#lines=1 -import-> web/b/index.ts", "web/a.ts#lines=2 -import-> outside"},
	} {
		all, err := g.Outgoing(t.Context(), whole(idOf(t, lib, path)))
		got := shown(t, lib, all, err)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q\nwant %q", path, got, want)
		}
	}
	for path, want := range map[string]int{"docs/b b.md": 2, "docs/a.md": 1, "src/pkg/mod.py": 3, "src/x.py": 1, "lib/lib.go": 1, "web/b/index.ts": 1, "web/a.ts": 0} {
		all, err := g.Incoming(t.Context(), whole(idOf(t, lib, path)))
		if got := shown(t, lib, all, err); len(got) != want {
			t.Errorf("to %s: %d of %q, want %d", path, len(got), got, want)
		}
	}
	end := citekit.Address{Resource: idOf(t, lib, "docs/b b.md"), Location: citekit.Text.Lines(5, 7)}
	if all, err := g.Incoming(t.Context(), end); err != nil || len(all) != 1 {
		t.Errorf("to the section: %+v, %v", all, err)
	}
	line := citekit.Address{Resource: idOf(t, lib, "docs/a.md"), Location: citekit.Text.Lines(7, 7)}
	if all, err := g.Outgoing(t.Context(), line); err != nil || len(all) != 2 {
		t.Errorf("from a line: %+v, %v", all, err)
	}
	if _, err := g.Outgoing(t.Context(), whole("none")); citekit.CodeOf(err) != message.CodeNotFound {
		t.Errorf("of no resource: %v", err)
	}
}

// TestChanges checks that relations follow maps that come, change and go.
func TestChanges(t *testing.T) {
	lib, dir := newLibrary(t, map[string]string{"a.md": "# A\n\n[b](b.md)\n"})
	g := relations.New(lib)
	a := idOf(t, lib, "a.md")
	outgoing := func() []string {
		all, err := g.Outgoing(t.Context(), whole(a))
		return shown(t, lib, all, err)
	}
	if got := outgoing(); !slices.Equal(got, []string{"a.md#lines=3 in A -hyperlink-> outside"}) {
		t.Errorf("before: %q", got)
	}
	if _, err := g.Incoming(t.Context(), whole(a)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.md"), []byte("# B\n\n[a](a.md)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ingestAll(t, lib)
	if got := outgoing(); !slices.Equal(got, []string{"a.md#lines=3 in A -hyperlink-> b.md"}) {
		t.Errorf("with b: %q", got)
	}
	for _, id := range []string{a, idOf(t, lib, "b.md")} {
		if all, err := g.Incoming(t.Context(), whole(id)); err != nil || len(all) != 1 {
			t.Errorf("to %s: %+v, %v", id, all, err)
		}
	}
	b := idOf(t, lib, "b.md")
	stamp, err := lib.Workspace().StatMap(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lib.Workspace().(workspace.Deleter).DeleteMaps(t.Context(), []workspace.MapVersion{{ID: b, Stamp: stamp}}); err != nil {
		t.Fatal(err)
	}
	if got := outgoing(); !slices.Equal(got, []string{"a.md#lines=3 in A -hyperlink-> outside"}) {
		t.Errorf("without b: %q", got)
	}
	if all, err := g.Incoming(t.Context(), whole(a)); err != nil || len(all) != 0 {
		t.Errorf("to a without b: %+v, %v", all, err)
	}
}

// TestConcurrent asks in many goroutines at once; some give up.
func TestConcurrent(t *testing.T) {
	files := make(map[string]string)
	for i := range 40 {
		files[fmt.Sprintf("f%d.md", i)] = fmt.Sprintf("# F\n\n[next](f%d.md) [first](f0.md)\n", (i+1)%40)
	}
	lib, _ := newLibrary(t, files)
	g := relations.New(lib)
	first := idOf(t, lib, "f0.md")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%4 == 3 {
				cancel()
			}
			all, err := g.Incoming(ctx, whole(first))
			if i%4 == 3 {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled: %v", err)
				}
			} else if err != nil || len(all) != 41 {
				t.Errorf("%d relations, %v", len(all), err)
			}
		})
	}
	group.Wait()
}

// farm returns a library with a map that an adapter brought relations into.
func farm(t testing.TB) *citekit.Library {
	t.Helper()
	ws := workspace.NewMemory(nil)
	ws.AddSource("farm.txt", []byte("Rain fell.\nThe farmer sows.\n"))
	const farm = `{"resource_id":"farm","type":"text","title":"","source_path":"farm.txt","nodes":[
		{"id":"rain","type":"entity","location":{"modality":"virtual","virtual_address":"virtual://farm#rain"}},
		{"id":"farmer","type":"entity","location":{"modality":"virtual","virtual_address":"virtual://farm#farmer"}},
		{"id":"unit","type":"text_unit","location":{"modality":"text","lines":[1,2]}}],
		"metadata":{"adapter":"graphrag","relations":[
			{"from":"rain","to":"farmer","text":"helps","evidence":["unit","none"]},
			{"from":"rain","to":"nobody"},{"from":"farmer","to":"rain","kind":"knows","origin":"model"},7]}}`
	if err := ws.WriteMap(t.Context(), "farm", []byte(farm)); err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	t.Cleanup(func() { lib.Close() })
	return lib
}

// TestMapRelations reads relations that an adapter brought into a map.
func TestMapRelations(t *testing.T) {
	lib := farm(t)
	g := relations.New(lib)
	all, err := g.Outgoing(t.Context(), whole("farm"))
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	first := all[0]
	if first.FromNode != "rain" || first.ToNode != "farmer" || first.Kind != "relationship" || first.Text != "helps" || first.Origin != relations.FromAdapter ||
		len(first.Evidence) != 1 || first.Evidence[0].Location.Lines.Last != 2 {
		t.Errorf("%+v", first)
	}
	if all[1].Kind != "knows" || all[1].Origin != relations.FromModel {
		t.Errorf("%+v", all[1])
	}
	m, err := lib.Map(t.Context(), "farm")
	if err != nil {
		t.Fatal(err)
	}
	in, err := g.Incoming(t.Context(), m.Address(m.Node("farmer")))
	if err != nil || len(in) != 1 || in[0].FromNode != "rain" {
		t.Errorf("to the farmer: %+v, %v", in, err)
	}
}
