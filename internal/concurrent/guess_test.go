package concurrent_test

import (
	"context"
	"testing"

	"github.com/citekit/citekit/internal/concurrent"
)

func TestGuess(t *testing.T) {
	for _, right := range []bool{true, false} {
		working, ended := make(chan struct{}), false
		got := concurrent.Guess(t.Context(), func() bool { <-working; return right }, func(ctx context.Context) {
			close(working)
			if !right {
				<-ctx.Done()
			}
			ended = true
		})
		if got != right || !ended {
			t.Errorf("Guess = %v, want %v, after work has ended: %v", got, right, ended)
		}
	}
}

func TestPut(t *testing.T) {
	c := concurrent.Cache[int]{MaxCost: 2}
	for i, key := range []string{"a", "a", "b", "a", "c"} {
		c.Put(key, i)
	}
	for key, want := range map[string]int{"a": 3, "b": 0, "c": 4} {
		if v, ok := c.Peek(key); v != want || ok != (want > 0) {
			t.Errorf("%s: %d, %v, want %d", key, v, ok, want)
		}
	}
}
