package mcpadapter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/strictjson"
)

// withReading adds arguments to the tool resolve, one of tools, that ask for the
// evidence in the same answer.
func withReading(tools []tool) []tool {
	i := slices.IndexFunc(tools, func(t tool) bool { return t.name == "resolve" })
	t := &tools[i]
	t.parameters = append(t.parameters,
		parameter{name: "include", kind: texts, choices: []string{includeText, includeImage, includeCells}, description: "Add these."},
		parameter{name: "max_tokens", kind: count, least: contents.MinTokens, greatest: contents.MaxTokens, description: "Of the answer without pictures; about 200 at least."})
	t.output.properties = append(t.output.properties, typed("text", "string", "If included. Pass next_cursor to getContents for the rest."),
		typed("table", "object", ""))
	return tools
}

// A shownText is the text of evidence in the answer of resolve.
type shownText struct {
	asked      bool // otherwise there is no text
	text       string
	note       string // why the text is missing or incomplete
	complete   bool
	nextCursor string
}

// addTo appends the members of the text to an object.
func (t shownText) addTo(object json.RawMessage) json.RawMessage {
	w := new(strictjson.Writer)
	w.Open()
	if t.asked {
		w.Text("text", t.text)
		w.Value("tokens", plain.CountTokens(t.text))
		w.Optional("note", t.note)
	}
	w.Value("complete", t.complete)
	w.Optional("next_cursor", t.nextCursor)
	w.Close()
	return slices.Concat(bytes.TrimSuffix(object, []byte("}")), []byte(","), w.Bytes()[1:])
}

// shown returns the answer of resolve, data, with the text and the picture of the
// content at an address. Like evidence, the content must have the version that
// was mapped or that the address pins.
func (a *adapter) shown(ctx context.Context, address citekit.Address, data json.RawMessage, args arguments) (answer, error) {
	include := args.texts("include")
	read := shownText{complete: true}
	if address.Location.Modality == citekit.Virtual {
		read.asked, read.note = true, "the content is at another address; read it with getContents"
		return answer{data: read.addTo(data)}, nil
	}
	if slices.Contains(include, includeText) {
		room, err := roomForText(data, args)
		if err == nil {
			read, err = a.readOne(ctx, address, room)
		}
		if err != nil {
			return answer{}, err
		}
	}
	if slices.Contains(include, includeCells) {
		var err error
		if data, err = a.withCells(ctx, address, data); err != nil {
			return answer{}, err
		}
	}
	var pictures []mcp.Content
	if slices.Contains(include, includeImage) {
		pictures = a.pictures(ctx, []*contents.Item{{Address: address, Text: read.text}})
	}
	read.complete = read.complete && ctx.Err() == nil
	return answer{data: read.addTo(data), more: pictures}, nil
}

// appended returns a JSON object with a text added.
func appended(object json.RawMessage, key, text string) json.RawMessage {
	w := new(strictjson.Writer)
	w.Open()
	w.Text(key, text)
	w.Close()
	return slices.Concat(bytes.TrimSuffix(object, []byte("}")), []byte(","), w.Bytes()[1:])
}

// maxCells bounds the cells in an answer, in tokens.
const maxCells = 20_000

// withCells appends the cells at an address to an object, as JSON and as CSV.
func (a *adapter) withCells(ctx context.Context, address citekit.Address, data json.RawMessage) (json.RawMessage, error) {
	tables, err := a.previews.Tables(ctx, address)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return data, badArgument("include cells: %s has no cells that are known; include text", plain.Shorten(address.String(), maxShownID))
	case err != nil:
		return data, addressError{err}
	case len(tables) != 1 || address.Location.Table == "" && address.Location.Blocks.IsZero():
		return data, badArgument("include cells: %s is not one table; write such as pages=5&table=2, or table=2 where there are no pages", plain.Shorten(address.String(), maxShownID))
	}
	table, err := tables[0].MarshalJSON()
	if err != nil {
		return data, err
	}
	w := new(strictjson.Writer)
	w.Open()
	w.Value("table", appended(table, "csv", tables[0].CSV()))
	w.Close()
	if w.Err != nil {
		return data, w.Err
	}
	if n := plain.CountTokens(w.String()); n > maxCells {
		return data, badArgument("include cells: these take %d tokens; at most %d; cite fewer, such as cells=%s", n, maxCells, tables[0].FirstRows())
	}
	return slices.Concat(bytes.TrimSuffix(data, []byte("}")), []byte(","), w.Bytes()[1:]), nil
}

// roomForText returns how many tokens the text may have, including its JSON.
func roomForText(data json.RawMessage, args arguments) (int, error) {
	least := plain.CountTokens(string(data)) + contents.MinTokens
	most := max(contents.DefaultTokens, least)
	if args.has("max_tokens") {
		most = args.count("max_tokens")
	}
	if most < least || most > contents.MaxTokens {
		return 0, badArgument("argument 'max_tokens' is %d; with the text of this evidence it must be from %d to %d", most, least, contents.MaxTokens)
	}
	return most - least + contents.MinTokens, nil
}

// readOne reads the text at an address. If there is no room or no time for it,
// that is not an error, as the evidence exists.
func (a *adapter) readOne(ctx context.Context, address citekit.Address, room int) (shownText, error) {
	item, next, err := a.opts.Contents.ReadOne(ctx, address, room)
	if err != nil {
		return shownText{}, asArgument(err)
	}
	if item.Err != nil {
		item.Note = wordedError{item.Err}.Error()
	}
	if item.Hidden > 0 {
		item.Note = message.Joined(item.Note, plain.HiddenNote(item.Hidden))
	}
	return shownText{true, item.Text, item.Note, next == "" && item.Err == nil && !item.Missing, next}, nil
}
