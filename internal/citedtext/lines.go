package citedtext

import (
	"iter"
	"strings"
)

// lines yields the lines of a text with their line ends, and whether each is a
// fence of Markdown or in a fenced block of code. It takes linear time.
func lines(text string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		var f fences
		for line := range strings.Lines(text) {
			if !yield(line, f.next(line)) {
				return
			}
		}
	}
}
