package citekit

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// DeleteOptions are the options of [Library.Delete]. The zero value is ready
// to use.
type DeleteOptions struct {
	// KeepByHand keeps a map that a person made or changed: the error then
	// matches [ErrByHand].
	KeepByHand bool

	// DryRun deletes nothing, and reports what would be.
	DryRun bool
}

// ErrByHand reports a map that was not deleted because a person made or changed
// it.
var ErrByHand = errors.New("what a person did is kept")

// A Deletion is what was deleted with a resource.
type Deletion struct {
	ResourceID string `json:"resource_id"`
	SourcePath string `json:"source_path,omitempty"` // which stays
	Map        string `json:"map"`                   // as [Workspace.MapPath]
	Evidence   int    `json:"evidence"`              // files
	Bytes      int64  `json:"bytes"`                 // of evidence
}

// Delete deletes the map of a resource, durably, and with it its evidence, the
// version its source was held to, what ingest noted of it, and leave to read a
// source outside the roots that no other map names. The source stays. A
// resource that does not exist is a [*NotFoundError].
//
// A resolve that is under way, also in another process, ends well or finds
// nothing; what it still stores goes with [Library.Prune]. A map that was
// replaced meanwhile is an error matching [ErrStale], and stays. Delete waits
// for an ingest that is under way.
//
// It needs a workspace that is a [Deleter], else the error matches
// [errors.ErrUnsupported].
func (l *Library) Delete(ctx context.Context, resourceID string, opts *DeleteOptions) (*Deletion, error) {
	deletions, err := l.DeleteAll(ctx, []string{resourceID}, opts)
	if err != nil {
		return nil, err
	}
	return &deletions[0], nil
}

// DeleteAll is Delete for several resources, at less cost. Unless all of them
// can be deleted, none is. An error later on comes with what was deleted
// before.
func (l *Library) DeleteAll(ctx context.Context, resourceIDs []string, opts *DeleteOptions) ([]Deletion, error) {
	var o DeleteOptions
	if opts != nil {
		o = *opts
	}
	d, err := l.newDeleting(ctx)
	if err != nil {
		return nil, fmt.Errorf("citekit: delete: %w", hidePath(err))
	}
	defer d.close()
	var doomed []doomed
	seen := make(map[string]bool)
	for _, id := range resourceIDs {
		if seen[id] {
			continue
		}
		seen[id] = true
		one, err := d.find(ctx, id, o.KeepByHand)
		if err != nil {
			return nil, &ResolveError{Op: "delete", Address: id, Err: err}
		}
		doomed = append(doomed, one)
	}
	if err := d.findEvidence(ctx, doomed); err != nil {
		return nil, fmt.Errorf("citekit: delete: %w", hidePath(err))
	}
	deletions := []Deletion{}
	for batch := range slices.Chunk(doomed, deleteBatch) {
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

// deleteBatch is how many maps are deleted together: of so many, what belongs
// to them may be left when the process is killed.
const deleteBatch = 250

// A deleting is one run of [Library.DeleteAll] or [Library.Prune]. It holds
// the notes of ingest, if there are any.
type deleting struct {
	lib     *Library
	deleter Deleter
	finder  Finder  // or nil
	ledger  *ledger // nil without a finder
	release func()
}

func (l *Library) newDeleting(ctx context.Context) (*deleting, error) {
	deleter, ok := l.workspace.(Deleter)
	if !ok {
		return nil, fmt.Errorf("nothing can be deleted from this workspace: %w", errors.ErrUnsupported)
	}
	d := &deleting{lib: l, deleter: deleter, release: func() {}}
	finder, ok := l.workspace.(Finder)
	if !ok {
		return d, nil
	}
	release, err := finder.LockNotes(ctx, ledgerName)
	if err != nil {
		return nil, err
	}
	d.finder, d.release = finder, release
	if d.ledger, err = l.readLedger(ctx, finder); err != nil {
		release()
		return nil, err
	}
	return d, nil
}

// close stores the notes. They may be lost: ingest finds out that a map is
// gone.
func (d *deleting) close() {
	if d.ledger != nil {
		_ = d.ledger.store(context.Background(), d.finder)
	}
	d.release()
}

// A doomed resource is about to be deleted.
type doomed struct {
	id       string
	stamp    Stamp
	source   string // path of the source that the notes of the map are of
	evidence []Kept
	deletion Deletion
}

// find returns what is to be deleted of a resource, but for its evidence.
func (d *deleting) find(ctx context.Context, id string, keepByHand bool) (doomed, error) {
	if err := CheckResourceID(id); err != nil {
		return doomed{}, err
	}
	stamp, err := d.lib.workspace.StatMap(ctx, id)
	if err != nil {
		return doomed{}, d.lib.describeMissing(ctx, id, err)
	}
	one := doomed{id: id, stamp: stamp, deletion: Deletion{ResourceID: id, Map: d.lib.workspace.MapPath(id)}}
	m, _, err := d.lib.parse(ctx, id)
	if ctx.Err() != nil {
		return doomed{}, ctx.Err()
	}
	if err == nil {
		one.deletion.SourcePath = m.SourcePath
	}
	byHand := err != nil || d.isByHand(m, &one)
	if byHand && keepByHand {
		what := "the map was made or changed by hand"
		if err != nil {
			what = "the map cannot be read; a person may have changed it"
		}
		return doomed{}, fmt.Errorf("%s: %w", what, ErrByHand)
	}
	return one, nil
}

// isByHand reports whether a person made the map or changed it since it was
// made, as far as is known. It sets the source whose notes go with the map.
func (d *deleting) isByHand(m *indexedMap, one *doomed) bool {
	if d.ledger != nil {
		if source, _ := d.ledger.owner(m.ResourceID); source != "" {
			if n, ok := d.ledger.note(source); ok && n.ID == m.ResourceID {
				one.source = source
				if n.MapHash != "" {
					return n.MapHash != m.hash
				}
			}
		}
	}
	adapter, _ := m.Metadata["adapter"].(string)
	return m.mapper() == "" && adapter == ""
}

// findEvidence adds to the resources the evidence made by their maps.
func (d *deleting) findEvidence(ctx context.Context, all []doomed) error {
	at := make(map[string]int, len(all))
	for i, one := range all {
		at[one.id] = i
	}
	for k, err := range d.deleter.Kept(ctx) {
		if err != nil {
			return err
		}
		i, ok := at[k.ResourceID]
		if !ok || k.Kind != KeptEvidence {
			continue
		}
		all[i].evidence = append(all[i].evidence, k)
		all[i].deletion.Evidence++
		all[i].deletion.Bytes += k.Size
	}
	return nil
}

// delete deletes maps and then what belongs to them: without a map that is
// only litter, whatever ends this. It returns how many it deleted, as
// [BatchDeleter] says.
func (d *deleting) delete(ctx context.Context, batch []doomed) (deleted int, err error) {
	maps := make([]MapVersion, len(batch))
	for i, one := range batch {
		maps[i] = MapVersion{one.id, one.stamp}
	}
	deleted, err = d.deleteMaps(ctx, maps)
	if err != nil {
		err = &ResolveError{Op: "delete", Address: batch[min(deleted, len(batch)-1)].id, Err: hidePath(err)}
	}
	ctx = context.WithoutCancel(ctx) // what was begun is ended
	for _, one := range batch[:deleted] {
		if d.ledger != nil && one.source != "" {
			d.ledger.forget(one.source)
		}
		for _, k := range one.evidence {
			if failed := d.deleter.DeleteKept(ctx, k); failed != nil && err == nil {
				err = &ResolveError{Op: "delete", Address: one.id, Err: hidePath(failed)}
			}
		}
	}
	return deleted, err
}

// deleteMaps is [BatchDeleter.DeleteMaps] with any Deleter.
func (d *deleting) deleteMaps(ctx context.Context, maps []MapVersion) (deleted int, err error) {
	if batches, ok := d.deleter.(BatchDeleter); ok {
		return batches.DeleteMaps(ctx, maps)
	}
	for i, m := range maps {
		if err := d.deleter.DeleteMap(ctx, m.ID, m.Stamp); err != nil {
			return i, err
		}
	}
	return len(maps), nil
}
