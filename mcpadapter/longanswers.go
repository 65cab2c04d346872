package mcpadapter

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// answersMade is how many calls of one tool of a handler are made at a time
	// if its answers may be megabytes.
	answersMade = 4

	// answerMemory is how many bytes the long answers of a handler may have that
	// are not written yet, or that the reader has not wholly taken. A new one
	// then waits for room, and the one whose reader has taken nothing for the
	// longest time is dropped, with its connection.
	answerMemory = 48 << 20

	// stalled is for how long a reader may take nothing while others wait.
	stalled = 2 * time.Second

	// roomTime is how long an answer waits for room while all readers read.
	// Then the one is dropped that took something longest ago.
	roomTime = 10 * time.Second

	roomLook = 20 * time.Millisecond // how often it looks for room

	// untaken is how long an answer waits for its turn on its connection.
	untaken = writeTimeout
)

var errAnswerDropped = errors.New("the answer was dropped: others needed the memory")

// longAnswers are the long results of a handler. Where a session writes one, it
// writes a key, and the handler replaces the key by the result: the SDK would
// hold a dozen copies of it, for as long as the reader takes.
type longAnswers struct {
	prefix []byte                   // how a key begins, up to its number; nobody else knows it
	making map[string]chan struct{} // by tool: has a token for each call that is made
	limit  int64

	mu    sync.Mutex
	last  int
	bytes int64
	byKey map[string]*heldAnswer
}

func newLongAnswers() *longAnswers {
	making := map[string]chan struct{}{readMethod: make(chan struct{}, answersMade)}
	for _, name := range longTools() {
		making[name] = make(chan struct{}, answersMade)
	}
	return &longAnswers{
		prefix: []byte(longKey + `"` + rand.Text() + "-"),
		making: making, limit: answerMemory, byKey: make(map[string]*heldAnswer),
	}
}

// A heldAnswer is a result that is counted until it is written.
type heldAnswer struct {
	body   *longBody
	size   int64
	moved  time.Time       // when it was made, or its reader last took a piece
	writer *deadlineWriter // that writes it, or nil
	expiry *time.Timer     // until it is written
}

// A longBody is a result as JSON, in parts. It is the data, once as text and once
// as structured content, or else the rest.
type longBody struct {
	head []byte // the members of the result but its content, without the closing brace
	data json.RawMessage
	rest []byte // `"content":[…]` or `"contents":[…]`
}

// write calls do with the parts of the result.
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

// readMethod is the one that counts as a tool with long answers.
const readMethod = "resources/read"

// enter waits for the turn of a request, if its answer may be megabytes. The
// caller calls leave once the answer is held.
func (a *longAnswers) enter(ctx context.Context, method string, req mcp.Request) (leave func(), err error) {
	name := method
	if call, ok := req.(*mcp.CallToolRequest); ok {
		name = call.Params.Name
	}
	making := a.making[name]
	if making == nil {
		return func() {}, nil
	}
	select {
	case making <- struct{}{}:
		return func() { <-making }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hold returns a result that goes past the SDK's encoder, or the same if it is
// short. It waits until there is room for it, or ctx ends.
func (a *longAnswers) hold(ctx context.Context, result mcp.Result) (mcp.Result, error) {
	body := new(longBody)
	switch r := result.(type) {
	case *mcp.CallToolResult:
		if sizeOfContent(r.Content) < longAnswer {
			return result, nil
		}
		head := copied(r)
		head.Content = []mcp.Content{}
		if body.data = onlyData(r); body.data != nil {
			head.StructuredContent = nil
		} else if body.encode(`"content":`, r.Content) != nil {
			return result, nil // the SDK says what is wrong
		}
		key, err := a.keep(ctx, body)
		return &heldTool{CallToolResult: head, body: body, key: key}, err
	case *mcp.ReadResourceResult:
		size := 0
		for _, content := range r.Contents {
			size += len(content.Text) + base64.StdEncoding.EncodedLen(len(content.Blob))
		}
		if size < longAnswer || body.encode(`"contents":`, r.Contents) != nil {
			return result, nil
		}
		head := copied(r)
		head.Contents = []*mcp.ResourceContents{}
		key, err := a.keep(ctx, body)
		return &heldResource{ReadResourceResult: head, body: body, key: key}, err
	}
	return result, nil
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

// encode sets the rest of a result to a member.
func (b *longBody) encode(key string, value any) error {
	data, err := json.Marshal(value)
	b.rest = append([]byte(key), data...)
	return err
}

// A heldTool is the result of a tool whose JSON is a key.
type heldTool struct {
	*mcp.CallToolResult // but its content
	body                *longBody
	key                 []byte
}

// MarshalJSON implements [json.Marshaler]. The SDK calls it last, when it has
// set what a result has besides its content.
func (r *heldTool) MarshalJSON() (key []byte, err error) {
	r.body.head, err = openWithout(r.CallToolResult, "content")
	return r.key, err
}

// A heldResource is the content of a resource whose JSON is a key.
type heldResource struct {
	*mcp.ReadResourceResult // but its contents
	body                    *longBody
	key                     []byte
}

// MarshalJSON implements [json.Marshaler], as that of a [heldTool] does.
func (r *heldResource) MarshalJSON() (key []byte, err error) {
	r.body.head, err = openWithout(r.ReadResourceResult, "contents")
	return r.key, err
}

// keep counts a result until it is written, once there is room for it. It
// returns the JSON that stands for the result.
func (a *longAnswers) keep(ctx context.Context, body *longBody) ([]byte, error) {
	held := &heldAnswer{body: body, size: int64(len(body.data) + len(body.rest))}
	for start := time.Now(); !a.makeRoom(held.size, time.Since(start) > roomTime); {
		select {
		case <-time.After(roomLook):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	key := strconv.Itoa(a.last)
	held.moved = time.Now()
	a.byKey[key] = held
	held.expiry = time.AfterFunc(untaken, func() { a.done(key) })
	return append(append(bytes.Clone(a.prefix), key...), `"}`...), nil
}

// makeRoom counts a result of some bytes if there is room. For that it drops
// results whose readers take nothing, or, with force, that moved longest ago.
func (a *longAnswers) makeRoom(size int64, force bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.bytes+size > a.limit && len(a.byKey) > 0 {
		if !a.dropOldest(force) {
			return false
		}
	}
	a.bytes += size
	return true
}

// dropOldest drops the result that moved longest ago, if its reader takes nothing
// or with force, and reports whether it did. The caller holds the lock.
func (a *longAnswers) dropOldest(force bool) bool {
	var oldest string
	for key, held := range a.byKey {
		if oldest == "" || held.moved.Before(a.byKey[oldest].moved) {
			oldest = key
		}
	}
	held := a.byKey[oldest]
	if !force && time.Since(held.moved) < stalled {
		return false
	}
	a.forget(oldest)
	if held.writer != nil {
		_ = held.writer.control.SetWriteDeadline(time.Now()) // which ends the write
	}
	return true
}

// forget takes a result out. The caller holds the lock.
func (a *longAnswers) forget(key string) {
	if held := a.byKey[key]; held != nil {
		held.expiry.Stop()
		held.size, a.bytes = 0, a.bytes-held.size
		delete(a.byKey, key)
	}
}

// keyRoom is how many bytes a key and what stands behind it in a message have at
// most.
const keyRoom = 128

// find returns the key that a message ends with and what is around it; "" means
// that there is none. Before the result a message has the id of its call, which
// may be of any length.
func (a *longAnswers) find(message []byte) (before []byte, key string, after []byte) {
	if a == nil {
		return nil, "", nil
	}
	start := max(0, len(message)-keyRoom)
	at := bytes.Index(message[start:], a.prefix)
	if at < 0 {
		return nil, "", nil
	}
	number, after, _ := bytes.Cut(message[start+at+len(a.prefix):], []byte(`"}`))
	return message[:start+at], string(number), after
}

// take returns the result of a key for who writes it, or nil if it was dropped.
func (a *longAnswers) take(key string, w *deadlineWriter) *heldAnswer {
	a.mu.Lock()
	defer a.mu.Unlock()
	held := a.byKey[key]
	if held != nil {
		held.expiry.Stop()
		held.writer, held.moved = w, time.Now()
	}
	return held
}

// extend gives the next piece of a result its time, unless it was dropped.
func (a *longAnswers) extend(held *heldAnswer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if held.size > 0 {
		held.moved = time.Now()
		held.writer.extend()
	}
}

// done forgets a result that is written.
func (a *longAnswers) done(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forget(key)
}
