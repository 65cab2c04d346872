package mention

import (
	"iter"
	"strings"
)

// Lines yields the lines of a text with their ends, and whether each is in a
// fenced block of code, as in Markdown, or a fence. It takes linear time.
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
