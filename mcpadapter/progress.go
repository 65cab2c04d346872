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

// An announceKey is the key of a context's func(string), which tells the client
// of a call what goes on.
type announceKey struct{}

// Announce tells the client whose tool call ctx belongs to what goes on, such
// as "preparing the PDF reader", if the client asked for the progress of the
// call. It is for what resolvers and mappers report with the context that they
// were called with; with another context it does nothing.
func Announce(ctx context.Context, message string) {
	if announce, ok := ctx.Value(announceKey{}).(func(string)); ok {
		announce(printable(message))
	}
}

// leastStep is by how much progress rises at least: it must with each message.
const leastStep = 0.001

// A beat tells the client of a call how long it has been running. The progress
// is the time since the start, in seconds. There is no total: nothing can tell
// how long a cut takes.
type beat struct {
	mu    sync.Mutex
	start time.Time
	last  float64 // progress that was told; each must be more than the one before
	tell  notifier
}

func (b *beat) notify(message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = max(time.Since(b.start).Seconds(), b.last+leastStep)
	b.tell(b.last, 0, message)
}

// reportProgress tells a client that asked for it that the call has begun,
// that it still runs, and, when the function it returns is called, that it is
// over. What is announced with the context that it returns is told too.
func (a *adapter) reportProgress(ctx context.Context, req *mcp.CallToolRequest, doing string) (_ context.Context, done func()) {
	if req.Params.GetProgressToken() == nil {
		return ctx, func() {}
	}
	b := &beat{start: time.Now(), tell: notifierFor(ctx, req)}
	b.tell(0, 0, doing)
	beating, stop := context.WithCancel(ctx)
	var beats sync.WaitGroup
	beats.Go(func() {
		ticker := time.NewTicker(a.opts.Heartbeat)
		defer ticker.Stop()
		for {
			select {
			case <-beating.Done():
				return
			case <-ticker.C:
				b.notify(fmt.Sprintf("%s for %.0f seconds", doing, time.Since(b.start).Seconds()))
			}
		}
	})
	return context.WithValue(ctx, announceKey{}, b.notify), func() {
		stop()
		beats.Wait()
		b.notify("done")
	}
}
