package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
)

// A decision is what to do about a source.
type decision int

const (
	undecided decision = iota
	unchanged          // its map is still right
	skip               // there is nothing to map
	fail               // it cannot be mapped
	vanished           // it is gone
	makeAnew           // its map is made from the draft
	makeCopy           // its map is a copy of the map of a source with the same bytes
)

// A verdict is a decision about one source with its reason. Deciding changes
// only the task; [run.apply] acts on the final verdict.
type verdict struct {
	decision decision
	err      error // why it is skipped or failed
	id       string
	modality citekit.Modality
	nodes    int
	method   string

	// note is the new note of the source; nil keeps the present one.
	note *ledger.Note

	// mapping is set if the source could be opened and its mapping failed, lasting
	// if it would fail again.
	mapping, lasting bool
}

// isFinal reports whether there is no map to make.
func (v verdict) isFinal() bool {
	return v.decision != undecided && v.decision != makeAnew && v.decision != makeCopy
}

// failed returns the verdict for an error. It keeps the modality, but not the
// id of a map that was not made.
func (v verdict) failed(err error) verdict {
	return verdict{decision: fail, err: localfile.WithoutPath(err), modality: v.modality}
}

func failed(err error) verdict { return verdict{}.failed(err) }

// skipped returns the verdict for a source that is not mapped. A source that
// the caller named fails; any other is skipped.
func (t *task) skipped(err error) verdict {
	v := failed(err)
	if !t.Named {
		v.decision = skip
	}
	return v
}

// A task is one source that is being mapped.
type task struct {
	candidate
	src        *citekit.Source
	note       ledger.Note // the new note of the source
	companions string      // a digest of the companions
	words      *transcript // that a machine made or may make, or nil

	// replaces is the stamp of what was stored under the id when it was
	// checked, or the zero stamp: only that is replaced.
	replaces citekit.Stamp

	key      string               // of its bytes, in [run.drafts]; "" if no other source may have its draft
	draft    *citekit.Draft       // for makeAnew
	original *citekit.ResourceMap // for makeCopy, shared
}

// decide decides what to do about a source, and drafts its map if it needs one.
func (in *run) decide(ctx context.Context, t *task) verdict {
	if v := in.judgeCandidate(t); v.decision != undecided {
		return v
	}
	t.companions = in.digestCompanions(ctx, t.Companions)
	noted, known := in.book.Note(t.Path)
	if known && in.wasTried(t, t.Identity, noted) {
		return failedAgain(noted)
	}
	if known && noted.Identity != "" && noted.Identity == t.Identity {
		if v := in.judgeSame(ctx, t, noted); v.decision != undecided {
			return v
		}
	}
	if v := in.judgeOwner(ctx, t, noted); v.decision != undecided {
		return v // deciding this now is faster than after mapping
	}
	if v := in.open(ctx, t); v.decision != undecided {
		return v
	}
	if v := in.hash(ctx, t, noted); v.decision != undecided {
		return v
	}
	if known && in.wasTried(t, t.note.Hash, noted) {
		return failedAgain(noted)
	}
	if known && noted.Hash == t.note.Hash {
		noted.Identity = t.Identity
		if v := in.judgeSame(ctx, t, noted); v.decision != undecided {
			if v.note == nil {
				v.note = &noted
			}
			return v
		}
	}
	if v := in.judgeEdited(ctx, t, noted); v.decision != undecided {
		return v
	}
	if v := in.judgeForeign(noted); v.decision != undecided {
		return v
	}
	return in.makeDraft(ctx, t)
}

// judgeCandidate judges a candidate by the facts known before it is opened.
func (in *run) judgeCandidate(t *task) verdict {
	switch {
	case t.err != nil:
		return in.judgeMissing(t)
	case !utf8.ValidString(t.Path):
		return failed(syntaxError("the name of the file is not UTF-8; a map cannot name it"))
	case !isNotable(t.Path):
		return failed(fmt.Errorf("a path of %d bytes; at most %d: %w", len(t.Path), maxSourcePath, citekit.ErrTooLarge))
	case t.Link:
		return t.skipped(fmt.Errorf("a symbolic link; name its target: %w", errors.ErrUnsupported))
	case t.Size > in.opts.MaxSourceBytes:
		return t.skipped(in.tooLarge(t.Size))
	case t.Size == 0:
		return t.skipped(fmt.Errorf("empty; %w", citekit.ErrEmpty))
	}
	return verdict{}
}

func (in *run) tooLarge(size int64) error {
	return fmt.Errorf("%d bytes; at most %d: %w", size, in.opts.MaxSourceBytes, citekit.ErrTooLarge)
}

// judgeMissing judges a candidate that could not be read. If it was mapped and
// no longer exists, it vanished.
func (in *run) judgeMissing(t *task) verdict {
	if noted, known := in.book.Note(t.Path); known && noted.ID != "" && errors.Is(t.err, fs.ErrNotExist) {
		return verdict{decision: vanished, id: noted.ID, modality: citekit.Modality(noted.Type), err: in.whereNow(t.Path)}
	}
	return failed(t.err)
}

// judgeSame judges a source with the same bytes as its note. It is undecided if
// the source must be mapped nevertheless.
func (in *run) judgeSame(ctx context.Context, t *task, n ledger.Note) verdict {
	if in.opts.Force || in.asksOther(n) || in.isOutdated(ctx, t, n) || in.otherCompanions(ctx, t, n) {
		return verdict{}
	}
	if n.Skipped != "" {
		if t.Named || string(in.opts.Type) != n.Asked || in.mapperFor(citekit.Modality(n.Type)) != n.Mapper {
			return verdict{} // to give the full reason, or because another mapper may do better
		}
		return verdict{decision: skip, err: errors.New(n.Skipped)}
	}
	if n.ID == "" {
		return verdict{}
	}
	state, now, err := in.stateOf(ctx, t.Path, n)
	switch {
	case err != nil && isUnread(err):
		return failed(err)
	case err == nil && state == mapBroken:
		return failed(fmt.Errorf("its map '%s' cannot be read; force replaces it: %w", message.Clip(n.ID), citekit.ErrSyntax))
	case err != nil, state != mapIntact && state != mapEdited && state != mapUnknown:
		return verdict{}
	}
	v := verdict{decision: unchanged, id: n.ID, modality: citekit.Modality(n.Type), nodes: int(n.Nodes), method: n.Method}
	if now != n {
		v.note = &now
	}
	return v
}

// asksOther reports whether the caller requested another kind of map than the
// noted one.
func (in *run) asksOther(n ledger.Note) bool {
	asked := string(in.opts.Type)
	return in.opts.Mapper != nil && in.name != n.Mapper ||
		asked != n.Asked && asked != "" && asked != n.Type ||
		in.opts.ResourceID != "" && in.opts.ResourceID != n.ID
}

// isOutdated reports whether the resolvers may find more in a source than
// before, or one of them recognizes it that was not there. A map that a person
// changed, or that the Library has no resolver for, is never outdated.
func (in *run) isOutdated(ctx context.Context, t *task, n ledger.Note) bool {
	if n.ID != "" && in.checkMap(n.ID, n.Type) != nil || !in.isOlder(n) && !in.isOthers(ctx, t, n) {
		return false
	}
	if n.ID == "" {
		return true
	}
	state, _, err := in.stateOf(ctx, t.Path, n)
	return err != nil || state != mapEdited && state != mapUnknown
}

// open opens the source of a task.
func (in *run) open(ctx context.Context, t *task) verdict {
	src, err := in.lib.OpenSource(ctx, t.Path)
	if HoldsSecrets(err) {
		return t.skipped(err)
	}
	if err != nil {
		return failed(err)
	}
	t.src = src
	if src.Identity() != t.Identity { // it does not show every change, or the source changed since it was found
		t.Identity = ""
	}
	if t.Named { // a type applies to a named file, not to everything in a folder
		src.Declare(in.opts.Type)
	}
	if src.Size() > in.opts.MaxSourceBytes { // it grew
		return t.skipped(in.tooLarge(src.Size()))
	}
	t.note = ledger.Note{
		Identity:   t.Identity,
		Companions: t.companions,
		Size:       src.Size(),
		Asked:      string(in.opts.Type),
		Mapper:     in.name,
	}
	return verdict{}
}

// hash hashes the source of a task, unless a cheaper check shows that it cannot
// be mapped.
func (in *run) hash(ctx context.Context, t *task, noted ledger.Note) verdict {
	if t.src.KnownHash() == "" && in.judgeForeign(noted).decision == undecided && !in.looksRight(ctx, t.src) {
		if _, modality, err := in.mapSource(ctx, t); err != nil {
			return in.judgeUnmapped(ctx, t, modality, err)
		}
	}
	hash, err := t.src.Hash(ctx)
	if err != nil {
		return failed(err)
	}
	t.note.Hash = hash
	return verdict{}
}

// judgeDraft judges a source after mapping, whether or not it succeeded.
func (in *run) judgeDraft(ctx context.Context, t *task, d decision, draft *citekit.Draft, modality citekit.Modality, err error) verdict {
	if err != nil {
		return in.judgeUnmapped(ctx, t, modality, err)
	}
	t.draft, t.note.Type, t.note.Mapper = draft, string(modality), in.mapperFor(modality)
	return verdict{decision: d, modality: modality}
}

// judgeUnmapped judges a source that could not be mapped.
func (in *run) judgeUnmapped(ctx context.Context, t *task, modality citekit.Modality, err error) verdict {
	if ctx.Err() != nil {
		return verdict{modality: modality}.failed(ctx.Err())
	}
	foreign, isForeign := in.foreign(t, modality, err)
	if !isForeign {
		v := verdict{modality: modality}.failed(err)
		v.mapping, v.lasting = true, isLasting(err) && t.src.CheckUnchanged() == nil
		return v
	}
	v := t.skipped(foreign)
	if v.decision == skip && t.src.CheckUnchanged() == nil {
		note := t.note
		note.Type, note.Mapper, note.Skipped = string(modality), in.mapperFor(modality), v.err.Error()
		v.note = &note
	}
	return v
}

// apply acts on a verdict. It alone changes the notes of a source while the
// source is processed. It returns the item for the report.
func (in *run) apply(t *task, v verdict) Item {
	switch {
	case v.note == nil:
	case v.note.Skipped != "":
		in.book.PutSkipped(t.Path, *v.note)
	default:
		in.book.Put(t.Path, *v.note)
	}
	if n, ok := in.book.Note(t.Path); ok && n.Failed != "" && v.decision == unchanged { // it is again what its map was made of
		n.Failed, n.Reason, n.Code, n.Tried = "", "", "", ""
		in.book.Put(t.Path, n)
	}
	item := Item{
		Path: t.Path, ResourceID: v.id, Type: v.modality, Nodes: v.nodes, Method: v.method,
		From: in.movedFrom[t.Path], Err: v.err,
	}
	switch v.decision {
	case unchanged:
		item.Status = Unchanged
		if item.From != "" {
			item.Status = Renamed
		}
	case skip:
		item.Status = Skipped
	case vanished:
		item.Status = Vanished
	case makeAnew:
		item.Status = Mapped
	case makeCopy:
		item.Status = Copied
	default:
		item.Status = Failed
		before, _ := in.book.Note(t.Path)
		item.ResourceID = cmp.Or(item.ResourceID, before.ID)
		item.FailedBefore = in.noteFailure(t, v) && !t.Named
	}
	if item.Status == Mapped || item.Status == Copied {
		item.Unsearched, item.Damaged, item.SkippedMembers = unsearched(t), damaged(t), skippedMembers(t)
		item.Damage, _ = metadataOf(t)[about.DamageKey].(string)
		if item.TextState, _ = metadataOf(t)[about.TextStateKey].(map[string]any); item.TextState != nil {
			item.Pages = number(metadataOf(t)["pages"])
		}
	}
	return item
}

// noteFailure notes why a source failed, and reports whether it did so before, in
// this version. Nothing else in its note changes.
func (in *run) noteFailure(t *task, v verdict) (before bool) {
	err := v.err
	again := errors.As(err, new(*failedBefore))
	if !isNotable(t.Path) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	n, _ := in.book.Note(t.Path)
	now := n
	if again {
		now.Tried = in.triedWith(t, cmp.Or(t.Identity, t.note.Hash))
		if now != n {
			in.book.Put(t.Path, now)
		}
		return true
	}
	now.Failed = ctxio.HashParts(cmp.Or(t.note.Hash, t.Identity), in.name, err.Error())
	now.Reason, now.Code, now.Tried = "", "", ""
	if v.mapping || !t.Named || errors.Is(err, citekit.ErrFormat) { // a path that was named may be none of a source
		now.Reason, now.Code = err.Error(), citekit.CodeOf(err)
	}
	if v.lasting && !t.Named {
		now.Tried = in.triedWith(t, cmp.Or(t.Identity, t.note.Hash))
	}
	if now = now.Bounded(); now != n {
		in.book.Put(t.Path, now)
	}
	return now.Failed == n.Failed
}

// wasTried reports whether a source, of the version that has an identity or a hash,
// failed before under the same circumstances.
func (in *run) wasTried(t *task, version string, noted ledger.Note) bool {
	return noted.Tried != "" && noted.Tried == in.triedWith(t, version)
}

// triedWith returns a digest of all that decides whether a version of a source can be
// mapped, or "" if it is to be tried in any case.
func (in *run) triedWith(t *task, version string) string {
	if in.opts.Program == "" || version == "" || t.Named || in.opts.Force || in.opts.Mapper != nil {
		return ""
	}
	companions := t.companions
	if in.speech != nil {
		companions = withCompanions(companions, in.speech.key)
	}
	return ctxio.HashParts(in.opts.Program, version, companions, string(in.opts.Type), in.name)
}

// isLasting reports whether a source that a resolver could not map will fail again
// with the same program: it is damaged, too large, or not supported.
func isLasting(err error) bool {
	switch citekit.CodeOf(err) {
	case message.CodeInvalidInput, message.CodeTooLarge, message.CodeUnsupported:
		return true
	}
	return false
}

// A failedBefore is the error of a source that failed before and is not tried again.
type failedBefore struct {
	reason string
	code   string
}

func failedAgain(n ledger.Note) verdict {
	return failed(&failedBefore{n.Reason, string(n.Code)})
}

func (e *failedBefore) Error() string { return e.reason }

// Is makes the error match what its cause matched.
func (e *failedBefore) Is(target error) bool { return citekit.CodeOf(target) == e.code }

// unsearched returns how many members of an archive that was mapped have text
// that is too large to be searched.
func unsearched(t *task) int { return listed(t, "unsearched") }

// skippedMembers returns how many members of an archive that was mapped have no node.
func skippedMembers(t *task) int { return listed(t, "skipped") }

// listed returns how many members a list in the metadata names, and how many more
// there are.
func listed(t *task, list string) int {
	metadata := metadataOf(t)
	named, _ := metadata[list].([]any)
	return len(named) + number(metadata[list+"_more"])
}

// damaged returns how many members of an archive that was mapped are damaged.
func damaged(t *task) int { return number(metadataOf(t)["damaged"]) }

// metadataOf returns the metadata of the map of a source that was mapped.
func metadataOf(t *task) map[string]any {
	switch {
	case t.original != nil:
		return t.original.Metadata
	case t.draft != nil:
		return t.draft.Metadata
	}
	return nil
}

// number returns a whole number in metadata, or 0.
func number(value any) int {
	switch value := value.(type) {
	case int:
		return value
	case json.Number: // of a map that was read
		n, _ := value.Int64()
		return int(n)
	}
	return 0
}
