package search

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/search/index"
)

// semantics is what a Searcher has beside the options of [Semantics].
type semantics struct {
	Semantics
	name  string // of the Embedder
	store vectorStore

	mu         sync.Mutex
	sets       map[string]*vectorSet // by resource
	bytes      int64                 // of them
	crowded    map[string]string     // versions of resources whose vectors have no room
	dimensions int                   // 0 until they are known
	pass       *embedding            // nil if none is under way
	stale      bool                  // vectors may be missing
	changed    bool                  // the index was changed since a pass began
	ended      time.Time             // the last pass
	failures   int                   // of passes, one after the other
}

const (
	checkpoint = 1024             // vectors after which a part of a resource is kept
	giveUp     = 3                // texts in a row that are not embedded, after which anyText is tried
	anyText    = "word"           // which every model embeds
	batchWait  = 5 * time.Minute  // for a batch of passages
	keepWait   = 10 * time.Second // to keep what was made when a pass is stopped
)

// Embed makes the vectors that are missing, after it has brought the index up to
// date, and waits for them. A search does not need it: it begins to make them
// itself. Without an Embedder it only brings the index up to date. When its
// caller gives up, the making goes on until [Searcher.Close]; what was made by
// then is kept.
func (s *Searcher) Embed(ctx context.Context) error {
	if err := s.Update(ctx); err != nil || s.semantics == nil || s.semantics.Embedder == nil {
		return err
	}
	for {
		e, began := s.startEmbedding(true)
		select {
		case <-e.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if began || e.err != nil {
			return e.err
		}
		// It may have passed over resources before they became what they are.
	}
}

// An embedding is one pass over all resources that makes the vectors they lack.
// What it waits for, it waits for in its own goroutine.
type embedding struct {
	*Searcher
	began time.Time
	done  chan struct{}
	err   error

	drafts     []*draft // that wait for vectors
	queue      []queued
	texts      int   // embedded so far
	dimensions int   // of all vectors
	unkept     error // of vectors that are in memory alone
}

// A draft is the vectors of a resource, as far as they are made.
type draft struct {
	file    vectorFile
	old     map[textHash]vector // made earlier
	waiting int                 // texts in the queue
	fresh   int                 // made since it was last kept
	whole   bool                // all entries are in
}

// A queued is a text that waits to be embedded.
type queued struct {
	draft *draft
	at    int // in draft.file.vectors
	text  string
}

// embedChanges begins to make vectors, as the index changed.
func (s *Searcher) embedChanges() {
	if s.semantics != nil && s.semantics.Embedder != nil {
		s.semantics.mayLack(true)
		s.startEmbedding(false)
	}
}

// mayLack notes that vectors may be missing. Those of an index that was just
// changed are made at once, others after some time.
func (m *semantics) mayLack(changed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stale = true
	m.changed = m.changed || changed
}

// startEmbedding returns the pass that is under way, or one that it began as
// vectors may be missing or as that was asked for; else nil. After one that failed
// it waits longer each time.
func (s *Searcher) startEmbedding(asked bool) (e *embedding, began bool) {
	m := s.semantics
	m.mu.Lock()
	defer m.mu.Unlock()
	due := m.changed && m.failures == 0 || m.stale && time.Since(m.ended) >= retryAfter<<min(m.failures, 7)
	if err := s.background.Err(); err != nil { // closed
		e = &embedding{done: make(chan struct{}), err: err}
		close(e.done)
		return e, true
	}
	if m.pass != nil || !asked && !due {
		return m.pass, false
	}
	e = &embedding{Searcher: s, began: time.Now(), done: make(chan struct{})}
	m.pass, m.stale, m.changed = e, false, false
	s.running.Go(func() {
		e.err = e.run(s.background)
		m.mu.Lock()
		m.pass, m.ended = nil, time.Now()
		if m.failures++; e.err == nil {
			m.failures = 0
		} else {
			m.stale = true
		}
		m.mu.Unlock()
		close(e.done)
	})
	return e, true
}

// run makes what is missing. What was made until an error is kept.
func (e *embedding) run(ctx context.Context) error {
	ids, err := e.lib.Resources(ctx)
	if err == nil {
		err = e.learnDimensions(ctx)
	}
	if err != nil {
		return err
	}
	e.semantics.keepOnly(ids)
	for _, id := range ids {
		if err = e.resource(ctx, id); err != nil {
			break
		}
	}
	if err == nil {
		err = e.flush(ctx)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepWait)
	defer cancel()
	for _, d := range e.drafts {
		if d.fresh > 0 {
			_ = e.keepPart(ctx, d)
		}
	}
	return cmp.Or(err, e.unkept)
}

// learnDimensions finds out how many numbers a vector has, by embedding a word if
// nothing else says so.
func (e *embedding) learnDimensions(ctx context.Context) (err error) {
	m := e.semantics
	if e.dimensions = m.knownDimensions(); e.dimensions > 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, batchWait)
	defer cancel()
	_, err = m.embed(ctx, PassageText, []string{anyText})
	e.dimensions = m.knownDimensions()
	return err
}

func (m *semantics) knownDimensions() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dimensions
}

// keepOnly releases the vectors of other resources.
func (m *semantics) keepOnly(ids []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	listed := make(map[string]bool, len(ids))
	for _, id := range ids {
		listed[id] = true
	}
	for id := range m.sets {
		if !listed[id] {
			m.release(id)
		}
	}
	maps.DeleteFunc(m.crowded, func(id, _ string) bool { return !listed[id] })
}

// release lets go of the vectors of a resource, which makes room for others.
func (m *semantics) release(id string) {
	if set := m.sets[id]; set != nil {
		m.bytes -= set.size()
		delete(m.sets, id)
		clear(m.crowded)
	}
}

// isDone reports whether nothing is to be made of a version of a resource: its
// vectors are there, or have no room.
func (m *semantics) isDone(id, version string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	set := m.sets[id]
	return set != nil && set.version == version || m.isCrowded(id, version)
}

func (m *semantics) isCrowded(id, version string) bool {
	crowded, ok := m.crowded[id]
	return ok && crowded == version
}

// install holds the vectors of a resource in memory, if there is room.
func (m *semantics) install(id string, set *vectorSet) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.release(id)
	if m.bytes+set.size() > m.MaxBytes {
		m.crowded[id] = set.version
		return
	}
	m.sets[id] = set
	m.bytes += set.size()
}

// resource queues the texts of a resource that have no vector. One that cannot
// be read is passed over: the index does not have it either.
func (e *embedding) resource(ctx context.Context, id string) error {
	version, err := e.version(ctx, id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || e.semantics.isDone(id, version) || e.hasFailed(id, version) {
		return err
	}
	kept, err := e.semantics.load(ctx, id, e.dimensions)
	if err != nil {
		return err
	}
	if kept.Complete && kept.Version == version {
		e.semantics.install(id, newVectorSet(version, kept.Dimensions, kept.vectors))
		return nil
	}
	m, err := e.lib.Map(ctx, id)
	if err != nil {
		return ctx.Err()
	}
	d := e.begin(id, version, kept)
	var failed error
	err = makeEntries(ctx, e.layers, m, func(entry index.Entry) bool {
		failed = e.add(ctx, d, entry)
		return failed == nil
	})
	if failed != nil || ctx.Err() != nil {
		return errors.Join(failed, ctx.Err())
	}
	if now, changed := e.version(ctx, id); err != nil || changed != nil || now != version {
		e.drop(d)
		if err != nil && ctx.Err() == nil {
			e.setFailed(id, version) // so that nobody waits for its vectors
		}
		return ctx.Err()
	}
	d.whole = true
	return e.finish(ctx, d)
}

func (e *embedding) begin(id, version string, kept *vectorFile) *draft {
	d := &draft{old: make(map[textHash]vector, len(kept.vectors))}
	d.file.vectorHead = vectorHead{Resource: id, Version: version, Model: e.semantics.name, Dimensions: e.dimensions}
	for _, v := range kept.vectors {
		if v.scale > 0 {
			d.old[v.hash] = v
		}
	}
	e.drafts = append(e.drafts, d)
	return d
}

// drop gives a draft up.
func (e *embedding) drop(d *draft) {
	e.queue = slices.DeleteFunc(e.queue, func(q queued) bool { return q.draft == d })
	e.drafts = slices.DeleteFunc(e.drafts, func(other *draft) bool { return other == d })
}

// add adds an entry to a draft, with the vector its text had earlier.
func (e *embedding) add(ctx context.Context, d *draft, entry index.Entry) error {
	text := embedded(entry)
	hash := hashOf(text)
	v, known := d.old[hash]
	if !known {
		v = vector{hash: hash, codes: make([]int8, d.file.Dimensions)}
	}
	d.file.vectors = append(d.file.vectors, v)
	if known || text == "" {
		return nil
	}
	d.waiting++
	e.queue = append(e.queue, queued{d, len(d.file.vectors) - 1, text})
	if len(e.queue) < e.semantics.Batch {
		return nil
	}
	return e.flush(ctx)
}

// embedded returns what of an entry is embedded; "" if it says nothing.
func embedded(entry index.Entry) string {
	text := entry.Text
	if text == "" {
		text = entry.Summary
	}
	return plain.Cut(strings.TrimSpace(titled(entry.Title, text)), maxEmbedded)
}

// flush embeds what is queued.
func (e *embedding) flush(ctx context.Context) error {
	if len(e.queue) == 0 {
		return nil
	}
	texts := make([]string, len(e.queue))
	for i, q := range e.queue {
		texts[i] = q.text
	}
	vectors, err := e.embedSome(ctx, texts)
	if err != nil {
		return err
	}
	for i, q := range e.queue {
		v := &q.draft.file.vectors[q.at]
		if q.draft.waiting--; vectors[i] != nil {
			v.scale, v.codes = quantise(vectors[i])
			q.draft.fresh++
		}
	}
	e.queue = e.queue[:0]
	if e.texts += len(texts); e.semantics.Progress != nil {
		e.semantics.Progress(e.texts)
	}
	for _, d := range slices.Clone(e.drafts) {
		if err := e.finish(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// embedSome returns the vectors of some texts. If they are not embedded together
// each is tried by itself, and one that is refused has a nil vector, so that it
// keeps no other from having its own. An error means that no text is embedded.
func (e *embedding) embedSome(ctx context.Context, texts []string) ([][]float32, error) {
	embed := func(texts []string) ([][]float32, error) {
		ctx, cancel := context.WithTimeout(ctx, batchWait)
		defer cancel()
		return e.semantics.embed(ctx, PassageText, texts)
	}
	vectors, err := embed(texts)
	if err == nil {
		return vectors, nil
	}
	vectors = make([][]float32, len(texts))
	for i, failed := 0, 0; i < len(texts); i++ {
		one, err := embed(texts[i : i+1])
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			vectors[i], failed = one[0], 0
			continue
		}
		if failed++; failed < min(giveUp, len(texts)) {
			continue
		}
		if _, down := embed([]string{anyText}); down != nil {
			return nil, err
		}
		failed = 0 // it is these texts that are refused
	}
	return vectors, nil
}

// finish keeps a draft that has all vectors, or a part of it that took long.
func (e *embedding) finish(ctx context.Context, d *draft) error {
	if !d.whole || d.waiting > 0 {
		if d.fresh < checkpoint {
			return nil
		}
		_ = e.keepPart(ctx, d) // else it is made again
		return ctx.Err()
	}
	d.file.Complete = true
	e.drop(d)
	e.semantics.install(d.file.Resource, newVectorSet(d.file.Version, d.file.Dimensions, d.file.vectors))
	if err := e.semantics.keep(ctx, &d.file); err != nil {
		e.unkept = err
	}
	return ctx.Err()
}

// keepPart keeps the vectors of a draft that there are, and those that were made
// earlier.
func (e *embedding) keepPart(ctx context.Context, d *draft) error {
	part := vectorFile{vectorHead: d.file.vectorHead}
	made := make(map[textHash]bool)
	for _, v := range d.file.vectors {
		if v.scale > 0 && !made[v.hash] {
			made[v.hash] = true
			part.vectors = append(part.vectors, v)
		}
	}
	for hash, v := range d.old {
		if !made[hash] {
			part.vectors = append(part.vectors, v)
		}
	}
	d.fresh = 0
	return e.semantics.keep(ctx, &part)
}
