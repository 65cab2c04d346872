package command

import (
	"net"
	"net/netip"
	"os"
	"testing"
)

func TestUserOf(t *testing.T) {
	if inTable(tcp("1.2.3.4:80"), false) != "04030201:0050" {
		t.Skip("the tables below are of a machine with the other order of bytes")
	}
	const four = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
		"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0\n" +
		"   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 2 1 0 20 4 30 10 -1\n" +
		"   2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 3 1 0 20 4 30 10 -1\n"
	const six = "   0: 0000000000000000FFFF00000100007F:C351 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000  1002        0 4\n"
	for _, test := range []struct {
		table, client string
		user          int
		ok            bool
	}{
		{four, "127.0.0.1:50000", 1001, true}, {six, "127.0.0.1:50001", 1002, true}, {four, "127.0.0.1:50001", 0, false}, {"", "127.0.0.1:50000", 0, false},
	} {
		if user, ok := userOf([]byte(test.table), tcp(test.client), tcp("127.0.0.1:8080")); user != test.user || ok != test.ok {
			t.Errorf("%s: %d, %v", test.client, user, ok)
		}
	}
}

func tcp(address string) net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address)) }

// TestOwnPeer finds the user of a connection of this program.
func TestOwnPeer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	c, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		t.Skip(err)
	}
	if user, ok := userOf(table, c.RemoteAddr(), c.LocalAddr()); !ok || user != os.Getuid() || isOthers(c) {
		t.Errorf("%d, %v", user, ok)
	}
}
