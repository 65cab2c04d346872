package transport

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
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit/internal/mcpcall"
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

	// MaxConnections bounds the connections on which requests are answered; zero
	// means 4,096. A caller may have a third as many of them as are left free,
	// whichever workspaces it names, so at most a quarter of all; its further requests
	// get status 429. Callers are distinguished by the ID of their grant, else by
	// [auth.TokenInfo.UserID], else by address.
	//
	// An eighth more, at most 32, are for connections without such a request. At
	// that limit, a waiting connection is closed for a new one. If more than half of
	// MaxConnections have never had a complete request, it is one of these; else one
	// that waits for its next request. Of these it is the one that has waited
	// longest, of the address or the caller that has most of them. So half-open
	// connections cannot block others.
	MaxConnections int

	// Probes are paths, such as /healthz, whose requests belong to no caller: they
	// have half of the further connections.
	Probes []string

	// HeaderTimeout is how long the TLS handshake and the headers of a request
	// may each take to arrive; zero means 10 seconds.
	HeaderTimeout time.Duration

	// IdleTimeout is how long a connection may wait for the next request; zero
	// means 2 minutes.
	IdleTimeout time.Duration

	// Drain is how long requests are still taken after the server is told to stop, each
	// on a connection that ends with its answer, so that a proxy which follows a probe
	// has time to send them elsewhere; zero means no time.
	Drain time.Duration

	// Grace is how long running calls may continue after that; zero means 10 seconds.
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

// Serve serves the clients that connect to listener until ctx is done and
// [ServeOptions.Drain] is over. Then it ends streams, waits [ServeOptions.Grace] for
// running calls, cancels the rest, and returns nil. A nil opts means the defaults. It
// closes listener. Call it only once for a Handler.
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
		return fmt.Errorf("transport: serve on %s: %w; listen on 127.0.0.1, or set HandlerOptions.Authenticate", listener.Addr(), ErrOpenListener)
	}
	conns := newConnections(listener, o.MaxConnections)
	listener = conns
	if o.CertFile != "" || o.KeyFile != "" {
		pair := &keyPair{certFile: o.CertFile, keyFile: o.KeyFile, logger: h.opts.Logger}
		if _, err := pair.load(); err != nil {
			return fmt.Errorf("transport: serve: %w", err)
		}
		listener = tls.NewListener(conns, &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: pair.certificate, NextProtos: []string{"http/1.1"}})
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	var handler http.Handler = h
	if o.Handler != nil {
		handler = o.Handler
	}
	handler = countWork(handler, o.Probes)
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: o.HeaderTimeout, IdleTimeout: o.IdleTimeout,
		MaxHeaderBytes: maxHeader, Protocols: protocols, DisableGeneralOptionsHandler: true,
		ConnContext: withConnection, ConnState: followConnection, ErrorLog: slog.NewLogLogger(mcpcall.ForForeign(h.opts.Logger).Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		h.kill()
		return err
	case <-ctx.Done():
	}
	conns.draining.Store(true)
	select {
	case err := <-ended:
		h.kill()
		return err
	case <-time.After(o.Drain):
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

// connections is a listener that limits the connections at a time. There are as
// many as limit for callers at work, and reserve more, so that there is always one
// for who has not sent a request yet, and for probes.
type connections struct {
	net.Listener
	limit, reserve int
	draining       atomic.Bool // connections end with their next answer

	mu      sync.Mutex
	open    int
	last    int64              // number of the newest connection
	working mcpcall.Shares     // connections at work, by caller
	probes  int                // connections of probes at work
	fresh   waitingConnections // never had a complete request, by address
	idle    waitingConnections // wait for a further request, by caller of the last one
	stopped bool
}

func newConnections(listener net.Listener, limit int) *connections {
	return &connections{
		Listener: listener, limit: limit, reserve: min(max(limit/8, 1), mostReserve), working: mcpcall.NewShares(int64(limit), 3),
		fresh: waitingConnections{by: make(map[string]*list.List)}, idle: waitingConnections{by: make(map[string]*list.List)},
	}
}

// mostReserve is how many connections there are at most beyond the limit for
// callers. Probes may have half of them.
const mostReserve = 32

// waitingConnections are waiting connections, by whom they are counted for, longest first.
type waitingConnections struct {
	count int
	by    map[string]*list.List
}

func (p *waitingConnections) add(c *connection, whose string) {
	in := p.by[whose]
	if in == nil {
		in = list.New()
		p.by[whose] = in
	}
	p.count++
	c.in, c.whose, c.place = p, whose, in.PushBack(c)
}

func (p *waitingConnections) remove(c *connection) {
	in := p.by[c.whose]
	in.Remove(c.place)
	if in.Len() == 0 {
		delete(p.by, c.whose)
	}
	p.count--
	c.in, c.place = nil, nil
}

// longest returns the connection that has waited longest of those of whoever has
// most of them, or nil. It returns one whose answer is being sent only if all of these
// are.
func (p *waitingConnections) longest() *connection {
	var found *connection
	most := 0
	for _, in := range p.by {
		c := atRest(in)
		if n := in.Len(); n > most || n == most && c.waits < found.waits {
			found, most = c, n
		}
	}
	return found
}

// atRest returns the first connection of a list whose answer is sent, else the first.
func atRest(in *list.List) *connection {
	for e := in.Front(); e != nil; e = e.Next() {
		if c := e.Value.(*connection); !c.sending {
			return c
		}
	}
	return in.Front().Value.(*connection)
}

// A connection is one that a listener accepted.
type connection struct {
	net.Conn
	of      *connections
	closed  bool
	waits   int64               // number by which it waits; lower ones have waited longer
	in      *waitingConnections // fresh, idle, or nil while a request is answered
	place   *list.Element       // in that
	whose   string              // its place, or its work; probeWork of probes
	sending bool                // idle, but the end of the last answer may not be sent
}

// probeWork is whose work the request of a probe is. No holder has this name.
const probeWork = "probe"

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
// ones. Whoever has most of them loses the first.
func (l *connections) admit(c *connection) (longest *connection, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped {
		return nil, false
	}
	if l.open >= l.limit+l.reserve {
		longest = l.idle.longest()
		if longest == nil || l.fresh.count > l.limit/2 {
			longest = l.fresh.longest()
		}
		if longest == nil {
			return nil, false
		}
		l.forgetLocked(longest)
	}
	l.open++
	c.waitLocked(&l.fresh, addressOf(c.RemoteAddr().String()))
	return longest, true
}

func (l *connections) forgetLocked(c *connection) {
	if c.closed {
		return
	}
	c.leaveLocked()
	c.closed = true
	l.open--
}

// stop closes the waiting connections. Those at work, and those whose answer is
// being sent, close when they are done.
func (l *connections) stop() {
	l.mu.Lock()
	l.stopped = true
	var waiting []*connection
	for _, p := range []*waitingConnections{&l.fresh, &l.idle} {
		for _, in := range p.by {
			for e := in.Front(); e != nil; e = e.Next() {
				if c := e.Value.(*connection); !c.sending {
					waiting = append(waiting, c)
				}
			}
		}
	}
	l.mu.Unlock()
	for _, c := range waiting {
		c.Close()
	}
}

func (c *connection) waitLocked(in *waitingConnections, whose string) {
	c.of.last++
	c.waits = c.of.last
	in.add(c, whose)
}

// leaveLocked takes a connection from where it waits or works.
func (c *connection) leaveLocked() {
	switch {
	case c.in != nil:
		c.in.remove(c)
	case c.whose == probeWork:
		c.of.probes--
	default:
		c.of.working.Take(c.whose, -1)
	}
}

// Close implements [net.Conn].
func (c *connection) Close() error {
	c.of.mu.Lock()
	c.of.forgetLocked(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// abort closes a connection, and drops what waits to be sent.
func (c *connection) abort() {
	if tcp, ok := c.Conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = tcp.SetLinger(0) // else the system sends the rest
	}
	c.Close()
}

// begin records that a request of a holder is complete and its handler has not
// returned. It reports false if the holder has too many of them.
func (c *connection) begin(holder string) bool {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	switch {
	case c.closed || c.in == nil:
		return true
	case holder == probeWork && c.of.probes >= max(1, c.of.reserve/2), holder != probeWork && !c.of.working.Fits(holder, 1):
		return false
	}
	c.leaveLocked()
	c.whose, c.sending = holder, false
	if holder == probeWork {
		c.of.probes++
	} else {
		c.of.working.Take(holder, 1)
	}
	return true
}

// end records that the handler of a request has returned. The client has its answer
// only after that, so whoever sends one request after another is never refused.
func (c *connection) end() {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if !c.closed && c.in == nil {
		whose := c.whose
		c.leaveLocked()
		c.waitLocked(&c.of.idle, whose)
		c.sending = true
	}
}

// sent records that the answer of a request is written.
func (c *connection) sent() {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.sending = false
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
		own.sent()
	}
}

// atWork records that the whole request of a holder has arrived. It reports false
// if the holder has too many of them at work.
func atWork(r *http.Request, holder string) bool {
	c, ok := r.Context().Value(connectionKey{}).(*connection)
	return !ok || c == nil || c.begin(holder)
}

// tooManyAtWork answers a caller that has more requests at work than its share.
var tooManyAtWork = &refusal{http.StatusTooManyRequests, "you have more requests and streams open than are left for others; end some, or try again later"}

// endsWithAnswer reports whether the connection of a request ends with its answer.
func endsWithAnswer(ctx context.Context) bool {
	c, ok := ctx.Value(connectionKey{}).(*connection)
	return ok && c != nil && c.of.draining.Load()
}

// countWork returns a handler whose requests are at work until next returns, from
// [atWork] on. Those for some paths are probes.
func countWork(next http.Handler, probes []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connectionKey{}).(*connection); ok && c != nil {
			defer c.end()
			if endsWithAnswer(r.Context()) {
				w.Header().Set("Connection", "close")
			}
		}
		if slices.Contains(probes, r.URL.Path) && !atWork(r, probeWork) {
			(&refusal{http.StatusServiceUnavailable, "too many probes at a time"}).write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}
