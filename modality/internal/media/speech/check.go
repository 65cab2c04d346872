package speech

import (
	"cmp"
	"math"
	"slices"
)

const (
	// slack is how many seconds a time may lie outside what was given, as times are
	// rounded, and as whisper pads the sound; it is then moved inside.
	slack = 1.

	// shortest is how many seconds a cue has at least.
	shortest = .02
)

// Reasons why a cue is left out, or changed.
const (
	withoutTimes = "without times"
	backwards    = "ends before it starts"
	outside      = "outside the sound"
	wordTimes    = "times of words dropped"
)

// check returns the cues that can be of a sound of so many seconds, by time. It counts
// those that it leaves out.
func check(cues []Cue, length float64, refused map[string]int) []Cue {
	var kept []Cue
	for _, c := range cues {
		switch {
		case c.Text == "":
			continue
		case !finite(c.Start, c.End):
			refused[withoutTimes]++
			continue
		case c.End < c.Start:
			refused[backwards]++
			continue
		case c.Start < -slack, c.Start >= length, c.End <= 0 && c.Start < 0:
			refused[outside]++
			continue
		}
		c.Start = min(max(c.Start, 0), max(length-shortest, 0))
		c.End = min(max(c.End, c.Start+shortest), length)
		if !c.placeWords() {
			refused[wordTimes]++
			c.Words = nil
		}
		kept = append(kept, c)
	}
	slices.SortStableFunc(kept, func(a, b Cue) int { return cmp.Compare(a.Start, b.Start) })
	return kept
}

// placeWords moves the words of a cue inside it, and reports whether their times can be
// right.
func (c *Cue) placeWords() bool {
	last := c.Start
	c.Words = slices.Clone(c.Words)
	for i := range c.Words {
		w := &c.Words[i]
		if !finite(w.Start, w.End) || w.End < w.Start || w.Start < last-slack || w.End > c.End+slack {
			return false
		}
		w.Start = min(max(w.Start, last), c.End)
		w.End = min(max(w.End, w.Start), c.End)
		last = w.Start
	}
	return true
}

func finite(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
