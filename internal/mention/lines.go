package mention

import (
	"iter"
	"strings"
)

// Lines yields the lines of a text with their line ends, and whether each is a
// fence of Markdown or in a fenced block of code. It takes linear time.
func Lines(text string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		var f fences
		for line := range strings.Lines(text) {
			if !yield(line, f.next(line)) {
				return
			}
		}
	}
}
