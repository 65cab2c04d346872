package mcpadapter

import (
	"encoding/json"
	"strconv"

	"github.com/citekit/citekit/internal/strictjson"
)

// A schema is a JSON Schema of an argument or an answer, with only the keywords
// that these tools need. [jsonschema.Schema] has all keywords, but encoding it
// takes longer than the rest of a server's start.
//
// The output schemas describe what a map should contain. They do not require
// types for the fields of a location: a map may be wrong, and a client that
// validates answers must still be able to show the fault.
type schema struct {
	kind        string // "type"
	description string
	enum        []string
	anyOf       []*schema
	items       *schema
	properties  []property
	required    []string
	closed      bool   // no other properties
	least       string // "minimum"
	greatest    string // "maximum"
}

// A property is a named schema.
type property struct {
	name   string
	schema *schema
}

// raw returns the JSON of s.
func (s *schema) raw() json.RawMessage {
	w := new(strictjson.Writer)
	s.write(w)
	return w.Bytes()
}

func (s *schema) write(w *strictjson.Writer) {
	w.Open()
	w.Optional("type", s.kind)
	w.Optional("description", s.description)
	if len(s.enum) > 0 {
		w.Value("enum", s.enum)
	}
	if len(s.required) > 0 {
		w.Value("required", s.required)
	}
	if s.least != "" {
		w.Raw("minimum", json.RawMessage(s.least))
	}
	if s.greatest != "" {
		w.Raw("maximum", json.RawMessage(s.greatest))
	}
	if len(s.anyOf) > 0 {
		w.Raw("anyOf", []byte("["))
		for i, one := range s.anyOf {
			if i > 0 {
				w.WriteByte(',')
			}
			one.write(w)
		}
		w.WriteByte(']')
	}
	if s.items != nil {
		w.Key("items")
		s.items.write(w)
	}
	if s.properties != nil {
		w.Key("properties")
		w.Open()
		for _, p := range s.properties {
			w.Key(p.name)
			p.schema.write(w)
		}
		w.Close()
	}
	if s.closed {
		w.Raw("additionalProperties", []byte("false"))
	}
	w.Close()
}

func inputSchema(parameters []parameter) *schema {
	s := &schema{kind: "object", properties: []property{}, closed: true}
	for _, p := range parameters {
		s.properties = append(s.properties, property{p.name, p.schema()})
		if p.required {
			s.required = append(s.required, p.name)
		}
	}
	return s
}

func (p parameter) schema() *schema {
	s := &schema{kind: "string", description: p.description, enum: p.choices}
	switch p.kind {
	case flag:
		s.kind = "boolean"
	case count:
		if s.kind, s.least = "integer", "0"; p.positive {
			s.least = "1"
		}
		if p.least > 0 {
			s.least = strconv.Itoa(p.least)
		}
		if p.greatest > 0 {
			s.greatest = strconv.Itoa(p.greatest)
		}
	case texts:
		s.kind, s.items, s.enum = "array", &schema{kind: "string", enum: p.choices}, nil
	case group:
		if s.kind = "object"; p.untold {
			return s
		}
		s = inputSchema(p.members)
		s.description = p.description
	}
	return s
}

func object(required []string, properties ...property) *schema {
	return &schema{kind: "object", required: required, properties: properties}
}

func typed(name, kind, description string) property {
	return property{name, &schema{kind: kind, description: description}}
}

func arrayOf(name string, items *schema, description string) property {
	return property{name, &schema{kind: "array", items: items, description: description}}
}

func resourceListSchema() *schema {
	item := object([]string{"resource_id", "nodes"},
		typed("resource_id", "string", ""),
		typed("type", "string", ""),
		typed("title", "string", ""),
		typed("nodes", "integer", ""),
		typed("address", "string", "Of the whole resource."),
		typed("error", "string", "Why the map cannot be read."))
	return object([]string{"resources"},
		arrayOf("resources", &schema{kind: "string"}, "Ids."),
		arrayOf("items", item, ""),
		typed("next_cursor", "string", ""))
}

// location describes a location without requiring types for its fields.
func location() property {
	return property{"location", &schema{
		description: "modality, and pages, lines ([first, last]), start and end (seconds, end excluded), " +
			"bbox ([x1, y1, x2, y2], fractions from the top left) or virtual_address; without these, the whole resource.",
	}}
}

func nodeSchema() *schema {
	return object([]string{"id", "children"},
		typed("id", "string", ""),
		typed("title", "string", ""),
		typed("summary", "string", ""),
		location(),
		arrayOf("children", &schema{kind: "object"}, "Their ids."))
}

func structureSchema() *schema {
	return object([]string{"resource_id"},
		typed("resource_id", "string", ""),
		typed("type", "string", ""),
		typed("title", "string", ""),
		arrayOf("nodes", &schema{kind: "object"}, "As from getNode, with child_count if not all children are shown, and parent_id if the parent is not."),
		typed("omitted", "", "Nodes that are not shown."),
		typed("next_cursor", "", ""),
		typed("outline", "", "Instead of nodes."))
}

func evidenceSchema() *schema {
	null := &schema{anyOf: []*schema{{kind: "string"}, {kind: "null"}}, description: "Null if virtual or over HTTP."}
	return object([]string{"output_path", "modality", "address", "node", "resource_id"},
		property{"output_path", null},
		typed("evidence_url", "", "Until evidence_expires."),
		typed("address", "string", "Cite this."),
		typed("node", "", "Null if an address was resolved."),
		typed("size", "integer", "Bytes."),
		typed("sha256", "string", "Of the file."),
		typed("stale", "boolean", "The source changed."))
}

// ingestSchema is the schema of a job.
func ingestSchema() *schema {
	return object(jobFields,
		typed("job_id", "string", ""),
		typed("status", "string", "running, done, cancelled or failed."),
		typed("done", "integer", "Of total."),
		typed("counts", "object", "Sources by status."),
		typed("searchable", "integer", ""),
		arrayOf("items", &schema{kind: "object"}, "Failures first: path, status, resource_id, reason."),
		typed("error", "string", "Why all failed."))
}

// jobFields are the fields that every job has.
var jobFields = []string{"job_id", "status", "done", "total"}
