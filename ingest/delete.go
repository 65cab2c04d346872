package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/workspace"
)

// DeleteOptions are the options of [Delete]. The zero value is ready
// to use.
type DeleteOptions struct {
	// KeepByHand keeps a map that a person made or changed: the error then
	// matches [ErrByHand].
	KeepByHand bool

	// DryRun deletes nothing, and reports what would be deleted.
	DryRun bool
}

// ErrByHand reports a map that was not deleted because a person made or changed
// it.
var ErrByHand = errors.New("a map made or changed by hand is kept")

// A Deletion reports what was deleted with a resource.
type Deletion struct {
	ResourceID string `json:"resource_id"`
	SourcePath string `json:"source_path,omitempty"` // the source itself stays
	Map        string `json:"map"`                   // path, as [citekit.Library.MapPath] returns it
	Evidence   int    `json:"evidence"`              // number of files
	Bytes      int64  `json:"bytes"`                 // of evidence
}

// Delete deletes the map of a resource, durably. With it, Delete removes its
// evidence, the required version of its source, the notes that ingest made of it,
// and permission to read a source outside the roots that no other map names.
// The source stays. If the resource does not exist, the error wraps a
// [*citekit.NotFoundError].
//
// A concurrent resolve, also in another process, succeeds or finds nothing;
// [Prune] removes any evidence that it still stores. If the map was replaced
// concurrently, it stays, and the error matches [citekit.ErrStale]. Delete
// waits for a running ingest.
//
// It needs a workspace that is a [workspace.Deleter]; otherwise the error matches
// [errors.ErrUnsupported].
func Delete(ctx context.Context, lib *citekit.Library, resourceID string, opts *DeleteOptions) (*Deletion, error) {
	deletions, err := DeleteAll(ctx, lib, []string{resourceID}, opts)
	if err != nil {
		return nil, err
	}
	return &deletions[0], nil
}

// DeleteAll is like Delete, for several resources, at less cost. It deletes
// nothing unless all of them can be deleted. If a later step fails, it returns
// the error together with the deletions already made.
func DeleteAll(ctx context.Context, lib *citekit.Library, resourceIDs []string, opts *DeleteOptions) ([]Deletion, error) {
	var o DeleteOptions
	if opts != nil {
		o = *opts
	}
	d, err := newRemover(ctx, lib)
	if err != nil {
		return nil, fmt.Errorf("ingest: delete: %w", localfile.WithoutPath(err))
	}
	defer d.close()
	var removals []removal
	seen := make(map[string]bool)
	for _, id := range resourceIDs {
		if seen[id] {
			continue
		}
		seen[id] = true
		one, err := d.find(ctx, id, o.KeepByHand)
		if err != nil {
			return nil, &citekit.ResolveError{Op: "delete", Address: citekit.Address{Resource: id}, Err: err}
		}
		removals = append(removals, one)
	}
	if err := d.findEvidence(ctx, removals); err != nil {
		return nil, fmt.Errorf("ingest: delete: %w", localfile.WithoutPath(err))
	}
	deletions := []Deletion{}
	for batch := range slices.Chunk(removals, deleteBatch) {
		n := len(batch)
		var failed error
		if !o.DryRun {
			n, failed = d.delete(ctx, batch)
		}
		for _, one := range batch[:n] {
			deletions = append(deletions, one.deletion)
		}
		if failed != nil {
			return deletions, failed
		}
	}
	return deletions, nil
}

// deleteBatch is how many maps are deleted together. If the process is killed,
// evidence and notes of at most that many maps may be left.
const deleteBatch = 250

// A remover is one run of [DeleteAll] or [Prune]. It holds the notes of
// ingest, if there are any.
type remover struct {
	lib     *citekit.Library
	deleter workspace.Deleter
	book    *ledgerStore // nil if nothing ingests into the workspace
	release func()
}

func newRemover(ctx context.Context, lib *citekit.Library) (*remover, error) {
	deleter, ok := lib.Workspace().(workspace.Deleter)
	if !ok {
		return nil, fmt.Errorf("nothing can be deleted from this workspace: %w", errors.ErrUnsupported)
	}
	d := &remover{lib: lib, deleter: deleter, release: func() {}}
	finder, ok := lib.Workspace().(workspace.Finder)
	if !ok {
		return d, nil
	}
	release, err := finder.LockIngest(ctx)
	if err != nil {
		return nil, err
	}
	d.release = release
	if d.book, err = openBook(ctx, lib.Workspace()); err != nil {
		release()
		return nil, err
	}
	return d, nil
}

// close stores the notes. They may be lost: ingest detects that a map is gone.
func (d *remover) close() {
	if d.book != nil {
		_ = d.book.write(context.Background())
	}
	d.release()
}

// A removal is a resource that is about to be deleted.
type removal struct {
	id       string
	stamp    citekit.Stamp
	source   string // path of the source whose note belongs to the map
	evidence []workspace.Kept
	deletion Deletion
}

// find returns what to delete with a resource, except its evidence.
func (d *remover) find(ctx context.Context, id string, keepByHand bool) (removal, error) {
	if err := citekit.CheckResourceID(id); err != nil {
		return removal{}, err
	}
	stamp, err := d.lib.Workspace().StatMap(ctx, id)
	if err != nil {
		return removal{}, describeMissing(ctx, d.lib, id, err)
	}
	one := removal{id: id, stamp: stamp, deletion: Deletion{ResourceID: id, Map: d.lib.MapPath(id)}}
	m, hash, err := d.lib.ReadMap(ctx, id)
	if ctx.Err() != nil {
		return removal{}, ctx.Err()
	}
	if err == nil {
		one.deletion.SourcePath = m.SourcePath
	}
	byHand := err != nil
	if err == nil {
		one.source = d.sourceOf(id)
		if byHand, err = d.isByHand(ctx, m, hash); err != nil {
			return removal{}, localfile.WithoutPath(err)
		}
	}
	if byHand && keepByHand {
		what := "the map was made or changed by hand"
		if err != nil {
			what = "the map cannot be read; a person may have changed it"
		}
		return removal{}, fmt.Errorf("%s: %w", what, ErrByHand)
	}
	return one, nil
}

// describeMissing returns the error for a map that could not be examined.
func describeMissing(ctx context.Context, lib *citekit.Library, id string, err error) error {
	if _, _, described := lib.ReadMap(ctx, id); described != nil {
		return described
	}
	return localfile.WithoutPath(err)
}

// sourceOf returns the source whose note is deleted with a map, or "".
func (d *remover) sourceOf(id string) string {
	if d.book == nil {
		return ""
	}
	source, _ := d.book.Owner(id)
	if n, _ := d.book.Note(source); n.ID != id {
		return ""
	}
	return source
}

// isByHand reports whether a person made the map or may have changed it since
// it was made.
func (d *remover) isByHand(ctx context.Context, m *citekit.ResourceMap, hash string) (bool, error) {
	if adapter, _ := m.Metadata["adapter"].(string); adapter != "" && mapperOf(m) == "" {
		return false, nil
	}
	hand, err := handOn(ctx, d.lib, m, hash)
	return hand != ledger.Nothing, err
}

// findEvidence adds to each resource the evidence of its map.
func (d *remover) findEvidence(ctx context.Context, all []removal) error {
	at := make(map[string]int, len(all))
	for i, one := range all {
		at[one.id] = i
	}
	for k, err := range d.deleter.Kept(ctx) {
		if err != nil {
			return err
		}
		i, ok := at[k.ResourceID]
		if !ok || k.Kind != workspace.KeptEvidence {
			continue
		}
		all[i].evidence = append(all[i].evidence, k)
		all[i].deletion.Evidence++
		all[i].deletion.Bytes += k.Size
	}
	return nil
}

// delete deletes maps, then what belongs to them: without the map, that is only
// litter if the deletion is interrupted. It returns how many maps it deleted,
// as in [workspace.Deleter].
func (d *remover) delete(ctx context.Context, batch []removal) (deleted int, err error) {
	maps := make([]workspace.MapVersion, len(batch))
	for i, one := range batch {
		maps[i] = workspace.MapVersion{ID: one.id, Stamp: one.stamp}
	}
	deleted, err = d.deleter.DeleteMaps(ctx, maps)
	if err != nil {
		err = &citekit.ResolveError{Op: "delete", Address: citekit.Address{Resource: batch[min(deleted, len(batch)-1)].id}, Err: localfile.WithoutPath(err)}
	}
	ctx = context.WithoutCancel(ctx) // finish what was begun
	for _, one := range batch[:deleted] {
		if d.book != nil && one.source != "" {
			d.book.Forget(one.source)
		}
		for _, k := range one.evidence {
			if failed := d.deleter.DeleteKept(ctx, k); failed != nil && err == nil {
				err = &citekit.ResolveError{Op: "delete", Address: citekit.Address{Resource: one.id}, Err: localfile.WithoutPath(failed)}
			}
		}
	}
	return deleted, err
}
