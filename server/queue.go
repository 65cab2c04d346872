package server

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/citekit/citekit/server/transport"
)

// A queue gives places to calls. Callers take turns: the next place goes to the
// waiting caller that got one longest ago, no matter how many calls others have.
type queue struct {
	meter   *meter // nil if callers are limited by this server alone
	mu      sync.Mutex
	limits  Limits // with defaults
	callers map[string]*caller
	lanes   [kinds]lane
	waiting int
	swept   time.Time
}

// A lane holds the places of one kind of call.
type lane struct {
	running int
	turns   []*caller // the callers that wait, the next one first
}

// A caller is the state that a queue keeps for one caller.
type caller struct {
	calls   *rate.Limiter
	bytes   *rate.Limiter // may be in debt
	running [kinds]int
	waiters [kinds][]*waiter
	waiting int
	fetches int // pieces of evidence being fetched
	used    time.Time
	shared  share // of what servers with one meter give
}

// A waiter is a request that waits for places for its calls.
type waiter struct {
	calls int
	ready chan struct{} // closed once it has them
}

// forgetAfter is how long an idle caller is remembered: by then its rates are full
// again.
const forgetAfter = 5 * time.Minute

func newQueue(limits Limits) *queue {
	return &queue{limits: limits.withDefaults(), callers: make(map[string]*caller), swept: time.Now()}
}

// set changes the limits. Calls that run and wait go on.
func (q *queue) set(limits Limits) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.limits = limits.withDefaults()
	now := time.Now()
	for _, c := range q.callers {
		q.rate(c, now)
	}
	for k := range kinds {
		q.dispatch(k)
	}
}

// rate sets the rates of a caller to those of the limits.
func (q *queue) rate(c *caller, now time.Time) {
	perSecond := q.bytesPerSecond()
	if c.calls == nil {
		c.calls = rate.NewLimiter(rate.Limit(q.limits.Rate), q.limits.Burst)
		c.bytes = rate.NewLimiter(rate.Limit(perSecond), clampInt(q.limits.BytesPerMinute))
		return
	}
	c.calls.SetLimitAt(now, rate.Limit(q.limits.Rate))
	c.calls.SetBurstAt(now, q.limits.Burst)
	c.bytes.SetLimitAt(now, rate.Limit(perSecond))
	c.bytes.SetBurstAt(now, clampInt(q.limits.BytesPerMinute))
}

// clampInt returns how many bytes a caller may receive at once: enough to make
// counting cheap.
func clampInt(n int64) int { return int(min(max(n, 64<<10), math.MaxInt32)) }

// caller returns the state of a caller. The lock must be held.
func (q *queue) caller(id string, now time.Time) *caller {
	if now.Sub(q.swept) > time.Minute {
		q.swept = now
		for id, c := range q.callers {
			if c.waiting == 0 && c.fetches == 0 && c.running == [kinds]int{} && now.Sub(c.used) > forgetAfter && c.bytes.TokensAt(now) >= 0 {
				delete(q.callers, id)
			}
		}
	}
	c := q.callers[id]
	if c == nil {
		c = new(caller)
		q.rate(c, now)
		q.callers[id] = c
	}
	c.used = now
	return c
}

// run waits until calls of a caller may run.
func (q *queue) run(ctx context.Context, caller string, calls []*transport.Call) (end func(), err error) {
	k, places := lookup, 0
	for _, c := range calls {
		if !c.Lookup {
			k = heavy
		}
		if !c.Stream {
			places++
		}
	}
	start := time.Now()
	end, err = q.enter(ctx, caller, k, places)
	for _, c := range calls {
		c.Waited = time.Since(start)
	}
	return end, err
}

// enter waits for places for calls of a caller. A request without calls counts as
// one for the rate. The error is a [*transport.BusyError] or that of ctx.
func (q *queue) enter(ctx context.Context, id string, k kind, calls int) (leave func(), err error) {
	q.mu.Lock()
	c := q.caller(id, time.Now())
	q.ask(ctx, id, c, max(calls, 1))
	if err := q.checkRates(c, max(calls, 1), time.Now()); err != nil {
		q.mu.Unlock()
		return nil, err
	}
	if calls == 0 {
		q.mu.Unlock()
		return func() {}, nil
	}
	leave = sync.OnceFunc(func() { q.leave(c, k, calls) })
	if len(c.waiters[k]) == 0 && q.fits(c, k, calls) {
		q.take(c, k, calls)
		q.mu.Unlock()
		return leave, nil
	}
	w, err := q.wait(c, k, calls)
	limit := q.limits.Wait
	q.mu.Unlock()
	if err != nil {
		return nil, err
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-w.ready:
		return leave, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
	}
	return q.giveUp(c, k, w, leave, err)
}

// fetch counts evidence that a caller fetches, until done is called. The error is a
// [*transport.BusyError].
func (q *queue) fetch(ctx context.Context, id string) (done func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.caller(id, time.Now())
	q.ask(ctx, id, c, 1)
	if c.fetches >= maxDownloads {
		return nil, &transport.BusyError{RetryAfter: time.Second, Message: fmt.Sprintf("you are already fetching %d pieces of evidence; wait until one ends", maxDownloads)}
	}
	if err := q.checkRates(c, 1, time.Now()); err != nil {
		return nil, err
	}
	c.fetches++
	return sync.OnceFunc(func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		c.fetches--
		c.used = time.Now()
	}), nil
}

// checkRates takes calls from the rate of a caller, or refuses them.
func (q *queue) checkRates(c *caller, calls int, now time.Time) error {
	if debt := max(-c.bytes.TokensAt(now), q.sharedDebt(c, now)); debt > 0 {
		return &transport.BusyError{
			RetryAfter: time.Duration(debt / float64(c.bytes.Limit()) * float64(time.Second)),
			Message:    fmt.Sprintf("you received more than %d bytes in a minute; wait, or ask for less", q.limits.BytesPerMinute),
		}
	}
	if calls > q.limits.Burst {
		return &transport.BusyError{RetryAfter: time.Second, Message: fmt.Sprintf("a request may have at most %d calls", q.limits.Burst)}
	}
	if wait, known := q.takeShared(c, calls, now); known {
		if wait > 0 {
			return q.tooMany(wait)
		}
		return nil
	}
	r := c.calls.ReserveN(now, calls)
	if wait := r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
		return q.tooMany(wait)
	}
	return nil
}

func (q *queue) tooMany(wait time.Duration) error {
	return &transport.BusyError{RetryAfter: wait, Message: fmt.Sprintf("more than %v calls in a second; wait, and ask less often", q.limits.Rate)}
}

func (q *queue) fits(c *caller, k kind, calls int) bool {
	all, each := q.limits.places(k)
	return q.lanes[k].running+calls <= all && c.running[k]+calls <= each
}

func (q *queue) take(c *caller, k kind, calls int) {
	q.lanes[k].running += calls
	c.running[k] += calls
}

// wait puts calls into the queue, if there is room.
func (q *queue) wait(c *caller, k kind, calls int) (*waiter, error) {
	all, each := q.limits.places(k)
	switch {
	case calls > each:
		return nil, &transport.BusyError{RetryAfter: time.Second, Message: "a request may have at most " + plural(each, k)}
	case c.waiting >= q.limits.QueuePerCaller:
		return nil, &transport.BusyError{RetryAfter: time.Second, Message: fmt.Sprintf("%d of your calls are waiting; each caller may have %s at a time", c.waiting, plural(each, k))}
	case q.waiting >= q.limits.Queue:
		return nil, &transport.BusyError{Server: true, RetryAfter: q.limits.Wait / 2, Message: "the server is busy with " + plural(all, k) + "; try again later"}
	}
	w := &waiter{calls: calls, ready: make(chan struct{})}
	if len(c.waiters[k]) == 0 {
		q.lanes[k].turns = append(q.lanes[k].turns, c)
	}
	c.waiters[k] = append(c.waiters[k], w)
	c.waiting++
	q.waiting++
	return w, nil
}

// giveUp ends the wait of calls, unless they have got their places by now and are
// still wanted.
func (q *queue) giveUp(c *caller, k kind, w *waiter, leave func(), err error) (func(), error) {
	q.mu.Lock()
	select {
	case <-w.ready:
		q.mu.Unlock()
		if err == nil {
			return leave, nil
		}
		leave()
		return nil, err
	default:
	}
	defer q.mu.Unlock()
	q.remove(c, k, slices.Index(c.waiters[k], w))
	q.dispatch(k) // calls behind it may need fewer places
	if err != nil {
		return nil, err
	}
	all, each := q.limits.places(k)
	if c.running[k] >= each {
		return nil, &transport.BusyError{RetryAfter: time.Second, Message: fmt.Sprintf("waited %v for one of your %s to end", q.limits.Wait, plural(each, k))}
	}
	return nil, &transport.BusyError{Server: true, RetryAfter: q.limits.Wait / 2, Message: fmt.Sprintf("waited %v; the server is busy with %s; try again later", q.limits.Wait, plural(all, k))}
}

func (q *queue) leave(c *caller, k kind, calls int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lanes[k].running -= calls
	c.running[k] -= calls
	c.used = time.Now()
	q.dispatch(k)
}

// dispatch gives places to waiting callers in turn, while any of their calls fit.
func (q *queue) dispatch(k kind) {
	l := &q.lanes[k]
	for passed := 0; passed < len(l.turns); passed++ {
		c := l.turns[0]
		l.turns = append(l.turns[1:], c)
		w := c.waiters[k][0]
		if !q.fits(c, k, w.calls) {
			continue
		}
		q.take(c, k, w.calls)
		q.remove(c, k, 0)
		close(w.ready)
		passed = -1
	}
}

// remove takes the waiter at an index out of the queue of a caller.
func (q *queue) remove(c *caller, k kind, i int) {
	c.waiters[k] = slices.Delete(c.waiters[k], i, i+1)
	c.waiting--
	q.waiting--
	if len(c.waiters[k]) == 0 {
		l := &q.lanes[k]
		l.turns = slices.DeleteFunc(l.turns, func(other *caller) bool { return other == c })
	}
}

// spend counts bytes that were sent to a caller.
func (q *queue) spend(id string, bytes int64) {
	if bytes <= 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	c := q.caller(id, now)
	q.spendShared(id, c, bytes)
	for burst := int64(c.bytes.Burst()); bytes > 0; bytes -= burst {
		c.bytes.ReserveN(now, int(min(bytes, burst)))
	}
}

// A Load counts the work of a server at the moment.
type Load struct {
	Lookups, HeavyCalls int // calls that run
	Waiting             int // calls that wait for a place
	Callers             int // callers of the last minutes
}

func (q *queue) load() Load {
	q.mu.Lock()
	defer q.mu.Unlock()
	return Load{q.lanes[lookup].running, q.lanes[heavy].running, q.waiting, len(q.callers)}
}
