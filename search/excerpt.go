package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit/search/internal/index"
)

const (
	// excerptHits is how many of the best hits are looked at for excerpts.
	excerptHits = 30

	// excerptBytes is how many bytes an excerpt has at least, and excerptStep how far
	// apart two begin at least.
	excerptBytes = 600
	excerptStep  = excerptBytes / 3

	// excerptShare is the share of the score of a passage that its best excerpt has.
	excerptShare = 0.5
)

// excerpt gives a hit the mean of its score and that of its best excerpt, as if this was
// an entry of the index: words that answer stand together, while a passage may have the
// words of a query here and there by chance. A short passage is its own excerpt. Words
// that expand a query are of its subject, and may be anywhere: excerpts do not count then.
func excerpt(weights *index.Weights, h *index.Hit, text string, explain bool) {
	ranges := [][2]int{{0, len(text)}}
	if len(text) > mostShown {
		ranges = append(ranges, excerpts(text)...)
	}
	if len(ranges) < 3 {
		return
	}
	all := weights.Weigh(h, "", text, ranges)
	whole, best := all[0], all[1]
	for _, of := range all[2:] {
		if of.Score > best.Score {
			best = of
		}
	}
	h.Score += excerptShare * (best.Score - whole.Score)
	if explain {
		raised := h.Parts[min(len(h.Parts), len(whole.Parts)):] // what it has beside its words stays
		h.Parts = append(mixed(whole.Parts, best.Parts), raised...)
	}
}

// mixed returns the parts of the score of a passage and of its best excerpt with their
// shares. The passage has all words of the excerpt.
func mixed(whole, best []index.Part) []index.Part {
	parts := slices.Clone(whole)
	for i := range parts {
		p := &parts[i]
		p.Score *= 1 - excerptShare
		for _, b := range best {
			if b.Term == p.Term && b.Next == p.Next {
				p.Score += excerptShare * b.Score
				break
			}
		}
	}
	return parts
}

// excerpts returns ranges of a text, in bytes, that overlap. Each begins and ends with a
// line or a sentence.
func excerpts(text string) (ranges [][2]int) {
	starts := []int{0}
	for at := 0; at < len(text); {
		i := strings.IndexAny(text[at:], "\n.?!。？！")
		if i < 0 {
			break
		}
		r, size := utf8.DecodeRuneInString(text[at+i:])
		at += i + size
		if at < len(text) && (r == '\n' || r >= utf8.RuneSelf || text[at] == ' ') {
			starts = append(starts, at)
		}
	}
	starts = append(starts, len(text))
	last, end := -excerptStep, 0
	for i, from := range starts {
		if from-last < excerptStep {
			continue
		}
		for end = max(end, i); end < len(starts)-1 && starts[end]-from < excerptBytes; end++ {
		}
		ranges, last = append(ranges, [2]int{from, starts[end]}), from
		if starts[end] == len(text) {
			break
		}
	}
	return ranges
}
