package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/workspace"
)

// A run is one call of [Run].
type run struct {
	lib    *citekit.Library
	ws     citekit.Workspace
	finder workspace.Finder
	opts   Options
	mapper citekit.Mapper
	name   string // of the mapper
	book   *ledgerStore
	texts  budget

	unread map[string]error // why maps of unknown sources cannot be read, by id; not changed once sources are processed

	detectors []citekit.Modality // whose resolvers recognize their sources

	mu     sync.Mutex
	drafts map[string]*sharedDraft // by [ledger.Note.BytesKey]
	done   int
	total  int

	movedTo, movedFrom map[string]string   // paths of renamed sources, by the other path
	mayBeAt            map[string][]string // new files with the bytes of a vanished source

	stamps   stamps            // with Shared
	group    group             // the same
	speech   *transcription    // nil if nothing transcribes
	speaking citekit.Slots     // a recogniser takes the whole machine
	spoken   map[string]string // the ids of sources that were transcribed, by their hash

	turns  turns
	report reporter
}

func newRun(lib *citekit.Library, finder workspace.Finder, opts Options, report *Report) *run {
	in := &run{
		lib:    lib,
		ws:     lib.Workspace(),
		finder: finder,
		opts:   opts,
		mapper: opts.Mapper,
		name:   opts.MapperName,
		texts:  budget{free: textBudget, size: textBudget},
		drafts: make(map[string]*sharedDraft),
		spoken: make(map[string]string),
		unread: make(map[string]error),

		detectors: detectors(lib.Resolvers()),

		movedTo: make(map[string]string), movedFrom: make(map[string]string), mayBeAt: make(map[string][]string),

		report: reporter{report: report, each: opts.Each},
	}
	if in.mapper == nil {
		in.mapper, in.name = lib.Resolvers(), resolversMapper
	} else if in.name == "" {
		in.name = fmt.Sprintf("%T", opts.Mapper)
	}
	return in
}

// A candidate is a file that was found, or that could not be read.
type candidate struct {
	workspace.Candidate
	err error
}

func (in *run) run(ctx context.Context, paths []string) (err error) {
	if in.speech, err = newTranscription(ctx, in.opts.Transcriber); err != nil {
		return err
	}
	candidates, folders, err := in.find(ctx, paths)
	if err != nil {
		return err
	}
	if in.opts.Shared {
		if in.book, err = openNotesOf(ctx, in.ws, candidates); err == nil {
			err = in.guessStamps(ctx, candidates)
		}
	} else {
		in.book, err = openBook(ctx, in.ws)
	}
	if err != nil {
		return err
	}
	if in.opts.ResourceID != "" && len(candidates) != 1 {
		return syntaxError("one id for %s; give an id for one file at a time", message.Count(len(candidates), "source"))
	}
	defer func() {
		// Results are worth storing even if the run fails later.
		if stored := in.book.write(context.WithoutCancel(ctx)); err == nil {
			err = stored
		}
	}()
	if !in.opts.Shared {
		if err := in.reconcile(ctx, candidates); err != nil {
			return err
		}
		if candidates, err = in.followRenames(ctx, candidates); err != nil {
			return err
		}
	}
	in.mapAll(ctx, candidates)
	if err := ctx.Err(); err != nil {
		in.report.flush()
		return err
	}
	if !in.opts.Shared {
		in.reportVanished(ctx, candidates, folders)
	}
	return nil
}

// find returns the sources and the folders that paths lead to.
func (in *run) find(ctx context.Context, paths []string) (candidates []candidate, folders map[string]bool, err error) {
	folders = make(map[string]bool)
	request := workspace.FindRequest{Paths: paths, NoIgnore: in.opts.NoIgnore, Hidden: in.opts.Hidden}
	for found, err := range in.finder.Find(ctx, request) {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if found.Folder && err == nil {
			folders[found.Path] = true
			continue
		}
		candidates = append(candidates, candidate{found, err})
	}
	return candidates, folders, ctx.Err()
}

// mapAll processes every candidate, several concurrently. Work that depends on
// their order is done in order.
func (in *run) mapAll(ctx context.Context, candidates []candidate) {
	in.total = len(candidates)
	in.report.report.sources = in.total
	in.turns.init()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(in.opts.Concurrency, len(candidates)) {
		workers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(candidates) {
					return
				}
				in.progress(candidates[i].Path, 0, 0)
				in.process(ctx, i, candidates[i])
			}
		})
	}
	workers.Wait()
	in.saveTogether(ctx, in.group.take(0))
}

func (in *run) progress(source string, part float64, done int) {
	in.tell(Progress{Path: source, Part: part}, done)
}

// speechProgress tells how far a source is transcribed, which is most of its mapping.
func (in *run) speechProgress(source string, s Speech) {
	in.tell(Progress{Path: source, Part: min(s.Seconds/max(s.Of, 1), 1), Speech: &s}, 0)
}

// tell reports progress; done sources more are done.
func (in *run) tell(p Progress, done int) {
	in.mu.Lock()
	in.done += done
	p.Done, p.Total = in.done, in.total
	in.mu.Unlock()
	if in.opts.Progress != nil {
		in.opts.Progress(p)
	}
}

// process makes a map of one candidate if needed, or has that stored later, with others.
// It takes its turn in any case.
func (in *run) process(ctx context.Context, i int, c candidate) {
	t := &task{candidate: c}
	v := in.decide(ctx, t)
	in.turns.wait(i)
	if !v.isFinal() {
		v = in.claim(ctx, t, v)
	}
	in.turns.pass()
	if !v.isFinal() {
		if in.mayWait(t) {
			data, err := in.prepare(ctx, t, v)
			if err == nil {
				in.group.add(&grouped{i, t, v, data})
				in.saveTogether(ctx, in.group.take(mostGrouped))
				return
			}
			v = v.failed(err)
		} else {
			v = in.saveClaimed(ctx, t, v)
		}
	}
	in.finish(ctx, i, t, v)
}

// finish ends a task with a final verdict.
func (in *run) finish(ctx context.Context, i int, t *task, v verdict) {
	item := in.apply(t, v)
	in.book.writeSome(ctx)
	if t.src != nil {
		t.src.Close()
	}
	in.dropDraft(t)
	if ctx.Err() == nil || item.Err == nil || !errors.Is(item.Err, ctx.Err()) {
		in.report.put(i, item)
	}
	in.progress(t.Path, 1, 1)
}

// reportVanished adds an item for every source that has a map, belongs in one
// of the folders, and no longer exists.
func (in *run) reportVanished(ctx context.Context, candidates []candidate, folders map[string]bool) {
	seen := make(map[string]bool, len(candidates))
	for _, c := range candidates {
		seen[c.Path] = true
	}
	next := len(candidates)
	for _, source := range in.book.unseen(seen, folders) {
		if !isGone(ctx, in.ws, source) {
			continue // ignored or hidden
		}
		n, _ := in.book.Note(source)
		state, now, err := in.stateOf(ctx, source, n)
		switch {
		case err == nil && (state == mapGone || state == mapOthers):
			in.book.Forget(source)
			continue
		case err == nil && now != n:
			in.book.Put(source, now)
		}
		in.report.put(next, Item{Path: source, Status: Vanished, ResourceID: n.ID, Type: citekit.Modality(n.Type), Err: in.whereNow(source)})
		next++
	}
}

// isGone reports whether there is no longer a source at a path.
func isGone(ctx context.Context, ws citekit.Workspace, source string) bool {
	src, err := ws.OpenSource(ctx, source)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	src.Close()
	return false
}
