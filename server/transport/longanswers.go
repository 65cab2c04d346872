package transport

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/mcpcall"
)

const (
	// answersMade is how many calls of one tool run at a time in a handler if its
	// answers may be megabytes. See shares.
	answersMade = 4

	// answerMemory bounds the long answers of a handler that are not yet written
	// or not fully read, in bytes. Above it, whoever holds most loses the answer
	// that was read longest ago, with its connection, if that is more than the new
	// one's caller would hold. Else the new answer waits for room, and an answer of
	// the same caller is dropped whose reader was idle for some time.
	answerMemory = 48 << 20

	// stalled is how long a reader may be idle while others wait.
	stalled = 2 * time.Second

	// roomTime is how long an answer waits for room while all readers read. Then
	// the answer is dropped whose reader last read longest ago.
	roomTime = 10 * time.Second

	roomLook = 20 * time.Millisecond // how often to look for room

	// untaken is how long an answer waits for its turn on its connection.
	untaken = writeTimeout
)

var errAnswerDropped = errors.New("the answer was dropped: others needed the memory")

// longAnswers are the long results of a handler. A session writes a key for each, which
// the handler replaces by the result.
type longAnswers struct {
	tools  Tools
	prefix []byte // of a key, up to its number; secret

	mu     sync.Mutex
	making map[string]*turns // by tool, of its running calls
	last   int
	memory mcpcall.Shares // in bytes; only their sum has a limit
	byKey  map[string]*heldAnswer
}

func newLongAnswers(tools Tools) *longAnswers {
	return &longAnswers{
		tools: tools, prefix: []byte(longKey + `"` + rand.Text() + "-"),
		making: make(map[string]*turns), memory: mcpcall.NewShares(answerMemory, 1), byKey: make(map[string]*heldAnswer),
	}
}

// A heldAnswer is a result that takes memory until it is written.
type heldAnswer struct {
	body   *longBody
	holder string // see holderOf
	size   int64
	moved  time.Time       // when it was made, or its reader last read from it
	writer *deadlineWriter // which writes it, or nil
	expiry *time.Timer     // runs until it is written
}

// readMethod is the method that is treated like a tool with long answers.
const readMethod = "resources/read"

// enter waits for the turn of a request of a holder, if its answer may be megabytes.
// The caller calls leave once the answer is held.
func (a *longAnswers) enter(ctx context.Context, holder, method string, req mcp.Request) (leave func(), err error) {
	name := toolOf(req)
	switch {
	case method == readMethod:
		name = method
	case !a.tools.Tool(name, nil).Long:
		return func() {}, nil
	}
	return a.turnsOf(name).take(ctx, holder)
}

// turnsOf returns the turns of the calls of a tool.
func (a *longAnswers) turnsOf(tool string) *turns {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.making[tool] == nil {
		a.making[tool] = newTurns(answersMade)
	}
	return a.making[tool]
}

// hold returns a result of a holder that bypasses the SDK's encoder, or result itself
// if it is short. It waits until there is room, or ctx ends.
func (a *longAnswers) hold(ctx context.Context, holder string, result mcp.Result) (mcp.Result, error) {
	body := bodyOf(result)
	if body == nil {
		return result, nil
	}
	key, err := a.keep(ctx, holder, body)
	return withKey(result, body, func() []byte { return key }), err
}

// keep holds a result until it is written, once there is room for it. It returns
// the JSON of its key.
func (a *longAnswers) keep(ctx context.Context, holder string, body *longBody) ([]byte, error) {
	held := &heldAnswer{body: body, holder: holder, size: int64(len(body.data) + len(body.rest))}
	for start := time.Now(); !a.makeRoom(holder, held.size, time.Since(start) > roomTime); {
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

// makeRoom reserves size bytes for a holder if there is room. To make room it drops
// results as dropOldest does.
func (a *longAnswers) makeRoom(holder string, size int64, force bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for size > a.memory.Free() && len(a.byKey) > 0 {
		if !a.dropOldest(holder, size, force) {
			return false
		}
	}
	a.memory.Take(holder, size)
	return true
}

// dropOldest drops a result to make room for size bytes of a holder, and reports
// whether it did: of the holder that has most, if that is more than the one that
// needs room would have, the result that was read longest ago. Otherwise one of the
// same holder, or, if it has none, of the one that has most, but only if its reader is
// idle or force is set. The caller holds the lock.
func (a *longAnswers) dropOldest(holder string, size int64, force bool) bool {
	most := ""
	for _, held := range a.byKey {
		if most == "" || a.memory.Held(held.holder) > a.memory.Held(most) {
			most = held.holder
		}
	}
	mine := a.memory.Held(holder)
	if most != holder && a.memory.Held(most) > mine+size {
		force = true
	} else if mine > 0 {
		most = holder
	}
	var oldest string
	for key, held := range a.byKey {
		if held.holder == most && (oldest == "" || held.moved.Before(a.byKey[oldest].moved)) {
			oldest = key
		}
	}
	held := a.byKey[oldest]
	if held == nil || !force && time.Since(held.moved) < stalled {
		return false
	}
	a.forget(oldest)
	if held.writer != nil {
		_ = held.writer.control.SetWriteDeadline(time.Now()) // ends the write
	}
	return true
}

// forget removes a result. The caller holds the lock.
func (a *longAnswers) forget(key string) {
	if held := a.byKey[key]; held != nil {
		held.expiry.Stop()
		a.memory.Take(held.holder, -held.size)
		held.size = 0
		delete(a.byKey, key)
	}
}

// keyRoom is the greatest length of a key and the text after it in a message, in
// bytes.
const keyRoom = 128

// find returns the key near the end of a message, and the text around it. The key
// is "" if there is none. The text before it holds the id of the call, which may
// have any length.
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

// take returns the result of a key to the writer w, or nil if it was dropped.
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

// extend moves the deadline for the next piece of a result, unless it was
// dropped.
func (a *longAnswers) extend(held *heldAnswer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if held.size > 0 {
		held.moved = time.Now()
		held.writer.extend()
	}
}

// done forgets a written result.
func (a *longAnswers) done(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forget(key)
}
