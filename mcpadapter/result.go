package mcpadapter

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/strictjson"
)

// success returns an answer as text, with its further content, and as structured
// content if structured is set.
func success(a answer, structured bool) *mcp.CallToolResult {
	text := a.text
	if text == "" {
		text = string(a.data)
	}
	result := &mcp.CallToolResult{Content: append([]mcp.Content{&mcp.TextContent{Text: text}}, a.more...)}
	if structured {
		result.StructuredContent = mcpcall.JSON(a.data)
	}
	return result
}

// visible returns an answer in which the characters that cannot be seen are codes,
// in all texts, and which says so first.
func (a answer) visible() answer {
	data, hidden := plain.ShowHiddenJSON(a.data)
	text, inText := plain.ShowHidden(a.text)
	hidden = max(hidden, inText) + a.hidden
	for i, block := range a.more {
		if c, ok := block.(*mcp.TextContent); ok {
			shown, n := plain.ShowHidden(c.Text)
			hidden += n
			a.more[i] = &mcp.TextContent{Text: shown}
		}
	}
	if hidden == 0 {
		return a
	}
	a.data = withEscaped(data, hidden)
	if a.text != "" {
		a.text = text + plain.HiddenNote(hidden) + "\n"
	}
	return a
}

// withEscaped returns an object that says first how many characters of it are
// codes.
func withEscaped(object json.RawMessage, hidden int) json.RawMessage {
	list, err := strictjson.Members(object)
	if err != nil {
		return object // cannot happen: it was encoded here
	}
	w := new(strictjson.Writer)
	w.Open()
	w.Text("escaped", plain.HiddenNote(hidden))
	for _, m := range list {
		w.Raw(m.Key, m.Value)
	}
	w.Close()
	return w.Bytes()
}

// takesStructure reports whether the client's version of the protocol has
// structured content. Others get each answer once.
func takesStructure(session *mcp.ServerSession) bool {
	if session == nil {
		return true
	}
	p := session.InitializeParams()
	return p == nil || p.ProtocolVersion != "2024-11-05" && p.ProtocolVersion != "2025-03-26"
}

// withoutOutput is middleware that leaves out the schemas of structured content for
// clients that get none.
func withoutOutput(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		list, ok := result.(*mcp.ListToolsResult)
		session, _ := req.GetSession().(*mcp.ServerSession)
		if err != nil || !ok || takesStructure(session) {
			return result, err
		}
		shown := *list
		shown.Tools = make([]*mcp.Tool, len(list.Tools))
		for i, t := range list.Tools {
			one := *t
			one.OutputSchema = nil
			shown.Tools[i] = &one
		}
		return &shown, nil
	}
}

// maxAnswer is the size of the longest message sent, in bytes. Clients close the
// session on a message of 16 MiB.
const maxAnswer = 15 << 20

// checkSize returns an error matching [citekit.ErrTooLarge] if the answer is too
// large for clients.
func (a answer) checkSize() error {
	more := 2 * len(a.text)
	for _, block := range a.more {
		if picture, ok := block.(*mcp.ImageContent); ok {
			more += base64.StdEncoding.EncodedLen(len(picture.Data))
		}
	}
	return checkSize(a.data, more)
}

// checkSize returns an error matching [citekit.ErrTooLarge] if an answer of data
// and more further bytes is too large for clients.
func checkSize(data []byte, more int) error {
	if size := answerSize(data) + more; size > maxAnswer {
		return fmt.Errorf("the answer has %d bytes; a message holds %d: %w", size, maxAnswer, citekit.ErrTooLarge)
	}
	return nil
}

// answerSize returns the size of data, in bytes, sent once as a JSON string and
// once unchanged.
func answerSize(data []byte) int {
	return 2*len(data) + bytes.Count(data, []byte{'"'}) + bytes.Count(data, []byte{'\\'})
}

// encodeNode returns the JSON of a node in which each child is {"id": …}.
func encodeNode(n *citekit.Node) (json.RawMessage, error) {
	alone := *n
	alone.Children = nil
	list, err := strictjson.Without(&alone, "children")
	if err != nil {
		return nil, err
	}
	type reference struct {
		ID string `json:"id"`
	}
	children := make([]reference, len(n.Children))
	for i, child := range n.Children {
		children[i].ID = child.ID
	}
	w := new(strictjson.Writer)
	w.Open()
	for _, m := range list {
		w.Raw(m.Key, m.Value)
	}
	w.Value("children", children)
	w.Close()
	return w.Bytes(), w.Err
}
