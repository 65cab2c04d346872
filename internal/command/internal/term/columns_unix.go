//go:build unix

package term

import (
	"os"

	"golang.org/x/sys/unix"
)

func sizeOfTerminal(f *os.File) terminalSize {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return terminalSize{}
	}
	return terminalSize{int(size.Col), int(size.Row), int(size.Xpixel), int(size.Ypixel)}
}
