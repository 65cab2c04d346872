// Package ffmpeg runs the programs ffmpeg and ffprobe on sources that may be
// hostile, and finds them.
//
// A program sees one thing of the outside: the source, by an inherited
// descriptor where the system has them, never by a name from a map. It is
// told the demuxer, which follows from the content alone, and may use no
// other: a playlist that calls itself a video is not read as a playlist. It
// gets no network protocol, no terminal, no shell and next to no environment;
// it has a time limit, writes to a private directory, and is killed with all
// it started when the context ends. On Linux its memory is limited, and it does not
// outlive this process either; directories that a killed process left behind are removed by the next
// one, on systems that have flock.
//
// Version 5.1 of the programs or a later one is needed.
package ffmpeg

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/child"
)

// Limits of a [Tools] whose fields are zero.
const (
	DefaultChildren  = 2
	DefaultTimeout   = 10 * time.Minute
	DefaultMaxOutput = 64 << 30
)

// mostMemory is how many bytes of memory a program may have, where the machine has
// more than that: a clip of video in 8K that is encoded anew takes 6 GiB, and twice
// that with 10 bits.
const mostMemory = 16 << 30

// Tools is a pair of programs and the limits they run under. The zero value
// finds them on PATH. It is safe for concurrent use and must not be copied
// after first use.
type Tools struct {
	FFmpeg  string // path of ffmpeg; "" means the one on PATH
	FFprobe string // path of ffprobe; "" means the one on PATH

	Children  int           // programs running at a time, others wait; zero means DefaultChildren
	Timeout   time.Duration // longest run of one program; zero means DefaultTimeout
	MaxOutput int64         // largest file a program may write, in bytes; zero means DefaultMaxOutput
	MaxMemory int64         // bytes that a program may have, on Linux; zero means 16 GiB, or three quarters of what the machine has

	Slots *citekit.Slots // shared with others, in place of Children; nil means own ones

	once  sync.Once
	sweep sync.Once
}

// acquire waits for a slot to run a program in. The caller calls release.
func (t *Tools) acquire(ctx context.Context) (release func(), err error) {
	t.once.Do(func() {
		if t.Slots == nil {
			t.Slots = citekit.NewSlots(cmp.Or(max(t.Children, 0), DefaultChildren))
		}
	})
	return t.Slots.Acquire(ctx)
}

func (t *Tools) timeout() time.Duration {
	if t.Timeout > 0 {
		return t.Timeout
	}
	return DefaultTimeout
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
