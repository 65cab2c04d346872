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
type StreamTransport struct {
	Reader io.Reader // read until it ends; not closed
	Writer io.Writer // gets each message in one Write; not closed

	MaxMessage int           // longest message read, in bytes; zero means 4 MiB
	MaxCalls   int           // calls in flight, others are refused as busy; zero means 1,000
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
		exhausted:       make(chan struct{}),
		closed:          make(chan struct{}),
		calls:           make(map[jsonrpc.ID]*call),
	}
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
}

// A streamConn is the connection of a StreamTransport.
type streamConn struct {
	StreamTransport

	lines     chan line     // closed when Reader ends
	exhausted chan struct{} // closed when Reader has ended and the grace is over
	closed    chan struct{}
	closeOnce sync.Once

	writing sync.Mutex // held while a message is written

	mu      sync.Mutex
	calls   map[jsonrpc.ID]*call
	pending int           // calls, but parked ones, whose answers are not written
	idle    chan struct{} // if not nil, to be closed when pending is zero
}

// readLines feeds Read. A blocked Reader cannot be interrupted, so this may
// outlast the connection until Reader yields.
func (c *streamConn) readLines() {
	defer close(c.lines)
	r := bufio.NewReaderSize(c.Reader, 64<<10)
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
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case l, ok := <-c.lines:
			if !ok {
				c.drain()
				close(c.exhausted) // the SDK does not read on
				return nil, io.EOF
			}
			message, rejected := parseMessage(l, c.MaxMessage)
			if rejected == nil {
				rejected = c.admit(message)
			}
			if rejected != nil {
				c.Logger.Warn("message rejected", "reason", rejected.message, "bytes", len(l.text))
				if err := c.write(rejected.encode()); err != nil {
					return nil, err
				}
				continue
			}
			if message != nil {
				return message, nil
			}
		}
	}
}

// admit notes what a message means for the calls in flight.
func (c *streamConn) admit(message jsonrpc.Message) *rejection {
	request, ok := message.(*jsonrpc.Request)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if request.Method == "notifications/cancelled" {
		c.noteCancelled(request.Params)
	}
	if !request.IsCall() {
		return nil
	}
	if c.calls[request.ID] != nil {
		// Under its own id the error would pass for the answer of the
		// first call.
		return &rejection{nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("id %v is in use by a call in flight", request.ID.Raw())}
	}
	if len(c.calls) >= c.MaxCalls {
		id, _ := json.Marshal(request.ID.Raw()) // a string or a whole number
		return &rejection{id, codeBusy, fmt.Sprintf("busy; %d calls are in flight", c.MaxCalls)}
	}
	parked := request.Method == "subscriptions/listen"
	c.calls[request.ID] = &call{parked: parked}
	if !parked {
		c.pending++
	}
	return nil
}

func (c *streamConn) noteCancelled(params json.RawMessage) {
	var cancelled struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(params, &cancelled) != nil {
		return
	}
	if id, err := jsonrpc.MakeID(cancelled.RequestID); err == nil && c.calls[id] != nil {
		c.calls[id].cancelled = true
	}
}

// drain waits until the calls in flight are answered, at most for Grace.
func (c *streamConn) drain() {
	c.mu.Lock()
	waiting := c.pending
	idle := make(chan struct{})
	c.idle = idle
	c.mu.Unlock()
	if waiting == 0 || c.Grace < 0 {
		return
	}
	timer := time.NewTimer(c.Grace)
	defer timer.Stop()
	select {
	case <-idle:
	case <-c.closed:
	case <-timer.C:
		c.Logger.Warn("input ended with calls in flight", "waited", c.Grace)
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
	answered := c.calls[response.ID]
	delete(c.calls, response.ID)
	c.mu.Unlock()
	if answered != nil && !answered.parked {
		defer c.settle()
	}
	if answered != nil && answered.cancelled {
		return nil
	}
	data, err := encodeResponse(response)
	if err != nil {
		return err
	}
	return c.write(data)
}

func (c *streamConn) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending--; c.pending == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
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
