package ingest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
)

func TestFix(t *testing.T) {
	m, err := citekit.ParseMap([]byte(`{"resource_id": "r", "title": "R", "source_path": "r.txt", "nodes": [
		{"id": "a", "type": "s", "location": {"modality": "text", "lines": [1, 2]}, "children": [
			{"id": "a", "title": "again", "type": "s", "location": {"modality": "text", "lines": [1, 1]}},
			{"title": "No id", "type": "s", "location": {"modality": "text", "lines": [9, 2]}}]},
		{"id": "a-2", "type": "s", "location": {"modality": "text"}}],
		"metadata": {"source_hash": "` + strings.Repeat("AB", 32) + `"}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []ingest.Fix{
		{"type", "set to text, which every node has"},
		{"nodes[0].children[0].id", "'a-3', because an earlier node is 'a'"},
		{"nodes[0].children[1].id", "'a.no-id', from the title"},
		{"metadata.source_hash", "written in lower case"},
	}
	// The reversed lines mean nothing, so that node has no modality either.
	m.Nodes[0].Children[1].Location = citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 9, Last: 2}}
	if diff := cmp.Diff(want, ingest.Repair(m)); diff != "" {
		t.Errorf("fixes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "a-3", "a.no-id", "a-2"}, idsOf(m.Nodes)); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
	if again := ingest.Repair(m); len(again) > 0 {
		t.Errorf("fixed again: %v", again)
	}
	if err := m.Validate(); err == nil || !strings.Contains(err.Error(), "lines") {
		t.Errorf("the reversed lines must stay: %v", err)
	}
}

func TestFixModality(t *testing.T) {
	m, err := citekit.ParseMap([]byte(`{"resource_id": "r", "type": "document", "source_path": "r.pdf", "nodes": [
		{"id": "a", "type": "s", "location": {"pages": [1, 2]}},
		{"id": "b", "type": "s", "location": {"lines": [1, 2]}},
		{"id": "c", "type": "s", "location": {"pages": "one"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []ingest.Fix{{"nodes[0].location.modality", "set to document, the type of the map"}}
	if diff := cmp.Diff(want, ingest.Repair(m)); diff != "" {
		t.Errorf("fixes (-want +got):\n%s", diff)
	}
	data, err := m.MarshalJSON()
	if err != nil || !strings.Contains(string(data), `{"pages": "one"}`) {
		t.Errorf("what means nothing must stay as it is: %s, %v", data, err)
	}
}

func TestCheckParents(t *testing.T) {
	m, err := citekit.ParseMap([]byte(`{"resource_id": "r", "type": "document", "source_path": "r.pdf", "nodes": [
		{"id": "a", "type": "s", "location": {"modality": "document", "pages": [1, 2, 3]}, "children": [
			{"id": "in", "type": "s", "location": {"modality": "document", "pages": [3]}},
			{"id": "out", "type": "s", "location": {"modality": "document", "pages": [3, 4]}},
			{"id": "all", "type": "s", "location": {"modality": "document"}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range ingest.Check(t.Context(), nil, m) {
		if !p.Warning {
			t.Errorf("not a warning: %v", p)
		}
		got = append(got, p.Error())
	}
	want := []string{
		"nodes[0].children[1].location (node 'out'): pages=3-4 is not inside its parent 'a', which is pages=1-3",
		"nodes[0].children[2].location (node 'all'): the whole document is not inside its parent 'a', which is pages=1-3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func FuzzFix(f *testing.F) {
	f.Add([]byte(`{"resource_id":"r","nodes":[{"id":"a","children":[{"id":"a"},{"title":"x"}]},{"id":"a-2"},{"id":""}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := citekit.ParseMap(data)
		if err != nil {
			return
		}
		ingest.Repair(m)
		if again := ingest.Repair(m); len(again) > 0 {
			t.Errorf("fixed again: %v", again)
		}
		m.Faults(func(path string, _ *citekit.Node, err error) {
			if strings.Contains(err.Error(), "the id is taken") {
				t.Errorf("still: %s: %v", path, err)
			}
		})
	})
}

func TestFixPages(t *testing.T) {
	node := func(id, pages, more string) string {
		return `{"id": "` + id + `", "type": "s", "location": {"modality": "document", "pages": ` + pages + more
	}
	for name, test := range map[string]struct {
		nodes string
		want  []ingest.Fix
		left  string // pages of the first node
	}{
		"an address": {node("a", "[12, 15]", `}, "address": "doc://r#pages=12-15"}`),
			[]ingest.Fix{{"nodes[0].location.pages", "[12, 15] written as the pages from 12 to 15, as its address says"}}, "pages=12-15"},
		"a virtual address": {node("a", "[12, 15]", `, "virtual_address": "doc://r#pages=12-15"}}`), []ingest.Fix{
			{"nodes[0].location.pages", "[12, 15] written as the pages from 12 to 15, as its address says"},
			{"nodes[0].location.virtual_address", "removed, as it says the same as the location"}}, "pages=12-15"},
		"an address of two pages":      {node("a", "[12, 15]", `}, "address": "doc://r#pages=12,15", "children": [`+node("b", "[13]", `}}`)+`]}`), nil, "pages=12,15"},
		"addresses that differ":        {node("a", "[12, 15]", `}, "address": "doc://r#pages=12-15", "uri": "doc://r#pages=12,15"}`), nil, "pages=12,15"},
		"an address of another source": {node("a", "[12, 15]", `}, "address": "doc://q#pages=12-15"}`), nil, "pages=12,15"},
		"a child between": {node("a", "[12, 15]", `}, "children": [`+node("b", "[13]", `}}`)+`]}`),
			[]ingest.Fix{{"nodes[0].location.pages", "[12, 15] written as the pages from 12 to 15, as a child is between them"}}, "pages=12-15"},
		"children at the ends": {node("a", "[12, 15]", `}, "children": [`+node("b", "[12]", `}}`)+`,`+node("c", "[15]", `}}`)+`]}`), nil, "pages=12,15"},
		"no gap, and no overlap": {node("a", "[1, 4]", `}},`) + node("b", "[4, 9]", `}},`) + node("c", "[10, 12]", `}}`), []ingest.Fix{
			{"nodes[0].location.pages", "[1, 4] written as the pages from 1 to 4, as the nodes before and after it lie around them"},
			{"nodes[1].location.pages", "[4, 9] written as the pages from 4 to 9, as the nodes before and after it lie around them"},
			{"nodes[2].location.pages", "[10, 12] written as the pages from 10 to 12, as the nodes before and after it lie around them"}}, "pages=1-4"},
		"a gap behind":      {node("a", "[1, 4]", `}},`) + node("b", "[6, 9]", `}}`), nil, "pages=1,4"},
		"others between":    {node("a", "[1, 4]", `}},`) + node("b", "[2, 3]", `}}`), nil, "pages=1,4"},
		"nothing that says": {node("a", "[12, 15]", `}}`), nil, "pages=12,15"},
	} {
		m, err := citekit.ParseMap([]byte(`{"resource_id": "r", "type": "document", "source_path": "r.pdf", "metadata": {"pages": 12}, "nodes": [` + test.nodes + `]}`))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, ingest.Repair(m)); diff != "" {
			t.Errorf("%s: fixes (-want +got):\n%s", name, diff)
		}
		if got := m.Nodes[0].Location.String(); got != test.left {
			t.Errorf("%s: %s, want %s", name, got, test.left)
		}
		if again := ingest.Repair(m); len(again) > 0 {
			t.Errorf("%s: fixed again: %v", name, again)
		}
	}
}
