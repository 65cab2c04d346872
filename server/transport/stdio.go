package transport

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

	"github.com/citekit/citekit/internal/mcpcall"
)

// A StreamTransport is the SDK's transport over two byte streams, with one
// JSON-RPC message on each line, behind a guard that keeps the session alive on
// any input. A line that is too long, too deeply nested, not JSON or not a
// message is answered with a JSON-RPC error, with the id of the message if it can
// be found. Then the next line is read.
//
// When Reader ends, calls in flight may finish within Grace; then the session
// ends without an error. A call that the client cancelled gets no answer, as the
// protocol requires.
//
// Only a few calls of each tool with long answers are handled at a time; the others
// wait. A call ends when its
// answer is written, so a client that sends calls and does not read the answers
// takes little memory.
type StreamTransport struct {
	Reader io.Reader // read until it ends; not closed
	Writer io.Writer // gets each message in one Write; not closed

	// MaxMessage is the length of the longest message read, in bytes, at most
	// 1 GiB; zero means 4 MiB.
	MaxMessage int

	// MaxCalls bounds the calls in flight; zero means 1,000. Further calls are
	// refused as busy, and so are calls whose requests together exceed 16 times
	// MaxMessage.
	MaxCalls int

	// Grace is how long calls in flight may run after Reader ends; zero means
	// 5 seconds, negative none.
	Grace time.Duration

	Tools  Tools        // says what calls do; nil means that nothing is known of them
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

// stopTime is how long cancelled calls may take to end.
const stopTime = 3 * time.Second

// ErrAbandoned is returned by [StreamTransport.Serve] when cancelled calls did
// not end.
var ErrAbandoned = errors.New("calls still running were abandoned")

// Serve runs one session of a server until Reader ends or ctx is done. If Reader
// ends, the error is nil. If ctx is done, Serve cancels the calls in flight and
// returns an error. If the client no longer reads, it also returns an error.
//
// If Writer is [os.Stdout], Serve sets that variable to [os.Stderr] until it
// returns, so that the rest of the program cannot write between the messages, and
// a broken pipe is an error instead of the end of the process.
//
// If Serve returns early, it may still be reading from Reader; do not use Reader
// for anything else.
func (t *StreamTransport) Serve(ctx context.Context, server *mcp.Server) error {
	defer t.ownStdout()()
	g := newGuard(*t)
	session, err := server.Connect(mcpcall.WithAdapter(ctx, g.hold), g, nil)
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

// ownStdout keeps the rest of the program from writing to the standard output if
// the messages go there, until release is called.
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
