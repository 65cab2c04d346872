package child

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the processor time that all threads of a process have used so
// far; false if the process has ended. The clock is the kernel's clock of the
// scheduled time of a process (CPUCLOCK_SCHED, include/linux/posix-timers.h).
func cpuTime(pid int) (time.Duration, bool) {
	const scheduled = 2
	var used unix.Timespec
	if err := unix.ClockGettime(int32(^pid)<<3|scheduled, &used); err != nil {
		return 0, false
	}
	return time.Duration(used.Nano()), true
}
