// Package command is the program citekit, which two mains run: that of this module, for
// workspaces in directories, and one with further stores. See "citekit help".
package command

import (
	"cmp"
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// patience is how long the program may take to end after a signal. It may be waiting
// for input that never comes.
const patience = 5 * time.Second

// serverPatience is how long a server over HTTP may take once it drained: its calls have
// stopGrace, then its logs and spans the rest.
const serverPatience = stopGrace + 9*time.Second

// workerPatience is how long a worker may take: its jobs have half a minute, and then
// are given back.
const workerPatience = 40 * time.Second

// serving is how long the program may take, in nanoseconds, while it is a server over
// HTTP or a worker; else zero.
var serving atomic.Int64

// Main runs the program with the arguments, streams and environment of the process, and
// ends it.
func Main(o Options) {
	delayCollection()
	ctx, stop := untilSignal(context.Background())
	context.AfterFunc(ctx, func() {
		stop() // a second signal ends the process at once
		time.Sleep(cmp.Or(time.Duration(serving.Load()), patience))
		os.Exit(exitInterrupted)
	})
	os.Exit(o.run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
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
