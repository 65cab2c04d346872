package mcpcall

import "testing"

// TestShares: whatever some hold, there is a part left for one more.
func TestShares(t *testing.T) {
	for part, wants := range map[int64][]int{1: {50, 25, 13, 6, 3}, 3: {25, 19, 14, 10, 8}} {
		s := NewShares(100, part)
		for i, want := range wants {
			holder, n := string(rune('a'+i)), 0
			for ; s.Fits(holder, 1); n++ {
				s.Take(holder, 1)
			}
			if n != want {
				t.Errorf("part %d: holder %d has %d; want %d", part, i, n, want)
			}
		}
		for i := range wants {
			holder := string(rune('a' + i))
			s.Take(holder, -s.held[holder])
		}
		if s.Taken() != 0 || s.Free() != 100 || s.Holders() != 0 || len(s.held) != 0 {
			t.Errorf("left: %d of %v", s.taken, s.held)
		}
	}
	for _, part := range []int64{1, 3} {
		if s := NewShares(1, part); !s.Fits("one", 1) {
			t.Errorf("part %d: nobody has the only one", part)
		}
	}
}
