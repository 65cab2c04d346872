package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A row is what became of the quotes with one checker.
type row struct {
	name, version string
	right, all    map[string]int // by category
	unclear       int            // answers that say neither or both
	median        time.Duration
	placed        bool
}

// judge compares answers with what is true: a quote of the category "true" holds, every
// other fails. What is wrong goes to misses. A checker that is not told where a quote is
// said to stand cannot know that it was moved.
func judge(p *peer, quotes []quote, answers []answer, misses *bytes.Buffer) row {
	r := row{name: p.Name, right: map[string]int{}, all: map[string]int{}, placed: p.placed}
	var took []time.Duration
	for i, q := range quotes {
		took = append(took, answers[i].took)
		r.all[q.Category]++
		holds, fails := p.holds.MatchString(answers[i].text), p.fails.MatchString(answers[i].text)
		switch {
		case holds == fails:
			r.unclear++
		case holds == (q.Category == "true"):
			r.right[q.Category]++
			continue
		}
		misses.Write(encode(struct {
			Peer string `json:"peer"`
			quote
			Answer string `json:"answer"`
		}{p.Name, q, answers[i].text}))
	}
	slices.Sort(took)
	if len(took) > 0 {
		r.median = took[len(took)/2]
	}
	return r
}

// table returns rows as a table in Markdown.
func table(quotes []quote, rows []row) string {
	counts := make(map[string]int)
	for _, q := range quotes {
		counts[q.Category]++
	}
	var b strings.Builder
	b.WriteString("| checker | version |")
	for _, c := range categories {
		fmt.Fprintf(&b, " %s (%d) |", c, counts[c])
	}
	b.WriteString(" unclear | ms |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s |", r.name, r.version)
		for _, c := range categories {
			if c == "moved" && !r.placed {
				b.WriteString(" – |")
				continue
			}
			fmt.Fprintf(&b, " %.3f |", float64(r.right[c])/float64(max(r.all[c], 1)))
		}
		fmt.Fprintf(&b, " %d | %.1f |\n", r.unclear, float64(r.median.Microseconds())/1000)
	}
	return b.String()
}
