// In a busy server, the garbage collector stops the world several times a
// minute. In Go 1.26, a goroutine that enters a system call in the instant of
// such a stop may keep its processor. The stop then waits for the system call
// to end. That call may be a read of the next message from a client that itself
// waits for an answer. Only the runtime's monitor thread resolves this, and it
// may sleep for one minute, or until the next timer expires. A timer that
// expires soon therefore bounds the wait.

package ctxio

import (
	"io"
	"time"
)

// interval is about the longest time that a program is held up.
const interval = 50 * time.Millisecond

// Beat sets a timer that expires soon. Call it right before a system call that
// may block for long, on the same goroutine.
func Beat() { time.AfterFunc(interval, func() {}) }

// PulseReader is a reader that calls [Beat] before it reads from another reader. It must be used by
// one goroutine only.
type PulseReader struct {
	r     io.Reader
	timer *time.Timer
}

// NewBeating returns a reader of r.
func NewBeating(r io.Reader) *PulseReader { return &PulseReader{r: r} }

// Read implements [io.Reader].
func (r *PulseReader) Read(p []byte) (int, error) {
	if r.timer == nil {
		r.timer = time.AfterFunc(interval, func() {})
	} else {
		r.timer.Reset(interval)
	}
	return r.r.Read(p)
}
