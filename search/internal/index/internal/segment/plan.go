package segment

import (
	"cmp"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// A plan is a query with the statistics of the segments.
type plan struct {
	views  []View
	query  *Query
	lookup *Lookup
	words  []plannedWord
	pairs  [][2]int // pairs of words, as in the query
	mean   float64  // mean length of documents
	depth  int      // how many candidates are rescored

	conditions []plannedCondition
}

// A plannedWord is a word that at least one segment has.
type plannedWord struct {
	index  int // in the query
	terms  []string
	at     [][]entry // by term and view; zero docs if the view lacks the term
	docs   int
	weight float64 // without Count
	scored float64 // with Count
}

const (
	minDepth   = 30
	depthPerK  = 3
	verboseCut = 8 // number of words from which segments are searched concurrently
)

func newPlan(views []View, q *Query) (*plan, error) {
	p := &plan{views: views, query: q, lookup: q.Lookup, depth: max(minDepth, depthPerK*q.K)}
	if p.lookup == nil {
		p.lookup = NewLookup(views)
	}
	if err := p.planConditions(); err != nil {
		return nil, err
	}
	docs, length := 0, uint64(0)
	for _, v := range views {
		docs += v.Segment.docs
		length += v.Segment.footer.length
	}
	if p.mean = float64(length) / float64(docs); !(p.mean > 0) {
		p.mean = 1
	}
	left := MaxTerms
	for i, w := range q.Words {
		planned, err := p.word(i, w, min(left, len(w.Terms)))
		if err != nil {
			return nil, err
		}
		if planned.docs == 0 {
			continue
		}
		left -= len(planned.terms)
		n, all := float64(min(planned.docs, docs)), float64(docs)
		planned.weight = math.Log(1+(all-n+.5)/(n+.5)) * (K1 + 1) * w.Boost
		planned.scored = planned.weight * float64(w.Count)
		p.words = append(p.words, planned)
	}
	p.keepRarest()
	for _, pair := range q.Pairs {
		i, j := p.planned(pair[0]), p.planned(pair[1])
		if i >= 0 && j >= 0 {
			p.pairs = append(p.pairs, [2]int{i, j})
		}
	}
	return p, nil
}

// word looks up the first terms of a word in all segments.
func (p *plan) word(index int, w Word, terms int) (plannedWord, error) {
	planned := plannedWord{index: index, terms: w.Terms[:terms], at: make([][]entry, terms)}
	for i, term := range planned.terms {
		at, err := p.lookup.find(term)
		if err != nil {
			return planned, err
		}
		for _, e := range at {
			planned.docs += e.docs
		}
		planned.at[i] = at
	}
	return planned, nil
}

// keepRarest keeps the rarest words, in query order.
func (p *plan) keepRarest() {
	if len(p.words) <= MaxWords {
		return
	}
	slices.SortStableFunc(p.words, func(a, b plannedWord) int { return cmp.Compare(a.docs, b.docs) })
	p.words = p.words[:MaxWords]
	slices.SortFunc(p.words, func(a, b plannedWord) int { return cmp.Compare(a.index, b.index) })
}

// planned returns the index of the planned word for a word of the query, or -1.
func (p *plan) planned(index int) int {
	i, ok := slices.BinarySearchFunc(p.words, index, func(w plannedWord, index int) int { return cmp.Compare(w.index, index) })
	if !ok {
		return -1
	}
	return i
}

// A searchResult is the result of searching one or more views.
type searchResult struct {
	best   topCandidates
	total  int
	exact  bool
	shared *sharedState // nil for a search that runs alone
}

// sharedState is the state that concurrent searches share.
type sharedState struct {
	total     atomic.Int64
	threshold atomic.Uint32 // bits of a nonnegative float32
}

// count adds n matching documents.
func (f *searchResult) count(n int) {
	f.total += n
	if f.shared != nil {
		f.shared.total.Add(int64(n))
	}
}

// isCounting reports whether all matching documents are still counted.
func (f *searchResult) isCounting() bool {
	if f.shared != nil {
		return f.shared.total.Load() < CountTo
	}
	return f.total < CountTo
}

// share publishes the score that a document must exceed to be among the best here, and
// returns the score it must exceed to be among the best of all. Of equal scores the
// earlier view wins, so the published score is slightly lower.
func (f *searchResult) share() float32 {
	own := f.best.threshold()
	if f.shared == nil {
		return own
	}
	less := math.Nextafter32(own, 0)
	for {
		bits := f.shared.threshold.Load()
		others := math.Float32frombits(bits)
		if others >= less || f.shared.threshold.CompareAndSwap(bits, math.Float32bits(less)) {
			return max(own, others)
		}
	}
}

// runAll searches all views, concurrently if there is much to do.
func (p *plan) runAll(ctx context.Context) (*searchResult, error) {
	workers := min(runtime.GOMAXPROCS(0), len(p.views))
	if len(p.words) < verboseCut || workers < 2 {
		all := p.finding()
		for v := range p.views {
			if err := p.run(ctx, v, all); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	return p.runSideBySide(ctx, workers)
}

func (p *plan) finding() *searchResult {
	return &searchResult{best: topCandidates{limit: p.depth, heap: make([]candidate, 0, min(p.depth, minDepth))}, exact: true}
}

func (p *plan) runSideBySide(ctx context.Context, workers int) (*searchResult, error) {
	next := make(chan int, len(p.views))
	for v := range p.views {
		next <- v
	}
	close(next)
	parts, errs := make([]*searchResult, workers), make([]error, workers)
	common := new(sharedState)
	var wait sync.WaitGroup
	for w := range workers {
		parts[w] = p.finding()
		parts[w].shared = common
		wait.Go(func() {
			for v := range next {
				if errs[w] = p.run(ctx, v, parts[w]); errs[w] != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	all := parts[0]
	for _, part := range parts[1:] {
		all.total += part.total
		all.exact = all.exact && part.exact
		for _, c := range part.best.heap {
			all.best.add(c)
		}
	}
	return all, nil
}

// run searches one view. A memory fault while reading counts as damage.
func (p *plan) run(ctx context.Context, view int, into *searchResult) error {
	err := Guard(func() error {
		s := scans.Get().(*scan)
		defer s.release()
		return s.run(ctx, p, view, into)
	})
	if errors.Is(err, ErrDamaged) {
		return &DamageError{view}
	}
	return err
}

// only returns the documents of a view that may match, nil for all. It does not apply
// conditions.
func (p *plan) only(view View) (Bitmap, error) {
	if p.query.Only == nil {
		return view.live, nil
	}
	may, err := p.query.Only(view.Segment)
	if may == nil || err != nil {
		return view.live, err
	}
	if view.live != nil {
		may.Keep(view.live)
	}
	return may, nil
}
