package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// A table gathers rows and prints them as Markdown.
type table struct{ rows []row }

type row struct {
	job          string
	ours, theirs string
	peer         string
	ratio, goal  string
}

// compare adds a row of two durations; goal is what was aimed at.
func (t *table) compare(job string, ours time.Duration, peer string, theirs time.Duration, goal string) {
	t.rows = append(t.rows, row{
		job: job, ours: format(ours), peer: peer, theirs: format(theirs),
		ratio: ratio(float64(theirs), float64(ours)), goal: goal,
	})
}

// compareSize adds a row of two numbers of bytes.
func (t *table) compareSize(job string, ours int64, peer string, theirs int64, goal string) {
	r := row{job: job, ours: megabytes(ours), peer: peer, goal: goal}
	if theirs > 0 {
		r.theirs, r.ratio = megabytes(theirs), ratio(float64(theirs), float64(ours))
	}
	t.rows = append(t.rows, r)
}

// alone adds a row without a peer.
func (t *table) alone(job string, ours time.Duration, goal string) {
	t.rows = append(t.rows, row{job: job, ours: format(ours), goal: goal})
}

// ratio says how many times as much theirs is as ours.
func ratio(theirs, ours float64) string { return fmt.Sprintf("%.2f×", theirs/ours) }

func (t *table) print(w io.Writer) {
	fmt.Fprintln(w, "| job | citekit | beside it | | theirs ÷ ours | goal |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	for _, r := range t.rows {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", r.job, r.ours, r.peer, r.theirs, r.ratio, r.goal)
	}
}

func format(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.1f µs", float64(d)/1e3)
}

func megabytes(n int64) string { return fmt.Sprintf("%.0f MB", float64(n)/1e6) }

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
