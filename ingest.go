package citekit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// structureMapper is the name, in maps, of what the resolvers themselves find.
// Its number rises when they find more: unchanged sources are then mapped
// again.
const structureMapper = "structure/2"

// IngestOptions are the options of [Library.Ingest]. The zero value is ready
// to use.
type IngestOptions struct {
	// Type is the modality of every source, which the Library must have a
	// resolver for; "" tells it by the [Detector]s among the resolvers, and
	// then as [DetectModality] does.
	Type Modality

	// ResourceID is the id of the map, for a single source; "" makes one
	// from its name. A map that the source has under another id stays as it
	// is, and only the new one is kept up to date from then on.
	ResourceID string

	// Mapper makes the structures; nil means the resolvers of the Library.
	// [Resolvers] are one that others can build on. MapperName is its name
	// in maps: a source whose map another mapper made is mapped again only
	// if Mapper is set.
	Mapper     Mapper
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

	NoIgnore bool // as in [FindRequest]
	Hidden   bool // as in [FindRequest]

	// Each, if it is not nil, is called with every item as it is done, in
	// the order of the report, never twice at a time.
	Each func(IngestItem)

	// Progress, if it is not nil, is called when something is done. It may
	// be called from several goroutines at a time, and must be quick.
	Progress func(IngestProgress)
}

func (o *IngestOptions) withDefaults() (IngestOptions, error) {
	var opts IngestOptions
	if o != nil {
		opts = *o
	}
	setDefault(&opts.Concurrency, 5)
	setDefault(&opts.MaxSourceBytes, 64<<30)
	switch {
	case opts.Concurrency < 0:
		return opts, syntaxError("a concurrency of %d; it is at least 1", opts.Concurrency)
	case opts.MaxSourceBytes < 0:
		return opts, syntaxError("sources of at most %d bytes; it is at least 1", opts.MaxSourceBytes)
	case opts.Type == Virtual:
		return opts, syntaxError("type virtual; a file is of another modality")
	case opts.Type != "" && !opts.Type.Valid():
		return opts, opts.Type.check()
	case opts.ResourceID != "":
		return opts, CheckResourceID(opts.ResourceID)
	}
	return opts, nil
}

// An IngestStatus says what became of a source.
type IngestStatus string

// What becomes of sources.
const (
	IngestMapped    IngestStatus = "mapped"    // there is a new map
	IngestCopied    IngestStatus = "copied"    // there is a new map, copied from that of a source with the same bytes
	IngestUnchanged IngestStatus = "unchanged" // the map that is there is still right
	IngestRenamed   IngestStatus = "renamed"   // the map that is there followed the source to another path; From is the old one
	IngestSkipped   IngestStatus = "skipped"   // nothing to map here; Err says why
	IngestVanished  IngestStatus = "vanished"  // the source of this map is gone; the map stays; Err says where its bytes are, if that is known
	IngestFailed    IngestStatus = "failed"    // Err says why
)

// An IngestItem is what became of one source.
type IngestItem struct {
	Path       string       `json:"path"` // as [Found.Path]
	Status     IngestStatus `json:"status"`
	ResourceID string       `json:"resource_id,omitempty"`
	Type       Modality     `json:"type,omitempty"`
	Nodes      int          `json:"nodes,omitempty"`
	Method     string       `json:"method,omitempty"` // as [Structure.Method]
	From       string       `json:"from,omitempty"`   // path that a source had before it was renamed
	Err        error        `json:"-"`                // why a source was skipped or failed
}

// MarshalJSON implements [json.Marshaler]. The error becomes "reason" and, of
// a failed source, "code".
func (i IngestItem) MarshalJSON() ([]byte, error) {
	type plain IngestItem
	item := struct {
		plain
		Reason string `json:"reason,omitempty"`
		Code   Code   `json:"code,omitempty"`
	}{plain: plain(i)}
	if i.Err != nil {
		item.Reason = i.Err.Error()
		if i.Status == IngestFailed {
			item.Code = CodeOf(i.Err)
		}
	}
	return json.Marshal(item)
}

// An IngestReport is what became of all sources, in the order they were found
// in; vanished ones come last.
type IngestReport struct {
	Items []IngestItem `json:"items"`
}

// Count returns how many items have the status.
func (r *IngestReport) Count(status IngestStatus) int {
	n := 0
	for _, item := range r.Items {
		if item.Status == status {
			n++
		}
	}
	return n
}

// Err returns an error naming the number of failed sources and the first
// failure, or nil.
func (r *IngestReport) Err() error {
	failed := r.Count(IngestFailed)
	for _, item := range r.Items {
		if item.Status == IngestFailed {
			return fmt.Errorf("%s of %d not mapped; the first, %s: %w",
				plural(failed, "source"), len(r.Items), quoteShort(item.Path), item.Err)
		}
	}
	return nil
}

func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// An IngestProgress says how far an ingest is.
type IngestProgress struct {
	Done  int    `json:"done"`  // sources that are done
	Total int    `json:"total"` // sources that were found
	Path  string `json:"path"`  // of the source this is about

	// Part is how much of the source at Path is done, from 0 to 1.
	Part float64 `json:"part"`
}

// Ingest makes maps of the sources that paths name: files, folders and
// patterns, as in [FindRequest]. It needs a workspace that is a [Finder], else
// the error matches [errors.ErrUnsupported].
//
// The map of a source is named after its file. Where that id belongs to
// another source, the extension or the names of its folders are added; a map
// of another source is never replaced, nor is one that was made or changed by
// hand unless Force is set. Sources that have not changed since their map was
// made are left alone. Bytes that were mapped before, under another name, are
// not mapped anew. A source that was renamed keeps its map if
// IngestOptions.Renames wants that. Every location is verified to lie inside the source before
// a map is stored, and the source to be unchanged.
//
// One source that cannot be mapped does not keep others from it: what became
// of each is in the report, and [IngestReport.Err] is the error for a caller
// to whom one failure is one too many. The error of Ingest itself is that of
// no paths or wrong options, of the workspace as a whole, or ctx.Err(); the
// report, which is never nil, then holds what had been done.
//
// One ingest runs at a time in a workspace; another waits.
func (l *Library) Ingest(ctx context.Context, paths []string, opts *IngestOptions) (*IngestReport, error) {
	report := &IngestReport{Items: []IngestItem{}}
	o, err := opts.withDefaults()
	if err != nil {
		return report, fmt.Errorf("citekit: ingest: %w", err)
	}
	if len(paths) == 0 {
		return report, fmt.Errorf("citekit: ingest: %w", syntaxError(`no paths; name files, folders or patterns, such as "." for all below the base directory`))
	}
	if o.Type != "" && !o.Type.builtIn() {
		if _, err := l.resolver(o.Type); err != nil {
			return report, fmt.Errorf("citekit: ingest: %w", syntaxError("type: %w", err))
		}
	}
	finder, ok := l.workspace.(Finder)
	if !ok {
		return report, fmt.Errorf("citekit: ingest: this workspace cannot be searched: %w", errors.ErrUnsupported)
	}
	release, err := finder.LockNotes(ctx, ledgerName)
	if err != nil {
		return report, ingestError(ctx, err)
	}
	defer release()
	in := newIngest(l, finder, o, report)
	if err := in.run(ctx, paths); err != nil {
		return report, ingestError(ctx, err)
	}
	return report, nil
}

func ingestError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return fmt.Errorf("citekit: ingest: %w", hidePath(err))
}
