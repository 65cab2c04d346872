package message

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/plain"
)

const (
	maxWord     = 100       // bytes of a word that are compared
	maxEdits    = 20        // between similar words
	maxCompared = 5_000_000 // pairs of bytes compared in one search, some milliseconds
)

// Closest returns at most n of the known words: those most similar to wanted,
// best first and then in byte order. A word is similar if its [Distance] is at
// most a third of the bytes of wanted, or 20 if that is less, or least if that
// is more. A word that contains wanted, if that has three bytes or more, is
// treated as one edit away. Case is ignored. Known words of more than 100 bytes
// are skipped, and so is the end of a very long list.
func Closest(wanted string, known iter.Seq[string], n, least int) []string {
	type candidate struct {
		word  string
		edits int
	}
	most := max(least, min(len(wanted)/3, maxEdits))
	wanted = strings.ToLower(plain.Cut(wanted, maxWord))
	var found []candidate
	var c counter
	compared := 0
	for word := range known {
		if compared += len(wanted)*len(word) + 1; compared > maxCompared {
			break
		}
		if len(word) > maxWord {
			continue
		}
		lower := strings.ToLower(word)
		edits := c.distance(wanted, lower, most)
		if len(wanted) > 2 && strings.Contains(lower, wanted) {
			edits = min(edits, 1)
		}
		if edits <= most {
			found = append(found, candidate{word, edits})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(a.edits-b.edits, strings.Compare(a.word, b.word))
	})
	closest := make([]string, 0, n)
	for _, c := range found[:min(len(found), n)] {
		closest = append(closest, c.word)
	}
	return closest
}

// Nearest returns the one of some names that a wrong one looks like most, whatever
// its style of compound words, or "".
func Nearest(wrong string, names []string) string {
	plain := func(name string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(name))
	}
	for _, name := range names {
		if plain(name) == plain(wrong) {
			return name
		}
	}
	for _, near := range Closest(wrong, slices.Values(names), 1, 2) {
		return near
	}
	for _, name := range names {
		if len(name) > 3 && strings.HasPrefix(plain(wrong), plain(name)) {
			return name
		}
	}
	return ""
}

// Distance returns how many bytes must be inserted, removed, replaced or
// swapped with the next one to make a into b, each byte once at most (the
// optimal string alignment distance), or most+1 if that is more than most. It
// takes time in proportion to the product of the lengths.
func Distance(a, b string, most int) int { return new(counter).distance(a, b, most) }

// A counter holds the rows of the table of [Distance]: the current row and the
// two rows before it.
type counter struct{ row, before, second []int }

func (c *counter) distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	if len(c.row) <= len(b) {
		c.row, c.before, c.second = make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	}
	for j := range len(b) + 1 {
		c.row[j] = j
	}
	for i := range len(a) {
		c.row, c.before, c.second = c.second, c.row, c.before
		c.row[0] = i + 1
		least := i + 1
		for j := range len(b) {
			edits := c.before[j]
			if a[i] != b[j] {
				edits = 1 + min(c.before[j], c.before[j+1], c.row[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				edits = min(edits, 1+c.second[j-1])
			}
			c.row[j+1] = edits
			least = min(least, edits)
		}
		if least > most+1 { // the next row may be one less, because of swaps
			return most + 1
		}
	}
	return min(c.row[len(b)], most+1)
}
