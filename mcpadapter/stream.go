package mcpadapter

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/pulse"
)

// A StreamTransport is a transport of the protocol over two byte streams, one
// JSON-RPC message a line. Unlike those of the SDK it stays up whatever comes:
// a line that is too long, too deeply nested, not JSON or not a message is
// answered with a JSON-RPC error, under the id of the message if that can be
// found, and the next line is read.
//
// When Reader ends, calls in flight may finish within Grace; then the session
// ends without an error. A call that the client cancelled gets no answer, as
// the protocol has it.
//
// Few calls of getStructure and listResources, whose answers can be long, are
// handled at a time, and a call lasts until its answer is written: the rest
// wait. So a client that sends calls and does not read the answers takes
// little memory.
type StreamTransport struct {
	Reader io.Reader // read until it ends; not closed
	Writer io.Writer // gets each message in one Write; not closed

	MaxMessage int           // longest message read, in bytes; zero means 4 MiB
	MaxCalls   int           // calls in flight, others are refused as busy, as are those past 16 MaxMessage in all; zero means 1,000
	Grace      time.Duration // zero means 5 seconds, negative none

	Logger *slog.Logger // nil discards
}

const (
	defaultMaxMessage = 4 << 20
	defaultMaxCalls   = 1000
	defaultGrace      = 5 * time.Second
)

var _ mcp.Transport = (*StreamTransport)(nil)

// Connect implements [mcp.Transport].
func (t *StreamTransport) Connect(context.Context) (mcp.Connection, error) {
	return t.connect(), nil
}

func (t *StreamTransport) connect() *streamConn {
	c := &streamConn{
		StreamTransport: *t,
		lines:           make(chan line),
		ready:           make(chan struct{}, 1),
		idle:            make(chan struct{}),
		exhausted:       make(chan struct{}),
		closed:          make(chan struct{}),
		calls:           make(map[jsonrpc.ID]*call),
		long:            queue{limit: longCalls},
		others:          queue{limit: otherCalls},
	}
	c.input = c.lines
	if c.MaxMessage <= 0 {
		c.MaxMessage = defaultMaxMessage
	}
	if c.MaxCalls <= 0 {
		c.MaxCalls = defaultMaxCalls
	}
	if c.Grace == 0 {
		c.Grace = defaultGrace
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	go c.readLines()
	return c
}

// A call is a request that has not been answered.
type call struct {
	parked    bool // it lasts as long as the session
	cancelled bool
	size      int    // of the request, in bytes
	queue     *queue // that it came through; may be nil
}

// A streamConn is the connection of a StreamTransport.
type streamConn struct {
	StreamTransport

	lines     chan line     // closed when Reader ends
	exhausted chan struct{} // closed when Reader has ended and the grace is over
	closed    chan struct{}
	closeOnce sync.Once

	// For Read alone.
	input chan line        // lines, or nil once that is closed
	grace <-chan time.Time // set once input is nil

	ready chan struct{} // has a value when a call has ended
	idle  chan struct{} // closed once ended is set and pending is zero

	writing sync.Mutex // held while a message is written

	mu           sync.Mutex
	calls        map[jsonrpc.ID]*call
	held         int  // bytes of the requests of calls
	pending      int  // calls, but parked ones, whose answers are not written
	ended        bool // Reader has ended
	long, others queue
}

// readLines feeds Read. A blocked Reader cannot be interrupted, so this may
// outlast the connection until Reader yields.
func (c *streamConn) readLines() {
	defer close(c.lines)
	r := bufio.NewReaderSize(pulse.NewReader(c.Reader), 64<<10)
	for {
		l, err := readLine(r, c.MaxMessage)
		if err != nil {
			if err != io.EOF {
				c.Logger.Warn("reading messages ended", "error", err.Error())
			}
			return
		}
		select {
		case c.lines <- l:
		case <-c.closed:
			return
		}
	}
}

// Read implements [mcp.Connection].
func (c *streamConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if request := c.nextWaiting(); request != nil {
			return request, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case <-c.ready:
		case <-c.idle:
			return nil, c.exhaust()
		case <-c.grace:
			c.Logger.Warn("input ended with calls in flight", "waited", c.Grace)
			return nil, c.exhaust()
		case l, ok := <-c.input:
			if !ok {
				c.endInput()
				continue
			}
			message, err := c.receive(l)
			if message != nil || err != nil {
				return message, err
			}
		}
	}
}

// receive returns the message of a line for the SDK, or nil if the SDK is to get
// none, or gets it later. It answers a line that is not a message itself.
func (c *streamConn) receive(l line) (jsonrpc.Message, error) {
	message, rejected := parseMessage(l, c.MaxMessage)
	held := false
	if rejected == nil {
		held, rejected = c.admit(message, len(l.text))
	}
	if rejected != nil {
		c.Logger.Warn("message rejected", "reason", rejected.message, "bytes", len(l.text))
		return nil, c.write(rejected.encode())
	}
	if held {
		return nil, nil
	}
	return message, nil
}

// endInput starts the wait for the calls in flight, which lasts at most for
// Grace.
func (c *streamConn) endInput() {
	c.input = nil
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.pending == 0 || c.Grace < 0 {
		close(c.idle)
		return
	}
	c.grace = time.After(c.Grace)
}

// exhaust ends reading: the SDK does not read on.
func (c *streamConn) exhaust() error {
	close(c.exhausted)
	return io.EOF
}

// admit notes what a message of size bytes means for the calls in flight, and
// reports whether it is held back in a queue.
func (c *streamConn) admit(message jsonrpc.Message, size int) (held bool, rejected *rejection) {
	request, ok := message.(*jsonrpc.Request)
	if !ok {
		return false, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if request.Method == "notifications/cancelled" {
		c.noteCancelled(request.Params)
	}
	if !request.IsCall() {
		return false, nil
	}
	if c.calls[request.ID] != nil {
		// Under its own id the error would pass for the answer of the
		// first call.
		return false, &rejection{nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("id %v is in use by a call in flight", request.ID.Raw())}
	}
	if len(c.calls) >= c.MaxCalls || c.held+size > heldMessages*c.MaxMessage {
		id, _ := json.Marshal(request.ID.Raw()) // a string or a whole number
		return false, &rejection{id, codeBusy, fmt.Sprintf("busy; %d calls are in flight", len(c.calls))}
	}
	admitted := &call{parked: request.Method == "subscriptions/listen", size: size, queue: c.queueFor(request)}
	c.calls[request.ID] = admitted
	c.held += size
	if !admitted.parked {
		c.pending++
	}
	if admitted.queue == nil {
		return false, nil
	}
	admitted.queue.waiting = append(admitted.queue.waiting, request)
	return true, nil
}

func (c *streamConn) noteCancelled(params json.RawMessage) {
	var cancelled struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(params, &cancelled) != nil {
		return
	}
	id, err := jsonrpc.MakeID(cancelled.RequestID)
	if err != nil || c.calls[id] == nil {
		return
	}
	known := c.calls[id]
	known.cancelled = true
	if known.queue != nil && known.queue.remove(id) {
		c.forget(id)
		c.settle(known)
	}
}

// forget ends a call for the client, who may use its id again. It returns nil
// if there is no such call.
func (c *streamConn) forget(id jsonrpc.ID) *call {
	known := c.calls[id]
	if known != nil {
		delete(c.calls, id)
		c.held -= known.size
	}
	return known
}

// settle notes that nothing more is to be done for a call.
func (c *streamConn) settle(known *call) {
	if known.parked {
		return
	}
	c.pending--
	if c.ended && c.pending == 0 && c.Grace >= 0 {
		close(c.idle)
	}
}

// Write implements [mcp.Connection].
func (c *streamConn) Write(_ context.Context, message jsonrpc.Message) error {
	response, ok := message.(*jsonrpc.Response)
	if !ok {
		data, err := jsonrpc.EncodeMessage(message)
		if err != nil {
			return err
		}
		return c.write(append(data, '\n'))
	}
	// The client may use the id again as soon as it has the answer, so the
	// call ends before it is written, and is pending until after.
	c.mu.Lock()
	answered := c.forget(response.ID)
	c.mu.Unlock()
	if answered != nil {
		defer c.finish(answered)
		if answered.cancelled {
			return nil
		}
	}
	data, err := encodeResponse(response)
	if err != nil {
		return err
	}
	return c.write(data)
}

// finish settles a call that was handled, and lets the next one in.
func (c *streamConn) finish(known *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known.queue != nil {
		known.queue.running--
	}
	c.settle(known)
	select {
	case c.ready <- struct{}{}:
	default: // Read has not seen the last one
	}
}

// encodeResponse returns the line of a response. A result is JSON already and
// can be long, so it is copied, not encoded again.
func encodeResponse(response *jsonrpc.Response) ([]byte, error) {
	if response.Error == nil && len(response.Result) > 0 {
		id, err := json.Marshal(response.ID.Raw())
		if err != nil {
			return nil, err
		}
		data := make([]byte, 0, len(response.Result)+len(id)+40)
		data = append(data, `{"jsonrpc":"2.0","id":`...)
		data = append(data, id...)
		data = append(data, `,"result":`...)
		data = append(data, response.Result...)
		return append(data, '}', '\n'), nil
	}
	reply := *response
	if reply.Error != nil {
		reply.Error = protocolError(reply.Error)
	}
	data, err := jsonrpc.EncodeMessage(&reply)
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}

// protocolError returns err with a code and a text of moderate length. Errors
// without a code are the SDK's complaints about a request.
func protocolError(err error) error {
	reply := jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest}
	var coded *jsonrpc.Error
	if errors.As(err, &coded) {
		reply = *coded
	}
	reply.Message = printable(err.Error())
	return &reply
}

func (c *streamConn) write(data []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.Writer.Write(data)
	return err
}

// Close implements [mcp.Connection]. It ends Read, and so cancels the calls in
// flight.
func (c *streamConn) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return nil
}

// SessionID implements [mcp.Connection].
func (c *streamConn) SessionID() string { return "" }
