// Package ffmpeg finds the programs ffmpeg and ffprobe, and runs them on sources that
// may be hostile.
//
// Of the outside world a program sees only the source. It gets an inherited descriptor
// where the system has them, never a name from a map. It is told the demuxer, which is
// chosen by content alone, and may use no other: a playlist that claims to be a video
// is not read as a playlist. It gets no network protocol, no terminal, no shell and
// almost no environment. It has a time limit, writes to a private directory, and is
// killed with everything it started when the context ends. On Linux its memory is
// limited, and it does not outlive this process. On systems with flock, the next
// process removes the directories of a killed one.
//
// The programs must be of version 5.1 or later.
package ffmpeg

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/child"
)

// Limits of a [Tools] whose fields are zero. On a slow machine DefaultTimeout is up to
// twenty times as long.
const (
	DefaultChildren  = 2
	DefaultTimeout   = 10 * time.Minute
	DefaultMaxOutput = 64 << 30
)

// yardstick tells how slow this machine is. The run takes 50 ms on a core of 2020.
var yardstick = child.Yardstick{Args: []string{"-version"}, Usual: 50 * time.Millisecond}

// mostMemory is how many bytes of memory a program may use if the machine has more.
// Re-encoding a clip of 8K video takes 6 GiB, and twice that with 10 bits.
const mostMemory = 16 << 30

// Tools is a pair of programs and the limits they run under. The zero value
// finds them on PATH. It is safe for concurrent use and must not be copied
// after first use.
type Tools struct {
	FFmpeg  string // path of ffmpeg; "" means the one on PATH
	FFprobe string // path of ffprobe; "" means the one on PATH

	Children  int           // programs that run at a time, others wait; zero means DefaultChildren
	Timeout   time.Duration // longest run of one program; zero means DefaultTimeout
	MaxOutput int64         // largest file a program may write, in bytes; zero means DefaultMaxOutput
	MaxMemory int64         // memory of a program in bytes, on Linux; zero means 16 GiB, or three quarters of the machine's memory if less

	Slots *citekit.Slots // shared slots, which replace Children; nil means private ones

	once  sync.Once
	sweep sync.Once
}

// acquire waits for a slot to run a program. The caller must call release.
func (t *Tools) acquire(ctx context.Context) (release func(), err error) {
	t.once.Do(func() {
		if t.Slots == nil {
			t.Slots = &citekit.Slots{Max: cmp.Or(max(t.Children, 0), DefaultChildren)}
		}
	})
	return t.Slots.Acquire(ctx)
}

func (t *Tools) maxMemory() int64 {
	if t.MaxMemory > 0 {
		return t.MaxMemory
	}
	return min(mostMemory, child.MachineMemory()/4*3)
}

func (t *Tools) maxOutput() int64 {
	if t.MaxOutput > 0 {
		return t.MaxOutput
	}
	return DefaultMaxOutput
}
