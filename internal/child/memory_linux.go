package child

import (
	"math"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitMemory sets how many bytes of memory a process may have for itself: what
// it asks for beyond that it does not get. Where the limit of this process is
// lower, that one stays.
func limitMemory(pid int, most int64) {
	limit := unix.Rlimit{Cur: uint64(most), Max: uint64(most)}
	_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil)
}

// MachineMemory returns how many bytes of memory the machine has. A system that
// does not tell has as much as one may wish.
func MachineMemory() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return math.MaxInt64
	}
	return int64(info.Totalram) * int64(info.Unit)
}

// peakMemory returns the most memory that a process which has ended had, in bytes.
func peakMemory(usage any) int64 {
	if u, ok := usage.(*syscall.Rusage); ok {
		return int64(u.Maxrss) << 10
	}
	return 0
}
