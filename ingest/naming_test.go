package ingest_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
)

func TestNameNodes(t *testing.T) {
	nodes := []*citekit.Node{
		{Title: "1. Getting started", Children: []*citekit.Node{
			{Title: "Notes"}, {Title: "Notes"}, {Title: "notes!"}, {Title: "Notes-2"},
			{Type: "pages"}, {Type: "pages"}, {},
			{ID: "Own.Name"}, {ID: "1-getting-started.full"}, {ID: " odd\x00id "},
		}},
		{Title: "1 Getting: Started"},
		{Title: "Über Größe"}, {Title: "日本語"}, {Title: "!!!", Type: "section"},
	}
	ingest.NameNodes(nodes)
	want := []string{
		"1-getting-started",
		"1-getting-started.notes", "1-getting-started.notes-2", "1-getting-started.notes-3", "1-getting-started.notes-2-2",
		"1-getting-started.pages", "1-getting-started.pages-2", "1-getting-started.node",
		"1-getting-started.Own.Name", "1-getting-started.full", "1-getting-started.-odd-id-",
		"1-getting-started-2", "über-größe", "日本語", "section",
	}
	if diff := cmp.Diff(want, idsOf(nodes)); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

// TestNameNodesJoiner checks that a joiner, which is part of a title, is no
// part of an id, wherever that comes from.
func TestNameNodesJoiner(t *testing.T) {
	nodes := []*citekit.Node{{Title: "می\u200cخواهم"}, {ID: "می\u200cروم"}}
	ingest.NameNodes(nodes)
	if diff := cmp.Diff([]string{"میخواهم", "میروم"}, idsOf(nodes)); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func TestNameNodesDeep(t *testing.T) {
	root := &citekit.Node{Title: strings.Repeat("long title ", 20)}
	for n, i := root, 0; i < 50; i++ {
		child := &citekit.Node{Title: strings.Repeat("long title ", 20)}
		n.Children = []*citekit.Node{child, {ID: strings.Repeat("x", 1000)}}
		n = child
	}
	ingest.NameNodes([]*citekit.Node{root})
	seen := make(map[string]bool)
	for _, id := range idsOf([]*citekit.Node{root}) {
		if seen[id] || len(id) > 245 {
			t.Errorf("id %q: seen %v, %d bytes", id, seen[id], len(id))
		}
		seen[id] = true
	}
}

func idsOf(nodes []*citekit.Node) []string {
	var ids []string
	m := citekit.ResourceMap{Nodes: nodes}
	for n := range m.All() {
		ids = append(ids, n.ID)
	}
	return ids
}

func FuzzNameNodes(f *testing.F) {
	f.Add("a", "b", "c", "d")
	f.Add("a.b", "", "", "\xff")
	f.Fuzz(func(t *testing.T, title, kind, id, other string) {
		nodes := []*citekit.Node{
			{Title: title, Type: kind, Children: []*citekit.Node{{ID: id}, {ID: other}, {ID: id, Title: title}, {Title: title, Children: []*citekit.Node{{ID: other}}}}},
			{ID: id}, {Title: other}, {ID: other}, {Title: title},
		}
		ingest.NameNodes(nodes)
		ids := idsOf(nodes)
		m := &citekit.ResourceMap{Nodes: nodes}
		m.Faults(func(path string, _ *citekit.Node, err error) {
			if strings.Contains(err.Error(), "the id is taken") {
				t.Errorf("%s: %v", path, err)
			}
		})
		for _, id := range ids {
			if id == "" || !utf8.ValidString(id) || len(id) > 260 {
				t.Errorf("id %q", id)
			}
		}
		if len(title)+len(id)+len(other) > 60 {
			return // ids may have been cut
		}
		ingest.NameNodes(nodes)
		if diff := cmp.Diff(ids, idsOf(nodes)); diff != "" {
			t.Errorf("named twice, the ids change:\n%s", diff)
		}
	})
}

func FuzzResourceIDFor(f *testing.F) {
	f.Add("Smith (2020).pdf")
	f.Add("e\u200d\u0301 \ufb01_\u0130.x")
	f.Add("\u0130\u200d\u0301")
	f.Fuzz(func(t *testing.T, name string) {
		id := ingest.ResourceIDFor(name)
		if err := citekit.CheckResourceID(id); err != nil || strings.ContainsAny(id, " '\"#?%&") || len(id) > 120 {
			t.Errorf("ResourceIDFor(%+q) = %+q, %v", name, id, err)
		}
		if again := ingest.ResourceIDFor(id + ".x"); again != id {
			t.Errorf("%+q gives %+q, which gives %+q", name, id, again)
		}
		if !norm.NFC.IsNormalString(id) {
			t.Errorf("%+q is not in NFC", id)
		}
		a := citekit.Address{Resource: id, Location: citekit.Location{Modality: citekit.Text}}
		if parsed, err := citekit.ParseAddress(a.String()); err != nil || parsed.Resource != id {
			t.Errorf("address %s: %v", a, err)
		}
	})
}
