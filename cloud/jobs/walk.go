package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"path"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/workspace"
)

// A Lister is a workspace whose sources and notes come in one order, that of the bytes of
// their paths, so that a walk compares them as two sorted lists.
type Lister interface {
	citekit.Workspace

	// Lists reports whether the other methods can be used.
	Lists() bool

	// FindAfter yields the sources below a folder whose paths are greater than after.
	FindAfter(ctx context.Context, folder, after string) iter.Seq2[workspace.Candidate, error]

	// SourceNotes yields the notes of package ingest whose names lie after one, up to
	// another, or to the end if that is "".
	SourceNotes(ctx context.Context, after, to string) iter.Seq2[citekit.Note, error]

	// StatMaps returns the stamps of those of the ids that are of maps.
	StatMaps(ctx context.Context, ids []string) (map[string]citekit.Stamp, error)
}

// isFolder reports whether a path of a request is a folder.
func isFolder(ctx context.Context, finder workspace.Finder, name string) (bool, error) {
	if path.Clean(name) == "." {
		return true, nil
	}
	for c, err := range finder.Find(ctx, workspace.FindRequest{Paths: []string{name}}) {
		return err == nil && c.Folder, ctx.Err() // the folder itself comes first
	}
	return false, ctx.Err()
}

// walkKind is the kind of the notes of walks. The name of a note is the folder.
const walkKind = "walk"

// A cursor is where a walk is. All before it were looked at: it is stored once their jobs
// are in the queue.
type cursor struct {
	After    string    `json:"after"`
	At       time.Time `json:"at"`            // when it was there
	All      bool      `json:"all,omitempty"` // as in [FindOptions]
	Vanished int       `json:"vanished,omitempty"`
	Gone     []string  `json:"gone,omitempty"`   // at most maxGone
	Failed   []Failure `json:"failed,omitempty"` // at most as many
}

// resumed is how old a walk may be to go on: what has changed since before where it is,
// only the next one finds.
const resumed = 12 * time.Hour

// Of the paths of vanished sources, so many are told, if they fit into a note.
const (
	maxGone      = 100
	maxGoneBytes = 32 << 10
)

// A walk adds the sources of a folder to the queue.
type walk struct {
	queue *Queue
	ws    citekit.Workspace
	lists Lister
	opts  *FindOptions
	asked *asked

	folder string
	at     cursor
	alone  bool // no other walks the folder
	bytes  int  // of at.Gone and at.Failed
	found  Finding
	page   []workspace.Candidate
}

func (q *Queue) walk(ctx context.Context, ws citekit.Workspace, l Lister, opts *FindOptions, a *asked) (Finding, error) {
	w := &walk{queue: q, ws: ws, lists: l, opts: opts, asked: a, folder: path.Clean(opts.Request.Paths[0])}
	// A walk beside another begins at the start, and leaves no trace.
	release, held, err := q.tryWalk(ctx, w.folder)
	if err != nil {
		return w.found, err
	}
	if w.alone = held; held {
		defer release()
		if err := w.resume(ctx); err != nil {
			return w.found, err
		}
	}
	w.found.From = w.at.After
	for c, err := range l.FindAfter(ctx, w.folder, w.at.After) {
		switch {
		case ctx.Err() != nil:
			return w.found, ctx.Err()
		case err != nil && c.Named: // the listing itself
			return w.found, err
		case err != nil:
			w.cannotRead(Failure{c.Path, err.Error()})
			continue
		case c.Folder, c.Link:
			continue
		}
		if w.page = append(w.page, c); len(w.page) == findBatch {
			if err := w.take(ctx, c.Path); err != nil {
				return w.found, err
			}
			if err := w.save(ctx); err != nil {
				return w.found, err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return w.found, err
	}
	if err := w.take(ctx, w.end()); err != nil {
		return w.found, err
	}
	w.found.Vanished, w.found.Gone, w.found.Failed = w.at.Vanished, w.at.Gone, w.at.Failed
	return w.found, w.forget(ctx)
}

// end returns where the names end that are in the folder: "" is the end of all.
func (w *walk) end() string {
	if w.folder == "." {
		return ""
	}
	return w.folder + "/\xff" // no path has this byte
}

// take compares the sources of the page with the notes up to a path, and adds jobs for
// those that are new or have changed.
func (w *walk) take(ctx context.Context, to string) error {
	known, err := w.compare(ctx, to)
	if err != nil {
		return err
	}
	var some []Source
	for _, c := range w.page {
		w.found.Sources++
		if known[c.Path] && !w.opts.All {
			w.found.Unchanged++
		} else {
			some = append(some, Source{c.Path, c.Identity, c.Size})
		}
	}
	w.page = w.page[:0]
	w.at.After = to
	if len(some) == 0 {
		if w.opts.Progress != nil {
			w.opts.Progress(w.found)
		}
		return nil
	}
	return w.queue.addWaiting(ctx, some, w.asked, w.opts.Progress, &w.found)
}

// compare returns the sources of the page that have a map of their version, and counts
// those that have a map and are not there.
func (w *walk) compare(ctx context.Context, to string) (map[string]bool, error) {
	after := w.at.After
	if w.folder != "." {
		after = max(after, w.folder+"/")
	}
	notes := make(map[string]ledger.Note) // of the sources of the page
	var ids []string
	next := 0
	for n, err := range w.lists.SourceNotes(ctx, after, to) {
		if err != nil {
			return nil, err
		}
		for next < len(w.page) && w.page[next].Path < n.Name {
			next++
		}
		note, ok := ledger.Parse(n.Data)
		switch {
		case !ok || note.ID == "":
		case next == len(w.page) || w.page[next].Path != n.Name:
			w.vanished(n.Name)
		case isNoted(note, w.page[next]):
			notes[n.Name], ids = note, append(ids, note.ID)
		}
	}
	stamps, err := w.lists.StatMaps(ctx, ids)
	known := make(map[string]bool, len(notes))
	for name, n := range notes {
		stamp, has := stamps[n.ID]
		known[name] = has && isMapOf(n, stamp)
	}
	return known, err
}

// vanished notes a source that has a map and was not listed, unless the walk passes over
// its name.
func (w *walk) vanished(name string) {
	if isHidden(strings.TrimPrefix(name, w.folder+"/")) {
		return
	}
	w.at.Vanished++
	if len(w.at.Gone) < maxGone && w.bytes+len(name) <= maxGoneBytes {
		w.at.Gone, w.bytes = append(w.at.Gone, name), w.bytes+len(name)
	}
}

// cannotRead notes a source that cannot be read.
func (w *walk) cannotRead(f Failure) {
	n := len(f.Path) + len(f.Reason)
	if len(w.at.Failed) == 0 || len(w.at.Failed) < maxGone && w.bytes+n <= maxGoneBytes {
		w.at.Failed, w.bytes = append(w.at.Failed, f), w.bytes+n
	}
}

// isHidden reports whether searches pass over a path unless it is named.
func isHidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") {
			return true
		}
	}
	return false
}

// resume reads where the last walk was, if it was interrupted.
func (w *walk) resume(ctx context.Context) error {
	data, _, err := w.ws.ReadNote(ctx, walkKind, w.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var at cursor
	if err == nil && json.Unmarshal(data, &at) == nil && at.All == w.opts.All && time.Since(at.At) < resumed {
		w.at = at
	}
	for _, name := range w.at.Gone {
		w.bytes += len(name)
	}
	for _, f := range w.at.Failed {
		w.bytes += len(f.Path) + len(f.Reason)
	}
	return err
}

// save stores where the walk is.
func (w *walk) save(ctx context.Context) error {
	w.at.All, w.at.At = w.opts.All, time.Now()
	data, err := json.Marshal(w.at)
	if err != nil {
		return err
	}
	return w.note(ctx, data)
}

// forget has the next walk begin at the start.
func (w *walk) forget(ctx context.Context) error { return w.note(ctx, nil) }

// note stores the note of the walk, or deletes it if data is nil.
func (w *walk) note(ctx context.Context, data []byte) error {
	if !w.alone {
		return nil
	}
	for {
		_, stamp, err := w.ws.ReadNote(ctx, walkKind, w.folder)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
			if data == nil {
				return nil
			}
		}
		if err != nil {
			return err
		}
		if data == nil {
			err = w.ws.DeleteNoteIf(ctx, walkKind, w.folder, stamp)
		} else {
			_, err = w.ws.WriteNoteIf(ctx, walkKind, w.folder, data, stamp)
		}
		if !errors.Is(err, citekit.ErrConflict) && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
}
