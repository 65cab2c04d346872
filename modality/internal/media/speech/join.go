package speech

import (
	"slices"
	"strings"
	"unicode"
)

const (
	// sharedTime is how many seconds around a cut are searched for words that both
	// pieces have: the overlap on either side, and what times may be wrong by.
	sharedTime = 3.

	// apart is how many seconds the times of a word may differ between two pieces.
	apart = 1.5

	// mostShared is how many words of each piece are compared.
	mostShared = 100
)

// A token is a word of a cue, with a time that may be estimated.
type token struct {
	cue, n     int // which word of which cue
	start, end float64
	text       string // folded
}

func (t token) middle() float64 { return (t.start + t.end) / 2 }

// tokens returns the words of a cue: those with times, or those of its text at times in
// proportion to its letters.
func (c Cue) tokens(cue int) []token {
	var all []token
	for i, w := range c.Words {
		all = append(all, token{cue, i, w.Start, w.End, folded(w.Text)})
	}
	if len(all) > 0 {
		return all
	}
	words, at := strings.Fields(c.Text), 0
	for i, w := range words {
		share := func(n int) float64 { return c.Start + (c.End-c.Start)*float64(n)/float64(len(c.Text)) }
		all = append(all, token{cue, i, share(at), share(at + len(w)), folded(w)})
		at += len(w) + 1
	}
	return all
}

// folded returns the letters and digits of a word.
func folded(word string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, word))
}

// join adds the cues of a piece to those before it. Both have what is said around the
// cut: the words that both have are taken once, and if there are none, each gives its
// own side of the cut.
func join(before, after []Cue, cut float64) []Cue {
	var left, right []token
	first := len(before)
	for first > 0 && before[first-1].End > cut-sharedTime {
		first--
	}
	for i := first; i < len(before); i++ {
		left = append(left, before[i].tokens(i)...)
	}
	last := 0
	for last < len(after) && after[last].Start < cut+sharedTime {
		right = append(right, after[last].tokens(last)...)
		last++
	}
	if len(before) == 0 {
		return after
	}
	keep, skip := splice(near(left, cut), near(right, cut), cut)
	joined := slices.Clone(before[:first])
	for i := first; i < len(before); i++ {
		if c, ok := before[i].part(i, left, keep); ok {
			joined = append(joined, c)
		}
	}
	for i, c := range after {
		if i < last {
			var ok bool
			if c, ok = c.part(i, right, skip); !ok {
				continue
			}
		}
		joined = append(joined, c)
	}
	return joined
}

// near returns the tokens within reach of a cut.
func near(all []token, cut float64) []token {
	all = slices.DeleteFunc(slices.Clone(all), func(t token) bool { return t.end < cut-sharedTime || t.start > cut+sharedTime })
	if over := len(all) - mostShared; over > 0 && len(all) > 0 { // nobody says so much: the nearest
		slices.SortStableFunc(all, func(a, b token) int { return compareDistance(a, b, cut) })
		all = all[:mostShared]
		slices.SortStableFunc(all, func(a, b token) int {
			if a.cue != b.cue {
				return a.cue - b.cue
			}
			return a.n - b.n
		})
	}
	return all
}

func compareDistance(a, b token, cut float64) int {
	x, y := max(a.middle()-cut, cut-a.middle()), max(b.middle()-cut, cut-b.middle())
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// splice returns which tokens of the left and of the right are kept.
func splice(left, right []token, cut float64) (keep, skip func(token) bool) {
	length, li, ri := 0, 0, 0
	for i := range left {
		for k := range right {
			n := 0
			for i+n < len(left) && k+n < len(right) && same(left[i+n], right[k+n]) {
				n++
			}
			closer := n > 0 && n == length && compareDistance(left[i+n/2], left[li+length/2], cut) < 0
			if n > length || closer {
				length, li, ri = n, i, k
			}
		}
	}
	if length == 0 {
		return func(t token) bool { return t.middle() < cut }, func(t token) bool { return t.middle() >= cut }
	}
	a, b := left[li+length/2], right[ri+length/2]
	return func(t token) bool { return t.cue < a.cue || t.cue == a.cue && t.n <= a.n },
		func(t token) bool { return t.cue > b.cue || t.cue == b.cue && t.n > b.n }
}

func same(a, b token) bool {
	return a.text != "" && a.text == b.text && max(a.start-b.start, b.start-a.start) < apart
}

// part returns the part of the cue with a number whose tokens are kept, and whether there
// are any.
func (c Cue) part(number int, all []token, keep func(token) bool) (Cue, bool) {
	var kept []token
	own := 0
	for _, t := range all {
		if t.cue != number {
			continue
		}
		if own++; keep(t) {
			kept = append(kept, t)
		}
	}
	switch {
	case len(kept) == own && own > 0:
		return c, true
	case len(kept) == 0:
		return c, false
	}
	words, texts := c.Words, strings.Fields(c.Text)
	c.Words = nil
	var text []string
	for _, t := range kept {
		if len(words) > 0 {
			c.Words = append(c.Words, words[t.n])
			text = append(text, words[t.n].Text)
		} else {
			text = append(text, texts[t.n])
		}
	}
	c.Text = strings.Join(text, " ")
	c.Start, c.End = millis(max(c.Start, kept[0].start)), millis(min(c.End, kept[len(kept)-1].end))
	return c, c.Start < c.End
}

const (
	mostTime = 12. // seconds of a cue, if its words have times
	fewWords = 4   // that stay together
)

// split divides a long cue at its longest pauses, if its words have times.
func (c Cue) split() []Cue {
	if c.End-c.Start <= mostTime || len(c.Words) < 2*fewWords {
		return []Cue{c}
	}
	at, longest := 0, -1.
	for i := fewWords; i <= len(c.Words)-fewWords; i++ {
		// Of pauses as long, that in the middle.
		pause := c.Words[i].Start - c.Words[i-1].End + float64(min(i, len(c.Words)-i))/1e6
		if pause > longest {
			at, longest = i, pause
		}
	}
	return append(c.of(c.Words[:at]).split(), c.of(c.Words[at:]).split()...)
}

// of returns a cue of some of the words.
func (c Cue) of(words []Word) Cue {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	last := words[len(words)-1]
	return Cue{Start: words[0].Start, End: max(last.End, words[0].Start+.001), Text: strings.Join(texts, " "), Speaker: c.Speaker, Words: words}
}
