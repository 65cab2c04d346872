//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory returns the largest resident set of a process that has ended, in
// bytes, or 0 if it is not known.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // counts bytes where others count kilobytes
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
