package pdfium

import (
	"runtime"
	"time"
)

const tick = 20 * time.Millisecond // between readings of a clock

// A clock measures the processor time of the goroutine that started it, which it locks
// to its thread until stop. On systems that do not report that, it measures elapsed
// time.
type clock struct {
	thread int
	begin  time.Duration
	done   chan struct{}
	ended  chan struct{}
}

// startClock starts a clock that calls alarm once it has measured most.
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

// stop stops the clock and returns the time measured.
func (c *clock) stop() time.Duration {
	close(c.done)
	<-c.ended
	passed := threadTime(c.thread) - c.begin
	runtime.UnlockOSThread()
	return passed
}
