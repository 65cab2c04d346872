//go:build !linux

package child

import "math"

// limitMemory does nothing: only Linux can limit a running process.
func limitMemory(int, int64) {}

// MachineMemory returns math.MaxInt64: the system does not report it.
func MachineMemory() int64 { return math.MaxInt64 }

// peakMemory returns 0: the system does not report it.
func peakMemory(any) int64 { return 0 }
