package telemetry

import (
	"net"
	"net/http"
	"slices"
	"sync"
)

// mostConnections is how many connections there are at a time.
const mostConnections = 64

// A limited is a listener with at most mostConnections. At the limit a new connection
// takes the place of one on which nothing is answered: the one that waits longest, of the
// address that has most of these. So who opens connections and sends nothing shuts
// nobody out. If all are being answered, the new one is closed.
type limited struct {
	net.Listener

	mu      sync.Mutex
	open    int
	waiting []*limitedConn // longest first
}

// A limitedConn is a connection of a limited.
type limitedConn struct {
	net.Conn
	of     *limited
	closed bool
}

// Accept implements [net.Listener].
func (l *limited) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &limitedConn{Conn: accepted, of: l}
		replaced, ok := l.admit(c)
		if replaced != nil {
			replaced.Conn.Close()
		}
		if ok {
			return c, nil
		}
		accepted.Close()
	}
}

// admit adds a connection, and forgets the one that it replaces.
func (l *limited) admit(c *limitedConn) (replaced *limitedConn, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= mostConnections {
		if replaced = l.longest(); replaced == nil {
			return nil, false
		}
		l.forget(replaced)
	}
	l.open++
	l.waiting = append(l.waiting, c)
	return replaced, true
}

// longest returns the connection that waits longest, of the address that has most; nil
// if none waits.
func (l *limited) longest() (found *limitedConn) {
	counts := make(map[string]int)
	for _, c := range l.waiting {
		counts[c.address()]++
	}
	for _, c := range l.waiting {
		if found == nil || counts[c.address()] > counts[found.address()] {
			found = c
		}
	}
	return found
}

// address returns the address of the client, without the port.
func (c *limitedConn) address() string {
	host, _, _ := net.SplitHostPort(c.RemoteAddr().String())
	return host
}

func (l *limited) forget(c *limitedConn) {
	if !c.closed {
		c.closed = true
		l.open--
		l.leave(c)
	}
}

func (l *limited) leave(c *limitedConn) {
	if i := slices.Index(l.waiting, c); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
}

// Close implements [net.Conn].
func (c *limitedConn) Close() error {
	c.of.mu.Lock()
	c.of.forget(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// closeWaiting closes the connections that wait. No more are to be accepted.
func (l *limited) closeWaiting() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) > 0 {
		c := l.waiting[0]
		l.forget(c)
		c.Conn.Close()
	}
}

// answering has next answer requests on connections that do not wait.
func (l *limited) answering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*limitedConn); ok {
			l.mu.Lock()
			l.leave(c)
			l.mu.Unlock()
		}
		next.ServeHTTP(w, r)
	})
}

// connKey is the context key for the connection of a request.
type connKey struct{}

// follow is called by the server when the state of a connection changes.
func (l *limited) follow(conn net.Conn, state http.ConnState) {
	if c, ok := conn.(*limitedConn); ok && state == http.StateIdle {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !c.closed {
			l.leave(c)
			l.waiting = append(l.waiting, c)
		}
	}
}
