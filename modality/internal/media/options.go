package media

import (
	"time"

	"github.com/citekit/citekit"
)

// Options configure how recordings are read. The zero value is ready to use.
type Options struct {
	FFmpeg  string // path of ffmpeg; "" means the one on PATH
	FFprobe string // path of ffprobe; "" means the one on PATH

	MaxChildren int           // programs that one resolver runs at a time; further ones wait; zero means 2
	MaxMemory   int64         // bytes of memory that each program may use, on Linux; zero means 16 GiB, or three quarters of the memory of the machine if that is less
	Timeout     time.Duration // longest run of one program, beyond which the error matches os.ErrDeadlineExceeded; zero means 10 minutes, and longer on a slow machine
	MaxOutput   int64         // largest file a program may write, in bytes; zero means 64 GiB
	CacheBytes  int64         // memory for parsed headers, roughly; zero means 64 MiB

	// Children limits how many child processes run at a time, in place of
	// MaxChildren. Other resolvers may share it. Nil means a limit of this
	// resolver alone.
	Children *citekit.Slots

	// ScanTime is how long Map looks for scenes or silences at most. A source
	// that takes longer is divided into even parts, so its map depends on how
	// fast the machine is. Zero means no such limit: only the work that the
	// source causes is limited. A negative number turns the search off.
	ScanTime time.Duration
}
