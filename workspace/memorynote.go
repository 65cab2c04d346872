package workspace

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/citekit/citekit"
)

// ReadNote implements [citekit.NoteStore].
func (m *Memory) ReadNote(ctx context.Context, kind, name string) ([]byte, citekit.Stamp, error) {
	if err := errors.Join(checkNote(kind, name, nil), ctx.Err()); err != nil {
		return nil, citekit.Stamp{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.kinds[kind][name]
	if !ok {
		return nil, citekit.Stamp{}, missing("note")
	}
	return slices.Clone(n.Data), n.Stamp, nil
}

// WriteNoteIf implements [citekit.NoteStore].
func (m *Memory) WriteNoteIf(ctx context.Context, kind, name string, data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	if data == nil {
		data = []byte{}
	}
	stamps, err := m.ChangeNotes(ctx, kind, []citekit.NoteChange{{Name: name, Data: data, Stamp: stamp}})
	if err != nil {
		return citekit.Stamp{}, err
	}
	return stamps[0], nil
}

// DeleteNoteIf implements [citekit.NoteStore].
func (m *Memory) DeleteNoteIf(ctx context.Context, kind, name string, stamp citekit.Stamp) error {
	if _, _, err := m.ReadNote(ctx, kind, name); err != nil {
		return err
	}
	if stamp == (citekit.Stamp{}) {
		return fmt.Errorf("delete the note: it is there: %w", citekit.ErrConflict)
	}
	_, err := m.ChangeNotes(ctx, kind, []citekit.NoteChange{{Name: name, Stamp: stamp}})
	return err
}

// ChangeNotes implements [citekit.NoteStore].
func (m *Memory) ChangeNotes(ctx context.Context, kind string, changes []citekit.NoteChange) ([]citekit.Stamp, error) {
	if err := errors.Join(checkChanges(kind, changes), ctx.Err()); err != nil {
		return nil, fmt.Errorf("change the notes: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	err := compareNotes(changes, func(name string) ([]byte, citekit.Stamp, error) { return nil, m.kinds[kind][name].Stamp, nil })
	if err != nil {
		return nil, fmt.Errorf("change the notes: %w", err)
	}
	if m.kinds[kind] == nil {
		m.kinds[kind] = make(map[string]citekit.Note)
	}
	stamps := make([]citekit.Stamp, len(changes))
	for i, c := range changes {
		if c.Data == nil {
			delete(m.kinds[kind], c.Name)
			continue
		}
		stamps[i] = citekit.Stamp{Identity: m.tick()}
		m.kinds[kind][c.Name] = citekit.Note{Name: c.Name, Data: append([]byte{}, c.Data...), Stamp: stamps[i]}
	}
	return stamps, nil
}

// Notes implements [citekit.NoteStore].
func (m *Memory) Notes(ctx context.Context, kind string) iter.Seq2[citekit.Note, error] {
	return func(yield func(citekit.Note, error) bool) {
		if err := errors.Join(checkKind(kind), ctx.Err()); err != nil {
			yield(citekit.Note{}, err)
			return
		}
		for _, n := range m.notesOf(kind) {
			if err := ctx.Err(); err != nil {
				yield(citekit.Note{}, err)
				return
			}
			if !yield(n, nil) {
				return
			}
		}
	}
}

func (m *Memory) notesOf(kind string) []citekit.Note {
	m.mu.Lock()
	defer m.mu.Unlock()
	notes := make([]citekit.Note, 0, len(m.kinds[kind]))
	for _, n := range m.kinds[kind] {
		n.Data = slices.Clone(n.Data)
		notes = append(notes, n)
	}
	return notes
}
