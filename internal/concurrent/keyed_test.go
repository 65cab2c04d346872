package concurrent

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

func TestKeyed(t *testing.T) {
	s := Keyed[string]{Places: 1}
	release, err := s.Acquire(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := s.Acquire(short, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second place of one key: %v", err)
	}
	if _, err := s.Acquire(t.Context(), "b"); err != nil {
		t.Errorf("another key: %v", err)
	}
	release()
	release() // the place of nobody else
	if _, err := s.Acquire(t.Context(), "a"); err != nil {
		t.Errorf("a place that was given back: %v", err)
	}
	if _, err := s.Acquire(short, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("given back twice, there are two places: %v", err)
	}
}

// TestKeyedMany is for the race detector.
func TestKeyedMany(t *testing.T) {
	s := Keyed[int]{Places: 2}
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			release, err := s.Acquire(t.Context(), i%3)
			if err != nil {
				t.Error(err)
				return
			}
			release()
		})
	}
	group.Wait()
}
