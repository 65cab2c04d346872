package mcpadapter_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/mcptest"
)

func TestAnswer(t *testing.T) {
	session := findingServer(t)
	var got struct {
		Found     bool
		Answer    string
		Sentences []struct {
			Text, Address, Verdict string
			Score                  float64
		}
		Complete bool
	}
	ask := func(arguments map[string]any) (text string, failed bool) {
		text, result := mcptest.CallTool(t, session, "answer", arguments)
		if !result.IsError {
			got.Found, got.Sentences = false, nil
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
		}
		return text, result.IsError
	}
	if text, failed := ask(map[string]any{"question": "Which poem has a zebra?", "max_sentences": 1}); failed || !got.Found || len(got.Sentences) != 1 ||
		got.Sentences[0].Verdict != "exact" || !strings.HasPrefix(got.Sentences[0].Address, "text://notes#lines=") || got.Answer != got.Sentences[0].Text || !got.Complete {
		t.Errorf("%s", text)
	}
	if text, failed := ask(map[string]any{"question": "Who discovered the moons of Jupiter?"}); failed || got.Found || got.Sentences == nil || len(got.Sentences) != 0 {
		t.Errorf("%s", text)
	}
	for _, arguments := range []map[string]any{
		{"question": " "}, {"question": "?!"}, {"question": "three", "max_sentences": 21}, {"question": "three", "max_sentences": 0},
		{"question": "three", "max_tokens": 3}, {"question": "three", "type": "abstractive"}, {},
	} {
		if text, failed := ask(arguments); !failed {
			t.Errorf("%v: %s", arguments, text)
		}
	}
	if text, _ := ask(map[string]any{"question": "three", "type": "abstractive"}); !strings.Contains(text, "Hint: Call again with type extractive. Abstractive answers need a model: citekit serve --model.") {
		t.Errorf("abstractive without a model: %s", text)
	}
}

// TestAnswerDefinition holds the definition of the tool to its share of all.
func TestAnswerDefinition(t *testing.T) {
	tools, err := findingServer(t).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, tool := range tools.Tools {
		if tool.Name != "answer" {
			continue
		}
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil || !strings.Contains(string(schema), "abstractive: not here, without serve --model.") {
			t.Errorf("without a model: %s, %v", schema, err)
		}
		without := slices.Delete(slices.Clone(tools.Tools), i, i+1)
		all, err := json.Marshal(tools.Tools)
		if err != nil {
			t.Fatal(err)
		}
		rest, err := json.Marshal(without)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(all) - len(rest); n > 950 {
			t.Errorf("%d bytes", n)
		} else {
			t.Logf("%d bytes", n)
		}
		return
	}
	t.Error("no tool")
}
