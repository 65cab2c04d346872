package command

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// isOthers reports whether the program at the other end of a connection on this machine is
// of another user, but not of root. What is not known is not of another.
func isOthers(c net.Conn) bool {
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		table, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if user, ok := userOf(table, c.RemoteAddr(), c.LocalAddr()); ok {
			return user != os.Getuid() && user != 0
		}
	}
	return false
}

// userOf returns the id of the user whose socket has two addresses in a table of sockets
// of the system.
func userOf(table []byte, local, remote net.Addr) (user int, ok bool) {
	for lines := bufio.NewScanner(bytes.NewReader(table)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 8 {
			continue
		}
		six := len(fields[1]) > len("00000000:0000")
		if fields[1] != inTable(local, six) || fields[2] != inTable(remote, six) {
			continue
		}
		user, err := strconv.Atoi(fields[7])
		return user, err == nil
	}
	return 0, false
}

// inTable returns an address as the table has it, which is words in the order of the
// machine, or "".
func inTable(a net.Addr, six bool) string {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return ""
	}
	address := at.Addr().Unmap().AsSlice()
	if six {
		all := at.Addr().As16()
		address = all[:]
	}
	var b strings.Builder
	for ; len(address) > 0; address = address[4:] {
		fmt.Fprintf(&b, "%08X", binary.NativeEndian.Uint32(address))
	}
	fmt.Fprintf(&b, ":%04X", at.Port())
	return b.String()
}
