package mcpadapter_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/workspace"
)

// hiddenSource has in its lines, titles and ids what cannot be seen, and what a
// script needs.
const hiddenSource = "The zebra\u202e sleeps\u200b at\u2066 noon\u2069 \U000E0041\U000E0042 \x1b[2J\x07\b\u009b31m today.\n" +
	"می\u200cخواهم 👩\u200d🔬 is how a zebra is\u3164 spelt.\n"

const hiddenMap = `{"resource_id": "zoo", "type": "text", "title": "Zoo \u202e\u0007", "source_path": "zoo.txt", "kept\u200b": "\udb40\udc41",
	"nodes": [{"id": "line\u200bone", "title": "One \u2066", "type": "line", "summary": "\u001b[31m", "location": {"modality": "text", "lines": [1, 1]}, "children": []},
		{"id": "two", "title": "Two", "type": "line", "location": {"modality": "text", "lines": [2, 2]}, "children": []}]}`

// hidesNothing checks that no string in a value has a character that cannot be
// seen.
func hidesNothing(t *testing.T, what string, v any) (data []byte) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(what, err)
	}
	if _, n := plain.ShowHiddenJSON(data); n > 0 {
		t.Errorf("%s hides %d characters: %.600s", what, n, data)
	}
	return data
}

func hiddenServer(t *testing.T) (*mcp.ClientSession, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/zoo.txt", []byte(hiddenSource), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := ws.WriteMap(t.Context(), "zoo", []byte(hiddenMap)); err != nil {
		t.Fatal(err)
	}
	return finding(t, ws), dir
}

// TestHiddenCharacters calls every tool that shows texts of a file, and reads
// every kind of resource: in no place of an answer is a character that cannot be
// seen, the answer says that it has codes, and text and structure are the same.
func TestHiddenCharacters(t *testing.T) {
	session, _ := hiddenServer(t)
	const quote = "The zebra\u202e sleeps"
	for _, call := range []struct {
		tool      string
		arguments map[string]any
		want      string // in the text
	}{
		{"listResources", nil, `"title":"Zoo \\u202E\\u0007"`},
		{"getStructure", map[string]any{"resource_id": "zoo"}, `"kept\\u200B":"\\U000E0041"`},
		{"getStructure", map[string]any{"resource_id": "zoo", "depth": 0}, `"summary":"\\u001B[31m"`},
		{"getStructure", map[string]any{"resource_id": "zoo", "format": "outline"}, `line\u200Bone`},
		{"getNode", map[string]any{"resource_id": "zoo", "node_id": "line\u200bone"}, `"id":"line\\u200Bone"`},
		{"getNode", map[string]any{"resource_id": "zoo", "node_id": `line\u200Bone`}, `"id":"line\\u200Bone"`}, // as it is shown
		{"resolve", map[string]any{"resource_id": "zoo", "node_id": `line\u200Bone`, "include": "text"}, `\\u001B[2J\\u0007\\u0008\\u009B31m`},
		{"search", map[string]any{"query": "zebra sleeps", "include": []string{"highlights", "rationale"}}, `zebra\\u202E sleeps\\u200B`},
		{"search", map[string]any{"query": "noon today", "by": "nodes"}, `\\u2066`},
		{"findSimilar", map[string]any{"text": "a zebra sleeps at noon"}, `zebra\\u202E`},
		{"getContext", map[string]any{"task": "when does the zebra sleep"}, `zebra\\u202E`},
		{"getContents", map[string]any{"ids": []string{"zoo", `zoo.line\u200Bone`}, "include": []string{"text", "runs"}}, `\\U000E0041\\U000E0042`},
		{"answer", map[string]any{"question": "When does the zebra sleep?"}, `zebra\\u202E`},
		{"verify", map[string]any{"quote": quote + " by night", "resource_id": "zoo"}, `\\u202E`},
		{"verify", map[string]any{"text": "“" + quote + "” [text://zoo#lines=1]"}, `"quote":"The zebra\\u202E sleeps"`},
	} {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: call.tool, Arguments: call.arguments})
		if err != nil || result.IsError {
			t.Fatal(call.tool, err, result.Content[0])
		}
		hidesNothing(t, call.tool, result)
		text := result.Content[0].(*mcp.TextContent).Text
		if !strings.Contains(text, call.want) || !strings.Contains(text, "that cannot be seen ") {
			t.Errorf("%s %v: no %s and no word of it in %s", call.tool, call.arguments, call.want, text)
		}
		if strings.Contains(text, "خواهم") && (!strings.Contains(text, "می\u200cخواهم") || !strings.Contains(text, "👩\u200d🔬")) {
			t.Errorf("%s spells a word or an emoji without its joiner: %s", call.tool, text)
		}
		var alone, structured any
		if result.StructuredContent == nil || call.arguments["format"] != nil {
			continue
		}
		data, err := json.Marshal(result.StructuredContent)
		if json.Unmarshal(data, &structured) != nil || json.Unmarshal([]byte(text), &alone) != nil || !reflect.DeepEqual(alone, structured) {
			t.Errorf("%s: %v: text and structure differ: %s %s", call.tool, err, text, data)
		}
	}
	for _, uri := range []string{"citekit://maps/zoo", "citekit://nodes/zoo/line%E2%80%8Bone", "text://zoo#lines=1"} {
		result, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatal(uri, err)
		}
		if data := hidesNothing(t, uri, result); !strings.Contains(string(data), "that cannot be seen ") {
			t.Errorf("%s does not say that it has codes: %s", uri, data)
		}
		if last := result.Contents[len(result.Contents)-1]; strings.HasPrefix(uri, "text:") && string(last.Blob) != strings.SplitAfter(hiddenSource, "\n")[0] {
			t.Errorf("the exact bytes are %q", last.Blob)
		}
	}
	listed, err := session.ListResources(t.Context(), nil)
	hidesNothing(t, "resources/list", listed)
	prompt, promptErr := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "check_citations", Arguments: map[string]string{"text": quote}})
	if data := hidesNothing(t, "prompts/get", prompt); !strings.Contains(string(data), `\\u202E`) {
		t.Errorf("the prompt is %s", data)
	}
	completed, completeErr := session.Complete(t.Context(), &mcp.CompleteParams{
		Ref: &mcp.CompleteReference{Type: "ref/resource", URI: "citekit://nodes/{resource_id}/{node_id}"}, Argument: mcp.CompleteParamsArgument{Name: "node_id", Value: "line"},
		Context: &mcp.CompleteContext{Arguments: map[string]string{"resource_id": "zoo"}},
	})
	hidesNothing(t, "completion", completed)
	if err != nil || promptErr != nil || completeErr != nil {
		t.Fatal(err, promptErr, completeErr)
	}
	text, failed := mcptest.CallTool(t, session, "getNode", map[string]any{"resource_id": "zoo", "node_id": "n\u202eone\ufe0f\u3164"})
	if hidesNothing(t, "an error", failed); !strings.Contains(text, `n\u202Eone\uFE0F\u3164`) {
		t.Error(text)
	}
}

// TestHiddenHighlights checks that highlights and runs are those of the text as it
// is shown.
func TestHiddenHighlights(t *testing.T) {
	session, _ := hiddenServer(t)
	text, _ := mcptest.CallTool(t, session, "search", map[string]any{"query": "noon today"})
	var found struct {
		Results []struct {
			Snippet    string
			Highlights [][2]int
		}
	}
	if err := json.Unmarshal([]byte(text), &found); err != nil || len(found.Results) == 0 {
		t.Fatal(err, text)
	}
	var words []string
	for _, h := range found.Results[0].Highlights {
		words = append(words, string([]rune(found.Results[0].Snippet)[h[0]:h[1]]))
	}
	if got := strings.Join(words, " "); got != `noon\u2069 today` {
		t.Errorf("%q is highlighted in %s", got, text)
	}
	text, _ = mcptest.CallTool(t, session, "getContents", map[string]any{"ids": "zoo", "include": "runs"})
	var read struct {
		Contents []struct {
			Text string
			Runs []struct{ Start, End int }
		}
	}
	if err := json.Unmarshal([]byte(text), &read); err != nil || len(read.Contents) != 1 || len(read.Contents[0].Runs) == 0 {
		t.Fatal(err, text)
	}
	runs := read.Contents[0].Runs
	if end := runs[len(runs)-1].End; end != len([]rune(read.Contents[0].Text)) {
		t.Errorf("the runs end at %d of %s", end, text)
	}
}

// TestHiddenQuote copies a quote out of each text that a model is shown, and
// verifies it. The evidence file has the exact bytes.
func TestHiddenQuote(t *testing.T) {
	session, _ := hiddenServer(t)
	for tool, arguments := range map[string]map[string]any{
		"getContents": {"ids": "text://zoo#lines=1"},
		"search":      {"query": "zebra noon"},
		"getContext":  {"task": "zebra noon"},
		"resolve":     {"address": "text://zoo#lines=1", "include": "text"},
	} {
		text, result := mcptest.CallTool(t, session, tool, arguments)
		var quote string
		if i := strings.Index(text, "The zebra"); i >= 0 {
			text = text[i:]
			end := strings.Index(text, " today")
			if err := json.Unmarshal([]byte(`"`+text[:max(end, 0)]+`"`), &quote); err != nil {
				t.Fatal(tool, err, text)
			}
		}
		if result.IsError || !strings.Contains(quote, `\u202E`) {
			t.Fatal(tool, text)
		}
		for name, arguments := range map[string]map[string]any{
			"quote": {"quote": quote, "address": "text://zoo#lines=1"},
			"JSON":  {"quote": strings.ReplaceAll(quote, `\`, `\\`), "address": "text://zoo#lines=1"}, // copied out of the JSON text
			"text":  {"text": "It says “" + quote + "” [text://zoo#lines=1]."},
		} {
			if got, _ := mcptest.CallTool(t, session, "verify", arguments); !strings.Contains(got, `"holds":true`) || !strings.Contains(got, `"class":"exact"`) {
				t.Errorf("%s of %s: %s", name, tool, got)
			}
		}
		if got, _ := mcptest.CallTool(t, session, "verify", map[string]any{"quote": strings.Replace(quote, "sleeps", "runs", 1), "address": "text://zoo#lines=1"}); !strings.Contains(got, `"holds":false`) {
			t.Errorf("altered, of %s: %s", tool, got)
		}
	}
	got, answer, _ := resolveRead(t, session, map[string]any{"address": "text://zoo#lines=1"})
	if got.OutputPath == nil {
		t.Fatal(answer)
	}
	if data, err := os.ReadFile(*got.OutputPath); err != nil || string(data) != strings.SplitAfter(hiddenSource, "\n")[0] {
		t.Errorf("the evidence is %q, %v", data, err)
	}
}

// TestHiddenBudget reads a text of nothing but hidden characters, whose codes take
// many times its length: the answers stay within max_tokens, and the parts of the
// text are together the whole.
func TestHiddenBudget(t *testing.T) {
	const most = 500
	ws := workspace.NewMemory(nil)
	source := strings.Repeat("a\u200b\U000E0041\x07 b\n", 400)
	ws.AddSource("dark.txt", []byte(source))
	if err := ws.WriteMap(t.Context(), "dark", []byte(`{"resource_id": "dark", "type": "text", "title": "Dark", "source_path": "dark.txt", "nodes": []}`)); err != nil {
		t.Fatal(err)
	}
	session := finding(t, ws)
	var whole strings.Builder
	arguments := map[string]any{"ids": "dark", "max_tokens": most}
	for range len(source) {
		text, _ := mcptest.CallTool(t, session, "getContents", arguments)
		var got struct {
			Contents   []struct{ Text string }
			NextCursor string `json:"next_cursor"`
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil || len(got.Contents) != 1 {
			t.Fatal(err, text)
		}
		if n := len(text) / 4; n > most+1 {
			t.Fatalf("an answer of %d tokens: %s", n, text)
		}
		whole.WriteString(got.Contents[0].Text)
		if got.NextCursor == "" {
			break
		}
		arguments["cursor"] = got.NextCursor
	}
	if plain.ReadCodes(whole.String()) != source {
		t.Errorf("the parts are not the text: %.300q", whole.String())
	}
}
