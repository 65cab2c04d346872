package transport

import (
	"net"
	"testing"
)

func TestAddressOf(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:1": "192.0.2.7", "[::ffff:192.0.2.7]:1": "192.0.2.7", "[::1]:1": "::1",
		"[2001:db8:1:2:3::4]:1": "2001:db8:1:2::", "[2001:db8:1:2:9::9]:7": "2001:db8:1:2::", "[fe80::1%eth0]:1": "fe80::", "@": "", "": "",
	} {
		if got := addressOf(remote); got != want {
			t.Errorf("%s: %q, want %q", remote, got, want)
		}
	}
}

// unconnected is a connection from an address, to nowhere.
type unconnected struct {
	net.Conn
	from string
}

func (c unconnected) RemoteAddr() net.Addr {
	address, _ := net.ResolveTCPAddr("tcp", c.from)
	return address
}
func (unconnected) Close() error { return nil }

// TestConnectionsOfOthers: whoever has most of the waiting connections loses one
// first, and the oldest connection of another stays.
func TestConnectionsOfOthers(t *testing.T) {
	l := newConnections(nil, 8) // and one more
	open := func(from string) *connection {
		c := &connection{Conn: unconnected{from: from}, of: l}
		if longest, ok := l.admit(c); !ok {
			t.Fatalf("no connection for %s", from)
		} else if longest != nil {
			longest.Close()
		}
		return c
	}
	silent, kept := open("192.0.2.1:1"), open("192.0.2.1:2")
	if !kept.begin("caller calm") {
		t.Fatal("no work for the first")
	}
	kept.end()
	for i := range 50 {
		c := open("192.0.2.2:1")
		if i%2 == 0 && c.begin("caller greedy") {
			c.end()
		}
	}
	if silent.closed || kept.closed {
		t.Errorf("silent was closed: %t, kept: %t", silent.closed, kept.closed)
	}
	// What works is not closed for others, and there is always a place for a probe.
	var working []*connection
	for _, holder := range []string{"caller greedy", "caller second", "caller third", "caller fourth", "caller fifth"} {
		for range 10 {
			if c := open("192.0.2.2:1"); c.begin(holder) {
				working = append(working, c)
			}
		}
	}
	probe := open("192.0.2.3:1")
	if !probe.begin(probeWork) {
		t.Error("no place for a probe")
	}
	if second := open("192.0.2.3:2"); second.begin(probeWork) {
		t.Error("probes take the places of others")
	}
	if len(working) != 6 {
		t.Errorf("%d connections at work", len(working))
	}
	for i, c := range append(working, probe) {
		if c.closed {
			t.Errorf("connection %d at work was closed", i)
		}
		c.end()
		c.Close()
	}
	if l.working.Taken() != 0 || l.probes != 0 {
		t.Errorf("left: %d at work, %d probes", l.working.Taken(), l.probes)
	}
}

// TestConnectionsBeingAnswered: a connection on which the end of an answer is being sent
// is closed for a new one only if there is no other.
func TestConnectionsBeingAnswered(t *testing.T) {
	l := newConnections(nil, 2) // and one more
	open := func() *connection {
		c := &connection{Conn: unconnected{from: "192.0.2.1:1"}, of: l}
		if longest, ok := l.admit(c); !ok {
			t.Fatal("no room")
		} else if longest != nil {
			longest.Close()
		}
		return c
	}
	answer := func(c *connection) *connection {
		if !c.begin("caller") {
			t.Fatal("no work")
		}
		c.end()
		return c
	}
	sending, sent := answer(open()), answer(open())
	sent.sent()
	fresh := open()
	for i, want := range []*connection{sent, fresh} {
		if open(); !want.closed || sending.closed {
			t.Errorf("%d: another was closed than the one at rest; the one with an answer: %t", i, sending.closed)
		}
	}
	answer(open())
	answer(open())
	if open(); !sending.closed {
		t.Error("of three that are being answered, the longest is not closed")
	}
}
