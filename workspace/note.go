package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit"
)

const (
	notesDir = metaDir + "/notes"

	maxNoteName = 4096     // bytes
	maxNote     = 64 << 10 // bytes
)

// checkKind returns an error unless kind is a valid kind of notes.
func checkKind(kind string) error {
	if kind == "" || len(kind) > 64 || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz") != "" {
		return fmt.Errorf("a kind of notes is 1 to 64 letters a-z: %w", citekit.ErrSyntax)
	}
	return nil
}

func checkNote(kind, name string, data []byte) error {
	if err := checkKind(kind); err != nil {
		return err
	}
	if len(name) > maxNoteName || !utf8.ValidString(name) {
		return fmt.Errorf("the name of a note is UTF-8 of at most %d bytes: %w", maxNoteName, citekit.ErrSyntax)
	}
	if len(data) > maxNote {
		return fmt.Errorf("a note of %d bytes; at most %d: %w", len(data), maxNote, citekit.ErrTooLarge)
	}
	return nil
}

// checkChanges returns an error unless changes are valid for notes of a kind.
func checkChanges(kind string, changes []citekit.NoteChange) error {
	if err := checkKind(kind); err != nil {
		return err
	}
	seen := make(map[string]bool, len(changes))
	for _, c := range changes {
		if err := checkNote(kind, c.Name, c.Data); err != nil {
			return err
		}
		if seen[c.Name] {
			return fmt.Errorf("one note is to change twice: %w", citekit.ErrSyntax)
		}
		seen[c.Name] = true
	}
	return nil
}

// compareNotes returns an error if notes, as read returns them, have other
// stamps than changes give.
func compareNotes(changes []citekit.NoteChange, read func(name string) ([]byte, citekit.Stamp, error)) error {
	var others []string
	for _, c := range changes {
		_, now, err := read(c.Name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, citekit.ErrDamaged) {
			return err
		}
		if now != c.Stamp {
			others = append(others, c.Name)
		}
	}
	if len(others) > 0 {
		return &citekit.NoteConflictError{Names: others}
	}
	return nil
}

// isVain reports whether a change with the right stamp changes nothing, because
// the note that it deletes does not exist.
func isVain(c citekit.NoteChange) bool { return c.Data == nil && c.Stamp == (citekit.Stamp{}) }

// ReadNote implements [citekit.NoteStore].
func (d *Directory) ReadNote(ctx context.Context, kind, name string) ([]byte, citekit.Stamp, error) {
	if err := errors.Join(checkNote(kind, name, nil), ctx.Err()); err != nil {
		return nil, citekit.Stamp{}, err
	}
	root, _, err := d.evidence.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, citekit.Stamp{}, missing("note")
	}
	if err != nil {
		return nil, citekit.Stamp{}, d.evidence.fault(evidenceUnreadable, err)
	}
	if kind == PinNotes {
		return d.readPin(root, name)
	}
	data, stamp, err := d.logs.of(d, kind).read(root, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("read the note: %w", withoutPath(d.evidence.fault(evidenceUnreadable, err)))
	}
	return data, stamp, err
}

// WriteNoteIf implements [citekit.NoteStore].
func (d *Directory) WriteNoteIf(ctx context.Context, kind, name string, data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	if data == nil {
		data = []byte{}
	}
	now, err := d.changeNote(ctx, kind, citekit.NoteChange{Name: name, Data: data, Stamp: stamp})
	if err != nil {
		return citekit.Stamp{}, fmt.Errorf("write the note: %w", withoutPath(d.evidence.fault(evidenceUnwritable, err)))
	}
	return now, nil
}

// DeleteNoteIf implements [citekit.NoteStore].
func (d *Directory) DeleteNoteIf(ctx context.Context, kind, name string, stamp citekit.Stamp) error {
	_, now, err := d.ReadNote(ctx, kind, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return err // nothing is made or locked for it
	case err == nil && now != stamp:
		err = conflictOf(now)
	default:
		_, err = d.changeNote(ctx, kind, citekit.NoteChange{Name: name, Stamp: stamp})
	}
	if err != nil {
		return fmt.Errorf("delete the note: %w", withoutPath(d.evidence.fault(evidenceUnwritable, err)))
	}
	return nil
}

func (d *Directory) changeNote(ctx context.Context, kind string, change citekit.NoteChange) (citekit.Stamp, error) {
	stamps, err := d.changeNotes(ctx, kind, []citekit.NoteChange{change})
	if err != nil {
		return citekit.Stamp{}, err
	}
	return stamps[0], nil
}

// ChangeNotes implements [citekit.NoteStore].
func (d *Directory) ChangeNotes(ctx context.Context, kind string, changes []citekit.NoteChange) ([]citekit.Stamp, error) {
	stamps, err := d.changeNotes(ctx, kind, changes)
	if err != nil {
		return nil, fmt.Errorf("change the notes: %w", withoutPath(d.evidence.fault(evidenceUnwritable, err)))
	}
	return stamps, nil
}

func (d *Directory) changeNotes(ctx context.Context, kind string, changes []citekit.NoteChange) ([]citekit.Stamp, error) {
	if err := errors.Join(checkChanges(kind, changes), ctx.Err()); err != nil || len(changes) == 0 {
		return []citekit.Stamp{}, err
	}
	root, err := d.evidence.make()
	if err != nil {
		return nil, err
	}
	unlock, err := d.evidence.lock(ctx, root)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if kind == PinNotes {
		return d.changePins(root, changes)
	}
	return d.logs.of(d, kind).change(root, changes)
}

// Notes implements [citekit.NoteStore].
func (d *Directory) Notes(ctx context.Context, kind string) iter.Seq2[citekit.Note, error] {
	return func(yield func(citekit.Note, error) bool) {
		err := d.eachNote(ctx, kind, func(n citekit.Note) bool { return yield(n, nil) })
		if err != nil {
			yield(citekit.Note{}, fmt.Errorf("read the notes: %w", withoutPath(d.evidence.fault(evidenceUnreadable, err))))
		}
	}
}

// eachNote calls f with the notes of a kind until it returns false, which is
// not an error.
func (d *Directory) eachNote(ctx context.Context, kind string, f func(citekit.Note) bool) error {
	if err := errors.Join(checkKind(kind), ctx.Err()); err != nil {
		return err
	}
	root, _, err := d.evidence.open()
	if err != nil {
		return ignoreMissing(err)
	}
	if kind != PinNotes {
		return d.logs.of(d, kind).each(ctx, root, f)
	}
	k := keeper{d: d, ctx: ctx, yield: func(_ Kept, failed error) bool {
		err = failed
		return false
	}}
	k.eachPin(func(_ string, r pinRecord) bool {
		return f(citekit.Note{Name: r.Name, Data: r.data(), Stamp: citekit.Stamp{Identity: r.Stamp}})
	})
	return err
}
