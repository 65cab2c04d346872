package message

import "testing"

func TestCount(t *testing.T) {
	for _, test := range []struct {
		n     int
		thing string
		want  string
	}{
		{0, "fault", "0 faults"}, {1, "fault", "1 fault"}, {2, "fault", "2 faults"},
		{1, "entry", "1 entry"}, {3, "entry", "3 entries"}, {2, "day", "2 days"},
	} {
		if got := Count(test.n, test.thing); got != test.want {
			t.Errorf("%d %s: %q; want %q", test.n, test.thing, got, test.want)
		}
	}
}

func TestHolding(t *testing.T) {
	for want, n := range map[string][2]int{
		"1 of 1 citation holds": {1, 1}, "0 of 1 citation holds": {0, 1}, "1 of 2 citations holds": {1, 2},
		"2 of 2 citations hold": {2, 2}, "0 of 3 citations hold": {0, 3}, "0 of 0 citations hold": {0, 0},
	} {
		if got := Holding(n[0], n[1], "citation"); got != want {
			t.Errorf("%d of %d: %q; want %q", n[0], n[1], got, want)
		}
	}
}
