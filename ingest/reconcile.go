package ingest

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
)

// A mapVersion is one version of a map.
type mapVersion struct {
	id    string
	stamp citekit.Stamp
}

// reconcile corrects the notes from the maps. Some or all notes may be lost or
// replaced by older ones, or an ingest may have been killed before it stored
// its notes. The map itself shows which source it belongs to.
//
// It does not read maps without a note that are unchanged since the last check,
// or maps of sources that look unchanged, which are checked when their turn
// comes.
func (in *run) reconcile(ctx context.Context, candidates []candidate) error {
	ids, err := in.ws.ListMaps(ctx, "", 0)
	if err != nil {
		return err
	}
	owned, unowned, err := in.doubtful(ctx, ids, in.settled(candidates))
	if err != nil {
		return err
	}
	if digestOfMaps(unowned) == in.book.unowned {
		unowned = nil
	}
	for _, m := range append(owned, unowned...) {
		if err := in.adopt(ctx, m); err != nil {
			return err
		}
	}
	if len(owned) == 0 && len(unowned) == 0 {
		return nil
	}
	_, unowned, err = in.doubtful(ctx, ids, nil)
	unowned = slices.DeleteFunc(unowned, func(m mapVersion) bool { return in.unread[m.id] != nil }) // to be tried again
	in.book.setUnowned(unowned)
	return err
}

// settled returns the ids of maps whose sources are candidates that look
// unchanged. It returns none if a source is new, because any map may belong to
// it.
func (in *run) settled(candidates []candidate) map[string]bool {
	settled := make(map[string]bool, len(candidates))
	for _, c := range candidates {
		n, known := in.book.Note(c.Path)
		if !known && c.err == nil {
			return nil
		}
		if n.ID != "" && n.Identity != "" && n.Identity == c.Identity {
			settled[n.ID] = true
		}
	}
	return settled
}

// doubtful returns the maps that differ from their notes, and the maps without
// a note.
func (in *run) doubtful(ctx context.Context, ids []string, settled map[string]bool) (owned, unowned []mapVersion, err error) {
	for _, id := range ids {
		if settled[id] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		stamp, err := in.ws.StatMap(ctx, id)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		source, _ := in.book.Owner(id)
		n, _ := in.book.Note(source)
		switch {
		case n.ID != id:
			unowned = append(unowned, mapVersion{id, stamp})
		case n.Stamp != stamp.Identity:
			owned = append(owned, mapVersion{id, stamp})
		}
	}
	return owned, unowned, nil
}

// adopt notes a map that a mapper made, for the source that the map names,
// unless that source has another map.
func (in *run) adopt(ctx context.Context, v mapVersion) error {
	m, hash, err := in.lib.ReadMap(ctx, v.id)
	if isUnread(err) && ctx.Err() == nil {
		in.unread[v.id] = unreadError(err)
		return nil
	}
	if err != nil || mapperOf(m) == "" || m.SourceHash() == "" || !isNotable(m.SourcePath) {
		return ctx.Err() // it is unreadable, or not made by ingest
	}
	hand, err := handOn(ctx, in.lib, m, hash)
	if err != nil {
		return ctx.Err()
	}
	n, _ := in.book.Note(m.SourcePath)
	if n.ID != "" && n.ID != v.id && (hand != ledger.Nothing || !in.isLater(ctx, m, n.ID)) {
		return ctx.Err()
	}
	if n.ID == "" {
		n = in.noteOfFormer(ctx, m, n)
	}
	in.book.Put(m.SourcePath, noteOfMap(n, m, v.stamp, hand))
	return ctx.Err()
}

// isLater reports whether a map was made after the other map of its source. Of
// two made in the same second, the one with a chosen id is later.
func (in *run) isLater(ctx context.Context, m *citekit.ResourceMap, otherID string) bool {
	other, _, err := in.lib.ReadMap(ctx, otherID)
	if err != nil || other.SourcePath != m.SourcePath {
		return true
	}
	if m.CreatedAt == other.CreatedAt {
		return otherID == ResourceIDFor(m.SourcePath)
	}
	return m.CreatedAt > other.CreatedAt
}

// noteOfFormer returns the note of the former path of a map's source, if the
// source was renamed and its map followed; otherwise it returns n.
func (in *run) noteOfFormer(ctx context.Context, m *citekit.ResourceMap, n ledger.Note) ledger.Note {
	source, _ := in.book.Owner(m.ResourceID)
	former, known := in.book.Note(source)
	if !known || former.Hash != m.SourceHash() || !isGone(ctx, in.ws, source) {
		return n
	}
	in.book.Forget(source)
	former.Identity = ""
	return former
}

// noteOfMap returns the note of a source, updated from its map.
func noteOfMap(n ledger.Note, m *citekit.ResourceMap, stamp citekit.Stamp, hand ledger.Hand) ledger.Note {
	if n.Hash != m.SourceHash() {
		n = ledger.Note{Hash: m.SourceHash(), Asked: n.Asked, Companions: n.Companions}
	}
	if made, ok := m.Metadata[companionsKey].(string); ok {
		n.Companions = made
	}
	method, _ := m.Metadata["method"].(string)
	n.ID, n.Type, n.Mapper, n.Method, n.Skipped, n.Failed = m.ResourceID, string(m.Type), mapperOf(m), method, "", ""
	n.Stamp, n.ByHand, n.Nodes = stamp.Identity, hand, int64(m.Len())
	return n
}
