package cloud

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// endUnanswered lets a connection end that the other side does not confirm.
func endUnanswered(network, _ string, c syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(answerTimeout.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return failed
}
