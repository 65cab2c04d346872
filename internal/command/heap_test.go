package command

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// After the first collection all is as usual, and what somebody else says stays.
func TestDelayCollection(t *testing.T) {
	before := debug.SetGCPercent(usualPercent)
	defer debug.SetGCPercent(before)
	now := func() int {
		percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(percent)
		return int(percent[0].Value.Uint64())
	}
	delayCollection()
	if is := now(); is != firstPercent {
		t.Fatalf("at first %d", is)
	}
	for i := 0; now() == firstPercent; i++ { // a cleanup runs some time after
		if i == 1_000_000 {
			t.Fatal("no collection makes it as usual")
		}
		runtime.GC()
		runtime.Gosched()
	}
	if is := now(); is != usualPercent {
		t.Errorf("after a collection %d", is)
	}
	debug.SetGCPercent(70)
	if delayCollection(); now() != 70 {
		t.Errorf("70 became %d", now())
	}
}
