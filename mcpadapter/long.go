package mcpadapter

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// longResult is from how many bytes of data a result is encoded by us.
const longResult = 64 << 10

// A longData result is a success whose data is long. The SDK's encoder would
// go over it four times.
type longData struct {
	*mcp.CallToolResult
	data json.RawMessage
}

// shortcut returns a result that encodes to the same JSON in less time, if it
// is a long success of ours.
func shortcut(result mcp.Result) mcp.Result {
	success, ok := result.(*mcp.CallToolResult)
	if !ok {
		return result
	}
	if data, ok := success.StructuredContent.(encodedData); ok && len(data) >= longResult && utf8.Valid(data) {
		return &longData{success, json.RawMessage(data)}
	}
	return result
}

// MarshalJSON implements [json.Marshaler].
func (l *longData) MarshalJSON() ([]byte, error) {
	// What the SDK has set besides the content, such as the kind of the
	// result, cannot be read but encoded.
	rest := *l.CallToolResult
	rest.Content, rest.StructuredContent = []mcp.Content{}, nil
	list, err := membersWithout(&rest, "content")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(answerSize(l.data) + 1<<10)
	b.WriteByte('{')
	for _, m := range list {
		writeMember(&b, m.key, m.value)
	}
	writeMember(&b, "content", []byte(`[{"type":"text","text":"`))
	writeQuoted(&b, l.data)
	b.WriteString(`"}]`)
	writeMember(&b, "structuredContent", l.data)
	b.WriteByte('}')
	return b.Bytes(), nil
}

// writeQuoted writes JSON without line breaks as the inside of a JSON string.
func writeQuoted(b *bytes.Buffer, data []byte) {
	for {
		i := bytes.IndexAny(data, `"\`)
		if i < 0 {
			b.Write(data)
			return
		}
		b.Write(data[:i])
		b.WriteByte('\\')
		b.WriteByte(data[i])
		data = data[i+1:]
	}
}
