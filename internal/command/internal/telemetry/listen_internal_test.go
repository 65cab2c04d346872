package telemetry

import (
	"net"
	"net/http"
	"testing"
)

// A caller is a connection from an address.
type caller struct {
	net.Conn
	address net.IP
	gone    bool
}

func (c *caller) RemoteAddr() net.Addr { return &net.TCPAddr{IP: c.address} }

func (c *caller) Close() error {
	c.gone = true
	return nil
}

// callers is a listener to which callers connect.
type callers struct {
	net.Listener
	next *caller
}

func (c *callers) Accept() (net.Conn, error) { return c.next, nil }

// TestLimited has one address open all connections: another takes its oldest ones, and
// loses none itself, also once its answer is written.
func TestLimited(t *testing.T) {
	from := &callers{}
	l := &limited{Listener: from}
	connect := func(last byte) (*caller, net.Conn) {
		from.next = &caller{address: net.IPv4(192, 0, 2, last)}
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return from.next, c
	}
	gone := func(all []*caller) (n int) {
		for _, c := range all {
			if c.gone {
				n++
			}
		}
		return n
	}
	var many []*caller
	for range mostConnections {
		c, _ := connect(1)
		many = append(many, c)
	}
	one, conn := connect(2)
	l.follow(conn, http.StateIdle)
	two, _ := connect(2)
	if n := gone(many); n != 2 || !many[0].gone || !many[1].gone || one.gone || two.gone {
		t.Errorf("%d of the address that has most are closed, %v and %v of the other", n, one.gone, two.gone)
	}
	conn.Close()
	connect(1)
	if n := gone(many); n != 2 || !one.gone {
		t.Errorf("%d are closed, although one was free", n)
	}
}
