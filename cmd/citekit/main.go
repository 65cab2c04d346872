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

// patience is how long the program has to end after a signal; it may be
// waiting for input that does not come.
const patience = 5 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop() // a second signal ends the process at once
		time.Sleep(patience)
		os.Exit(exitFailure)
	})
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
