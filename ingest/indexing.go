package ingest

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/citekit/citekit"
)

// An Indexer makes the texts of mapped sources searchable.
type Indexer interface {
	// Index reads the texts of all resources of the workspace that are not in the
	// index as they are mapped, and puts them there. It returns what the index has
	// then. Calls of progress, unless it is nil, do not overlap, and end before Index
	// returns: with the number of resources that were read, and of those that are to be.
	//
	// A resource whose text cannot be read is no error, but is in Indexed.Missing. Once
	// ctx is done, the error is ctx.Err(), and what was put stays.
	Index(ctx context.Context, progress func(done, of int)) (Indexed, error)
}

// A MappedIndexer is an Indexer for many processes that map sources of one workspace.
type MappedIndexer interface {
	Indexer

	// IndexMapped puts resources that were mapped just now into the index, with what is
	// read in ctx, and returns once they are there. It reports whether all are: what is not,
	// because it is long or cannot be read, is left to Index.
	IndexMapped(ctx context.Context, ids []string) (all bool, err error)
}

// Indexed is what an index has of the resources of a workspace.
type Indexed struct {
	Resources  int          `json:"resources"`         // that have a map
	Searchable int          `json:"searchable"`        // those of which the index has all text
	Missing    []NotIndexed `json:"missing,omitempty"` // the others, ordered by ids

	Err error `json:"-"` // why the index could not be brought up to date, or nil
}

// A NotIndexed is a resource that is mapped, but not found by its text.
type NotIndexed struct {
	ResourceID string `json:"resource_id"`
	Path       string `json:"path,omitempty"`   // of the source
	Begun      bool   `json:"begun,omitempty"`  // a part of its text is found, mostly the beginning
	Before     bool   `json:"before,omitempty"` // an earlier run found the same

	Err error `json:"-"` // why
}

// A reason is an error in JSON.
type reason struct {
	Reason string `json:"reason,omitempty"`
	Code   string `json:"code,omitempty"`
}

// MarshalJSON implements [json.Marshaler]. The error becomes "reason" and "code".
func (n NotIndexed) MarshalJSON() ([]byte, error) {
	type plain NotIndexed
	return json.Marshal(struct {
		plain
		reason
	}{plain(n), reasonOf(n.Err)})
}

// MarshalJSON implements [json.Marshaler]. The error becomes "reason" and "code".
func (x Indexed) MarshalJSON() ([]byte, error) {
	type plain Indexed
	return json.Marshal(struct {
		plain
		reason
	}{plain(x), reasonOf(x.Err)})
}

func reasonOf(err error) reason {
	if err == nil {
		return reason{}
	}
	return reason{err.Error(), citekit.CodeOf(err)}
}

// makeSearchable has what was mapped indexed, if there is an index.
func makeSearchable(ctx context.Context, report *Report, opts *Options) error {
	if opts == nil || opts.Index == nil {
		return nil
	}
	var tell func(done, of int)
	if opts.Progress != nil {
		all := report.sources
		tell = func(done, of int) {
			opts.Progress(Progress{Done: all, Total: all, Part: 1, Indexed: done, ToIndex: of})
		}
	}
	found, err := opts.Index.Index(ctx, tell)
	if ctx.Err() != nil {
		return runError(ctx, err)
	}
	if err != nil {
		found.Err = fmt.Errorf("the index is not up to date: %w", err)
	}
	report.Index = &found
	return nil
}
