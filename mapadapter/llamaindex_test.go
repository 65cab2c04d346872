package mapadapter_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mapadapter"
)

// docstore has a text of three parts below each other, and a PDF of two pages.
const docstore = `{"docstore/metadata": {"n1": {"doc_hash": "x", "ref_doc_id": "d1"}},
"docstore/data": {
 "d1": {"__data__": {"id_": "d1", "metadata": {"file_path": "/home/someone/notes.md"}, "class_name": "Document", "text_resource": {"text": "whole"}}, "__type__": "4"},
 "n1": {"__data__": {"id_": "n1", "metadata": {"file_path": "/home/someone/notes.md", "header_path": "/Notes/"}, "relationships": {"1": {"node_id": "d1", "node_type": "4"}, "3": {"node_id": "n2", "node_type": "1"}}, "text": "# Über\n\nRain fell.", "start_char_idx": 0, "end_char_idx": 18, "class_name": "TextNode"}, "__type__": "1"},
 "n2": {"__data__": {"id_": "n2", "metadata": {"file_path": "/home/someone/notes.md"}, "relationships": {"1": {"node_id": "d1"}, "4": {"node_id": "n1"}}, "text": "Rain fell.", "start_char_idx": 8, "end_char_idx": 18, "class_name": "TextNode"}, "__type__": "1"},
 "n3": {"__data__": "{\"id_\": \"n3\", \"metadata\": {\"file_path\": \"/home/someone/notes.md\"}, \"text\": \"Sun shone\\non us.\", \"start_char_idx\": 0, \"end_char_idx\": 5}", "__type__": "1"},
 "n4": {"__data__": {"id_": "n4", "metadata": {"file_path": "/home/someone/notes.md"}, "text": "Not there.", "start_char_idx": 0, "end_char_idx": 0}, "__type__": "1"},
 "p1": {"__data__": {"id_": "p1", "metadata": {"page_label": "1", "file_name": "book.pdf", "file_path": "/data/book.pdf"}, "relationships": {}, "text": "One"}, "__type__": "1"},
 "p2": {"__data__": {"id_": "p2", "metadata": {"page_label": "2", "file_name": "book.pdf", "file_path": "/data/book.pdf"}, "text": "Two"}, "__type__": "1"}}}`

func TestLlamaIndex(t *testing.T) {
	notes := "# Über\r\n\r\nRain fell.\r\n\r\nSun shone\r\non us.\r\n"
	maps := adaptAll(t, mapadapter.LlamaIndex{}, input("docstore.json", docstore), &mapadapter.Options{
		Open: opener(map[string]string{"notes.md": notes}),
	})
	if len(maps) != 2 {
		t.Fatalf("%d maps, want 2", len(maps))
	}
	compare(t, maps[0], `
notes | passage | Notes | l1-3
  notes.rain-fell | passage | Rain fell. | l3
sun-shone | passage | Sun shone | l5-6
not-there | passage | Not there. | virtual://notes#not-there
`)
	if m := maps[0]; m.SourcePath != "notes.md" || m.Type != citekit.Text || m.SourceHash() == "" {
		t.Errorf("source %q, type %s, hash %q", m.SourcePath, m.Type, m.SourceHash())
	}
	compare(t, maps[1], "one | passage | One | p1\ntwo | passage | Two | p2\n")
	if m := maps[1]; m.SourcePath != "/data/book.pdf" || m.Type != citekit.Document || m.ResourceID != "book" {
		t.Errorf("source %q, type %s, id %q", m.SourcePath, m.Type, m.ResourceID)
	}
}

// llamaStore returns a docstore of nodes, each with its id, its relation to a
// source and its metadata.
func llamaStore(nodes ...[3]string) string {
	var parts []string
	for _, n := range nodes {
		parts = append(parts, fmt.Sprintf(`"%[1]s": {"__data__": {"doc_id": "%[1]s", "text": "Text of %[1]s.", "extra_info": %[3]s, "relationships": {%[2]s}}, "__type__": "1"}`,
			n[0], n[1], n[2]))
	}
	return `{"docstore/metadata": {"x": {"doc_hash": "h"}, "m1": {"ref_doc_id": "d1"}},
		"docstore/ref_doc_info": {"d2": {"node_ids": ["m2"], "metadata": {}}}, "docstore/data": {` + strings.Join(parts, ",\n") + `}}`
}

// TestLlamaSources tells how many maps nodes make.
func TestLlamaSources(t *testing.T) {
	var pieces, chunks [][3]string
	for i := range 93 {
		pieces = append(pieces, [3]string{fmt.Sprint("n", i), fmt.Sprintf(`"1": "s%d"`, i), "null"})
		chunks = append(chunks, [3]string{fmt.Sprint("n", i), `"1": {"node_id": "s"}`, `{}`})
	}
	named := func(file string) string { return `{"file_path": "` + file + `"}` }
	for _, tt := range []struct {
		name  string
		nodes [][3]string
		want  []int // nodes of each map
	}{
		{"pieces without a name", pieces, []int{93}},
		{"parts of one", chunks, []int{93}},
		{"two files", [][3]string{{"a", "", named("x.md")}, {"b", "", named("y.md")}, {"c", "", named("x.md")}}, []int{2, 1}},
		{"parts of two without names", [][3]string{{"a", `"1": "s"`, "null"}, {"b", `"1": "s"`, "null"}, {"c", `"1": "t"`, "null"}, {"d", `"1": "t"`, "null"}}, []int{2, 2}},
		{"a name that one part has", [][3]string{{"a", `"1": "s"`, named("x.md")}, {"b", `"1": "s"`, "null"}, {"c", `"1": "t"`, named("y.md")}}, []int{2, 1}},
		{"addresses", [][3]string{{"a", `"1": "s"`, `{"url": "https://a"}`}, {"b", `"1": "t"`, `{"url": "https://b"}`}}, []int{1, 1}},
		{"sources in the metadata", [][3]string{{"m1", "", "null"}, {"m1b", `"1": "d1"`, "null"}, {"m2", "", "null"}, {"m2b", `"1": "d2"`, "null"}}, []int{2, 2}},
	} {
		maps := adaptAll(t, mapadapter.LlamaIndex{}, input("docstore.json", llamaStore(tt.nodes...)), nil)
		var got []int
		for _, m := range maps {
			got = append(got, len(m.Nodes))
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s: maps of %v nodes, want %v", tt.name, got, tt.want)
		}
	}
}

// TestLlamaIndexForms reads one node in all forms that it may have.
func TestLlamaIndexForms(t *testing.T) {
	for name, data := range map[string]string{
		"list":         `[{"id_": "a", "text": "Two", "metadata": {"file_name": "x.txt"}}]`,
		"node_id":      `[{"node_id": "a", "text": "Two", "extra_info": {"filename": "x.txt"}}]`,
		"id":           `{"nodes": [{"id": "a", "text": "Two", "metadata": {"source": "x.txt"}}]}`,
		"scored":       `[{"node": {"id_": "a", "text": "Two", "metadata": {"file_path": "x.txt"}}, "score": 0.5}]`,
		"vector store": `[{"id_": "a", "metadata": {"_node_content": "{\"id_\": \"a\", \"text\": \"Two\", \"metadata\": {\"file_path\": \"x.txt\"}}"}}]`,
		"context":      `{"docstore": {"docstore/data": {"a": {"__data__": {"text": "Two", "metadata": {"file_path": "x.txt"}}}}}}`,
		"javascript":   `{"docstore/data": {"a": {"__type__": "TEXT", "__data__": "{\"id_\":\"a\",\"text\":\"Two\",\"startCharIdx\":4,\"endCharIdx\":7,\"metadata\":{\"file_name\":\"x.txt\"},\"relationships\":{\"SOURCE\":{\"nodeId\":\"d\"}}}"}}}`,
		"only a document": `{"docstore/data": {"a": {"__type__": "4", "__data__": {"id_": "a", "class_name": "Document",
			"text_resource": {"text": "Two"}, "metadata": {"file_path": "x.txt"}}}}}`,
	} {
		m := adapt(t, mapadapter.LlamaIndex{}, input("n.json", data), &mapadapter.Options{Open: opener(map[string]string{"x.txt": "One\nTwo\n"})})
		if got := outline(m); got != "two | passage | Two | l2\n" {
			t.Errorf("%s: %s", name, got)
		}
		if !strings.Contains(encoded(t, []*citekit.ResourceMap{m}), `"original_id": "a"`) {
			t.Errorf("%s: the id is lost", name)
		}
	}
}

func TestLlamaIndexHostile(t *testing.T) {
	// A cycle of parents, a node that is its own, and labels in Roman numbers.
	m := adapt(t, mapadapter.LlamaIndex{}, input("n.json", `[
		{"id_": "a", "text": "A", "relationships": {"4": {"node_id": "b"}}, "metadata": {"file_path": "x.pdf", "page_label": "iv"}},
		{"id_": "b", "text": "B", "relationships": {"4": {"node_id": "c"}}, "metadata": {"file_path": "x.pdf", "page_label": "1"}},
		{"id_": "c", "text": "C", "relationships": {"4": {"node_id": "a"}, "5": [{"node_id": "c"}]}, "metadata": {"file_path": "x.pdf"}},
		{"id_": "d", "text": "D", "relationships": {"4": {"node_id": "d"}}, "metadata": {"file_path": "x.pdf", "page_number": 7}},
		{"id_": "d", "text": "D", "metadata": {"file_path": "x.pdf"}}]`), nil)
	compare(t, m, `
a | passage | A | virtual://x#a
  a.c | passage | C | virtual://x#a.c
    a.c.b | passage | B | virtual://x#a.c.b
d | passage | D | p7
d-2 | passage | D | virtual://x#d-2
`)
}

// TestLlamaIndexWithoutText has stores that hold no text.
func TestLlamaIndexWithoutText(t *testing.T) {
	check := func(in mapadapter.Input, want string) {
		t.Helper()
		_, err := mapadapter.LlamaIndex{}.Adapt(t.Context(), in, nil)
		if !errors.Is(err, citekit.ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", in.Name, err)
		}
	}
	check(input("docstore.json", `{"docstore/metadata": {"a": {"doc_hash": "x"}}, "docstore/ref_doc_info": {}}`), "docstore/data")
	check(input("index_store.json", `{"index_store/data": {"i": {"__type__": "vector_store", "__data__": "{}"}}}`), "give docstore.json")
	for name, want := range map[string]string{"llamaindex-docstore-small.json": "docstore/data", "llamaindex-index_store.json": "give docstore.json"} {
		if in, ok := extra(t, name); ok {
			check(in, want)
		}
	}
}

func TestLlamaIndexFolder(t *testing.T) {
	in := mapadapter.Input{FS: fstest.MapFS{"storage/docstore.json": {Data: []byte(docstore)}, "storage/index_store.json": {}}, Name: "storage"}
	if maps := adaptAll(t, mapadapter.LlamaIndex{}, in, nil); len(maps) != 2 {
		t.Errorf("%d maps", len(maps))
	}
}

// countedSource tells how many sources are open at once.
type countedSource struct {
	*strings.Reader
	open *int
}

func (c countedSource) Close() error { *c.open--; return nil }

func TestLlamaIndexOpensOneSourceAtATime(t *testing.T) {
	var nodes []string
	for i := range 20 {
		nodes = append(nodes, fmt.Sprintf(`{"id_": "n%d", "text": "Rain", "metadata": {"file_path": "%d.txt"}}`, i, i))
	}
	open := 0
	maps, err := mapadapter.LlamaIndex{}.Adapt(t.Context(), input("n.json", "["+strings.Join(nodes, ",")+"]"), &mapadapter.Options{
		Open: func(_ context.Context, path string) (*citekit.Source, error) {
			if open++; open > 1 {
				t.Errorf("%d sources are open", open)
			}
			return citekit.NewSource(countedSource{strings.NewReader("Rain\n"), &open}, citekit.SourceInfo{Name: path, Size: 5}), nil
		},
	})
	if err != nil || len(maps) != 20 || open != 0 {
		t.Fatalf("%d maps, %d sources are open, error %v", len(maps), open, err)
	}
}

// TestLlamaIndexLabelsFromZero reads pages that are numbered from 0: a label is
// not the number of a page then.
func TestLlamaIndexLabelsFromZero(t *testing.T) {
	m := adapt(t, mapadapter.LlamaIndex{}, input("n.json", `[
		{"id_": "a", "text": "A", "metadata": {"file_path": "C:\\books\\x.PDF", "page_label": "0"}},
		{"id_": "b", "text": "B", "metadata": {"file_path": "C:\\books\\x.PDF", "page_label": "1"}}]`), nil)
	compare(t, m, "a | passage | A | virtual://x#a\nb | passage | B | virtual://x#b\n")
	if m.Title != "x.PDF" {
		t.Errorf("title %q", m.Title)
	}
}
