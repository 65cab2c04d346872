package mcpadapter

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/citekit/citekit"
)

// FuzzShape checks that arguments of any form are taken or refused with an error about
// them, and that what they become is taken again, unchanged.
func FuzzShape(f *testing.F) {
	s, err := parseShape("", []byte(`{
  "type": "object", "required": ["q"],
  "properties": {
    "q": {"type": "string", "minLength": 1, "maxLength": 9},
    "n": {"type": "integer", "minimum": -1, "maximum": 50, "default": 20},
    "x": {"type": "number"},
    "flag": {"type": "boolean", "default": true},
    "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
    "at": {"type": "string", "format": "date-time"},
    "open": {"type": "object", "additionalProperties": true},
    "ids": {"type": "array", "maxItems": 3, "items": {"$ref": "#/definitions/id"}},
    "any": {"anyOf": [{"type": "integer"}, {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "k"}}}]},
    "free": {}
  },
  "definitions": {"id": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}}
}`))
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		`{"q":"a","n":"7","x":1e3,"flag":"TRUE","ids":{"id":5},"any":{"kind":"k"},"free":[1]}`, `{"q":1.50,"ids":"[{\"id\":\"a\"}]","open":{"b":null}}`,
		`{"q":"a","at":"2025-10-27T00:00:00Z","any":"3"}`, ` {"q":"\ud800"}`, `null`, `[]`, `{"q":"a","n":-0.0}`, `{"q":{}}`, "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		taken, err := s.arguments(data)
		if err != nil {
			if !errors.Is(err, citekit.ErrSyntax) {
				t.Errorf("%q: %v", data, err)
			}
			return
		}
		again, err := s.arguments(taken)
		if !json.Valid(taken) || err != nil || string(again) != string(taken) {
			t.Errorf("%q became %q, and then %q, %v", data, taken, again, err)
		}
	})
}
