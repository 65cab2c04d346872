//go:build !linux

package child

import "math"

// limitMemory does nothing: no other system can limit a process that runs.
func limitMemory(int, int64) {}

// MachineMemory is not told.
func MachineMemory() int64 { return math.MaxInt64 }

// peakMemory is not told.
func peakMemory(any) int64 { return 0 }
