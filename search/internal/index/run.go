package index

import (
	"cmp"
	"context"
	"slices"

	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

const (
	defaultTopK = 10
	maxTopK     = 1000
)

// Search implements [Index]. Entries that have the words of the query one after the other
// come first. Of equally good entries those of the smaller resource id come first. For an
// invalid pattern for paths the error matches [citekit.ErrSyntax].
func (l *Local) Search(ctx context.Context, q Query) (*Result, error) {
	return l.run(ctx, q, compile, true)
}

// run searches for the queries that compile makes of q. If first is set, entries that have
// the words of the text one after the other come first, and those with a quoted phrase of
// a question get more.
func (l *Local) run(ctx context.Context, q Query, compile func(*snapshot, *Query) []*compiler, first bool) (*Result, error) {
	if q.TopK <= 0 {
		q.TopK = defaultTopK
	}
	q.Syntax = q.Syntax.Of(q.Text)
	if store, ok := l.store.(tellingStore); ok && l.shared {
		l.follows.Do(func() { l.inBackground(func() { l.follow(store) }) })
	}
	var result *Result
	err := l.read(ctx, func(s *snapshot) error {
		f, err := s.filter(&q.Filters)
		if err != nil {
			return err
		}
		run := &run{snapshot: s, q: &q, filter: f, compilers: compile(s, &q)}
		result, err = run.search(ctx)
		if err == nil && first {
			err = run.raise(ctx, result)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// A run is a search of all groups.
type run struct {
	snapshot  *snapshot
	q         *Query
	filter    *filter
	compilers []*compiler
}

// A placedHit is a hit of a group.
type placedHit struct {
	segment.Hit
	score float64 // comparable between groups
	group int
}

// search returns the best entries of all groups.
func (r *run) search(ctx context.Context) (*Result, error) {
	all := &Result{Exact: true, Weights: &Weights{groups: make([]weights, len(r.compilers))}}
	var found []placedHit
	for i, c := range r.compilers {
		got, err := r.group(ctx, c, &c.query)
		if err != nil {
			return nil, err
		}
		found = slices.Grow(found, len(got.Hits))
		for _, h := range got.Hits {
			found = append(found, placedHit{h, h.Score * c.scale, i})
		}
		if got.Scale != nil {
			all.Weights.groups[i] = weights{got.Scale, &c.query, c.scale}
		}
		all.Total += got.Total
		all.Exact = all.Exact && got.Exact
	}
	if len(r.compilers) > 1 {
		slices.SortStableFunc(found, func(a, b placedHit) int { return cmp.Compare(b.score, a.score) })
		n := min(r.limit(), len(found))
		for 0 < n && n < len(found) && found[n].score == found[n-1].score { // those with the same score are ordered by what they are
			n++
		}
		found = found[:n]
	}
	all.Hits = slices.Grow(all.Hits, len(found))
	for _, h := range found {
		hit, err := r.hit(h)
		if err != nil {
			return nil, err
		}
		all.Hits = append(all.Hits, hit)
	}
	all.Order(r.limit())
	return all, nil
}

// hit returns a hit with its entry.
func (r *run) hit(h placedHit) (Hit, error) {
	c := r.compilers[h.group]
	h.View = c.group.at[h.View]
	hit, err := r.snapshot.hit(h.Hit, &c.query, c.scale)
	if err != nil {
		return hit, &segment.DamageError{View: h.View}
	}
	hit.group = h.group
	return hit, nil
}

func (r *run) limit() int { return min(r.q.TopK, maxTopK) }

// group searches a group for its query, or for one made from that.
func (r *run) group(ctx context.Context, c *compiler, query *segment.Query) (*segment.Result, error) {
	query.K, query.Explain = r.limit(), r.q.Explain
	if r.filter != nil {
		query.Only = r.filter.only
	}
	got, err := segment.Search(ctx, c.group.views, query)
	if err != nil {
		return nil, c.group.damageOf(err)
	}
	return got, nil
}

// quotedShare is what a quoted phrase of a question adds to the score of an entry that has
// it, as a share of the best score.
const quotedShare = .05

// raise raises the entries that have the words of a query one after the other above all
// others, and those that have a quoted phrase of a question a little.
func (r *run) raise(ctx context.Context, result *Result) error {
	if len(result.Hits) == 0 {
		return nil
	}
	most := result.Hits[0].Score
	if r.q.Syntax == Question {
		for _, text := range quoted(r.q.Text) {
			err := r.add(ctx, result, quotedShare*most, func(c *compiler) []segment.Phrase { return c.phrases(text, true) })
			if err != nil {
				return err
			}
		}
		most = result.Hits[0].Score
	}
	return r.add(ctx, result, most, func(c *compiler) []segment.Phrase { return c.sequences(r.q) })
}

// add adds to the scores of the entries that have one of the phrases of their group.
func (r *run) add(ctx context.Context, result *Result, more float64, phrases func(*compiler) []segment.Phrase) error {
	type key struct {
		resource string
		ordinal  int
	}
	at := make(map[key]int)
	for i := range result.Hits {
		at[key{result.Hits[i].Resource, result.Hits[i].Entry.Ordinal}] = i
	}
	for group, c := range r.compilers {
		phrases := phrases(c)
		if len(phrases) == 0 {
			continue
		}
		narrow := c.query
		narrow.Required = append(slices.Clip(narrow.Required), segment.Condition{Phrases: phrases})
		any, err := segment.AnyPassing(ctx, c.group.views, &narrow)
		if err != nil {
			return c.group.damageOf(err)
		}
		if !any {
			continue
		}
		having, err := r.group(ctx, c, &narrow)
		if err != nil {
			return err
		}
		for _, found := range having.Hits {
			h, err := r.hit(placedHit{found, found.Score * c.scale, group})
			if err != nil {
				return err
			}
			i, ok := at[key{h.Resource, h.Entry.Ordinal}]
			if !ok {
				i = len(result.Hits)
				result.Hits = append(result.Hits, h)
			}
			raised := &result.Hits[i]
			raised.Score += more
			if r.q.Explain {
				raised.Parts = append(raised.Parts, Part{Term: sequence(phrases[0]), Times: 1, InBody: true, Score: more})
			}
		}
	}
	result.Order(r.limit())
	return nil
}

// Order puts hits in the order of their scores, and those with the same score in the
// order of their resources and entries: how they are spread over segments depends on when
// they were put. It keeps the first k.
func (r *Result) Order(k int) {
	order := make([]*Hit, len(r.Hits)) // hits are large
	for i := range r.Hits {
		order[i] = &r.Hits[i]
	}
	if !slices.IsSortedFunc(order, (*Hit).compare) {
		slices.SortStableFunc(order, (*Hit).compare)
		hits := make([]Hit, min(len(order), k))
		for i := range hits {
			hits[i] = *order[i]
		}
		r.Hits = hits
	}
	r.Hits = r.Hits[:min(len(r.Hits), k)]
}

// compare is negative if h comes before other.
func (h *Hit) compare(other *Hit) int {
	return cmp.Or(cmp.Compare(other.Score, h.Score), cmp.Compare(h.Resource, other.Resource), cmp.Compare(h.Entry.Ordinal, other.Entry.Ordinal))
}

// hit returns a hit with its entry. The scale is that of its scores.
func (s *snapshot) hit(h segment.Hit, q *segment.Query, scale float64) (hit Hit, err error) {
	err = segment.Guard(func() error {
		r, records, start, end, err := s.views[h.View].Segment.Record(h.Doc)
		if err != nil {
			return err
		}
		entry, language, err := readRecord(records, start, end)
		hit = Hit{Resource: r.ID, Version: r.Version, Entry: entry, Score: h.Score * scale, Terms: h.Terms, Language: string(language)}
		return err
	})
	hit.Parts = partsOf(h.Parts, q, scale)
	return hit, err
}

func partsOf(list []segment.Part, q *segment.Query, scale float64) (parts []Part) {
	for _, p := range list {
		part := Part{Term: p.Term, Times: p.Weight, InTitle: p.Title, InBody: p.Body, Score: p.Score * scale}
		if p.Term == "" {
			part.Term, part.Next = q.Words[p.Word].Terms[0], q.Words[p.Next].Terms[0]
		}
		parts = append(parts, part)
	}
	return parts
}
