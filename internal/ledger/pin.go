package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Pins is the kind of the notes that record the versions of sources, for maps that
// do not say theirs. The name of a note is the id of the map.
const Pins = "pins"

// A PinNote is the data of such a note.
type PinNote struct {
	Guard   string `json:"guard"`   // SHA-256 of the map that the version is recorded for
	Version string `json:"version"` // of the source, as [Pin.String] writes it
}

// ParsePin reads the data of a note of the kind [Pins].
func ParsePin(data []byte) (n PinNote, ok bool) { return n, json.Unmarshal(data, &n) == nil }

// A Pin is a version of a source by its identity and, where it was known, its hash.
type Pin struct{ Identity, Hash string }

// String returns the form in a note.
func (p Pin) String() string { return p.Identity + "\n" + p.Hash }

// Pin returns the version that a note records.
func (n PinNote) Pin() Pin {
	identity, hash, _ := strings.Cut(n.Version, "\n")
	return Pin{identity, hash}
}

// Matches reports whether p is the version of a source with an identity. A file that
// only looks changed is hashed to see.
func (p Pin) Matches(ctx context.Context, identity string, hash func(context.Context) (string, error)) (bool, error) {
	if p.Identity != "" && p.Identity == identity {
		return true, nil
	}
	if p.Hash == "" {
		return false, nil
	}
	is, err := hash(ctx)
	return is == p.Hash, err
}

// maxConflicts is how often a note is read again that somebody else changed.
const maxConflicts = 1000

// Notes are a store of notes with stamps of the type S.
type Notes[S any] interface {
	ReadNote(ctx context.Context, kind, name string) ([]byte, S, error)
	WriteNoteIf(ctx context.Context, kind, name string, data []byte, stamp S) (S, error)
}

// Record returns the version of the source that is recorded for a map under a guard. If
// none is, it first records now, durably; of several processes the first one wins. An
// error of the store that matches conflict says that somebody else changed the note.
//
// If the record is damaged, the error is damaged. One that somebody else planted counts
// as missing: a person who can plant it can also remove it, so refusing it would
// protect nobody, and would make copies of a folder useless.
func Record[S any](ctx context.Context, notes Notes[S], id, guard string, now Pin, conflict, damaged error) (Pin, error) {
	mine, err := json.Marshal(PinNote{Guard: guard, Version: now.String()})
	if err != nil {
		return Pin{}, err
	}
	for range maxConflicts {
		data, stamp, readErr := notes.ReadNote(ctx, Pins, id)
		if readErr == nil {
			there, ok := ParsePin(data)
			if !ok {
				return Pin{}, damaged
			}
			if there.Guard == guard {
				return there.Pin(), nil
			}
		} else if !errors.Is(readErr, fs.ErrNotExist) {
			return Pin{}, readErr
		}
		if _, err = notes.WriteNoteIf(ctx, Pins, id, mine, stamp); !errors.Is(err, conflict) {
			return now, err
		}
	}
	return Pin{}, fmt.Errorf("other processes keep changing the pin of this source; try again: %w", conflict)
}
