package citekit

import (
	"iter"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/suggest"
)

const maxClose = 3 // ids suggested

// closeIDs returns the ids most like a misspelled one, best first.
func closeIDs(wanted string, ids iter.Seq[string]) []string {
	shown := func(yield func(string) bool) {
		for id := range ids {
			if message.IsPlain(id) && !yield(id) {
				return
			}
		}
	}
	return suggest.Closest(wanted, shown, maxClose, 2)
}
