package transport

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestAnswersOfOthers: who holds all the memory by answers that nobody reads loses the
// first for another at once, and waits for room of its own.
func TestAnswersOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newLongAnswers(noTools{})
		keep := func(holder string) time.Duration {
			begun := time.Now()
			if _, err := a.keep(t.Context(), holder, &longBody{rest: make([]byte, answerMemory/4)}); err != nil {
				t.Fatal(err)
			}
			return time.Since(begun)
		}
		for range 4 {
			keep("greedy")
			time.Sleep(time.Millisecond)
		}
		if waited := keep("calm"); waited > 0 || a.byKey["1"] != nil || len(a.byKey) != 4 {
			t.Errorf("another waited %v; %d answers are held", waited, len(a.byKey))
		}
		if waited := keep("greedy"); waited < stalled/2 || a.byKey["2"] != nil || a.byKey["5"] == nil {
			t.Errorf("the greedy one waited %v", waited)
		}
		for key := range a.byKey {
			a.done(key)
		}
		if a.memory.Taken() != 0 || a.memory.Holders() != 0 {
			t.Errorf("left: %d bytes of %d", a.memory.Taken(), a.memory.Holders())
		}
	})
}

// TestTurns: one that takes all that it can leaves a share to another, and shares go
// to who waits.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(4)
		var leave []func()
		begin := func(ctx context.Context, holder string) {
			go func() {
				if done, err := turns.take(ctx, holder); err == nil {
					leave = append(leave, done)
				}
			}()
			synctest.Wait()
		}
		ctx, giveUp := context.WithCancel(t.Context())
		for range 3 {
			begin(t.Context(), "greedy")
		}
		begin(ctx, "greedy")
		if len(leave) != 2 {
			t.Fatalf("one holder has %d of 4", len(leave))
		}
		if begin(t.Context(), "calm"); len(leave) != 3 {
			t.Fatal("another waits")
		}
		giveUp()
		synctest.Wait()
		if len(turns.waiting) != 1 {
			t.Errorf("%d wait", len(turns.waiting))
		}
		for i := 0; i < len(leave); i++ {
			leave[i]()
			synctest.Wait()
		}
		if len(leave) != 4 || turns.shares.Taken() != 0 || len(turns.waiting) != 0 {
			t.Errorf("%d had a share; left: %d, %d wait", len(leave), turns.shares.Taken(), len(turns.waiting))
		}
	})
}
