package quotation

import (
	"strings"

	"github.com/citekit/citekit/internal/lineform"
)

// doubledQuotes returns the first of each two quotation marks that stand for one in a
// quoted field of comma-separated values.
func doubledQuotes(text string, delimiter byte) (parts []part) {
	if !strings.Contains(text, `""`) {
		return nil
	}
	state, from := lineform.FieldStart, 0 // from is where the quoted field begins
	for i := range len(text) {
		before := state
		if text[i] == '\n' && before != lineform.InQuotes {
			state = lineform.FieldStart
			continue
		}
		state = state.After(text[i], delimiter)
		switch {
		case state != lineform.InQuotes:
		case before == lineform.AfterQuote:
			parts = append(parts, part{i - 1, i})
		case before != lineform.InQuotes:
			from = i
		case i-from > lineform.MaxQuoted: // it was never closed
			state = lineform.InField
		}
	}
	return parts
}
