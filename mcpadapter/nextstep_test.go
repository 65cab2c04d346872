package mcpadapter_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace"
)

// hasNextStep finds what an error says to do: a hint, a suggestion, or what
// follows the fault in its message.
var hasNextStep = regexp.MustCompile(`(?m)^Hint: \S|^Error: (give |.*(; .*\b(is|are|must|give|use|write|pass|see|takes|have|at most|one of|unsubscribe|leave|ask)\b|Did you mean))`)

// TestErrorsHaveNextSteps calls every tool wrongly in the same ways, and checks
// that each error says what to do.
func TestErrorsHaveNextSteps(t *testing.T) {
	sharedtest.NotShort(t)
	for name, session := range map[string]*mcp.ClientSession{"few": mcptest.Connect(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil), "all": findingServer(t)} {
		tools, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool)
		for _, tool := range tools.Tools {
			data, err := json.Marshal(tool.InputSchema)
			if err != nil {
				t.Fatal(err)
			}
			var schema struct {
				Properties map[string]struct{ Type any }
			}
			if err := json.Unmarshal(data, &schema); err != nil {
				t.Fatal(err)
			}
			calls := []map[string]any{{}, {"colour": "red"}}
			for i, argument := range slices.Sorted(maps.Keys(schema.Properties)) {
				for j, value := range []any{"none", "pages=77", "text://none#lines=1", "text://poem#lines=99", "text://poem#page=1", "\x00", -1, 1e9, true, []any{}, []any{"none", "poem.pages=77"}, map[string]any{"none": 1}, nil} {
					beside := []map[string]any{{}, {"resource_id": "poem"}, {"resource_id": "poem", "node_id": "beyond"}, {"query": "poem"}, {"ids": []any{"poem"}}, {"text": "“x” text://poem"}}
					if !sharedtest.Long() { // one, another for each value
						beside = beside[(i+j)%len(beside):][:1]
					}
					for _, arguments := range beside {
						arguments[argument] = value
						calls = append(calls, arguments)
					}
				}
			}
			for _, arguments := range calls {
				text, result := mcptest.CallTool(t, session, tool.Name, arguments)
				if message, _, _ := strings.Cut(text, "\n"); result.IsError && !hasNextStep.MatchString(text) && !seen[message] {
					seen[message] = true
					t.Errorf("%s, %s %v: %s", name, tool.Name, arguments, text)
				}
			}
		}
	}
}

// TestNextSteps has errors with the steps that lead on.
func TestNextSteps(t *testing.T) {
	session := findingServer(t)
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"getNode", map[string]any{"address": "text://poem#lines=1-4"}, "no node of 'poem' contains all of 'text://poem#lines=1-4'; pass the address to getContents or resolve for the part itself, and getStructure shows its nodes"},
		{"getStructure", map[string]any{"address": "text://poem#lines=1-4"}, "pass the address to getContents or resolve for the part itself"},
		{"getNode", map[string]any{"resource_id": "poem", "node_id": "lines=77"}, "Hint: This is a place, not a node: pass address text://poem#lines=77-77 in place of both ids. getStructure shows the nodes."},
		{"resolve", map[string]any{"resource_id": "poem", "node_id": "#lines=77"}, "pass address text://poem#lines=77-77 in place of both ids."},
		{"getStructure", map[string]any{"resource_id": "poem", "node_id": "lines=2"}, "pass address text://poem#lines=2-2 in place of both ids."},
		{"getNode", map[string]any{"resource_id": "poem", "node_id": "frist"}, "Node 'frist' not found. Did you mean 'first'"},
		{"resolve", map[string]any{"resource_id": "poem", "node_id": "poem.first"}, "Node 'poem.first' not found. Did you mean 'first'?"},
		{"getStructure", map[string]any{"resource_id": "poem", "node_id": "poem.first"}, "Did you mean 'first'?"},
		{"getNode", map[string]any{"resource_id": "poem", "node_id": "first HALF"}, "Did you mean 'first'?"},
		{"getStructure", map[string]any{"resource_id": "poem.first"}, "Hint: Did you mean address text://poem#lines=1-2? listResources lists the resources."},
		{"getStructure", map[string]any{"resource_id": "second"}, "Hint: Did you mean address text://poem#lines=3-5?"},
		{"getStructure", map[string]any{"resource_id": "files/poem.txt"}, "did you mean address text://poem?"},
		{"resolve", map[string]any{"address": "b/poem.txt"}, "address \"b/poem.txt\" has no scheme; did you mean text://poem?"},
		{"resolve", map[string]any{"address": "b/poem.txt#lines=2"}, "did you mean text://poem#lines=2-2?"},
		{"getNode", map[string]any{"address": "/home/me/poem.txt"}, "did you mean text://poem?"},
		{"getStructure", map[string]any{"address": "file:///home/me/poem.txt"}, "scheme \"file\"; did you mean text://poem?"},
		{"verify", map[string]any{"quote": "four", "address": "b/poem.txt"}, "did you mean text://poem?"},
		{"verify", map[string]any{"quote": "four", "address": "doc://poem#lines=1"}, "poem is a text: use text://poem#lines=1-1"},
		{"resolve", map[string]any{"address": "doc://poem#lines=1"}, "poem is a text: use text://poem#lines=1-1"},
		{"getNode", map[string]any{"address": "doc://poem#lines=1"}, "poem is a text: use text://poem#lines=1-1"},
		{"resolve", map[string]any{"address": "text://poem?lines=1"}, "write text://poem#lines=1"},
		{"resolve", map[string]any{"address": "/etc/none"}, "/etc/none' is a file of which no resource is made; listResources lists the resources"},
		{"search", map[string]any{"query": "four", "resource_id": "poem"}, "unknown argument 'resource_id'; give it as filters.resources; this tool takes query, "},
		{"search", map[string]any{"query": "four", "type": "section"}, "give it as filters.types; "},
		{"search", map[string]any{"query": "four", "filters": map[string]any{"resource": "poem"}}, "unknown argument 'resource' (did you mean 'resources', a list of strings, or one string?); filters takes resources (optional), "},
		{"listResources", map[string]any{"cursor": "bm8"}, "the cursor does not fit: it is not from this list; leave it out to begin"},
		{"getNode", map[string]any{"resource_id": "peom", "node_id": "first"}, "Hint: listResources lists the resources."},
	} {
		if text, result := mcptest.CallTool(t, session, test.tool, test.arguments); !result.IsError || !strings.Contains(text, test.want) {
			t.Errorf("%s %v: %s", test.tool, test.arguments, text)
		}
	}
	if text, result := mcptest.CallTool(t, session, "search", map[string]any{"query": "-zebra"}); result.IsError || !strings.Contains(text, "add a word to find") {
		t.Errorf("a search that only excludes: %s", text)
	}
	few := mcptest.Connect(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), &mcpadapter.Options{Tools: []string{"getNode", "getStructure"}}), nil)
	if text, _ := mcptest.CallTool(t, few, "getNode", map[string]any{"address": "text://poem#lines=1-4"}); !strings.Contains(text, "; getStructure shows its nodes") {
		t.Errorf("without tools that read: %s", text)
	}
}

// TestFlatStructure has a map of one level with more nodes than fit: the hints
// name what leads on there.
func TestFlatStructure(t *testing.T) {
	m := &citekit.ResourceMap{ResourceID: "flat", Type: citekit.Text, Title: "Flat", SourcePath: "poem.txt"}
	for i := range 500 {
		m.Nodes = append(m.Nodes, &citekit.Node{ID: fmt.Sprintf("n%d", i), Type: "part", Title: "A part", Location: citekit.Location{Modality: citekit.Text}})
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	session := mcptest.Connect(t, mcpadapter.NewServer(mcptest.NewLibrary(t, nil, map[string]string{"flat": string(data)}), &mcpadapter.Options{PageBytes: 3000}), nil)
	text, _ := mcptest.CallTool(t, session, "getStructure", map[string]any{"resource_id": "flat"})
	if !strings.Contains(text, "of 500 nodes, which are all on one level. next_cursor goes on. getNode with the address of a place finds its node. full") || strings.Contains(text, "child_count") {
		t.Errorf("%.1000s", text)
	}
	outline, _ := mcptest.CallTool(t, session, "getStructure", map[string]any{"resource_id": "flat", "format": "outline"})
	if !strings.Contains(outline, "all on one level. cursor \"\" with format json gives them in parts") || strings.Contains(outline, "node_id") {
		t.Errorf("%.1000s", outline[max(0, len(outline)-500):])
	}
	part, result := mcptest.CallTool(t, session, "getStructure", map[string]any{"resource_id": "flat", "format": "json", "cursor": ""})
	if result.IsError || !strings.Contains(part, `"next_cursor"`) {
		t.Errorf("%.500s", part)
	}
}

// TestStringifiedArguments has lists and groups that are written as strings.
func TestStringifiedArguments(t *testing.T) {
	session := findingServer(t)
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"getContents", map[string]any{"ids": `["text://poem#lines=4","poem.first.a"]`}, "four"},
		{"getContents", map[string]any{"ids": ` [ "poem.first.a" ] `, "include": `["text"]`}, "one"},
		{"search", map[string]any{"query": "four", "filters": `{"resources": "[\"poem\"]"}`}, "text://poem"},
	} {
		if text, result := mcptest.CallTool(t, session, test.tool, test.arguments); result.IsError || !strings.Contains(text, test.want) || strings.Contains(text, "NOT_FOUND") {
			t.Errorf("%v: %s", test.arguments, text)
		}
	}
	if text, _ := mcptest.CallTool(t, session, "getContents", map[string]any{"ids": "first.a"}); !strings.Contains(text, "Node 'first.a' not found. Did you mean 'poem.first.a'?") {
		t.Errorf("a node without its resource: %s", text)
	}
	if text, _ := mcptest.CallTool(t, session, "getContents", map[string]any{"ids": "[poem"}); !strings.Contains(text, "'[poem' not found") {
		t.Errorf("a text that is no list: %s", text)
	}
}

// A source that cannot be read, although it has not changed, is not to be mapped again.
func TestHintOfDamaged(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("torn.pdf", []byte("%PDF-1.4\ntorn"))
	if err := ws.WriteMap(t.Context(), "torn", []byte(`{"resource_id":"torn","type":"document","title":"Torn","source_path":"torn.pdf","nodes":[]}`)); err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	searcher := search.New(lib, nil)
	defer searcher.Close()
	session := mcptest.Connect(t, mcpadapter.NewServer(lib, &mcpadapter.Options{Searcher: searcher}), nil)
	text, _ := mcptest.CallTool(t, session, "search", map[string]any{"query": "coffee"})
	if !strings.Contains(text, "a person replaces 'torn.pdf'") || strings.Contains(text, "map them again") {
		t.Error(text)
	}
}

// TestHintsOfStale has a changed and a deleted source: each tool says which they
// are and how to map them, if the server can.
func TestHintsOfStale(t *testing.T) {
	session := func(write bool) *mcp.ClientSession {
		ws := workspace.NewMemory(nil)
		ws.AddSource("in mail/tea.txt", []byte("Green coffee.\n"))
		ws.AddSource("poem.txt", []byte(mcptest.Poem))
		lib := citekit.New(ws, modality.All(), nil)
		for id, m := range map[string]string{
			"tea":  `{"resource_id": "tea", "type": "text", "title": "Tea", "source_path": "in mail/tea.txt", "nodes": [{"id": "all", "location": {"modality": "text", "lines": [1, 1]}}], "metadata": {"source_hash": "` + hashOf("Green tea.\n") + `"}}`,
			"gone": `{"resource_id": "gone", "type": "text", "title": "Gone", "source_path": "gone.txt", "nodes": [], "metadata": {"source_hash": "` + hashOf("x") + `"}}`,
			"poem": mcptest.PoemMap,
		} {
			if err := ws.WriteMap(t.Context(), id, []byte(m)); err != nil {
				t.Fatal(err)
			}
		}
		files := corpus.New(lib, &corpus.Options{AgentsIngest: write})
		t.Cleanup(func() { files.Close() })
		return mcptest.Connect(t, files.Server(), nil)
	}
	for write, how := range map[bool]string{true: `ingest does it, with paths ["in mail/tea.txt"]`, false: "a person does it, with citekit ingest 'in mail/tea.txt'"} {
		session := session(write)
		told := func(tool string, arguments map[string]any, want ...string) {
			t.Helper()
			text, result := mcptest.CallTool(t, session, tool, arguments)
			if !result.IsError {
				var answer any
				if err := json.Unmarshal([]byte(text), &answer); err != nil {
					t.Fatal(err)
				}
				text = strings.NewReplacer(`\"`, `"`).Replace(text)
			}
			for _, want := range want {
				if !strings.Contains(text, want) {
					t.Errorf("%s %v: %s; want %s", tool, arguments, text, want)
				}
			}
		}
		both := how + "; gone: a person restores 'gone.txt', or removes the resource with citekit rm"
		left := "2 resources left out because their sources changed, are gone or cannot be read: gone, tea; map them again if they changed: " + both
		told("search", map[string]any{"query": "coffee"}, left)
		told("findSimilar", map[string]any{"text": "coffee"}, left)
		told("getContext", map[string]any{"task": "coffee"}, "2 resources left out, as the sources changed or are gone: gone, tea; map them again if they changed: "+both)
		told("resolve", map[string]any{"resource_id": "tea", "node_id": "all"}, "Hint: The source has changed since it was mapped and must be mapped again before it is cited: "+how+".")
		told("getContents", map[string]any{"ids": "tea"}, "map it again: source has changed; "+how)
		told("verify", map[string]any{"quote": "Green coffee", "address": "text://tea"}, how)
		told("listResources", nil, `"state":"stale"`, `"state":"vanished"`)
		gone := "a person does it, with citekit ingest FILE."
		if write {
			gone = "ingest does it, with the path."
		}
		told("resolve", map[string]any{"address": "text://gone"}, "the source must be restored or mapped again: "+gone)
	}
}

// TestHintsOfNoMaps checks that every tool that finds nothing as nothing is mapped
// says how to map files.
func TestHintsOfNoMaps(t *testing.T) {
	session := finding(t, workspace.NewMemory(nil))
	for tool, arguments := range map[string]map[string]any{
		"listResources": {}, "search": {"query": "tea"}, "getContext": {"task": "tea"}, "answer": {"question": "What is tea?"}, "findSimilar": {"text": "tea"}, "verify": {"quote": "tea"},
	} {
		if text, result := mcptest.CallTool(t, session, tool, arguments); result.IsError || !strings.Contains(text, `"hint":"no file is mapped here yet; ingest the files first: a person does it, with citekit ingest FILE"`) {
			t.Errorf("%s: %s", tool, text)
		}
	}
}

// TestWhichToolsCite checks that the instructions name the tools that give
// addresses to cite, and the prompts what getContents takes.
func TestWhichToolsCite(t *testing.T) {
	session := findingServer(t)
	if said := session.InitializeResult().Instructions; !strings.Contains(said, "Cite every claim with the address that search or resolve returned,") {
		t.Error(said)
	}
	if said := session.InitializeResult().Instructions; !strings.Contains(said, "Never make up or change an address; for that of a row or a page, ask getContents to include runs. Titles") {
		t.Error(said)
	}
	few := mcptest.Connect(t, mcpadapter.NewServer(mcptest.StandardLibrary(t), nil), nil)
	if said := few.InitializeResult().Instructions; !strings.Contains(said, "Never make up or change an address. Titles") {
		t.Error(said)
	}
	if said := few.InitializeResult().Instructions; !strings.Contains(said, "the address that resolve returned,") {
		t.Error(said)
	}
	prompt, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "cite_answer", Arguments: map[string]string{"question": "Why?"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := prompt.Messages[0].Content.(*mcp.TextContent).Text; !strings.Contains(text, "with the addresses of the best ones, or with nodes as resource.node") {
		t.Error(text)
	}
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
