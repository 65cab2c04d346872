package mcpadapter_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// A resourceList is an answer of listResources.
type resourceList struct {
	Resources []string
	Items     []struct {
		ResourceID string `json:"resource_id"`
		Title      string
	}
	NextCursor string `json:"next_cursor"`
}

func listTool(t testing.TB, session *mcp.ClientSession, arguments map[string]any) (list resourceList) {
	t.Helper()
	text, result := mcptest.CallTool(t, session, "listResources", arguments)
	if err := json.Unmarshal([]byte(text), &list); err != nil || result.IsError {
		t.Fatalf("%v: %.300s", arguments, text)
	}
	return list
}

// catalogServer returns a client of a server over a directory.
func catalogServer(t testing.TB, dir string) *mcp.ClientSession {
	t.Helper()
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	t.Cleanup(func() { lib.Close() })
	return mcptest.Connect(t, mcpadapter.NewServer(lib, nil), nil)
}

func writeTitled(t testing.TB, dir, id, modality, title string) {
	t.Helper()
	data, err := json.Marshal(map[string]any{"resource_id": id, "type": modality, "title": title, "source_path": "a", "nodes": []any{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".resource_maps"), 0o700); err != nil {
		t.Fatal(err)
	}
	// As another process would: written aside and renamed.
	path := filepath.Join(dir, ".resource_maps", id+".json")
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func TestListFilters(t *testing.T) {
	dir := t.TempDir()
	writeTitled(t, dir, "tide-book", "text", "Ebbe und Flut im Überblick")
	writeTitled(t, dir, "bell", "text", "The Bell of the CAUSEWAY")
	writeTitled(t, dir, "walk", "video", "A walk on the causeway")
	if err := os.WriteFile(filepath.Join(dir, ".resource_maps", "broken.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	session := catalogServer(t, dir)
	for _, test := range []struct {
		arguments map[string]any
		want      []string
	}{
		{map[string]any{"query": "causeway"}, []string{"bell", "walk"}},
		{map[string]any{"query": "the Causeway", "type": "text"}, []string{"bell"}},
		{map[string]any{"query": "u\u0308BERBLICK"}, []string{"tide-book"}},
		{map[string]any{"query": "Tide"}, []string{"tide-book"}},
		{map[string]any{"query": "broke"}, []string{"broken"}},
		{map[string]any{"type": "video"}, []string{"walk"}},
		{map[string]any{"type": "image"}, nil},
		{map[string]any{"query": "  ", "type": ""}, []string{"bell", "broken", "tide-book", "walk"}},
		{map[string]any{"query": "causeway bell tide"}, nil},
		{map[string]any{"limit": 2}, []string{"bell", "broken"}},
	} {
		list := listTool(t, session, test.arguments)
		if !slices.Equal(list.Resources, test.want) || len(list.Items) != len(test.want) || (list.NextCursor != "") != (test.arguments["limit"] != nil) {
			t.Errorf("%v: %+v; want %v", test.arguments, list, test.want)
		}
	}
	for _, test := range []struct {
		arguments map[string]any
		want      string
	}{
		{map[string]any{"type": "book"}, "it must be one of document, "},
		{map[string]any{"limit": 0}, "it must be from 1 to 100"},
		{map[string]any{"limit": 101}, "it must be from 1 to 100"},
		{map[string]any{"query": "bell", "cursor": "!"}, "it is not from this list"},
	} {
		if text, result := mcptest.CallTool(t, session, "listResources", test.arguments); !result.IsError || !strings.Contains(text, test.want) {
			t.Errorf("%v: %s", test.arguments, text)
		}
	}
	// What another process does is seen.
	writeTitled(t, dir, "causeway-2", "text", "More")
	writeTitled(t, dir, "walk", "video", "A walk in the hills")
	if err := os.Remove(filepath.Join(dir, ".resource_maps", "broken.json")); err != nil {
		t.Fatal(err)
	}
	if list := listTool(t, session, map[string]any{"query": "causeway"}); !slices.Equal(list.Resources, []string{"bell", "causeway-2"}) {
		t.Errorf("after changes: %+v", list)
	}
}

// TestListWhileMapsChange reads a filtered list in parts between which maps come
// and go: none of those that stay is lost or told twice.
func TestListWhileMapsChange(t *testing.T) {
	dir := t.TempDir()
	var stay []string
	for i := range 60 {
		id := fmt.Sprintf("r%03d", i)
		writeTitled(t, dir, id, "text", "Tides")
		if i%3 > 0 {
			stay = append(stay, id)
		}
	}
	session := catalogServer(t, dir)
	var seen []string
	cursor := ""
	for part := 0; ; part++ {
		list := listTool(t, session, map[string]any{"query": "tides", "limit": 7, "cursor": cursor})
		seen = append(seen, list.Resources...)
		if cursor = list.NextCursor; cursor == "" {
			break
		}
		if err := os.Remove(filepath.Join(dir, ".resource_maps", fmt.Sprintf("r%03d.json", 3*part))); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, ".resource_maps", fmt.Sprintf("r%03d.json", 57-3*part))); err != nil {
			t.Fatal(err)
		}
		writeTitled(t, dir, fmt.Sprintf("q%03d", part), "text", "Tides before")
		writeTitled(t, dir, fmt.Sprintf("s%03d", part), "text", "Hills behind")
	}
	if !slices.IsSorted(seen) || len(slices.Compact(slices.Clone(seen))) != len(seen) {
		t.Errorf("told twice: %v", seen)
	}
	seen = slices.DeleteFunc(seen, func(id string) bool { return !slices.Contains(stay, id) })
	if diff := cmp.Diff(stay, seen); diff != "" {
		t.Errorf("those that stay (-want +got):\n%s", diff)
	}
}

// TestListOfMany checks that a list of more ids than a page holds comes in parts.
func TestListOfMany(t *testing.T) {
	ws := workspace.NewMemory(nil)
	for i := range 20_000 {
		if err := ws.WriteMap(t.Context(), fmt.Sprintf("resource-%05d", i), []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	session := mcptest.Connect(t, mcpadapter.NewServer(citekit.New(ws, nil, nil), nil), nil)
	text, _ := mcptest.CallTool(t, session, "listResources", nil)
	list := listTool(t, session, nil)
	if len(text) > 60_000 || len(list.Resources) != 100 || len(list.Items) != 100 {
		t.Fatalf("%d bytes, %d ids, %d items", len(text), len(list.Resources), len(list.Items))
	}
	if next := listTool(t, session, map[string]any{"cursor": list.NextCursor}); next.Resources[0] != "resource-00100" {
		t.Errorf("the next part begins with %s", next.Resources[0])
	}
}

// TestListOfForeign lists a resource that no resolver of the server reads, and says so.
func TestListOfForeign(t *testing.T) {
	dir := t.TempDir()
	writeTitled(t, dir, "plant", "chat", "Plant")
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("chat\nfern\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, _ := mcptest.CallTool(t, catalogServer(t, dir), "listResources", nil)
	if !strings.Contains(text, `"state":"unreadable"`) || !strings.Contains(text, `"error":"no resolver for chat; this library has text: unsupported operation"`) {
		t.Error(text)
	}
}

// TestByAddress names nodes by the addresses of parts.
func TestByAddress(t *testing.T) {
	session := mcptest.Connect(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil)
	for _, test := range []struct{ address, want string }{
		{"text://poem#lines=1-2", `"id":"first"`},
		{"text://poem#lines=1-1", `"id":"first.a"`},
		{"text://poem#lines=2-2", `"id":"first`},
	} {
		node, result := mcptest.CallTool(t, session, "getNode", map[string]any{"address": test.address})
		if result.IsError || !strings.HasPrefix(node, "{"+test.want) {
			t.Errorf("getNode %s: %s", test.address, node)
		}
		branch, result := mcptest.CallTool(t, session, "getStructure", map[string]any{"address": test.address, "resource_id": "poem"})
		if result.IsError || !strings.Contains(branch, `"nodes":[{`+test.want) {
			t.Errorf("getStructure %s: %s", test.address, branch)
		}
	}
	whole, _ := mcptest.CallTool(t, session, "getStructure", map[string]any{"resource_id": "poem"})
	if got, _ := mcptest.CallTool(t, session, "getStructure", map[string]any{"address": "text://poem"}); got != whole {
		t.Errorf("the whole: %s", got)
	}
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"getNode", map[string]any{"address": "text://poem"}, "or the address of a part"},
		{"getNode", map[string]any{"address": "text://poem#lines=1-9000"}, "no node of 'poem' contains all of"},
		{"getNode", map[string]any{"address": "video://poem#t=1-2"}, "use text://poem"},
		{"getNode", map[string]any{"address": "image://poem#t=1-2"}, "poem is a text: use text://poem#lines=…\nCode: UNSUPPORTED\nHint: Correct the address"},
		{"resolve", map[string]any{"address": "image://poem#lines=2"}, "poem is a text: use text://poem#lines=2-2\nCode: UNSUPPORTED"},
		{"resolve", map[string]any{"address": "image://none#t=1-2"}, "an image location cannot have"},
		{"resolve", map[string]any{"address": "text://poem#t=1-2"}, "a text location cannot have"},
		{"getNode", map[string]any{"address": "poem"}, "address"},
		{"getNode", map[string]any{"address": "text://none#lines=1-1"}, "NOT_FOUND"},
		{"getNode", map[string]any{"address": "text://poem#lines=1-1", "node_id": "first"}, "not both"},
		{"getStructure", map[string]any{"address": "text://poem", "resource_id": "slow"}, "resource_id is 'slow'"},
		{"getStructure", map[string]any{}, "argument 'resource_id' is missing"},
		{"getStructure", map[string]any{"address": "video://poem"}, "use text://poem"},
	} {
		if text, result := mcptest.CallTool(t, session, test.tool, test.arguments); !result.IsError || !strings.Contains(text, test.want) {
			t.Errorf("%s %v: %s", test.tool, test.arguments, text)
		}
	}
}

// BenchmarkHundredThousandMaps lists pages of a directory with 100,000 maps, of
// which none has changed since the page before.
func BenchmarkHundredThousandMaps(b *testing.B) {
	const maps = 100_000
	dir := b.TempDir()
	for i := range maps {
		writeTitled(b, dir, fmt.Sprintf("map-%06d", i), []string{"text", "video"}[i%2], fmt.Sprintf("Report %d of the tides", i))
	}
	session := catalogServer(b, dir)
	page, err := session.ListResources(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct {
		name      string
		arguments map[string]any
	}{
		{"first", map[string]any{"limit": 100}},
		{"middle", map[string]any{"cursor": listTool(b, session, map[string]any{"query": "map-05", "limit": 1}).NextCursor}},
		{"filtered", map[string]any{"query": "tides 777", "type": "video", "limit": 20}},
		{"rare", map[string]any{"query": "99999"}},
	} {
		b.Run("listResources/"+bench.name, func(b *testing.B) {
			medianOf(b, func() {
				if list := listTool(b, session, bench.arguments); len(list.Resources) == 0 {
					b.Fatal(list)
				}
			})
		})
	}
	b.Run("resources/list", func(b *testing.B) {
		medianOf(b, func() {
			next, err := session.ListResources(b.Context(), &mcp.ListResourcesParams{Cursor: page.NextCursor})
			if err != nil || len(next.Resources) != 200 {
				b.Fatal(err)
			}
		})
	})
}

// medianOf reports the median and the least time beside the mean, which on a
// machine that does something else too says little.
func medianOf(b *testing.B, once func()) {
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		once()
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2].Seconds()*1e3, "median-ms")
	b.ReportMetric(times[0].Seconds()*1e3, "least-ms")
}

// TestListByPath checks that a query finds the paths of sources: those inside the
// base directory whole, of others the name of the file.
func TestListByPath(t *testing.T) {
	ws := workspace.NewMemory(nil)
	for id, path := range map[string]string{"hiring": "mail/Hiring Statistics.xlsx", "far": "/home/someone/plan.txt"} {
		data, err := json.Marshal(map[string]any{"resource_id": id, "type": "text", "title": "A title", "source_path": path, "nodes": []any{}})
		if err != nil {
			t.Fatal(err)
		}
		if err := ws.WriteMap(t.Context(), id, data); err != nil {
			t.Fatal(err)
		}
	}
	lib := citekit.New(ws, nil, nil)
	t.Cleanup(func() { lib.Close() })
	session := mcptest.Connect(t, mcpadapter.NewServer(lib, nil), nil)
	for query, want := range map[string][]string{"mail/hiring statistics.xlsx": {"hiring"}, "plan.txt": {"far"}, "someone": {}, "title": {"far", "hiring"}} {
		if list := listTool(t, session, map[string]any{"query": query}); !slices.Equal(list.Resources, want) {
			t.Errorf("%s: %v", query, list.Resources)
		}
	}
}

// TestForeignCursors gives each list the cursors of other lists.
func TestForeignCursors(t *testing.T) {
	session := mcptest.Connect(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), &mcpadapter.Options{PageBytes: 300}), nil)
	next := func(tool string, arguments map[string]any) string {
		t.Helper()
		text, _ := mcptest.CallTool(t, session, tool, arguments)
		var page struct {
			NextCursor string `json:"next_cursor"`
		}
		if err := json.Unmarshal([]byte(text), &page); err != nil || page.NextCursor == "" {
			t.Fatalf("%s %v: %s", tool, arguments, text)
		}
		return page.NextCursor
	}
	all, some := next("listResources", map[string]any{"limit": 1}), next("listResources", map[string]any{"limit": 1, "query": "o"})
	for _, test := range []struct {
		arguments map[string]any
		want      string
	}{
		{map[string]any{"cursor": next("getStructure", map[string]any{"resource_id": "poem", "cursor": ""})}, "it is not from this list"},
		{map[string]any{"cursor": base64.RawURLEncoding.EncodeToString([]byte("poem"))}, "it is not from this list"},
		{map[string]any{"cursor": some}, "it belongs to another query or type"},
		{map[string]any{"cursor": all, "query": "o"}, "it belongs to another query or type"},
		{map[string]any{"cursor": all}, `{"resources":["slow"]`},
		{map[string]any{"cursor": some, "query": " O "}, `{"resources":["slow"]`},
	} {
		if text, _ := mcptest.CallTool(t, session, "listResources", test.arguments); !strings.Contains(text, test.want) {
			t.Errorf("%v: %s", test.arguments, text)
		}
	}
	_, ofResources := session.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: all})
	_, ofMaps := session.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: "maps:" + "!"})
	_, ofTools := session.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: "!"})
	_, ofPrompts := session.ListPrompts(t.Context(), &mcp.ListPromptsParams{Cursor: "!"})
	_, ofTemplates := session.ListResourceTemplates(t.Context(), &mcp.ListResourceTemplatesParams{Cursor: "!"})
	for i, err := range []error{ofResources, ofMaps, ofTools, ofPrompts, ofTemplates} {
		if err == nil || !strings.Contains(err.Error(), "the cursor does not fit: it is not from this list; leave it out to begin") {
			t.Errorf("list %d: %v", i, err)
		}
	}
}
