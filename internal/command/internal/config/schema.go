package config

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemaID is the identifier of the schema.
const schemaID = "https://github.com/citekit/citekit/schema/config.schema.json"

// Schema returns the JSON schema (2020-12) of a file of settings, for editors
// and other tools. [Load] checks what a schema cannot express, such as that a
// certificate needs its key.
func Schema() ([]byte, error) {
	s := schemaOf(member{typ: configType})
	s.Schema, s.ID = "https://json-schema.org/draft/2020-12/schema", schemaID
	s.Title, s.Description = "Settings of citekit", "What citekit.yaml may have."
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	return append(data, '\n'), nil
}

// schemaOf returns the schema of a setting or section. Sections and lists may be
// empty, which is null in YAML.
func schemaOf(m member) *jsonschema.Schema {
	s := &jsonschema.Schema{Description: m.about}
	switch m.typ.Kind() {
	case reflect.Struct:
		s.Types, s.Properties = []string{"object", "null"}, make(map[string]*jsonschema.Schema)
		for _, inner := range members(m.typ) {
			s.Properties[inner.name] = schemaOf(inner)
			s.PropertyOrder = append(s.PropertyOrder, inner.name)
		}
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	case reflect.Map:
		s.Types = []string{"object", "null"}
		inner, _ := m.inner("")
		inner.about = ""
		inner.rules = rules{}
		s.AdditionalProperties = schemaOf(inner)
		if m.name == "workspaces" {
			s.PropertyNames = &jsonschema.Schema{Pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}
		}
		if m.rules.oneOf != nil {
			s.PropertyNames = &jsonschema.Schema{Enum: anyOf(m.rules.oneOf)}
		}
	case reflect.Slice:
		s.Types = []string{"array", "null"}
		s.Items = textSchema(m.rules)
	case reflect.Pointer:
		inner := m
		inner.typ = m.typ.Elem()
		return schemaOf(inner)
	default:
		describeValue(s, m)
	}
	return s
}

// describeValue adds the allowed values of a setting.
func describeValue(s *jsonschema.Schema, m member) {
	switch m.typ {
	case durationType:
		s.Type, s.Pattern = "string", `^[+-]?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))+$`
		return
	case sizeType:
		s.Types, s.Pattern = []string{"integer", "string"}, `^-?[0-9]+ *([KMGT]iB|[kKMGT]?B)?$`
		s.Minimum, s.Maximum = m.rules.min, m.rules.max
		return
	case jsonType:
		s.Types = []string{"object", "null"}
		return
	}
	switch m.typ.Kind() {
	case reflect.Bool:
		s.Type = "boolean"
	case reflect.Int:
		s.Type, s.Minimum, s.Maximum = "integer", m.rules.min, m.rules.max
	case reflect.Float64:
		s.Type, s.Minimum, s.Maximum = "number", m.rules.min, m.rules.max
	default:
		text := textSchema(m.rules)
		s.Type, s.Enum, s.Pattern = text.Type, text.Enum, text.Pattern
	}
}

func textSchema(r rules) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	if r.oneOf != nil {
		s.Enum = anyOf(r.oneOf)
	}
	if r.level {
		s.Pattern = `^([Dd][Ee][Bb][Uu][Gg]|[Ii][Nn][Ff][Oo]|[Ww][Aa][Rr][Nn]|[Ee][Rr][Rr][Oo][Rr])([+-][0-9]+)?$`
	}
	return s
}

func anyOf(words []string) []any {
	all := make([]any, len(words))
	for i, word := range words {
		all[i] = word
	}
	return all
}
