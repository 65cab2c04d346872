package citekit

import (
	"context"
	"log/slog"
	"runtime"
	"time"

	"github.com/citekit/citekit/internal/warm"
)

// Resolvers maps each modality to what resolves it. Package modality has the
// built-in ones as a value; replace an entry to configure it.
type Resolvers map[Modality]Resolver

// Options configures a [Library]. The zero value is ready to use.
type Options struct {
	MaxMapBytes    int64         // largest map read or saved; zero means 64 MiB
	MapCacheBytes  int64         // memory for parsed maps, roughly; zero means 256 MiB
	MaxExtractions int           // extractions running at a time, others wait; zero means the number of CPUs
	ExtractTimeout time.Duration // longest extraction; zero means 10 minutes

	// HashLimit is the size in bytes up to which a source is hashed without
	// being asked, so that its version is known by content; zero means
	// 16 MiB, negative none.
	HashLimit int64

	Logger *slog.Logger // nil discards
}

func (o *Options) withDefaults() Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	setDefault(&opts.MaxMapBytes, 64<<20)
	setDefault(&opts.MapCacheBytes, 256<<20)
	setDefault(&opts.MaxExtractions, runtime.NumCPU())
	setDefault(&opts.ExtractTimeout, 10*time.Minute)
	setDefault(&opts.HashLimit, 16<<20)
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	return opts
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// A Library resolves nodes and addresses to evidence. Make one with [New].
type Library struct {
	workspace Workspace
	resolvers Resolvers
	opts      Options

	maps       warm.Cache[*indexedMap]
	flights    warm.Cache[*StoredEvidence]
	extracting chan struct{}
}

// New returns a Library over a workspace. The resolvers are used as they are;
// a modality that has none is an error matching [errors.ErrUnsupported] when
// it is resolved. A nil opts means the defaults. The Library owns ws and
// closes it in [Library.Close].
func New(ws Workspace, resolvers Resolvers, opts *Options) *Library {
	o := opts.withDefaults()
	return &Library{
		workspace:  ws,
		resolvers:  resolvers,
		opts:       o,
		maps:       warm.Cache[*indexedMap]{MaxCost: o.MapCacheBytes},
		extracting: make(chan struct{}, o.MaxExtractions),
	}
}

// Close closes the workspace. Evidence that was returned stays.
func (l *Library) Close() error { return l.workspace.Close() }

// Resources returns the ids of all resources in ascending byte order. It
// parses no map.
func (l *Library) Resources(ctx context.Context) ([]string, error) {
	return l.workspace.MapIDs(ctx)
}

// Map returns the map of a resource. It is shared: do not modify it. A
// resource that does not exist is a [*NotFoundError].
func (l *Library) Map(ctx context.Context, resourceID string) (*ResourceMap, error) {
	return nil, nil
}

// Node returns a node of a resource. It is shared: do not modify it. A
// resource or node that does not exist is a [*NotFoundError].
func (l *Library) Node(ctx context.Context, resourceID, nodeID string) (*Node, error) {
	return nil, nil
}

// Save stores a map, replacing the one with its id. The map must pass
// [ResourceMap.Validate].
func (l *Library) Save(ctx context.Context, m *ResourceMap) error { return nil }

// ResolveOptions are the options of one resolve. The zero value is ready to
// use.
type ResolveOptions struct {
	// Virtual asks for the address only: the source is not opened.
	Virtual bool

	// Mode says how time ranges are cut; "" means [ModeExact].
	Mode Mode

	// AllowStale resolves a source that has changed since it was mapped,
	// and marks the evidence Stale.
	AllowStale bool
}

// Resolve extracts what a node stands for and returns the evidence. Evidence
// that is already there is returned again. A nil opts means the defaults.
//
// The error is a [*ResolveError] wrapping a [*NotFoundError], or an error
// matching [ErrStale], [ErrForbidden], or one that [Resolver] names.
func (l *Library) Resolve(ctx context.Context, resourceID, nodeID string, opts *ResolveOptions) (*Evidence, error) {
	return nil, nil
}

// ResolveAddress is Resolve for an address, which need not be that of a node.
// Its resource must have a map, except for virtual addresses. If the address
// pins a version, another version is an error matching [ErrStale].
func (l *Library) ResolveAddress(ctx context.Context, a Address, opts *ResolveOptions) (*Evidence, error) {
	return nil, nil
}

// ResolveFile is Resolve for part of a file that has no map. The path is
// opened as one in a map is. The modality of loc may be empty: it is then
// told from the selector and the content. The resource id of the evidence is
// made from the file name.
func (l *Library) ResolveFile(ctx context.Context, path string, loc Location, opts *ResolveOptions) (*Evidence, error) {
	return nil, nil
}

// Measure returns the extent of a resource's source.
func (l *Library) Measure(ctx context.Context, resourceID string) (Extent, error) {
	return Extent{}, nil
}

// Check returns what is wrong with a map: first by itself, then against its
// source, if that can be opened. An empty result means that every node
// resolves as far as can be told without extracting.
func (l *Library) Check(ctx context.Context, m *ResourceMap) []Problem { return nil }

// indexedMap is a parsed map with its index, valid for one stamp.
type indexedMap struct {
	*ResourceMap
	index map[string]*Node
}
