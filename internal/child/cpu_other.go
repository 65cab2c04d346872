//go:build !linux

package child

import "time"

// cpuTime cannot be told while a process runs.
func cpuTime(int) (time.Duration, bool) { return 0, false }
