//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package ffmpeg

import "os"

// lockScratch locks nothing here.
func lockScratch(string) *os.File { return nil }

// sweepScratch leaves alone what it cannot tell from what is in use.
func sweepScratch() {}
