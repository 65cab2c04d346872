package contents

import (
	"cmp"
	"context"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/textlayer"
)

// A gatherer collects the pieces of one briefing.
type gatherer struct {
	*Briefer
	room   int
	layers map[string]*textlayer.Layer // open layers, by resource; nil for one that cannot be read
	pieces []*passageRun
	out    int // passages that did not fit
}

// A passageRun is a series of consecutive passages of one node, or part of one.
type passageRun struct {
	first    *candidate // the most useful
	from, to int64      // bytes of the text layer
	text     string
	address  citekit.Address
}

func (g *gatherer) close() {
	for _, layer := range g.layers {
		if layer != nil {
			layer.Close()
		}
	}
}

// novelty is the weight of new information in a passage, relative to its worth
// for the task.
const novelty = .3

// gather takes passages one after another: each time the one with the highest
// worth, reduced by its similarity to those taken before. It reports whether
// there was time for all.
func (g *gatherer) gather(ctx context.Context, left []*candidate) bool {
	likeness := make(map[*candidate]float64, len(left)) // to the most similar passage taken
	for len(left) > 0 {
		if ctx.Err() != nil {
			g.out += len(left)
			return false
		}
		best := slices.MaxFunc(left, func(a, b *candidate) int {
			return cmp.Compare(a.gain(likeness[a]), b.gain(likeness[b]))
		})
		left = slices.DeleteFunc(left, func(c *candidate) bool { return c == best })
		if !g.take(ctx, best) {
			continue
		}
		for _, c := range left {
			likeness[c] = max(likeness[c], c.like(best))
		}
	}
	return ctx.Err() == nil
}

// gain is how much a passage adds to those taken.
func (c *candidate) gain(likeness float64) float64 {
	return (1-novelty)*c.worth - novelty*likeness
}

// take adds as much of a passage to the pieces as fits, and reports whether any
// of it did.
func (g *gatherer) take(ctx context.Context, c *candidate) bool {
	layer := g.open(ctx, c)
	if layer == nil {
		return false // its source just changed
	}
	if g.add(layer, g.whole(ctx, layer, c)) || g.add(layer, g.part(c)) {
		return true
	}
	g.out++
	return false
}

// open returns the layer of a passage, or nil if it no longer has the version
// of the passage.
func (g *gatherer) open(ctx context.Context, c *candidate) *textlayer.Layer {
	layer, ok := g.layers[c.ResourceID]
	if !ok {
		var err error
		if layer, err = g.Briefer.layers.Open(ctx, c.ResourceID); err != nil {
			layer = nil
		}
		g.layers[c.ResourceID] = layer
	}
	if layer == nil || layer.SourceHash() != c.Passage.SourceHash {
		return nil
	}
	return layer
}

// whole returns the whole passage, joined with the pieces of its node that
// directly precede or follow it.
func (g *gatherer) whole(ctx context.Context, layer *textlayer.Layer, c *candidate) *passageRun {
	s := &passageRun{first: c, from: c.Passage.From, to: c.Passage.To, text: c.Passage.Text, address: c.Address}
	for _, p := range g.pieces {
		if p.first.ResourceID != c.ResourceID || p.first.NodeID != c.NodeID || p.from > s.to+between || s.from > p.to+between {
			continue
		}
		from, to := min(s.from, p.from), max(s.to, p.to)
		if text, err := layer.Text(ctx, from, to); err == nil {
			s = &passageRun{first: p.first, from: from, to: to, text: text}
		}
	}
	return s
}

// between is how many bytes may separate consecutive passages: the line feed
// after a page.
const between = 1

// add adds a stretch in place of the pieces that it contains, and reports
// whether it fits.
func (g *gatherer) add(layer *textlayer.Layer, s *passageRun) bool {
	if s == nil {
		return false
	}
	if s.address.Resource == "" {
		loc, err := layer.Location(s.from, s.to)
		if err != nil {
			return false
		}
		s.address = citekit.Address{Resource: s.first.ResourceID, Location: loc}
	}
	var next []*passageRun
	placed := false
	for _, p := range g.pieces {
		inside := p.first.ResourceID == s.first.ResourceID && s.from <= p.from && p.to <= s.to
		if !inside {
			next = append(next, p)
		} else if !placed {
			next, placed = append(next, s), true
		}
	}
	if !placed {
		next = append(next, s)
	}
	if plain.CountTokens(render(next)) > g.room {
		return false
	}
	g.pieces = next
	return true
}

// briefing returns the gathered pieces.
func (g *gatherer) briefing(complete bool) *Briefing {
	b := &Briefing{Content: render(g.pieces), Omitted: g.out, Complete: complete}
	b.Tokens = plain.CountTokens(b.Content)
	for _, s := range g.pieces {
		_, hidden := readable(s.text)
		b.Hidden += hidden
		b.Pieces = append(b.Pieces, &Piece{Address: s.address, Title: s.title(), Tokens: plain.CountTokens(s.text), Text: s.text, Transcribed: s.first.Transcribed})
	}
	return b
}
