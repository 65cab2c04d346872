//go:build unix

package command

import (
	"os"
	"os/signal"
	"syscall"
)

// reloadRequests returns a channel that receives each SIGHUP until stop is called.
func reloadRequests() (requests <-chan os.Signal, stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	return signals, func() { signal.Stop(signals) }
}
