package citekit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// An ingest is one run of [Library.Ingest].
type ingest struct {
	lib    *Library
	finder Finder
	opts   IngestOptions
	mapper Mapper
	name   string // of the mapper
	ledger *ledger
	texts  budget

	mu      sync.Mutex
	flights map[string]*flight // by bytesKey
	done    int
	total   int

	movedTo, movedFrom map[string]string   // paths of renamed sources, by the other one
	mayBeAt            map[string][]string // new files with the bytes of a source that vanished

	turns  turns
	report reporter
}

func newIngest(l *Library, finder Finder, opts IngestOptions, report *IngestReport) *ingest {
	in := &ingest{
		lib:     l,
		finder:  finder,
		opts:    opts,
		mapper:  opts.Mapper,
		name:    opts.MapperName,
		texts:   budget{free: textBudget, size: textBudget},
		flights: make(map[string]*flight),

		movedTo: make(map[string]string), movedFrom: make(map[string]string), mayBeAt: make(map[string][]string),

		report: reporter{report: report, each: opts.Each},
	}
	if in.mapper == nil {
		in.mapper, in.name = l.resolvers, structureMapper
	} else if in.name == "" {
		in.name = fmt.Sprintf("%T", opts.Mapper)
	}
	return in
}

// A candidate is something that was found, or could not be read.
type candidate struct {
	Found
	err error
}

func (in *ingest) run(ctx context.Context, paths []string) (err error) {
	if in.ledger, err = in.lib.loadLedger(ctx, in.finder); err != nil {
		return err
	}
	candidates, folders, err := in.find(ctx, paths)
	if err != nil {
		return err
	}
	if in.opts.ResourceID != "" && len(candidates) != 1 {
		return syntaxError("one id for %s; give ids one by one", plural(len(candidates), "source"))
	}
	defer func() {
		// What was done is worth remembering also when the rest is not.
		if stored := in.ledger.store(context.WithoutCancel(ctx), in.finder); err == nil {
			err = stored
		}
	}()
	if candidates, err = in.followRenames(ctx, candidates); err != nil {
		return err
	}
	in.mapAll(ctx, candidates)
	if err := ctx.Err(); err != nil {
		in.report.flush()
		return err
	}
	in.reportVanished(ctx, candidates, folders)
	return nil
}

// find returns the sources and the folders that paths lead to.
func (in *ingest) find(ctx context.Context, paths []string) (candidates []candidate, folders map[string]bool, err error) {
	folders = make(map[string]bool)
	request := FindRequest{Paths: paths, NoIgnore: in.opts.NoIgnore, Hidden: in.opts.Hidden}
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

// mapAll deals with every candidate, several at a time. What depends on their
// order is done in their order.
func (in *ingest) mapAll(ctx context.Context, candidates []candidate) {
	in.total = len(candidates)
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
				item := in.deal(ctx, i, candidates[i])
				if ctx.Err() == nil || item.Err == nil || !errors.Is(item.Err, ctx.Err()) {
					in.report.put(i, item)
				}
				in.progress(candidates[i].Path, 1, 1)
			}
		})
	}
	workers.Wait()
}

func (in *ingest) progress(source string, part float64, done int) {
	in.mu.Lock()
	in.done += done
	p := IngestProgress{Done: in.done, Total: in.total, Path: source, Part: part}
	in.mu.Unlock()
	if in.opts.Progress != nil {
		in.opts.Progress(p)
	}
}

// A task is one source on its way to a map.
type task struct {
	candidate
	item       IngestItem
	src        *Source
	note       note
	structure  *Structure
	companions string // a digest of them
	original   note   // of the source whose map is copied, if it has an id
}

// deal makes a map of one candidate, and takes its turn in any case.
func (in *ingest) deal(ctx context.Context, i int, c candidate) IngestItem {
	t := &task{candidate: c, item: IngestItem{Path: c.Path, From: in.movedFrom[c.Path]}}
	defer func() {
		if t.src != nil {
			t.src.Close()
		}
		in.land(t)
	}()
	wanted := in.prepare(ctx, t)
	in.turns.wait(i)
	if wanted {
		wanted = in.claim(ctx, t)
	}
	in.turns.pass()
	if wanted {
		in.save(ctx, t)
	}
	if t.item.From != "" && t.item.Status == IngestUnchanged {
		t.item.Status = IngestRenamed
	}
	return t.item
}

func (t *task) fail(err error) bool {
	t.item.Status, t.item.Err = IngestFailed, hidePath(err)
	return false
}

// skip is fail for what no one asked for by name.
func (t *task) skip(err error) bool {
	t.fail(err)
	if !t.Named {
		t.item.Status = IngestSkipped
	}
	return false
}

// prepare finds out whether a source is to be mapped, and does so. It reports
// whether there is something to save.
func (in *ingest) prepare(ctx context.Context, t *task) bool {
	switch {
	case t.err != nil:
		return in.missing(t)
	case !utf8.ValidString(t.Path):
		return t.fail(syntaxError("the name of the file is not UTF-8; a map cannot name it"))
	case t.Link:
		return t.skip(fmt.Errorf("a symbolic link; name what it leads to: %w", errors.ErrUnsupported))
	case t.Size > in.opts.MaxSourceBytes:
		return t.skip(in.tooLarge(t.Size))
	case t.Size == 0:
		return t.skip(fmt.Errorf("empty; there is nothing to cite: %w", ErrFormat))
	}
	t.companions = in.digestCompanions(ctx, t.Companions)
	noted, known := in.ledger.note(t.Path)
	if known && in.isUnchanged(ctx, t, noted, noted.Identity != "" && noted.Identity == t.Identity) {
		return false
	}
	if !in.mayReplace(ctx, t, noted) {
		return false // which takes less time to tell now than once it is mapped
	}
	src, err := in.lib.openSource(ctx, t.Path)
	if err != nil {
		return t.fail(err)
	}
	t.src = src
	if src.Identity() == "" { // it does not tell of every change
		t.Identity = ""
	}
	if t.Named { // a type is believed of a file, and not of all that is in a folder
		src.declare(in.opts.Type)
	}
	if src.Size() > in.opts.MaxSourceBytes { // it grew
		return t.skip(in.tooLarge(src.Size()))
	}
	t.note = note{
		Identity:   t.Identity,
		Companions: t.companions,
		Size:       src.Size(),
		Asked:      in.opts.Type,
		Mapper:     in.name,
	}
	if src.KnownHash() == "" && !in.looksRight(ctx, src) {
		// It costs less to hear what is wrong than to hash it first.
		structure, modality, err := in.mapSource(ctx, t)
		if err != nil {
			return in.mapped(ctx, t, structure, modality, err)
		}
	}
	hash, err := src.Hash(ctx)
	if err != nil {
		return t.fail(err)
	}
	t.note.Hash = hash
	if known && in.isUnchanged(ctx, t, noted, noted.Hash == hash) {
		noted, _ = in.ledger.note(t.Path)
		noted.Identity = t.Identity
		in.ledger.put(t.Path, noted)
		return false
	}
	return in.mayReplaceEdited(ctx, t, noted) && in.structure(ctx, t)
}

func (in *ingest) tooLarge(size int64) error {
	return fmt.Errorf("%d bytes; at most %d: %w", size, in.opts.MaxSourceBytes, ErrTooLarge)
}

// missing deals with what could not be read. If it once was, it vanished.
func (in *ingest) missing(t *task) bool {
	if noted, known := in.ledger.note(t.Path); known && noted.ID != "" && errors.Is(t.err, fs.ErrNotExist) {
		t.item.Status, t.item.ResourceID, t.item.Type, t.item.Err = IngestVanished, noted.ID, noted.Type, in.whereNow(t.Path)
		return false
	}
	return t.fail(t.err)
}

// isUnchanged reports whether nothing is to be done for a source of which
// sameBytes tells whether it is what it was, and says so in the item.
func (in *ingest) isUnchanged(ctx context.Context, t *task, n note, sameBytes bool) bool {
	asksOther := in.opts.Mapper != nil && in.name != n.Mapper || in.opts.Type != n.Asked && in.opts.Type != "" && in.opts.Type != n.Type ||
		in.opts.ResourceID != "" && in.opts.ResourceID != n.ID
	if !sameBytes || in.opts.Force || asksOther || in.isOutdated(ctx, t, n) || n.Companions != t.companions {
		return false
	}
	if n.Skipped != "" {
		if t.Named || in.opts.Type != n.Asked || in.name != n.Mapper {
			return false // to say why, in full, or as another mapper may do better
		}
		t.item.Status, t.item.Err = IngestSkipped, errors.New(n.Skipped)
		return true
	}
	if n.ID == "" {
		return false
	}
	switch state, err := in.stateOf(ctx, t.Path, n); {
	case err == nil && state == mapBroken:
		t.fail(fmt.Errorf("its map '%s' cannot be read; force replaces it: %w", clip(n.ID), ErrSyntax))
		return true
	case err != nil, state != mapIntact && state != mapEdited:
		return false
	}
	t.item.Status, t.item.ResourceID, t.item.Type = IngestUnchanged, n.ID, n.Type
	t.item.Nodes, t.item.Method = n.Nodes, n.Method
	return true
}

// isOutdated reports whether the resolvers may find more in a source than they
// did. A map that a person changed stays.
func (in *ingest) isOutdated(ctx context.Context, t *task, n note) bool {
	if in.opts.Mapper != nil || !isOlderStructure(n.Mapper) {
		return false
	}
	if n.ID == "" {
		return true
	}
	state, err := in.stateOf(ctx, t.Path, n)
	return err != nil || state != mapEdited
}

// isOlderStructure reports whether a map was made by an earlier version of
// the resolvers.
func isOlderStructure(mapper string) bool {
	kind, _, _ := strings.Cut(structureMapper, "/")
	return strings.HasPrefix(mapper, kind+"/") && mapper != structureMapper
}

// reportVanished adds an item for every source that has a map, was to be
// found in one of the folders, and is not there any more.
func (in *ingest) reportVanished(ctx context.Context, candidates []candidate, folders map[string]bool) {
	seen := make(map[string]bool, len(candidates))
	for _, c := range candidates {
		seen[c.Path] = true
	}
	unseen := in.ledger.unseen(seen, folders)
	slices.Sort(unseen)
	next := len(candidates)
	for _, source := range unseen {
		if !in.lib.gone(ctx, source) {
			continue // ignored, or hidden
		}
		n, _ := in.ledger.note(source)
		if state, err := in.stateOf(ctx, source, n); err == nil && (state == mapGone || state == mapOthers) {
			in.ledger.forget(source)
			continue
		}
		in.report.put(next, IngestItem{Path: source, Status: IngestVanished, ResourceID: n.ID, Type: n.Type, Err: in.whereNow(source)})
		next++
	}
}
