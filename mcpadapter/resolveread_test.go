package mcpadapter_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// A readEvidence is an answer of resolve with the text.
type readEvidence struct {
	Address    string
	OutputPath *string `json:"output_path"`
	Text       *string
	Tokens     int
	Note       string
	Complete   *bool
	NextCursor string `json:"next_cursor"`
}

// resolveRead calls resolve, and returns the JSON of its answer and the pictures
// behind it.
func resolveRead(t *testing.T, session *mcp.ClientSession, arguments map[string]any) (got readEvidence, answer string, pictures int) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "resolve", Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	answer = result.Content[0].(*mcp.TextContent).Text
	if result.IsError {
		t.Fatal(answer)
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		t.Fatal(err, answer)
	}
	for _, block := range result.Content {
		if _, ok := block.(*mcp.ImageContent); ok {
			pictures++
		}
	}
	return got, answer, pictures
}

func TestResolveIncludes(t *testing.T) {
	session := findingServer(t)
	for _, arguments := range []map[string]any{
		{"resource_id": "poem", "node_id": "first", "include": []any{"text"}},
		{"address": "text://poem#lines=1-2", "include": "text"},
	} {
		got, answer, _ := resolveRead(t, session, arguments)
		if got.OutputPath == nil || got.Text == nil || *got.Text != "one\ntwo\n" || got.Tokens != 2 || !*got.Complete || got.Address != "text://poem#lines=1-2" {
			t.Error(answer)
		}
	}
	got, answer, pictures := resolveRead(t, session, map[string]any{"resource_id": "red", "node_id": "all", "include": []any{"text", "image"}})
	if pictures != 1 || got.Text == nil || *got.Text != "" || got.Note == "" {
		t.Error(pictures, answer)
	}
	got, answer, pictures = resolveRead(t, session, map[string]any{"address": "image://red#bbox=0,0,0.5,0.5", "include": []any{"image"}, "virtual": true})
	if pictures != 1 || got.Text != nil || got.OutputPath != nil || !*got.Complete {
		t.Error(pictures, answer)
	}
	if got, answer, _ := resolveRead(t, session, map[string]any{"resource_id": "poem", "node_id": "first"}); got.Text != nil || got.Complete != nil {
		t.Error("nothing is included: ", answer)
	}
	for name, arguments := range map[string]map[string]any{
		"include":    {"resource_id": "poem", "node_id": "first", "include": []any{"runs"}},
		"max_tokens": {"resource_id": "poem", "node_id": "first", "include": []any{"text"}, "max_tokens": 20},
	} {
		if text, result := mcptest.CallTool(t, session, "resolve", arguments); !result.IsError || !strings.Contains(text, "INVALID_INPUT") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestResolveCells asks for the cells of tables.
func TestResolveCells(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("page.html", []byte("<p>Before</p><table><tr><th colspan=2>Region<th>Q3<tr><td rowspan=2>North<td>a<td>(910)<tr><td>b<td>=1+2</table>"))
	data := `{"resource_id": "page", "type": "text", "title": "", "source_path": "page.html", "nodes": [{"id": "all", "type": "x", "location": {"modality": "text"}}]}`
	if err := ws.WriteMap(t.Context(), "page", []byte(data)); err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &text.Resolver{}}, nil)
	t.Cleanup(func() { lib.Close() })
	session := mcptest.Connect(t, mcpadapter.NewServer(lib, &mcpadapter.Options{Contents: contents.New(lib, nil)}), nil)
	_, answer, _ := resolveRead(t, session, map[string]any{"address": "text://page#table=1&cells=A2:C3", "include": []any{"cells"}})
	var got struct {
		Table struct {
			At, Extent, CSV string
			Cells           []struct{ At, Text string }
		}
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil || got.Table.At != "blocks=2&cells=A2:C3" || got.Table.Extent != "A1:C3" || len(got.Table.Cells) != 5 || got.Table.Cells[0].At != "A2:A3" || got.Table.CSV != "North,a,(910)\r\n,b,=1+2\r\n" {
		t.Error(err, answer)
	}
	if text, result := mcptest.CallTool(t, session, "resolve", map[string]any{"address": "text://page#blocks=1", "include": []any{"cells"}}); !result.IsError || !strings.Contains(text, "is not one table") {
		t.Error(text)
	}
}

// longServer returns a session with a server over a long text.
func longServer(t *testing.T, ws *workspace.Memory) *mcp.ClientSession {
	t.Helper()
	var lines strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&lines, "line %d has <a few> \"words\"\n", i+1)
	}
	ws.AddSource("long.txt", []byte(lines.String()))
	data := `{"resource_id": "long", "type": "text", "title": "", "source_path": "long.txt", "nodes": [{"id": "all", "type": "x", "location": {"modality": "text"}}]}`
	if err := ws.WriteMap(t.Context(), "long", []byte(data)); err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &text.Resolver{}}, nil)
	t.Cleanup(func() { lib.Close() })
	return mcptest.Connect(t, mcpadapter.NewServer(lib, &mcpadapter.Options{Contents: contents.New(lib, nil)}), nil)
}

// TestResolveMaxTokens checks that the answer never has more tokens than asked
// for, and that getContents goes on where it ends.
func TestResolveMaxTokens(t *testing.T) {
	session := longServer(t, workspace.NewMemory(nil))
	for _, most := range []int{300, 500, 4000} {
		got, answer, _ := resolveRead(t, session, map[string]any{"resource_id": "long", "node_id": "all", "include": []any{"text"}, "max_tokens": most})
		if n := plain.CountTokens(answer); n > most || *got.Complete || got.NextCursor == "" || len(*got.Text) < most {
			t.Errorf("%d tokens of %d: %.500s", n, most, answer)
		}
		next, result := mcptest.CallTool(t, session, "getContents", map[string]any{"ids": []any{got.Address}, "cursor": got.NextCursor, "max_tokens": 300})
		var read struct{ Contents []struct{ Text string } }
		if err := json.Unmarshal([]byte(next), &read); err != nil || result.IsError {
			t.Fatal(next)
		}
		last := strings.Count(*got.Text, "\n")
		if want := fmt.Sprintf("line %d has", last+1); !strings.HasPrefix(read.Contents[0].Text, want) {
			t.Errorf("%.100q does not go on behind line %d", read.Contents[0].Text, last)
		}
	}
}

// TestResolveIncludesPinned checks that neither text nor evidence of another
// version than an address pins is given.
func TestResolveIncludesPinned(t *testing.T) {
	ws := workspace.NewMemory(nil)
	session := longServer(t, ws)
	hash := func() string {
		_, answer, _ := resolveRead(t, session, map[string]any{"address": "text://long#lines=1"})
		var e struct {
			SourceHash string `json:"source_hash"`
		}
		if err := json.Unmarshal([]byte(answer), &e); err != nil || e.SourceHash == "" {
			t.Fatal(answer)
		}
		return e.SourceHash
	}()
	pinned := map[string]any{"address": "text://long#lines=1&v=" + hash[:12], "include": []any{"text", "image"}}
	if got, answer, _ := resolveRead(t, session, pinned); !strings.HasPrefix(*got.Text, "line 1 has") || !strings.Contains(got.Address, "v=") {
		t.Error(answer)
	}
	for name, address := range map[string]string{"STALE": "text://long#lines=1&v=00000000"} {
		text, result := mcptest.CallTool(t, session, "resolve", map[string]any{"address": address, "include": []any{"text"}})
		if !result.IsError || !strings.Contains(text, name) || strings.Contains(text, "line 1 has") {
			t.Error(text)
		}
	}
	ws.AddSource("long.txt", []byte("something else\n"))
	if text, result := mcptest.CallTool(t, session, "resolve", pinned); !result.IsError || !strings.Contains(text, "STALE") || strings.Contains(text, "something else") {
		t.Error(text)
	}
}

// TestResolveIncludesVirtual has nodes that are addresses elsewhere: the answer
// says why there is no text.
func TestResolveIncludesVirtual(t *testing.T) {
	ws := workspace.NewMemory(nil)
	session := longServer(t, ws)
	data := `{"resource_id": "links", "type": "virtual", "title": "", "source_path": "", "nodes": [
		{"id": "there", "type": "x", "location": {"modality": "virtual", "virtual_address": "text://long#lines=2"}},
		{"id": "nowhere", "type": "x", "location": {"modality": "virtual", "virtual_address": "text://nobody#lines=2"}}]}`
	if err := ws.WriteMap(t.Context(), "links", []byte(data)); err != nil {
		t.Fatal(err)
	}
	for _, node := range []string{"there", "nowhere"} {
		got, answer, pictures := resolveRead(t, session, map[string]any{"resource_id": "links", "node_id": node, "include": []any{"text", "image"}})
		if got.Text == nil || *got.Text != "" || pictures != 0 || !strings.Contains(got.Note, "at another address") {
			t.Error(answer)
		}
	}
}
