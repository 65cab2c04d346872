// Command citekit cites and extracts exact evidence from local files. See
// "citekit help".
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience is how long the program may take to end after a signal. It may be waiting
// for input that never comes.
const patience = 5 * time.Second

func main() {
	ctx, stop := untilSignal(context.Background())
	context.AfterFunc(ctx, func() {
		stop() // a second signal ends the process at once
		time.Sleep(patience)
		os.Exit(exitInterrupted)
	})
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// untilSignal returns a context that a signal cancels. Its cause tells a request to
// terminate from an interruption.
func untilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		if <-signals == syscall.SIGTERM {
			cancel(errTerminated)
			return
		}
		cancel(errInterrupted)
	}()
	return ctx, func() { signal.Stop(signals) }
}
