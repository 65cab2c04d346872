package citekit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// shownVersion is how many digits of a version a message shows at least.
const shownVersion = 16

// openFresh opens the source of a target, and checks that it is the version
// that was mapped, as checkFresh does. The caller closes it.
func (l *Library) openFresh(ctx context.Context, t target, allowStale bool) (src *Source, stale bool, err error) {
	if src, err = l.OpenSource(ctx, t.path); err != nil {
		return nil, false, t.vanished(err)
	}
	src.Declare(t.declared)
	if stale, err = l.checkFresh(ctx, t, src, allowStale); err != nil {
		src.Close()
		return nil, false, err
	}
	return src, stale, nil
}

// vanished adds to the error about a source of a map that is gone what it was called
// and what can be done. Of a path outside the base directory only the name is given.
func (t target) vanished(err error) error {
	if t.m == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	shown := t.path
	if isAbsolute(shown) {
		shown = shown[strings.LastIndexAny(shown, `/\`)+1:]
	}
	return saying{"its source '" + plain.Shorten(shown, maxShown) + "' is gone; put it back, or map it where it is now", fs.ErrNotExist}
}

// isAbsolute reports whether the path of a source is absolute, on any system.
func isAbsolute(path string) bool {
	return strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\`) || len(path) > 2 && path[1] == ':' && (path[2] == '/' || path[2] == '\\')
}

// checkFresh reports whether src is another version than the target was made
// from, which is an error unless allow is set. A version pinned by the address
// is never waived.
//
// A source whose changes only its content shows is hashed.
func (l *Library) checkFresh(ctx context.Context, t target, src *Source, allow bool) (stale bool, err error) {
	if src.Version() == "" {
		if _, err := src.Hash(ctx); err != nil {
			return false, localfile.WithoutPath(err)
		}
	}
	if pinned := t.address.Version; pinned != "" {
		hash, err := src.Hash(ctx)
		if err != nil {
			return false, err
		}
		if !strings.HasPrefix(hash, pinned) && t.m != nil && t.m.SourceHash() == hash {
			return false, newPinError(t.address, hash)
		}
		if !strings.HasPrefix(hash, pinned) {
			return false, fmt.Errorf("the address pins version %s, the source is now %s; if the cited part is unchanged, ingest the source again and cite v=%s: %w",
				pinned, hash[:len(pinned)], hash[:max(len(pinned), shownVersion)], ErrStale)
		}
	}
	if t.m == nil {
		return false, nil
	}
	why, err := l.freshness(ctx, t.m.ResourceMap, t.m.hash, src)
	if err != nil || why == nil {
		return false, err
	}
	if allow {
		return true, nil
	}
	return false, why
}

// A pinError reports an address with a version that its source does not have,
// although the source is as it was when it was mapped. It matches [ErrStale].
type pinError struct{ saying }

func newPinError(a Address, hash string) error {
	pinned := a.Version
	a.Version = hash[:max(len(pinned), shownVersion)]
	return pinError{saying{fmt.Sprintf("the address pins version %s, the source is %s, unchanged since it was mapped: %s is mistyped, or of an earlier version; if the source says the same, cite %s",
		pinned, hash[:len(pinned)], pinned, shortAddress(a.String())), ErrStale}}
}

// UnknownPin tells this error from others that match [ErrStale].
func (pinError) UnknownPin() {}

// CheckFresh returns an error matching [ErrStale] that says why an open source
// is not the version that a map was made from, or nil. A map without
// "source_hash" in its metadata accepts any version.
func (l *Library) CheckFresh(ctx context.Context, m *ResourceMap, src *Source) error {
	why, err := l.freshness(ctx, m, "", src)
	return cmp.Or(why, err)
}

// freshness returns why src is not the version that m was made from, as an
// error matching ErrStale, or nil if it is. A map without a hash accepts
// only the version that its source had when this version of the map, whose
// SHA-256 is mapHash, was first used; if mapHash is "" it accepts any.
func (l *Library) freshness(ctx context.Context, m *ResourceMap, mapHash string, src *Source) (why, err error) {
	mapped := m.SourceHash()
	if mapped == "" {
		return l.pinnedFreshness(ctx, m, mapHash, src)
	}
	if err := m.checkSourceHash(); err != nil {
		return nil, fmt.Errorf("metadata.source_hash %w", err)
	}
	if size, ok := m.SourceSize(); ok && size != src.Size() {
		return fmt.Errorf("the source has %s, it had %d when it was mapped; map it again: %w", message.Count(int(src.Size()), "byte"), size, ErrStale), nil
	}
	hash, err := src.Hash(ctx)
	if err != nil || hash == mapped {
		return nil, err
	}
	return fmt.Errorf("the source's SHA-256 begins %.12s, it was %.12s when it was mapped; map it again: %w", hash, mapped, ErrStale), nil
}

func (l *Library) pinnedFreshness(ctx context.Context, m *ResourceMap, mapHash string, src *Source) (why, err error) {
	if src.Version() == "" || mapHash == "" {
		return nil, nil
	}
	now := pin{src.Identity(), src.KnownHash()}
	recorded, err := l.pinned(ctx, m.ResourceID, mapHash, now.String())
	if errors.Is(err, ErrDamaged) {
		return fmt.Errorf("the record of the version the source had: %w: %w", err, ErrStale), nil
	}
	if err != nil {
		return nil, localfile.WithoutPath(err)
	}
	first := parsePin(recorded)
	same, err := first.matches(ctx, src)
	if err != nil || same {
		return nil, err
	}
	if first.hash == "" && src.Identity() == "" {
		return fmt.Errorf("another program has the source open for writing, and its map has no source_hash that would show a change; try again later, or map it again: %w", ErrStale), nil
	}
	return fmt.Errorf("the source has changed since this map was first used; map it again, or save the map with a change: %w", ErrStale), nil
}

// A pinNote is the data of a note of the kind [PinNotes].
type pinNote struct {
	Guard   string `json:"guard"`   // SHA-256 of the map that the version is recorded for
	Version string `json:"version"` // of the source
}

// maxConflicts is how often a note is read again that somebody else changed.
const maxConflicts = 1000

// pinned returns the version of the source that is recorded for a map under a
// guard. If none is, it first records version, durably; of several processes
// the first one wins. If the record is damaged, the error matches [ErrDamaged]:
// recording anew would accept whatever the source is now. One that somebody
// else planted counts as missing: a person who can plant it can also remove it,
// so refusing it would protect nobody, and would make copies of a folder
// useless.
func (l *Library) pinned(ctx context.Context, id, guard, version string) (string, error) {
	for range maxConflicts {
		data, stamp, err := l.workspace.ReadNote(ctx, PinNotes, id)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		var there pinNote
		switch {
		case err != nil:
		case json.Unmarshal(data, &there) != nil:
			return "", ErrDamaged
		case there.Guard == guard:
			return there.Version, nil
		}
		if data, err = json.Marshal(pinNote{guard, version}); err != nil {
			return "", err
		}
		_, err = l.workspace.WriteNoteIf(ctx, PinNotes, id, data, stamp)
		if !errors.Is(err, ErrConflict) {
			return version, err
		}
	}
	return "", fmt.Errorf("other processes keep changing the pin of this source; try again: %w", ErrConflict)
}

// A pin is a version of a source by its identity and, where it was known, its
// hash.
type pin struct{ identity, hash string }

func (p pin) String() string { return p.identity + "\n" + p.hash }

func parsePin(s string) pin {
	identity, hash, _ := strings.Cut(s, "\n")
	return pin{identity, hash}
}

// matches reports whether src is the version p. A file that only looks changed
// is hashed to see.
func (p pin) matches(ctx context.Context, src *Source) (bool, error) {
	if p.identity != "" && p.identity == src.Identity() {
		return true, nil
	}
	if p.hash == "" {
		return false, nil
	}
	hash, err := src.Hash(ctx)
	return hash == p.hash, err
}
