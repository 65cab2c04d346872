package mcpadapter_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/verify"
	"github.com/citekit/citekit/workspace"
)

func TestVerifyTool(t *testing.T) {
	sharedtest.Once(t)
	session := findingServer(t)
	for name, test := range map[string]struct {
		arguments map[string]any
		want      string // classes
		holds     bool
	}{
		"at an address":       {map[string]any{"quote": "three", "address": "text://poem#lines=3"}, "exact", true},
		"in a resource":       {map[string]any{"quote": "three four", "resource_id": "poem"}, "exact", true},
		"at another":          {map[string]any{"quote": "three", "address": "text://poem#lines=1-2", "resource_id": "poem"}, "elsewhere", false},
		"anywhere":            {map[string]any{"quote": "Four five"}, "repaired", true},
		"not there":           {map[string]any{"quote": "elephants never sleep", "resource_id": "poem"}, "not_found", false},
		"no such resource":    {map[string]any{"quote": "three", "resource_id": "poen"}, "unchecked", false},
		"a text":              {map[string]any{"text": "It says “three” [text://poem#lines=3]. So it is (text://poem)."}, "exact unquoted", true},
		"a strict text":       {map[string]any{"text": "So it is (text://poem).", "strict": true}, "unquoted", false},
		"a text with nothing": {map[string]any{"text": "So it is."}, "", false},
	} {
		text, result := mcptest.CallTool(t, session, "verify", test.arguments)
		var got struct {
			Holds    bool
			Verdicts []struct{ Class string }
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil || result.IsError {
			t.Errorf("%s: %s", name, text)
			continue
		}
		var classes []string
		for _, v := range got.Verdicts {
			classes = append(classes, v.Class)
		}
		if strings.Join(classes, " ") != test.want || got.Holds != test.holds {
			t.Errorf("%s: %s", name, text)
		}
	}
	text, _ := mcptest.CallTool(t, session, "verify", map[string]any{"text": "It says “elephants never sleep” [poem.txt, line 3]."})
	for _, want := range []string{`"holds":false`, `"quotes_without_address":1`, `"hint":"1 quote has no address and was not checked; cite by address, such as [text://poem#lines=3-3]"`, `"meant":"text://poem#lines=3-3"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	const nothing = `{"holds":null,"hint":"nothing was checked, as the text has no address of a source; `
	if text, _ := mcptest.CallTool(t, session, "verify", map[string]any{"text": "So it is."}); !strings.HasPrefix(text, nothing) {
		t.Errorf("no %s in %s", nothing, text)
	}
	few := finding(t, workspace.NewMemory(nil))
	if text, _ := mcptest.CallTool(t, few, "verify", map[string]any{"text": "It says “elephants never sleep”."}); strings.Count(text, `"hint":`) != 1 || !strings.Contains(text, "; no file is mapped here yet") {
		t.Errorf("two hints: %s", text)
	}
	for name, arguments := range map[string]map[string]any{
		"nothing":                 {},
		"both":                    {"quote": "a", "text": "b"},
		"a text with an address":  {"text": "b", "address": "text://poem"},
		"a bad address":           {"quote": "a", "address": "text://poem#line=3"},
		"another resource":        {"quote": "a", "address": "text://poem", "resource_id": "slow"},
		"a quote without letters": {"quote": "“ ”"},
		"a long quote":            {"quote": strings.Repeat("x", 65<<10)},
		"a long text":             {"text": strings.Repeat("x", 2<<20)},
	} {
		if text, result := mcptest.CallTool(t, session, "verify", arguments); !result.IsError || !strings.Contains(text, "INVALID_INPUT") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestVerifyLeftOut checks that a quote which is not found comes with the number of
// resources that were not searched.
func TestVerifyLeftOut(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("poem.txt", []byte("one two three\n"))
	ws.AddSource("song.txt", []byte("four five six\n"))
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	if _, err := ingest.Run(t.Context(), lib, []string{"."}, nil); err != nil {
		t.Fatal(err)
	}
	ws.AddSource("song.txt", []byte("elephants never sleep\n"))
	session := mcptest.Connect(t, mcpadapter.NewServer(lib, &mcpadapter.Options{Verifier: verify.New(lib, nil)}), nil)
	text, result := mcptest.CallTool(t, session, "verify", map[string]any{"quote": "elephants never sleep"})
	if result.IsError || !strings.Contains(text, `"class":"not_found"`) || !strings.Contains(text, `"left_out":1`) {
		t.Error(text)
	}
}
