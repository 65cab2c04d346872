package server

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citekit/citekit/server/transport"
)

// refusedAs returns the refusal that an error is.
func refusedAs(t *testing.T, err error) *transport.BusyError {
	t.Helper()
	busy := new(transport.BusyError)
	if !errors.As(err, &busy) {
		t.Fatalf("%v: want a refusal", err)
	}
	return busy
}

// TestTurns has callers that flood: others still get every second place.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(Limits{HeavyCalls: 1, HeavyPerCaller: 1})
		leave, err := q.enter(t.Context(), "flood", heavy, 1)
		if err != nil {
			t.Fatal(err)
		}
		order := make(chan string, 10)
		call := func(id string) {
			go func() {
				leave, err := q.enter(t.Context(), id, heavy, 1)
				if err != nil {
					t.Error(err)
					return
				}
				order <- id
				leave()
			}()
			synctest.Wait() // it has its place in the queue
		}
		for range 5 {
			call("flood")
		}
		call("calm")
		call("calm")
		leave()
		synctest.Wait()
		got := ""
		for range 7 {
			got += (<-order)[:1]
		}
		if got != "fcfcfff" {
			t.Errorf("turns %s", got)
		}
		if l := q.load(); l.HeavyCalls != 0 || l.Waiting != 0 {
			t.Errorf("at the end %+v", l)
		}
	})
}

// TestLookupsPass: heavy calls are in nobody's way who looks something up.
func TestLookupsPass(t *testing.T) {
	q := newQueue(Limits{HeavyCalls: 1})
	if _, err := q.enter(t.Context(), "a", heavy, 1); err != nil {
		t.Fatal(err)
	}
	leave, err := q.enter(t.Context(), "a", lookup, 1)
	if err != nil {
		t.Fatal(err)
	}
	leave()
	leave() // a second time changes nothing
	if l := q.load(); l.Lookups != 0 || l.HeavyCalls != 1 {
		t.Errorf("%+v", l)
	}
}

func TestQueueRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(Limits{HeavyCalls: 2, HeavyPerCaller: 1, Queue: 3, QueuePerCaller: 2, Wait: time.Second})
		var ended sync.WaitGroup
		wait := func(id string) {
			ended.Go(func() {
				_, err := q.enter(t.Context(), id, heavy, 1)
				if busy := refusedAs(t, err); busy.Server == (id == "a") || busy.RetryAfter <= 0 {
					t.Errorf("%s waited in vain: %+v", id, busy)
				}
			})
			synctest.Wait()
		}
		for _, id := range []string{"a", "b"} {
			if _, err := q.enter(t.Context(), id, heavy, 1); err != nil {
				t.Fatal(err)
			}
		}
		wait("a")
		wait("a")
		_, err := q.enter(t.Context(), "a", heavy, 1)
		if refusedAs(t, err).Server {
			t.Errorf("a caller's queue is full: %v", err)
		}
		wait("c") // for a place of the server
		_, err = q.enter(t.Context(), "d", heavy, 1)
		if !refusedAs(t, err).Server {
			t.Errorf("the queue is full: %v", err)
		}
		_, err = q.enter(t.Context(), "d", heavy, 2)
		if refusedAs(t, err).Server {
			t.Errorf("more calls than a caller may have: %v", err)
		}
		start := time.Now()
		ended.Wait()
		if waited := time.Since(start); waited != time.Second {
			t.Errorf("gave up after %v", waited)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended.Go(func() {
			if _, err := q.enter(ctx, "d", heavy, 1); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
		})
		synctest.Wait()
		cancel()
		ended.Wait()
		if l := q.load(); l.Waiting != 0 || l.HeavyCalls != 2 {
			t.Errorf("at the end %+v", l)
		}
	})
}

func TestRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(Limits{Rate: 10, Burst: 5, BytesPerMinute: 60 << 20})
		call := func(id string) error {
			leave, err := q.enter(t.Context(), id, lookup, 1)
			if err == nil {
				leave()
			}
			return err
		}
		for range 5 {
			if err := call("a"); err != nil {
				t.Fatal(err)
			}
		}
		busy := refusedAs(t, call("a"))
		if busy.Server || busy.RetryAfter != 100*time.Millisecond {
			t.Errorf("%+v", busy)
		}
		if err := call("b"); err != nil {
			t.Errorf("another caller: %v", err)
		}
		time.Sleep(busy.RetryAfter)
		if err := call("a"); err != nil {
			t.Errorf("after Retry-After: %v", err)
		}
		// Notifications count too.
		for range 5 {
			_, _ = q.enter(t.Context(), "b", lookup, 0)
		}
		if _, err := q.enter(t.Context(), "b", lookup, 0); err == nil {
			t.Error("a flood of notifications")
		}
		// A batch with more calls than may ever be is refused as such.
		time.Sleep(time.Minute)
		if _, err := q.enter(t.Context(), "a", lookup, 6); refusedAs(t, err).Server {
			t.Errorf("%v", err)
		}

		// Bytes are counted when they are gone: who had too many waits.
		q.spend("c", 60<<20)
		if err := call("c"); err != nil {
			t.Errorf("a minute's bytes: %v", err)
		}
		q.spend("c", 2<<20)
		busy = refusedAs(t, call("c"))
		if busy.Server || busy.RetryAfter < time.Second || busy.RetryAfter > 3*time.Second {
			t.Errorf("%+v", busy)
		}
		time.Sleep(busy.RetryAfter + time.Second)
		if err := call("c"); err != nil {
			t.Errorf("after Retry-After: %v", err)
		}
	})
}

// TestForgetsCallers: what is known of callers is not kept without end.
func TestForgetsCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(Limits{})
		for i := range 1000 {
			leave, err := q.enter(t.Context(), fmt.Sprint(i), lookup, 1)
			if err != nil {
				t.Fatal(err)
			}
			leave()
		}
		time.Sleep(forgetAfter + 2*time.Minute)
		leave, _ := q.enter(t.Context(), "one", lookup, 1)
		leave()
		if l := q.load(); l.Callers != 1 {
			t.Errorf("%d callers are known", l.Callers)
		}
	})
}

// TestLimitsHold has many callers come, wait, give up and leave at random, while
// the limits change.
func TestLimitsHold(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			limits := Limits{Calls: 4, CallsPerCaller: 2, HeavyCalls: 3, HeavyPerCaller: 2, Queue: 10, QueuePerCaller: 4, Wait: time.Second, Rate: -1}
			q := newQueue(limits)
			var running [kinds]atomic.Int64
			var served, refused atomic.Int64
			var ended sync.WaitGroup
			for caller := range 6 {
				ended.Go(func() {
					r := rand.New(rand.NewPCG(seed, uint64(caller)))
					for range 50 {
						k, n := kind(r.IntN(int(kinds))), 1+r.IntN(2)
						ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(1500))*time.Millisecond)
						leave, err := q.enter(ctx, fmt.Sprint(caller), k, n)
						cancel()
						if err != nil {
							refused.Add(1)
							time.Sleep(time.Duration(r.IntN(100)) * time.Millisecond)
							continue
						}
						served.Add(1)
						if now := running[k].Add(int64(n)); now > [...]int64{4, 3}[k] {
							t.Errorf("%d %v run", now, k)
						}
						time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond)
						running[k].Add(-int64(n))
						leave()
					}
				})
			}
			ended.Go(func() {
				for i := range 20 {
					time.Sleep(200 * time.Millisecond)
					limits.Queue = 3 + i%8
					q.set(limits)
				}
			})
			ended.Wait()
			if l := q.load(); l.Lookups != 0 || l.HeavyCalls != 0 || l.Waiting != 0 {
				t.Errorf("seed %d: at the end %+v", seed, l)
			}
			if served.Load() == 0 || refused.Load() == 0 {
				t.Errorf("seed %d: %d served, %d refused: the test tries too little", seed, served.Load(), refused.Load())
			}
		})
	}
}

// TestFetchesAreBounded: who fetches evidence without end is in nobody else's way.
func TestFetchesAreBounded(t *testing.T) {
	q := newQueue(Limits{Rate: -1})
	done := func() {}
	for range maxDownloads {
		var err error
		if done, err = q.fetch(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
	}
	_, err := q.fetch(t.Context(), "a")
	if refusedAs(t, err).Server {
		t.Errorf("a caller's own limit: %v", err)
	}
	if _, err := q.fetch(t.Context(), "b"); err != nil {
		t.Errorf("another caller: %v", err)
	}
	done()
	done()
	if _, err := q.fetch(t.Context(), "a"); err != nil {
		t.Errorf("once one has ended: %v", err)
	}
}

// TestGivenUpMakesRoom: once calls that need many places are given up, those behind
// them that need fewer run.
func TestGivenUpMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(Limits{HeavyCalls: 4, HeavyPerCaller: 4, Wait: time.Hour})
		if _, err := q.enter(t.Context(), "a", heavy, 3); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			if _, err := q.enter(ctx, "a", heavy, 2); !errors.Is(err, context.Canceled) {
				t.Errorf("given up: %v", err)
			}
		}()
		synctest.Wait()
		go func() {
			if _, err := q.enter(t.Context(), "a", heavy, 1); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		if l := q.load(); l.HeavyCalls != 4 || l.Waiting != 0 {
			t.Errorf("%+v", l)
		}
	})
}
