package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/strictjson"
)

// A line is one line of the stream without its end. If tooLong is set, text is
// only its beginning.
type line struct {
	text    []byte
	tooLong bool
}

// keptOfTooLong is how many bytes of a line over the limit are kept, to find the
// id of its message.
const keptOfTooLong = 64 << 10

// readLine reads the next line of at most limit bytes, and skips the rest of a
// longer one. The last line may lack an end. An error of r is returned unchanged,
// without a line.
func readLine(r *bufio.Reader, limit int) (line, error) {
	var l line
	for {
		part, err := r.ReadSlice('\n')
		if !l.tooLong {
			l.text = append(l.text, part...)
		}
		if !l.tooLong && len(l.text) > limit+1 { // the end of the line does not count
			l.tooLong = true
			l.text = bytes.Clone(l.text[:min(limit, keptOfTooLong)])
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(l.text) > 0:
			return l, nil
		case err != nil:
			return line{}, err
		}
		l.text = bytes.TrimRight(l.text, "\r\n")
		return l, nil
	}
}

// A rejection is the error for a message that the SDK must not see, as it would
// end the session.
type rejection struct {
	id      json.RawMessage // nil if unknown
	code    int64
	message string
}

// maxNesting is the depth to which JSON is read, as in the SDK.
const maxNesting = 1000

// maxSafeInteger bounds the whole numbers that every client can represent
// exactly.
const maxSafeInteger = 1 << 53

const codeBusy = -32000

// An rpcMessage is a JSON-RPC 2.0 message without surrounding space.
type rpcMessage struct {
	text    []byte
	request *jsonrpc.Request // nil if it is a response
}

// parseMessage parses a message. Both results are nil for an empty line.
func parseMessage(l line, limit int) (*rpcMessage, *rejection) {
	text := bytes.TrimSpace(l.text)
	if l.tooLong {
		return nil, &rejection{findID(text), jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message of more than %d bytes", limit)}
	}
	if len(text) == 0 {
		return nil, nil
	}
	if rejected := checkJSON(text, "the message is not valid JSON on one line"); rejected != nil {
		return nil, rejected
	}
	if text[0] == '[' {
		return nil, &rejection{nil, jsonrpc.CodeInvalidRequest, "batches are not supported; send one message a line"}
	}
	return parseObject(text)
}

// checkJSON rejects invalid JSON with message, and JSON that is nested too
// deeply.
func checkJSON(text []byte, message string) *rejection {
	if tooDeep(text) {
		return &rejection{findID(text), jsonrpc.CodeParseError, fmt.Sprintf("JSON nested more than %d deep", maxNesting)}
	}
	if !json.Valid(text) {
		return &rejection{findID(text), jsonrpc.CodeParseError, message}
	}
	return nil
}

// parseObject parses a message that is valid JSON and not a batch.
func parseObject(text []byte) (*rpcMessage, *rejection) {
	m, rejected := parseRequest(text)
	if rejected == nil && m.request != nil && m.request.IsCall() && m.request.Method == "initialize" {
		// The error of the SDK does not say what the params are.
		var params *mcp.InitializeParams
		if json.Unmarshal(m.request.Params, &params) != nil || params == nil {
			return nil, &rejection{findID(text), jsonrpc.CodeInvalidParams, "the params of initialize cannot be read; they are an object with protocolVersion, capabilities and clientInfo"}
		}
	}
	return m, rejected
}

func parseRequest(text []byte) (*rpcMessage, *rejection) {
	if text[0] != '{' {
		return nil, &rejection{nil, jsonrpc.CodeInvalidRequest, "a message is a JSON object"}
	}
	if request := plainRequest(text); request != nil {
		return &rpcMessage{text, request}, nil
	}
	decoded, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, &rejection{findID(text), jsonrpc.CodeInvalidRequest, "not a JSON-RPC 2.0 request, notification or response"}
	}
	request, _ := decoded.(*jsonrpc.Request)
	if request == nil && !isAnswer(text) || request != nil && request.Method == "" {
		return nil, &rejection{findID(text), jsonrpc.CodeInvalidRequest, "a request has a method, and an answer either result or error"}
	}
	if request != nil && !mcpcall.IsNotification(request.Method) && hasID(text) && !validID(findID(text)) {
		reason := "an id is a string, or a whole number up to 2^53"
		if _, ok := request.ID.Raw().(string); ok {
			reason = "the id has half a surrogate pair, or bytes that are not UTF-8, so it cannot come back unchanged; send an id of whole characters"
		}
		return nil, &rejection{nil, jsonrpc.CodeInvalidRequest, reason}
	}
	return &rpcMessage{text, request}, nil
}

// isAnswer reports whether a message that has no method is an answer. The SDK takes
// any such message with an id for one, and drops it.
func isAnswer(object []byte) bool {
	list, _ := strictjson.Members(object) // which the SDK could decode
	return slices.ContainsFunc(list, func(m strictjson.Member) bool {
		return m.Key == "result" || m.Key == "error" && string(m.Value) != "null"
	})
}

// hasID reports whether a message has an id, which may be null.
func hasID(object []byte) bool {
	list, _ := strictjson.Members(object)
	return slices.ContainsFunc(list, func(m strictjson.Member) bool { return m.Key == "id" })
}

// plainRequest parses a request in the plainest form: only the members of a
// request, each once, with an id that would come back unchanged. It returns nil
// for any other form. The SDK reads such a message as the same request, but its
// decoder takes six times as long.
func plainRequest(object []byte) *jsonrpc.Request {
	list, err := strictjson.Members(object)
	if err != nil {
		return nil
	}
	request, version := new(jsonrpc.Request), ""
	for i, m := range list {
		if slices.ContainsFunc(list[:i], func(other strictjson.Member) bool { return other.Key == m.Key }) {
			return nil
		}
		switch m.Key {
		case "jsonrpc":
			version = string(m.Value)
		case "method":
			request.Method, _ = strictjson.PlainString(m.Value)
		case "params":
			request.Params = m.Value
		case "id":
			if request.ID = plainID(m.Value); !request.ID.IsValid() {
				return nil
			}
		default:
			return nil
		}
	}
	if version != `"2.0"` || request.Method == "" {
		return nil
	}
	return request
}

// plainID returns an id in plain notation, or the zero ID.
func plainID(text []byte) jsonrpc.ID {
	var id jsonrpc.ID
	if s, ok := strictjson.PlainString(text); ok {
		id, _ = jsonrpc.MakeID(s) // every string is valid
	} else if text[0] != '"' && validID(text) { // the SDK decodes strings with escapes
		n, _ := strconv.ParseInt(string(text), 10, 64)
		id, _ = jsonrpc.MakeID(float64(n)) // every whole number is valid
	}
	return id
}

// tooDeep reports whether arrays and objects in text are nested deeper than
// maxNesting. The text need not be valid JSON.
func tooDeep(text []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// findID returns the JSON of the id of the message that text begins with, or nil.
// The text may be cut or invalid after the id.
func findID(text []byte) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	depth, key := 0, ""
	for {
		start := decoder.InputOffset()
		token, err := decoder.Token()
		if err != nil {
			return nil
		}
		switch token := token.(type) {
		case json.Delim:
			key = ""
			if token == '{' || token == '[' {
				depth++
			} else if depth--; depth == 0 {
				return nil
			}
		case string:
			if depth == 1 && key == "" {
				key = token + ":" // never empty
				continue
			}
			if depth == 1 && key == "id:" {
				if !strictjson.IsWholeText(string(text[start:decoder.InputOffset()])) {
					return nil
				}
				id, _ := json.Marshal(token) // a string always encodes
				return id
			}
			key = ""
		case json.Number:
			if depth == 1 && key == "id:" && validID([]byte(token)) {
				return json.RawMessage(token)
			}
			key = ""
		default:
			key = ""
		}
	}
}

// validID reports whether the JSON id of a request comes back to the client
// unchanged.
func validID(id []byte) bool {
	if len(id) > 0 && id[0] == '"' {
		return true
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && -maxSafeInteger <= n && n <= maxSafeInteger
}

// encode returns the line that answers the message.
func (r *rejection) encode() []byte {
	id := r.id
	if id == nil {
		id = json.RawMessage("null") // JSON-RPC 2.0, section 5
	}
	type rpcError struct {
		Code    int64             `json:"code"`
		Message string            `json:"message"`
		Data    map[string]string `json:"data"`
	}
	data, _ := json.Marshal(struct { // neither part can fail
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcError        `json:"error"`
	}{"2.0", id, rpcError{r.code, r.message, map[string]string{mcpcall.MetaDetails: r.message}}})
	return append(data, '\n')
}
