//go:build unix

package term

import (
	"os"

	"golang.org/x/sys/unix"
)

func columnsOfTerminal(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
