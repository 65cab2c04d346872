package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/textlayer"
)

// A likeness is an index that finds entries similar to a text. It leaves out
// the part that the text comes from.
type likeness struct {
	index.Index
	text string
	by   By
	of   *self // nil if the text is not that of a part
}

// A self is the part that is compared with others, and excluded from the
// results.
type self struct {
	lookup.Part
	ranges []textlayer.Bytes // of its text
	nodes  map[string]bool   // that it is, contains or lies in
}

func newSelf(p lookup.Part) *self {
	s := &self{Part: p, nodes: make(map[string]bool)}
	var around []*citekit.Node // path from the root
	for n, depth := range p.Map.All() {
		around = append(around[:depth], n)
		at := n.Location
		switch {
		case p.Node == nil && (at.Contains(p.Address.Location) || p.Address.Location.Contains(at)):
			s.nodes[n.ID] = true
		case p.Node != nil && slices.ContainsFunc(around, func(n *citekit.Node) bool { return n.ID == p.Node.ID }):
			for _, n := range around {
				s.nodes[n.ID] = true
			}
		}
	}
	return s
}

// holds reports whether a hit is the part, in it or around it.
func (s *self) holds(h *index.Hit, by By) bool {
	if h.Resource != s.Map.ResourceID {
		return false
	}
	p, ok := parsePart(h.Entry.Location)
	if !ok || by == ByNodes && s.nodes[h.Entry.Node] {
		return s.nodes[h.Entry.Node]
	}
	return slices.ContainsFunc(s.ranges, func(r textlayer.Bytes) bool { return p.from < r.To && r.From < p.to })
}

// whole reports whether the whole resource is excluded.
func (s *self) whole(by By) bool {
	return by == ByResources || s.Node == nil && s.Address.Location.IsWhole()
}

// Search implements [index.Index]. It ignores the query's text.
func (l *likeness) Search(ctx context.Context, q index.Query) (*index.Result, error) {
	if l.of == nil {
		return l.similar(ctx, q)
	}
	id := l.of.Map.ResourceID
	others := q
	others.Filters.Without = append(slices.Clone(q.Filters.Without), id)
	if l.of.whole(l.by) {
		return l.similar(ctx, others)
	}
	want := q.TopK
	for {
		found, err := l.similar(ctx, q)
		if err != nil {
			return nil, err
		}
		all := len(found.Hits)
		found.Hits = slices.DeleteFunc(found.Hits, func(h index.Hit) bool { return l.of.holds(&h, l.by) })
		found.Total -= all - len(found.Hits)
		switch {
		case all < q.TopK || len(found.Hits) >= want:
			found.Hits = found.Hits[:min(want, len(found.Hits))]
			return found, nil
		case q.TopK == mostHits:
			q.TopK = want
			return l.withOthers(ctx, found, others)
		}
		q.TopK = min(mostHits, 4*q.TopK)
	}
}

// withOthers adds the hits of other resources that the hits of the part itself
// displaced.
func (l *likeness) withOthers(ctx context.Context, found *index.Result, q index.Query) (*index.Result, error) {
	others, err := l.similar(ctx, q)
	if err != nil {
		return nil, err
	}
	near := slices.DeleteFunc(found.Hits, func(h index.Hit) bool { return h.Resource != l.of.Map.ResourceID })
	others.Hits = append(near, others.Hits...)
	slices.SortStableFunc(others.Hits, func(a, b index.Hit) int { return cmp.Compare(b.Score, a.Score) })
	others.Hits = others.Hits[:min(q.TopK, len(others.Hits))]
	others.Total += len(near)
	others.Exact = false
	return others, nil
}

// similar asks the index for entries similar to the text. An index that cannot
// compare is searched for words of the text.
func (l *likeness) similar(ctx context.Context, q index.Query) (*index.Result, error) {
	if comparer, ok := l.Index.(index.Comparer); ok {
		q.Text = l.text
		least := 1
		if l.of != nil {
			least = 2 // the text is in the index itself
		}
		return comparer.Similar(ctx, q, least)
	}
	const most = 25
	q.Text = strings.Join(index.Telling(l.text, most), " ")
	return l.Index.Search(ctx, q)
}
