package index

import (
	"cmp"
	"context"
	"slices"

	"github.com/citekit/citekit/internal/segment"
	"github.com/citekit/citekit/internal/terms"
)

const (
	defaultTopK = 10
	maxTopK     = 1000
)

// Search implements [Index]. Entries that have the words of the query one after the other
// come first. Of equally good entries those of the smaller resource id come first. For an invalid pattern for paths the error matches
// [citekit.ErrSyntax].
func (l *Local) Search(ctx context.Context, q Query) (*Result, error) {
	return l.run(ctx, q, compile, true)
}

// run searches for the query that compile makes from the text of q. Entries that have
// the words of the text one after the other come first if first is set.
func (l *Local) run(ctx context.Context, q Query, compile func(*snapshot, string) *segment.Query, first bool) (*Result, error) {
	if q.TopK <= 0 {
		q.TopK = defaultTopK
	}
	var result *Result
	err := l.read(ctx, func(s *snapshot) error {
		f, err := s.filter(&q.Filters)
		if err != nil {
			return err
		}
		compiled := compile(s, q.Text)
		if result, err = s.search(ctx, &q, f, compiled); err == nil && first {
			err = s.raise(ctx, &q, f, compiled, result)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

func (s *snapshot) search(ctx context.Context, q *Query, f *filter, compiled *segment.Query) (*Result, error) {
	compiled.K, compiled.Explain = min(q.TopK, maxTopK), q.Explain
	if f != nil {
		compiled.Only = f.only
	}
	got, err := segment.Search(ctx, s.views, compiled)
	if err != nil {
		return nil, err
	}
	result := &Result{Hits: make([]Hit, len(got.Hits)), Total: got.Total, Exact: got.Exact}
	for i, h := range got.Hits {
		if result.Hits[i], err = s.hit(h, compiled); err != nil {
			return nil, &segment.DamageError{View: h.View}
		}
	}
	result.Order()
	if got.Scale != nil {
		result.Weights = &Weights{scale: got.Scale, query: compiled, analyzers: make(map[string]*terms.Analyzer)}
	}
	return result, nil
}

// raise raises the entries that have the words of a query one after the other above all
// others.
func (s *snapshot) raise(ctx context.Context, q *Query, f *filter, compiled *segment.Query, result *Result) error {
	phrases := sequences(s, q.Text)
	if len(phrases) == 0 || len(result.Hits) == 0 {
		return nil
	}
	narrow := *compiled
	narrow.Required = []segment.Condition{{Phrases: phrases}}
	having, err := s.search(ctx, q, f, &narrow)
	if err != nil || len(having.Hits) == 0 {
		return err
	}
	type key struct {
		resource string
		ordinal  int
	}
	raised, most := make(map[key]bool), result.Hits[0].Score
	hits := having.Hits
	for i := range hits {
		h := &hits[i]
		raised[key{h.Resource, h.Entry.Ordinal}] = true
		h.Score += most
		if q.Explain {
			h.Parts = append(h.Parts, Part{Term: sequence(phrases[0]), Times: 1, InBody: true, Score: most})
		}
	}
	for _, h := range result.Hits {
		if !raised[key{h.Resource, h.Entry.Ordinal}] {
			hits = append(hits, h)
		}
	}
	result.Hits = hits[:min(len(hits), compiled.K)]
	result.Order()
	return nil
}

// Order puts hits in the order of their scores, and those with the same score in the
// order of their resources and entries: how they are spread over segments depends on when
// they were put.
func (r *Result) Order() {
	slices.SortStableFunc(r.Hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Entry.Ordinal, b.Entry.Ordinal))
	})
}

// hit returns a hit with its entry.
func (s *snapshot) hit(h segment.Hit, q *segment.Query) (hit Hit, err error) {
	err = segment.Guard(func() error {
		r, records, start, end, err := s.views[h.View].Segment.Record(h.Doc)
		if err != nil {
			return err
		}
		entry, language, err := readRecord(records, start, end)
		hit = Hit{Resource: r.ID, Version: r.Version, Entry: entry, Score: h.Score, Terms: h.Terms, Language: string(language)}
		return err
	})
	hit.Parts = partsOf(h.Parts, q)
	return hit, err
}

func partsOf(list []segment.Part, q *segment.Query) (parts []Part) {
	for _, p := range list {
		part := Part{Term: p.Term, Times: p.Weight, InTitle: p.Title, InBody: p.Body, Score: p.Score}
		if p.Term == "" {
			part.Term, part.Next = q.Words[p.Word].Terms[0], q.Words[p.Next].Terms[0]
		}
		parts = append(parts, part)
	}
	return parts
}
