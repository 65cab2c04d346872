package mcpadapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/mcpadapter/internal/apps"
	"github.com/citekit/citekit/verify"
	"github.com/citekit/citekit/view"
)

// viewed are the tools whose results the page of package apps shows.
var viewed = []string{"resolve", "search", "getContents", "answer", "verify"}

// app returns what offers that page to clients that can show it.
func (a *adapter) app() *apps.Server {
	tool := a.called(apps.Tool)
	return &apps.Server{
		Tool:  tool,
		Shows: func(name string) bool { return slices.Contains(viewed, a.meant(name)) },
		May:   func(ctx context.Context) bool { return a.opts.Viewer != nil && a.hasTool(ctx, "getContents") },
		Wrong: unknownTool,
	}
}

// gate returns the tool that a caller must have to use a tool: getContents for that of the
// page, which gives the same, and else the tool itself.
func (a *adapter) gate(name string) string {
	if name == a.called(apps.Tool) && a.native {
		return a.called("getContents")
	}
	return name
}

// The longest side of a picture for the page, in pixels.
const minPictureSide, maxPictureSide = 128, 2048

func (a *adapter) viewTool() tool {
	return tool{
		name:  apps.Tool,
		title: "Show evidence",
		description: "For the page of this server: what stands at an address and around it, with the places of a quote; " +
			"or a picture of it, or its media.",
		parameters: []parameter{
			{name: "address", kind: text, required: true},
			{name: "quote", kind: text, longest: verify.MaxQuote},
			{name: "cursor", kind: text, longest: maxCursor},
			{name: "layout", kind: flag, description: "Also the boxes of lines."},
			{name: "picture", kind: count, least: minPictureSide, greatest: maxPictureSide, description: "Instead, a picture of so many pixels."},
			{name: "media", kind: flag, description: "Instead, the evidence itself."},
		},
		long:    true,
		timeout: defaultTimeout,
		call:    a.view,
	}
}

// view answers the page that shows evidence.
func (a *adapter) view(ctx context.Context, args arguments) (answer, error) {
	switch {
	case args.flag("media"):
		return a.viewMedia(ctx, args)
	case args.has("picture"):
		return a.viewPicture(ctx, args)
	}
	address := args.text("address")
	if !a.namesNode(ctx, args) {
		given, err := a.addressOf(ctx, args)
		if err != nil {
			return answer{}, err
		}
		address = given.String()
	}
	shown, err := a.opts.Viewer.View(ctx, view.Request{Address: address, Quote: args.text("quote"), Cursor: args.text("cursor"), Layout: args.flag("layout")})
	if err != nil {
		return answer{}, asArgument(err)
	}
	for i := range shown.Spans { // handlers write codes for characters that cannot be seen
		span := &shown.Spans[i]
		span.Marks = plain.ShownMarks(span.Text, span.Marks)
		for j := range span.Layout {
			line := &span.Layout[j]
			at := plain.ShownMarks(span.Text, [][2]int{{line.From, line.To}})
			line.From, line.To = at[0][0], at[0][1]
		}
	}
	data, err := json.Marshal(shown)
	return answer{data: data}, err
}

// viewPicture answers with a picture, which is small enough for a message.
func (a *adapter) viewPicture(ctx context.Context, args arguments) (answer, error) {
	address, err := a.addressOf(ctx, args)
	if err != nil {
		return answer{}, err
	}
	side := args.count("picture")
	if side < minPictureSide || side > maxPictureSide {
		return answer{}, badArgument("argument 'picture' is %d; it must be from %d to %d", side, minPictureSide, maxPictureSide)
	}
	picture, err := a.opts.Viewer.Picture(ctx, address, side)
	if err != nil {
		return answer{}, addressError{err}
	}
	data, err := json.Marshal(picture)
	return answer{data: data, more: []mcp.Content{&mcp.ImageContent{Data: picture.Data, MIMEType: picture.MediaType}}}, err
}

// viewMedia answers with evidence that is not too long for a message, as the resource of
// its address has it. For a caller that may only read there is none, as a file would be
// written.
func (a *adapter) viewMedia(ctx context.Context, args arguments) (answer, error) {
	address, err := a.addressOf(ctx, args)
	if err != nil {
		return answer{}, err
	}
	read, err := contents.ReadEvidence(ctx, a.lib, address, maxContent, &citekit.ResolveOptions{Virtual: a.readOnly(ctx)})
	switch {
	case err != nil:
		return answer{}, addressError{err}
	case read.Stored == nil && a.readOnly(ctx):
		return answer{}, fmt.Errorf("this caller may only read, so that no evidence is made: %w", errors.ErrUnsupported)
	case read.Stored == nil:
		return answer{}, fmt.Errorf("this workspace keeps no evidence: %w", errors.ErrUnsupported)
	}
	found := answer{}
	for _, c := range contentsOfEvidence(read.Stored, read.Data, mcp.Meta{"address": address.String()}) {
		c.URI = address.String()
		found.more = append(found.more, &mcp.EmbeddedResource{Resource: c})
	}
	found.data, err = json.Marshal(map[string]any{"address": address.String(), "mediaType": read.Stored.MediaType, "size": read.Stored.Size})
	return found, err
}
