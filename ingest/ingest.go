package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/fserror"
)

// resolversMapper is the name, in maps, of what the resolvers themselves find.
// Its number rises when they find more: unchanged sources are then mapped
// again.
const resolversMapper = "structure/3"

const maxMapperName = 1024 // bytes

// Options are the options of [Run]. The zero value is ready to use.
type Options struct {
	// Type is the modality of every source, which the Library must have a
	// resolver for; "" tells it as [citekit.Library.Detect] does.
	Type citekit.Modality

	// ResourceID is the id of the map, for a single source; "" makes one
	// from its name. A map that the source has under another id stays as it
	// is, and only the new one is kept up to date from then on.
	ResourceID string

	// Mapper drafts the maps; nil means the resolvers of the Library.
	// [citekit.Resolvers] are one that others can build on. MapperName is its name
	// in maps: a source whose map another mapper made is mapped again only
	// if Mapper is set. It is at most 1,024 bytes long.
	Mapper     citekit.Mapper
	MapperName string

	// Concurrency is how many sources are mapped at a time; zero means 5.
	Concurrency int

	// MaxSourceBytes is the size of the largest source; zero means 64 GiB.
	MaxSourceBytes int64

	// Force maps sources again that have not changed, and replaces maps that
	// were made or changed by hand.
	Force bool

	// Renames, if it is not nil, is told, at most once, of the sources that
	// were renamed: they vanished, and the same bytes are in files that are
	// new. It reports whether the maps follow: a map then keeps its id and
	// its nodes, and gets the path of the new file as its source. If it is
	// nil, or where it is in doubt which file is which, none follows, and
	// new files get maps of their own.
	Renames func([]Rename) bool

	NoIgnore bool // as in [citekit.FindRequest]
	Hidden   bool // as in [citekit.FindRequest]

	// Each, if it is not nil, is called with every item as it is done, in
	// the order of the report, never twice at a time.
	Each func(Item)

	// Progress, if it is not nil, is called when something is done. It may
	// be called from several goroutines at a time, and must be quick.
	Progress func(Progress)
}

func (o *Options) withDefaults() (Options, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	opts.Concurrency = cmp.Or(opts.Concurrency, 5)
	opts.MaxSourceBytes = cmp.Or(opts.MaxSourceBytes, 64<<30)
	switch {
	case opts.Concurrency < 0:
		return opts, syntaxError("a concurrency of %d; it is at least 1", opts.Concurrency)
	case opts.MaxSourceBytes < 0:
		return opts, syntaxError("sources of at most %d bytes; it is at least 1", opts.MaxSourceBytes)
	case len(opts.MapperName) > maxMapperName:
		return opts, syntaxError("a name of a mapper of %d bytes; at most %d", len(opts.MapperName), maxMapperName)
	case opts.Type == citekit.Virtual:
		return opts, syntaxError("type virtual; a file is of another modality")
	case opts.Type.Validate() != nil && opts.Type != "":
		return opts, opts.Type.Validate()
	case opts.ResourceID != "":
		return opts, citekit.CheckResourceID(opts.ResourceID)
	}
	return opts, nil
}

// Run makes maps of the sources that paths name: files, folders and patterns,
// as in [citekit.FindRequest]. It needs a Library whose workspace is a
// [citekit.Finder], else the error matches [errors.ErrUnsupported].
//
// The map of a source is named after its file. Where that id belongs to
// another source, the extension or the names of its folders are added; a map
// of another source is never replaced, nor is one that was made or changed by
// hand unless Force is set. Sources that have not changed since their map was
// made are left alone. Bytes that were mapped before, under another name, are
// not mapped again. A source that was renamed keeps its map if Options.Renames
// wants that. Before a map is stored, every location is checked to lie inside
// the source, and the source to be unchanged.
//
// One source that cannot be mapped does not stop the others: the report says
// what became of each, and [Report.Err] is the error for a caller to whom one
// failure is one too many. The error of Run itself is that of no paths or
// wrong options, of the workspace as a whole, or ctx.Err(); the report, which
// is never nil, then holds what had been done.
//
// One ingest runs at a time in a workspace; another waits. A nil opts means
// the defaults.
func Run(ctx context.Context, lib *citekit.Library, paths []string, opts *Options) (*Report, error) {
	report := &Report{Items: []Item{}}
	o, err := opts.withDefaults()
	if err != nil {
		return report, fmt.Errorf("citekit: ingest: %w", err)
	}
	if len(paths) == 0 {
		return report, fmt.Errorf("citekit: ingest: %w", syntaxError(`no paths; name files, folders or patterns, such as "." for all below the base directory`))
	}
	if o.Type != "" && !slices.Contains(citekit.Modalities(), o.Type) {
		if _, err := lib.Resolver(o.Type); err != nil {
			return report, fmt.Errorf("citekit: ingest: %w", syntaxError("type: %w", err))
		}
	}
	finder, ok := lib.Workspace().(citekit.Finder)
	if !ok {
		return report, fmt.Errorf("citekit: ingest: this workspace cannot be searched: %w", errors.ErrUnsupported)
	}
	release, err := finder.LockIngest(ctx)
	if err != nil {
		return report, runError(ctx, err)
	}
	defer release()
	if err := newRun(lib, finder, o, report).run(ctx, paths); err != nil {
		return report, runError(ctx, err)
	}
	return report, nil
}

func runError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return fmt.Errorf("citekit: ingest: %w", fserror.WithoutPath(err))
}
