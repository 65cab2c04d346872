package mcpadapter

import (
	"context"
	"errors"
	"io"
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
	conn := t.connect()
	session, err := server.Connect(ctx, connected{conn}, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-conn.exhausted:
	case <-ctx.Done():
		conn.Close()
	}
	select {
	case err := <-ended:
		return errors.Join(ctx.Err(), err)
	case <-time.After(stopTime):
		return errors.Join(ctx.Err(), ErrAbandoned)
	}
}

// connected is the transport of a connection there is already.
type connected struct{ conn *streamConn }

func (c connected) Connect(context.Context) (mcp.Connection, error) { return c.conn, nil }

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
