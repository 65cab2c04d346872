package mcpadapter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/reanchor"
)

// The values of the arguments include and expand of getContents.
const (
	includeText  = "text"
	includeRuns  = "runs"
	includeImage = "image"
	includeCells = "cells"

	expandParent     = "parent"
	expandChildren   = "children"
	expandNeighbours = "neighbours"
	expandRelations  = "relations"
)

// maxPictures is how many pictures one answer has. Each costs a model some
// thousand tokens.
const maxPictures = 4

// maxPictureBytes bounds each picture, so that all of them fit into one message.
const maxPictureBytes = 2 << 20

func (a *adapter) contentsTool() tool {
	return tool{
		name:  "getContents",
		title: "Read nodes and addresses",
		description: "Read the text of 1-100 nodes and addresses, within max_tokens in total. Short texts are returned whole; next_cursor continues. " +
			"With include image, the first " + fmt.Sprint(maxPictures) + " also come as pictures.",
		parameters: []parameter{
			{name: "addresses", kind: texts, required: true, most: contents.MaxIDs, old: []string{"ids", "address", "id"}, description: "Such as doc://book#pages=12-15, or nodes, as resource.node."},
			{name: "include", kind: texts, choices: []string{includeText, includeImage, includeRuns, includeCells}, description: "text by default; runs have the address of each part."},
			{name: "expand", kind: texts, choices: []string{expandParent, expandChildren, expandNeighbours, expandRelations}, description: "Also read the nodes around each, or linked ones."},
			{name: "hops", kind: count, greatest: 2, description: "Steps of relations. Default 1."},
			{name: "max_tokens", kind: count, least: contents.MinTokens, greatest: contents.MaxTokens, description: fmt.Sprintf("Of the answer, not counting pictures. Default %d.", contents.DefaultTokens)},
			{name: "cursor", kind: text, longest: maxCursor, description: "next_cursor of the previous answer."},
			timeLimit,
		},
		long:    true,
		timeout: defaultTimeout,
		call:    a.getContents,
	}
}

func (a *adapter) getContents(ctx context.Context, args arguments) (answer, error) {
	include, expand := args.texts("include"), args.texts("expand")
	hops := 0
	if slices.Contains(expand, expandRelations) {
		hops = 1
		if args.has("hops") {
			hops = args.count("hops")
		}
	}
	read, err := a.opts.Contents.Read(ctx, contents.Request{
		IDs: args.texts("addresses"),
		Expand: contents.Expansion{
			Parent:     slices.Contains(expand, expandParent),
			Children:   slices.Contains(expand, expandChildren),
			Neighbours: slices.Contains(expand, expandNeighbours),
			Relations:  hops,
		},
		NoText:    len(include) > 0 && !slices.Contains(include, includeText) && !slices.Contains(include, includeRuns) && !slices.Contains(include, includeCells),
		Runs:      slices.Contains(include, includeRuns),
		Cells:     slices.Contains(include, includeCells),
		Visible:   true,
		MaxTokens: args.count("max_tokens"),
		Cursor:    args.text("cursor"),
	})
	if err != nil {
		return answer{}, a.withAddresses(ctx, args, asArgument(err))
	}
	var pictures []mcp.Content
	if slices.Contains(include, includeImage) {
		pictures = a.pictures(ctx, read.Items)
		read.Late = read.Late || ctx.Err() != nil
	}
	data, err := a.sayWhereItemsAre(ctx, read, args.count("max_tokens"))
	return answer{data: data, more: pictures}, err
}

// withAddresses returns the error of a call that timed out, together with what is
// known without reading a text.
func (a *adapter) withAddresses(ctx context.Context, args arguments, err error) error {
	if !errors.Is(err, context.DeadlineExceeded) { // which may match shortly before ctx ends
		return err
	}
	ctx, cancel := fallbackContext(ctx)
	defer cancel()
	read, withoutErr := a.opts.Contents.Read(ctx, contents.Request{IDs: args.texts("addresses"), NoText: true, Cursor: args.text("cursor")})
	if withoutErr != nil {
		return err
	}
	read.Late = true
	known, withoutErr := a.sayWhereItemsAre(ctx, read, args.count("max_tokens"))
	if withoutErr != nil {
		return err
	}
	return partialError{err, known}
}

// wordedError is an error with the wording of the tools.
type wordedError struct{ error }

func (e wordedError) Error() string {
	message := printable(explain("getContents", e.error, citekit.CodeOf(e.error)))
	if moved := new(reanchor.MovedError); errors.As(e.error, moved) {
		message += "; " + moved.Sentence()
	} else if advised := new(advisedError); errors.As(e.error, advised) && advised.brief != "" {
		message += "; " + advised.brief
	}
	if errors.As(e.error, new(reanchor.UnplacedError)) {
		message += "; " + reanchor.Unplaced
	}
	return message
}

func (e wordedError) Unwrap() error { return e.error }

// pictures returns pictures of the first items, each with its address above it.
func (a *adapter) pictures(ctx context.Context, items []*contents.Item) []mcp.Content {
	var shown []mcp.Content
	var without []string
	for i, item := range items {
		if item.Err != nil {
			continue
		}
		if i >= maxPictures {
			return append(notDrawn(shown, without), &mcp.TextContent{Text: fmt.Sprintf("Only the first %d have pictures; for the other %d, call again with their addresses.", i, len(items)-i)})
		}
		address := item.Address.String()
		picture, err := a.previews.Make(ctx, item.Address, nil)
		if err == nil && len(picture.Data) > maxPictureBytes {
			err = fmt.Errorf("the picture has %d bytes; resolve it instead: %w", len(picture.Data), citekit.ErrTooLarge)
		}
		if err != nil {
			code := citekit.CodeOf(err)
			if modality := item.Address.Location.Modality; errors.Is(err, errors.ErrUnsupported) && (modality == citekit.Text || modality == citekit.Document) {
				if modality == citekit.Document || item.Text == "" { // the words of a text are enough
					without = append(without, address)
				}
				continue
			}
			shown = append(shown, &mcp.TextContent{Text: "No picture of " + address + ": " + printable(strings.TrimPrefix(explain("getContents", err, code), address+": "))})
			continue
		}
		shown = append(shown, &mcp.TextContent{Text: address}, &mcp.ImageContent{Data: picture.Data, MIMEType: picture.MediaType})
	}
	return notDrawn(shown, without)
}

// notDrawn adds what to do about addresses that no picture can be made of.
func notDrawn(shown []mcp.Content, addresses []string) []mcp.Content {
	if len(addresses) == 0 {
		return shown
	}
	return append(shown, &mcp.TextContent{Text: clip("No picture of "+strings.Join(addresses, ", ")) +
		". Pictures are made of pages of PDF, of images, and of video and audio. Of office files, books, mail, data and text, include text reads the words, and resolve gives that part as a file of its format."})
}
