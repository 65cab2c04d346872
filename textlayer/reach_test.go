package textlayer

import "testing"

// TestReaches checks which ends of places the runs of a text show to exist.
func TestReaches(t *testing.T) {
	for _, c := range []struct {
		runs    []string
		reached []string
		not     []string
	}{
		{
			[]string{"doc://a#sheet=S&cells=A1:C1", "doc://a#sheet=S&cells=A4:B4", "doc://a#sheet=T&cells=A9:F9"},
			[]string{"doc://a", "doc://a#sheet=S", "doc://a#sheet=S&cells=A1:C4", "doc://a#sheet=S&rows=2-4", "doc://a#sheet=S&cols=A:C"},
			[]string{"doc://a#sheet=S&cells=A1:D4", "doc://a#sheet=S&cells=A1:C5", "doc://a#sheet=S&rows=2-9", "doc://a#sheet=S&cols=B:D", "doc://a#sheet=U&rows=1"},
		},
		{
			[]string{"doc://a#part=1&blocks=1-9", "doc://a#part=2&blocks=1-2"},
			[]string{"doc://a#part=2", "doc://a#part=1-2", "doc://a#part=2&blocks=1-2"},
			[]string{"doc://a#part=1-3", "doc://a#part=2&blocks=1-3"},
		},
		{
			[]string{"text://a#message=1&part=1.1&lines=1-9", "text://a#message=2&part=1.1&lines=1-4"},
			[]string{"text://a#message=2", "text://a#message=2&part=1.1&lines=2-4"},
			[]string{"text://a#message=2&part=1.1&lines=2-5", "text://a#message=2&part=1&lines=1"},
		},
		{
			[]string{"doc://a#member=x.pdf&pages=1", "doc://a#member=x.pdf&pages=2", "doc://a#member=y.pdf&pages=3"},
			[]string{"doc://a#member=x.pdf", "doc://a#member=x.pdf&pages=1-2"},
			[]string{"doc://a#member=x.pdf&pages=2-3", "text://a#member=x.pdf&lines=1"},
		},
	} {
		x := &index{}
		for i, address := range c.runs {
			loc := location(t, address)
			x.modality = loc.Modality
			x.add(run{from: int64(10 * i), to: int64(10*i + 10), loc: loc}, 10, 10)
		}
		l := &Layer{index: x}
		for _, address := range c.reached {
			if !l.Reaches(location(t, address)) {
				t.Errorf("%q do not reach %s", c.runs, address)
			}
		}
		for _, address := range c.not {
			if l.Reaches(location(t, address)) {
				t.Errorf("%q reach %s", c.runs, address)
			}
		}
	}
}
