package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/workspace"
)

// resolversMapper is the name, in maps, of the resolvers' own mapping. Its
// number rises when they find more: unchanged sources are then mapped again.
const resolversMapper = "structure/4"

const maxMapperName = 1024 // bytes

// Options are the options of [Run]. The zero value is ready to use.
type Options struct {
	// Type is the modality of every source. The Library must have a resolver
	// for it. "" means that [citekit.Library.Detect] determines the modality.
	Type citekit.Modality

	// ResourceID is the id of the map, for a single source; "" makes one from
	// the name of the source. If the source has a map under another id, that
	// map stays unchanged, and only the new map is kept up to date from then
	// on. Delete the old map, or it becomes stale when the source changes.
	ResourceID string

	// Mapper drafts the maps; nil means the resolvers of the Library. Other
	// mappers can build on [citekit.Resolvers]. MapperName is the mapper's name
	// in maps: a source whose map another mapper made is mapped again only if
	// Mapper is set. It is at most 1,024 bytes long.
	Mapper     citekit.Mapper
	MapperName string

	// Transcriber, if not nil, writes down what is said in recordings that have no words:
	// neither subtitles nor a transcript, in them or beside them. That needs ffmpeg, and
	// a workspace that is a [citekit.EvidenceOpener]. The transcript is kept as evidence of
	// the map, whose metadata say in "transcript" that it is "transcribed", and by what. It
	// stays, whatever maps the source again, until the source or the Transcriber changes;
	// of an interrupted run each finished piece of some minutes stays. One recording is
	// transcribed at a time.
	Transcriber Transcriber

	// Concurrency is how many sources are mapped concurrently; zero means 5.
	Concurrency int

	// MaxSourceBytes is the largest size of a source; zero means 64 GiB. A larger
	// file is skipped if it was found in a folder, and fails if a path names it.
	MaxSourceBytes int64

	// Force maps unchanged sources again, and replaces maps that were made or
	// changed by hand, and those of a type that the Library has no resolver for.
	Force bool

	// Program identifies the program and all else that decides whether a source can
	// be mapped, such as its version and other programs that it runs. A source in a
	// folder whose mapping failed is not tried again while the source and Program are
	// the same. "" means that it is tried each time; so are a source that is named,
	// with Force, with a Mapper, and after a failure that may be passing.
	Program string

	// Renames, if not nil, is called at most once, with the sources that were
	// renamed: they vanished, and new files have the same bytes. It reports
	// whether the maps follow. A map that follows keeps its id and its nodes,
	// and gets the path of the new file as its source. If Renames is nil, no
	// map follows; nor does one if it is unclear which file is which. New files
	// then get maps of their own.
	Renames func([]Rename) bool

	// Index, if not nil, makes the texts of the sources searchable once they are
	// mapped. A search.Searcher is one. It is asked once, at the end, when other
	// ingests may run already; it then reads what any of them has mapped.
	Index Indexer

	// Shared lets ingests with Shared run at once in one workspace, in this process and
	// others, for many workers that each map a few files. What a run costs then depends
	// on its own files alone: it reads the notes of no others. So renamed sources get
	// maps of their own, vanished ones are not reported, and of two new files whose
	// names give the same id the first to be stored has it. Runs without Shared, and
	// deletions, must not happen meanwhile.
	Shared bool

	NoIgnore bool // as in [workspace.FindRequest]
	Hidden   bool // as in [workspace.FindRequest]

	// Each, if not nil, is called with every finished item, in the order of the
	// report. Calls do not overlap.
	Each func(Item)

	// Progress, if not nil, is called whenever there is progress. It may be called
	// concurrently, and must be quick.
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
		return opts, syntaxError("a concurrency of %d; it must be at least 1", opts.Concurrency)
	case opts.MaxSourceBytes < 0:
		return opts, syntaxError("sources of at most %d bytes; the limit must be at least 1", opts.MaxSourceBytes)
	case len(opts.MapperName) > maxMapperName:
		return opts, syntaxError("the name of the mapper has %d bytes; at most %d", len(opts.MapperName), maxMapperName)
	case opts.Type == citekit.Virtual:
		return opts, syntaxError("type virtual; a file has another modality")
	case opts.Type.Validate() != nil && opts.Type != "":
		return opts, opts.Type.Validate()
	case opts.ResourceID != "":
		return opts, citekit.CheckResourceID(opts.ResourceID)
	}
	return opts, nil
}

// Run makes maps of the sources that paths name: files, folders and patterns,
// as in [workspace.FindRequest]. It needs a Library whose workspace is a
// [workspace.Finder]; otherwise the error matches [errors.ErrUnsupported].
//
// The map of a source is named after its file. If that id belongs to another
// source, the extension or the names of its folders are added. The map of
// another source is never replaced, and a map that was made or changed by hand
// is replaced only if Force is set. So is a map of a type that the Library has no
// resolver for: its source fails if it has changed, with an error that wraps a
// [*citekit.NoResolverError]. Sources that have not changed since their map was
// made are left alone, unless a [citekit.Detector] recognizes one as of another
// type, or, of a modality that is not built in, the [citekit.Versioner] has
// another version now. A source with the same bytes as a mapped one
// gets a copy of its map. A renamed source keeps its map if Options.Renames
// approves. Before a map is stored, Run checks that every location lies inside
// the source, and that the source is unchanged.
//
// A source that cannot be mapped does not stop the others: the report has the
// result of each, also of a path that does not exist. [Report.Err] is the error for
// a caller that does not accept any failure. Run itself returns an error if paths is
// empty, for wrong options, for a failure of the workspace as a whole, or ctx.Err().
// The report is never nil; after an error it holds what was done before.
//
// With Options.Index, the texts are then read, and a search after Run misses none that
// can be read: [Report].Index says of how many the index has all. If ctx is done
// meanwhile, all maps stay, and so does what was indexed.
//
// One ingest makes maps at a time in a workspace, but for those with Options.Shared;
// another one waits. A nil opts means the defaults.
func Run(ctx context.Context, lib *citekit.Library, paths []string, opts *Options) (*Report, error) {
	report, err := makeMaps(ctx, lib, paths, opts)
	if err == nil {
		err = makeSearchable(ctx, report, opts)
	}
	return report, err
}

// makeMaps is [Run] without the index.
func makeMaps(ctx context.Context, lib *citekit.Library, paths []string, opts *Options) (*Report, error) {
	report := &Report{Items: []Item{}}
	o, err := checked(lib, paths, opts)
	if err != nil {
		return report, fmt.Errorf("ingest: %w", err)
	}
	finder, ok := lib.Workspace().(workspace.Finder)
	if !ok {
		return report, fmt.Errorf("ingest: this workspace cannot be searched: %w", errors.ErrUnsupported)
	}
	if !o.Shared {
		release, err := finder.LockIngest(ctx)
		if err != nil {
			return report, runError(ctx, err)
		}
		defer release()
	}
	if err := newRun(lib, finder, o, report).run(ctx, paths); err != nil {
		return report, runError(ctx, err)
	}
	return report, nil
}

// checked returns the options of an ingest with their defaults.
func checked(lib *citekit.Library, paths []string, opts *Options) (Options, error) {
	o, err := opts.withDefaults()
	switch {
	case err != nil:
		return o, err
	case len(paths) == 0:
		return o, syntaxError(`no paths; name files, folders or patterns, such as "." for everything below the base directory`)
	case o.Type != "" && !o.Type.BuiltIn():
		if _, err := lib.Resolver(o.Type); err != nil {
			return o, syntaxError("type: %w", err)
		}
	}
	return o, nil
}

func runError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return fmt.Errorf("ingest: %w", localfile.WithoutPath(err))
}
