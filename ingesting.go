package citekit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// maxCompanionHash is the size in bytes up to which a companion is told by its
// content. No larger one has the words of a recording.
const maxCompanionHash = 64 << 20

// textBudget is how many bytes of texts are mapped at a time. A text is held
// in memory, several times over, while it is mapped.
const textBudget = 32 << 20

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
		report:  reporter{report: report, each: opts.Each},
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
	t := &task{candidate: c, item: IngestItem{Path: c.Path}}
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
	if src.Size() > in.opts.MaxSourceBytes { // it grew
		return t.skip(in.tooLarge(src.Size()))
	}
	t.note = note{
		Identity:   t.Identity,
		Companions: t.companions,
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
		t.item.Status, t.item.ResourceID, t.item.Type = IngestVanished, noted.ID, noted.Type
		return false
	}
	return t.fail(t.err)
}

// isUnchanged reports whether nothing is to be done for a source of which
// sameBytes tells whether it is what it was, and says so in the item.
func (in *ingest) isUnchanged(ctx context.Context, t *task, n note, sameBytes bool) bool {
	asksOther := in.opts.Mapper != nil && in.name != n.Mapper || in.opts.Type != n.Asked && in.opts.Type != "" && in.opts.Type != n.Type ||
		in.opts.ResourceID != "" && in.opts.ResourceID != n.ID
	outdated := in.opts.Mapper == nil && isOlderStructure(n.Mapper)
	if !sameBytes || in.opts.Force || asksOther || outdated || n.Companions != t.companions {
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
	if state, err := in.stateOf(ctx, t.Path, n); err != nil || state != mapIntact && state != mapEdited {
		return false
	}
	t.item.Status, t.item.ResourceID, t.item.Type = IngestUnchanged, n.ID, n.Type
	t.item.Nodes, t.item.Method = n.Nodes, n.Method
	return true
}

// isOlderStructure reports whether a map was made by an earlier version of
// the resolvers.
func isOlderStructure(mapper string) bool {
	kind, _, _ := strings.Cut(structureMapper, "/")
	return strings.HasPrefix(mapper, kind+"/") && mapper != structureMapper
}

// digestCompanions returns what changes with the companions or their content,
// or "" if there are none.
func (in *ingest) digestCompanions(ctx context.Context, companions []FoundCompanion) string {
	if len(companions) == 0 {
		return ""
	}
	h := sha256.New()
	for _, c := range companions {
		fmt.Fprintf(h, "%s\x00%s\x00", c.Path, in.hashOf(ctx, c))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// hashOf returns the hash of a companion, or what stands for one that cannot
// be read.
func (in *ingest) hashOf(ctx context.Context, c FoundCompanion) string {
	src, err := in.lib.openSource(ctx, c.Path)
	if err != nil {
		return "unreadable"
	}
	defer src.Close()
	if src.Size() > maxCompanionHash {
		return src.Identity()
	}
	hash, err := src.Hash(ctx)
	if err != nil {
		return "unreadable"
	}
	return hash
}

// A flight is the mapping of some bytes, which sources with the same bytes
// wait for. Its structure is kept until the first of them has its map.
type flight struct {
	done      chan struct{} // closed when what follows is set
	structure *Structure
	modality  Modality
	err       error
}

// structure sets the structure of a source, from the map of one with the same
// bytes if there is one.
func (in *ingest) structure(ctx context.Context, t *task) bool {
	if len(t.Companions) > 0 || in.opts.Force {
		structure, modality, err := in.mapSource(ctx, t)
		return in.mapped(ctx, t, structure, modality, err)
	}
	key := bytesKey(t.Path, t.note.Hash, t.note.Asked, t.note.Mapper)
	if twin, ok := in.ledger.twin(key); ok && in.isIntact(ctx, twin) {
		t.original = twin
		t.item.Type, t.note.Type = twin.Type, twin.Type
		return true
	}
	in.mu.Lock()
	f, flying := in.flights[key]
	if !flying {
		f = &flight{done: make(chan struct{})}
		in.flights[key] = f
	}
	in.mu.Unlock()
	if flying {
		select {
		case <-f.done:
		case <-ctx.Done():
			return t.fail(ctx.Err())
		}
		if !errors.Is(f.err, ErrStale) {
			t.item.Status = IngestCopied
			return in.mapped(ctx, t, f.structure, f.modality, f.err)
		}
		// The other source changed meanwhile; this one need not have.
		f = &flight{done: make(chan struct{})}
	}
	in.fly(ctx, t, f)
	return in.mapped(ctx, t, f.structure, f.modality, f.err)
}

// fly maps a source for all who wait for its bytes to be mapped.
func (in *ingest) fly(ctx context.Context, t *task, f *flight) {
	defer close(f.done)
	f.structure, f.modality, f.err = in.mapSource(ctx, t)
	if f.err == nil {
		f.err = t.src.CheckUnchanged() // else it may be of other bytes
	}
}

// isIntact reports whether the map that a note tells of is as it was made.
func (in *ingest) isIntact(ctx context.Context, n note) bool {
	stamp, err := in.lib.workspace.StatMap(ctx, n.ID)
	return err == nil && stamp.Identity == n.Stamp
}

// mapped notes what came of mapping a source.
func (in *ingest) mapped(ctx context.Context, t *task, structure *Structure, modality Modality, err error) bool {
	t.item.Type, t.note.Type = modality, modality
	switch {
	case err != nil && ctx.Err() != nil:
		return t.fail(ctx.Err())
	case err != nil && modality == Text && in.opts.Type == "" && errors.Is(err, ErrFormat):
		t.item.Type = ""
		t.skip(err) // some other format: nothing is wrong with the file
		if changed := t.src.CheckUnchanged(); changed == nil && !t.Named {
			t.note.Skipped = t.item.Err.Error()
			in.ledger.putSkipped(t.Path, t.note)
		}
		return false
	case err != nil:
		return t.fail(err)
	}
	t.structure = structure
	return true
}

// mapSource finds the structure of a source.
func (in *ingest) mapSource(ctx context.Context, t *task) (structure *Structure, modality Modality, err error) {
	modalities, err := in.classify(ctx, t.src)
	if err != nil {
		return nil, "", err
	}
	var first error
	for _, candidate := range modalities {
		structure, err := in.mapAs(ctx, t, candidate)
		if err == nil {
			return structure, candidate, nil
		}
		if first == nil {
			first = err
		}
		if !errors.Is(err, ErrFormat) {
			break
		}
	}
	return nil, modalities[0], first
}

func (in *ingest) mapAs(ctx context.Context, t *task, modality Modality) (structure *Structure, err error) {
	if modality == Text {
		release, err := in.texts.acquire(ctx, t.src.Size())
		if err != nil {
			return nil, err
		}
		defer release()
	}
	request := MapRequest{
		Modality:   modality,
		Companions: in.openers(t.Companions),
		Progress:   func(part float64) { in.progress(t.Path, max(0, min(part, 1)), 0) },
	}
	err = in.lib.limited(ctx, modality, func(ctx context.Context) error {
		structure, err = in.mapper.Map(ctx, t.src, request)
		if err == nil && structure == nil {
			err = errors.New("the mapper returned nothing")
		}
		if err == nil {
			NameNodes(structure.Nodes)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return structure, nil
}

func (in *ingest) openers(found []FoundCompanion) []Companion {
	companions := make([]Companion, len(found))
	for i, c := range found {
		companions[i] = Companion{
			Name: path.Base(c.Path),
			Open: func(ctx context.Context) (*Source, error) { return in.lib.openSource(ctx, c.Path) },
		}
	}
	return companions
}

// save makes the map of a task, verifies it and stores it.
func (in *ingest) save(ctx context.Context, t *task) {
	m, err := in.makeMap(ctx, t)
	if err == nil {
		err = in.verify(ctx, t, m)
	}
	if err == nil {
		err = t.src.CheckUnchanged()
	}
	if err == nil {
		err = in.store(ctx, t, m)
	}
	if err != nil {
		t.item.ResourceID = ""
		t.fail(err)
		return
	}
	t.item.Nodes = t.note.Nodes
	if t.item.Status == "" {
		t.item.Status = IngestMapped
	}
	in.ledger.put(t.Path, t.note)
}

// land drops the structure of a task that is done. Others with the same bytes
// copy its map; if it has none, one of them is mapped anew.
func (in *ingest) land(t *task) {
	if t.structure == nil || len(t.Companions) > 0 {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	delete(in.flights, bytesKey(t.Path, t.note.Hash, t.note.Asked, t.note.Mapper))
}

func (in *ingest) makeMap(ctx context.Context, t *task) (*ResourceMap, error) {
	if t.original.ID != "" {
		if m := in.copyMap(ctx, t); m != nil {
			return m, nil
		}
		structure, modality, err := in.mapSource(ctx, t)
		if !in.mapped(ctx, t, structure, modality, err) {
			return nil, t.item.Err
		}
	}
	name, s := path.Base(t.Path), t.structure
	m := &ResourceMap{
		ResourceID: t.item.ResourceID,
		Type:       t.item.Type,
		Title:      s.Title,
		SourcePath: t.Path,
		Nodes:      cloneNodes(s.Nodes),
		Metadata:   make(map[string]any, len(s.Metadata)+5),
		CreatedAt:  now(),
	}
	if strings.TrimSpace(m.Title) == "" {
		m.Title = name
	}
	for key, value := range s.Metadata {
		m.Metadata[key] = value
	}
	m.Metadata["source_hash"] = t.note.Hash
	m.Metadata["source_size"] = t.src.Size()
	m.Metadata["mapper"] = in.name
	if s.Method != "" {
		m.Metadata["method"] = s.Method
	}
	t.item.Method, t.note.Method = s.Method, s.Method
	return m, in.addTranscript(ctx, t, m)
}

// copyMap returns the map of the original for a task, or nil if it has changed
// meanwhile.
func (in *ingest) copyMap(ctx context.Context, t *task) *ResourceMap {
	m, err := in.lib.load(ctx, t.original.ID)
	if err != nil || m.hash != t.original.MapHash || m.SourceHash() != t.note.Hash {
		return nil
	}
	c := m.Clone()
	if c.Title == path.Base(c.SourcePath) {
		c.Title = path.Base(t.Path)
	}
	c.ResourceID, c.SourcePath, c.CreatedAt = t.item.ResourceID, t.Path, now()
	t.item.Status, t.item.Method, t.note.Method = IngestCopied, t.original.Method, t.original.Method
	return c
}

// addTranscript notes in the map which companion holds the words.
func (in *ingest) addTranscript(ctx context.Context, t *task, m *ResourceMap) error {
	if t.structure.Transcript == "" {
		return nil
	}
	i := slices.IndexFunc(t.Companions, func(c FoundCompanion) bool { return path.Base(c.Path) == t.structure.Transcript })
	if i < 0 {
		return fmt.Errorf("the mapper names a transcript that is no companion: %w", ErrFormat)
	}
	src, err := in.lib.openSource(ctx, t.Companions[i].Path)
	if err != nil {
		return err
	}
	defer src.Close()
	hash, err := src.Hash(ctx)
	m.Metadata["transcript"] = map[string]any{"source_path": t.Companions[i].Path, "source_hash": hash}
	return err
}

func now() string { return time.Now().UTC().Truncate(time.Second).Format(time.RFC3339) }

// verify checks that the map is sound and that every location lies inside the
// source.
func (in *ingest) verify(ctx context.Context, t *task, m *ResourceMap) error {
	for _, p := range m.Check() {
		if !p.Warning {
			return fmt.Errorf("the mapper made a map that is wrong: %w", p)
		}
	}
	extents, failed := make(map[Modality]Extent), make(map[Modality]error)
	for n := range m.All() {
		if err := in.lib.checkExtent(ctx, t.src, n.Location, extents, failed); err != nil {
			return fmt.Errorf("node '%s': %w", clip(n.ID), err)
		}
		t.note.Nodes++
	}
	return nil
}

// store writes the map, and notes which version of it was written.
func (in *ingest) store(ctx context.Context, t *task, m *ResourceMap) error {
	data, err := in.lib.encode(m)
	if err != nil {
		return err
	}
	if err := in.ledger.begin(ctx, in.finder); err != nil {
		return err
	}
	if err := in.lib.workspace.WriteMap(ctx, m.ResourceID, data); err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	t.note.ID, t.note.MapHash = m.ResourceID, hex.EncodeToString(sum[:])
	stamp, err := in.lib.workspace.StatMap(ctx, m.ResourceID)
	if err == nil {
		t.note.Stamp = stamp.Identity
	}
	return err
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
		in.report.put(next, IngestItem{Path: source, Status: IngestVanished, ResourceID: n.ID, Type: n.Type})
		next++
	}
}
