package citekit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// claim gives a task its resource id. Tasks claim in their order, so that ids
// do not depend on what is done at the same time. It reports whether the map
// may be written.
func (in *ingest) claim(ctx context.Context, t *task) bool {
	if err := ctx.Err(); err != nil {
		return t.fail(err)
	}
	if in.opts.ResourceID != "" {
		return in.claimAsked(ctx, t, in.opts.ResourceID)
	}
	if noted, ok := in.ledger.note(t.Path); ok && noted.ID != "" {
		wanted, done := in.claimAgain(ctx, t, noted)
		if done {
			return wanted
		}
	}
	if older, err := in.hasOlderID(ctx, t); err != nil || older {
		return in.claimOlder(ctx, t, err)
	}
	neighbour, err := in.isNeighbours(ctx, t)
	if err != nil {
		return t.fail(err)
	}
	for id := range resourceIDs(t.Path, neighbour) {
		free, err := in.tryID(ctx, t, id)
		if err != nil {
			return t.fail(err)
		}
		if free {
			return in.take(t, id)
		}
		if t.item.Err != nil {
			return false
		}
	}
	return t.fail(fmt.Errorf("every id for this source belongs to another one; give it one: %w", fs.ErrExist))
}

// mayReplace reports whether the map of a source that has no note is none that
// a person made, as far as its name tells.
func (in *ingest) mayReplace(ctx context.Context, t *task, noted note) bool {
	if noted.ID != "" || in.opts.ResourceID != "" {
		return true
	}
	id := ResourceIDFor(t.Path)
	if older, err := in.hasOlderID(ctx, t); err == nil && older {
		id = olderIDFor(t.Path)
	}
	_, err := in.tryID(ctx, t, id)
	return err != nil || t.item.Err == nil
}

// hasOlderID reports whether a source has a map under the id that was made
// from its name when ids were not yet slugs.
func (in *ingest) hasOlderID(ctx context.Context, t *task) (bool, error) {
	id := olderIDFor(t.Path)
	if id == ResourceIDFor(t.Path) {
		return false, nil
	}
	owner, err := in.ownerOf(ctx, id)
	return owner.exists && owner.source == t.Path, err
}

// claimOlder gives a task the older id that its map has.
func (in *ingest) claimOlder(ctx context.Context, t *task, err error) bool {
	id := olderIDFor(t.Path)
	free := false
	if err == nil {
		free, err = in.tryID(ctx, t, id)
	}
	if err != nil {
		return t.fail(err)
	}
	return free && in.take(t, id)
}

// mayReplaceEdited reports whether the map of a source that has changed is none
// that a person has changed.
func (in *ingest) mayReplaceEdited(ctx context.Context, t *task, noted note) bool {
	if noted.ID == "" || in.opts.Force || in.opts.ResourceID != "" && in.opts.ResourceID != noted.ID {
		return true
	}
	state, err := in.stateOf(ctx, t.Path, noted)
	if err == nil && state.isByHand() {
		return t.failEdited(noted.ID, nil)
	}
	return true
}

// isNeighbours reports whether the name of a source is the id of another file
// in its folder, as with talk.mp4 and talk.pdf.
func (in *ingest) isNeighbours(ctx context.Context, t *task) (bool, error) {
	owner, err := in.ownerOf(ctx, ResourceIDFor(t.Path))
	return owner.source != "" && owner.source != t.Path && path.Dir(owner.source) == path.Dir(t.Path), err
}

// tryID reports whether a task may have an id. If it may not because a person
// made the map of this very source, the item says so.
func (in *ingest) tryID(ctx context.Context, t *task, id string) (free bool, err error) {
	owner, err := in.ownerOf(ctx, id)
	if err != nil || !owner.exists {
		return err == nil, err
	}
	if owner.source != t.Path {
		return false, nil
	}
	if owner.byHand && !in.opts.Force {
		t.fail(fmt.Errorf("the map '%s' of this source was made by hand; force replaces it: %w", clip(id), fs.ErrExist))
		t.item.Status, t.item.ResourceID = IngestSkipped, id
		return false, nil
	}
	return true, nil
}

// take makes id that of a task.
func (in *ingest) take(t *task, id string) bool {
	if !in.ledger.claim(id, t.Path) {
		return t.fail(fmt.Errorf("the id '%s' belongs to another source: %w", clip(id), fs.ErrExist))
	}
	t.item.ResourceID = id
	return true
}

// claimAsked gives a task the id that a person chose.
func (in *ingest) claimAsked(ctx context.Context, t *task, id string) bool {
	owner, err := in.ownerOf(ctx, id)
	switch {
	case err != nil:
		return t.fail(err)
	case owner.source != "" && owner.source != t.Path && !in.lib.gone(ctx, owner.source):
		return t.fail(fmt.Errorf("the map '%s' is that of another source: %w", clip(id), fs.ErrExist))
	case owner.exists && (owner.byHand || owner.source == "") && !in.opts.Force:
		return t.fail(fmt.Errorf("the map '%s' was made by hand; force replaces it: %w", clip(id), fs.ErrExist))
	}
	if noted, ok := in.ledger.note(t.Path); ok && noted.ID == id {
		if state, err := in.stateOf(ctx, t.Path, noted); err != nil || state.isByHand() && !in.opts.Force {
			return t.failEdited(id, err)
		}
	}
	t.item.ResourceID = id
	return true
}

// claimAgain gives a task the id its map has had, unless that is not to be had
// any more: it is then not done. A map that was changed by hand is not replaced.
func (in *ingest) claimAgain(ctx context.Context, t *task, noted note) (wanted, done bool) {
	state, err := in.stateOf(ctx, t.Path, noted)
	switch {
	case err != nil:
		return t.fail(err), true
	case state.isByHand() && !in.opts.Force:
		return t.failEdited(noted.ID, nil), true
	case state == mapOthers || !in.ledger.claim(noted.ID, t.Path):
		return false, false
	}
	t.item.ResourceID = noted.ID
	return true, true
}

func (t *task) failEdited(id string, err error) bool {
	if err == nil {
		err = fmt.Errorf("the source has changed, and so has its map '%s', by hand; force replaces it: %w", clip(id), ErrStale)
	}
	return t.fail(err)
}

// A mapState says what stands where the map of a source was stored.
type mapState int

const (
	mapGone   mapState = iota // nothing
	mapIntact                 // the map as it was made, as far as can be told
	mapEdited                 // the map as a person changed it
	mapBroken                 // something that is no map
	mapOthers                 // the map of another source
)

// isByHand reports whether a person must have made it so.
func (s mapState) isByHand() bool { return s == mapEdited || s == mapBroken }

// stateOf returns what has become of the map of a source that a note tells of.
// A map that was written since is looked into, once, as the note may be wrong.
func (in *ingest) stateOf(ctx context.Context, source string, n note) (mapState, error) {
	stamp, err := in.lib.workspace.StatMap(ctx, n.ID)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return mapGone, nil
	case err != nil:
		return mapGone, err
	case n.Stamp != "" && n.Stamp == stamp.Identity:
		return mapIntact, nil
	}
	m, _, err := in.lib.parse(ctx, n.ID) // once, so not kept in memory
	switch {
	case err != nil && ctx.Err() != nil:
		return mapGone, ctx.Err()
	case err != nil:
		return mapBroken, nil
	case m.SourcePath != source:
		return mapOthers, nil
	case m.mapper() == "", n.MapHash != "" && n.MapHash != m.hash:
		return mapEdited, nil
	}
	n.Stamp = stamp.Identity
	in.ledger.put(source, n)
	return mapIntact, nil
}

// An owner is what holds an id.
type owner struct {
	source string // path of the source, or "" if that cannot be told
	exists bool   // there is a map
	byHand bool   // which no mapper made
}

func (in *ingest) ownerOf(ctx context.Context, id string) (owner, error) {
	source, claimed := in.ledger.owner(id)
	if claimed {
		return owner{source: source, exists: true}, nil
	}
	stamp, err := in.lib.workspace.StatMap(ctx, id)
	if errors.Is(err, fs.ErrNotExist) {
		return owner{}, nil
	}
	if err != nil {
		return owner{exists: true}, err
	}
	if n, ok := in.ledger.note(source); ok && n.Stamp != "" && n.Stamp == stamp.Identity {
		return owner{source: source, exists: true}, nil
	}
	m, _, err := in.lib.parse(ctx, id)
	if err != nil {
		return owner{exists: true}, ctx.Err() // not to be replaced, whatever it is
	}
	return owner{source: m.SourcePath, exists: true, byHand: m.mapper() == ""}, nil
}

// maxResourceName is the longest id that is made from a name alone, in bytes.
const maxResourceName = 120

// ResourceIDFor returns a resource id made from the name of a file: its base
// name without the extension, as a slug. Letters and digits of all scripts are
// in lower case, in Unicode's Normalization Form C; a dot or underscore
// between two of them stays, and anything else between them becomes a hyphen,
// so "Smith (2020).pdf" gives "smith-2020". It is "file" if nothing is left.
//
// Names that differ only in case or in how letters are composed have the same
// id: [Library.Ingest] gives the second of such files another one.
func ResourceIDFor(name string) string {
	base := path.Base(filepath.ToSlash(name))
	return idFromName(strings.TrimSuffix(base, nameExt(base)))
}

// idFromName is ResourceIDFor for a name that has no extension.
func idFromName(name string) string {
	return cmp.Or(slug(name, "._", maxResourceName), "file")
}

// nameExt returns the extension of a file name with its dot, or "". The end of
// a sentence, as in "Dr. Who", is none.
func nameExt(base string) string {
	ext := path.Ext(base)
	if ext == base || len(ext) < 2 || strings.Contains(ext, " ") {
		return ""
	}
	return ext
}

// olderIDFor returns the id that ingest made from the name of a file when ids
// were not yet slugs.
func olderIDFor(name string) string {
	base := path.Base(filepath.ToSlash(name))
	id := cmp.Or(strings.TrimSuffix(base, path.Ext(base)), base)
	id = strings.Map(func(r rune) rune {
		if r == '\\' || r == '/' || !isPlainText(string(r)) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(id, "_"))
	id = cutText(id, maxResourceID)
	if CheckResourceID(id) != nil {
		return "file"
	}
	return id
}

// resourceIDs yields the ids that the map of a source may have, best first:
// the name of the file; the name with more and more of the folders that lead
// to it; the same with the extension, which comes first if the name is a
// neighbour's; and at last with a digest of the path.
func resourceIDs(source string, neighbour bool) iter.Seq[string] {
	name := ResourceIDFor(source)
	names := []string{name}
	if ext := nameExt(path.Base(source)); ext != "" {
		names = append(names, name+"-"+idFromName(ext))
	}
	if neighbour {
		slices.Reverse(names)
	}
	return func(yield func(string) bool) {
		for _, name := range names {
			for id := range withFolders(source, name) {
				if !yield(id) {
					return
				}
			}
		}
		sum := sha256.Sum256([]byte(source))
		for digits := 8; digits <= 64; digits += 8 {
			if !yield(cutText(name, 256) + "-" + hex.EncodeToString(sum[:])[:digits]) {
				return
			}
		}
	}
}

// withFolders yields name, and name behind one, two and more of the folders
// that lead to source.
func withFolders(source, name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for dir := path.Dir(source); CheckResourceID(name) == nil && yield(name); dir = path.Dir(dir) {
			if dir == path.Dir(dir) {
				return
			}
			name = idFromName(path.Base(dir)) + "-" + name
		}
	}
}
