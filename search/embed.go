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
	"github.com/citekit/citekit/search/internal/index"
)

// semantics is the state of a Searcher for [Semantics].
type semantics struct {
	Semantics
	name  string // of the Embedder
	store vectorStore

	mu         sync.Mutex
	sets       map[string]*vectorSet // by resource
	bytes      int64                 // of all sets
	crowded    map[string]string     // versions of resources whose vectors do not fit
	dimensions int                   // 0 until known
	pass       *embedPass            // nil if none is running
	stale      bool                  // vectors may be missing
	changed    bool                  // the index changed since a pass began
	ended      time.Time             // end of the last pass
	failures   int                   // consecutive failed passes
}

const (
	checkpoint = 1024             // vectors after which part of a resource is stored
	giveUp     = 3                // consecutive texts that fail before anyText is tried
	anyText    = "word"           // every model embeds this
	batchWait  = 5 * time.Minute  // for a batch of passages
	keepWait   = 10 * time.Second // to store vectors when a pass is stopped
)

// Embed brings the index up to date, makes the missing vectors, and waits for
// them. Searches do not need it, because they start making vectors themselves.
// Without an Embedder, Embed only brings the index up to date. If ctx ends, the
// work continues until [Searcher.Close]; vectors made by then are kept.
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
		// The pass may have handled some resources before their last change.
	}
}

// An embedPass is one pass over all resources that makes their missing vectors.
// It waits in its own goroutine.
type embedPass struct {
	*Searcher
	began time.Time
	done  chan struct{}
	err   error

	drafts     []*draft // waiting for vectors
	queue      []pendingText
	texts      int   // embedded so far
	dimensions int   // of all vectors
	unkept     error // error of storing vectors that are only in memory
}

// A draft holds the vectors of a resource made so far.
type draft struct {
	file    vectorFile
	old     map[textHash]vector // made earlier
	waiting int                 // texts in the queue
	fresh   int                 // made since it was last stored
	whole   bool                // all entries are in
}

// A pendingText is a text that waits for its vector.
type pendingText struct {
	draft *draft
	at    int // in draft.file.vectors
	text  string
}

// embedChanges starts making vectors after the index changed.
func (s *Searcher) embedChanges() {
	if s.semantics != nil && s.semantics.Embedder != nil {
		s.semantics.mayLack(true)
		s.startEmbedding(false)
	}
}

// mayLack records that vectors may be missing. Vectors of an index that just
// changed are made at once, others after some time.
func (m *semantics) mayLack(changed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stale = true
	m.changed = m.changed || changed
}

// startEmbedding returns the running pass, or starts one if asked is set or
// vectors may be missing; otherwise it returns nil. After failures, it waits
// longer each time.
func (s *Searcher) startEmbedding(asked bool) (e *embedPass, began bool) {
	m := s.semantics
	m.mu.Lock()
	defer m.mu.Unlock()
	due := m.changed && m.failures == 0 || m.stale && time.Since(m.ended) >= retryAfter<<min(m.failures, 7)
	if err := s.background.Err(); err != nil { // closed
		e = &embedPass{done: make(chan struct{}), err: err}
		close(e.done)
		return e, true
	}
	if m.pass != nil || !asked && !due {
		return m.pass, false
	}
	e = &embedPass{Searcher: s, began: time.Now(), done: make(chan struct{})}
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

// run makes the missing vectors. Vectors made before an error are kept.
func (e *embedPass) run(ctx context.Context) error {
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

// learnDimensions determines how many numbers a vector has. If nothing else
// gives the number, it embeds a word.
func (e *embedPass) learnDimensions(ctx context.Context) (err error) {
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

// release drops the vectors of a resource, to make space for others.
func (m *semantics) release(id string) {
	if set := m.sets[id]; set != nil {
		m.bytes -= set.size()
		delete(m.sets, id)
		clear(m.crowded)
	}
}

// isDone reports whether a version of a resource needs no work: its vectors
// exist, or do not fit.
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

// install holds the vectors of a resource in memory, if they fit.
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

// resource queues the texts of a resource that have no vector. It skips an
// unreadable resource, which the index does not have either.
func (e *embedPass) resource(ctx context.Context, id string) error {
	version, err := e.version(ctx, id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || e.semantics.isDone(id, version) || e.isUnreadable(id, version) {
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
	err = makeEntries(ctx, e.layers, m, newMeter(ctx, e.lib, m), func(entry index.Entry) bool {
		failed = e.add(ctx, d, entry)
		return failed == nil
	})
	if failed != nil || ctx.Err() != nil {
		return errors.Join(failed, ctx.Err())
	}
	if now, changed := e.version(ctx, id); err != nil || changed != nil || now != version {
		e.drop(d)
		if err != nil && ctx.Err() == nil {
			e.setFailed(id, version, err) // so that no search waits for its vectors
		}
		return ctx.Err()
	}
	d.whole = true
	return e.finish(ctx, d)
}

func (e *embedPass) begin(id, version string, kept *vectorFile) *draft {
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

// drop abandons a draft.
func (e *embedPass) drop(d *draft) {
	e.queue = slices.DeleteFunc(e.queue, func(q pendingText) bool { return q.draft == d })
	e.drafts = slices.DeleteFunc(e.drafts, func(other *draft) bool { return other == d })
}

// add adds an entry to a draft, with the vector that its text had before.
func (e *embedPass) add(ctx context.Context, d *draft, entry index.Entry) error {
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
	e.queue = append(e.queue, pendingText{d, len(d.file.vectors) - 1, text})
	if len(e.queue) < e.semantics.Batch {
		return nil
	}
	return e.flush(ctx)
}

// embedded returns the text of an entry to embed; "" if there is none.
func embedded(entry index.Entry) string {
	text := entry.Text
	if text == "" {
		text = entry.Summary
	}
	return plain.Cut(strings.TrimSpace(titled(entry.Title, text)), maxEmbedded)
}

// flush embeds the queued texts.
func (e *embedPass) flush(ctx context.Context) error {
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

// embedSome returns the vectors of some texts. If embedding them together
// fails, it tries each by itself. A rejected text gets a nil vector, so that
// the other texts still get theirs. An error means that the Embedder rejects
// every text.
func (e *embedPass) embedSome(ctx context.Context, texts []string) ([][]float32, error) {
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
		failed = 0 // these texts are the problem
	}
	return vectors, nil
}

// finish stores a draft that has all vectors, or a part of it if many are new.
func (e *embedPass) finish(ctx context.Context, d *draft) error {
	if !d.whole || d.waiting > 0 {
		if d.fresh < checkpoint {
			return nil
		}
		_ = e.keepPart(ctx, d) // on failure the part is made again
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

// keepPart stores the vectors that a draft has so far, and the earlier ones.
func (e *embedPass) keepPart(ctx context.Context, d *draft) error {
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
