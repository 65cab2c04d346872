package mcpadapter_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/mcptest"
)

func TestFindSimilar(t *testing.T) {
	session := findingServer(t)
	if text, result := mcptest.CallTool(t, session, "findSimilar", map[string]any{"text": "the number four"}); result.IsError || !strings.Contains(text, "text://poem#lines=") {
		t.Error(text)
	}
	if text, result := mcptest.CallTool(t, session, "findSimilar", map[string]any{"id": "poem"}); result.IsError || strings.Contains(text, "text://poem") {
		t.Error(text)
	}
	for name, test := range map[string]struct {
		arguments map[string]any
		code      string
	}{
		"nothing":      {map[string]any{}, "INVALID_INPUT"},
		"both":         {map[string]any{"id": "poem", "text": "four"}, "INVALID_INPUT"},
		"top_k 0":      {map[string]any{"text": "four", "top_k": 0}, "INVALID_INPUT"},
		"no words":     {map[string]any{"text": "\x01 ."}, "INVALID_INPUT"},
		"unknown id":   {map[string]any{"id": "poen"}, "NOT_FOUND"},
		"unknown node": {map[string]any{"id": "poem.frist"}, "NOT_FOUND"},
	} {
		if text, result := mcptest.CallTool(t, session, "findSimilar", test.arguments); !result.IsError || !strings.Contains(text, test.code) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestGetContext(t *testing.T) {
	session := findingServer(t)
	text, _ := mcptest.CallTool(t, session, "getContext", map[string]any{"task": "Which line says four?"})
	var got struct {
		Content string
		Pieces  []struct {
			Address, Title, Text string
			Tokens               int
		}
		Tokens   int
		Complete bool
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Pieces) != 1 || !strings.Contains(got.Content, "four") || got.Pieces[0].Text != "" || got.Pieces[0].Title != "A poem" || !strings.Contains(got.Content, got.Pieces[0].Address) || !got.Complete || got.Tokens == 0 {
		t.Error(text)
	}
	for name, arguments := range map[string]map[string]any{
		"no task":        {},
		"an empty task":  {"task": " "},
		"no tokens":      {"task": "x", "token_budget": 0},
		"too few tokens": {"task": "x", "token_budget": 99},
		"a long task":    {"task": strings.Repeat("x", 200<<10)},
	} {
		if text, result := mcptest.CallTool(t, session, "getContext", arguments); !result.IsError || !strings.Contains(text, "INVALID_INPUT") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
