package mcpadapter

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// longAnswer is the size of data, in bytes, from which a result bypasses the
// SDK's encoder on a guarded connection.
const longAnswer = 16 << 10

// A longResult is a success with long data that bypasses the SDK's encoder, which
// would process the message three more times. Its JSON is only a key, which the
// guard replaces by the result.
type longResult struct {
	*mcp.CallToolResult
	data  json.RawMessage
	guard *guard
	key   []byte // set once the guard has the result
	head  []byte // the members of the result except its content
}

type guardKey struct{}

// withGuard makes the long results of a session bypass the SDK's encoder.
func withGuard(ctx context.Context, g *guard) context.Context {
	return context.WithValue(ctx, guardKey{}, g)
}

// pastEncoder returns a result that the guard of the session writes itself, if
// there is a guard and result is a long success of this package.
func pastEncoder(ctx context.Context, result mcp.Result) mcp.Result {
	g, ok := ctx.Value(guardKey{}).(*guard)
	if !ok {
		return result
	}
	success, ok := result.(*mcp.CallToolResult)
	if !ok {
		return result
	}
	data := onlyData(success)
	if len(data) < longAnswer {
		return result
	}
	return &longResult{CallToolResult: success, data: data, guard: g}
}

// onlyData returns the data of a success of this package that has nothing else:
// once as text, and once as structured content. Otherwise it returns nil.
func onlyData(success *mcp.CallToolResult) json.RawMessage {
	data, ok := success.StructuredContent.(encodedData)
	if !ok || !utf8.Valid(data) || len(success.Content) != 1 {
		return nil
	}
	if text, ok := success.Content[0].(*mcp.TextContent); !ok || text.Text != string(data) { // other middleware may have changed it
		return nil
	}
	return json.RawMessage(data)
}

// MarshalJSON implements [json.Marshaler]. The SDK calls it last, when all
// members except the content are set.
func (l *longResult) MarshalJSON() ([]byte, error) {
	rest := *l.CallToolResult
	rest.Content, rest.StructuredContent = []mcp.Content{}, nil
	head, err := openWithout(&rest, "content")
	if err != nil {
		return nil, err
	}
	l.head = head
	l.guard.mu.Lock()
	defer l.guard.mu.Unlock()
	if l.key == nil {
		l.key = l.guard.longResults.keep(l)
	}
	return l.key, nil
}

// openWithout encodes v, an object, without the member key and without the
// closing brace.
func openWithout(v json.Marshaler, key string) ([]byte, error) {
	list, err := membersWithout(v, key)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for _, m := range list {
		writeMember(&b, m.key, m.value)
	}
	return b.Bytes(), nil
}

// write writes the message that answers a call with the result.
func (l *longResult) write(w io.Writer, id jsonrpc.ID) error {
	encodedID, err := json.Marshal(id.Raw())
	if err != nil {
		return err
	}
	b := make([]byte, 0, answerSize(l.data)+len(l.head)+len(encodedID)+1<<10)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, encodedID...)
	b = append(b, `,"result":`...)
	b = append(b, l.head...)
	if len(l.head) > len("{") {
		b = append(b, ',')
	}
	b = append(b, `"content":[{"type":"text","text":"`...)
	b = appendQuoted(b, l.data)
	b = append(b, `"}],"structuredContent":`...)
	b = append(b, l.data...)
	b = append(b, "}}\n"...)
	_, err = w.Write(b)
	return err
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

// longResults are the results that are encoded but not written, by key.
type longResults struct {
	last  int
	byKey map[string]*longResult
}

const longKey = `{"citekit/longResult":` // begins a key

func (r *longResults) keep(l *longResult) (key []byte) {
	if r.byKey == nil {
		r.byKey = make(map[string]*longResult)
	}
	r.last++
	key = append(strconv.AppendInt([]byte(longKey), int64(r.last), 10), '}')
	r.byKey[string(key)] = l
	return key
}

// take returns the result for a key, and forgets it. It is nil if result is not a
// key but the result itself.
func (r *longResults) take(result []byte) *longResult {
	if !bytes.HasPrefix(result, []byte(longKey)) {
		return nil
	}
	l := r.byKey[string(result)]
	delete(r.byKey, string(result))
	return l
}
