//go:build unix

package attacktest

import (
	"net"

	"golang.org/x/sys/unix"
)

// special makes a pipe at path, and a socket beside it.
func (s *set) special(path string) {
	if s.err == nil {
		s.err = unix.Mkfifo(path, 0o600)
	}
	if l, err := net.Listen("unix", path+".sock"); err == nil { // its name may be too long
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		l.Close()
	}
}
