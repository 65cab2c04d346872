package mcpadapter_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// An upperMap is a map whose upper levels are shown.
type upperMap struct {
	shownMap
	Omitted int
	Hint    string
}

// treeMap returns a map of four levels: wide topmost nodes, each with three
// children, each with three, and each of those with three.
func treeMap(t *testing.T, wide int) string {
	t.Helper()
	m := &citekit.ResourceMap{ResourceID: "tree", Type: citekit.Text, Title: "Tree", SourcePath: "poem.txt"}
	var grow func(parent string, count, levels int) []*citekit.Node
	grow = func(parent string, count, levels int) (nodes []*citekit.Node) {
		for i := range count {
			n := &citekit.Node{ID: fmt.Sprintf("%s%d", parent, i), Type: "part", Title: "A part", Location: citekit.Location{Modality: citekit.Text}}
			if levels > 1 {
				n.Children = grow(n.ID+".", 3, levels-1)
			}
			nodes = append(nodes, n)
		}
		return nodes
	}
	m.Nodes = grow("n", wide, 4)
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestUpperLevels shows a map of 8 + 24 + 72 + 216 nodes in many sizes: the
// upper levels are whole, the answer fits, and with the ids and the cursor that
// it names all other nodes can be reached.
func TestUpperLevels(t *testing.T) {
	sharedtest.Once(t)
	whole := treeMap(t, 8)
	lib := mcptest.NewLibrary(t, nil, map[string]string{"tree": whole})
	for _, size := range []int{1, 500, 2000, 5000, 20_000, 1 << 20} {
		if testing.Short() && size < 500 {
			continue // a call for each node
		}
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			session := mcptest.Connect(t, mcpadapter.NewServer(lib, &mcpadapter.Options{PageBytes: size}), nil)
			text, result := mcptest.CallTool(t, session, "getStructure", map[string]any{"resource_id": "tree"})
			if result.IsError {
				t.Fatal(text)
			}
			if len(whole) <= size {
				if text != whole {
					t.Errorf("a map that fits is not whole: %.300s", text)
				}
				return
			}
			if size > 1 && len(text) > size+1000 {
				t.Errorf("%d bytes", len(text))
			}
			var m upperMap
			if err := json.Unmarshal([]byte(text), &m); err != nil {
				t.Fatal(err)
			}
			parents := map[string]string{}
			var order []string
			perLevel := map[int]int{}
			for _, n := range m.Nodes {
				collect(t, n, parents, &order)
			}
			deepest := 0
			for _, id := range order {
				level := strings.Count(id, ".")
				perLevel[level]++
				deepest = max(deepest, level)
			}
			for level, full := 0, 8; level < deepest; level, full = level+1, full*3 {
				if perLevel[level] != full {
					t.Errorf("level %d has %d nodes of %d, although level %d has some", level, perLevel[level], full, deepest)
				}
			}
			if m.Omitted != 320-len(order) || m.Hint == "" || m.NextCursor == "" || strings.Index(text, `"hint"`) > strings.Index(text, `"nodes"`) {
				t.Errorf("%d nodes, omitted %d, hint %q, cursor %q", len(order), m.Omitted, m.Hint, m.NextCursor)
			}
			seen := make(map[string]bool)
			reach(t, func(arguments map[string]any) (m shownMap) {
				text, result := mcptest.CallTool(t, session, "getStructure", arguments)
				if err := json.Unmarshal([]byte(text), &m); err != nil || result.IsError {
					t.Fatal(err, text)
				}
				return m
			}, m.shownMap, seen)
			if len(seen) != 320 {
				t.Errorf("%d nodes can be reached", len(seen))
			}
		})
	}
}

// reach notes the nodes of an answer, and those that it says how to ask for.
func reach(t *testing.T, ask func(map[string]any) shownMap, m shownMap, seen map[string]bool) {
	t.Helper()
	var note func(nodes []shownNode)
	var cut []string
	note = func(nodes []shownNode) {
		for _, n := range nodes {
			if n.ChildCount != nil && !seen[n.ID+" asked for"] {
				cut = append(cut, n.ID)
				seen[n.ID+" asked for"] = true
			}
			seen[n.ID] = true
			note(n.Children)
		}
	}
	note(m.Nodes)
	if m.NextCursor != "" {
		reach(t, ask, ask(map[string]any{"resource_id": "tree", "cursor": m.NextCursor}), seen)
	}
	for _, id := range cut {
		reach(t, ask, ask(map[string]any{"resource_id": "tree", "node_id": id}), seen)
	}
	for _, id := range cut {
		delete(seen, id+" asked for")
	}
}

// TestFull asks for a map that does not fit, for programs.
func TestFull(t *testing.T) {
	sharedtest.Once(t)
	whole := treeMap(t, 20)
	session := mcptest.Connect(t, mcpadapter.NewServer(mcptest.NewLibrary(t, nil, map[string]string{"tree": whole}), nil), nil)
	if got, _ := mcptest.CallTool(t, session, "getStructure", map[string]any{"resource_id": "tree", "full": "true"}); got != whole {
		t.Errorf("got %d bytes: %.300s", len(got), got)
	}
	got, _ := mcptest.CallTool(t, session, "getStructure", map[string]any{"resource_id": "tree", "full": true, "depth": 9})
	var m shownMap
	if err := json.Unmarshal([]byte(got), &m); err != nil || m.NextCursor != "" || strings.Count(got, `"id"`) != 800 {
		t.Errorf("%v: %d bytes: %.300s", err, len(got), got)
	}
}

// TestLongFieldsAreTold has a map of one node and long metadata.
func TestLongFieldsAreTold(t *testing.T) {
	long := strings.Replace(mcptest.PoemMap, `"source_size": 24`, `"words": "`+strings.Repeat("x", 100_000)+`"`, 1)
	session := mcptest.Connect(t, mcpadapter.NewServer(mcptest.NewLibrary(t, nil, map[string]string{"poem": long}), nil), nil)
	got, _ := mcptest.CallTool(t, session, "getStructure", map[string]any{"resource_id": "poem"})
	if len(got) > 2000 || !strings.Contains(got, `"hint":"Long fields are left out.`) || strings.Contains(got, `"omitted"`) {
		t.Errorf("%.1000s", got)
	}
}

// TestLongHead has a map whose metadata would take several times the size of an
// answer, in fields that would each fit, and many nodes.
func TestLongHead(t *testing.T) {
	sharedtest.Once(t)
	const size = 60_000
	var metadata strings.Builder
	for i := range 9 {
		fmt.Fprintf(&metadata, `"words%d": "%s", `, i, strings.Repeat("x", 6000))
	}
	long := strings.NewReplacer(`"title":"Tree"`, `"title":"`+strings.Repeat("y", 10_000)+`"`,
		`"metadata":{}`, `"metadata":{`+strings.TrimSuffix(metadata.String(), ", ")+`}`).Replace(treeMap(t, 100))
	session := mcptest.Connect(t, mcpadapter.NewServer(mcptest.NewLibrary(t, nil, map[string]string{"tree": long}), &mcpadapter.Options{PageBytes: size}), nil)
	for _, arguments := range []map[string]any{{"resource_id": "tree"}, {"resource_id": "tree", "depth": 1}} {
		got, _ := mcptest.CallTool(t, session, "getStructure", arguments)
		if len(got) > size+10_000 || len(got) < size/3 || !strings.Contains(got, `"title":"yyy`) || !strings.Contains(got, `"id":"n9"`) {
			t.Errorf("%v: %d bytes: %.300s", arguments, len(got), got)
		}
		if !strings.Contains(got, `"hint":"`) || strings.Contains(got, `"metadata"`) {
			t.Errorf("%v: not told that fields are left out: %.300s", arguments, got)
		}
	}
	short := strings.Replace(mcptest.PoemMap, `"source_size": 24`, `"words": "`+strings.Repeat("x", 35_000)+`"`, 1)
	session = mcptest.Connect(t, mcpadapter.NewServer(mcptest.NewLibrary(t, nil, map[string]string{"poem": short}), &mcpadapter.Options{PageBytes: size}), nil)
	for depth := range 3 {
		got, _ := mcptest.CallTool(t, session, "getStructure", map[string]any{"resource_id": "poem", "depth": depth})
		if !strings.Contains(got, `"words":"xxx`) || strings.Contains(got, `"hint"`) {
			t.Errorf("depth %d: metadata that fit are not there: %.300s", depth, got)
		}
	}
}

// TestOutline asks for the compact form of a map that does not fit.
func TestOutline(t *testing.T) {
	session := mcptest.Connect(t, mcpadapter.NewServer(mcptest.NewLibrary(t, nil, map[string]string{"tree": treeMap(t, 20)}), &mcpadapter.Options{PageBytes: 2000}), nil)
	type outline struct {
		ResourceID string `json:"resource_id"`
		Outline    string
		Omitted    int
		Hint       string
	}
	for _, test := range []struct {
		arguments map[string]any
		omitted   bool
	}{
		{map[string]any{"resource_id": "tree", "format": "outline"}, true},
		{map[string]any{"resource_id": "tree", "format": "outline", "node_id": "n3"}, false},
		{map[string]any{"resource_id": "tree", "format": "outline", "full": true}, false},
	} {
		text, result := mcptest.CallTool(t, session, "getStructure", test.arguments)
		if result.IsError {
			t.Fatal(text)
		}
		data, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		var o outline
		if err := json.Unmarshal(data, &o); err != nil {
			t.Fatal(err)
		}
		if o.ResourceID != "tree" || !strings.HasPrefix(text, o.Outline) || !strings.HasPrefix(text, "# Tree\ntree, text://tree\n") {
			t.Errorf("%v: %.300s", test.arguments, text)
		}
		if test.omitted != (o.Omitted > 0) || test.omitted != (o.Hint != "") || test.omitted && len(o.Outline) > 2000 {
			t.Errorf("%v: %d bytes, omitted %d, hint %q", test.arguments, len(o.Outline), o.Omitted, o.Hint)
		}
		if strings.Contains(text, "\n- `n4`") == (test.arguments["node_id"] != nil) {
			t.Errorf("%v: %.300s", test.arguments, text)
		}
	}
}

// TestStructureBytes holds the answers about large maps of several shapes to 12,000
// bytes, and reaches all nodes by what the answers name.
func TestStructureBytes(t *testing.T) {
	sharedtest.Once(t)
	const most = 12_000
	pages := &citekit.ResourceMap{ResourceID: "pages", Type: citekit.Text, Title: "Pages", SourcePath: "poem.txt"}
	for i := range 193 {
		pages.Nodes = append(pages.Nodes, &citekit.Node{ID: fmt.Sprintf("page-%d", i), Title: fmt.Sprintf("Page %d", i), Type: "page",
			Summary: strings.Repeat("words ", 30), Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: i + 1, Last: i + 1}}})
	}
	data, err := pages.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	session := mcptest.Connect(t, mcpadapter.NewServer(mcptest.NewLibrary(t, nil, map[string]string{
		"pages": string(data), "big": mcptest.BigMap("big", 3000), "tree": treeMap(t, 20),
		"head": strings.Replace(mcptest.BigMap("head", 300), `"metadata":{}`, `"metadata":{"words":"`+strings.Repeat("x", 9000)+`"}`, 1),
	}), nil), nil)
	for _, id := range []string{"pages", "big", "tree", "head"} {
		for _, more := range []map[string]any{{}, {"depth": 1}, {"cursor": ""}, {"format": "outline"}} {
			arguments := map[string]any{"resource_id": id}
			for name, value := range more {
				arguments[name] = value
			}
			text, _ := mcptest.CallTool(t, session, "getStructure", arguments)
			if len(text) > most || len(text) < most/2 && id != "head" {
				t.Errorf("%v: %d bytes", arguments, len(text))
			}
		}
		text, _ := mcptest.CallTool(t, session, "getStructure", map[string]any{"resource_id": id})
		if !strings.Contains(text, `"omitted":`) || !strings.Contains(text, `"next_cursor":"`) || !strings.Contains(text, "full true gives the whole map") {
			t.Errorf("%s does not say what is folded: %.600s", id, text)
		}
		if whole, _ := mcptest.CallTool(t, session, "getStructure", map[string]any{"resource_id": id, "full": true}); len(whole) < 2*most && id != "head" || strings.Contains(whole, `"omitted"`) {
			t.Errorf("%s: the whole has %d bytes", id, len(whole))
		}
	}
}

// TestOnce checks that clients of protocol versions without structured content get
// answers once, and are promised no more.
func TestOnce(t *testing.T) {
	for version, twice := range map[string]bool{"2024-11-05": false, "2025-03-26": false, "2025-06-18": true, "2025-11-25": true} {
		w := mcptest.Serve(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), transport.StreamTransport{})
		w.Send(strings.Replace(mcptest.Initialize, "2025-11-25", version, 1))
		if got := w.Next(); !strings.Contains(got, `"protocolVersion":"`+version+`"`) {
			t.Fatal(got)
		}
		w.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		w.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if got := w.Next(); strings.Contains(got, `"outputSchema"`) != twice || !strings.Contains(got, `"inputSchema"`) {
			t.Errorf("%s: %s", version, got)
		}
		w.Call(2, "getNode", `{"resource_id":"poem","node_id":"first"}`)
		if got := w.Next(); strings.Contains(got, `"structuredContent"`) != twice || !strings.Contains(got, `"text":"{\"id\":\"first\"`) {
			t.Errorf("%s: %s", version, got)
		}
	}
}
