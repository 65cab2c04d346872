// Package pulse keeps blocking system calls from holding up a program.
//
// In Go 1.26 a goroutine that enters a system call in the instant in which the
// world is being stopped, as the garbage collector does several times a minute
// in a busy server, may keep its processor. The stop then waits for the system
// call to end, such as a read that waits for the next message of a client which
// waits for an answer. Only the runtime's monitor thread resolves that, and it
// may be asleep: for one minute, or until the next timer expires. So a timer
// that expires soon bounds the wait.
package pulse

import (
	"io"
	"time"
)

// interval is how long a program is held up at most, or little longer.
const interval = 50 * time.Millisecond

// Beat sets a timer that expires soon. Call it right before a system call that
// may block for long, on the same goroutine.
func Beat() { time.AfterFunc(interval, func() {}) }

// A Reader calls [Beat] before it reads from another reader. It is for one
// goroutine.
type Reader struct {
	r     io.Reader
	timer *time.Timer
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// Read implements [io.Reader].
func (r *Reader) Read(p []byte) (int, error) {
	if r.timer == nil {
		r.timer = time.AfterFunc(interval, func() {})
	} else {
		r.timer.Reset(interval)
	}
	return r.r.Read(p)
}
