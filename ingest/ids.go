package ingest

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

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// claim adds to a verdict the id for the map of a task, or decides that there
// is none. Tasks claim in their order, so that ids do not depend on concurrent
// work.
func (in *run) claim(ctx context.Context, t *task, v verdict) verdict {
	v = in.claimID(ctx, t, v)
	if v.isFinal() {
		return v
	}
	if err := in.checkReplaced(ctx, t, v.id); err != nil {
		return v.failed(err)
	}
	return v
}

func (in *run) claimID(ctx context.Context, t *task, v verdict) verdict {
	if err := ctx.Err(); err != nil {
		return v.failed(err)
	}
	if in.opts.ResourceID != "" {
		return in.claimAsked(ctx, t, v, in.opts.ResourceID)
	}
	if noted, ok := in.book.Note(t.Path); ok && noted.ID != "" {
		if again := in.claimAgain(ctx, t, v, noted); again.isFinal() || again.id != "" {
			return again
		}
	}
	if err := in.unreadMapOf(t.Path); err != nil {
		return v.failed(err)
	}
	older, err := in.hasOlderID(ctx, t)
	if err != nil {
		return v.failed(err)
	}
	if older {
		return in.claimFirst(ctx, t, v, slices.Values([]string{olderIDFor(t.Path)}))
	}
	neighbour, err := in.isNeighbours(ctx, t)
	if err != nil {
		return v.failed(err)
	}
	return in.claimFirst(ctx, t, v, resourceIDs(t.Path, neighbour))
}

// claimFirst gives a task the first id of several that its map may have.
func (in *run) claimFirst(ctx context.Context, t *task, v verdict, ids iter.Seq[string]) verdict {
	for id := range ids {
		if err := in.note(ctx, t, id); err != nil {
			return v.failed(err)
		}
		leave, err := in.mayHave(ctx, t, id)
		switch {
		case err != nil:
			return v.failed(err)
		case leave == heldByHand, leave == heldUnknown:
			return madeByHand(v, id, leave)
		case leave == free:
			return in.take(t, v, id)
		}
	}
	return v.failed(fmt.Errorf("every id for this source is taken; choose one: %w", fs.ErrExist))
}

// note records what is stored under an id, before deciding whether it may be
// replaced.
func (in *run) note(ctx context.Context, t *task, id string) (err error) {
	t.replaces, err = in.statMap(ctx, id)
	if errors.Is(err, fs.ErrNotExist) {
		t.replaces, err = citekit.Stamp{}, nil
	}
	return err
}

// A permission reports whether the map of a source may be stored under an id.
type permission int

const (
	free        permission = iota // nobody holds it, or this source does
	heldByOther                   // it belongs to another source
	heldByHand                    // a person made the map of this source, or changed it
	heldUnknown                   // it is unknown whether a person changed the map of this source
)

// mayHave returns whether a task may have an id.
func (in *run) mayHave(ctx context.Context, t *task, id string) (permission, error) {
	owner, err := in.ownerOf(ctx, id)
	switch {
	case err != nil:
		return heldByOther, err
	case !owner.exists:
		return free, nil
	case owner.source != t.Path:
		return heldByOther, nil
	case in.opts.Force:
		return free, nil
	case owner.hand == ledger.Unknown:
		return heldUnknown, nil
	case owner.hand != ledger.Nothing:
		return heldByHand, nil
	}
	return free, nil
}

// madeByHand returns the verdict for a source whose map a person made, or may
// have changed.
func madeByHand(v verdict, id string, leave permission) verdict {
	how := "was made by hand"
	if leave == heldUnknown {
		how = "may have been changed by hand"
	}
	v = v.failed(fmt.Errorf("the map '%s' of this source %s; force replaces it: %w", message.Clip(id), how, fs.ErrExist))
	v.decision, v.id = skip, id
	return v
}

// judgeOwner judges a source without a note. It decides by whether a person
// made the map under the id that the source would get first.
func (in *run) judgeOwner(ctx context.Context, t *task, noted ledger.Note) verdict {
	if noted.ID != "" || in.opts.ResourceID != "" {
		return verdict{}
	}
	if err := in.unreadMapOf(t.Path); err != nil {
		return failed(err)
	}
	id := ResourceIDFor(t.Path)
	if older, err := in.hasOlderID(ctx, t); err == nil && older {
		id = olderIDFor(t.Path)
	}
	if leave, err := in.mayHave(ctx, t, id); err == nil && (leave == heldByHand || leave == heldUnknown) {
		return madeByHand(verdict{}, id, leave)
	}
	return verdict{}
}

// judgeEdited judges a changed source by whether a person has changed its map.
func (in *run) judgeEdited(ctx context.Context, t *task, noted ledger.Note) verdict {
	if noted.ID == "" || in.opts.Force || in.opts.ResourceID != "" && in.opts.ResourceID != noted.ID {
		return verdict{}
	}
	if state, _, err := in.stateOf(ctx, t.Path, noted); err == nil && state.isByHand() {
		return failed(errByHand(state, noted.ID))
	}
	return verdict{}
}

// errByHand returns the error for a changed source whose map must not be
// replaced.
func errByHand(state mapState, id string) error {
	if state == mapUnknown {
		return fmt.Errorf("the source has changed, and its map '%s' may have been changed by hand; force replaces it: %w", message.Clip(id), citekit.ErrStale)
	}
	return fmt.Errorf("the source has changed, and its map '%s' was changed by hand; force replaces it: %w", message.Clip(id), citekit.ErrStale)
}

// hasOlderID reports whether a source has a map under the id made from its name
// before ids were slugs.
func (in *run) hasOlderID(ctx context.Context, t *task) (bool, error) {
	id := olderIDFor(t.Path)
	if id == ResourceIDFor(t.Path) {
		return false, nil
	}
	owner, err := in.ownerOf(ctx, id)
	return owner.exists && owner.source == t.Path, err
}

// isNeighbours reports whether the id made from the name of a source belongs to
// another file in its folder, as with talk.mp4 and talk.pdf.
func (in *run) isNeighbours(ctx context.Context, t *task) (bool, error) {
	owner, err := in.ownerOf(ctx, ResourceIDFor(t.Path))
	return owner.source != "" && owner.source != t.Path && path.Dir(owner.source) == path.Dir(t.Path), err
}

// assign gives an id to a source, unless another source of this run has it. Beside other
// runs that decides nothing: see [run.saveClaimed].
func (in *run) assign(id, source string) bool { return in.opts.Shared || in.book.Claim(id, source) }

// take gives id to a task.
func (in *run) take(t *task, v verdict, id string) verdict {
	if !in.assign(id, t.Path) {
		return v.failed(fmt.Errorf("the id '%s' belongs to another source: %w", message.Clip(id), fs.ErrExist))
	}
	v.id = id
	return v
}

// claimAsked gives a task the id that a person chose.
func (in *run) claimAsked(ctx context.Context, t *task, v verdict, id string) verdict {
	if err := in.note(ctx, t, id); err != nil {
		return v.failed(err)
	}
	owner, err := in.ownerOf(ctx, id)
	switch {
	case err != nil:
		return v.failed(err)
	case owner.source != "" && owner.source != t.Path && !isGone(ctx, in.ws, owner.source):
		return v.failed(takenError(id))
	case owner.exists && (owner.hand != ledger.Nothing || owner.source == "") && !in.opts.Force:
		return v.failed(fmt.Errorf("the map '%s' was made by hand; force replaces it: %w", message.Clip(id), fs.ErrExist))
	}
	if noted, ok := in.book.Note(t.Path); ok && noted.ID == id {
		state, _, err := in.stateOf(ctx, t.Path, noted)
		switch {
		case err != nil:
			return v.failed(err)
		case state.isByHand() && !in.opts.Force:
			return v.failed(errByHand(state, id))
		}
	}
	v.id = id
	return v
}

// claimAgain gives a task the id its map had before. If another source has that
// id now, the verdict has no id. A map that was changed by hand is not
// replaced.
func (in *run) claimAgain(ctx context.Context, t *task, v verdict, noted ledger.Note) verdict {
	if err := in.note(ctx, t, noted.ID); err != nil {
		return v.failed(err)
	}
	state, _, err := in.stateOf(ctx, t.Path, noted)
	switch {
	case err != nil:
		return v.failed(err)
	case state.isByHand() && !in.opts.Force:
		return v.failed(errByHand(state, noted.ID))
	case state == mapOthers || !in.assign(noted.ID, t.Path):
		return v
	}
	v.id = noted.ID
	return v
}

// A mapState is the state of the map file of a source.
type mapState int

const (
	mapGone    mapState = iota // no map
	mapIntact                  // the map as it was made, judging by all evidence
	mapEdited                  // the map as a person changed it
	mapUnknown                 // a map that may have been changed by a person
	mapBroken                  // a file that cannot be read as a map
	mapOthers                  // the map of another source
)

// isByHand reports whether a person changed the map, or may have.
func (s mapState) isByHand() bool { return s == mapEdited || s == mapUnknown || s == mapBroken }

// stateAfter returns the state of a map after a person's change.
func stateAfter(hand ledger.Hand) mapState {
	switch hand {
	case ledger.Nothing:
		return mapIntact
	case ledger.Edited:
		return mapEdited
	}
	return mapUnknown
}

// stateOf returns the state of a noted map. A map that was written since is
// read, because the note may be wrong; the returned note has the map's present
// stamp.
func (in *run) stateOf(ctx context.Context, source string, n ledger.Note) (mapState, ledger.Note, error) {
	stamp, err := in.statMap(ctx, n.ID)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return mapGone, n, nil
	case err != nil:
		return mapGone, n, err
	case n.Stamp != "" && n.Stamp == stamp.Identity:
		return stateAfter(n.ByHand), n, nil
	}
	m, hash, err := in.lib.ReadMap(ctx, n.ID)
	switch {
	case err != nil && ctx.Err() != nil:
		return mapGone, n, ctx.Err()
	case isUnread(err):
		return mapGone, n, unreadError(err)
	case err != nil:
		return mapBroken, n, nil
	case m.SourcePath != source:
		return mapOthers, n, nil
	}
	if n.ByHand, err = handOn(ctx, in.lib, m, hash); err != nil {
		return mapGone, n, err
	}
	n.Stamp = stamp.Identity
	return stateAfter(n.ByHand), n, nil
}

// An owner is the holder of an id.
type owner struct {
	source string // path of the source, or "" if it is unknown
	exists bool   // there is a map
	hand   ledger.Hand
}

func (in *run) ownerOf(ctx context.Context, id string) (owner, error) {
	source, claimed := in.book.Owner(id)
	if claimed {
		return owner{source: source, exists: true}, nil
	}
	stamp, err := in.statMap(ctx, id)
	if errors.Is(err, fs.ErrNotExist) {
		return owner{}, nil
	}
	if err != nil {
		return owner{exists: true}, err
	}
	if n, ok := in.book.Note(source); ok && n.Stamp != "" && n.Stamp == stamp.Identity {
		return owner{source: source, exists: true, hand: n.ByHand}, nil
	}
	m, hash, err := in.lib.ReadMap(ctx, id)
	if isUnread(err) && ctx.Err() == nil {
		return owner{exists: true}, unreadError(err)
	}
	if err != nil {
		return owner{exists: true}, ctx.Err() // never replaced, as its source is unknown
	}
	hand, err := handOn(ctx, in.lib, m, hash)
	return owner{source: m.SourcePath, exists: true, hand: hand}, err
}

// maxResourceID is the same as in [citekit.CheckResourceID].
const maxResourceID = 512

// olderIDFor returns the id that ingest made from the name of a file before ids
// were slugs.
func olderIDFor(name string) string {
	base := path.Base(filepath.ToSlash(name))
	id := cmp.Or(strings.TrimSuffix(base, path.Ext(base)), base)
	id = strings.Map(func(r rune) rune {
		if r == '\\' || r == '/' || !message.IsPlain(string(r)) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(id, "_"))
	id = plain.Cut(id, maxResourceID)
	if citekit.CheckResourceID(id) != nil {
		return "file"
	}
	return id
}

// resourceIDs yields the ids that the map of a source may have, best first: the
// name of the file; the name with more and more of the folders above it; the
// same with the extension, which comes first if a neighbour has the name; and
// finally the name with a digest of the path.
func resourceIDs(source string, neighbour bool) iter.Seq[string] {
	name := ResourceIDFor(source)
	names := []string{name}
	if ext := plain.SlugExt(path.Base(source)); ext != "" {
		names = append(names, name+"-"+plain.FileSlug(ext))
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
			if !yield(plain.Cut(name, 256) + "-" + hex.EncodeToString(sum[:])[:digits]) {
				return
			}
		}
	}
}

// withFolders yields name, then name after one, two and more of the folders
// that lead to source.
func withFolders(source, name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for dir := path.Dir(source); citekit.CheckResourceID(name) == nil && yield(name); dir = path.Dir(dir) {
			if dir == path.Dir(dir) {
				return
			}
			name = plain.FileSlug(path.Base(dir)) + "-" + name
		}
	}
}

// A takenError reports a requested id that belongs to another source.
type takenError string

func (e takenError) Error() string {
	return fmt.Sprintf("the map '%s' belongs to another source: %v", message.Clip(string(e)), fs.ErrExist)
}

func (e takenError) Is(target error) bool { return target == fs.ErrExist }

// TakenID returns the id that was asked for.
func (e takenError) TakenID() string { return string(e) }
