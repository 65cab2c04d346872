package mcpadapter_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// TestStorageFault has an evidence directory that cannot be made: the answer
// says so, and does not blame the source.
func TestStorageFault(t *testing.T) {
	answer := resolvePoem(t, &workspace.Options{EvidenceDir: strings.Repeat("x", 300)})
	if !strings.Contains(answer, "the evidence directory cannot be ") || !strings.Contains(answer, "Hint: The source is not at fault") {
		t.Errorf("%s", answer)
	}
}

// TestEvidenceLimit has no room for evidence: a smaller node would not help.
func TestEvidenceLimit(t *testing.T) {
	answer := resolvePoem(t, &workspace.Options{MaxEvidenceBytes: 1})
	if !strings.Contains(answer, "Code: TOO_LARGE") || !strings.Contains(answer, "Hint: The node is not at fault") || strings.Contains(answer, "smaller") {
		t.Errorf("%s", answer)
	}
}

// resolvePoem returns what resolve says of a node whose evidence cannot be stored. It
// must not name the directory.
func resolvePoem(t *testing.T, opts *workspace.Options) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string]string{"poem.txt": mcptest.Poem, ".resource_maps/poem.json": mcptest.PoemMap} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: &text.Resolver{}}, nil)
	defer lib.Close()
	answer, result := mcptest.CallTool(t, mcptest.Connect(t, mcpadapter.NewServer(lib, nil), nil), "resolve", map[string]any{"resource_id": "poem", "node_id": "second"})
	if !result.IsError || strings.Contains(answer, dir) {
		t.Errorf("%s", answer)
	}
	return answer
}

// TestHintsOfOtherTools has a tool that the program adds, which reads an address or
// a map: the hint is about what is at fault.
func TestHintsOfOtherTools(t *testing.T) {
	lib := mcptest.StandardLibrary(t)
	server := mcpadapter.NewServer(lib, nil)
	type in struct{ Address, ID string }
	mcp.AddTool(server, &mcp.Tool{Name: "words"}, func(ctx context.Context, _ *mcp.CallToolRequest, in in) (*mcp.CallToolResult, any, error) {
		if in.Address == "" {
			_, err := lib.Map(ctx, in.ID)
			return nil, nil, err
		}
		a, err := citekit.ParseAddress(in.Address)
		if err != nil {
			return nil, nil, err
		}
		_, err = lib.ResolveAddress(ctx, a, nil)
		return nil, nil, err
	})
	mcp.AddTool(server, &mcp.Tool{Name: "file"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		_, err := os.Open("missing.cfg")
		return nil, nil, err
	})
	session := mcptest.Connect(t, server, nil)
	const correct = "Hint: Correct the address: getStructure shows those of the nodes."
	for _, test := range []struct {
		tool string
		args any
		want string
	}{
		{"words", in{Address: "text://poem#lines=99"}, correct},
		{"words", in{Address: "doc://poem#pages=1"}, correct},
		{"words", in{Address: "text://peom"}, "Hint: listResources lists the resources."},
		{"words", in{Address: "text://a/b"}, "Code: INVALID_INPUT"},
		{"words", in{ID: "a/b"}, "Hint: listResources lists the resources."},
		{"file", struct{}{}, "Code: NOT_FOUND"},
	} {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: test.tool, Arguments: test.args})
		if err != nil {
			t.Fatal(err)
		}
		got := result.Content[0].(*mcp.TextContent).Text
		hasHint := strings.Contains(got, "Hint: ")
		if !strings.Contains(got, test.want) || hasHint != strings.HasPrefix(test.want, "Hint: ") || strings.Contains(got, "not the call") {
			t.Errorf("%s %v: %s; want %s", test.tool, test.args, got, test.want)
		}
	}
}

// TestPlaceOfOwnModality has a place in a resource of a modality of one's own as the
// id of a node: the address to use is of that modality.
func TestPlaceOfOwnModality(t *testing.T) {
	lib := citekit.New(workspace.NewMemory(nil), citekit.Resolvers{citekit.Text: &text.Resolver{}}, nil)
	defer lib.Close()
	if err := lib.Save(t.Context(), &citekit.ResourceMap{ResourceID: "plant", Type: "chat", SourcePath: "plant.jsonl"}); err != nil {
		t.Fatal(err)
	}
	session := mcptest.Connect(t, mcpadapter.NewServer(lib, nil), nil)
	got, _ := mcptest.CallTool(t, session, "getNode", map[string]any{"resource_id": "plant", "node_id": "message=1"})
	if want := "Hint: This is a place, not a node: pass address chat://plant#message=1 in place of both ids. getStructure shows the nodes."; !strings.Contains(got, want) {
		t.Errorf("%s; want %s", got, want)
	}
}
