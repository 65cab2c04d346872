package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// PruneOptions are the options of [PlanPrune]. The zero value is ready
// to use.
type PruneOptions struct {
	// Force also prunes maps that a person made or changed.
	Force bool

	// Emptied also prunes maps whose source vanished with all others of its folder, which
	// is there and empty: a disk that is not mounted, or a bucket that was emptied, looks so.
	Emptied bool

	// EarlierTexts also prunes the texts of earlier versions of sources that are
	// mapped. Package reanchor needs them to find parts that were cited from these
	// versions; they cannot be made again.
	EarlierTexts bool
}

// A PrunePlan lists what a prune would delete. [PlanPrune] makes it.
type PrunePlan struct {
	Items []PruneItem `json:"items"` // maps first

	// ByHand are maps whose source vanished but that stay, because a person
	// made or changed them.
	ByHand []PruneItem `json:"by_hand,omitempty"`

	// Emptied are maps that stay although their source vanished, as all others of its
	// folder did; see [PruneOptions.Emptied].
	Emptied []PruneItem `json:"emptied,omitempty"`
}

// Bytes returns how many bytes of evidence and leftovers the plan would free.
func (p *PrunePlan) Bytes() (n int64) {
	for _, item := range p.Items {
		n += item.Bytes
	}
	return n
}

// A PruneItem is one thing that is no longer needed.
type PruneItem struct {
	Kind       string `json:"kind"` // "map", or as [workspace.Kept.Kind]
	ResourceID string `json:"resource_id,omitempty"`
	SourcePath string `json:"source_path,omitempty"` // of a map
	Path       string `json:"path,omitempty"`        // of the file, as [workspace.Kept.Path]; for a grant, of the file that could be read
	Evidence   int    `json:"evidence,omitempty"`    // files that go with a map
	Bytes      int64  `json:"bytes"`                 // including what goes with it
	Reason     string `json:"reason"`

	removal *removal       // of a map
	kept    workspace.Kept // of anything else
}

// kindMap is the kind of a [PruneItem] that is a map.
const kindMap = "map"

// PlanPrune lists the items that can be deleted: maps whose source vanished, with
// their evidence; evidence of deleted maps, and of versions of a source other
// than the mapped one, save their texts (see [PruneOptions.EarlierTexts]); pins of deleted maps; grants that no map needs; and
// leftovers of killed processes. A source outside the roots is never treated as
// vanished. Evidence of files without a map stays. A nil opts means the
// defaults.
//
// It needs a workspace that is a [workspace.Deleter]; otherwise the error matches
// [errors.ErrUnsupported].
func PlanPrune(ctx context.Context, lib *citekit.Library, opts *PruneOptions) (*PrunePlan, error) {
	d, err := newRemover(ctx, lib)
	if err != nil {
		return nil, pruneError(err)
	}
	defer d.close()
	if opts == nil {
		opts = &PruneOptions{}
	}
	p := &pruner{remover: d, plan: &PrunePlan{Items: []PruneItem{}}, hashes: make(map[string]string), earlierTexts: opts.EarlierTexts, empty: make(map[string]folderState)}
	if err := p.maps(ctx, opts); err != nil {
		return nil, pruneError(err)
	}
	if err := p.kept(ctx); err != nil {
		return nil, pruneError(err)
	}
	return p.plan, nil
}

func pruneError(err error) error { return fmt.Errorf("ingest: prune: %w", localfile.WithoutPath(err)) }

// A pruner is one run of [PlanPrune].
type pruner struct {
	*remover
	plan   *PrunePlan
	hashes map[string]string // hash of the source of each map that stays, "" if unknown

	earlierTexts bool // see PruneOptions

	empty map[string]folderState // by path
}

// maps finds the maps whose source vanished.
func (p *pruner) maps(ctx context.Context, opts *PruneOptions) error {
	ids, err := p.lib.Resources(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.hashes[id] = ""
		m, err := p.lib.Map(ctx, id)
		if err != nil {
			continue // an unreadable map may still have its source
		}
		if p.hashes[id] = m.SourceHash(); !hasVanished(ctx, p.lib, m) {
			continue
		}
		one, err := p.find(ctx, id, !opts.Force)
		item := PruneItem{Kind: kindMap, ResourceID: id, SourcePath: m.SourcePath, Path: p.lib.MapPath(id), Reason: "its source vanished", removal: &one}
		switch {
		case errors.Is(err, ErrByHand):
			p.plan.ByHand = append(p.plan.ByHand, item)
		case err == nil && !opts.Emptied && p.isEmptied(ctx, m.SourcePath):
			p.plan.Emptied = append(p.plan.Emptied, item)
		case err == nil:
			p.plan.Items = append(p.plan.Items, item)
		}
	}
	return ctx.Err()
}

// A folderState says what is in a folder.
type folderState int

const (
	folderUsed folderState = iota // something, or that is not known
	folderEmpty
	folderGone // not even the folder
)

// isEmptied reports whether nothing at all is in the folder of a source or, if that is
// gone, in the next above it that is there.
func (p *pruner) isEmptied(ctx context.Context, source string) bool {
	for at := path.Dir(source); ; at = path.Dir(at) {
		state, known := p.empty[at]
		if !known {
			state = p.lookInto(ctx, at)
			p.empty[at] = state
		}
		if state != folderGone || at == path.Dir(at) {
			return state == folderEmpty
		}
	}
}

func (p *pruner) lookInto(ctx context.Context, folder string) folderState {
	finder, ok := p.lib.Workspace().(workspace.Finder)
	if !ok {
		return folderUsed
	}
	for c, err := range finder.Find(ctx, workspace.FindRequest{Paths: []string{folder}, NoIgnore: true, Hidden: true}) {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return folderGone
		case err != nil:
			return folderEmpty // nobody knows: the maps stay
		case !c.Folder:
			return folderUsed
		}
	}
	return folderEmpty
}

// hasVanished reports whether the source file of a map no longer exists.
func hasVanished(ctx context.Context, lib *citekit.Library, m *citekit.ResourceMap) bool {
	return m.SourcePath != "" && m.Type != citekit.Virtual && isGone(ctx, lib.Workspace(), m.SourcePath)
}

// kept adds everything else that is no longer needed.
func (p *pruner) kept(ctx context.Context) error {
	goes := make(map[string]int) // index of the item by id of the map
	for i, item := range p.plan.Items {
		goes[item.ResourceID] = i
	}
	for k, err := range p.deleter.Kept(ctx) {
		if err != nil {
			return err
		}
		if i, ok := goes[k.ResourceID]; ok && k.ResourceID != "" {
			if k.Kind == workspace.KeptEvidence {
				item := &p.plan.Items[i]
				item.removal.evidence = append(item.removal.evidence, k)
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

// unneeded returns why k is not needed, or "".
func (p *pruner) unneeded(k workspace.Kept) string {
	switch k.Kind {
	case workspace.KeptGrant:
		return "no map names the file"
	case workspace.KeptScrap:
		return "nothing refers to it"
	}
	hash, mapped := p.hashes[k.ResourceID]
	switch {
	case k.ResourceID == "":
		return ""
	case !mapped:
		return "its map is gone"
	case k.Kind == workspace.KeptEvidence && hash != "" && k.SourceHash != "" && k.SourceHash != hash:
		if filepath.Ext(k.Path) == textlayer.Ext && !p.earlierTexts {
			return ""
		}
		return "made from another version of the source than the mapped one"
	}
	return ""
}

// Prune deletes the items of a plan, and returns those that it deleted. A map
// stays if its source is back, or if the map was replaced since. A nil plan
// means a new one. An error is returned together with the items already
// deleted.
func Prune(ctx context.Context, lib *citekit.Library, plan *PrunePlan) ([]PruneItem, error) {
	if plan == nil {
		var err error
		if plan, err = PlanPrune(ctx, lib, nil); err != nil {
			return nil, err
		}
	}
	d, err := newRemover(ctx, lib)
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
		if item.removal != nil {
			maps = append(maps, item)
		} else {
			rest = append(rest, item)
		}
	}
	return maps, rest
}

// pruneMaps deletes and returns the maps whose sources are still gone and that
// have not changed since.
func (d *remover) pruneMaps(ctx context.Context, items []PruneItem) (pruned []PruneItem, err error) {
	items = slices.DeleteFunc(slices.Clone(items), func(item PruneItem) bool { return !isGone(ctx, d.lib.Workspace(), item.SourcePath) })
	if err := ctx.Err(); err != nil { // otherwise they might not be gone
		return nil, err
	}
	for len(items) > 0 {
		batch := make([]removal, len(items))
		for i, item := range items {
			batch[i] = *item.removal
		}
		n, err := d.delete(ctx, batch)
		pruned = append(pruned, items[:n]...)
		stays := n < len(items) && (errors.Is(err, citekit.ErrStale) || errors.Is(err, fs.ErrNotExist))
		if err != nil && !stays {
			return pruned, err
		}
		items = items[min(n+1, len(items)):]
	}
	return pruned, nil
}

// prune deletes one item other than a map if it is still not needed, and
// reports whether it did.
func (d *remover) prune(ctx context.Context, item PruneItem) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if item.kept.Kind != workspace.KeptGrant && item.kept.Kind != workspace.KeptScrap && d.isBack(ctx, item.kept) {
		return false, nil
	}
	return true, d.deleter.DeleteKept(ctx, item.kept)
}

// isBack reports whether the map that k belongs to has come back, or has the
// version of k.
func (d *remover) isBack(ctx context.Context, k workspace.Kept) bool {
	m, err := d.lib.Map(ctx, k.ResourceID)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || k.Kind != workspace.KeptEvidence || m.SourceHash() == "" || m.SourceHash() == k.SourceHash
}

// forgetGone drops the notes of sources that are gone together with their maps.
func (d *remover) forgetGone(ctx context.Context) {
	if d.book == nil {
		return
	}
	for source, n := range d.book.All() {
		_, err := d.lib.Workspace().StatMap(ctx, n.ID)
		if n.ID != "" && errors.Is(err, fs.ErrNotExist) && isGone(ctx, d.lib.Workspace(), source) {
			d.book.Forget(source)
		}
	}
}
