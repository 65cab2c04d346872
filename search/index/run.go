package index

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/citekit/citekit/internal/segment"
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

// search returns the best entries of all groups.
func (r *run) search(ctx context.Context) (*Result, error) {
	all := &Result{Exact: true}
	for _, c := range r.compilers {
		result, err := r.group(ctx, c, &c.query)
		if err != nil {
			return nil, err
		}
		all.Hits = append(all.Hits, result.Hits...)
		all.Total += result.Total
		all.Exact = all.Exact && result.Exact
	}
	all.order(r.limit())
	return all, nil
}

func (r *run) limit() int { return min(r.q.TopK, maxTopK) }

// group searches a group for its query, or for one made from that.
func (r *run) group(ctx context.Context, c *compiler, query *segment.Query) (*Result, error) {
	query.K, query.Explain = r.limit(), r.q.Explain
	if r.filter != nil {
		query.Only = r.filter.only
	}
	got, err := segment.Search(ctx, c.group.views, query)
	if damage, ok := errors.AsType[*segment.DamageError](err); ok {
		return nil, &segment.DamageError{View: c.group.at[damage.View]}
	}
	if err != nil {
		return nil, err
	}
	result := &Result{Hits: make([]Hit, len(got.Hits)), Total: got.Total, Exact: got.Exact}
	for i, h := range got.Hits {
		h.View = c.group.at[h.View]
		if result.Hits[i], err = r.snapshot.hit(h, query, c.scale); err != nil {
			return nil, &segment.DamageError{View: h.View}
		}
	}
	return result, nil
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
	for _, c := range r.compilers {
		phrases := phrases(c)
		if len(phrases) == 0 {
			continue
		}
		narrow := c.query
		narrow.Required = append(slices.Clip(narrow.Required), segment.Condition{Phrases: phrases})
		having, err := r.group(ctx, c, &narrow)
		if err != nil {
			return err
		}
		for _, h := range having.Hits {
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
	result.order(r.limit())
	return nil
}

// order puts hits with the same score in the order of their resources and entries:
// how they are spread over segments depends on when they were put. It keeps the first k.
func (r *Result) order(k int) {
	slices.SortStableFunc(r.Hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Entry.Ordinal, b.Entry.Ordinal))
	})
	r.Hits = r.Hits[:min(len(r.Hits), k)]
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
	for _, p := range h.Parts {
		part := Part{Term: p.Term, Times: p.Weight, InTitle: p.Title, InBody: p.Body, Score: p.Score * scale}
		if p.Term == "" {
			part.Term, part.Next = q.Words[p.Word].Terms[0], q.Words[p.Next].Terms[0]
		}
		hit.Parts = append(hit.Parts, part)
	}
	return hit, err
}
