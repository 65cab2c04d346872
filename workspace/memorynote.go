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
	if err := errors.Join(checkNote(kind, name, data), ctx.Err()); err != nil {
		return citekit.Stamp{}, fmt.Errorf("write the note: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := m.kinds[kind][name].Stamp; now != stamp {
		return citekit.Stamp{}, fmt.Errorf("write the note: %w", conflictOf(now))
	}
	if m.kinds[kind] == nil {
		m.kinds[kind] = make(map[string]citekit.Note)
	}
	n := citekit.Note{Name: name, Data: append([]byte{}, data...), Stamp: citekit.Stamp{Identity: m.tick()}}
	m.kinds[kind][name] = n
	return n.Stamp, nil
}

// DeleteNoteIf implements [citekit.NoteStore].
func (m *Memory) DeleteNoteIf(ctx context.Context, kind, name string, stamp citekit.Stamp) error {
	if err := errors.Join(checkNote(kind, name, nil), ctx.Err()); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.kinds[kind][name]
	switch {
	case !ok:
		return missing("note")
	case n.Stamp != stamp:
		return fmt.Errorf("delete the note: %w", conflictOf(n.Stamp))
	}
	delete(m.kinds[kind], name)
	return nil
}

// Notes implements [citekit.NoteStore].
func (m *Memory) Notes(ctx context.Context, kind string) iter.Seq2[citekit.Note, error] {
	return func(yield func(citekit.Note, error) bool) {
		if err := errors.Join(checkNotesName(kind), ctx.Err()); err != nil {
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
