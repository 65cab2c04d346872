package citekit

import (
	"iter"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/message"
)

const (
	maxClose    = 3         // ids suggested
	maxCompared = 5_000_000 // pairs of bytes looked at, some milliseconds
)

// closeIDs returns the ids most like a misspelled one, best first.
func closeIDs(wanted string, ids iter.Seq[string]) []string {
	type candidate struct {
		id       string
		distance int
	}
	var found []candidate
	folded := strings.ToLower(message.Clip(wanted))
	most := max(2, len(folded)/3)
	compared := 0
	for id := range ids {
		if compared += len(folded)*len(id) + 1; compared > maxCompared {
			break
		}
		if !message.IsPlain(id) || len(id) > maxStem*2 {
			continue
		}
		d := distance(folded, strings.ToLower(id), most)
		if d <= most {
			found = append(found, candidate{id, d})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.id, b.id)
	})
	suggestions := make([]string, 0, maxClose)
	for _, c := range found[:min(len(found), maxClose)] {
		suggestions = append(suggestions, c.id)
	}
	return suggestions
}

// distance returns the number of byte edits between a and b, or more than most
// as soon as it must be. One string being part of the other counts as near.
func distance(a, b string, most int) int {
	if len(a) > 2 && strings.Contains(b, a) {
		return 1
	}
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal, best := row[0], i+1
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
			best = min(best, cost)
		}
		if best > most {
			return most + 1
		}
	}
	return row[len(b)]
}
