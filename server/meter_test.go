package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A memoryMeter is a [Meter] in memory.
type memoryMeter struct {
	mu      sync.Mutex
	buckets map[string]*memoryBucket
	fails   error
	asked   int
}

type memoryBucket struct {
	tokens float64
	at     time.Time
}

func (m *memoryMeter) Take(_ context.Context, bucket string, rate, burst, least, most float64) (taken, left float64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked++; m.fails != nil {
		return 0, 0, m.fails
	}
	b := m.buckets[bucket]
	if b == nil {
		b = &memoryBucket{burst, time.Now()}
		m.buckets[bucket] = b
	}
	now := time.Now()
	b.tokens, b.at = min(burst, b.tokens+now.Sub(b.at).Seconds()*rate), now
	switch {
	case least <= 0:
		taken = most
	case b.tokens >= least:
		taken = min(most, b.tokens)
	}
	b.tokens -= taken
	return taken, b.tokens, nil
}

func (m *memoryMeter) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fails = err
}

func sharing(m Meter, limits Limits) *queue {
	q := newQueue(limits)
	q.meter = &meter{shared: m, logger: slog.New(slog.DiscardHandler)}
	return q
}

// Several servers together give each of many callers its rate, and hardly more, and ask
// the meter seldom.
func TestSharedRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const callers, servers, perSecond, burst, seconds = 20, 3, 50, 100, 30
		shared := &memoryMeter{buckets: make(map[string]*memoryBucket)}
		all := make([]*queue, servers)
		for i := range all {
			all[i] = sharing(shared, Limits{Rate: perSecond, Burst: burst, Calls: -1, CallsPerCaller: -1})
		}
		random := sharedtest.Rand(t)
		admitted := make([]int, callers)
		for range seconds * 100 {
			for c := range callers {
				for range 1 + c%4 { // 100 to 400 a second
					leave, err := all[random.IntN(servers)].enter(t.Context(), fmt.Sprint(c), lookup, 1)
					if err == nil {
						admitted[c]++
						leave()
					} else if wait := refusedAs(t, err).RetryAfter; wait <= 0 || wait > time.Second {
						t.Fatalf("wait %v", wait)
					}
				}
			}
			time.Sleep(10 * time.Millisecond)
		}
		sum := 0
		for c, n := range admitted {
			sum += n
			if most := perSecond*seconds + burst + perSecond; n > most || n < most*8/10 {
				t.Errorf("caller %d made %d calls; at most %d are right", c, n, most)
			}
		}
		if 3*shared.asked > sum {
			t.Errorf("the meter was asked %d times for %d calls", shared.asked, sum)
		}
	})
}

// A caller that calls seldom, by any server, is never refused.
func TestSharedRateOfFewCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &memoryMeter{buckets: make(map[string]*memoryBucket)}
		limits := Limits{Rate: 10, Burst: 10}
		one, other := sharing(shared, limits), sharing(shared, limits)
		for i := range 1000 {
			leave, err := []*queue{one, other}[i%2].enter(t.Context(), "a", lookup, 1)
			if err != nil {
				t.Fatalf("call %d: %v", i, err)
			}
			leave()
			time.Sleep(200 * time.Millisecond)
		}
	})
}

// Bytes that one server sent count at another, within those of a second.
func TestSharedBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &memoryMeter{buckets: make(map[string]*memoryBucket)}
		limits := Limits{BytesPerMinute: 60 << 20}
		one, other := sharing(shared, limits), sharing(shared, limits)
		call := func(q *queue) error {
			leave, err := q.enter(t.Context(), "a", lookup, 1)
			if err == nil {
				leave()
			}
			return err
		}
		if err := errors.Join(call(one), call(other)); err != nil {
			t.Fatal(err)
		}
		one.spend("a", 90<<20)
		synctest.Wait()
		time.Sleep(2 * time.Second) // what was taken ahead is void
		call(other)                 // hears of it
		if wait := refusedAs(t, call(other)).RetryAfter; wait < 27*time.Second || wait > 29*time.Second {
			t.Errorf("wait %v", wait)
		}
		time.Sleep(29 * time.Second)
		if err := errors.Join(call(one), call(other)); err != nil {
			t.Error(err)
		}
	})
}

// While the meter fails, each server limits its callers; it is then asked every five
// seconds.
func TestMeterAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &memoryMeter{buckets: make(map[string]*memoryBucket)}
		shared.fail(errors.New("cannot be reached"))
		limits := Limits{Rate: 10, Burst: 10}
		one, other := sharing(shared, limits), sharing(shared, limits)
		flood := func(servers ...*queue) (admitted int) {
			for range 1000 {
				for _, q := range servers {
					if leave, err := q.enter(t.Context(), "a", lookup, 1); err == nil {
						admitted++
						leave()
					}
				}
				time.Sleep(10 * time.Millisecond)
			}
			return admitted
		}
		if n := flood(one); n < 100 || n > 110 {
			t.Errorf("%d calls", n)
		}
		if shared.asked != 2 {
			t.Errorf("it was asked %d times", shared.asked)
		}
		shared.fail(nil)
		time.Sleep(awayTime)
		if n := flood(one, other); n < 100 || n > 120 {
			t.Errorf("%d calls of both servers", n)
		}
	})
}

// Calls of one caller at once wait for one answer of the meter.
func TestMeterAtOnce(t *testing.T) {
	shared := &memoryMeter{buckets: make(map[string]*memoryBucket)}
	q := sharing(shared, Limits{Rate: 1000, Calls: -1, CallsPerCaller: -1})
	var calls sync.WaitGroup
	for range 100 {
		calls.Go(func() {
			leave, err := q.enter(t.Context(), "a", lookup, 1)
			if err != nil {
				t.Error(err)
				return
			}
			leave()
			q.spend("a", 100)
		})
	}
	calls.Wait()
	if shared.asked > 100/3 {
		t.Errorf("the meter was asked %d times for 100 calls", shared.asked)
	}
}
