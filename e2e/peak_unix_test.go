//go:build unix

package e2e

import (
	"os"
	"runtime"
	"syscall"
)

// peakOf returns the largest resident set of a process that has ended, in
// bytes.
func peakOf(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
