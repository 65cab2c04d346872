package pdfium

import (
	"runtime"
	"time"
)

const tick = 20 * time.Millisecond // between looks at a clock

// A clock measures the processor time of the goroutine that started it, which
// stays on its thread until the clock is stopped. Where the system does not
// tell it, time passes instead.
type clock struct {
	thread int
	begin  time.Duration
	done   chan struct{}
	ended  chan struct{}
}

// startClock starts a clock that calls alarm once most has passed.
func startClock(most time.Duration, alarm func()) *clock {
	runtime.LockOSThread()
	c := &clock{thread: currentThread(), done: make(chan struct{}), ended: make(chan struct{})}
	c.begin = threadTime(c.thread)
	go c.watch(most, alarm)
	return c
}

func (c *clock) watch(most time.Duration, alarm func()) {
	defer close(c.ended)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-c.done:
			return
		case <-ticker.C:
		}
		if threadTime(c.thread)-c.begin >= most {
			alarm()
			return
		}
	}
}

// stop stops the clock and returns the time that passed.
func (c *clock) stop() time.Duration {
	close(c.done)
	<-c.ended
	passed := threadTime(c.thread) - c.begin
	runtime.UnlockOSThread()
	return passed
}
