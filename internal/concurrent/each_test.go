package concurrent

import (
	"sync/atomic"
	"testing"
)

func TestEach(t *testing.T) {
	const n, atOnce = 100, 4
	var calls [n]atomic.Int32
	var running, most atomic.Int32
	Each(n, atOnce, func(i int) {
		for now := running.Add(1); ; {
			if m := most.Load(); now <= m || most.CompareAndSwap(m, now) {
				break
			}
		}
		calls[i].Add(1)
		running.Add(-1)
	})
	for i := range calls {
		if calls[i].Load() != 1 {
			t.Errorf("%d was called %d times", i, calls[i].Load())
		}
	}
	if most.Load() > atOnce {
		t.Errorf("%d ran at once", most.Load())
	}
	Each(0, atOnce, func(int) { t.Error("called for nothing") })
}

func TestEachPanics(t *testing.T) {
	defer func() {
		if p := recover(); p != "three" {
			t.Errorf("panicked with %v", p)
		}
	}()
	Each(10, 3, func(i int) {
		if i == 3 {
			panic("three")
		}
	})
	t.Error("returned")
}
