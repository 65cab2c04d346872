package pdfium

import (
	"time"

	"golang.org/x/sys/unix"
)

var started = time.Now()

func currentThread() int { return unix.Gettid() }

// threadTime returns the processor time used by a thread of this process.
func threadTime(thread int) time.Duration {
	const perThread, scheduled = 4, 2 // bits of the clock id of another thread
	var now unix.Timespec
	if err := unix.ClockGettime(int32(^thread<<3|perThread|scheduled), &now); err != nil {
		return time.Since(started)
	}
	return time.Duration(now.Nano())
}
