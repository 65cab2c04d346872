package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/search/internal/index"
)

// nearestPassages is how many of the nearest passages are joined with those
// found by words.
const nearestPassages = 100

// A fusion is an index that joins the ranking by words with one by vectors, and
// reranks the best hits. If that fails, it ranks by words, and records what is
// missing.
type fusion struct {
	index.Index // ranks by words
	reader      *reader
	asked       string // the text of the query

	limited  context.Context // ends when the search stops waiting; nil before it starts
	cancel   context.CancelFunc
	query    *queryVector       // nil if there is none
	judged   map[string]float64 // by the Reranker
	unjudged bool               // the Reranker failed, or is not to be asked
	lacks    string
}

// Search implements [index.Index].
func (f *fusion) Search(ctx context.Context, q index.Query) (*index.Result, error) {
	asking := f.begin(ctx)
	wide := q
	wide.TopK = max(q.TopK, nearestPassages, f.reader.semantics.Rerank)
	found, err := f.Index.Search(ctx, wide)
	if err != nil {
		return nil, err
	}
	asking()
	if f.query != nil {
		f.fuse(ctx, q, found)
	}
	if f.reader.semantics.Reranker != nil && !f.unjudged && strings.TrimSpace(f.asked) != "" {
		f.rerank(found)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found.Hits = found.Hits[:min(len(found.Hits), max(q.TopK, 1))]
	return found, nil
}

// lack records why the ranking is incomplete. It shows no message of a model,
// which may contain secrets.
func (f *fusion) lack(what string, err error) {
	if f.lacks != "" {
		return
	}
	f.lacks = what + " failed"
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		f.lacks = what + " did not answer in time"
	}
}

// begin starts embedding the query, at its first call, and making the missing
// vectors. It returns a function that waits for both.
func (f *fusion) begin(ctx context.Context) (wait func()) {
	if f.limited != nil {
		return func() {}
	}
	m := f.reader.semantics
	limit := time.Now().Add(m.Wait)
	if deadline, limited := ctx.Deadline(); limited {
		if last := deadline.Add(-reserve(time.Until(deadline))); last.Before(limit) {
			limit = last
		}
	}
	f.limited, f.cancel = context.WithDeadline(ctx, limit)
	if m.Embedder == nil || strings.TrimSpace(f.asked) == "" {
		return func() {}
	}
	pass, _ := f.reader.startEmbedding(false)
	embedded := make(chan func(), 1)
	go func() {
		vectors, err := m.embed(f.limited, QueryText, []string{plain.Cut(f.asked, maxEmbedded)})
		embedded <- func() {
			if err != nil {
				f.lack("the embedder", err)
				return
			}
			q := newQueryVector(vectors[0])
			f.query = &q
		}
	}()
	return func() {
		(<-embedded)()
		if pass != nil && f.query != nil {
			f.await(pass)
		}
	}
}

// await waits for vectors that are being made, until the wait time is over.
func (f *fusion) await(pass *embedPass) {
	ctx, cancel := context.WithDeadline(f.limited, pass.began.Add(f.reader.semantics.Wait))
	defer cancel()
	select {
	case <-pass.done:
	case <-ctx.Done():
	}
}

// fuse joins the hits found by words with the nearest passages, and ranks them
// again.
func (f *fusion) fuse(ctx context.Context, q index.Query, found *index.Result) {
	m := f.reader.semantics
	scorer, ok := f.reader.index.(index.Scorer)
	if !ok {
		return
	}
	missing, crowded := make(map[string]bool), make(map[string]bool)
	wanted := q
	wanted.TopK = nearestPassages
	near, err := scorer.Score(ctx, wanted, func(id, version string) index.Scores {
		version, _ = splitVersion(version)
		m.mu.Lock()
		defer m.mu.Unlock()
		set := m.sets[id]
		switch {
		case m.isCrowded(id, version):
			crowded[id] = true
			return nil
		case set == nil || set.version != version || set.dimensions != len(f.query.codes):
			missing[id] = true
			return nil
		}
		return set.scores(f.query)
	})
	if err != nil {
		f.lack("the comparison of vectors", err)
		return
	}
	f.lackVectors(ctx, missing, crowded)
	f.join(found, near, q.Explain)
}

// mostGone is how many resources without vectors are checked: a resource may
// have no readable text, or its vectors may not be made yet.
const mostGone = 1000

// lackVectors records that some resources have no vectors, because they are not
// made yet or do not fit. Deleted resources, which an index may still have,
// need none.
func (f *fusion) lackVectors(ctx context.Context, missing, crowded map[string]bool) {
	if len(missing) <= mostGone {
		maps.DeleteFunc(missing, func(id string, _ bool) bool {
			version, err := f.reader.version(ctx, id)
			return errors.Is(err, fs.ErrNotExist) || f.reader.isUnreadable(id, version)
		})
	}
	if len(missing)+len(crowded) > 0 {
		f.reader.semantics.mayLack(false)
	}
	if len(missing) > 0 {
		f.lacks = cmp.Or(f.lacks, "the vectors of "+message.Count(len(missing), "resource")+" are not made yet")
	}
	if len(crowded) > 0 {
		f.lacks = cmp.Or(f.lacks, "the vectors of "+message.Count(len(crowded), "resource")+" have no room")
	}
}

// join adds the hits that only vectors found, and gives all hits the scores of
// weighted reciprocal rank fusion: 1 for a hit that is first in both rankings. Both
// rank entries: rows of one entry have the same vector, and displace no other.
func (f *fusion) join(found, near *index.Result, explain bool) {
	m := f.reader.semantics
	unit := (m.K + 1) / (m.LexicalWeight + m.VectorWeight)
	listed := len(found.Hits) == found.Total
	at := make(map[string][]int, len(found.Hits))
	for i := range found.Hits {
		h := &found.Hits[i]
		key := entryKey(h)
		before := len(at) // entries
		if at[key] != nil {
			before-- // without its own
		}
		at[key] = append(at[key], i)
		h.Score = unit * m.LexicalWeight / (m.K + float64(before+1))
	}
	for place := range near.Hits {
		h := near.Hits[place]
		share := unit * m.VectorWeight / (m.K + float64(place+1))
		rows := at[entryKey(&h)]
		if rows == nil {
			rows = []int{len(found.Hits)}
			h.Score = 0
			found.Hits = append(found.Hits, h)
		}
		for _, i := range rows {
			found.Hits[i].Score += share
			if explain {
				found.Hits[i].Parts = append(found.Hits[i].Parts, index.Part{Term: f.asked, Vector: true, Score: share})
			}
		}
	}
	slices.SortStableFunc(found.Hits, func(a, b index.Hit) int { return cmp.Compare(b.Score, a.Score) })
	found.Exact = found.Exact && listed
	found.Total = max(found.Total, len(found.Hits))
}

// entryKey identifies the entry of a hit, and hitKey the hit: rows of a table may be
// hits of one entry.
func entryKey(h *index.Hit) string { return h.Resource + "\x00" + strconv.Itoa(h.Entry.Ordinal) }
func hitKey(h *index.Hit) string   { return entryKey(h) + "\x00" + h.Entry.Location }

// rerank puts the best hits in the order of the Reranker. The scores of these
// hits stay, in descending order. Hits whose text has changed come last among
// them.
func (f *fusion) rerank(found *index.Result) {
	best := found.Hits[:min(len(found.Hits), f.reader.semantics.Rerank)]
	if err := f.judge(best); err != nil {
		f.unjudged = true
		f.lack("the reranker", err)
		return
	}
	scores := make([]float64, len(best))
	for i := range best {
		scores[i] = best[i].Score
	}
	judgement := func(h *index.Hit) float64 {
		if score, ok := f.judged[hitKey(h)]; ok {
			return score
		}
		return math.Inf(-1)
	}
	slices.SortStableFunc(best, func(a, b index.Hit) int { return cmp.Compare(judgement(&b), judgement(&a)) })
	for i := range best {
		best[i].Score = scores[i]
	}
}

// judge gets the judgements of hits that have none yet.
func (f *fusion) judge(hits []index.Hit) error {
	var keys, texts []string
	for i := range hits {
		key := hitKey(&hits[i])
		if _, judged := f.judged[key]; judged {
			continue
		}
		text, err := f.reader.text(f.limited, &hits[i])
		if f.limited.Err() != nil {
			return f.limited.Err()
		}
		if err == nil && strings.TrimSpace(text) != "" {
			keys, texts = append(keys, key), append(texts, plain.Cut(text, maxEmbedded))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	scores, err := call(f.limited, func() ([]float64, error) {
		return f.reader.semantics.Reranker.Rerank(f.limited, plain.Cut(f.asked, maxEmbedded), texts)
	})
	if err != nil {
		return err
	}
	if len(scores) != len(texts) || slices.ContainsFunc(scores, func(s float64) bool { return math.IsNaN(s) || math.IsInf(s, 0) }) {
		return fmt.Errorf("search: the reranker returned %d scores for %d texts, or one that is not finite", len(scores), len(texts))
	}
	if f.judged == nil {
		f.judged = make(map[string]float64)
	}
	for i, key := range keys {
		f.judged[key] = scores[i]
	}
	return nil
}
