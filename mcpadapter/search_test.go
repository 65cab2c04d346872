package mcpadapter_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	_ "image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// findingServer returns a session with a server over the poem and a red picture
// that can search and read.
func findingServer(t *testing.T) *mcp.ClientSession {
	t.Helper()
	var picture bytes.Buffer
	red := image.NewUniform(color.RGBA{255, 0, 0, 255})
	square := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for i := range 40 * 30 {
		square.Set(i%40, i/40, red.C)
	}
	if err := png.Encode(&picture, square); err != nil {
		t.Fatal(err)
	}
	ws := workspace.NewMemory(nil)
	ws.AddSource("poem.txt", []byte(mcptest.Poem))
	ws.AddSource("red.png", picture.Bytes())
	ws.AddSource("notes.md", []byte("# Notes\n\nAbout [the poem](poem.txt#L1-L2), a zebra.\n"))
	for id, data := range map[string]string{
		"poem":  mcptest.PoemMap,
		"notes": `{"resource_id": "notes", "type": "text", "title": "Notes", "source_path": "notes.md", "nodes": []}`,
		"red":   `{"resource_id": "red", "type": "image", "title": "Red", "source_path": "red.png", "nodes": [{"id": "all", "title": "A red square", "type": "image", "location": {"modality": "image"}}]}`,
	} {
		if err := ws.WriteMap(t.Context(), id, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	return finding(t, ws)
}

// finding returns a session with a server over ws that has all tools that read.
func finding(t *testing.T, ws citekit.Workspace) *mcp.ClientSession {
	t.Helper()
	files := corpus.New(citekit.New(ws, modality.All(), nil), nil)
	t.Cleanup(func() { files.Close() })
	return mcptest.Connect(t, files.Server(), nil)
}

// TestFindingSchemas checks calls and answers against the schemas the server
// gives, and that all definitions together stay small.
func TestFindingSchemas(t *testing.T) {
	sharedtest.NotShort(t)
	session := findingServer(t)
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	all, err := json.Marshal(tools.Tools)
	t.Logf("%d bytes", len(all))
	if err != nil || len(all) > 16_000 { // a token is about four bytes
		t.Errorf("the definitions have %d bytes, %v", len(all), err)
	}
	for _, tool := range tools.Tools {
		arguments := map[string]map[string]any{
			"search": {
				"query": "three", "top_k": 5, "by": "nodes", "mode": "hybrid", "timeout_ms": 2000, "include": []any{"rationale"},
				"filters": map[string]any{"resources": []any{"poem"}, "after": "2020-01-01", "before": "2025-12-31", "path": "*.txt"},
			},
			"findSimilar": {"query": "three four", "by": "passages", "top_k": 3, "filters": map[string]any{"labels": []any{}, "resources": []any{"poem"}}},
			"getContext":  {"query": "what comes after three", "max_tokens": 200, "timeout_ms": 2000},
			"answer":      {"query": "What comes after three?", "type": "extractive", "top_k": 2, "max_tokens": 100, "rationale": true, "timeout_ms": 2000},
			"resolve":     {"address": "text://poem#lines=1-2", "include": []any{"text"}, "max_tokens": 900, "timeout_ms": 20000},
			"info":        {},
			"verify":      {"text": "It says “three” [text://poem], and more.", "strict": false, "timeout_ms": 20000},
			"getContents": {"addresses": []any{"poem.first"}, "include": []any{"text", "runs"}, "expand": []any{"children", "relations"}, "hops": 2, "max_tokens": 900},
		}[tool.Name]
		if arguments == nil {
			continue
		}
		if err := schema(t, tool.InputSchema).Validate(arguments); err != nil {
			t.Errorf("%s: input: %v", tool.Name, err)
		}
		text, result := mcptest.CallTool(t, session, tool.Name, arguments)
		if result.IsError {
			t.Errorf("%s: %s", tool.Name, text)
		}
		if tool.OutputSchema == nil {
			if result.StructuredContent != nil {
				t.Errorf("%s: structured content without a schema", tool.Name)
			}
			continue
		}
		var output any
		if err := json.Unmarshal([]byte(text), &output); err != nil {
			t.Fatal(err)
		}
		if err := schema(t, tool.OutputSchema).Validate(output); err != nil {
			t.Errorf("%s: output: %v in %s", tool.Name, err, text)
		}
	}
}

func TestSearchTool(t *testing.T) {
	session := findingServer(t)
	text, _ := mcptest.CallTool(t, session, "search", map[string]any{"query": "four"})
	var found struct {
		Results []struct {
			ResourceID string   `json:"resource_id"`
			NodeID     string   `json:"node_id"`
			Address    string   `json:"address"`
			Snippet    string   `json:"snippet"`
			Highlights [][2]int `json:"highlights"`
		} `json:"results"`
		Total    int  `json:"total"`
		Complete bool `json:"complete"`
	}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Results) != 1 || found.Total != 1 || !found.Complete {
		t.Fatal(text)
	}
	r := found.Results[0]
	if points := []rune(r.Snippet); r.Address != "text://poem#lines=4-5" && r.Address != "text://poem#lines=3-5" ||
		len(r.Highlights) != 1 || string(points[r.Highlights[0][0]:r.Highlights[0][1]]) != "four" {
		t.Error(text)
	}
	if text, _ := mcptest.CallTool(t, session, "search", map[string]any{"query": "red square"}); !strings.Contains(text, `"image://red"`) {
		t.Error(text)
	}
}

func TestSearchToolErrors(t *testing.T) {
	session := findingServer(t)
	for name, arguments := range map[string]map[string]any{
		"no query":       {},
		"an empty query": {"query": " "},
		"top_k 0":        {"query": "x", "top_k": 0},
		"top_k 51":       {"query": "x", "top_k": 51},
		"by":             {"query": "x", "by": "pages"},
		"unknown filter": {"query": "x", "filters": map[string]any{"colour": "red"}},
		"filters":        {"query": "x", "filters": "red"},
		"after":          {"query": "x", "filters": map[string]any{"after": "yesterday"}},
		"mode":           {"query": "x", "mode": "near"},
		"include":        {"query": "x", "include": []any{"everything"}},
		"a long query":   {"query": strings.Repeat("x", 200<<10)},
	} {
		text, result := mcptest.CallTool(t, session, "search", arguments)
		if !result.IsError || !strings.Contains(text, "INVALID_INPUT") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestGetContents(t *testing.T) {
	session := findingServer(t)
	text, _ := mcptest.CallTool(t, session, "getContents", map[string]any{"ids": []any{"poem.first", "text://poem#lines=5", "poem.beyond", "nobody"}})
	var read struct {
		Contents []struct {
			ID, Text, Address string
			Error             *struct{ Code, Message string }
		}
		Complete bool
	}
	if err := json.Unmarshal([]byte(text), &read); err != nil || len(read.Contents) != 4 {
		t.Fatal(text, err)
	}
	if c := read.Contents; c[0].Text != "one\ntwo\n" || c[0].Address != "text://poem#lines=1-2" || c[1].Text != "five\n" ||
		c[2].Error == nil || c[2].Error.Code != "INVALID_INPUT" || c[3].Error == nil || c[3].Error.Code != "NOT_FOUND" {
		t.Error(text)
	}
	if text, result := mcptest.CallTool(t, session, "getContents", map[string]any{"ids": "poem", "cursor": "zzz"}); !result.IsError {
		t.Error(text)
	}
}

// TestRelated reads and finds what is linked.
func TestRelated(t *testing.T) {
	sharedtest.NotShort(t)
	session := findingServer(t)
	const relation = `"from":"text://notes#lines=3-3","to":"text://poem#lines=1-2"`
	for expand, want := range map[any]bool{"relations": true, "children": false} {
		text, _ := mcptest.CallTool(t, session, "getContents", map[string]any{"ids": "notes", "expand": expand})
		if strings.Contains(text, `"relation":{"kind":"hyperlink",`+relation) != want || strings.Contains(text, `"text":"one\ntwo\n"`) != want {
			t.Errorf("%v: %s", expand, text)
		}
	}
	if text, result := mcptest.CallTool(t, session, "getContents", map[string]any{"ids": "notes", "expand": "relations", "hops": 3}); !result.IsError || !strings.Contains(text, "give 0 to 2") {
		t.Error(text)
	}
	for mode, want := range map[string]bool{"graph": true, "hybrid": true, "auto": false} {
		text, _ := mcptest.CallTool(t, session, "search", map[string]any{"query": "zebra", "mode": mode})
		if strings.Contains(text, `"relation":"hyperlink",`+relation) != want {
			t.Errorf("%s: %s", mode, text)
		}
	}
	if text, _ := mcptest.CallTool(t, session, "search", map[string]any{"query": "zebra", "filters": map[string]any{"labels": "none"}}); !strings.Contains(text, `"hint":"nothing has the label `) {
		t.Error(text)
	}
}

// TestGetContentsImage checks that a model can see what it asks for.
func TestGetContentsImage(t *testing.T) {
	session := findingServer(t)
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "getContents", Arguments: map[string]any{
		"ids": []any{"red.all", "poem.first"}, "include": []any{"image"},
	}})
	if err != nil || result.IsError || result.StructuredContent != nil {
		t.Fatal(result, err)
	}
	var pictures int
	for _, block := range result.Content {
		shown, ok := block.(*mcp.ImageContent)
		if !ok {
			continue
		}
		pictures++
		img, _, err := image.Decode(bytes.NewReader(shown.Data))
		if err != nil {
			t.Fatal(err)
		}
		if r, g, b, _ := img.At(20, 15).RGBA(); r < 0xf000 || g > 0x1000 || b > 0x1000 {
			t.Errorf("the middle is %x %x %x", r, g, b)
		}
	}
	if pictures != 1 {
		t.Errorf("%d pictures", pictures)
	}
	last, ok := result.Content[len(result.Content)-1].(*mcp.TextContent)
	if !ok || !strings.HasPrefix(last.Text, "No picture of text://poem#lines=1-2. ") || !strings.Contains(last.Text, "pages of PDF") || !strings.Contains(last.Text, "include text reads the words, and resolve ") {
		t.Errorf("of a text without pictures: %+v", result.Content)
	}
}

// TestGetContentsImageOfOfficeFile checks that a file that has no
// pictures is named, with what to do instead, although its text is read.
func TestGetContentsImageOfOfficeFile(t *testing.T) {
	var memo bytes.Buffer
	w := zip.NewWriter(&memo)
	for name, data := range map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"_rels/.rels":         `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml":   `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>A zebra crosses.</w:t></w:r></w:p></w:body></w:document>`,
	} {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	ws := workspace.NewMemory(nil)
	ws.AddSource("memo.docx", memo.Bytes())
	if err := ws.WriteMap(t.Context(), "memo", []byte(`{"resource_id": "memo", "type": "document", "title": "Memo", "source_path": "memo.docx", "nodes": []}`)); err != nil {
		t.Fatal(err)
	}
	result, err := finding(t, ws).CallTool(t.Context(), &mcp.CallToolParams{Name: "getContents", Arguments: map[string]any{
		"ids": []any{"doc://memo#blocks=1"}, "include": []any{"text", "image"},
	}})
	if err != nil || result.IsError || len(result.Content) != 2 || !strings.Contains(result.Content[0].(*mcp.TextContent).Text, "A zebra crosses.") {
		t.Fatal(result, err)
	}
	if note, ok := result.Content[1].(*mcp.TextContent); !ok || !strings.HasPrefix(note.Text, "No picture of doc://memo#blocks=1. Pictures are made of pages of PDF, ") {
		t.Errorf("%+v", result.Content[1])
	}
}

// TestNoPicture checks that the address is told once.
func TestNoPicture(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("red.png", []byte("no picture"))
	if err := ws.WriteMap(t.Context(), "red", []byte(`{"resource_id": "red", "type": "image", "title": "Red", "source_path": "red.png", "nodes": []}`)); err != nil {
		t.Fatal(err)
	}
	result, err := finding(t, ws).CallTool(t.Context(), &mcp.CallToolParams{Name: "getContents", Arguments: map[string]any{"ids": "red", "include": "image"}})
	if err != nil {
		t.Fatal(err)
	}
	last, ok := result.Content[len(result.Content)-1].(*mcp.TextContent)
	if !ok || !strings.HasPrefix(last.Text, "No picture of image://red: ") || strings.Count(last.Text, "image://red") != 1 {
		t.Errorf("%+v", last)
	}
}
