package citekit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// PruneOptions are the options of [Library.PlanPrune]. The zero value is ready
// to use.
type PruneOptions struct {
	// Force also prunes maps that a person made or changed.
	Force bool
}

// A PrunePlan is what a prune would delete. [Library.PlanPrune] makes it.
type PrunePlan struct {
	Items []PruneItem `json:"items"` // maps first

	// ByHand are maps whose source vanished and that stay all the same,
	// because a person made or changed them.
	ByHand []PruneItem `json:"by_hand,omitempty"`
}

// Bytes returns how many bytes of evidence and leftovers the plan would free.
func (p *PrunePlan) Bytes() (n int64) {
	for _, item := range p.Items {
		n += item.Bytes
	}
	return n
}

// A PruneItem is one thing that nothing needs any more.
type PruneItem struct {
	Kind       string `json:"kind"` // "map", or a [KeptKind]
	ResourceID string `json:"resource_id,omitempty"`
	SourcePath string `json:"source_path,omitempty"` // of a map
	Path       string `json:"path,omitempty"`        // of the file, as [Kept.Path]; for a grant, of the file that could be read
	Evidence   int    `json:"evidence,omitempty"`    // files that go with a map
	Bytes      int64  `json:"bytes"`                 // with what goes with it
	Reason     string `json:"reason"`

	doomed *doomed // of a map
	kept   Kept    // of anything else
}

// kindMap is the kind of a [PruneItem] that is a map.
const kindMap = "map"

// PlanPrune returns what nothing needs any more: maps whose source vanished,
// with their evidence; evidence of maps that are gone, and of versions of a
// source other than the one that is mapped; versions recorded for maps that are
// gone; grants that no map needs; and what processes left that were killed. A
// source outside the roots is not taken for vanished. Evidence of files without
// a map stays. A nil opts means the defaults.
//
// It needs a workspace that is a [Deleter], else the error matches
// [errors.ErrUnsupported].
func (l *Library) PlanPrune(ctx context.Context, opts *PruneOptions) (*PrunePlan, error) {
	d, err := l.newDeleting(ctx)
	if err != nil {
		return nil, pruneError(err)
	}
	defer d.close()
	p := &planning{deleting: d, plan: &PrunePlan{Items: []PruneItem{}}, hashes: make(map[string]string)}
	if err := p.maps(ctx, opts != nil && opts.Force); err != nil {
		return nil, pruneError(err)
	}
	if err := p.kept(ctx); err != nil {
		return nil, pruneError(err)
	}
	return p.plan, nil
}

func pruneError(err error) error { return fmt.Errorf("citekit: prune: %w", hidePath(err)) }

// A planning is one run of [Library.PlanPrune].
type planning struct {
	*deleting
	plan   *PrunePlan
	hashes map[string]string // of the source of each map that stays, "" if it is not known
}

// maps finds the maps whose source vanished.
func (p *planning) maps(ctx context.Context, force bool) error {
	ids, err := p.lib.workspace.MapIDs(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.hashes[id] = ""
		m, err := p.lib.load(ctx, id)
		if err != nil {
			continue // whatever it is, its source may be there
		}
		if p.hashes[id] = m.SourceHash(); !p.lib.vanished(ctx, m) {
			continue
		}
		one, err := p.find(ctx, id, !force)
		item := PruneItem{Kind: kindMap, ResourceID: id, SourcePath: m.SourcePath, Path: p.lib.workspace.MapPath(id), Reason: "its source vanished", doomed: &one}
		switch {
		case errors.Is(err, ErrByHand):
			p.plan.ByHand = append(p.plan.ByHand, item)
		case err == nil:
			p.plan.Items = append(p.plan.Items, item)
		}
	}
	return ctx.Err()
}

// vanished reports whether there is no file any more where the source of a map
// was.
func (l *Library) vanished(ctx context.Context, m *indexedMap) bool {
	return m.SourcePath != "" && m.Type != Virtual && l.gone(ctx, m.SourcePath)
}

// kept finds what goes beside maps.
func (p *planning) kept(ctx context.Context) error {
	goes := make(map[string]int) // index of the item by id of the map
	for i, item := range p.plan.Items {
		goes[item.ResourceID] = i
	}
	for k, err := range p.deleter.Kept(ctx) {
		if err != nil {
			return err
		}
		if i, ok := goes[k.ResourceID]; ok && k.ResourceID != "" {
			if k.Kind == KeptEvidence {
				item := &p.plan.Items[i]
				item.doomed.evidence = append(item.doomed.evidence, k)
				item.Evidence++
				item.Bytes += k.Size
			}
			continue
		}
		if why := p.unneeded(k); why != "" {
			p.plan.Items = append(p.plan.Items, PruneItem{Kind: string(k.Kind), ResourceID: k.ResourceID, Path: k.Path, Bytes: k.Size, Reason: why, kept: k})
		}
	}
	return ctx.Err()
}

// unneeded returns why nothing needs what is kept, or "".
func (p *planning) unneeded(k Kept) string {
	switch k.Kind {
	case KeptGrant:
		return "no map names the file"
	case KeptScrap:
		return "nothing knows it"
	}
	hash, mapped := p.hashes[k.ResourceID]
	switch {
	case k.ResourceID == "":
		return ""
	case !mapped:
		return "its map is gone"
	case k.Kind == KeptEvidence && hash != "" && k.SourceHash != "" && k.SourceHash != hash:
		return "of another version of the source than the one that is mapped"
	}
	return ""
}

// Prune deletes what a plan holds, and returns what was deleted: a map whose
// source is back, or that was replaced since, stays. A nil plan means a new
// one. An error comes with what was deleted before.
func (l *Library) Prune(ctx context.Context, plan *PrunePlan) ([]PruneItem, error) {
	if plan == nil {
		var err error
		if plan, err = l.PlanPrune(ctx, nil); err != nil {
			return nil, err
		}
	}
	d, err := l.newDeleting(ctx)
	if err != nil {
		return nil, pruneError(err)
	}
	defer d.close()
	pruned := []PruneItem{}
	maps, rest := splitPlan(plan.Items)
	for batch := range slices.Chunk(maps, deleteBatch) {
		done, err := d.pruneMaps(ctx, batch)
		pruned = append(pruned, done...)
		if err != nil {
			return pruned, pruneError(err)
		}
	}
	for _, item := range rest {
		done, err := d.prune(ctx, item)
		if err != nil {
			return pruned, pruneError(err)
		}
		if done {
			pruned = append(pruned, item)
		}
	}
	d.forgetGone(ctx)
	return pruned, nil
}

func splitPlan(items []PruneItem) (maps, rest []PruneItem) {
	for _, item := range items {
		if item.doomed != nil {
			maps = append(maps, item)
		} else {
			rest = append(rest, item)
		}
	}
	return maps, rest
}

// pruneMaps deletes those maps whose sources are still gone and that are what
// they were, and returns them.
func (d *deleting) pruneMaps(ctx context.Context, items []PruneItem) (pruned []PruneItem, err error) {
	items = slices.DeleteFunc(slices.Clone(items), func(item PruneItem) bool { return !d.lib.gone(ctx, item.SourcePath) })
	if err := ctx.Err(); err != nil { // else they might not be gone
		return nil, err
	}
	for len(items) > 0 {
		batch := make([]doomed, len(items))
		for i, item := range items {
			batch[i] = *item.doomed
		}
		n, err := d.delete(ctx, batch)
		pruned = append(pruned, items[:n]...)
		stays := n < len(items) && (errors.Is(err, ErrStale) || errors.Is(err, fs.ErrNotExist))
		if err != nil && !stays {
			return pruned, err
		}
		items = items[min(n+1, len(items)):]
	}
	return pruned, nil
}

// prune deletes one item that is no map if it still is to go, and reports
// whether it did.
func (d *deleting) prune(ctx context.Context, item PruneItem) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if item.kept.Kind != KeptGrant && item.kept.Kind != KeptScrap && d.isBack(ctx, item.kept) {
		return false, nil
	}
	return true, d.deleter.DeleteKept(ctx, item.kept)
}

// isBack reports whether the map that something belongs to has come back, or
// is of the version that the evidence is of.
func (d *deleting) isBack(ctx context.Context, k Kept) bool {
	m, err := d.lib.load(ctx, k.ResourceID)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || k.Kind != KeptEvidence || m.SourceHash() == "" || m.SourceHash() == k.SourceHash
}

// forgetGone drops the notes of sources that are gone with their maps.
func (d *deleting) forgetGone(ctx context.Context) {
	if d.ledger == nil {
		return
	}
	for source, n := range d.ledger.all() {
		_, err := d.lib.workspace.StatMap(ctx, n.ID)
		if n.ID != "" && errors.Is(err, fs.ErrNotExist) && d.lib.gone(ctx, source) {
			d.ledger.forget(source)
		}
	}
}
