//go:build linux || darwin

package term

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// attributes asks the terminal of the process what it can (DA1) and returns what it answers
// within a second. A process in the background does not ask, as it would be stopped.
func attributes() string {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return ""
	}
	defer tty.Close()
	fd := int(tty.Fd())
	if group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err != nil || group != unix.Getpgrp() {
		return ""
	}
	saved, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return ""
	}
	quiet := *saved
	quiet.Lflag &^= unix.ICANON | unix.ECHO
	quiet.Cc[unix.VMIN], quiet.Cc[unix.VTIME] = 0, 10 // tenths of a second
	if unix.IoctlSetTermios(fd, setTermios, &quiet) != nil {
		return ""
	}
	defer unix.IoctlSetTermios(fd, setTermios, saved)
	if _, err := unix.Write(fd, []byte("\x1b[c")); err != nil {
		return ""
	}
	var answer []byte
	for b := make([]byte, 1); len(answer) < 256; { // whatever is typed meanwhile
		if n, err := unix.Read(fd, b); n != 1 || err != nil {
			break
		}
		if answer = append(answer, b[0]); b[0] == 'c' && strings.Contains(string(answer), "\x1b[?") {
			break
		}
	}
	return string(answer)
}
