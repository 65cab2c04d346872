package mcpcall

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/plain"
)

// A Notifier reports the progress of a call to its client.
type Notifier func(progress, total float64, message string)

// NotifierFor returns a notifier that sends the progress of a call to a client
// that asked for it. For other clients it does nothing.
func NotifierFor(ctx context.Context, req *mcp.CallToolRequest) Notifier {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func(float64, float64, string) {}
	}
	return func(progress, total float64, message string) {
		// A lost notification does no harm, here and below.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: progress, Total: total, Message: message,
		})
	}
}

// An announceKey is the context key for a func(string) that sends a message to
// the client of a call.
type announceKey struct{}

// Announcing returns a context with which [Announce] calls announce.
func Announcing(ctx context.Context, announce func(message string)) context.Context {
	return context.WithValue(ctx, announceKey{}, announce)
}

// Announce sends a progress message, such as "preparing the PDF reader", to the
// client whose tool call ctx belongs to, if the client asked for the progress of
// the call. Resolvers and mappers may call it with the context that they
// received; with another context it does nothing.
func Announce(ctx context.Context, message string) {
	if announce, ok := ctx.Value(announceKey{}).(func(string)); ok {
		announce(Printable(message))
	}
}

// AnnounceJSON is [Announce] for an event of any length as JSON, in which characters that
// cannot be seen become codes.
func AnnounceJSON(ctx context.Context, event json.RawMessage) {
	if announce, ok := ctx.Value(announceKey{}).(func(string)); ok {
		shown, _ := plain.ShowHiddenJSON(event)
		announce(string(shown))
	}
}

// leastStep is the least increase of progress, which must rise with each message.
const leastStep = 0.001

// A heartbeat tells the client of a call how long it has been running. The progress is
// the time since the start, in seconds. There is no total, because nobody can
// predict how long an extraction takes.
type heartbeat struct {
	mu    sync.Mutex
	start time.Time
	last  float64 // last progress sent; each must exceed the one before
	tell  Notifier
}

func (b *heartbeat) notify(message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = max(time.Since(b.start).Seconds(), b.last+leastStep)
	b.tell(b.last, 0, message)
}

// ReportProgress tells a client that asked for it when the call begins and that
// it still runs, every some time, and when done is called, that it has ended. It also sends the
// messages that are announced with the returned context.
func ReportProgress(ctx context.Context, req *mcp.CallToolRequest, every time.Duration, doing string) (_ context.Context, done func()) {
	if req.Params.GetProgressToken() == nil {
		return ctx, func() {}
	}
	b := &heartbeat{start: time.Now(), tell: NotifierFor(ctx, req)}
	b.tell(0, 0, doing)
	beating, stop := context.WithCancel(ctx)
	var beats sync.WaitGroup
	beats.Go(func() {
		ticker := time.NewTicker(every)
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
	return Announcing(ctx, b.notify), func() {
		stop()
		beats.Wait()
		b.notify("done")
	}
}
