package sentence

import (
	"iter"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// Ends yields the offsets in a text where sentences and lines end, in ascending
// order; the last is the length of the text. White space belongs to the
// sentence or line before it. A full stop that more likely ends an abbreviation
// does not end a sentence.
func Ends(text string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for tokens := sentences.FromString(text); tokens.Next(); {
			end := tokens.End()
			if end < len(text) && text[end-1] != '\n' && endsInAbbreviation(near(text[:end])) {
				continue
			}
			if !yield(end) {
				return
			}
		}
	}
}

// near returns the end of a text, which includes its last word.
func near(text string) string {
	const word = 40 // bytes
	return text[max(0, len(text)-word):]
}
