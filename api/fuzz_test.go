package api

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/citekit/citekit"
)

// FuzzBody checks that what is let through can be read, and what is not has a place.
func FuzzBody(f *testing.F) {
	for _, body := range []string{
		`{"q": "a", "topK": 3, "filters": {"sources": ["a"], "after": "2020-01-01T00:00:00Z"}, "include": {"document": false}}`,
		`{"q": null}`, `{"q": "a", "q": "b"}`, `{"q": "a", "topK": 3.0}`, `{"q": "a", "topK": 1e1, "include": {}}`, `{"q": "\ud800"}`, `{"q": "a", "filters": {"after": "2020-01-01t00:00:00z"}}`,
		`{"q": "a", "filters": {"after": "2020-01-01T24:00:00Z"}}`, "\ufeff{\"q\": \"a\"}", `{"q": "a", "Q": "b"}`, `[`, `{"a~/b": [{}]}`,
	} {
		f.Add([]byte(body))
	}
	h := New(nil, nil)
	schema, registry := h.operations["POST /v1/search"].body, h.api.OpenAPI().Components.Schemas
	f.Fuzz(func(t *testing.T, data []byte) {
		body, wrong := checkBody(registry, schema, data)
		for _, one := range wrong {
			if one.Pointer == nil || *one.Pointer != "" && (*one.Pointer)[0] != '/' || one.Detail == "" {
				t.Errorf("%q: %+v", data, one)
			}
		}
		var req SearchRequest
		if err := json.Unmarshal(body, &req); len(wrong) == 0 && (err != nil || req.Q == "" || req.TopK < 0 || req.TopK > 50) {
			t.Errorf("%q is let through: %v, %+v", data, err, req)
		}
	})
}

// FuzzChunkID checks that an id has one form.
func FuzzChunkID(f *testing.F) {
	for _, id := range []string{"tea~1m-9tafjevngv0z", "a~b~1-1", "~1-1", "a~01-1", "a~1-zzzzzzzzzzzzzzzzzzz", ""} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		c, err := parseChunk(id)
		if err != nil {
			if !errors.Is(err, citekit.ErrSyntax) {
				t.Errorf("%q: %v", id, err)
			}
			return
		}
		if c.String() != id || c.length <= 0 || c.length > maxChunk || c.resource == "" {
			t.Errorf("%q: %+v", id, c)
		}
	})
}
