package child

import (
	"math"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitMemory sets how many bytes of memory a process may allocate; the system
// refuses more. If the limit of this process is lower, that limit stays.
func limitMemory(pid int, most int64) {
	limit := unix.Rlimit{Cur: uint64(most), Max: uint64(most)}
	_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil)
}

// MachineMemory returns how many bytes of memory the machine has, or
// math.MaxInt64 if the system does not report it.
func MachineMemory() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return math.MaxInt64
	}
	return int64(info.Totalram) * int64(info.Unit)
}

// peakMemory returns the largest memory use of an ended process, in bytes.
func peakMemory(usage any) int64 {
	if u, ok := usage.(*syscall.Rusage); ok {
		return int64(u.Maxrss) << 10
	}
	return 0
}
