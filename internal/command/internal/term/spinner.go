package term

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// IsTerminal reports whether w is a terminal that can move its cursor.
func IsTerminal(w any) bool {
	return os.Getenv("TERM") != "dumb" && IsTTY(w)
}

const (
	patience  = 700 * time.Millisecond // work that ends sooner shows nothing
	interval  = 120 * time.Millisecond
	eraseLine = "\r\x1b[K"
)

var frames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// Spin shows on w after a moment that work is in progress, until stop is called, which
// removes all of it. The label is shown as by [Line].
func Spin(ctx context.Context, w io.Writer, label string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		spin(ctx, w, Line(label))
	}()
	return func() {
		cancel()
		<-done
	}
}

func spin(ctx context.Context, w io.Writer, label string) {
	start := time.Now()
	select {
	case <-ctx.Done():
		return
	case <-time.After(patience):
	}
	defer io.WriteString(w, eraseLine)
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for i := 0; ; i++ {
		fmt.Fprintf(w, "%s%s %s %ds", eraseLine, frames[i%len(frames)], label, int(time.Since(start).Seconds()))
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
	}
}
