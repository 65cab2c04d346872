package mcpadapter

import (
	"encoding/json"
	"strconv"
)

// A schema is a JSON Schema of an argument or an answer, in the words that our
// tools need. [jsonschema.Schema] has all words, and takes longer to encode than
// the rest of a server's start.
//
// The output schemas describe what a map should say. They do not hold the
// fields of a location to a type: a map may be wrong, and a client that checks
// the answer must still be able to show where.
type schema struct {
	kind        string // "type"
	description string
	enum        []string
	anyOf       []*schema
	items       *schema
	properties  []property
	required    []string
	closed      bool // no other properties
	atLeastZero bool
	ref         string
	defs        []property
}

// A property is a named schema.
type property struct {
	name   string
	schema *schema
}

// raw returns the JSON of s.
func (s *schema) raw() json.RawMessage { return s.append(nil) }

func (s *schema) append(b []byte) []byte {
	b = append(b, '{')
	start := len(b)
	key := func(name string) {
		if len(b) > start {
			b = append(b, ',')
		}
		b = append(appendString(b, name), ':')
	}
	for _, text := range []struct{ name, value string }{{"$ref", s.ref}, {"type", s.kind}, {"description", s.description}} {
		if text.value != "" {
			key(text.name)
			b = appendString(b, text.value)
		}
	}
	for _, list := range []struct {
		name   string
		values []string
	}{{"enum", s.enum}, {"required", s.required}} {
		if len(list.values) > 0 {
			key(list.name)
			b = appendList(b, list.values, appendString)
		}
	}
	if s.atLeastZero {
		key("minimum")
		b = append(b, '0')
	}
	if len(s.anyOf) > 0 {
		key("anyOf")
		b = appendList(b, s.anyOf, func(b []byte, one *schema) []byte { return one.append(b) })
	}
	if s.items != nil {
		key("items")
		b = s.items.append(b)
	}
	for _, named := range []struct {
		name       string
		properties []property
	}{{"properties", s.properties}, {"$defs", s.defs}} {
		if named.properties != nil {
			key(named.name)
			b = appendProperties(b, named.properties)
		}
	}
	if s.closed {
		key("additionalProperties")
		b = strconv.AppendBool(b, false)
	}
	return append(b, '}')
}

func appendProperties(b []byte, properties []property) []byte {
	b = append(b, '{')
	for i, p := range properties {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, p.name), ':')
		b = p.schema.append(b)
	}
	return append(b, '}')
}

func appendList[T any](b []byte, list []T, add func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = add(b, v)
	}
	return append(b, ']')
}

func appendString(b []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // a string always encodes
	return append(b, quoted...)
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
		s.kind, s.atLeastZero = "integer", true
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

func untyped(name, description string) property {
	return property{name, &schema{description: description}}
}

func arrayOf(name string, items *schema, description string) property {
	return property{name, &schema{kind: "array", items: items, description: description}}
}

func resourceListSchema() *schema {
	item := object([]string{"resource_id", "nodes"},
		typed("resource_id", "string", ""),
		typed("type", "string", "Modality of the source."),
		typed("title", "string", ""),
		typed("nodes", "integer", "How many."),
		typed("pages", "integer", "When it was mapped, as lines."),
		typed("lines", "integer", ""),
		typed("duration", "number", "In seconds."),
		typed("width", "integer", "In pixels."),
		typed("height", "integer", ""),
		typed("address", "string", "Of the whole, for citing."),
		typed("error", "string", "Why the map cannot be read."))
	return object([]string{"resources"},
		arrayOf("resources", &schema{kind: "string"}, "Their ids."),
		arrayOf("items", item, "Of the first of them, or of those after the cursor."),
		typed("next_cursor", "string", "Pass it as cursor."))
}

// location describes a location without holding its fields to a type.
func location() property {
	return property{"location", &schema{
		description: "The part of the source: modality, and pages (numbers from 1), lines ([first, last] from 1), start and end (seconds, end excluded), " +
			"bbox ([x1, y1, x2, y2], fractions from the top left) or virtual_address; without these all of it.",
	}}
}

// nodeProperties are those of a node; where one tool describes locations, the
// others refer to it.
func nodeProperties(location property) []property {
	return []property{
		typed("id", "string", ""),
		typed("title", "string", ""),
		typed("type", "string", "Such as section."),
		location,
		typed("summary", "string", ""),
	}
}

func nodeSchema() *schema {
	reference := object([]string{"id"}, typed("id", "string", ""))
	return object([]string{"id", "children"}, append(nodeProperties(location()),
		arrayOf("children", reference, "Ids of the children."))...)
}

func structureSchema() *schema {
	node := &schema{ref: "#/$defs/node"}
	tree := object([]string{"id", "children"}, append(nodeProperties(untyped("location", "As of getNode.")),
		arrayOf("children", node, ""),
		untyped("child_count", "If not all are shown."),
		untyped("parent_id", "If the parent is not shown."))...)
	s := object([]string{"resource_id"},
		typed("resource_id", "string", ""),
		typed("type", "string", "Modality of the source."),
		typed("title", "string", ""),
		typed("source_path", "string", ""),
		arrayOf("nodes", node, "The topmost nodes."),
		typed("metadata", "object", ""),
		typed("created_at", "string", "ISO 8601."),
		untyped("omitted", "How many nodes are not shown."),
		untyped("hint", "How to see them."),
		untyped("next_cursor", "Pass it as cursor."),
		untyped("outline", "In place of nodes."))
	s.defs = []property{{"node", tree}}
	return s
}

func evidenceSchema() *schema {
	null := &schema{anyOf: []*schema{{kind: "string"}, {kind: "null"}},
		description: "Path of the evidence file; null if virtual or over HTTP."}
	return object([]string{"output_path", "modality", "address", "node", "resource_id"},
		property{"output_path", null},
		untyped("evidence_url", "Link to the file over HTTP, until evidence_expires."),
		typed("modality", "string", ""),
		typed("address", "string", "Cite this."),
		property{"node", &schema{
			anyOf:       []*schema{{kind: "object"}, {kind: "null"}},
			description: "As of getNode, without children; null if an address was resolved."}},
		typed("resource_id", "string", ""),
		typed("media_type", "string", ""),
		typed("charset", "string", "Of a text file."),
		typed("guessed", "boolean", "The charset is inferred, not declared."),
		typed("size", "integer", "Bytes of the file."),
		typed("sha256", "string", "Of the file, in hex."),
		typed("source_hash", "string", "SHA-256 of the source."),
		untyped("actual", "Location that the file holds, if another."),
		typed("cached", "boolean", ""),
		typed("stale", "boolean", "The source changed since it was mapped."))
}

func ingestSchema() *schema {
	item := object([]string{"path", "status"},
		typed("path", "string", "Of the source."),
		typed("from", "string", "Path that a renamed source had before."),
		typed("status", "string", "mapped, copied, renamed (its map followed the file to another path), skipped, vanished or failed."),
		typed("resource_id", "string", "Of the map."),
		typed("type", "string", "Modality of the source."),
		typed("nodes", "integer", "In the map."),
		typed("method", "string", "How the nodes were found."),
		typed("reason", "string", "Why it was skipped or failed, or where the bytes of what vanished are."),
		typed("code", "string", "The kind of failure."))
	return object([]string{"job_id", "status", "done", "total"},
		typed("job_id", "string", "For ingestStatus."),
		typed("status", "string", "running, done, cancelled or failed."),
		typed("done", "integer", "Sources that are done."),
		typed("total", "integer", "Sources that were found."),
		typed("counts", "object", "How many sources became what."),
		arrayOf("items", item, "Sources that were not unchanged, failures first."),
		typed("items_omitted", "integer", "How many more there are."),
		typed("error", "string", "Why the whole failed."),
		typed("code", "string", "The kind of failure."))
}
