package concurrent

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestAcquire(t *testing.T) {
	places := make(chan struct{}, 2)
	for range 2 {
		if err := Acquire(t.Context(), places); err != nil {
			t.Fatal(err)
		}
	}
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := Acquire(short, places); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a third place: %v", err)
	}
	<-places
	for range 100 { // a select that may go on would do so half of the time
		if err := Acquire(short, places); err == nil {
			t.Fatal("a place for a context that has ended")
		}
	}
	if len(places) != 1 {
		t.Errorf("%d places are taken, want 1", len(places))
	}
}
