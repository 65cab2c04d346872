package contents_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// twoLevels returns a library with a map of parts with sections.
func twoLevels(t *testing.T) (*citekit.Library, *citekit.ResourceMap) {
	t.Helper()
	ws := workspace.NewMemory(nil)
	ws.AddSource("book.txt", []byte(strings.Repeat("a line\n", 40)))
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	t.Cleanup(func() { lib.Close() })
	m := &citekit.ResourceMap{ResourceID: "book", Type: citekit.Text, Title: "A book", SourcePath: "book.txt"}
	at := func(first, last int) citekit.Location {
		return citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: first, Last: last}}
	}
	for i := range 4 {
		part := &citekit.Node{ID: fmt.Sprintf("part-%d", i), Title: "A part", Type: "section", Location: at(10*i+1, 10*i+10)}
		for k := range 5 {
			part.Children = append(part.Children, &citekit.Node{ID: fmt.Sprintf("part-%d.%d", i, k), Title: "A section", Type: "section", Location: at(10*i+2*k+1, 10*i+2*k+2)})
		}
		m.Nodes = append(m.Nodes, part)
	}
	if err := lib.Save(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	m, err := lib.Map(t.Context(), "book")
	if err != nil {
		t.Fatal(err)
	}
	return lib, m
}

type shownNode struct {
	ID       string      `json:"id"`
	ParentID string      `json:"parent_id"`
	Children []shownNode `json:"children"`
}

type shownMap struct {
	Nodes      []shownNode `json:"nodes"`
	NextCursor string      `json:"next_cursor"`
	Omitted    int         `json:"omitted"`
	Hint       string      `json:"hint"`
}

// idsOf returns the ids of nodes and of those below, in order.
func idsOf(nodes []shownNode) (ids []string) {
	for _, n := range nodes {
		ids = append(append(ids, n.ID), idsOf(n.Children)...)
	}
	return ids
}

func decodeMap(t *testing.T, data []byte, err error) (m shownMap) {
	t.Helper()
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMapPages shows that the pages of a map have each node once, in document order.
func TestMapPages(t *testing.T) {
	lib, m := twoLevels(t)
	one := 0
	for name, test := range map[string]struct {
		req  contents.MapPageRequest
		want int
	}{
		"all":             {contents.MapPageRequest{MaxBytes: 1000}, 24},
		"one level":       {contents.MapPageRequest{MaxBytes: 600, Depth: &one}, 4},
		"one part":        {contents.MapPageRequest{MaxBytes: 700, NodeID: "part-2"}, 6},
		"one node a page": {contents.MapPageRequest{MaxBytes: 1}, 24},
	} {
		var ids []string
		for req := test.req; ; {
			data, err := contents.MapPage(t.Context(), lib, m, req)
			page := decodeMap(t, data, err)
			if req.MaxBytes > 1 && len(data) > 2*req.MaxBytes {
				t.Errorf("%s: a page of %d bytes", name, len(data))
			}
			if ids = append(ids, idsOf(page.Nodes)...); page.NextCursor == "" || len(ids) > test.want {
				break
			}
			req.Cursor = page.NextCursor
		}
		seen := make(map[string]bool)
		for _, id := range ids {
			seen[id] = true
		}
		if len(ids) != test.want || len(seen) != test.want {
			t.Errorf("%s: %d nodes, %d different: %q", name, len(ids), len(seen), ids)
		}
	}
}

func TestMapPageErrors(t *testing.T) {
	lib, m := twoLevels(t)
	data, err := contents.MapPage(t.Context(), lib, m, contents.MapPageRequest{MaxBytes: 600})
	next := decodeMap(t, data, err).NextCursor
	if _, err := contents.MapPage(t.Context(), lib, m, contents.MapPageRequest{MaxBytes: 600, NodeID: "nothing"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such node: %v", err)
	}
	changed := m.Clone()
	changed.Nodes = changed.Nodes[1:]
	other := m.Clone()
	other.ResourceID = "other"
	for want, test := range map[string]struct {
		m   *citekit.ResourceMap
		req contents.MapPageRequest
	}{
		"it is not from this tool":               {m, contents.MapPageRequest{Cursor: "e30"}},
		"it belongs to another node_id or depth": {m, contents.MapPageRequest{Cursor: next, NodeID: "part-1"}},
		"it belongs to resource 'book'":          {other, contents.MapPageRequest{Cursor: next}},
		"the map has changed since":              {changed, contents.MapPageRequest{Cursor: next}},
	} {
		if _, err := contents.MapPage(t.Context(), lib, test.m, test.req); !errors.Is(err, citekit.ErrSyntax) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestUpperLevels shows that a map that is too long is shown by its upper levels.
func TestUpperLevels(t *testing.T) {
	_, m := twoLevels(t)
	if contents.IsFlat(m) {
		t.Error("a map of two levels is flat")
	}
	hint := func(s contents.ShownLevels) string { return "some are left out" }
	data, err := contents.UpperLevels(m, 1<<20, hint)
	if whole := decodeMap(t, data, err); len(idsOf(whole.Nodes)) != 24 || whole.Omitted != 0 || whole.Hint != "" {
		t.Errorf("whole: %+v", whole)
	}
	data, err = contents.UpperLevels(m, 1000, hint)
	upper := decodeMap(t, data, err)
	if ids := idsOf(upper.Nodes); len(upper.Nodes) != 4 || len(ids)+upper.Omitted != 24 || upper.Hint != "some are left out" || upper.NextCursor == "" {
		t.Errorf("upper levels: %q, %d omitted, %q", ids, upper.Omitted, upper.Hint)
	}
}

func TestReadEvidence(t *testing.T) {
	lib, _ := twoLevels(t)
	address, err := citekit.ParseAddress("text://book#lines=3-4")
	if err != nil {
		t.Fatal(err)
	}
	read, err := contents.ReadEvidence(t.Context(), lib, address, 100, nil)
	if err != nil || string(read.Data) != "a line\na line\n" || read.Stored == nil {
		t.Errorf("%q, %v", read.Data, err)
	}
	if read, err := contents.ReadEvidence(t.Context(), lib, address, 3, nil); !errors.Is(err, citekit.ErrTooLarge) || read.Stored != nil || read.Evidence.Size != 14 {
		t.Errorf("too large: %+v, %v", read, err)
	}
	reader := contents.New(lib, nil)
	if item, next, err := reader.ReadOne(t.Context(), address, 1000); err != nil || next != "" || item.Text != "a line\na line\n" {
		t.Errorf("%+v, %q, %v", item, next, err)
	}
}
