package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/relations"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/textlayer"
)

// Mode selects what a search follows: words, relations, or both.
type Mode string

// The modes of a search.
const (
	// Auto is the same as Knowledge, and the default: "" means Auto.
	Auto Mode = "auto"

	// Knowledge finds by words.
	Knowledge Mode = "knowledge"

	// Graph finds the places that relations lead to from the best hits, or come
	// from: see package [relations].
	Graph Mode = "graph"

	// Hybrid returns the hits of Knowledge, and places of Graph below them.
	// These are at least a third of the results if there are enough.
	Hybrid Mode = "hybrid"
)

func (m Mode) valid() bool {
	return m == "" || m == Auto || m == Knowledge || m.related()
}

// related reports whether m finds by relations.
func (m Mode) related() bool { return m == Graph || m == Hybrid }

const (
	seeds     = 5  // hits that relations are followed from
	mostBonds = 20 // places around each hit
)

// The share of a hit's score that a related place gets.
const (
	directBond    = 1.     // by a link in the hit, or into it
	enclosingBond = .5     // by a link to something around the hit, such as its resource
	commonKind    = .5     // factor for an import or an image; a source has many of them
	besideHits    = .5     // factor in a list with hits
	leastRelated  = 1 / 3. // of the results in such a list
)

// A relatedPlace is a place with its relations to hits.
type relatedPlace struct {
	relations.Place
	hits  map[int]float64 // what each hit adds to the score, by the hit's rank
	score float64
}

// inMode searches in the mode of a request.
func (s *Searcher) inMode(ctx context.Context, req Request, in index.Index) (*Results, error) {
	results, shown := &Results{Exact: true, Complete: true}, []candidate(nil)
	if req.Mode != Graph {
		var err error
		if results, shown, err = s.search(ctx, req, in); err != nil {
			return nil, err
		}
	}
	if req.Mode.related() {
		near, hits, err := s.search(ctx, Request{Query: req.Query, Filters: req.Filters, By: ByPassages, TopK: seeds, phrases: req.phrases}, in)
		if err != nil {
			return nil, err
		}
		if near.LeftOut > results.LeftOut {
			results.LeftOut, results.LeftOutIDs = near.LeftOut, near.LeftOutIDs
			results.Unreadable, results.UnreadableIDs = near.Unreadable, near.UnreadableIDs
		}
		results.Complete, results.unsure = results.Complete && near.Complete, cmp.Or(results.unsure, near.unsure)
		shown = s.addRelated(ctx, req, results, shown, hits)
	}
	results.Results = shorten(shown, req)
	return results, nil
}

// addRelated returns the shown candidates together with the places that
// relations lead to from hits, and counts those places in the results.
func (s *Searcher) addRelated(ctx context.Context, req Request, results *Results, shown, hits []candidate) []candidate {
	f := &searchCall{Searcher: s, req: req, resources: make(map[string]*foundResource), leftOut: make(leftOut)}
	defer f.close()
	bonds, whole, inTime := f.bonds(ctx, hits)
	related, all := f.showBonds(ctx, bonds, shown)
	results.Total += len(related)
	results.Exact = results.Exact && whole && all
	results.Complete = results.Complete && inTime && ctx.Err() == nil
	most := max(int(float64(req.TopK)*leastRelated), req.TopK-len(shown))
	related = related[:min(most, len(related))]
	shown = shown[:min(len(shown), req.TopK-len(related))]
	for _, c := range related {
		if n := len(shown); n > 0 && req.Mode == Hybrid {
			c.result.Score = min(besideHits*c.result.Score, shown[n-1].result.Score)
		}
		shown = append(shown, c)
	}
	return shown
}

// bonds returns the places around hits that pass the filters, best first. It
// also reports whether these are all, and whether there was enough time.
func (f *searchCall) bonds(ctx context.Context, hits []candidate) (all []*relatedPlace, whole, inTime bool) {
	if deadline, limited := ctx.Deadline(); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-reserve(time.Until(deadline))))
		defer cancel()
	}
	whole = true
	byKey := make(map[string]*relatedPlace)
	for rank, hit := range hits {
		around, err := f.relations.Around(ctx, f.seedOf(ctx, hit.result), relations.Reach{Hops: 1, Most: mostBonds, Enclosing: true})
		if err != nil {
			whole = whole && ctx.Err() == nil
			continue // its source has just changed
		}
		whole = whole && around.Complete && around.More == 0
		for _, p := range around.Places {
			key, ok := f.keyOf(ctx, p)
			if !ok {
				continue
			}
			b := byKey[key]
			if b == nil {
				b = &relatedPlace{Place: p, hits: make(map[int]float64)}
				byKey[key], all = b, append(all, b)
			}
			b.hits[rank] = max(b.hits[rank], hit.result.Score*strength(p, hit.result.Address))
		}
	}
	for _, b := range all {
		for rank := range hits { // in a fixed order, so that sums are always the same
			b.score += b.hits[rank]
		}
	}
	slices.SortStableFunc(all, func(a, b *relatedPlace) int { return cmp.Compare(b.score, a.score) })
	return all, whole, ctx.Err() == nil
}

// seedOf returns the address whose relations are followed from a hit: the
// address of its node if another location is shown for the node.
func (f *searchCall) seedOf(ctx context.Context, r *Result) citekit.Address {
	if r.Passage == nil && r.NodeID != "" {
		if m, err := f.lib.Map(ctx, r.ResourceID); err == nil && m.Node(r.NodeID) != nil {
			return m.Address(m.Node(r.NodeID))
		}
	}
	return r.Address
}

// strength returns the share of a hit's score that a related place gets.
func strength(p relations.Place, hit citekit.Address) float64 {
	s := directBond
	if p.Incoming && !hit.Location.Contains(p.By.To.Location) {
		s = enclosingBond
	}
	if p.By.Kind == "import" || p.By.Kind == "image" {
		s *= commonKind
	}
	return s
}

// placesOf returns the places of a map by the ids of their nodes.
func (f *searchCall) placesOf(m *citekit.ResourceMap) map[string]*place {
	all := f.places[m]
	if all == nil {
		all = make(map[string]*place)
		for _, p := range places(m) {
			if all[p.node.ID] == nil {
				all[p.node.ID] = p
			}
		}
		if f.places == nil {
			f.places = make(map[*citekit.ResourceMap]map[string]*place)
		}
		f.places[m] = all
	}
	return all
}

// keyOf returns a key that is the same for places that count once, and whether
// a place passes the filters.
func (f *searchCall) keyOf(ctx context.Context, p relations.Place) (key string, ok bool) {
	m, err := f.lib.Map(ctx, p.Address.Resource)
	if err != nil {
		return "", false
	}
	var at *place
	if p.Node != "" {
		at = f.placesOf(m)[p.Node]
	}
	k := maker{m: m, common: commonEntry(m)}
	entry := k.entry(at)
	if ok, err = f.req.Filters.Match(m.ResourceID, &entry); !ok || err != nil {
		return "", false
	}
	switch {
	case f.req.By == ByResources:
		return m.ResourceID, true
	case f.req.By == ByNodes || p.Incoming && !p.Proof:
		return m.ResourceID + "\x00" + p.Node, true
	}
	return p.Address.String(), p.Address.Location.VirtualAddress == "" // a virtual address has no passage
}

// showBonds returns the best places that can be shown, each once and none that
// is among the hits. It returns at most as many as the request wants, and
// reports whether these are all.
func (f *searchCall) showBonds(ctx context.Context, bonds []*relatedPlace, hits []candidate) (shown []candidate, all bool) {
	seen := slices.Clone(hits)
	for _, b := range bonds {
		if len(shown) == f.req.TopK || ctx.Err() != nil {
			return shown, false
		}
		c, err := f.bondCandidate(ctx, b)
		if err != nil || slices.ContainsFunc(seen, func(other candidate) bool { return f.same(c.result, other.result) }) {
			continue
		}
		shown, seen = append(shown, c), append(seen, c)
	}
	return shown, true
}

// same reports whether two results have the same address, or are passages that
// overlap.
func (f *searchCall) same(a, b *Result) bool {
	if a.ResourceID != b.ResourceID {
		return false
	}
	if f.req.By == ByPassages && a.Passage != nil && b.Passage != nil && a.Passage.From < b.Passage.To && b.Passage.From < a.Passage.To {
		return true
	}
	return a.Address.String() == b.Address.String()
}

// bondCandidate returns the shown form of a place.
func (f *searchCall) bondCandidate(ctx context.Context, b *relatedPlace) (candidate, error) {
	version, err := f.version(ctx, b.Address.Resource)
	if err != nil {
		return candidate{}, err
	}
	r := f.open(ctx, &index.Hit{Resource: b.Address.Resource, Version: version})
	if r.err != nil {
		return candidate{}, r.err
	}
	whole := r.m.Address(nil)
	result := &Result{
		ResourceID: r.m.ResourceID, Title: r.m.Title, Address: whole,
		Modality: whole.Location.Modality, Score: b.score, Rationale: []*Reason{b.reason()},
	}
	c := candidate{result: result}
	at := r.nodes[b.Node]
	if f.req.By != ByResources && at != nil {
		result.NodeID, result.Title, result.Path = at.node.ID, cmp.Or(at.node.Title, r.m.Title), at.path
	}
	if f.req.By == ByPassages || f.req.By == ByNodes && at != nil {
		result.Address.Location = b.Address.Location
		if at != nil && (f.req.By == ByNodes || b.Incoming && !b.Proof) {
			result.Address.Location = at.node.Location
		}
	}
	if loc := result.Address.Location; loc.Modality != whole.Location.Modality && loc.Member == "" || loc.Validate() != nil {
		result.Address = whole
	}
	if r.layer == nil {
		return c, result.Address.Validate()
	}
	return c, f.showStart(ctx, r, b, &c)
}

// showStart shows the start of the text at the address of a result. In a search
// for passages, the address becomes that of the shown text.
func (f *searchCall) showStart(ctx context.Context, r *foundResource, b *relatedPlace, c *candidate) error {
	loc := &c.result.Address.Location
	ranges, err := r.layer.Ranges(*loc)
	if errors.Is(err, errors.ErrUnsupported) {
		*loc = textlayer.Widened(*loc) // the whole page of a link
		ranges, err = r.layer.Ranges(*loc)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		return nil // the layer has the text around it too
	}
	if err != nil || len(ranges) == 0 {
		return err
	}
	all := ranges[0]
	end := min(all.To, all.From+mostNodeText)
	if f.req.By == ByPassages {
		end = passageEnd(r.layer, all.From, end)
	}
	text, err := r.layer.Text(ctx, all.From, end)
	if err != nil {
		return err
	}
	if end < all.To && end == all.From+mostNodeText {
		text = uncut(text)
		end = all.From + int64(len(text))
	}
	if f.req.By == ByPassages && text != "" {
		text = text[:beginning(text, len(text), mostLines)]
		end = all.From + int64(len(text))
		if *loc, err = r.layer.Location(all.From, end); err != nil {
			return err
		}
	}
	c.text, c.goesOn = text, end < all.To && f.req.By != ByPassages
	c.result.setPassage(r.layer, text, all.From)
	return nil
}

// passageEnd returns the latest end of a passage that begins at from: the end
// of the page, or after a minute.
func passageEnd(layer *textlayer.Layer, from, end int64) int64 {
	since := -1.
	for run := range layer.RunsIn(from, end) {
		switch at := run.Location; {
		case len(at.Pages) > 0:
			return min(end, run.To)
		case at.Time.IsZero():
		case since < 0:
			since = at.Time.Start
		case at.Time.End-since > mostTime:
			return min(end, run.From)
		}
	}
	return end
}

// reason returns the relation of a place to a hit.
func (b *relatedPlace) reason() *Reason {
	return &Reason{Relation: b.By.Kind, From: b.By.From, To: b.By.To, Score: rounded(b.score)}
}
