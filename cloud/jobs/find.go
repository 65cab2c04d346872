package jobs

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/workspace"
)

// FindOptions are the options of [Queue.Find].
type FindOptions struct {
	Request  workspace.FindRequest
	Priority Priority // zero means Bulk

	// MaxWaiting is how many jobs may wait; zero means [MaxWaiting]. Find waits until
	// some are done.
	MaxWaiting int

	// All also adds sources that have a map of the version that was found, and has them
	// mapped again.
	All bool

	// Progress, if not nil, is called from time to time.
	Progress func(Finding)

	asked  *asked                       // if not nil, instead of Priority, MaxWaiting and All
	failed func(path string, err error) // if not nil, is told what cannot be read
}

// Finding says what [Queue.Find] found so far.
type Finding struct {
	Sources   int // that were found
	Unchanged int // of them, those that have a map of this version
	Added
	Vanished int       // sources that have a map and are gone; told once a walk has ended
	Gone     []string  // the paths of the first 100 of them
	From     string    // the path after which a walk went on that had been interrupted; "" is the start
	Failed   []Failure // paths that cannot be read; at most 100
}

// findBatch is how many sources are added at a time.
const findBatch = 1000

// Find adds jobs for the sources that a request finds in a workspace: those that are new
// or have changed. If the request is for one folder of a [Lister], it walks the folder
// page by page, and one that was interrupted within the last 12 hours goes on where it was.
func (q *Queue) Find(ctx context.Context, ws citekit.Workspace, opts *FindOptions) (Finding, error) {
	var found Finding
	finder, ok := ws.(workspace.Finder)
	if !ok {
		return found, errors.ErrUnsupported
	}
	a := opts.asked
	if a == nil {
		a = &asked{args: ingestArgs{Force: opts.All}, priority: cmp.Or(opts.Priority, Bulk), max: opts.MaxWaiting, owner: bulkOwner}
		if l, ok := ws.(Lister); ok && l.Lists() && len(opts.Request.Paths) == 1 && !opts.Request.Hidden {
			folder, err := isFolder(ctx, finder, opts.Request.Paths[0])
			if err != nil {
				return found, err
			}
			if folder {
				return q.walk(ctx, ws, l, opts, a)
			}
		}
	}
	look := !a.args.Force && a.args.Type == "" && a.args.ResourceID == ""
	var some []Source
	add := func() error {
		err := q.addWaiting(ctx, some, a, opts.Progress, &found)
		some = some[:0]
		return err
	}
	for c, err := range finder.Find(ctx, opts.Request) {
		switch {
		case ctx.Err() != nil:
			return found, ctx.Err()
		case err != nil:
			if len(found.Failed) < 100 {
				found.Failed = append(found.Failed, Failure{c.Path, err.Error()})
			}
			if opts.failed != nil {
				opts.failed(c.Path, err)
			}
			continue
		case c.Folder, c.Link:
			continue
		}
		found.Sources++
		if look {
			same, err := unchanged(ctx, ws, c)
			if err != nil {
				return found, err
			}
			if same {
				found.Unchanged++
				continue
			}
		}
		if some = append(some, Source{c.Path, c.Identity, c.Size}); len(some) == findBatch {
			if err := add(); err != nil {
				return found, err
			}
		}
	}
	if len(some) > 0 {
		if err := add(); err != nil {
			return found, err
		}
	}
	return found, ctx.Err()
}

// addWaiting adds jobs for sources, and waits while the queue is full.
func (q *Queue) addWaiting(ctx context.Context, some []Source, a *asked, progress func(Finding), found *Finding) error {
	for {
		added, err := q.add(ctx, some, a)
		found.Jobs, found.Waiting = found.Jobs+added.Jobs, found.Waiting+added.Waiting
		if progress != nil {
			progress(*found)
		}
		if !errors.Is(err, ErrFull) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// unchanged reports whether a source has a map of the version that was found, by its note
// alone. A worker looks at one whose map was written by something else since, and at one
// with subtitles beside it, as these may have changed.
func unchanged(ctx context.Context, ws citekit.Workspace, c workspace.Candidate) (bool, error) {
	if c.Identity == "" {
		return false, nil
	}
	data, _, err := ws.ReadNote(ctx, ledger.Kind, c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, citekit.ErrDamaged), errors.Is(err, citekit.ErrSyntax):
		return false, nil
	case err != nil:
		return false, err
	}
	n, ok := ledger.Parse(data)
	if !ok || !isNoted(n, c) {
		return false, nil
	}
	stamp, err := ws.StatMap(ctx, n.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && isMapOf(n, stamp), err
}

// isMapOf reports whether the map with a stamp is still the one that a note tells of.
func isMapOf(n ledger.Note, stamp citekit.Stamp) bool {
	return n.Stamp == "" || n.Stamp == stamp.Identity
}

// isNoted reports whether a source has a map of the version that was found, by its note.
func isNoted(n ledger.Note, c workspace.Candidate) bool {
	return c.Identity != "" && n.Identity == c.Identity && n.ID != "" && n.Companions == "" && len(c.Companions) == 0
}
