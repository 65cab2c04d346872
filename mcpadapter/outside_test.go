package mcpadapter_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// foldersServer returns a session with a server over the folder files, which has a
// map of a source in another folder. If wide is set, that folder is a root.
func foldersServer(t *testing.T, wide, write bool) (session *mcp.ClientSession, other string) {
	t.Helper()
	top := t.TempDir()
	base, other := filepath.Join(top, "files"), filepath.Join(top, "hidden folder")
	for dir, name := range map[string]string{base: "in.md", other: "out.md"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("# Tea\n\nGreen tea.\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var opts workspace.Options
	if wide {
		opts.Roots = []string{other}
	}
	ws, err := workspace.Open(base, &opts)
	if err != nil {
		t.Fatal(err)
	}
	source, _ := json.Marshal(filepath.ToSlash(filepath.Join(other, "out.md")))
	m := fmt.Sprintf(`{"resource_id": "out", "type": "text", "title": "Out", "source_path": %s, "nodes": [{"id": "all", "location": {"modality": "text", "lines": [1, 3]}}]}`, source)
	if err := ws.WriteMap(t.Context(), "out", []byte(m)); err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	layers := textlayer.New(lib, nil)
	searcher := search.New(lib, &search.Options{Layers: layers})
	server := &mcpadapter.Options{Searcher: searcher, Contents: contents.New(lib, &contents.Options{Layers: layers})}
	if write {
		server.Ingester = mcpadapter.NewIngester(lib, nil)
	}
	t.Cleanup(func() {
		if server.Ingester != nil {
			server.Ingester.Close()
		}
		searcher.Close()
		lib.Close()
	})
	return mcptest.Connect(t, mcpadapter.NewServer(lib, server), nil), other
}

// TestOutsideRoots checks what a client learns of a source outside the roots: the
// name of the file, but not its folder, and what allows it.
func TestOutsideRoots(t *testing.T) {
	sharedtest.NotShort(t)
	for _, write := range []bool{false, true} {
		session, _ := foldersServer(t, false, write)
		const how = "'out.md' is outside the roots: a person adds its folder with --root to citekit serve"
		for _, test := range []struct {
			tool      string
			arguments map[string]any
			want      string
		}{
			{"search", map[string]any{"query": "tea"}, "cannot be read: out; " + how},
			{"resolve", map[string]any{"resource_id": "out", "node_id": "all"}, "Code: FORBIDDEN\nHint: The server does not open it: " + how + "."},
			{"getStructure", map[string]any{"resource_id": "out"}, `"source_path":"out.md"`},
			{"getStructure", map[string]any{"resource_id": "out", "depth": 0}, `"source_path":"out.md"`},
			{"getContents", map[string]any{"ids": "out.all"}, "outside the allowed roots; " + how},
			{"listResources", nil, `"state":"outside_roots"`},
			{"info", nil, `"outside_roots":1`},
		} {
			text, _ := mcptest.CallTool(t, session, test.tool, test.arguments)
			if !strings.Contains(text, test.want) {
				t.Errorf("%s: %s; want %s", test.tool, text, test.want)
			}
			if strings.Contains(text, "hidden folder") || strings.Contains(text, "citekit ingest") {
				t.Errorf("%s: %s", test.tool, text)
			}
		}
		read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "citekit://map/out"})
		if err != nil || strings.Contains(read.Contents[0].Text, "hidden folder") {
			t.Errorf("%+v, %v", read, err)
		}
	}
	session, other := foldersServer(t, true, false)
	if text, _ := mcptest.CallTool(t, session, "getStructure", map[string]any{"resource_id": "out"}); !strings.Contains(text, filepath.Base(other)+"/out.md") {
		t.Errorf("in a root: %s", text)
	}
}

// TestRootsToIngest checks that an agent learns which folders it may ingest, how
// the paths are read, and what copied means.
func TestRootsToIngest(t *testing.T) {
	sharedtest.NotShort(t)
	session, other := foldersServer(t, true, true)
	roots, _ := json.Marshal([]string{filepath.Join(filepath.Dir(other), "files"), other})
	if text, _ := mcptest.CallTool(t, session, "info", nil); !strings.Contains(text, `"roots":`+string(roots)) {
		t.Errorf("info: %s", text)
	}
	hint := func(arguments map[string]any) (hint string) {
		t.Helper()
		text, _ := mcptest.CallTool(t, session, "ingest", arguments)
		var answer struct{ Hint string }
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatal(text, err)
		}
		return answer.Hint
	}
	if said := session.InitializeResult().Instructions; !strings.Contains(said, "info has the roots that they must be in; relative paths are below the first, the base directory.") {
		t.Error(said)
	}
	refused := hint(map[string]any{"paths": filepath.Dir(other)})
	if want := "only files inside the roots are mapped: " + string(roots) + "; a path is relative to the base directory, which is the first"; refused != want {
		t.Errorf("hint %q; want %q", refused, want)
	}
	if got := hint(map[string]any{"paths": "in.md"}); got != "" {
		t.Errorf("hint %q", got)
	}
	if got := hint(map[string]any{"paths": "in.md", "resource_id": "again"}); !strings.Contains(got, "stays under its old id") {
		t.Errorf("hint %q", got)
	}
	reading, _ := foldersServer(t, true, false)
	if text, _ := mcptest.CallTool(t, reading, "info", nil); strings.Contains(text, `"roots"`) {
		t.Errorf("without ingest: %s", text)
	}
}

// TestHintOfNoMatch checks that a list without a match says where other files may
// be.
func TestHintOfNoMatch(t *testing.T) {
	for write, how := range map[bool]string{true: "ingest does it, with the path", false: "a person does it, with citekit ingest FILE"} {
		session, _ := foldersServer(t, false, write)
		text, _ := mcptest.CallTool(t, session, "listResources", map[string]any{"query": "encrypted"})
		if !strings.Contains(text, "no resource matches; files without a map are not listed") || !strings.Contains(text, how) || !strings.Contains(text, "--root FOLDER") {
			t.Error(text)
		}
		if text, _ := mcptest.CallTool(t, session, "listResources", map[string]any{"query": "out"}); strings.Contains(text, "hint") {
			t.Error(text)
		}
	}
}

// TestNodeAsAddress checks that the tools take resource.node as an address.
func TestNodeAsAddress(t *testing.T) {
	session := findingServer(t)
	for _, tool := range []string{"resolve", "getNode", "getStructure"} {
		for _, arguments := range []map[string]any{{"address": "poem.first.a"}, {"address": "poem.first.a", "resource_id": "poem"}} {
			if text, result := mcptest.CallTool(t, session, tool, arguments); result.IsError || !strings.Contains(text, `"id":"first.a"`) {
				t.Errorf("%s %v: %s", tool, arguments, text)
			}
		}
		if text, result := mcptest.CallTool(t, session, tool, map[string]any{"address": "poem.first.a", "resource_id": "other"}); !result.IsError {
			t.Errorf("%s of two resources: %s", tool, text)
		}
	}
}
