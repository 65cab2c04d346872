package server

import (
	"context"
	"log/slog"
	"time"
)

// A Meter has a bucket of tokens for each caller and kind of limit, which several servers
// take from. It must be safe for concurrent use.
type Meter interface {
	// Take takes at most so many tokens from a bucket, or none if it has fewer than
	// least. The bucket gets rate tokens a second and holds at most burst; a new one
	// is full. With a least that is not positive, it takes most in any case, so that
	// the bucket may have less than nothing. Take returns how many it took and how many
	// are left.
	Take(ctx context.Context, bucket string, rate, burst, least, most float64) (taken, left float64, err error)
}

// A meter takes tokens from a shared [Meter] for some calls ahead, so that most calls
// cost no question. The queue's lock guards all but what does not change.
type meter struct {
	shared Meter
	logger *slog.Logger
	away   time.Time // it failed: it is not asked until then
}

const (
	// aheadTime is how long tokens are of use that were taken ahead, and so how much more
	// than its rate a caller may have in any window, in seconds of that rate.
	aheadTime = time.Second

	// leastWait is how long a server refuses a caller without another question.
	leastWait = 250 * time.Millisecond

	askTime  = time.Second     // how long an answer of the meter may take
	awayTime = 5 * time.Second // after a failure
)

// A share is what this server has of the tokens of a caller.
type share struct {
	calls   float64   // tokens that were taken ahead
	until   time.Time // when they are void
	batch   float64   // how many are taken next
	refused time.Time // the bucket has not enough for a call until then

	sent  float64   // bytes that the meter does not know of yet
	bytes float64   // what was left for others at told, less than nothing for a debt
	told  time.Time // zero if it was not asked yet

	asking chan struct{} // closed when the meter has answered; nil if it is not asked
}

// callTokens returns how many calls were taken ahead.
func (s *share) callTokens(now time.Time) float64 {
	if now.After(s.until) {
		return 0
	}
	return s.calls
}

// metered reports whether the meter decides. The lock must be held, also for the
// methods below.
func (q *queue) metered(now time.Time) bool { return q.meter != nil && !now.Before(q.meter.away) }

// ask has the share of a caller suffice for some calls, unless the meter refuses them or
// fails. It gives up the lock while it waits.
func (q *queue) ask(ctx context.Context, id string, c *caller, calls int) {
	s, n := &c.shared, float64(calls)
	for q.metered(time.Now()) && ctx.Err() == nil && calls <= q.limits.Burst {
		now := time.Now()
		switch {
		case s.asking != nil:
			answered := s.asking
			q.mu.Unlock()
			select {
			case <-answered:
			case <-ctx.Done():
			}
			q.mu.Lock()
			continue
		case s.callTokens(now) >= n, now.Before(s.refused), q.sharedDebt(c, now) > 0:
			return
		}
		limits, most := q.limits, q.limits.Rate*aheadTime.Seconds()
		if used := now.Sub(s.until.Add(-aheadTime)); used < aheadTime/2 {
			s.batch = min(2*s.batch, most)
		} else if now.After(s.until) && 2*s.calls > s.batch {
			s.batch /= 2
		}
		s.batch = max(s.batch, n)
		least := n - s.callTokens(now)
		most = max(least, s.batch)
		var taken, left float64
		if !q.question(ctx, id, s, func(ctx context.Context) (err error) {
			taken, left, err = q.meter.shared.Take(ctx, "calls "+id, limits.Rate, float64(limits.Burst), least, most)
			return err
		}) {
			return
		}
		now = time.Now()
		if taken < most { // the bucket is empty, and fills while these are used
			s.refused = now.Add(max(leastWait, time.Duration((least-left)/limits.Rate*float64(time.Second))))
		}
		if taken < least {
			return
		}
		s.calls, s.until = s.callTokens(now)+taken, now.Add(aheadTime)
	}
}

// question asks the meter, and tells it of bytes that were sent. It gives up the lock
// meanwhile, and reports whether the meter answered.
func (q *queue) question(ctx context.Context, id string, s *share, do func(context.Context) error) bool {
	answered := make(chan struct{})
	s.asking = answered
	sent, left, perSecond, burst := s.sent, s.bytes, q.bytesPerSecond(), q.bytesBurst()
	tell := sent > 0 || time.Since(s.told) > aheadTime
	q.mu.Unlock()
	asking, cancel := context.WithTimeout(ctx, askTime)
	err := do(asking)
	if err == nil && tell {
		_, left, err = q.meter.shared.Take(asking, "bytes "+id, perSecond, burst, 0, sent)
	}
	cancel()
	q.mu.Lock()
	s.asking = nil
	close(answered)
	switch {
	case err == nil && tell:
		s.sent, s.bytes, s.told = s.sent-sent, left, time.Now()
	case err == nil:
	case ctx.Err() == nil: // else it was the caller who went
		q.meter.away = time.Now().Add(awayTime)
		q.meter.logger.Warn("callers are limited by this server alone, as the meter that it shares with others cannot be asked", slog.Any("error", err))
	}
	return err == nil
}

// takeShared takes calls from the share of a caller. It returns how long to wait for them,
// and whether that is known: if not, the limits of this server decide.
func (q *queue) takeShared(c *caller, calls int, now time.Time) (wait time.Duration, known bool) {
	s := &c.shared
	switch n := float64(calls); {
	case !q.metered(now):
		return 0, false
	case s.callTokens(now) >= n:
		s.calls -= n
		return 0, true
	}
	return s.refused.Sub(now), now.Before(s.refused)
}

// spendShared counts bytes that were sent to a caller, and tells the meter of those of a
// second.
func (q *queue) spendShared(id string, c *caller, bytes int64) {
	s := &c.shared
	s.sent += float64(bytes)
	if !q.metered(time.Now()) || s.asking != nil || s.sent < q.bytesPerSecond() {
		return
	}
	go func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if s.asking == nil {
			q.question(context.Background(), id, s, func(context.Context) error { return nil })
		}
	}()
}

// sharedDebt returns how many bytes a caller received from all servers beyond its limit.
func (q *queue) sharedDebt(c *caller, now time.Time) float64 {
	s := &c.shared
	if s.told.IsZero() || !q.metered(now) {
		return 0
	}
	return s.sent - min(q.bytesBurst(), s.bytes+now.Sub(s.told).Seconds()*q.bytesPerSecond())
}

func (q *queue) bytesPerSecond() float64 { return float64(q.limits.BytesPerMinute) / 60 }
func (q *queue) bytesBurst() float64     { return float64(clampInt(q.limits.BytesPerMinute)) }
