package schema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/command/internal/schema"
)

var update = flag.Bool("update", false, "write the published schema")

const published = "../../../../schema/resourcemap.schema.json"

// TestPublished checks that the published schema is the one that the types
// give; -update writes it.
func TestPublished(t *testing.T) {
	want, err := schema.ResourceMap()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(published, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(published)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is out of date; run go test ./internal/command/internal/schema -update (-want +got):\n%s", published, diff)
	}
}

func resolved(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	data, err := os.ReadFile(published)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSchemaAgreesWithCheck checks that the schema accepts what is a map and
// refuses what is none, as [citekit.ResourceMap.Check] does.
func TestSchemaAgreesWithCheck(t *testing.T) {
	s := resolved(t)
	for _, test := range []struct {
		name, text string
		want       bool
	}{
		{"least", `{"resource_id":"a","type":"text","source_path":"a.txt","nodes":[]}`, true},
		{"nulls and more", `{"resource_id":"a","type":"text","title":null,"source_path":"a.txt","nodes":[
			{"id":"x","title":null,"type":"s","location":{"modality":"text","lines":[1,2],"pages":null,"start":null,"end":null,"bbox":null,"virtual_address":null,"more":1},"summary":null,"children":[],"more":{}}],
			"metadata":{"any":[1]},"created_at":null,"more":true}`, true},
		{"every location", `{"resource_id":"a","type":"document","source_path":"a.pdf","nodes":[
			{"id":"1","type":"s","location":{"modality":"document","pages":[1,2],"more":null}},
			{"id":"2","type":"s","location":{"modality":"video","start":1.5,"end":2}},
			{"id":"3","type":"s","location":{"modality":"image","bbox":[0,0.5,1,1]}},
			{"id":"4","type":"s","location":{"modality":"virtual","virtual_address":"virtual://x"},"children":[
				{"id":"5","type":"s","location":{"modality":"audio"}}]}]}`, true},
		{"no id", `{"type":"text","source_path":"a.txt","nodes":[]}`, false},
		{"empty id", `{"resource_id":"","type":"text","source_path":"a.txt","nodes":[]}`, false},
		{"a type of one's own", `{"resource_id":"a","type":"midi","source_path":"a.mid","nodes":[{"id":"x","type":"s","location":{"modality":"midi","start":1}}]}`, true},
		{"a type that is no word", `{"resource_id":"a","type":"a book","source_path":"a.txt","nodes":[]}`, false},
		{"a scheme for a type", `{"resource_id":"a","type":"doc","source_path":"a.txt","nodes":[]}`, false},
		{"the scheme of a URL", `{"resource_id":"a","type":"https","source_path":"a.txt","nodes":[]}`, false},
		{"node without id", `{"resource_id":"a","type":"text","source_path":"a.txt","nodes":[{"type":"s","location":{"modality":"text"}}]}`, false},
		{"node without location", `{"resource_id":"a","type":"text","source_path":"a.txt","nodes":[{"id":"x","type":"s"}]}`, false},
		{"deep down", `{"resource_id":"a","type":"text","source_path":"a.txt","nodes":[{"id":"x","type":"s","location":{"modality":"text"},"children":[
			{"id":"y","type":"s","location":{"modality":"text","lines":[0,2]}}]}]}`, false},
		{"page 0", location(`"modality":"document","pages":[0]`), false},
		{"half a page", location(`"modality":"document","pages":[1.5]`), false},
		{"three lines", location(`"modality":"text","lines":[1,2,3]`), false},
		{"negative start", location(`"modality":"video","start":-1,"end":2`), false},
		{"box outside", location(`"modality":"image","bbox":[0,0,2,1]`), false},
		{"box of three", location(`"modality":"image","bbox":[0,0,1]`), false},
		{"hash that is none", `{"resource_id":"a","type":"text","source_path":"a.txt","nodes":[],"metadata":{"source_hash":"abc"}}`, false},
		{"nodes that are none", `{"resource_id":"a","type":"text","source_path":"a.txt","nodes":{}}`, false},
	} {
		var value any
		if err := json.Unmarshal([]byte(test.text), &value); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(value); (err == nil) != test.want {
			t.Errorf("%s: schema: %v", test.name, err)
		}
		m, err := citekit.ParseMap([]byte(test.text))
		if err == nil {
			err = m.Validate()
		}
		if (err == nil) != test.want {
			t.Errorf("%s: check: %v", test.name, err)
		}
	}
}

func location(members string) string {
	return `{"resource_id":"a","type":"text","source_path":"a.txt","nodes":[{"id":"x","type":"s","location":{` + members + `}}]}`
}

// TestWrittenMaps checks that the schema accepts, and names every member of,
// what the types write.
func TestWrittenMaps(t *testing.T) {
	m := &citekit.ResourceMap{
		ResourceID: "a", Type: citekit.Document, Title: "A", SourcePath: "a.pdf", CreatedAt: "2024-01-02T03:04:05Z",
		Metadata: map[string]any{"source_size": 5},
		Nodes: []*citekit.Node{{ID: "x", Title: "X", Type: "s", Summary: "Short.", Location: citekit.Location{
			Modality: citekit.Document, Pages: []citekit.Range{{First: 2, Last: 2}}, Lines: citekit.Range{First: 1, Last: 2},
			Time: citekit.Span{Start: 1, End: 2}, Box: citekit.Box{X2: 1, Y2: 1}, VirtualAddress: "virtual://x",
		}}},
	}
	data, err := m.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var value map[string]any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	if err := resolved(t).Validate(value); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(published)
	if err != nil {
		t.Fatal(err)
	}
	var members func(v map[string]any)
	members = func(v map[string]any) {
		for key, inner := range v {
			if !bytes.Contains(text, []byte(`"`+key+`": {`)) {
				t.Errorf("the schema does not name %q", key)
			}
			if inner, ok := inner.(map[string]any); ok {
				members(inner)
			}
		}
	}
	members(value)
	first := value["nodes"].([]any)[0].(map[string]any)
	members(first)
}
