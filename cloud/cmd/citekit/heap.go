package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// spareHeap is by how many bytes at least the heap of a worker grows before it is
// collected. Most of what mapping allocates is short-lived, and a small heap would be
// collected all the time.
const spareHeap = 64 << 20

// A collection is garbage at once, so that its finalizer runs after each collection.
type collection struct{ _ *byte }

// spareTheHeap lets the heap grow by spareHeap, unless GOGC says how much it may.
func spareTheHeap() {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	set := 0
	var adjust func(*collection)
	adjust = func(c *collection) {
		metrics.Read(live)
		if live[0].Value.Kind() != metrics.KindUint64 {
			return
		}
		if p := percentFor(live[0].Value.Uint64()); p < set*3/4 || p > set*4/3 {
			debug.SetGCPercent(p)
			set = p
		}
		runtime.SetFinalizer(c, adjust)
	}
	adjust(new(collection))
}

// percentFor returns what debug.SetGCPercent is told while so many bytes are live: 100, as
// is the default, or more.
func percentFor(live uint64) int {
	return int(max(100, 100*spareHeap/max(live, spareHeap/20)))
}
