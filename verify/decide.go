package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/internal/quotation"
	"github.com/citekit/citekit/textlayer"
)

// A call is the check of one quote against its source.
type call struct {
	*Verifier
	req     Request
	quote   *quotation.Quote
	verdict *Verdict
	read    *readPlace        // the quote in what was read at the address, if the cited parts have more text; else nil
	denied  []textlayer.Bytes // the cells at the address, if what was read of them does not have the quote
	alone   *readPlace        // the quote in what was read at the address, taken by itself; else nil
	placed  citekit.Location  // of what was read in a table cited by its number, with its block; else the whole
	there   string            // what was read at the address, if that is short; else ""
	blank   bool              // the address was read and has no text
	cut     bool              // the cited box holds only a part of a run
	whole   bool              // the cited parts are whole runs of the layer, which may go beyond the address

	recognised bool    // some of what was read at the address was recognised in a picture,
	sure       float64 // by a program that is sure of it to this, from 0 to 1
}

// A readPlace is the quote in the text that was read at its address.
type readPlace struct {
	quotation.Match
	text string
}

// A place is a part of a source with the quote, or with text similar to it.
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

// decide sets the verdict. An error is a problem of the named source.
func (c *call) decide(ctx context.Context) error {
	if c.req.Address.Resource == "" {
		return c.decideAnywhere(ctx)
	}
	s, err := c.open(ctx, c.req.Address)
	if err != nil {
		return err
	}
	defer s.Close()
	c.verdict.Stale, c.verdict.Transcribed = s.stale, s.Transcribed()
	cited, err := c.citedParts(ctx, s)
	if err != nil {
		return err
	}
	near := c.nearParts(s)
	found, like, err := c.findIn(ctx, s, cited, near)
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(p place) bool { return p.isIn(c.denied) })
	isCited := func(p place) bool { return p.isIn(cited) }
	if !slices.ContainsFunc(found, isCited) {
		if c.read = cmp.Or(c.read, c.alone); c.read == nil && !s.stale && c.findMarkup(ctx, len(found) > 0) {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	switch isKnown := s.Modality() != citekit.Text && len(found) == 1 && isCited(found[0]) && found[0].Exact; {
	case c.read != nil && !isKnown:
		c.settleRead(len(found))
		c.boxCells(ctx)
		return nil
	case len(found) > 0:
		if err = c.settle(ctx, found, cited); err == nil && (len(found) == 1 || found[0].isIn(near) && !found[1].isIn(near)) {
			c.tellCells(ctx, found[0])
		}
	default:
		err = c.decideUnfound(ctx, like, s)
	}
	if err != nil {
		return err
	}
	if err := c.noteSource(ctx, s, cited); err != nil {
		return err
	}
	if len(found) == 0 {
		c.setUnsearched(s)
	}
	return nil
}

// nearParts returns the text of the page, the block or the row that a part of it is cited
// of; nil if the address is of more.
func (c *call) nearParts(s *source) []textlayer.Bytes {
	loc := c.req.Address.Location
	wide := textlayer.Widened(loc)
	if wide.Equal(loc) {
		return nil
	}
	near, err := s.Ranges(wide)
	if err != nil {
		return nil // they are as far as others then
	}
	return near
}

// findIn returns the places of a source that have the quote, first those in the cited parts
// and then those in the near ones, and the most similar one if there are none, or nil.
func (c *call) findIn(ctx context.Context, s *source, cited, near []textlayer.Bytes) (found []place, like *place, err error) {
	l := &sourceSearch{call: c, source: s, cited: cited, near: near, seen: make(map[int64]bool)}
	err = c.stretches(ctx, s, func(t segment) bool {
		l.at(t)
		return ctx.Err() == nil
	})
	return l.sorted(), l.like, cmp.Or(err, ctx.Err())
}

// setUnsearched sets the problem of a quote that was not found in a source, if not all
// of the text of that could be searched.
func (c *call) setUnsearched(s *source) {
	v := c.verdict
	if v.Class != NotFound && (v.Class != Altered || isBounded(c.req.Address.Location)) {
		return
	}
	// Whether it stands at a place is known if that can be read, and a picture among pages of
	// text is rarely of a quote.
	why, missing := error(nil), s.Damaged(citekit.Location{})
	if cited := c.req.Address.Location; isBounded(cited) {
		missing = s.Missing(textlayer.Widened(cited))
	} else if s.IsScan() {
		missing = s.Missing(citekit.Location{})
	}
	switch {
	case s.Incomplete():
		why = errIncomplete
	case missing != "" && v.Class == NotFound:
		why = fmt.Errorf("%s; look at its picture: %w", missing, errors.ErrUnsupported)
	default:
		return
	}
	v.Problem = &citekit.ResolveError{Op: "verify", Address: c.req.Address, Err: fmt.Errorf("not all of its text could be searched: %w", why)}
}

// errIncomplete is the problem of a quote that is not in the text of a source, where
// that is not all of the text.
var errIncomplete = fmt.Errorf("part of the text is too large to be searched; cite a smaller part, or split the file: %w", citekit.ErrTooLarge)

// isCells reports whether a location is of cells of a table on a page.
func isCells(loc citekit.Location) bool { return loc.Table != "" && loc.PageCount() == 1 }

// isBounded reports whether a location has numbers of lines, pages, rows, blocks or
// cells, so that none of it is left out unnoticed.
func isBounded(loc citekit.Location) bool {
	return !loc.Lines.IsZero() || len(loc.Pages) > 0 || !loc.Rows.IsZero() || !loc.Blocks.IsZero() || !loc.Cells.IsZero()
}

// decideUnfound decides about a quote that is not in its resource. The quote may be in
// another resource, unless the request excludes those, or be similar to a part of its
// own. What another resource has that is only similar says nothing of the quote: it is
// named as another place if its own has nothing similar.
func (c *call) decideUnfound(ctx context.Context, near *place, s *source) error {
	var like *place
	if !c.req.Only {
		others := c.newElsewhere(s.resource)
		defer others.close()
		found, most, err := others.look(ctx)
		if err != nil { // the named resource was searched all the same
			found, most, c.verdict.Counted = nil, nil, false
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case len(found) > 0:
			return c.settle(ctx, found, nil)
		}
		like = most
	}
	switch {
	case near != nil:
		return c.settleAltered(ctx, *near)
	case like != nil:
		a, err := like.address()
		if err != nil {
			return err
		}
		c.verdict.Others = []citekit.Address{a}
		c.note("%s has similar words", a)
	}
	return nil
}

// citedParts returns the parts of the text at the address.
func (c *call) citedParts(ctx context.Context, s *source) ([]textlayer.Bytes, error) {
	loc := c.req.Address.Location
	parts, err := s.Ranges(loc)
	if c.cut = err == nil && s.Cuts(loc); c.cut && !s.stale {
		if read, err := c.partsRead(ctx, s); err == nil {
			return read, nil
		} else if ctx.Err() != nil {
			return nil, err
		}
		c.read, c.alone, c.denied, c.there, c.blank = nil, nil, nil, "", false
	}
	c.whole = err == nil
	unknown := errors.Is(err, errors.ErrUnsupported) || errors.Is(err, citekit.ErrRange) && !s.stale // to the layer
	if err == nil && !s.stale {
		if err = lookup.CheckTime(ctx, c.lib, c.req.Address); err == nil && len(parts) > 0 && !s.Reaches(loc) {
			err = lookup.CheckEnd(ctx, c.lib, c.req.Address)
		}
	}
	apart := !unknown && (err != nil || len(parts) > 0 || loc.IsWhole())
	switch {
	case !apart && s.stale:
		if parts, err = s.Ranges(textlayer.Widened(loc)); errors.Is(err, errors.ErrUnsupported) {
			parts, err = c.partsRead(ctx, s)
		}
		if errors.Is(err, errors.ErrUnsupported) {
			parts, err = s.Around(loc) // nothing says where in there
		}
	case !apart:
		parts, err = c.partsRead(ctx, s)
	}
	if s.stale && errors.Is(err, citekit.ErrRange) { // the text is shorter now
		return nil, nil
	}
	if err != nil {
		err = &citekit.ResolveError{Op: "verify", Address: c.req.Address, Err: lookup.Reason(err)}
	}
	return parts, err
}

// mostRead is how much of a place is read from its source, in bytes.
const mostRead = 16 << 20

// mostSearched is how much of the layer is searched for what was read, in bytes.
const mostSearched = 64 << 20

// partsRead returns the parts of the text at an address whose place the layer
// cannot separate, such as a row or cells, by reading the source. What is read is
// looked for in the layer. If it is not there once, the parts are wide: they have
// more text around the place, and there are parts only if the quote is in the place
// itself.
func (c *call) partsRead(ctx context.Context, s *source) (parts []textlayer.Bytes, err error) {
	runs := c.lib.ReadText(ctx, c.req.Address.Resource, c.req.Address.Location)
	if s.stale {
		if runs, err = c.readLayer(ctx, s); err != nil {
			return nil, err
		}
	} else if err := c.check(ctx, c.req.Address); err != nil {
		return nil, err
	}
	var text strings.Builder
	around := layerSearch{source: s, left: mostSearched}
	for run, err := range runs {
		if err != nil {
			return nil, err
		}
		if text.Len()+len(run.Text) > mostRead {
			return nil, fmt.Errorf("more than %d MiB of text at the address; cite a smaller part: %w", mostRead>>20, citekit.ErrTooLarge)
		}
		if loc := c.req.Address.Location; text.Len() == 0 && loc.Table != "" {
			c.placed = run.Location
			c.placed.Cells = loc.Cells
		}
		text.WriteString(run.Text)
		if run.OCR && (!c.recognised || run.Confidence < c.sure) {
			c.recognised, c.sure = true, run.Confidence
		}
		found, err := s.Ranges(run.Location)
		if err == nil && (run.Location.Modality == citekit.Image || !run.Location.Lines.IsZero() && s.Cuts(run.Location)) {
			found, err = around.narrow(ctx, found, run.Text)
		}
		if err == nil && len(found) == 0 && run.Text != "" {
			around.failed = true // it is left out of the layer
		}
		if s.Incomplete() && errors.Is(err, citekit.ErrTooLarge) {
			around.failed, err = true, nil
		}
		if errors.Is(err, errors.ErrUnsupported) {
			if found, err = s.Around(run.Location); err == nil {
				found, err = around.narrow(ctx, found, run.Text)
			}
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, found...)
	}
	if text.Len() <= maxThere {
		c.there = text.String()
		c.blank = strings.TrimSpace(c.there) == ""
	}
	matches := quotation.Prepare(text.String(), quotation.Options{Delimiter: s.opts.Delimiter}).Find(c.quote, 0, text.Len(), 1).Matches
	switch {
	case len(matches) > 0:
		c.alone = &readPlace{matches[0], text.String()[matches[0].From:matches[0].To]}
		if around.failed {
			c.read = c.alone
		}
	case around.failed:
		return nil, nil
	case isCells(c.req.Address.Location) && !s.stale:
		c.denied = joined(parts) // the text of the page does not tell where a cell ends
	}
	return joined(parts), nil
}

// readLayer returns the text at the address in the text of a version that the
// source has no longer. Of a text, that is read like the source itself, but for blocks,
// which the layer has no more: they are read if the file has this version. The error
// matches [errors.ErrUnsupported] for other sources.
func (c *call) readLayer(ctx context.Context, s *source) (iter.Seq2[citekit.TextRun, error], error) {
	loc := c.req.Address.Location
	resolver, err := c.lib.Resolver(s.Modality())
	if err != nil {
		return nil, err
	}
	reader, ok := resolver.(citekit.TextReader)
	unknown := fmt.Errorf("where in the text of an older version that is: %w", errors.ErrUnsupported)
	if !ok || s.Modality() != citekit.Text || loc.Modality != citekit.Text || loc.Member != "" || s.Incomplete() {
		return nil, unknown
	}
	src := citekit.NewSource(s.Layer, citekit.SourceInfo{Name: s.name, Size: s.Len(), Declared: citekit.Text})
	close := func() {}
	if !loc.Blocks.IsZero() {
		if src, err = c.lib.OpenSource(ctx, s.path); err != nil {
			return nil, unknown
		}
		close = func() { src.Close() }
		if hash, err := src.Hash(ctx); err != nil || hash != s.SourceHash() {
			close()
			return nil, unknown
		}
		src.Declare(citekit.Text)
	}
	runs := concurrent.Seq(reader.ReadText(ctx, src, loc), func(any) error {
		return fmt.Errorf("the resolver failed on an older version: %w", errors.ErrUnsupported)
	})
	return func(yield func(citekit.TextRun, error) bool) {
		defer close()
		runs(yield)
	}, nil
}

// A layerSearch finds in a layer what was read from its source.
type layerSearch struct {
	source *source
	left   int64  // bytes that may still be searched
	failed bool   // some text was not found once
	text   string // of the part below
	part   textlayer.Bytes
}

// narrow returns the place of a text within the parts around it. If that is not
// one place, or too much would be searched, it returns the parts.
func (n *layerSearch) narrow(ctx context.Context, parts []textlayer.Bytes, text string) ([]textlayer.Bytes, error) {
	text = strings.TrimRight(text, "\r\n")
	if len(parts) != 1 || n.failed || text == "" || parts[0].To-parts[0].From > n.left {
		n.failed = true
		return parts, nil
	}
	if n.part != parts[0] {
		around, err := n.source.Text(ctx, parts[0].From, parts[0].To)
		if err != nil {
			return nil, err
		}
		n.text, n.part = around, parts[0]
	}
	n.left -= int64(len(n.text))
	at := strings.Index(n.text, text)
	if at < 0 || strings.Contains(n.text[at+1:], text) {
		n.failed = true
		return parts, nil
	}
	from := parts[0].From + int64(at)
	return []textlayer.Bytes{{From: from, To: from + int64(len(text))}}, nil
}

// joined returns parts in order, those that overlap or touch as one.
func joined(parts []textlayer.Bytes) []textlayer.Bytes {
	slices.SortFunc(parts, func(a, b textlayer.Bytes) int { return cmp.Compare(a.From, b.From) })
	var all []textlayer.Bytes
	for _, p := range parts {
		if n := len(all); n > 0 && p.From <= all[n-1].To {
			all[n-1].To = max(all[n-1].To, p.To)
		} else {
			all = append(all, p)
		}
	}
	return all
}

// A sourceSearch is a search of a resource for a quote.
type sourceSearch struct {
	*call
	source *source
	cited  []textlayer.Bytes
	near   []textlayer.Bytes

	found []place
	seen  map[int64]bool // starts of the places
	like  *place         // the most similar place until the quote is found; or nil
}

// at searches a stretch of the text: first the cited parts, then the near ones, then all of
// it.
func (l *sourceSearch) at(t segment) {
	parts := []textlayer.Bytes{{From: 0, To: int64(len(t.Raw()))}}
	for _, p := range slices.Concat(l.near, l.cited) {
		if p = (textlayer.Bytes{From: max(0, p.From-t.at), To: min(parts[0].To, p.To-t.at)}); p.From < p.To && p != parts[0] {
			parts = append(parts, p)
		}
	}
	slices.Reverse(parts)
	for i, p := range parts {
		found := t.Find(l.quote, int(p.From), int(p.To), MaxOthers+1)
		for _, m := range found.Matches {
			l.add(place{m, t.at, l.source})
		}
		if i == len(parts)-1 {
			l.count(found)
		}
		if len(l.found) > 0 {
			continue
		}
		m, ok := t.Nearest(l.quote, int(p.From), int(p.To), found)
		switch like := (place{m, t.at, l.source}); {
		case !ok:
		case len(m.Difference) == 0:
			l.add(like)
		default:
			l.offer(&like)
		}
	}
}

// count counts the places in a stretch. In long texts, whose stretches overlap,
// the number is at least that of the kept places.
func (l *sourceSearch) count(found *quotation.Places) {
	if l.source.Len() > l.parts.whole {
		l.verdict.Places, l.verdict.Counted = len(l.found), l.verdict.Counted && len(l.found) == 0
		return
	}
	l.verdict.Places = found.Count
	l.verdict.Counted = l.verdict.Counted && found.Counted
}

func (l *sourceSearch) add(p place) {
	if !l.seen[p.from()] {
		l.seen[p.from()] = true
		l.found = append(l.found, p)
	}
}

// offer keeps the place most similar to the quote. Of equally similar places,
// one at the address wins.
func (l *sourceSearch) offer(p *place) {
	score := func(p *place) float64 {
		if p.isIn(l.cited) {
			return p.Similarity + .02
		}
		return p.Similarity
	}
	if l.like == nil || score(p) > score(l.like) {
		l.like = p
	}
}

// sorted returns the found places: those in the cited parts first, then those in the near
// ones, exact ones before others, then in the order of the text.
func (l *sourceSearch) sorted() []place {
	slices.SortStableFunc(l.found, func(a, b place) int {
		return cmp.Or(-compareBool(a.isIn(l.cited), b.isIn(l.cited)), -compareBool(a.isIn(l.near), b.isIn(l.near)), -compareBool(a.Exact, b.Exact), cmp.Compare(a.from(), b.from()))
	})
	return l.found
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

// settle sets the verdict on a quote that was found at some places. The first
// one counts.
func (c *call) settle(ctx context.Context, all []place, cited []textlayer.Bytes) error {
	first := all[0]
	c.verdict.Places = max(c.verdict.Places, len(all))
	c.setRepairs(first.Match)
	if !first.isIn(cited) {
		c.verdict.Class = Elsewhere
	}
	if err := c.tell(ctx, first); err != nil {
		return err
	}
	// The layer has no place for cells of a block of text, nor for rows of a text, nor for
	// a block of HTML or some of the lines of a row in it; the cited ones are the exact
	// place.
	if loc := c.citedPlace(); first.isIn(cited) && !c.verdict.Stale && loc.Sheet == "" {
		isRows := c.alone != nil && c.verdict.Address.Location.Modality == citekit.Text && (!loc.Rows.IsZero() || !loc.Blocks.IsZero() && loc.Blocks.Len() == 1)
		isCut := c.cut && c.alone != nil && !loc.Lines.IsZero()
		if isRows || (isCut || !loc.Cells.IsZero() || loc.Table != "") && c.verdict.Address.Location.Contains(loc) {
			c.verdict.Address.Location = loc
		}
	}
	if c.whole && c.verdict.Class != Elsewhere {
		c.noteLarger()
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

// citedPlace returns the location at the address, that of a table by its number with its
// block in place of it, where the format has blocks.
func (c *call) citedPlace() citekit.Location {
	if c.placed.Blocks.IsZero() {
		return c.req.Address.Location
	}
	return c.placed
}

// setRepairs sets the class of a quote that was found, exact or repaired. Differences
// of layout alone are only noted.
func (c *call) setRepairs(m quotation.Match) {
	v := c.verdict
	v.Class, v.Repairs, v.Similarity = Exact, nil, 1
	switch {
	case m.Exact:
	case isLayout(m.Repairs):
		c.noteLayout(m.Repairs)
	default:
		v.Class, v.Repairs = Repaired, m.Repairs
	}
}

// setOCR notes that the text of a verdict was recognised in a picture, if it was, by a
// program that is sure of it to confidence.
func (c *call) setOCR(recognised bool, confidence float64) {
	v := c.verdict
	if v.OCR, v.Confidence = recognised, confidence; recognised && v.Class == Exact {
		v.Class = Repaired
	}
}

// settleRead sets the verdict on a quote that was read at its address, where the
// layer has it at no place or at several, or may have it otherwise written, as in
// HTML, so that the place in the layer is not known.
func (c *call) settleRead(places int) {
	v := c.verdict
	c.setRepairs(c.read.Match)
	c.setOCR(c.recognised, c.sure)
	v.Text = c.read.text
	v.Address = citekit.Address{Resource: c.req.Address.Resource, Location: c.citedPlace()}
	v.Places = max(v.Places, places, 1)
}

// settleAltered sets the verdict on a quote that is similar to a place.
func (c *call) settleAltered(ctx context.Context, p place) error {
	v := c.verdict
	v.Class, v.Difference, v.Similarity, v.Places = Altered, p.Difference, float64(int(p.Similarity*1000))/1000, 0
	return c.tell(ctx, p)
}

// tell writes the location of a place into the verdict.
func (c *call) tell(ctx context.Context, p place) (err error) {
	v := c.verdict
	if v.Address, err = p.address(); err != nil {
		return err
	}
	confidence, recognised := p.source.OCR(p.from(), p.to())
	c.setOCR(recognised, confidence)
	if v.Text, err = p.source.Text(ctx, p.from(), p.to()); err != nil {
		return err
	}
	if v.Span, err = p.span(); err != nil {
		return err
	}
	v.Parts = nil
	for _, part := range p.Shown() {
		v.Parts = append(v.Parts, [2]int64{p.at + int64(part[0]), p.at + int64(part[1])})
	}
	if c.req.Boxes && !c.verdict.Stale {
		v.Boxes = c.boxesOf(ctx, p)
	}
	return nil
}

// address returns the address of a place.
func (p place) address() (citekit.Address, error) {
	loc, err := p.source.Tight(p.from(), p.to())
	return citekit.Address{Resource: p.source.resource, Location: loc}, err
}

// span returns the place in all units.
func (p place) span() (Span, error) { return spanOf(p.source, p.from(), p.to()) }

// A converter converts offsets of one text between units.
type converter interface {
	Convert(off int64, from, to textlayer.Unit) (int64, error)
}

// spanOf returns a part of a text, given in bytes, in all units.
func spanOf(text converter, from, to int64) (span Span, err error) {
	span.Bytes = [2]int64{from, to}
	for unit, in := range map[textlayer.Unit]*[2]int64{textlayer.InCodePoints: &span.CodePoints, textlayer.InUTF16: &span.UTF16} {
		for i, at := range span.Bytes {
			if in[i], err = text.Convert(at, textlayer.InBytes, unit); err != nil {
				return span, err
			}
		}
	}
	return span, nil
}

// boxesOf returns the boxes of a place on its pages; nil if they are unknown.
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
