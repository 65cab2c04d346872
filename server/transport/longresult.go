package transport

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/strictjson"
)

// longAnswer is the size of content, in bytes, from which a result bypasses the SDK's
// encoder.
const longAnswer = 16 << 10

// A longBody is a long result as JSON, in parts. After head it has data twice, as text
// and as structured content, or else rest.
//
// What the SDK encodes of such a result is a key, in whose place a transport writes the
// body. The SDK has no place for a result that is encoded already: its session encodes
// one three times and holds a dozen copies until the client has read them, and needs
// unexported methods of its HTTP connections, so none of ours can stand between. Over
// stdio the key is the whole result of a message; over HTTP it ends one, and is secret.
type longBody struct {
	head []byte // the members of the result except its content, without the closing brace
	data json.RawMessage
	rest []byte // `"content":[…]` or `"contents":[…]`
}

const longKey = `{"citekit/longResult":` // begins a key

// bodyOf returns the body of a long result, or nil if a result is short. If its content
// cannot be encoded, the SDK reports the error.
func bodyOf(result mcp.Result) *longBody {
	switch r := result.(type) {
	case *mcp.CallToolResult:
		if sizeOfContent(r.Content) < longAnswer {
			return nil
		}
		if data := onlyData(r); data != nil {
			return &longBody{data: data}
		}
		return encodedBody(`"content":`, r.Content)
	case *mcp.ReadResourceResult:
		size := 0
		for _, content := range r.Contents {
			size += len(content.Text) + base64.StdEncoding.EncodedLen(len(content.Blob))
		}
		if size >= longAnswer {
			return encodedBody(`"contents":`, r.Contents)
		}
	}
	return nil
}

func sizeOfContent(content []mcp.Content) (size int) {
	for _, block := range content {
		switch c := block.(type) {
		case *mcp.TextContent:
			size += len(c.Text)
		case *mcp.ImageContent:
			size += base64.StdEncoding.EncodedLen(len(c.Data))
		}
	}
	return size
}

// onlyData returns the data of a success that has nothing else: once as text, and once
// as [mcpcall.JSON]. Otherwise it returns nil.
func onlyData(success *mcp.CallToolResult) json.RawMessage {
	data, ok := success.StructuredContent.(mcpcall.JSON)
	if !ok || !utf8.Valid(data) || len(success.Content) != 1 {
		return nil
	}
	if text, ok := success.Content[0].(*mcp.TextContent); !ok || text.Text != string(data) { // other middleware may have changed it
		return nil
	}
	return json.RawMessage(data)
}

func encodedBody(key string, content any) *longBody {
	data, err := json.Marshal(content)
	if err != nil {
		return nil
	}
	return &longBody{rest: append([]byte(key), data...)}
}

// write calls do with each part of the result.
func (b *longBody) write(do func([]byte)) {
	do(b.head)
	if len(b.head) > len("{") {
		do([]byte{','})
	}
	if b.data == nil {
		do(b.rest)
		do([]byte{'}'})
		return
	}
	do([]byte(`"content":[{"type":"text","text":"`))
	var quoted []byte
	for data := b.data; len(data) > 0; {
		n := min(len(data), writePiece/2)
		quoted = appendQuoted(quoted[:0], data[:n])
		do(quoted)
		data = data[n:]
	}
	do([]byte(`"}],"structuredContent":`))
	do(b.data)
	do([]byte{'}'})
}

// size returns how many bytes write writes.
func (b *longBody) size() (size int64) {
	b.write(func(part []byte) { size += int64(len(part)) })
	return size
}

// appendQuoted appends JSON without line breaks as the inside of a JSON string.
func appendQuoted(b, data []byte) []byte {
	start := 0
	for i, c := range data {
		if c == '"' || c == '\\' {
			b = append(b, data[start:i]...)
			b = append(b, '\\')
			start = i
		}
	}
	return append(b, data[start:]...)
}

// withKey returns a long result whose JSON is what key returns.
func withKey(result mcp.Result, body *longBody, key func() []byte) mcp.Result {
	switch r := result.(type) {
	case *mcp.CallToolResult:
		head := mcpcall.Copied(r)
		if head.Content = []mcp.Content{}; body.data != nil {
			head.StructuredContent = nil
		}
		return &heldTool{head, heldBody{body, key}}
	case *mcp.ReadResourceResult:
		head := mcpcall.Copied(r)
		head.Contents = []*mcp.ResourceContents{}
		return &heldResource{head, heldBody{body, key}}
	}
	return result
}

// heldBody is the body of a result that the SDK encodes as a key.
type heldBody struct {
	body *longBody
	key  func() []byte
}

func (h heldBody) longBody() *longBody { return h.body }

// encode encodes a result without its content, and returns the key.
func (h heldBody) encode(result json.Marshaler, content string) ([]byte, error) {
	list, err := strictjson.Without(result, content)
	if err != nil {
		return nil, err
	}
	w := new(strictjson.Writer)
	w.Open()
	for _, m := range list {
		w.Raw(m.Key, m.Value)
	}
	h.body.head = w.Bytes()
	return h.key(), nil
}

// A heldTool is the long result of a tool.
type heldTool struct {
	*mcp.CallToolResult // without its content
	heldBody
}

// MarshalJSON implements [json.Marshaler]. The SDK calls it last, when all members
// except the content are set.
func (r *heldTool) MarshalJSON() ([]byte, error) { return r.encode(r.CallToolResult, "content") }

// A heldResource is the long content of a resource.
type heldResource struct {
	*mcp.ReadResourceResult // without its contents
	heldBody
}

// MarshalJSON implements [json.Marshaler], like the one of [heldTool].
func (r *heldResource) MarshalJSON() ([]byte, error) {
	return r.encode(r.ReadResourceResult, "contents")
}

// longResults are the bodies whose keys are encoded but not written, by key.
type longResults struct {
	last  int
	byKey map[string]*longBody
}

func (r *longResults) keep(body *longBody) (key []byte) {
	if r.byKey == nil {
		r.byKey = make(map[string]*longBody)
	}
	r.last++
	key = append(strconv.AppendInt([]byte(longKey), int64(r.last), 10), '}')
	r.byKey[string(key)] = body
	return key
}

// take returns the body for a key, and forgets it. It is nil if result is not a key
// but the result itself.
func (r *longResults) take(result []byte) *longBody {
	body := r.byKey[string(result)]
	delete(r.byKey, string(result))
	return body
}
