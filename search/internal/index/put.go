package index

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/terms"
	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

const (
	flushDocs  = 25_000   // documents of a segment when it is written
	flushBytes = 48 << 20 // approximate limit on a builder's memory
	maxWriters = 4

	batchEntries = 256
	batchBytes   = 256 << 10 // of text
)

// Put implements [Index].
func (l *Local) Put(ctx context.Context, resources iter.Seq[Resource]) error {
	shards, err := l.toWrite(ctx)
	switch {
	case err != nil:
		return err
	case shards != nil:
		return putShards(ctx, shards, resources)
	}
	p := newPutting(ctx, l, 1)
	p.feed(resources)
	records, err := p.finish()
	if err == nil && len(p.ids) > 0 {
		if err = l.putRecords(ctx, p.ids, records); errors.Is(err, errResharded) {
			err = l.putDivided(ctx, p.ids, records)
		} else if err == nil {
			return nil
		}
	}
	l.discard(ctx, records)
	return err
}

// putRecords replaces resources by what segments have of them.
func (l *Local) putRecords(ctx context.Context, ids map[string]bool, records []segmentRecord) error {
	err := l.change(ctx, func(e *edit) error {
		for id := range ids {
			e.outdate(id)
		}
		e.add(records)
		return nil
	})
	if err != nil {
		return err
	}
	docs := 0
	for _, r := range records {
		docs += r.Entries
	}
	_ = l.mergeAfter(ctx, docs) // the entries are stored; unfinished merging is done at the next Put
	return nil
}

// Delete implements [Index].
func (l *Local) Delete(ctx context.Context, ids ...string) error {
	shards, err := l.settled(ctx)
	if err != nil {
		return err
	}
	if shards != nil {
		all := make([][]string, len(shards))
		for _, id := range ids {
			i := shardOf(id, len(shards))
			all[i] = append(all[i], id)
		}
		for i, ids := range all {
			if len(ids) > 0 {
				if err := shards[i].Delete(ctx, ids...); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err = l.change(ctx, func(e *edit) error {
		had := false
		for _, id := range ids {
			had = e.outdate(id) || had
		}
		if !had {
			return errNothing
		}
		return nil
	})
	switch {
	case errors.Is(err, errNothing):
		return nil
	case errors.Is(err, errResharded):
		return l.Delete(ctx, ids...)
	case err != nil:
		return err
	}
	_ = l.mergeAfter(ctx, 0) // it is deleted; segments of which much is outdated are rewritten in the background
	return nil
}

// errNothing says that there is nothing to change.
var errNothing = errors.New("search: nothing to change")

// A putCall is one call of Put. Its goroutine reads the entries and passes them
// to writers that make segments of their own. All entries of a resource
// go to one writer.
type putCall struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	ids     map[string]bool
	writers []*writer
	wait    sync.WaitGroup

	part int  // number of the first part of the resources
	open bool // more parts will follow
}

// A batch is a series of entries of a resource.
type batch struct {
	resource segment.Resource
	language terms.Language
	entries  []Entry
	first    bool
	part     int
}

// newPutting returns a call of Put, one of so many that share the memory.
func newPutting(ctx context.Context, l *Local, calls int) *putCall {
	p := &putCall{ids: make(map[string]bool)}
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	writers := max(1, min(runtime.GOMAXPROCS(0), maxWriters)/calls)
	for range writers {
		w := &writer{local: l, most: min(flushBytes, maxWriters*flushBytes/(calls*writers)), batches: make(chan batch, 1), analyzers: make(map[terms.Language]*terms.Analyzer), drafts: make(map[terms.Language]*draft)}
		p.writers = append(p.writers, w)
		p.wait.Go(func() {
			if err := w.run(p.ctx); err != nil {
				p.cancel(err)
			}
		})
	}
	return p
}

// feed passes all resources to writers.
func (p *putCall) feed(resources iter.Seq[Resource]) {
	for r := range resources {
		if !p.take(r) {
			return
		}
	}
}

// take passes a resource to a writer. It returns false once the context is done.
func (p *putCall) take(r Resource) bool {
	if r.ID == "" || p.ids[r.ID] {
		p.cancel(fmt.Errorf("search: the resource id %q is empty or given twice: %w", r.ID, citekit.ErrSyntax))
	}
	if p.ctx.Err() != nil {
		return false
	}
	p.ids[r.ID] = true
	p.resource(r)
	return true
}

func (p *putCall) resource(r Resource) {
	w := p.idlest()
	b := batch{resource: segment.Resource{ID: r.ID, Version: r.Version}, first: true, part: p.part}
	size := 0
	if r.Entries != nil {
		for e := range r.Entries {
			b.entries = append(b.entries, e)
			size += len(e.Text) + len(e.Summary)
			if len(b.entries) == batchEntries || size >= batchBytes {
				if !p.send(w, &b) {
					return
				}
				size = 0
			}
		}
	}
	b.resource.Final = !p.open
	p.send(w, &b)
}

// send passes a batch to a writer, and prepares b for the next entries. It
// returns false once the context is done.
func (p *putCall) send(w *writer, b *batch) bool {
	if b.first {
		b.language = guess(b.entries)
	}
	w.given += len(b.entries)
	select {
	case w.batches <- *b:
		b.entries, b.first = nil, false
		return true
	case <-p.ctx.Done():
		return false
	}
}

func guess(entries []Entry) terms.Language {
	var text strings.Builder
	for _, e := range entries {
		if text.Len() > batchBytes {
			break
		}
		text.WriteString(e.Title + " " + e.Text + " ")
	}
	return terms.Guess(text.String())
}

// fewEntries is how many entries one writer gets before another: a segment costs more than
// a processor gains.
const fewEntries = 1000

// idlest returns the writer that has received the fewest entries.
func (p *putCall) idlest() *writer {
	best := p.writers[0]
	if best.given < fewEntries {
		return best
	}
	for _, w := range p.writers {
		if w.given < best.given {
			best = w
		}
	}
	return best
}

// finish waits for the writers and returns the segments that they stored, even
// if there is an error.
func (p *putCall) finish() (records []segmentRecord, err error) {
	for _, w := range p.writers {
		close(w.batches)
	}
	p.wait.Wait()
	for _, w := range p.writers {
		records = append(records, w.records...)
	}
	err = context.Cause(p.ctx)
	p.cancel(nil)
	return records, err
}

// A writer makes segments, each of texts in one language: their words are as rare as they
// are among texts in that language.
type writer struct {
	local     *Local
	batches   chan batch
	given     int // entries, counted by the sender
	most      int // approximate limit on the memory of its segments
	analyzers map[terms.Language]*terms.Analyzer
	drafts    map[terms.Language]*draft
	now       *draft // of the present resource
	part      int
	record    *recordWriter
	records   []segmentRecord
}

// A draft is a segment that is being made.
type draft struct {
	*segment.Builder
	resources int
}

// run ends when there are no more batches, or with an error.
func (w *writer) run(ctx context.Context) error {
	for b := range w.batches {
		if err := w.batch(ctx, b); err != nil {
			return err
		}
	}
	for _, l := range slices.Sorted(maps.Keys(w.drafts)) {
		if err := w.flush(ctx, l); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (w *writer) batch(ctx context.Context, b batch) error {
	if b.first {
		w.part = b.part
		if err := w.start(ctx, b); err != nil {
			return err
		}
	}
	for i := range b.entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.isFull() {
			w.part++
			if err := w.start(ctx, b); err != nil {
				return err
			}
		}
		w.add(&b.entries[i], b.language)
	}
	if b.resource.Final {
		w.now.Final()
	}
	return nil
}

// isFull reports whether the present segment is full. The segments of several languages
// share the memory.
func (w *writer) isFull() bool {
	return w.now.Docs() >= flushDocs || w.now.Size()*len(w.drafts) >= w.most
}

// start begins a part of a resource, in a new segment if the present one of its language
// is full.
func (w *writer) start(ctx context.Context, b batch) error {
	if w.now = w.drafts[b.language]; w.now != nil && w.isFull() {
		if err := w.flush(ctx, b.language); err != nil {
			return err
		}
		w.now = nil
	}
	if w.now == nil {
		w.now = &draft{Builder: segment.NewBuilder()}
		w.drafts[b.language] = w.now
	}
	w.now.Start(segment.Resource{ID: b.resource.ID, Version: b.resource.Version, Part: w.part})
	w.now.resources++
	w.record = newRecordWriter()
	return nil
}

// flush stores the segment of a language.
func (w *writer) flush(ctx context.Context, l terms.Language) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d := w.drafts[l]
	delete(w.drafts, l)
	r, err := w.local.storeSegment(ctx, d.Encode)
	r.Entries, r.Resources = d.Docs(), d.resources
	if err == nil {
		w.records = append(w.records, r)
	}
	return err
}

func (w *writer) add(e *Entry, language terms.Language) {
	a := w.analyzers[language]
	if a == nil {
		a = terms.New(language)
		w.analyzers[language] = a
	}
	w.now.Add(segment.Document{
		Title:    termsOf(a, e.Title),
		Body:     termsOf(a, strings.Join(e.Path, pieceBreak), e.Summary, e.Text),
		Keywords: keywords(e, string(language)),
		Time:     seconds(e.Created),
		Record:   w.record.record(e, language),
	})
}

const (
	pieceBreak = "\n"
	pieceGap   = 16 // positions between pieces of text
)

// termsOf yields the terms of some pieces of text with their positions.
func termsOf(a *terms.Analyzer, pieces ...string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		from, next := 0, 0
		for _, piece := range pieces {
			for t := range a.All(piece) {
				next = from + t.Position + 1
				if !yield(t.Text, next-1) {
					return
				}
			}
			from = next + pieceGap
		}
	}
}
