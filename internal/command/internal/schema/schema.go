// Package schema has the JSON schema of resource maps, made from the Go types.
// The schema is published as schema/resourcemap.schema.json. Editors
// and other programs can check maps with it.
package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/selector"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/citekit/citekit"
)

// ID is the identifier of the schema.
const ID = "https://github.com/citekit/citekit/schema/resourcemap.schema.json"

// A resourceMap has the members of a [citekit.ResourceMap] in JSON.
type resourceMap struct {
	ResourceID string           `json:"resource_id" jsonschema:"Id of the resource: 1 to 512 bytes without control characters, slash or backslash."`
	Type       citekit.Modality `json:"type"`
	Title      string           `json:"title,omitempty" jsonschema:"What the source is called."`
	SourcePath string           `json:"source_path,omitempty" jsonschema:"The file that locations refer to, relative to the base directory or absolute. Needed unless the type is virtual."`
	Nodes      []*citekit.Node  `json:"nodes,omitempty"`
	Metadata   map[string]any   `json:"metadata,omitempty"`
	CreatedAt  string           `json:"created_at,omitempty" jsonschema:"When the map was made, in ISO 8601."`
}

// A node has the members of a [citekit.Node] in JSON.
type node struct {
	ID       string           `json:"id" jsonschema:"Unique in the map; by convention the id of the parent, a dot, and a name."`
	Title    string           `json:"title,omitempty"`
	Type     string           `json:"type,omitempty" jsonschema:"A free word, such as section."`
	Location citekit.Location `json:"location"`
	Summary  string           `json:"summary,omitempty"`
	Children []*citekit.Node  `json:"children,omitempty"`
}

// A location has the members of a [citekit.Location] in JSON.
type location struct {
	Modality       citekit.Modality `json:"modality"`
	Pages          []int            `json:"pages,omitempty" jsonschema:"Every page by its number, from 1."`
	Lines          []int            `json:"lines,omitempty" jsonschema:"First and last line, from 1, both included."`
	Start          float64          `json:"start,omitempty" jsonschema:"Seconds."`
	End            float64          `json:"end,omitempty" jsonschema:"Seconds; the end itself is not included. Without it the location ends with the source."`
	BBox           []float64        `json:"bbox,omitempty" jsonschema:"Left, top, right and bottom, as fractions of the image or page as displayed, from its top left corner."`
	Blocks         []int            `json:"blocks,omitempty" jsonschema:"First and last block of a text with structure, from 1, both included."`
	Sheet          string           `json:"sheet,omitempty" jsonschema:"The name of a sheet."`
	Cells          string           `json:"cells,omitempty" jsonschema:"Cells of the sheet, of the table, or of a table that is one block, in A1 notation."`
	Rows           []int            `json:"rows,omitempty" jsonschema:"First and last row, from 1, both included."`
	Cols           []string         `json:"cols,omitempty" jsonschema:"Names of columns, or letters such as B:D of a sheet."`
	Part           string           `json:"part,omitempty" jsonschema:"The number of a part of a book or a mail, such as 1.2, or the first and the last of several parts of a book, such as 4-6."`
	Message        int              `json:"message,omitempty" jsonschema:"The number of a message of a mailbox, from 1."`
	Table          string           `json:"table,omitempty" jsonschema:"The name of a table of a database, or the number of a table on a page, in a part or in a text."`
	Member         string           `json:"member,omitempty" jsonschema:"The name of a member of an archive, in which all else is."`
	VirtualAddress string           `json:"virtual_address,omitempty" jsonschema:"What a virtual location points to."`
}

// ResourceMap returns the schema (JSON Schema 2020-12) of the JSON form of a
// [citekit.ResourceMap]. Optional members may be null, and unknown members are
// allowed. Package ingest checks what a schema cannot express, such as that ids
// are unique and that locations lie inside their source.
func ResourceMap() ([]byte, error) {
	s, err := resourceMapSchema()
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return append(data, '\n'), nil
}

func resourceMapSchema() (*jsonschema.Schema, error) {
	options := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[citekit.Modality](): {Ref: "#/$defs/modality"},
		reflect.TypeFor[citekit.Location](): {Ref: "#/$defs/location"},
		reflect.TypeFor[[]*citekit.Node]():  {Type: "array", Items: &jsonschema.Schema{Ref: "#/$defs/node"}},
		reflect.TypeFor[map[string]any]():   {Type: "object"},
		reflect.TypeFor[[]string]():         {Type: "array", Items: &jsonschema.Schema{Type: "string"}},
		reflect.TypeFor[[]int]():            {Type: "array", Items: &jsonschema.Schema{Type: "integer"}},
		reflect.TypeFor[[]float64]():        {Type: "array", Items: &jsonschema.Schema{Type: "number"}},
	}}
	top, err := jsonschema.For[resourceMap](options)
	if err != nil {
		return nil, err
	}
	nodes, err := jsonschema.For[node](options)
	if err != nil {
		return nil, err
	}
	locations, err := jsonschema.For[location](options)
	if err != nil {
		return nil, err
	}
	describe(top)
	bound(locations)
	top.Schema, top.ID = "https://json-schema.org/draft/2020-12/schema", ID
	top.Title = "Resource map"
	top.Description = "The parts of one source, each with its location, for exact citation."
	top.Defs = map[string]*jsonschema.Schema{"modality": modalities(), "node": nodes, "location": locations}
	for _, s := range []*jsonschema.Schema{top, nodes, locations} {
		loosen(s)
	}
	return top, nil
}

func modalities() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string", Pattern: "^[a-z][a-z0-9]{0,31}$"}
	for _, modality := range strings.Split(message.Modalities, ", ") {
		s.Examples = append(s.Examples, modality)
	}
	s.Not = &jsonschema.Schema{Enum: []any{"doc"}}
	for _, scheme := range selector.URLSchemes {
		s.Not.Enum = append(s.Not.Enum, scheme)
	}
	s.Description = "One of the examples, or a word for which the library has a resolver of its own."
	return s
}

// describe adds rules that the types do not express.
func describe(top *jsonschema.Schema) {
	one, longest := 1, 512
	id := top.Properties["resource_id"]
	id.MinLength, id.MaxLength = &one, &longest
	hash := &jsonschema.Schema{Type: "string", Pattern: "^[0-9A-Fa-f]{64}$", Description: "SHA-256 of the source the map was made from, in hex."}
	zero := 0.0
	size := &jsonschema.Schema{Type: "integer", Minimum: &zero, Description: "Bytes of the source the map was made from."}
	metadata := top.Properties["metadata"]
	metadata.Description = "Free, but for these."
	metadata.Properties = map[string]*jsonschema.Schema{"source_hash": orNull(hash), "source_size": orNull(size)}
	metadata.PropertyOrder = []string{"source_hash", "source_size"}
}

// bound adds the bounds of the parts of a location.
func bound(s *jsonschema.Schema) {
	zero, one, two, four := 0.0, 1.0, 2, 4
	first := 1
	pages, lines, box := s.Properties["pages"], s.Properties["lines"], s.Properties["bbox"]
	pages.MinItems, pages.Items.Minimum = &first, &one
	lines.MinItems, lines.MaxItems, lines.Items.Minimum = &two, &two, &one
	box.MinItems, box.MaxItems, box.Items.Minimum, box.Items.Maximum = &four, &four, &zero, &one
	for _, name := range []string{"blocks", "rows"} {
		run := s.Properties[name]
		run.MinItems, run.MaxItems, run.Items.Minimum = &two, &two, &one
	}
	s.Properties["message"].Minimum = &one
	s.Properties["start"].Minimum, s.Properties["end"].Minimum = &zero, &zero
}

// loosen allows optional members to be null, and allows unknown members.
func loosen(s *jsonschema.Schema) {
	s.AdditionalProperties = nil
	required := make(map[string]bool)
	for _, name := range s.Required {
		required[name] = true
	}
	for name, property := range s.Properties {
		if !required[name] {
			s.Properties[name] = orNull(property)
		}
	}
}

func orNull(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Type != "" {
		s.Types, s.Type = []string{s.Type, "null"}, ""
	}
	return s
}
