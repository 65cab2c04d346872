package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// A table is what was measured of a format.
type table struct {
	format      string
	files, read int
	nodes       int
	cuts, good  int // good: open, with the text of the address
	opened      int // by a second reader
	tried       int
	office      int // cuts given to LibreOffice
	officeGood  int
	cells       int // of the second reader
	sameCells   int
	slides      int
	same        int // files with the contents or parts of the second reader
	times       []time.Duration
	cutTimes    []time.Duration
	reasons     map[string]int // why files were not read
	counts      map[string]int // what was found
	scores      map[string][]float64
}

func (t *table) score(name string, v float64) {
	if t.scores == nil {
		t.scores = make(map[string][]float64)
	}
	t.scores[name] = append(t.scores[name], v)
}

func (t *table) print(w io.Writer) {
	fmt.Fprintf(w, "%s: read %d of %d", t.format, t.read, t.files)
	for _, why := range slices.Sorted(maps.Keys(t.reasons)) {
		fmt.Fprintf(w, ", %d %s", t.reasons[why], why)
	}
	median, worst := middle(t.times)
	fmt.Fprintf(w, "; %.1f / %.0f ms; %d nodes\n", median, worst, t.nodes)
	median, worst = middle(t.cutTimes)
	fmt.Fprintf(w, "  cuts: %d of %d open and have the text of the address; %.1f / %.0f ms", t.good, t.cuts, median, worst)
	if t.tried > 0 {
		fmt.Fprintf(w, "; %d of %d open elsewhere", t.opened, t.tried)
	}
	if t.office > 0 {
		fmt.Fprintf(w, "; %d of %d open in LibreOffice", t.officeGood, t.office)
	}
	fmt.Fprintln(w)
	if t.cells+t.slides+t.same > 0 {
		fmt.Fprintf(w, "  compared: %d of %d cells equal; %d slides; %d files have the same contents or parts\n", t.sameCells, t.cells, t.slides, t.same)
	}
	for _, name := range slices.Sorted(maps.Keys(t.scores)) {
		s := slices.Sorted(slices.Values(t.scores[name]))
		good, sum := 0, 0.0
		for _, v := range s {
			sum += v
			if v >= .99 {
				good++
			}
		}
		fmt.Fprintf(w, "  %s: mean %.4f, median %.4f, worst %.3f; %d of %d at least .99\n", name, sum/float64(len(s)), s[len(s)/2], s[0], good, len(s))
	}
	for _, name := range slices.Sorted(maps.Keys(t.counts)) {
		fmt.Fprintf(w, "  %d × %s\n", t.counts[name], name)
	}
}

// middle returns the median and the worst in milliseconds.
func middle(times []time.Duration) (median, worst float64) {
	if len(times) == 0 {
		return 0, 0
	}
	sorted := slices.Sorted(slices.Values(times))
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return ms(sorted[len(sorted)/2]), ms(sorted[len(sorted)-1])
}
