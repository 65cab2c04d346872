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
