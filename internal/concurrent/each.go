package concurrent

import (
	"sync"
	"sync/atomic"
)

// Each calls f with the numbers from 0 to below n, of which at most atOnce run at the same
// time, and returns when all have. It panics if one of them has; those not begun are then
// left out.
func Each(n, atOnce int, f func(i int)) {
	var next atomic.Int64
	var failed atomic.Pointer[any]
	var running sync.WaitGroup
	for range min(n, atOnce) {
		running.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					failed.CompareAndSwap(nil, &p)
				}
			}()
			for failed.Load() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	running.Wait()
	if p := failed.Load(); p != nil {
		panic(*p)
	}
}
