package index

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

// A Scorer is an [Index] that can rank its entries by something other than
// words.
type Scorer interface {
	// Score returns the entries with the highest scores among those that meet
	// the requirements of a query: its filters, and the quoted, "title:" and
	// "-" parts of its text. Other words of the text are ignored.
	//
	// For each held resource, Score calls scores, which returns a function with
	// the scores of its entries by [Entry.Ordinal], or nil if none has a score.
	// The ordinals must count from 0. Score may call scores more than once for
	// a resource, and scores must not use the index.
	Score(ctx context.Context, q Query, scores func(resource, version string) Scores) (*Result, error)
}

var _ Scorer = (*Local)(nil)

// Scores returns the score of an entry; ok is false if the entry has none.
type Scores func(ordinal int) (score float64, ok bool)

// Words returns the words that a query asks for, as text, without excluded
// words and the operators of the query language.
func Words(text string, s Syntax) string {
	var words []string
	for _, c := range parse(text, s) {
		if !c.excluded {
			words = append(words, c.text)
		}
	}
	return strings.Join(words, " ")
}

// Score implements [Scorer].
func (l *Local) Score(ctx context.Context, q Query, scores func(resource, version string) Scores) (*Result, error) {
	if q.TopK <= 0 {
		q.TopK = defaultTopK
	}
	var result *Result
	err := l.read(ctx, func(s *snapshot) error {
		f, err := s.filter(&q.Filters)
		if err != nil {
			return err
		}
		c := &scoreCall{snapshot: s, scores: scores, limit: min(q.TopK, maxTopK)}
		for _, compiled := range compile(s, &q) {
			if f != nil {
				compiled.query.Only = f.only
			}
			passing, err := segment.Passing(ctx, compiled.group.views, &compiled.query)
			if err != nil {
				return compiled.group.damageOf(err)
			}
			for i, view := range compiled.group.at {
				if err := c.view(ctx, view, passing[i]); err != nil {
					return err
				}
			}
		}
		result, err = c.result()
		return err
	})
	return result, err
}

// A scoreCall is one call of Score.
type scoreCall struct {
	snapshot *snapshot
	scores   func(resource, version string) Scores
	limit    int
	best     bestScored
	total    int
}

// A scoredEntry is an entry with its score.
type scoredEntry struct {
	score    float64
	resource string // id
	ordinal  int
	view     int
	doc      uint32
}

// compare is negative if a comes before b.
func (a scoredEntry) compare(b scoredEntry) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.resource, b.resource), cmp.Compare(a.ordinal, b.ordinal))
}

// bestScored is a heap with the worst entry on top.
type bestScored []scoredEntry

func (b bestScored) Len() int           { return len(b) }
func (b bestScored) Less(i, j int) bool { return b[i].compare(b[j]) > 0 }
func (b bestScored) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *bestScored) Push(s any)        { *b = append(*b, s.(scoredEntry)) }

func (b *bestScored) Pop() any {
	last := (*b)[len(*b)-1]
	*b = (*b)[:len(*b)-1]
	return last
}

// view scores the entries of one view that pass.
func (c *scoreCall) view(ctx context.Context, view int, passing segment.Bitmap) error {
	v := c.snapshot.views[view]
	for n := range v.Segment.Resources() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if isDead(c.snapshot.dead[c.snapshot.of[view]], n) {
			continue
		}
		r, docs := v.Segment.Resource(n)
		scores := c.scores(r.ID, r.Version)
		if scores == nil {
			continue
		}
		first, err := c.firstOrdinal(view, r, docs)
		if err != nil {
			return damageOf(err, view)
		}
		for doc := docs.First; doc < docs.End; doc++ {
			if passing.Has(doc) {
				c.add(scores, scoredEntry{resource: r.ID, view: view, doc: doc, ordinal: first + int(doc-docs.First)})
			}
		}
	}
	return nil
}

func damageOf(err error, view int) error {
	if errors.Is(err, segment.ErrDamaged) {
		return &segment.DamageError{View: view}
	}
	return err
}

// firstOrdinal returns the ordinal of a segment's first entry of a resource.
func (c *scoreCall) firstOrdinal(view int, r segment.Resource, docs segment.Range) (int, error) {
	if r.Part == 0 || docs.First == docs.End {
		return 0, nil
	}
	h, err := c.snapshot.hit(segment.Hit{View: view, Doc: docs.First}, nil, 1)
	if err != nil {
		return 0, segment.ErrDamaged
	}
	return h.Entry.Ordinal, nil
}

func (c *scoreCall) add(scores Scores, s scoredEntry) {
	var ok bool
	if s.score, ok = scores(s.ordinal); !ok {
		return
	}
	c.total++
	switch {
	case len(c.best) < c.limit:
		heap.Push(&c.best, s)
	case s.compare(c.best[0]) < 0:
		c.best[0] = s
		heap.Fix(&c.best, 0)
	}
}

// result returns the best entries. It leaves out an entry whose ordinal does
// not match its position, because it has the score of another entry.
func (c *scoreCall) result() (*Result, error) {
	slices.SortFunc(c.best, scoredEntry.compare)
	result := &Result{Total: c.total, Exact: true}
	for _, s := range c.best {
		h, err := c.snapshot.hit(segment.Hit{View: s.view, Doc: s.doc, Score: s.score}, nil, 1)
		if err != nil {
			return nil, &segment.DamageError{View: s.view}
		}
		if h.Entry.Ordinal == s.ordinal {
			result.Hits = append(result.Hits, h)
		}
	}
	result.Order(c.limit)
	return result, nil
}
