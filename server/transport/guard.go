package transport

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/strictjson"
)

// A guard stands between two streams and the SDK's transport. The transport reads
// from it only lines that are valid messages, each once there is room for its
// call. The guard also sees the output, so it knows which calls have ended.
type guard struct {
	StreamTransport
	out *messageWriter

	lines     chan line     // closed when Reader ends
	exhausted chan struct{} // closed when Reader has ended and the grace is over
	closed    chan struct{}
	closeOnce sync.Once

	// Used only by Read.
	input chan line        // lines; nil once that is closed
	grace <-chan time.Time // set once input is nil
	rest  []byte           // of the current message

	ready chan struct{} // has a value when a call has ended
	idle  chan struct{} // closed once ended is set and pending is zero

	mu          sync.Mutex
	calls       map[jsonrpc.ID]*call
	held        int               // bytes of the requests of calls
	pending     int               // calls whose answers are not written, without parked ones
	ended       bool              // Reader has ended
	long        map[string]*queue // by tool
	others      queue
	longResults longResults
}

// A call is a request that has not been answered.
type call struct {
	parked    bool // it lasts as long as the session
	cancelled bool
	size      int    // of the request, in bytes
	queue     *queue // through which it came; may be nil
}

func newGuard(t StreamTransport) *guard {
	g := &guard{
		StreamTransport: t,
		out:             &messageWriter{w: t.Writer},
		lines:           make(chan line),
		ready:           make(chan struct{}, 1),
		idle:            make(chan struct{}),
		exhausted:       make(chan struct{}),
		closed:          make(chan struct{}),
		calls:           make(map[jsonrpc.ID]*call),
		long:            make(map[string]*queue),
		others:          queue{limit: otherCalls},
	}
	g.input = g.lines
	if g.MaxMessage <= 0 {
		g.MaxMessage = defaultMaxMessage
	}
	g.MaxMessage = min(g.MaxMessage, mostMessage)
	if g.MaxCalls <= 0 {
		g.MaxCalls = defaultMaxCalls
	}
	if g.Grace == 0 {
		g.Grace = defaultGrace
	}
	if g.Tools == nil {
		g.Tools = noTools{}
	}
	if g.Logger == nil {
		g.Logger = slog.New(slog.DiscardHandler)
	}
	return g
}

// Connect implements [mcp.Transport], once.
func (g *guard) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := (&mcp.IOTransport{Reader: g, Writer: g.out, MaxLineLength: -1}).Connect(ctx)
	if err != nil {
		return nil, err
	}
	go g.readLines()
	return guardedConn{conn, g}, nil
}

// readLines feeds Read. A blocked Reader cannot be interrupted, so readLines may
// outlast the connection until Reader returns.
func (g *guard) readLines() {
	defer close(g.lines)
	r := bufio.NewReaderSize(ctxio.NewBeating(g.Reader), 64<<10)
	for {
		l, err := readLine(r, g.MaxMessage)
		if err != nil {
			if err != io.EOF {
				g.Logger.Warn("reading messages ended", "error", mcpcall.Printable(err.Error()))
			}
			return
		}
		select {
		case g.lines <- l:
		case <-g.closed:
			return
		}
	}
}

// Read implements [io.Reader] for the SDK's transport. The transport closes the
// session at any line that it cannot read, so it gets only valid ones.
func (g *guard) Read(p []byte) (int, error) {
	if len(g.rest) == 0 {
		text, err := g.next()
		if err != nil {
			return 0, err
		}
		g.rest = append(text, '\n')
	}
	n := copy(p, g.rest)
	g.rest = g.rest[n:]
	return n, nil
}

// next returns the next message for which there is room. It waits for calls in
// flight before it returns [io.EOF].
func (g *guard) next() ([]byte, error) {
	for {
		if text := g.nextWaiting(); text != nil {
			return text, nil
		}
		select {
		case <-g.closed:
			return nil, io.EOF
		case <-g.ready:
		case <-g.idle:
			return nil, g.exhaust()
		case <-g.grace:
			g.Logger.Warn("input ended with calls in flight", "waited", g.Grace)
			return nil, g.exhaust()
		case l, ok := <-g.input:
			if !ok {
				g.endInput()
				continue
			}
			if text, err := g.receive(l); text != nil || err != nil {
				return text, err
			}
		}
	}
}

// receive returns the message of a line for the SDK. It returns nil if the
// message is queued, or if there is none for the SDK. It rejects an invalid line
// itself.
func (g *guard) receive(l line) ([]byte, error) {
	m, rejected := parseMessage(l, g.MaxMessage)
	held := false
	if rejected == nil && m != nil {
		held, rejected = g.admit(m)
	}
	if rejected != nil {
		g.Logger.Warn("message rejected", "reason", rejected.message, "bytes", len(l.text))
		_, err := g.out.Write(rejected.encode())
		return nil, err
	}
	if held || m == nil {
		return nil, nil
	}
	return m.text, nil
}

// endInput starts the wait for the calls in flight, which takes at most Grace.
func (g *guard) endInput() {
	g.input = nil
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	if g.pending == 0 || g.Grace < 0 {
		close(g.idle)
		return
	}
	g.grace = time.After(g.Grace)
}

// exhaust ends reading: the SDK reads no further.
func (g *guard) exhaust() error {
	close(g.exhausted)
	return io.EOF
}

// Close implements [io.Closer] for the SDK's transport. It ends Read, and so
// cancels the calls in flight.
func (g *guard) Close() error {
	g.closeOnce.Do(func() { close(g.closed) })
	return nil
}

// admit updates the calls in flight for a message, and reports whether the
// message is held back in a queue.
func (g *guard) admit(m *rpcMessage) (held bool, rejected *rejection) {
	request := m.request
	if request == nil {
		return false, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if request.Method == "notifications/cancelled" {
		g.noteCancelled(request.Params)
	}
	if !request.IsCall() {
		return false, nil
	}
	if g.calls[request.ID] != nil {
		// With its own id, the error would look like the answer of the first
		// call.
		return false, &rejection{nil, jsonrpc.CodeInvalidRequest, idInUse(request.ID)}
	}
	if len(g.calls) >= g.MaxCalls || int64(g.held)+int64(len(m.text)) > heldMessages*int64(g.MaxMessage) {
		id, _ := json.Marshal(request.ID.Raw()) // a string or a whole number
		return false, &rejection{id, codeBusy, fmt.Sprintf("busy; %d calls are in flight", len(g.calls))}
	}
	admitted := &call{parked: request.Method == "subscriptions/listen", size: len(m.text), queue: g.queueFor(request)}
	g.calls[request.ID] = admitted
	g.held += admitted.size
	if !admitted.parked {
		g.pending++
	}
	if admitted.queue == nil {
		return false, nil
	}
	admitted.queue.add(request.ID, m.text)
	return true, nil
}

func (g *guard) noteCancelled(params json.RawMessage) {
	list, err := strictjson.Members(params)
	if err != nil {
		return
	}
	var requestID any
	for _, m := range list { // like the SDK: keys match exactly, the last one counts
		if m.Key == "requestId" && json.Unmarshal(m.Value, &requestID) != nil {
			return
		}
	}
	id, err := jsonrpc.MakeID(requestID)
	if err != nil || g.calls[id] == nil {
		return
	}
	known := g.calls[id]
	known.cancelled = true
	if known.queue != nil && known.queue.remove(id) {
		g.forget(id)
		g.settle(known)
	}
}

// forget ends a call from the view of the client, which may then reuse its id. It
// returns nil if there is no such call.
func (g *guard) forget(id jsonrpc.ID) *call {
	known := g.calls[id]
	if known != nil {
		delete(g.calls, id)
		g.held -= known.size
	}
	return known
}

// settle records that a call needs no more work.
func (g *guard) settle(known *call) {
	if known.parked {
		return
	}
	g.pending--
	if g.ended && g.pending == 0 && g.Grace >= 0 {
		close(g.idle)
	}
}

// finish settles a handled call, and lets the next one in.
func (g *guard) finish(known *call) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if known.queue != nil {
		known.queue.running--
	}
	g.settle(known)
	select {
	case g.ready <- struct{}{}:
	default: // next has not seen the last value
	}
}

// hold returns a result that bypasses the SDK's encoder, if it is long; else result
// itself.
func (g *guard) hold(result mcp.Result) mcp.Result {
	body := bodyOf(result)
	if body == nil {
		return result
	}
	return withKey(result, body, sync.OnceValue(func() []byte {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.longResults.keep(body)
	}))
}

// A guardedConn is the SDK's connection. It shows the answers to the guard.
type guardedConn struct {
	mcp.Connection
	guard *guard
}

// Write implements [mcp.Connection].
func (c guardedConn) Write(ctx context.Context, message jsonrpc.Message) error {
	response, ok := message.(*jsonrpc.Response)
	if !ok {
		return c.Connection.Write(ctx, message)
	}
	g := c.guard
	// The client may reuse the id as soon as it has the answer. So the call is
	// forgotten before the answer is written, and stays pending until it is.
	g.mu.Lock()
	answered := g.forget(response.ID)
	result := g.longResults.take(response.Result)
	g.mu.Unlock()
	if answered != nil {
		defer g.finish(answered)
		if answered.cancelled {
			return nil
		}
	}
	if result != nil {
		return g.writeResult(response.ID, result.size(), result.write)
	}
	if response.Error == nil && len(response.Result) > 0 {
		return g.writeResult(response.ID, int64(len(response.Result)), func(do func([]byte)) { do(response.Result) })
	}
	reply := *response
	if reply.Error != nil {
		reply.Error = protocolError(reply.Error)
	}
	return c.Connection.Write(ctx, &reply)
}

// writeResult writes the message of a result of size bytes that is already JSON. The
// SDK would process it again.
func (g *guard) writeResult(id jsonrpc.ID, size int64, write func(do func([]byte))) error {
	encodedID, err := json.Marshal(id.Raw())
	if err != nil {
		return err
	}
	b := make([]byte, 0, int(size)+len(encodedID)+40)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, encodedID...)
	b = append(b, `,"result":`...)
	write(func(part []byte) { b = append(b, part...) })
	_, err = g.out.Write(append(b, '}', '\n'))
	return err
}

// protocolError returns err with a code and a text of limited length. Errors
// without a code are the SDK's objections to a request.
func protocolError(err error) error {
	reply := jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest}
	var coded *jsonrpc.Error
	if errors.As(err, &coded) {
		reply = *coded
	}
	reply.Message = mcpcall.Printable(err.Error())
	if lacksParams(reply.Message) {
		reply.Code = jsonrpc.CodeInvalidParams
	}
	return mcpcall.Detailed(&reply)
}

// lacksParams reports whether an error of the SDK is about a request without params,
// to which it gives the code of an invalid request.
func lacksParams(message string) bool {
	return strings.HasSuffix(message, `invalid request: missing required "params"`)
}

// A messageWriter writes whole messages, one at a time.
type messageWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements [io.Writer].
func (m *messageWriter) Write(message []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.w.Write(message)
}

// Close implements [io.Closer] for the SDK's transport. It leaves the writer
// open, which belongs to the caller.
func (*messageWriter) Close() error { return nil }
