package server

import (
	"context"
	"testing"
	"time"
)

// TestHangingLog has a log that hangs: those that bring more are not held up for
// good, and what was left out is told of once the log goes on.
func TestHangingLog(t *testing.T) {
	release, missed := make(chan struct{}), make(chan int, 1)
	told := 0
	r := newReports(func(context.Context, *Event) {
		<-release
		told++
	}, func(n int) { missed <- n })
	r.patience = time.Millisecond
	added := 0
	for range 2*mostReports + 10 {
		if r.add(t.Context(), Event{}) {
			added++
		}
	}
	close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	r.settle(ctx)
	if n := <-missed; n != 2*mostReports+10-added || n == 0 || told != added {
		t.Errorf("%d were left out, %d told, %d added", n, told, added)
	}
}
