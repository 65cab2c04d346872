package contents

import (
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/sentence"
)

// worthCutting is the smallest number of tokens that a cut passage may have.
const worthCutting = 40

// part returns the sentences or lines of a passage around the match, as many as
// fit, or nil if that is too little.
func (g *gatherer) part(c *candidate) *passageRun {
	empty := &passageRun{first: c, address: c.Address}
	room := g.room - plain.CountTokens(render(append(slices.Clip(g.pieces), empty))) - addressRoom
	if room < worthCutting {
		return nil
	}
	text := c.Passage.Text
	from, to := window(text, anchor(c), room)
	if from >= to {
		return nil
	}
	return &passageRun{first: c, from: c.Passage.From + int64(from), to: c.Passage.From + int64(to), text: text[from:to]}
}

// addressRoom is how many more tokens the address of a part may have than that
// of the whole passage.
const addressRoom = 12

// anchor returns the position of the match in a passage.
func anchor(c *candidate) int {
	shown := strings.Trim(c.Snippet, "…")
	return max(0, strings.Index(c.Passage.Text, shown)) + len(shown)/2
}

// window returns the sentences and lines around an offset of a text that fit
// into room tokens together. It prefers later ones to earlier ones. If not even
// one fits, it returns nothing.
func window(text string, at, room int) (from, to int) {
	ends := slices.Collect(sentence.Ends(text))
	i, _ := slices.BinarySearch(ends, at+1)
	i = min(i, len(ends)-1)
	start := func(i int) int {
		if i <= 0 {
			return 0
		}
		return ends[i-1]
	}
	if i < 0 {
		return 0, 0
	}
	first, last := i, i
	fits := func(first, last int) bool {
		return first >= 0 && last < len(ends) && plain.CountTokens(text[start(first):ends[last]]) <= room
	}
	if !fits(first, last) {
		return 0, 0
	}
	for {
		switch {
		case fits(first, last+1):
			last++
		case fits(first-1, last):
			first--
		default:
			return start(first), ends[last]
		}
	}
}
