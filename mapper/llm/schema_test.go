package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mapper/llm"
)

// examples are answers that keep to the schema.
var examples = map[citekit.Modality]string{
	citekit.Document: `{"title":"T","nodes":[{"level":1,"title":"A","type":"section","pages":[1,2],"summary":null}]}`,
	citekit.Text:     `{"title":null,"nodes":[{"level":1,"title":"A","type":"function","lines":[1,2],"summary":"S."}]}`,
	citekit.Video:    `{"title":null,"nodes":[{"level":1,"title":"A","type":"scene","start":0,"end":2.5,"summary":"S."}]}`,
	citekit.Audio:    `{"title":null,"nodes":[]}`,
	citekit.Image:    `{"title":null,"nodes":[{"level":1,"title":"A","type":"region","bbox":[0,0,0.5,1],"summary":null}]}`,
}

func TestSchema(t *testing.T) {
	for _, modality := range []citekit.Modality{citekit.Document, citekit.Video, citekit.Audio, citekit.Image, citekit.Text, citekit.Virtual} {
		raw := llm.Schema(modality)
		if modality == citekit.Virtual {
			if raw != nil {
				t.Errorf("virtual: %s", raw)
			}
			continue
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatalf("%s: %v", modality, err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatalf("%s: %v", modality, err)
		}
		for answer, want := range map[string]bool{examples[modality]: true, `{"title":null}`: false, `{"title":null,"nodes":[{"level":1}]}`: false, `{"title":null,"nodes":[],"more":1}`: false} {
			var value any
			if err := json.Unmarshal([]byte(answer), &value); err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(value); (err == nil) != want {
				t.Errorf("%s: %s: %v", modality, answer, err)
			}
		}
		var value map[string]any
		_ = json.Unmarshal(raw, &value)
		checkStrict(t, string(modality), value)
	}
}

// checkStrict fails if a schema is not of the subset that structured outputs
// are bound to: every property is required, there are no others, and there are
// no words that only some of them know.
func checkStrict(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	for word := range schema {
		switch word {
		case "type", "properties", "required", "additionalProperties", "items", "enum":
		default:
			t.Errorf("%s: %q is not known everywhere", path, word)
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		checkStrict(t, path+"[]", items)
	}
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return
	}
	required, _ := schema["required"].([]any)
	if schema["additionalProperties"] != false || len(required) != len(properties) {
		t.Errorf("%s: not strict", path)
	}
	for _, name := range required {
		property, ok := properties[name.(string)].(map[string]any)
		if !ok {
			t.Errorf("%s: no property %v", path, name)
			continue
		}
		checkStrict(t, path+"."+name.(string), property)
	}
}
