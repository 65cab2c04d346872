package linetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/citekit/citekit"
)

// Chat is a modality that is not built in: chat://id#lines=2-3.
const Chat citekit.Modality = "chat"

// Chats reads chats: a line "chat", then messages, a line each. It recognizes and
// maps them.
type Chats struct {
	Release string // the version; "" means "chat/1"
	Prefix  string // of the titles of nodes
}

// Version implements [citekit.Versioner].
func (c Chats) Version() string { return cmp.Or(c.Release, "chat/1") }

// Detect implements [citekit.Detector].
func (Chats) Detect(_ context.Context, src *citekit.Source) (bool, error) {
	head := make([]byte, 5)
	n, err := src.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return false, err
	}
	return string(head[:n]) == "chat\n", nil
}

// Resolve implements [citekit.Resolver].
func (Chats) Resolve(_ context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	lines, _, err := chatLines(src, req.Location)
	if err != nil {
		return nil, err
	}
	data := bytes.Join(lines, nil)
	return &citekit.Content{Body: io.NopCloser(bytes.NewReader(data)), Size: int64(len(data)), MediaType: "text/x-chat", Ext: ".chat"}, nil
}

// Measure implements [citekit.Measurer].
func (Chats) Measure(_ context.Context, src *citekit.Source) (citekit.Extent, error) {
	lines, _, err := chatLines(src, citekit.Location{Modality: Chat})
	return chatExtent(lines), err
}

// ReadText implements [citekit.TextReader].
func (Chats) ReadText(_ context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		lines, first, err := chatLines(src, loc)
		if err != nil {
			yield(citekit.TextRun{}, err)
			return
		}
		for i, line := range lines {
			if !yield(citekit.TextRun{Text: string(line), Location: chatLine(first + i)}, nil) {
				return
			}
		}
	}
}

// Map implements [citekit.Mapper] with a node for each message.
func (c Chats) Map(_ context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if req.Modality != Chat {
		return nil, fmt.Errorf("a map of a chat as %s: %w", req.Modality, errors.ErrUnsupported)
	}
	lines, _, err := chatLines(src, citekit.Location{Modality: Chat})
	if err != nil {
		return nil, err
	}
	draft := &citekit.Draft{Method: "messages"}
	for i, line := range lines[1:] {
		title := c.Prefix + string(bytes.TrimSpace(line))
		draft.Nodes = append(draft.Nodes, &citekit.Node{Title: title, Type: "message", Location: chatLine(i + 2)})
	}
	return draft, nil
}

func chatLine(n int) citekit.Location {
	return citekit.Location{Modality: Chat, Lines: citekit.Range{First: n, Last: n}}
}

func chatExtent(lines [][]byte) citekit.Extent {
	return citekit.Extent{Modality: Chat, Lines: len(lines), MediaType: "text/x-chat"}
}

// chatLines returns the lines at a location, each with its end, and the number of
// the first.
func chatLines(src *citekit.Source, loc citekit.Location) (lines [][]byte, first int, err error) {
	data, err := io.ReadAll(src.Reader())
	if err != nil {
		return nil, 0, err
	}
	if !bytes.HasPrefix(data, []byte("chat\n")) {
		return nil, 0, fmt.Errorf("the first line is not \"chat\": %w", citekit.ErrFormat)
	}
	lines = bytes.SplitAfter(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	if err := chatExtent(lines).Check(loc); err != nil {
		return nil, 0, err
	}
	if loc.Lines.IsZero() {
		return lines, 1, nil
	}
	return lines[loc.Lines.First-1 : loc.Lines.Last], loc.Lines.First, nil
}
