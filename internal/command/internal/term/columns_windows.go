package term

import (
	"os"

	"golang.org/x/sys/windows"
)

func sizeOfTerminal(f *os.File) terminalSize {
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info) != nil {
		return terminalSize{}
	}
	w := info.Window
	return terminalSize{columns: int(w.Right-w.Left) + 1, rows: int(w.Bottom-w.Top) + 1}
}
