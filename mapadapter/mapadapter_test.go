package mapadapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mapadapter"
)

// input returns an input of one file.
func input(name, content string) mapadapter.Input {
	return mapadapter.Input{FS: fstest.MapFS{name: {Data: []byte(content)}}, Name: name}
}

// opener opens sources among files by name.
func opener(files map[string]string) func(context.Context, string) (*citekit.Source, error) {
	return func(_ context.Context, path string) (*citekit.Source, error) {
		content, ok := files[path]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return citekit.NewSource(strings.NewReader(content), citekit.SourceInfo{Name: path, Size: int64(len(content))}), nil
	}
}

// outline writes the nodes one a line: depth, id, type, title, location.
func outline(m *citekit.ResourceMap) string {
	var b strings.Builder
	for n, depth := range m.All() {
		loc := n.Location
		at := strings.Join([]string{pages(loc), lines(loc), loc.VirtualAddress}, "")
		if !loc.Box.IsZero() {
			at += " [" + loc.Box.String() + "]"
		}
		if loc.IsWhole() {
			at = "whole"
		}
		fmt.Fprintf(&b, "%s%s | %s | %s | %s\n", strings.Repeat("  ", depth), n.ID, n.Type, n.Title, at)
	}
	return b.String()
}

func pages(loc citekit.Location) string {
	if len(loc.Pages) == 0 {
		return ""
	}
	return "p" + loc.Pages[0].String()
}

func lines(loc citekit.Location) string {
	if loc.Lines.IsZero() {
		return ""
	}
	return "l" + loc.Lines.String()
}

// adapt returns the only map of an input, and checks that adapting again gives
// the same.
func adapt(t *testing.T, a mapadapter.Adapter, in mapadapter.Input, opts *mapadapter.Options) *citekit.ResourceMap {
	t.Helper()
	maps := adaptAll(t, a, in, opts)
	if len(maps) != 1 {
		t.Fatalf("%d maps, want one", len(maps))
	}
	return maps[0]
}

func adaptAll(t *testing.T, a mapadapter.Adapter, in mapadapter.Input, opts *mapadapter.Options) []*citekit.ResourceMap {
	t.Helper()
	maps, err := a.Adapt(t.Context(), in, opts)
	if err != nil {
		t.Fatal(err)
	}
	again, err := a.Adapt(t.Context(), in, opts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(encoded(t, maps), encoded(t, again)); diff != "" {
		t.Errorf("the second time it is another map:\n%s", diff)
	}
	for _, m := range maps {
		if err := m.Validate(); err != nil {
			t.Error(err)
		}
	}
	return maps
}

func encoded(t *testing.T, maps []*citekit.ResourceMap) string {
	t.Helper()
	data, err := json.MarshalIndent(maps, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func compare(t *testing.T, m *citekit.ResourceMap, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), outline(m)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// extra returns an export of another tool, where there are real ones.
func extra(t *testing.T, name string) (in mapadapter.Input, ok bool) {
	t.Helper()
	if _, ok := sharedtest.Extra(t); !ok {
		return in, false
	}
	dir := sharedtest.Corpus(t, "maps")
	return mapadapter.Input{FS: os.DirFS(dir), Name: name, Path: filepath.Join(dir, name)}, true
}

func TestGenericSimple(t *testing.T) {
	m := adapt(t, mapadapter.Generic{}, input("tree.json", `{"id": "book", "title": "The Book", "colour": "red", "children": [
		{"id": "one", "title": "One", "children": [{"title": "Deep"}]},
		{"id": "one", "title": "Again"}, {"title": ""}]}`), nil)
	compare(t, m, `
book |  | The Book | virtual://book#book
  one |  | One | virtual://book#one
    one.deep |  | Deep | virtual://book#one.deep
  one-2 |  | Again | virtual://book#one-2
  book.node |  |  | virtual://book#book.node
`)
	if m.Type != citekit.Virtual || m.Title != "The Book" || m.SourcePath != "" {
		t.Errorf("type %s, title %q, source %q", m.Type, m.Title, m.SourcePath)
	}
	if data := encoded(t, []*citekit.ResourceMap{m}); !strings.Contains(data, `"colour": "red"`) {
		t.Error("a field that is not known is lost")
	}
}

func TestGenericPartial(t *testing.T) {
	const list = `[{"title": "A & B", "location": {"lines": [1, 2]}, "children": [{"id": "c"}, {"id": "d", "location": null}]},
		{"id": "e", "location": {"virtual_address": "urn:x"}}, {"id": "f"}]`
	m := adapt(t, mapadapter.Generic{}, input("nodes.json", list), &mapadapter.Options{
		SourcePath: "notes.txt", Open: opener(map[string]string{"notes.txt": "one\ntwo\n"}),
	})
	compare(t, m, `
a-b |  | A & B | l1-2
  c |  |  | l1-2
  d |  |  | l1-2
e |  |  | urn:x
f |  |  | virtual://notes#f
`)
	if m.Type != citekit.Text || m.SourceHash() == "" || m.ResourceID != "notes" {
		t.Errorf("type %s, hash %q, id %q", m.Type, m.SourceHash(), m.ResourceID)
	}
}

func TestGenericMaps(t *testing.T) {
	const whole = `{"resource_id": "a", "type": "document", "source_path": "a.pdf", "title": "A", "nodes": [{"id": "n", "location": {"modality": "document", "pages": [2]}, "tags": ["x"]}],
		"metadata": {"source_hash": "` + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" + `"}, "made_by": "me", "created_at": "2024-05-01"}`
	maps := adaptAll(t, mapadapter.Generic{}, input("maps.json", `{"maps": [`+whole+`, `+strings.Replace(whole, `"me"`, `"you"`, 1)+`]}`), nil)
	if len(maps) != 2 || maps[0].ResourceID != "a" || maps[1].ResourceID != "a-2" {
		t.Fatalf("%d maps, %q", len(maps), maps[0].ResourceID)
	}
	want, err := citekit.ParseMap([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(encoded(t, []*citekit.ResourceMap{want}), encoded(t, maps[:1])); diff != "" {
		t.Errorf("a whole map changes:\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	deep := strings.Repeat(`{"id":"a","children":[`, 400) + strings.Repeat(`]}`, 400)
	for _, test := range []struct {
		name    string
		adapter mapadapter.Adapter
		in      mapadapter.Input
		opts    *mapadapter.Options
		want    error
	}{
		{"missing", mapadapter.Generic{}, mapadapter.Input{FS: fstest.MapFS{}, Name: "a.json"}, nil, fs.ErrNotExist},
		{"a folder", mapadapter.Docling{}, mapadapter.Input{FS: fstest.MapFS{"a/b": {}}, Name: "a"}, nil, citekit.ErrFormat},
		{"no JSON", mapadapter.Generic{}, input("a.json", "{\"id\":"), nil, citekit.ErrFormat},
		{"not a number", mapadapter.PageIndex{}, input("a.json", `{"structure":[{"title":"a","start_index":NaN}]}`), nil, citekit.ErrFormat},
		{"two values", mapadapter.PageIndex{}, input("a.json", `{} {}`), nil, citekit.ErrFormat},
		{"deep", mapadapter.Generic{}, input("a.json", deep), nil, citekit.ErrTooLarge},
		{"empty list", mapadapter.Generic{}, input("a.json", "[]"), nil, citekit.ErrFormat},
		{"no nodes", mapadapter.Generic{}, input("a.json", `{"resource_id":"a"}`), nil, citekit.ErrFormat},
		{"no source", mapadapter.Generic{}, input("a.json", `[{"id":"a","location":{"lines":[1,2]}}]`), nil, citekit.ErrFormat},
		{"bad location", mapadapter.Generic{}, input("a.json", `[{"id":"a","location":{"lines":[0,0]}}]`), &mapadapter.Options{SourcePath: "a"}, citekit.ErrSyntax},
		{"bad id", mapadapter.Generic{}, input("a.json", `[{"id":"a"}]`), &mapadapter.Options{ResourceID: "a/b"}, citekit.ErrSyntax},
		{"missing source", mapadapter.Generic{}, input("a.json", `[{"id":"a"}]`), &mapadapter.Options{SourcePath: "x", Open: opener(nil)}, fs.ErrNotExist},
		{"other tool", mapadapter.LlamaIndex{}, input("a.json", `{"resource_id":"a","nodes":[]}`), nil, citekit.ErrFormat},
		{"other tool", mapadapter.PageIndex{}, input("a.json", `{"id":"a"}`), nil, citekit.ErrFormat},
		{"other tool", mapadapter.Docling{}, input("a.json", `{"id":"a"}`), nil, citekit.ErrFormat},
		{"other tool", mapadapter.GraphRAG{}, input("a.json", `{"id":"a"}`), nil, citekit.ErrFormat},
		{"no rows", mapadapter.GraphRAG{}, input("entities.json", `[]`), nil, citekit.ErrFormat},
		{"index store", mapadapter.LlamaIndex{}, input("index_store.json", `{"index_store/data":{}}`), nil, citekit.ErrFormat},
	} {
		_, err := test.adapter.Adapt(t.Context(), test.in, test.opts)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want one matching %v", test.name, err, test.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range mapadapter.Names() {
		a, err := mapadapter.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Adapt(ctx, input("a.json", `[{"id":"a"}]`), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v of a cancelled context", name, err)
		}
	}
	if _, err := mapadapter.Named("nothing"); !errors.Is(err, citekit.ErrSyntax) {
		t.Error(err)
	}
}

func TestDetect(t *testing.T) {
	for _, test := range []struct {
		name, content string
		want          mapadapter.Adapter
	}{
		{"a.json", `{"schema_name":"DoclingDocument"}`, mapadapter.Docling{}},
		{"a.json", `{"docstore/data":{}}`, mapadapter.LlamaIndex{}},
		{"a.json", `[{"id_":"a","text":"b"}]`, mapadapter.LlamaIndex{}},
		{"a.json", `[{"node":{"id_":"a"},"score":1}]`, mapadapter.LlamaIndex{}},
		{"a.json", `{"doc_name":"a","structure":[]}`, mapadapter.PageIndex{}},
		{"a.json", `[{"title":"a","node_id":"0000","start_index":1}]`, mapadapter.PageIndex{}},
		{"a.json", `{"resource_id":"a","nodes":[]}`, mapadapter.Generic{}},
		{"a.json", `[{"id":"a","title":"b","children":[]}]`, mapadapter.Generic{}},
		{"entities.jsonl", `{"id":"a","title":"b","description":"c"}`, mapadapter.GraphRAG{}},
		{"a.parquet", "PAR1", mapadapter.GraphRAG{}},
		{"a.json", `{"chapters":[]}`, nil},
		{"a.txt", "text", nil},
	} {
		got, err := mapadapter.Detect(t.Context(), input(test.name, test.content))
		if got != test.want || (err != nil) != (test.want == nil) || err != nil && !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("%s %s: %T, error %v; want %T", test.name, test.content, got, err, test.want)
		}
	}
	folder := mapadapter.Input{FS: fstest.MapFS{"out/docstore.json": {}}, Name: "out"}
	if got, err := mapadapter.Detect(t.Context(), folder); got != (mapadapter.LlamaIndex{}) || err != nil {
		t.Errorf("a folder with a docstore: %T, %v", got, err)
	}
	folder = mapadapter.Input{FS: fstest.MapFS{"create_final_entities.parquet": {}, "notes.txt": {}}, Name: "."}
	if got, err := mapadapter.Detect(t.Context(), folder); got != (mapadapter.GraphRAG{}) || err != nil {
		t.Errorf("a folder with tables: %T, %v", got, err)
	}
}

func TestPageIndex(t *testing.T) {
	const tree = `{"doc_name": "report.pdf", "structure": [{"title": "Scope", "node_id": "0000", "start_index": 1, "end_index": 4, "summary": "What it is about.", "nodes": [
		{"title": "Terms", "node_id": "0001", "start_index": 2, "end_index": 3}]}, {"title": "Results", "node_id": "0002", "start_index": 5, "end_index": 12}]}`
	m := adapt(t, mapadapter.PageIndex{}, input("report_structure.json", tree), nil)
	compare(t, m, `
scope | section | Scope | p1-4
  scope.terms | section | Terms | p2-3
results | section | Results | p5-12
`)
	if m.SourcePath != "report.pdf" || m.Type != citekit.Document || !strings.Contains(encoded(t, []*citekit.ResourceMap{m}), `"original_id": "0002"`) {
		t.Errorf("of %q, type %s, or the tool's own id is lost", m.SourcePath, m.Type)
	}
	if in, ok := extra(t, "pageindex-earthmover_structure.json"); ok {
		comparePageIndex(t, adapt(t, mapadapter.PageIndex{}, in, nil))
	}
}

func comparePageIndex(t *testing.T, m *citekit.ResourceMap) {
	t.Helper()
	nodes := 0
	var last int
	for n := range m.All() {
		nodes++
		last = max(last, n.Location.Pages[0].Last)
	}
	// The numbers of the ground truth.
	if nodes != 21 || last != 12 || m.SourcePath != "earthmover.pdf" || m.Type != citekit.Document {
		t.Errorf("%d nodes up to page %d, of %q, type %s", nodes, last, m.SourcePath, m.Type)
	}
	n := m.Node("preliminaries.filter-and-refinement-framework")
	if n == nil || n.Title != "Filter-and-Refinement Framework" || n.Location.Pages[0] != (citekit.Range{First: 3, Last: 4}) {
		t.Errorf("node %+v", n)
	}
	if data := encoded(t, []*citekit.ResourceMap{m}); !strings.Contains(data, `"original_id": "0005"`) {
		t.Error("the tool's own id is lost")
	}
}

func TestPageIndexMarkdown(t *testing.T) {
	const tree = `{"doc_name": "guide", "structure": [{"title": "Guide", "node_id": "0001", "line_num": 1, "summary": "About.", "nodes": [
		{"title": "First", "node_id": "0002", "line_num": 3}, {"title": "Second", "node_id": "0003", "line_num": 6, "nodes": [{"title": "Deep", "line_num": 8}]}]},
		{"title": "End", "line_num": 10}]}`
	source := "# Guide\n\n## First\n\na\n## Second\n\n### Deep\nb\n# End\nc\nd"
	opts := &mapadapter.Options{SourcePath: "guide.md", Open: opener(map[string]string{"guide.md": source})}
	compare(t, adapt(t, mapadapter.PageIndex{}, input("guide_structure.json", tree), opts), `
guide | section | Guide | l1-9
  guide.first | section | First | l3-5
  guide.second | section | Second | l6-9
    guide.second.deep | section | Deep | l8-9
end | section | End | l10-12
`)
}

func TestPageIndexOdd(t *testing.T) {
	m := adapt(t, mapadapter.PageIndex{}, input("a.json", `[{"title": "A", "start_index": 2, "end_index": 5, "nodes": [
		{"title": "No pages"}, {"title": "Backwards", "start_index": 4, "end_index": 3}, {"title": "A zero", "start_index": 0, "end_index": 1},
		{"title": "Text", "start_index": "3", "end_index": 3.0}]}]`), &mapadapter.Options{SourcePath: "a.pdf", ResourceID: "x"})
	compare(t, m, `
a | section | A | p2-5
  a.no-pages | section | No pages | p2-5
  a.backwards | section | Backwards | p2-5
  a.a-zero | section | A zero | p2-5
  a.text | section | Text | p3
`)
}

const doclingSample = `{"schema_name": "DoclingDocument", "version": "1.8.0", "name": "report",
"origin": {"mimetype": "application/pdf", "binary_hash": 1, "filename": "report.pdf"},
"furniture": {"self_ref": "#/furniture", "children": []},
"body": {"self_ref": "#/body", "label": "unspecified", "children": [{"$ref": "#/texts/0"}, {"$ref": "#/texts/1"}, {"$ref": "#/texts/2"}, {"$ref": "#/groups/0"}, {"$ref": "#/texts/5"}, {"$ref": "#/tables/0"}, {"$ref": "#/texts/6"}, {"$ref": "#/pictures/0"}, {"$ref": "#/texts/8"}, {"$ref": "#/groups/0"}, {"$ref": "#/texts/99"}]},
"groups": [{"self_ref": "#/groups/0", "label": "list", "children": [{"$ref": "#/texts/3"}, {"$ref": "#/texts/4"}, {"$ref": "#/groups/0"}]}],
"texts": [
 {"label": "page_header", "content_layer": "furniture", "text": "Page 1", "prov": [{"page_no": 1}]},
 {"label": "title", "text": "Annual Report", "prov": [{"page_no": 1, "bbox": {"l": 60, "t": 780, "r": 300, "b": 760, "coord_origin": "BOTTOMLEFT"}}]},
 {"label": "section_header", "level": 1, "text": "Weather", "prov": [{"page_no": 1, "bbox": {"l": 60, "t": 100, "r": 300, "b": 120, "coord_origin": "TOPLEFT"}}]},
 {"label": "list_item", "text": "Rain.", "prov": [{"page_no": 1, "bbox": {"l": 60, "t": 700, "r": 300, "b": 600, "coord_origin": "BOTTOMLEFT"}}]},
 {"label": "list_item", "text": "Sun over\npages.", "prov": [{"page_no": 1, "bbox": {"l": 0, "t": 10, "r": 9, "b": 0, "coord_origin": "BOTTOMLEFT"}}, {"page_no": 2, "bbox": {"l": 0, "t": 10, "r": 9, "b": 0, "coord_origin": "BOTTOMLEFT"}}]},
 {"label": "section_header", "level": 2, "text": "Harvest", "prov": [{"page_no": 2, "bbox": {"l": 1, "t": 2, "r": 3, "b": 1, "coord_origin": "BOTTOMLEFT"}}]},
 {"label": "caption", "text": "Table 1. Yields", "prov": [{"page_no": 2}]},
 {"label": "caption", "text": "Figure 1. A field", "prov": [{"page_no": 3}]},
 {"label": "section_header", "level": 1, "text": "End", "prov": [{"page_no": 3, "bbox": {"l": 1e400, "t": 2, "r": 3, "b": 1, "coord_origin": "BOTTOMLEFT"}}]}],
"tables": [{"label": "table", "captions": [{"$ref": "#/texts/6"}], "prov": [{"page_no": 2, "bbox": {"l": 150, "t": 200, "r": 450, "b": 400, "coord_origin": "TOPLEFT"}}], "data": {"num_rows": 1}}],
"pictures": [{"label": "picture", "captions": [{"cref": "#/texts/7"}], "prov": [{"page_no": 3, "bbox": {"l": -10, "t": 800, "r": 700, "b": 400, "coord_origin": "BOTTOMLEFT"}}]}],
"pages": {"1": {"page_no": 1, "size": {"width": 600, "height": 800}}, "2": {"page_no": 2, "size": {"width": 600, "height": 800}}, "3": {"page_no": 3, "size": {"width": 600, "height": 800}}}}`

func TestDocling(t *testing.T) {
	m := adapt(t, mapadapter.Docling{}, input("report.json", doclingSample), nil)
	compare(t, m, `
annual-report | section | Annual Report | p1-3
  annual-report.weather | section | Weather | p1-3
    annual-report.weather.rain | passage | Rain. | p1 [0.1,0.125,0.5,0.25]
    annual-report.weather.sun-over | passage | Sun over | p1-2
    annual-report.weather.harvest | section | Harvest | p2-3
      annual-report.weather.harvest.table-1-yields | table | Table 1. Yields | p2 [0.25,0.25,0.75,0.5]
      annual-report.weather.harvest.figure-1-a-field | figure | Figure 1. A field | p3 [0,0,1,0.5]
  annual-report.end | section | End | p3
`)
	if m.Title != "Annual Report" || m.SourcePath != "report.pdf" || m.Type != citekit.Document || m.ResourceID != "report" {
		t.Errorf("title %q, source %q, type %s, id %q", m.Title, m.SourcePath, m.Type, m.ResourceID)
	}
}

func TestPageIndexLeavesOut(t *testing.T) {
	sharedtest.NotShort(t)
	node := `{"title": "A", "start_index": 1, "end_index": 1, "nodes": [`
	deep := strings.Repeat(node, 70) + strings.Repeat("]}", 70)
	many := strings.Repeat(`{"title": "A", "start_index": 1, "end_index": 1},`, 20_000)
	for data, want := range map[string]string{"[" + deep + "]": "10 nodes", "[" + many + deep + "]": "70 nodes"} {
		m := adapt(t, mapadapter.PageIndex{}, input("tree.json", data), nil)
		if diff := cmp.Diff([]string{want}, m.Metadata["omitted"]); diff != "" {
			t.Error(diff)
		}
	}
}

// TestDoclingFields reads a form, whose texts stand in lists of their own.
func TestDoclingFields(t *testing.T) {
	m := adapt(t, mapadapter.Docling{}, input("form.json", `{"schema_name": "DoclingDocument", "origin": {"filename": "form.pdf"},
		"body": {"children": [{"$ref": "#/field_regions/0"}]},
		"field_regions": [{"label": "field_region", "children": [{"$ref": "#/field_items/0"}]}],
		"field_items": [{"label": "field_item", "children": [{"$ref": "#/texts/0"}]}],
		"texts": [{"label": "field_value", "text": "Name: Rain", "prov": [{"page_no": 1}]}]}`), nil)
	compare(t, m, "name-rain | passage | Name: Rain | p1\n")
}

func TestDoclingWithoutPages(t *testing.T) {
	m := adapt(t, mapadapter.Docling{}, input("page.json", `{"schema_name": "DoclingDocument", "name": "page", "origin": {"filename": "page.html"},
		"body": {"children": [{"$ref": "#/texts/0"}]}, "texts": [{"label": "section_header", "text": "Only", "prov": []}]}`), nil)
	compare(t, m, "only | section | Only | virtual://page#only\n")
	if m.Type != citekit.Virtual || m.SourcePath != "" || m.Metadata["source_name"] != "page.html" {
		t.Errorf("type %s, source %q, metadata %v", m.Type, m.SourcePath, m.Metadata)
	}
}

// TestManyValues reads JSON that is short and would take gigabytes.
func TestManyValues(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	const n = (512 << 20) / 100
	objects := "[" + strings.Repeat("{},", n) + "{}]"
	hidden := `[` + strings.Repeat(`{"_node_content": "{\"id_\": \"a\", \"text\": \"b\", \"metadata\": {\"x\": [`+strings.Repeat("[],", n/10)+`[]]}}"},`, 12) + `{}]`
	for name, test := range map[string]struct {
		adapter mapadapter.Adapter
		data    string
	}{
		"generic":    {mapadapter.Generic{}, objects},
		"docling":    {mapadapter.Docling{}, `{"schema_name": "DoclingDocument", "texts": ` + objects + "}"},
		"pageindex":  {mapadapter.PageIndex{}, objects},
		"llamaindex": {mapadapter.LlamaIndex{}, objects},
		"hidden":     {mapadapter.LlamaIndex{}, hidden},
	} {
		if _, err := test.adapter.Adapt(t.Context(), input("in.json", test.data), nil); !errors.Is(err, citekit.ErrTooLarge) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := (mapadapter.GraphRAG{}).Adapt(t.Context(), input("entities.json", objects), nil); !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("graphrag: error %v", err)
	}
	if _, err := mapadapter.Detect(t.Context(), input("in.json", objects)); !errors.Is(err, citekit.ErrFormat) {
		t.Errorf("detect: error %v", err)
	}
}

func FuzzGeneric(f *testing.F) {
	f.Add(`{"id": "book", "children": [{"title": "a"}]}`)
	f.Add(`[{"title": "A", "location": {"lines": [1, 2]}, "children": [{"id": "c", "location": null}]}]`)
	f.Add(`{"maps": [{"resource_id": "a", "nodes": [{"id": "a", "location": {"modality": "document", "pages": [1,2]}}], "source_path": "x"}]}`)
	fuzzAdapter(f, mapadapter.Generic{}, "a.json")
}

func FuzzPageIndex(f *testing.F) {
	f.Add(`{"doc_name": "a.pdf", "structure": [{"title": "A", "start_index": 1, "end_index": 2, "nodes": [{"title": "B", "line_num": 2}]}]}`)
	fuzzAdapter(f, mapadapter.PageIndex{}, "a.json")
}

func FuzzDocling(f *testing.F) {
	f.Add(doclingSample)
	fuzzAdapter(f, mapadapter.Docling{}, "a.json")
}

func FuzzLlamaIndex(f *testing.F) {
	f.Add(docstore)
	f.Add(`[{"node": {"id_": "a", "text": "two", "start_char_idx": 4, "end_char_idx": 7, "relationships": {"4": {"node_id": "a"}}}}]`)
	fuzzAdapter(f, mapadapter.LlamaIndex{}, "a.json")
}

func FuzzGraphRAG(f *testing.F) {
	f.Add(`{"community": 1, "parent": 2, "title": "a"}{"community": 2, "parent": 1}`)
	f.Add(`{"community": {"0": 1, "1": 2}, "children": {"0": [2], "1": [1]}, "title": {"0": "a"}}`)
	fuzzAdapter(f, mapadapter.GraphRAG{}, "communities.json")
}

// fuzzAdapter checks that whatever the input, there is a valid map or an error
// of a known kind.
func fuzzAdapter(f *testing.F, a mapadapter.Adapter, name string) {
	sources := opener(map[string]string{"a.txt": "one\ntwo\nthree\n"})
	f.Fuzz(func(t *testing.T, data string) {
		for _, opts := range []*mapadapter.Options{nil, {SourcePath: "a.txt", Open: sources}} {
			maps, err := a.Adapt(t.Context(), input(name, data), opts)
			if err != nil {
				if citekit.CodeOf(err) == message.CodeInternal {
					t.Fatalf("error %v", err)
				}
				continue
			}
			for _, m := range maps {
				if err := m.Validate(); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := json.Marshal(maps); err != nil {
				t.Fatal(err)
			}
		}
	})
}
