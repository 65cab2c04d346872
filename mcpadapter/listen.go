package mcpadapter

import (
	"cmp"
	"container/list"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// ServeOptions configures [Handler.Serve]. The zero value is ready to use.
type ServeOptions struct {
	// CertFile and KeyFile name PEM files; if set, clients connect with TLS. They
	// are read again when they change. If the new files cannot be read, that is
	// logged, and the old ones stay in use.
	CertFile, KeyFile string

	// Handler is served if it is not nil. It must pass requests that are not its
	// own to the [Handler] that serves.
	Handler http.Handler

	// MaxConnections bounds the connections; zero means 4,096. At the limit, a
	// waiting connection is closed for a new one. If more than half of all
	// connections have never had a complete request, it is the oldest of these;
	// else the one that has waited longest for its next request. So half-open
	// connections cannot block others. If all have running requests, the new one
	// is closed.
	MaxConnections int

	// HeaderTimeout is how long the TLS handshake and the headers of a request
	// may each take to arrive; zero means 10 seconds.
	HeaderTimeout time.Duration

	// IdleTimeout is how long a connection may wait for the next request; zero
	// means 2 minutes.
	IdleTimeout time.Duration

	// Grace is how long running calls may continue after the server is told to
	// stop; zero means 10 seconds.
	Grace time.Duration
}

const (
	defaultMaxConnections = 4096
	defaultHeaderTimeout  = 10 * time.Second
	defaultIdleTimeout    = 2 * time.Minute
	defaultStopGrace      = 10 * time.Second

	// maxHeader bounds the headers of a request, in bytes.
	maxHeader = 32 << 10

	// cancelGrace is how long cancelled calls may take to return.
	cancelGrace = time.Second
)

func (o *ServeOptions) withDefaults() ServeOptions {
	var opts ServeOptions
	if o != nil {
		opts = *o
	}
	opts.MaxConnections = cmp.Or(max(opts.MaxConnections, 0), defaultMaxConnections)
	opts.HeaderTimeout = cmp.Or(max(opts.HeaderTimeout, 0), defaultHeaderTimeout)
	opts.IdleTimeout = cmp.Or(max(opts.IdleTimeout, 0), defaultIdleTimeout)
	opts.Grace = cmp.Or(max(opts.Grace, 0), defaultStopGrace)
	return opts
}

// ErrOpenListener matches the error of a server without authentication that other
// machines could reach.
var ErrOpenListener = errors.New("others could call without authentication")

// Serve serves the clients that connect to listener until ctx is done. Then it
// ends streams, waits [ServeOptions.Grace] for running calls, cancels the rest,
// and returns nil. A nil opts means the defaults. It closes listener. Call it
// only once for a Handler.
//
// The error matches [ErrOpenListener] if listener is neither on a loopback
// address nor a Unix socket, and [HandlerOptions.Authenticate] is nil or lets
// everybody in.
//
// Clients use HTTP/1.1, with one request at a time on a connection, as the limits
// count connections. For HTTP/2 put a proxy in front of the server.
func (h *Handler) Serve(ctx context.Context, listener net.Listener, opts *ServeOptions) error {
	o := opts.withDefaults()
	defer listener.Close()
	if (h.opts.Authenticate == nil || h.opts.Anonymous) && !isLocal(listener.Addr()) {
		return fmt.Errorf("mcpadapter: serve on %s: %w; listen on 127.0.0.1, or set HandlerOptions.Authenticate", listener.Addr(), ErrOpenListener)
	}
	conns := &connections{Listener: listener, limit: o.MaxConnections}
	listener = conns
	if o.CertFile != "" || o.KeyFile != "" {
		pair := &keyPair{certFile: o.CertFile, keyFile: o.KeyFile, logger: h.opts.Logger}
		if _, err := pair.load(); err != nil {
			return fmt.Errorf("mcpadapter: serve: %w", err)
		}
		listener = tls.NewListener(conns, &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: pair.certificate, NextProtos: []string{"http/1.1"}})
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	var handler http.Handler = h
	if o.Handler != nil {
		handler = o.Handler
	}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: o.HeaderTimeout, IdleTimeout: o.IdleTimeout,
		MaxHeaderBytes: maxHeader, Protocols: protocols, DisableGeneralOptionsHandler: true,
		ConnContext: withConnection, ConnState: followConnection, ErrorLog: slog.NewLogLogger(foreignLog{h.opts.Logger.Handler()}, slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		h.kill()
		return err
	case <-ctx.Done():
	}
	h.stopServer(ctx, server, conns, o.Grace)
	return nil
}

// stopServer stops a server and everything that it serves.
func (h *Handler) stopServer(ctx context.Context, server *http.Server, conns *connections, grace time.Duration) {
	ctx = context.WithoutCancel(ctx)
	bound, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	conns.stop()
	stopped := make(chan error, 1)
	go func() { stopped <- h.Shutdown(bound) }()
	err := server.Shutdown(bound)
	if cut := <-stopped; cut != nil {
		h.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "calls were cancelled because the server stops")
	}
	if err != nil {
		last, cancel := context.WithTimeout(ctx, cancelGrace)
		defer cancel()
		if server.Shutdown(last) != nil {
			server.Close()
		}
	}
}

// isLocal reports whether only programs on this machine can reach an address.
func isLocal(address net.Addr) bool {
	switch address := address.(type) {
	case *net.TCPAddr:
		return address.IP.IsLoopback()
	case *net.UnixAddr:
		return true
	}
	return false
}

// connections is a listener that limits the connections at a time.
type connections struct {
	net.Listener
	limit int

	mu      sync.Mutex
	open    int
	fresh   list.List // never had a complete request, oldest first
	idle    list.List // wait for a further request, longest first
	stopped bool
}

// A connection is one that a listener accepted.
type connection struct {
	net.Conn
	of     *connections
	closed bool
	in     *list.List    // fresh, idle, or nil while a request is answered
	place  *list.Element // in that list
}

// Accept implements [net.Listener].
func (l *connections) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &connection{Conn: accepted, of: l}
		longest, ok := l.admit(c)
		if longest != nil {
			longest.Close()
		}
		if ok {
			return c, nil
		}
		accepted.Close()
	}
}

// admit adds a connection. At the limit it selects one to close for it, longest.
// Clients that open connections and send nothing cannot displace clients that had
// answers, and clients that keep answered connections open cannot shut out new
// ones.
func (l *connections) admit(c *connection) (longest *connection, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped {
		return nil, false
	}
	if l.open >= l.limit {
		from := &l.idle
		if from.Len() == 0 || l.fresh.Len() > l.limit/2 {
			from = &l.fresh
		}
		first := from.Front()
		if first == nil {
			return nil, false
		}
		longest = first.Value.(*connection)
		l.forgetLocked(longest)
	}
	l.open++
	c.waitLocked(&l.fresh)
	return longest, true
}

func (l *connections) forgetLocked(c *connection) {
	if c.closed {
		return
	}
	c.closed = true
	l.open--
	c.leaveLocked()
}

// stop closes the waiting connections. Those at work close when they are done.
func (l *connections) stop() {
	l.mu.Lock()
	l.stopped = true
	var waiting []*connection
	for _, in := range []*list.List{&l.fresh, &l.idle} {
		for e := in.Front(); e != nil; e = e.Next() {
			waiting = append(waiting, e.Value.(*connection))
		}
	}
	l.mu.Unlock()
	for _, c := range waiting {
		c.Close()
	}
}

func (c *connection) waitLocked(in *list.List) { c.in, c.place = in, in.PushBack(c) }

func (c *connection) leaveLocked() {
	if c.in != nil {
		c.in.Remove(c.place)
		c.in, c.place = nil, nil
	}
}

// Close implements [net.Conn].
func (c *connection) Close() error {
	c.of.mu.Lock()
	c.of.forgetLocked(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// begin records that a request is complete and its answer is not written.
func (c *connection) begin() {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.leaveLocked()
}

// end records that the answer of a request is written.
func (c *connection) end() {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if !c.closed && c.in == nil {
		c.waitLocked(&c.of.idle)
	}
}

// connectionKey is the context key for the connection of a request.
type connectionKey struct{}

func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, ours(c))
}

// ours returns the connection below a connection of the server.
func ours(c net.Conn) *connection {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	own, _ := c.(*connection)
	return own
}

// followConnection is called by the server when the state of a connection
// changes.
func followConnection(c net.Conn, state http.ConnState) {
	if own := ours(c); own != nil && state == http.StateIdle {
		own.end()
	}
}

// atWork records that the whole request has arrived.
func atWork(r *http.Request) {
	if c, ok := r.Context().Value(connectionKey{}).(*connection); ok && c != nil {
		c.begin()
	}
}
