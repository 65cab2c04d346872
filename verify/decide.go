package verify

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/quotation"
	"github.com/citekit/citekit/textlayer"
)

// A call is one quote that is being held to its source.
type call struct {
	*Verifier
	req     Request
	quote   *quotation.Quote
	verdict *Verdict
}

// A place is where a quote stands, or what it is like.
type place struct {
	quotation.Match // of the text of the source
	at              int64
	source          *source
}

func (p place) from() int64 { return p.at + int64(p.From) }
func (p place) to() int64   { return p.at + int64(p.To) }

// isIn reports whether a place lies in one of some parts of a text.
func (p place) isIn(parts []textlayer.Bytes) bool {
	return slices.ContainsFunc(parts, func(b textlayer.Bytes) bool { return b.From <= p.from() && p.to() <= b.To })
}

// decide sets the verdict. An error is what is wrong with the source that is named.
func (c *call) decide(ctx context.Context) error {
	if c.req.Address.Resource == "" {
		return c.decideAnywhere(ctx)
	}
	s, err := c.open(ctx, c.req.Address)
	if err != nil {
		return err
	}
	defer s.Close()
	c.verdict.Stale = s.stale
	cited, err := c.citedParts(ctx, s)
	if err != nil {
		return err
	}
	all, err := c.find(ctx, s, cited)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		return c.settle(ctx, all, cited)
	}
	return c.decideUnfound(ctx, s, cited)
}

// decideUnfound decides about a quote that does not stand in its resource: it may
// stand in another, or be like what stands in one of them.
func (c *call) decideUnfound(ctx context.Context, s *source, cited []textlayer.Bytes) error {
	near, err := c.nearest(ctx, s, cited)
	if err != nil {
		return err
	}
	if near != nil && len(near.Difference) == 0 {
		return c.settle(ctx, []place{*near}, cited)
	}
	others := c.newElsewhere(s.resource)
	defer others.close()
	found, like, err := others.look(ctx)
	switch {
	case err != nil:
		return err
	case len(found) > 0:
		return c.settle(ctx, found, nil)
	case near == nil || like != nil && like.Similarity > near.Similarity+.1:
		near = like
	}
	if near == nil {
		return nil
	}
	return c.settleAltered(ctx, *near)
}

// citedParts returns the parts of the text at the address.
func (c *call) citedParts(ctx context.Context, s *source) ([]textlayer.Bytes, error) {
	loc := c.req.Address.Location
	parts, err := s.Ranges(loc)
	if errors.Is(err, errors.ErrUnsupported) && !loc.Box.IsZero() {
		loc.Box = citekit.Box{}
		parts, err = s.Ranges(loc)
		if err == nil && !c.standsInBox(ctx) {
			return nil, nil
		}
	}
	if s.stale && errors.Is(err, citekit.ErrRange) { // the text is shorter now
		return nil, nil
	}
	if err != nil {
		err = &citekit.ResolveError{Op: "verify", Address: c.req.Address, Err: err}
	}
	return parts, err
}

// standsInBox reports whether the quote stands in the text of a box on a page.
func (c *call) standsInBox(ctx context.Context) bool {
	text := ""
	for run, err := range c.lib.ReadText(ctx, c.req.Address.Resource, c.req.Address.Location) {
		if err != nil {
			return false
		}
		text += run.Text
	}
	return len(quotation.Prepare(text, quotation.Options{}).Find(c.quote, 0, len(text), 1).Matches) > 0
}

// find returns the places in a resource where the quote stands: those in the cited
// parts first, the exact ones before others, then as they follow each other.
func (c *call) find(ctx context.Context, s *source, cited []textlayer.Bytes) (all []place, err error) {
	seen := make(map[int64]bool)
	add := func(t stretch, found *quotation.Places) {
		for _, m := range found.Matches {
			if p := (place{m, t.at, s}); !seen[p.from()] {
				seen[p.from()] = true
				all = append(all, p)
			}
		}
	}
	whole := textlayer.Bytes{From: 0, To: s.Len()}
	err = c.stretches(ctx, s, whole, func(t stretch) bool {
		for _, part := range cited {
			if part != whole {
				add(t, t.Find(c.quote, int(part.From-t.at), int(part.To-t.at), MaxOthers+1))
			}
		}
		found := t.Find(c.quote, 0, len(t.Raw()), MaxOthers+1)
		add(t, found)
		c.verdict.Places += found.Count
		c.verdict.Counted = c.verdict.Counted && found.Counted
		return ctx.Err() == nil
	})
	slices.SortStableFunc(all, func(a, b place) int {
		return cmp.Or(-compareBool(a.isIn(cited), b.isIn(cited)), -compareBool(a.Exact, b.Exact), cmp.Compare(a.from(), b.from()))
	})
	return all, errors.Join(err, ctx.Err())
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// nearest returns what the quote is most like in a resource, or nil. What is at the
// address comes first where it is as near.
func (c *call) nearest(ctx context.Context, s *source, cited []textlayer.Bytes) (best *place, err error) {
	score := func(p *place) float64 {
		if p.isIn(cited) {
			return p.Similarity + .02
		}
		return p.Similarity
	}
	offer := func(t stretch, from, to int) {
		if m, ok := t.Nearest(c.quote, from, to); ok {
			if p := (&place{m, t.at, s}); best == nil || score(p) > score(best) {
				best = p
			}
		}
	}
	whole := textlayer.Bytes{From: 0, To: s.Len()}
	err = c.stretches(ctx, s, whole, func(t stretch) bool {
		for _, part := range cited {
			if part != whole && part.From < t.at+int64(len(t.Raw())) && part.To > t.at {
				offer(t, int(part.From-t.at), int(part.To-t.at))
			}
		}
		offer(t, 0, len(t.Raw()))
		return ctx.Err() == nil
	})
	return best, errors.Join(err, ctx.Err())
}

// settle sets the verdict on a quote that stands at some places, the first of which
// counts.
func (c *call) settle(ctx context.Context, all []place, cited []textlayer.Bytes) error {
	first := all[0]
	c.verdict.Places = max(c.verdict.Places, len(all))
	c.verdict.Repairs, c.verdict.Similarity = first.Repairs, 1
	switch {
	case !first.isIn(cited):
		c.verdict.Class = Elsewhere
	case first.Exact:
		c.verdict.Class = Exact
	default:
		c.verdict.Class = Repaired
	}
	if err := c.tell(ctx, first); err != nil {
		return err
	}
	for _, p := range all[1:] {
		a, err := p.address()
		if err != nil {
			return err
		}
		if s := a.String(); s != c.verdict.Address.String() && len(c.verdict.Others) < MaxOthers &&
			!slices.ContainsFunc(c.verdict.Others, func(o citekit.Address) bool { return o.String() == s }) {
			c.verdict.Others = append(c.verdict.Others, a)
		}
	}
	return nil
}

// settleAltered sets the verdict on a quote that is like a place.
func (c *call) settleAltered(ctx context.Context, p place) error {
	v := c.verdict
	v.Class, v.Difference, v.Similarity, v.Places = Altered, p.Difference, float64(int(p.Similarity*1000))/1000, 0
	return c.tell(ctx, p)
}

// tell says where a place is.
func (c *call) tell(ctx context.Context, p place) (err error) {
	v := c.verdict
	if v.Address, err = p.address(); err != nil {
		return err
	}
	if v.Text, err = p.source.Text(ctx, p.from(), p.to()); err != nil {
		return err
	}
	if v.Span, err = p.span(); err != nil {
		return err
	}
	if c.req.Boxes && !c.verdict.Stale {
		v.Boxes = c.boxesOf(ctx, p)
	}
	return nil
}

// address returns the address of a place.
func (p place) address() (citekit.Address, error) {
	loc, err := p.source.Location(p.from(), p.to())
	return citekit.Address{Resource: p.source.resource, Location: loc}, err
}

// span returns the place in all units.
func (p place) span() (span Span, err error) {
	span.Bytes = [2]int64{p.from(), p.to()}
	for unit, in := range map[textlayer.Unit]*[2]int64{textlayer.InCodePoints: &span.CodePoints, textlayer.InUTF16: &span.UTF16} {
		for i, at := range span.Bytes {
			if in[i], err = p.source.Convert(at, textlayer.InBytes, unit); err != nil {
				return span, err
			}
		}
	}
	return span, nil
}

// boxesOf returns where a place stands on its pages; nil where that cannot be told.
func (c *call) boxesOf(ctx context.Context, p place) (boxes []PageBox) {
	for run := range p.source.RunsIn(p.from(), p.to()) {
		loc := run.Location
		if loc.PageCount() != 1 {
			continue
		}
		for _, part := range p.Shown() {
			from, to := max(p.at+int64(part[0]), run.From), min(p.at+int64(part[1]), run.To)
			if from >= to {
				continue
			}
			found, err := c.boxes.Boxes(ctx, citekit.Address{Resource: p.source.resource, Location: loc}, int(from-run.From), int(to-run.From))
			if err != nil {
				return nil
			}
			for _, b := range found {
				boxes = append(boxes, PageBox{loc.Pages[0].First, b})
			}
		}
	}
	return boxes
}
