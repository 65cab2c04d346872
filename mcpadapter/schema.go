package mcpadapter

import "github.com/google/jsonschema-go/jsonschema"

// The output schemas describe what a map should say. They do not hold the
// fields of a location to a type: a map may be wrong, and a client that checks
// the answer must still be able to show where.

func inputSchema(parameters []parameter) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type:                 "object",
		Properties:           map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for _, p := range parameters {
		s.Properties[p.name] = p.schema()
		s.PropertyOrder = append(s.PropertyOrder, p.name)
		if p.required {
			s.Required = append(s.Required, p.name)
		}
	}
	return s
}

func (p parameter) schema() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string", Description: p.description}
	switch p.kind {
	case flag:
		s.Type = "boolean"
	case count:
		zero := 0.0
		s.Type, s.Minimum = "integer", &zero
	case texts:
		s.Type, s.Items = "array", &jsonschema.Schema{Type: "string"}
	}
	for _, choice := range p.choices {
		s.Enum = append(s.Enum, choice)
	}
	return s
}

// A property is a named schema; lists of them keep their order.
type property struct {
	name   string
	schema *jsonschema.Schema
}

func object(required []string, properties ...property) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Required: required, Properties: map[string]*jsonschema.Schema{}}
	for _, p := range properties {
		s.Properties[p.name] = p.schema
		s.PropertyOrder = append(s.PropertyOrder, p.name)
	}
	return s
}

func typed(name, kind, description string) property {
	return property{name, &jsonschema.Schema{Type: kind, Description: description}}
}

func untyped(name, description string) property {
	return property{name, &jsonschema.Schema{Description: description}}
}

func arrayOf(name string, items *jsonschema.Schema, description string) property {
	return property{name, &jsonschema.Schema{Type: "array", Items: items, Description: description}}
}

func resourceListSchema() *jsonschema.Schema {
	item := object([]string{"resource_id", "nodes"},
		typed("resource_id", "string", "Resource id."),
		typed("type", "string", "Modality of the source."),
		typed("title", "string", ""),
		typed("nodes", "integer", "In the map."),
		typed("pages", "integer", "Of a document, when it was mapped."),
		typed("lines", "integer", "Of a text, when it was mapped."),
		typed("duration", "number", "Of a video or recording, in seconds."),
		typed("width", "integer", "Of an image or video, in pixels."),
		typed("height", "integer", "Of an image or video, in pixels."),
		typed("address", "string", "Of the whole, for citing."),
		typed("error", "string", "Why the map cannot be read."))
	return object([]string{"resources"},
		arrayOf("resources", &jsonschema.Schema{Type: "string"}, "Resource ids."),
		arrayOf("items", item, "What is known of the first of them, or of those that follow the cursor."),
		typed("next_cursor", "string", "Pass it as cursor for the next items."))
}

// location describes a location without holding its fields to a type.
func location(name, description string) property {
	return property{name, &jsonschema.Schema{
		Description: description + " Its modality is document, video, audio, image, text, virtual or another word. " +
			"It has pages (page numbers from 1), lines ([first, last] from 1), start and end (seconds, end excluded), " +
			"bbox ([x1, y1, x2, y2], fractions from the top left) or virtual_address; without any it is the whole source.",
	}}
}

func nodeProperties() []property {
	return []property{
		typed("id", "string", "Node id."),
		typed("title", "string", ""),
		typed("type", "string", "A free word, such as section."),
		location("location", "The part of the source."),
		typed("summary", "string", ""),
	}
}

func nodeSchema() *jsonschema.Schema {
	reference := object([]string{"id"}, typed("id", "string", ""))
	return object([]string{"id", "children"}, append(nodeProperties(),
		arrayOf("children", reference, "Ids of the children."))...)
}

func structureSchema() *jsonschema.Schema {
	node := &jsonschema.Schema{Ref: "#/$defs/node"}
	tree := object([]string{"id", "children"}, append(nodeProperties(),
		arrayOf("children", node, ""),
		untyped("child_count", "How many children there are, if not all are shown."),
		untyped("parent_id", "The parent, if it is not shown."))...)
	s := object([]string{"resource_id"},
		typed("resource_id", "string", "Resource id."),
		typed("type", "string", "Modality of the source."),
		typed("title", "string", ""),
		typed("source_path", "string", ""),
		arrayOf("nodes", node, "The topmost nodes."),
		typed("metadata", "object", ""),
		typed("created_at", "string", "ISO 8601."),
		untyped("omitted", "How many nodes are not shown."),
		untyped("hint", "How to see them."),
		untyped("next_cursor", "Pass it as cursor for the next part."),
		untyped("outline", "The map as a compact text, in place of nodes."))
	s.Defs = map[string]*jsonschema.Schema{"node": tree}
	return s
}

func evidenceSchema() *jsonschema.Schema {
	null := &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "null"}},
		Description: "Absolute path of the evidence file; null if virtual."}
	return object([]string{"output_path", "modality", "address", "node", "resource_id"},
		property{"output_path", null},
		typed("modality", "string", ""),
		typed("address", "string", "Cite this."),
		property{"node", &jsonschema.Schema{
			AnyOf:       []*jsonschema.Schema{object([]string{"id"}, nodeProperties()...), {Type: "null"}},
			Description: "The node; null if an address was resolved."}},
		typed("resource_id", "string", ""),
		typed("media_type", "string", "Of the file."),
		typed("charset", "string", "Encoding of a text file."),
		typed("guessed", "boolean", "The charset is inferred from the bytes, not declared."),
		typed("size", "integer", "Bytes of the file."),
		typed("sha256", "string", "Of the file, in hex."),
		typed("source_hash", "string", "SHA-256 of the source, if known."),
		location("actual", "What the file holds, if that is not the node's location."),
		typed("cached", "boolean", "The file was there before."),
		typed("stale", "boolean", "The source has changed since it was mapped."))
}

func ingestSchema() *jsonschema.Schema {
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
