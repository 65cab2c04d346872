package main

import "testing"

func TestPercentFor(t *testing.T) {
	for live, want := range map[uint64]int{0: 2000, 16 << 20: 400, spareHeap: 100, 10 << 30: 100} {
		if got := percentFor(live); got != want {
			t.Errorf("%d bytes are live: %d, want %d", live, got, want)
		}
	}
}
