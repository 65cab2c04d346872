package llm

import (
	"encoding/json"
	"strings"

	"github.com/citekit/citekit"
)

// A form describes answers about sources of one modality.
type form struct {
	types  []string // words for the type of a node; the first is the default
	fields string   // JSON schema of the fields that locate a node, without the braces
	names  []string // of these fields
	rule   string   // meaning of the fields
}

var forms = map[citekit.Modality]form{
	citekit.Document: {
		types:  []string{"section", "figure", "table", "pages"},
		fields: `"pages":{"type":"array","items":{"type":"integer"}}`,
		names:  []string{"pages"},
		rule: `"pages" lists every page the node stands on, such as [12, 13, 14, 15] for a section that runs from page 12 to page 15. ` +
			`Pages are counted from 1 at the first page of the file, whatever number is printed on them. A page that two sections share belongs to both.`,
	},
	citekit.Text: {
		types:  []string{"section", "function", "class", "method", "type", "key", "table", "passage", "entries"},
		fields: `"lines":{"type":"array","items":{"type":"integer"}}`,
		names:  []string{"lines"},
		rule:   `"lines" is [first, last]: the numbers of the first and the last line of the node, as they stand before the lines.`,
	},
	citekit.Video: timed,
	citekit.Audio: timed,
	citekit.Image: {
		types:  []string{"region", "block", "image"},
		fields: `"bbox":{"type":"array","items":{"type":"number"}}`,
		names:  []string{"bbox"},
		rule: `"bbox" is [x1, y1, x2, y2]: the left, top, right and bottom edge as fractions of the width and height, from 0 to 1, from the top left corner. ` +
			`It is in this order, and not in thousandths. The whole picture is [0, 0, 1, 1].`,
	},
}

var timed = form{
	types:  []string{"segment", "chapter", "scene"},
	fields: `"start":{"type":"number"},"end":{"type":"number"}`,
	names:  []string{"start", "end"},
	rule:   `"start" and "end" are seconds from the beginning, such as 75.5 for 1:15.5; "end" is where the next node may begin.`,
}

// Schema returns the JSON schema of an answer about a source of a modality, or
// nil if there is none. Nodes are a flat list in which "level" gives the depth
// of a node: such a list survives being cut off, and every structured output
// can be bound to it. [ReadAnswer] lists the other accepted forms.
func Schema(modality citekit.Modality) json.RawMessage {
	f, ok := forms[modality]
	if !ok {
		return nil
	}
	required := `"` + strings.Join(append([]string{"level", "title", "type"}, append(f.names, "summary")...), `","`) + `"`
	return json.RawMessage(`{"type":"object","properties":{` +
		`"title":{"type":["string","null"]},` +
		`"nodes":{"type":"array","items":{"type":"object","properties":{` +
		`"level":{"type":"integer"},` +
		`"title":{"type":"string"},` +
		`"type":{"type":"string","enum":["` + strings.Join(f.types, `","`) + `"]},` +
		f.fields + `,` +
		`"summary":{"type":["string","null"]}` +
		`},"required":[` + required + `],"additionalProperties":false}}` +
		`},"required":["title","nodes"],"additionalProperties":false}`)
}

// enrichSchema is the schema of titles and summaries for nodes identified by
// number.
var enrichSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"nodes":{"type":"array","items":{"type":"object","properties":{` +
	`"node":{"type":"integer"},` +
	`"title":{"type":["string","null"]},` +
	`"summary":{"type":["string","null"]}` +
	`},"required":["node","title","summary"],"additionalProperties":false}}` +
	`},"required":["nodes"],"additionalProperties":false}`)
