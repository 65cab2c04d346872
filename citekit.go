package citekit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
)

// Resolvers maps each modality to its [Resolver]. Package modality has the built-in
// ones; replace an entry to configure it, and add one for a modality of your own.
type Resolvers map[Modality]Resolver

// Options configures a [Library]. The zero value is ready to use.
type Options struct {
	MaxMapBytes    int64         // largest map read or saved; zero means 64 MiB
	MapCacheBytes  int64         // memory for parsed maps, roughly; zero means 256 MiB
	MaxExtractions int           // largest number of extractions of one modality at a time, further ones wait; zero means four for each CPU
	Extractions    *Slots        // further limit, on the extractions of all modalities together, which several libraries may share; nil means no limit
	ExtractTimeout time.Duration // longest extraction, after which the error matches os.ErrDeadlineExceeded; zero means 10 minutes

	// HashLimit is the size in bytes up to which every opened source is hashed, so that
	// its version is identified by its content. Zero means 16 MiB; negative means that
	// no source is hashed for this.
	HashLimit int64

	Logger *slog.Logger // nil discards
}

func (o *Options) withDefaults() Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	opts.MaxMapBytes = cmp.Or(opts.MaxMapBytes, 64<<20)
	opts.MapCacheBytes = cmp.Or(opts.MapCacheBytes, 256<<20)
	opts.MaxExtractions = cmp.Or(opts.MaxExtractions, 4*runtime.NumCPU())
	opts.ExtractTimeout = cmp.Or(opts.ExtractTimeout, 10*time.Minute)
	opts.HashLimit = cmp.Or(opts.HashLimit, 16<<20)
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	return opts
}

// A Library resolves nodes and addresses to evidence. Make one with [New].
type Library struct {
	workspace Workspace
	leaser    evidenceLeaser // the workspace, if it is one
	resolvers Resolvers
	opts      Options

	maps    concurrent.Cache[*indexedMap]
	stamps  concurrent.Cache[Stamp] // of maps as they were last, if the workspace is far away
	flights concurrent.Group[*StoredEvidence]
	slots   concurrent.Keyed[Modality] // of extractions
}

// New returns a Library over a workspace. The resolvers are used as they are. For a
// modality without one, the error of methods that read sources matches
// [errors.ErrUnsupported]. A nil opts means the defaults. The Library owns ws and
// closes it in [Library.Close].
func New(ws Workspace, resolvers Resolvers, opts *Options) *Library {
	o := opts.withDefaults()
	leaser, _ := ws.(evidenceLeaser)
	return &Library{
		workspace: ws,
		leaser:    leaser,
		resolvers: resolvers,
		opts:      o,
		maps:      concurrent.Cache[*indexedMap]{MaxCost: o.MapCacheBytes},
		stamps:    concurrent.Cache[Stamp]{MaxCost: 1 << 16},
		slots:     concurrent.Keyed[Modality]{Places: o.MaxExtractions},
	}
}

// Close closes the workspace. Finish calls, and close what uses the Library, such as
// searchers, before. Evidence that was returned stays.
func (l *Library) Close() error { return l.workspace.Close() }

// Workspace returns the workspace of the Library.
func (l *Library) Workspace() Workspace { return l.workspace }

// Resolvers returns the resolvers of the Library. They are shared: do not modify them.
func (l *Library) Resolvers() Resolvers { return l.resolvers }

// Resources returns the ids of all resources in ascending byte order. No map is parsed.
func (l *Library) Resources(ctx context.Context) ([]string, error) {
	return l.workspace.ListMaps(ctx, "", 0)
}

// ResourcesAfter returns the ids that are greater than after, in ascending byte order:
// at most limit of them, or all if limit is zero. No resource needs to have the id
// after; "" comes before all ids. ResourcesAfter does not parse maps.
func (l *Library) ResourcesAfter(ctx context.Context, after string, limit int) ([]string, error) {
	return l.workspace.ListMaps(ctx, after, limit)
}

// Map returns the map of a resource. The map is shared: do not modify it. If the
// resource does not exist, the error wraps a [*NotFoundError].
func (l *Library) Map(ctx context.Context, resourceID string) (*ResourceMap, error) {
	m, err := l.load(ctx, resourceID)
	if err != nil {
		return nil, &ResolveError{Op: "open", Address: Address{Resource: resourceID}, Err: err}
	}
	return m.ResourceMap, nil
}

// Node returns a node of a resource. The node is shared: do not modify it. If the
// resource or the node does not exist, the error wraps a [*NotFoundError].
func (l *Library) Node(ctx context.Context, resourceID, nodeID string) (*Node, error) {
	t, err := l.nodeTarget(ctx, resourceID, nodeID)
	if err != nil {
		return nil, &ResolveError{Op: "open", Address: Address{Resource: resourceID}, Node: nodeID, Err: err}
	}
	return t.node, nil
}

// Save stores a map, replacing the one with its id. The map must pass
// [ResourceMap.Validate].
func (l *Library) Save(ctx context.Context, m *ResourceMap) error {
	if err := m.Validate(); err != nil {
		return err
	}
	data, err := l.Encode(m)
	if err != nil {
		return err
	}
	return l.workspace.WriteMap(ctx, m.ResourceID, data)
}

// Encode returns the bytes that [Library.Save] stores for a map. If there are more than
// Options.MaxMapBytes, the error matches [ErrTooLarge].
func (l *Library) Encode(m *ResourceMap) ([]byte, error) {
	data, err := m.MarshalJSON()
	if err == nil && int64(len(data)) > l.opts.MaxMapBytes {
		err = fmt.Errorf("map '%s' has %d bytes; at most %d: %w", m.ResourceID, len(data), l.opts.MaxMapBytes, ErrTooLarge)
	}
	return data, err
}

// Measure returns the extent of the source of a resource as it is now; it does not
// check that this is the version that was mapped. If the resolver of its modality is
// not a [Measurer], the error matches [errors.ErrUnsupported].
func (l *Library) Measure(ctx context.Context, resourceID string) (extent Extent, err error) {
	failed := func(op string, err error) error {
		return &ResolveError{Op: op, Address: Address{Resource: resourceID}, Err: err}
	}
	m, err := l.load(ctx, resourceID)
	if err != nil {
		return Extent{}, failed("open", err)
	}
	src, err := l.OpenSource(ctx, m.SourcePath)
	if err != nil {
		return Extent{}, failed("measure", err)
	}
	defer src.Close()
	src.Declare(m.Type)
	extent, err = l.MeasureSource(ctx, m.Type, src)
	if err == nil && extent.Modality == "" {
		err = fmt.Errorf("the extent of %s resource: %w", message.Article(m.Type), errors.ErrUnsupported)
	}
	if err != nil {
		return Extent{}, failed("measure", err)
	}
	return extent, nil
}

// MeasureSource returns the extent of an open source in the units of a modality, or a
// zero Extent if its resolver does not measure.
func (l *Library) MeasureSource(ctx context.Context, modality Modality, src *Source) (extent Extent, err error) {
	resolver, err := l.Resolver(modality)
	if err != nil {
		return Extent{}, err
	}
	measurer, ok := resolver.(Measurer)
	if !ok {
		return Extent{}, nil
	}
	err = l.withSlot(ctx, modality, func(ctx context.Context) error {
		extent, err = measurer.Measure(ctxio.Untimed(ctx), src)
		return err
	})
	return extent, err
}

// An indexedMap is a parsed map with its index.
type indexedMap struct {
	*ResourceMap
	index map[string]*Node
	hash  string               // SHA-256 of the bytes it was parsed from
	last  atomic.Pointer[seen] // its source, when it was last opened
}

// seen is what tells the evidence of a version of a source from others.
type seen struct{ version, name string }

// node returns a node by its id.
func (m *indexedMap) node(id string) (*Node, error) {
	if n, ok := m.index[id]; ok {
		return n, nil
	}
	return nil, &NotFoundError{Kind: "node", ID: id, Suggestions: message.MeantNodes(id, m.ResourceID, m.named)}
}

// named yields the ids and the titles of all nodes in the order of the map.
func (m *indexedMap) named(yield func(id, title string) bool) {
	for n := range m.All() {
		if !yield(n.ID, n.Title) {
			return
		}
	}
}

// load returns the current map of a resource, parsed once for each stamp.
func (l *Library) load(ctx context.Context, id string) (*indexedMap, error) {
	defer ctxio.Time(ctx, ctxio.PhaseLookup)()
	if err := CheckResourceID(id); err != nil {
		return nil, err
	}
	stamp, err := l.stat(ctx, id)
	if err != nil {
		return nil, l.describeMissing(ctx, id, err)
	}
	return l.maps.Get(ctx, id+"\x00"+stamp.Identity, func(ctx context.Context) (*indexedMap, int64, error) {
		return l.parse(ctx, id)
	})
}

// stat returns the stamp of a map, or the one that [Library.ahead] guesses.
func (l *Library) stat(ctx context.Context, id string) (Stamp, error) {
	if stamp, guessed := ctx.Value(l).(Stamp); guessed {
		return stamp, nil
	}
	stamp, err := l.workspace.StatMap(ctx, id)
	if err == nil && l.leaser != nil {
		l.stamps.Put(id, stamp)
	}
	return stamp, err
}

// ahead resolves with the map as it was before, while a store that is far away is asked
// whether it still is; if not, again.
func (l *Library) ahead(ctx context.Context, id string, resolve func(context.Context) (*Evidence, error)) (e *Evidence, err error) {
	last, known := l.stamps.Peek(id)
	same := func() bool { now, err := l.stat(ctx, id); return err == nil && now == last }
	if known && concurrent.Guess(context.WithValue(ctx, l, last), same, func(ctx context.Context) { e, err = resolve(ctx) }) {
		return e, err
	}
	return resolve(ctx)
}

func (l *Library) describeMissing(ctx context.Context, id string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("map '%s': %w", id, localfile.WithoutPath(err))
	}
	missing := &NotFoundError{Kind: "resource", ID: id, Want: l.MapPath(id)}
	noted := ledger.IDsOf(message.MeantBase(id), func(yield func(name string, data []byte)) {
		for n, err := range l.workspace.Notes(ctx, ledger.Kind) {
			if err == nil {
				yield(n.Name, n.Data)
			}
		}
	})
	if ids, err := l.Resources(ctx); err == nil {
		missing.Suggestions = message.MeantResources(id, noted, ids)
	}
	return missing
}

// MapPath returns the path of the map of a resource, for display, as
// workspace.MapPather describes it. It is "" if the workspace is not a MapPather.
func (l *Library) MapPath(id string) string {
	if p, ok := l.workspace.(interface{ MapPath(id string) string }); ok {
		return p.MapPath(id)
	}
	return ""
}

// parsedCost is how many bytes of memory a parsed map takes for each byte of its JSON,
// roughly: measured 3.1 on maps of 10,000 nodes.
const parsedCost = 4

// ReadMap reads the map of a resource from the workspace, and returns it with the
// SHA-256 of its bytes in lower case hex. The map belongs to the caller: unlike
// [Library.Map], ReadMap does not cache it. Without such a resource the error is a
// [*NotFoundError].
func (l *Library) ReadMap(ctx context.Context, resourceID string) (m *ResourceMap, hash string, err error) {
	indexed, _, err := l.parse(ctx, resourceID)
	if err != nil {
		return nil, "", err
	}
	return indexed.ResourceMap, indexed.hash, nil
}

func (l *Library) parse(ctx context.Context, id string) (*indexedMap, int64, error) {
	data, _, err := l.workspace.ReadMap(ctx, id, l.opts.MaxMapBytes)
	if err != nil {
		return nil, 0, l.describeMissing(ctx, id, err)
	}
	m, err := ParseMap(data)
	if err != nil {
		return nil, 0, fmt.Errorf("map '%s': %w", id, err)
	}
	if m.ResourceID = cmp.Or(m.ResourceID, id); m.ResourceID != id {
		return nil, 0, syntaxError("map '%s': its resource_id is '%s'; a map is stored under its own id", id, message.Clip(m.ResourceID))
	}
	return &indexedMap{ResourceMap: m, index: indexNodes(m), hash: ctxio.HashOf(data)}, int64(len(data)) * parsedCost, nil
}

// A Slots limits how many pieces of work run at a time. Several libraries, or resolvers
// of several modalities, may share one. It is safe for concurrent use, and must not be
// copied.
//
// Extractions of one modality do not take all slots: one that has a slot leaves a slot
// to each of the others that has none, but never more than half of all.
type Slots struct {
	Max int // at a time; less than one means one; must not change after first use

	once sync.Once
	fair concurrent.Fair[Modality]
}

// Acquire waits for a slot. If ctx is done first, it returns ctx.Err(). The caller must
// call release, which frees the slot; it may be called again. A nil Slots has no limit.
func (s *Slots) Acquire(ctx context.Context) (release func(), err error) { return s.acquire(ctx, "") }

// acquire is Acquire for an extraction of a modality.
func (s *Slots) acquire(ctx context.Context, m Modality) (release func(), err error) {
	if s == nil {
		return func() {}, ctx.Err()
	}
	s.once.Do(func() {
		s.fair.Places, s.fair.Kinds = max(s.Max, 1), []Modality{Document, Video, Audio, Image, Text}
	})
	return s.fair.Acquire(ctx, m)
}
