package index

import (
	"cmp"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/segment"
	"github.com/citekit/citekit/internal/terms"
)

// Weights score texts as an index scored the entries of one [Result]. They are not safe
// for concurrent use.
type Weights struct {
	of map[string]*weighing // by language
}

// A weighing is how the entries of a language are scored.
type weighing struct {
	*compiler
	*segment.Scale
	*terms.Analyzer
}

func newWeights() *Weights { return &Weights{of: make(map[string]*weighing)} }

// add adds how the entries of a group are scored; nil if it has no hits.
func (w *Weights) add(c *compiler, scale *segment.Scale) {
	for _, l := range c.group.languages {
		if w.of[string(l)] == nil && scale != nil {
			w.of[string(l)] = &weighing{c, scale, terms.New(l)}
		}
	}
}

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
	weighed, in := make([]Weighed, len(ranges)), w.of[h.Language]
	if in == nil { // it is of another result
		return weighed
	}
	var around []segment.Occurrence
	length, from := 0, 0
	add := func(text string, weight float64, counts int, title bool) {
		next := from
		for t := range in.Terms(text) {
			next = from + t.Position + 1
			length += counts
			if in.Has(t.Text) {
				around = append(around, segment.Occurrence{Term: t.Text, Position: next - 1, Weight: weight, Title: title})
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
	}
	var inside []placed
	for t := range in.Terms(text) {
		p := placed{start: t.Start, end: t.End}
		if in.Has(t.Text) {
			p.Occurrence = segment.Occurrence{Term: t.Text, Position: from + t.Position, Weight: 1}
		}
		inside = append(inside, p)
	}
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
			if size++; p.Term != "" {
				occurrences = append(occurrences, p.Occurrence)
			}
		}
		score, parts := in.Score(occurrences, size)
		weighed[i] = Weighed{Score: score * in.scale, Parts: partsOf(parts, &in.query, in.scale)}
	}
	return weighed
}
