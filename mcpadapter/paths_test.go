package mcpadapter_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/workspace"
)

// pathServer returns a session with a server over a directory with two files, whose
// ids are not their names.
func pathServer(t *testing.T) (session *mcp.ClientSession, dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, data := range map[string]string{
		"in/guide.md": "One zebra.\nTwo zebras.\nThree.\n", "b/same.md": "B\n", "c/same.md": "C\n",
		".resource_maps/manual.json": `{"resource_id": "manual", "type": "text", "title": "Guide", "source_path": "in/guide.md",
			"nodes": [{"id": "second", "type": "line", "location": {"modality": "text", "lines": [2, 2]}, "children": []}]}`,
		".resource_maps/b.json": `{"resource_id": "b", "type": "text", "title": "B", "source_path": "b/same.md", "nodes": []}`,
		".resource_maps/c.json": `{"resource_id": "c", "type": "text", "title": "C", "source_path": "c/same.md", "nodes": []}`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return finding(t, ws), ws.RootPaths()[0]
}

// TestPaths gives the tools the path, the name, the absolute path and the URL of a
// mapped file wherever they take an id or an address.
func TestPaths(t *testing.T) {
	session, dir := pathServer(t)
	for _, file := range []string{"in/guide.md", "./in/guide.md", "guide.md", filepath.Join(dir, "in", "guide.md"), "file://" + filepath.ToSlash(filepath.Join(dir, "in", "guide.md"))} {
		for _, call := range []struct {
			tool      string
			arguments map[string]any
			want      string
		}{
			{"getStructure", map[string]any{"resource_id": file}, `"resource_id":"manual"`},
			{"getStructure", map[string]any{"address": file}, `"resource_id":"manual"`},
			{"getNode", map[string]any{"resource_id": file, "node_id": "second"}, `"id":"second"`},
			{"getNode", map[string]any{"address": file + "#lines=2"}, `"id":"second"`},
			{"resolve", map[string]any{"resource_id": file, "node_id": "second"}, `"address":"text://manual#lines=2-2"`},
			{"resolve", map[string]any{"address": file + "#lines=1-2"}, `"address":"text://manual#lines=1-2"`},
			{"getContents", map[string]any{"ids": file}, `"text":"One zebra.\nTwo zebras.\nThree.\n"`},
			{"getContents", map[string]any{"ids": []string{file + "#lines=3"}}, `"text":"Three.\n"`},
			{"findSimilar", map[string]any{"id": file + "#lines=2"}, `"results":[`},
			{"search", map[string]any{"query": "zebra", "filters": map[string]any{"resources": "in/guide.md"}}, `"address":"text://manual#`},
			{"verify", map[string]any{"quote": "Two zebras", "resource_id": file}, `"holds":true`},
			{"verify", map[string]any{"quote": "Two zebras", "address": file + "#lines=2"}, `"holds":true`},
		} {
			if text, result := mcptest.CallTool(t, session, call.tool, call.arguments); result.IsError || !strings.Contains(text, call.want) {
				t.Errorf("%s %v: no %s in %s", call.tool, call.arguments, call.want, text)
			}
		}
	}
	for _, call := range []struct {
		arguments map[string]any
		want      string
	}{
		{map[string]any{"address": "same.md#lines=1"}, "did you mean text://b#lines=1-1 or text://c#lines=1-1"},
		{map[string]any{"address": "in/guide.md#lines=9"}, "lines"},
		{map[string]any{"address": "../in/guide.md"}, "did you mean text://manual"},
		{map[string]any{"resource_id": "other/guide.md", "node_id": "second"}, "did you mean address text://manual"},
	} {
		if text, result := mcptest.CallTool(t, session, "resolve", call.arguments); !result.IsError || !strings.Contains(text, call.want) {
			t.Errorf("resolve %v: no %s in %s", call.arguments, call.want, text)
		}
	}
}
