package mcpadapter_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestVerifyTool(t *testing.T) {
	session := findingServer(t)
	for name, test := range map[string]struct {
		arguments map[string]any
		want      string // classes
		holds     bool
	}{
		"at an address":       {map[string]any{"quote": "three", "address": "text://poem#lines=3"}, "exact", true},
		"in a resource":       {map[string]any{"quote": "three four", "resource_id": "poem"}, "repaired", true},
		"at another":          {map[string]any{"quote": "three", "address": "text://poem#lines=1-2", "resource_id": "poem"}, "elsewhere", false},
		"anywhere":            {map[string]any{"quote": "four five"}, "repaired", true},
		"not there":           {map[string]any{"quote": "elephants never sleep", "resource_id": "poem"}, "not_found", false},
		"no such resource":    {map[string]any{"quote": "three", "resource_id": "poen"}, "not_found", false},
		"a text":              {map[string]any{"text": "It says “three” [text://poem#lines=3]. So it is (text://poem)."}, "exact unquoted", true},
		"a strict text":       {map[string]any{"text": "So it is (text://poem).", "strict": true}, "unquoted", false},
		"a text with nothing": {map[string]any{"text": "So it is."}, "", true},
	} {
		text, result := callTool(t, session, "verify", test.arguments)
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
		if text, result := callTool(t, session, "verify", arguments); !result.IsError || !strings.Contains(text, "INVALID_INPUT") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
