package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"unicode/utf8"

	"github.com/citekit/citekit"
)

const (
	maxNoteName = 4096     // bytes
	maxNote     = 64 << 10 // bytes
)

func checkNote(kind, name string, data []byte) error {
	if err := checkNotesName(kind); err != nil {
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
		return nil, citekit.Stamp{}, storageFault(evidenceUnreadable, err)
	}
	if kind == citekit.PinNotes {
		return d.readPin(root, name)
	}
	data, stamp, err := d.logs.of(d, kind).read(root, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("read the note: %w", withoutPath(storageFault(evidenceUnreadable, err)))
	}
	return data, stamp, err
}

// WriteNoteIf implements [citekit.NoteStore].
func (d *Directory) WriteNoteIf(ctx context.Context, kind, name string, data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	if data == nil {
		data = []byte{}
	}
	now, err := d.changeNote(ctx, kind, name, data, stamp)
	if err != nil {
		return citekit.Stamp{}, fmt.Errorf("write the note: %w", withoutPath(storageFault(evidenceUnwritable, err)))
	}
	return now, nil
}

// DeleteNoteIf implements [citekit.NoteStore].
func (d *Directory) DeleteNoteIf(ctx context.Context, kind, name string, stamp citekit.Stamp) error {
	if _, _, err := d.ReadNote(ctx, kind, name); errors.Is(err, fs.ErrNotExist) {
		return err // nothing is made or locked for it
	}
	if _, err := d.changeNote(ctx, kind, name, nil, stamp); err != nil {
		return fmt.Errorf("delete the note: %w", withoutPath(storageFault(evidenceUnwritable, err)))
	}
	return nil
}

// changeNote writes a note if it has the stamp, or deletes it if data is nil.
func (d *Directory) changeNote(ctx context.Context, kind, name string, data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	if err := errors.Join(checkNote(kind, name, data), ctx.Err()); err != nil {
		return citekit.Stamp{}, err
	}
	root, err := d.evidence.make()
	if err != nil {
		return citekit.Stamp{}, err
	}
	unlock, err := d.evidence.lock(ctx, root)
	if err != nil {
		return citekit.Stamp{}, err
	}
	defer unlock()
	if kind == citekit.PinNotes {
		return d.changePin(root, name, data, stamp)
	}
	return d.logs.of(d, kind).change(root, name, data, stamp)
}

// Notes implements [citekit.NoteStore].
func (d *Directory) Notes(ctx context.Context, kind string) iter.Seq2[citekit.Note, error] {
	return func(yield func(citekit.Note, error) bool) {
		err := d.eachNote(ctx, kind, func(n citekit.Note) bool { return yield(n, nil) })
		if err != nil {
			yield(citekit.Note{}, fmt.Errorf("read the notes: %w", withoutPath(storageFault(evidenceUnreadable, err))))
		}
	}
}

// eachNote calls f with the notes of a kind until it returns false, which is
// no error.
func (d *Directory) eachNote(ctx context.Context, kind string, f func(citekit.Note) bool) error {
	if err := errors.Join(checkNotesName(kind), ctx.Err()); err != nil {
		return err
	}
	root, _, err := d.evidence.open()
	if err != nil {
		return ignoreMissing(err)
	}
	if kind != citekit.PinNotes {
		return d.logs.of(d, kind).each(ctx, root, f)
	}
	k := keeper{d: d, ctx: ctx, yield: func(_ citekit.Kept, failed error) bool {
		err = failed
		return false
	}}
	k.eachPin(func(_ string, r pinRecord) bool {
		return f(citekit.Note{Name: r.Name, Data: r.data(), Stamp: citekit.Stamp{Identity: r.Stamp}})
	})
	return err
}
