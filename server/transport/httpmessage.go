package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// batchVersion is the only version of the protocol with batches. Requests without
// a version are treated as this version.
const batchVersion = "2025-03-26"

// maxBatch is how many messages a batch may have: one request makes all its calls
// at the same time.
const maxBatch = 100

// codeNoSession is the code for a session that does not exist, as in the
// TypeScript SDK.
const codeNoSession = -32001

// checkBody rejects a body that is not a message of a protocol version, which is
// "" if the request names none. It also rejects ids that would come back changed.
func checkBody(body []byte, version string) (calls []*jsonrpc.Request, rejected *rejection) {
	text := bytes.TrimSpace(body)
	if rejected := checkJSON(text, "the body is not valid JSON"); rejected != nil {
		return nil, rejected
	}
	messages := []json.RawMessage{text}
	if text[0] == '[' {
		if version != "" && version != batchVersion {
			return nil, &rejection{nil, jsonrpc.CodeInvalidRequest, "batches are only in version " + batchVersion + " of the protocol; send one message at a time"}
		}
		messages = nil // decoding into them would overwrite the body
		if json.Unmarshal(text, &messages) != nil || len(messages) == 0 {
			return nil, &rejection{nil, jsonrpc.CodeInvalidRequest, "the batch is empty"}
		}
		if len(messages) > maxBatch {
			return nil, &rejection{nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the batch has %d messages; send at most %d at a time", len(messages), maxBatch)}
		}
	}
	for _, text := range messages {
		m, rejected := parseObject(bytes.TrimSpace(text))
		if rejected != nil {
			return nil, rejected
		}
		if m.request != nil && m.request.IsCall() {
			calls = append(calls, m.request)
		}
	}
	return calls, nil
}

// needSession rejects calls that are only allowed in a session.
func needSession(calls []*jsonrpc.Request) *rejection {
	for _, call := range calls {
		if call.Method != "initialize" && call.Method != "ping" {
			id, _ := json.Marshal(call.ID.Raw()) // a string or a whole number
			return &rejection{id, jsonrpc.CodeInvalidRequest, "no session; call initialize first, and send the header " + sessionHeader + " that it returns"}
		}
	}
	return nil
}

// respond answers a request over HTTP with the error.
func (r *rejection) respond(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Del("Content-Length")
	w.WriteHeader(status)
	_, _ = w.Write(bytes.TrimSuffix(r.encode(), []byte("\n")))
}

// An errorWriter answers a message with a JSON-RPC error where the SDK answers
// with a line of text, which clients cannot interpret.
type errorWriter struct {
	http.ResponseWriter
	calls  []*jsonrpc.Request // of the message
	status int                // of an error in plain text
}

// Unwrap is for [http.ResponseController].
func (w *errorWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (w *errorWriter) WriteHeader(status int) {
	text := strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain")
	if text && (status == http.StatusBadRequest || status == http.StatusNotFound) {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [io.Writer].
func (w *errorWriter) Write(data []byte) (int, error) {
	if w.status == 0 {
		return w.ResponseWriter.Write(data)
	}
	r := &rejection{code: jsonrpc.CodeInvalidRequest, message: strings.TrimSpace(string(data))}
	if len(w.calls) == 1 {
		r.id, _ = json.Marshal(w.calls[0].ID.Raw())
	}
	status := w.status
	switch {
	case status == http.StatusNotFound:
		r.code = codeNoSession
	case r.id == nil:
	case strings.HasPrefix(r.message, "JSON RPC not handled"): // the answer to a call that needs a session
		status, r.code, r.message = http.StatusOK, jsonrpc.CodeMethodNotFound, "there is no method "+quote(w.calls[0].Method)
	case lacksParams(r.message):
		status, r.code = http.StatusOK, jsonrpc.CodeInvalidParams
	}
	r.respond(w.ResponseWriter, status)
	return len(data), nil
}
