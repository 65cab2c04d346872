//go:build !linux

package child

import "time"

// cpuTime returns false: other systems do not report it while a process runs.
func cpuTime(int) (time.Duration, bool) { return 0, false }
