package index

import (
	"cmp"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/terms"
	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

// Weights score texts as an index scored the entries of one [Result]. They are safe for
// concurrent use.
type Weights struct {
	groups []weights
}

// weights are those of one group.
type weights struct {
	scale  *segment.Scale
	query  *segment.Query
	factor float64 // of scores
}

// bytesOfWord is how many bytes a word has with what follows it, or a little less.
const bytesOfWord = 5

// A Weighed is a part of a text with the score that it would have as an entry.
type Weighed struct {
	Score float64
	Parts []Part
}

// headerWeight is what a word in the header of a table counts for each of its rows.
// Its rarity is that of the one passage that has the header.
const headerWeight = 0.5

// Weigh scores parts of the text of a hit, each a range of bytes, as entries with the
// title, path and summary of the hit's entry. A header is text that stands for all parts,
// such as the names of the columns of a table; it does not count for their length.
func (w *Weights) Weigh(h *Hit, header, text string, ranges [][2]int) []Weighed {
	g := w.groups[h.group]
	a, done := terms.Borrow(terms.Language(h.Language))
	defer done()
	var around []segment.Occurrence
	length, from := 0, 0
	add := func(text string, weight float64, counts int, title bool) {
		next := from
		for t := range a.All(text) {
			if from+t.Position >= next {
				length += counts
			}
			next = max(next, from+t.Position+1)
			if g.scale.Has(t.Text) {
				around = append(around, segment.Occurrence{Term: t.Text, Position: from + t.Position, Weight: weight, Title: title})
			}
		}
		from = next + pieceGap
	}
	add(h.Entry.Title, segment.TitleWeight, segment.TitleWeight, true)
	add(strings.Join(h.Entry.Path, pieceBreak), 1, 1, false)
	add(h.Entry.Summary, 1, 1, false)
	add(header, headerWeight, 0, false)
	type placed struct {
		segment.Occurrence
		start, end int
		counts     int
	}
	inside := make([]placed, 0, len(text)/bytesOfWord)
	next := 0
	for t := range a.All(text) {
		p := placed{start: t.Start, end: t.End}
		if t.Position >= next {
			p.counts, next = 1, t.Position+1
		}
		if g.scale.Has(t.Text) {
			p.Occurrence = segment.Occurrence{Term: t.Text, Position: from + t.Position, Weight: 1}
		}
		inside = append(inside, p)
	}
	weighed := make([]Weighed, len(ranges))
	for i, r := range ranges {
		occurrences, size := around[:len(around):len(around)], length
		first, _ := slices.BinarySearchFunc(inside, r[0], func(p placed, at int) int { return cmp.Compare(p.start, at) })
		for _, p := range inside[first:] {
			if p.start >= r[1] {
				break
			}
			if p.end > r[1] {
				continue
			}
			if size += p.counts; p.Term != "" {
				occurrences = append(occurrences, p.Occurrence)
			}
		}
		score, parts := g.scale.Score(occurrences, size)
		weighed[i] = Weighed{Score: score * g.factor, Parts: partsOf(parts, g.query, g.factor)}
	}
	return weighed
}
