package mcpadapter

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// notifierFor returns what sends the progress of a call to a client that asked
// for it, and else does nothing.
func notifierFor(ctx context.Context, req *mcp.CallToolRequest) notifier {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func(float64, float64, string) {}
	}
	return func(progress, total float64, message string) {
		// As below, a lost notification changes nothing.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: progress, Total: total, Message: message,
		})
	}
}

// reportProgress tells a client that asked for it that the call has begun,
// that it still runs, and, when the function it returns is called, that it is
// over. The progress is the time since the start, in seconds. There is no
// total: nothing can tell how long a cut takes.
func (a *adapter) reportProgress(ctx context.Context, req *mcp.CallToolRequest) (done func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	start := time.Now()
	notify := func(seconds float64, message string) {
		// A client that is gone ends the session; a lost notification
		// changes nothing.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: seconds, Message: message,
		})
	}
	notify(0, "resolving")
	ctx, stop := context.WithCancel(ctx)
	var beats sync.WaitGroup
	beats.Go(func() {
		ticker := time.NewTicker(a.opts.Heartbeat)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				seconds := time.Since(start).Seconds()
				notify(seconds, fmt.Sprintf("resolving for %.0f seconds", seconds))
			}
		}
	})
	return func() {
		stop()
		beats.Wait()
		notify(time.Since(start).Seconds(), "done")
	}
}
