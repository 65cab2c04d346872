//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package ffmpeg

import "os"

// lockScratch returns nil: this system has no locks.
func lockScratch(string) *os.File { return nil }

// sweepScratch does nothing: without locks it cannot tell which directories are in use.
func sweepScratch() {}
