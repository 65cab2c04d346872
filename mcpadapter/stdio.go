package mcpadapter

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio runs a server over a pair of streams, usually [os.Stdin] and
// [os.Stdout], as [StreamTransport.Serve] does.
func ServeStdio(ctx context.Context, server *mcp.Server, stdin io.Reader, stdout io.Writer) error {
	return (&StreamTransport{Reader: stdin, Writer: stdout}).Serve(ctx, server)
}

// A StreamTransport is the SDK's transport over two byte streams, one JSON-RPC
// message a line, behind a guard that keeps the session up whatever comes. A
// line that is too long, too deeply nested, not JSON or not a message is
// answered with a JSON-RPC error, under the id of the message if that can be
// found, and the next line is read.
//
// When Reader ends, calls in flight may finish within Grace; then the session
// ends without an error. A call that the client cancelled gets no answer, as
// the protocol has it.
//
// Few calls of the tools whose answers can be long, getStructure and
// listResources, are handled at a time, and a call lasts until its answer is
// written: the rest wait. So a client that sends calls and does not read the
// answers takes little memory.
type StreamTransport struct {
	Reader io.Reader // read until it ends; not closed
	Writer io.Writer // gets each message in one Write; not closed

	MaxMessage int           // longest message read, in bytes, at most 1 GiB; zero means 4 MiB
	MaxCalls   int           // calls in flight, others are refused as busy, as are those past 16 MaxMessage in all; zero means 1,000
	Grace      time.Duration // zero means 5 seconds, negative none

	Logger *slog.Logger // nil discards
}

const (
	defaultMaxMessage = 4 << 20
	mostMessage       = 1 << 30
	defaultMaxCalls   = 1000
	defaultGrace      = 5 * time.Second
)

var _ mcp.Transport = (*StreamTransport)(nil)

// Connect implements [mcp.Transport].
func (t *StreamTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	return newGuard(*t).Connect(ctx)
}

// stopTime is how long calls have to end once they are cancelled.
const stopTime = 3 * time.Second

// ErrAbandoned is returned by [StreamTransport.Serve] when calls did not end
// although they were cancelled.
var ErrAbandoned = errors.New("calls still running were abandoned")

// Serve runs one session of a server until Reader ends, which is no error, or
// ctx is done, which cancels the calls in flight and is. A client that no
// longer reads is an error too.
//
// If Writer is [os.Stdout], that variable means [os.Stderr] until Serve
// returns, so that nothing else in the program can write between the
// messages, and a broken pipe is an error, not the end of the process.
//
// Reader may still be being read when Serve returns early; do not use it for
// anything else.
func (t *StreamTransport) Serve(ctx context.Context, server *mcp.Server) error {
	defer t.ownStdout()()
	g := newGuard(*t)
	session, err := server.Connect(withGuard(ctx, g), g, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-g.exhausted:
	case <-ctx.Done():
		g.Close()
	}
	select {
	case err := <-ended:
		return errors.Join(ctx.Err(), err)
	case <-time.After(stopTime):
		return errors.Join(ctx.Err(), ErrAbandoned)
	}
}

// ownStdout keeps the rest of the program from writing to the standard output
// if that is where the messages go. The function it returns ends that.
func (t *StreamTransport) ownStdout() (release func()) {
	stdout := os.Stdout
	if t.Writer != io.Writer(stdout) {
		return func() {}
	}
	os.Stdout = os.Stderr
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return func() {
		signal.Stop(broken)
		os.Stdout = stdout
	}
}
