package cloud

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/jackc/pgx/v5"
)

const (
	maxNoteName = 4096     // bytes
	maxNote     = 64 << 10 // bytes
	maxNotes    = 100      // read at a time
)

// hashOf returns the key of the note with a name.
func hashOf(name string) []byte {
	sum := sha256.Sum256([]byte(name))
	return sum[:]
}

// checkKind returns an error unless kind is a valid kind of notes.
func checkKind(kind string) error {
	if kind == "" || len(kind) > 64 || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz") != "" {
		return fmt.Errorf("a kind of notes is 1 to 64 letters a-z: %w", citekit.ErrSyntax)
	}
	return nil
}

// checkChanges returns an error unless changes are valid for notes of a kind.
func checkChanges(kind string, changes []citekit.NoteChange) error {
	seen := make(map[string]bool, len(changes))
	for _, c := range changes {
		switch {
		case len(c.Name) > maxNoteName || !utf8.ValidString(c.Name):
			return fmt.Errorf("the name of a note is UTF-8 of at most %d bytes: %w", maxNoteName, citekit.ErrSyntax)
		case len(c.Data) > maxNote:
			return fmt.Errorf("a note of %d bytes; at most %d: %w", len(c.Data), maxNote, citekit.ErrTooLarge)
		case seen[c.Name]:
			return fmt.Errorf("one note is to change twice: %w", citekit.ErrSyntax)
		}
		seen[c.Name] = true
	}
	return checkKind(kind)
}

const readNote = `SELECT data, version FROM {s}.notes WHERE kind = $1 AND hash = $2`

// ReadNote implements [citekit.NoteStore].
func (w *Workspace) ReadNote(ctx context.Context, kind, name string) ([]byte, citekit.Stamp, error) {
	if err := checkChanges(kind, []citekit.NoteChange{{Name: name}}); err != nil {
		return nil, citekit.Stamp{}, err
	}
	var data []byte
	var version int64
	err := w.row(ctx, repeating, []any{&data, &version}, readNote, kind, hashOf(name))
	if errors.Is(err, pgx.ErrNoRows) {
		err = missing("note")
	}
	if err != nil {
		return nil, citekit.Stamp{}, err
	}
	return data, stampOf(version), nil
}

// ReadNotes returns those notes of a kind that there are, by name.
func (w *Workspace) ReadNotes(ctx context.Context, kind string, names []string) (map[string]citekit.Note, error) {
	if err := checkKind(kind); err != nil {
		return nil, err
	}
	hashes := make([][]byte, len(names))
	for i, name := range names {
		hashes[i] = hashOf(name)
	}
	found, err := all(ctx, w, pgx.RowToStructByPos[noteRow], `SELECT hash, name, data, version FROM {s}.notes WHERE kind = $1 AND hash = ANY($2)`, kind, hashes)
	notes := make(map[string]citekit.Note, len(found))
	for _, n := range found {
		notes[string(n.Name)] = citekit.Note{Name: string(n.Name), Data: n.Data, Stamp: stampOf(n.Version)}
	}
	return notes, err
}

// Notes implements [citekit.NoteStore].
func (w *Workspace) Notes(ctx context.Context, kind string) iter.Seq2[citekit.Note, error] {
	return func(yield func(citekit.Note, error) bool) {
		if err := checkKind(kind); err != nil {
			yield(citekit.Note{}, err)
			return
		}
		for after := []byte{}; ; {
			page, err := all(ctx, w, pgx.RowToStructByPos[noteRow], `
				SELECT hash, name, data, version FROM {s}.notes WHERE kind = $1 AND hash > $2 ORDER BY hash LIMIT $3`, kind, after, maxNotes)
			for _, n := range page {
				if err = ctx.Err(); err != nil {
					break
				}
				if !yield(citekit.Note{Name: string(n.Name), Data: n.Data, Stamp: stampOf(n.Version)}, nil) {
					return
				}
				after = n.Hash
			}
			if err != nil {
				yield(citekit.Note{}, err)
			}
			if err != nil || len(page) < maxNotes {
				return
			}
		}
	}
}

type noteRow struct {
	Hash, Name, Data []byte
	Version          int64
}

// WriteNoteIf implements [citekit.NoteStore].
func (w *Workspace) WriteNoteIf(ctx context.Context, kind, name string, data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	if data == nil {
		data = []byte{}
	}
	stamps, err := w.ChangeNotes(ctx, kind, []citekit.NoteChange{{Name: name, Data: data, Stamp: stamp}})
	if err != nil {
		return citekit.Stamp{}, err
	}
	return stamps[0], nil
}

// DeleteNoteIf implements [citekit.NoteStore].
func (w *Workspace) DeleteNoteIf(ctx context.Context, kind, name string, stamp citekit.Stamp) error {
	if err := checkChanges(kind, []citekit.NoteChange{{Name: name}}); err != nil {
		return err
	}
	n, err := w.exec(ctx, once, `DELETE FROM {s}.notes WHERE kind = $1 AND hash = $2 AND version = $3`, kind, hashOf(name), versionOf(stamp))
	if err == nil && n == 0 {
		if _, _, err = w.ReadNote(ctx, kind, name); err == nil {
			err = fmt.Errorf("the note is another one: %w", citekit.ErrConflict)
		}
	}
	if err != nil {
		return fmt.Errorf("delete the note: %w", err)
	}
	w.notices.send()
	return nil
}

// ChangeNotes implements [citekit.NoteStore]: all changes are made, or none.
func (w *Workspace) ChangeNotes(ctx context.Context, kind string, changes []citekit.NoteChange) ([]citekit.Stamp, error) {
	err := errors.Join(checkChanges(kind, changes), ctx.Err())
	stamps := make([]citekit.Stamp, len(changes))
	if err == nil && len(changes) > 0 {
		err = w.try(ctx, once, func() error {
			clear(stamps)
			return w.changeNotes(ctx, kind, changes, stamps)
		})
		w.notices.send()
	}
	if err != nil {
		return nil, fmt.Errorf("change the notes: %w", err)
	}
	return stamps, nil
}

// changeNotes sets stamps to those of the notes as they are then.
func (w *Workspace) changeNotes(ctx context.Context, kind string, changes []citekit.NoteChange, stamps []citekit.Stamp) error {
	// All lock in the same order, so that none waits for another that waits for it.
	order := make([]int, len(changes))
	hashes := make([][]byte, len(changes))
	for i, c := range changes {
		order[i], hashes[i] = i, hashOf(c.Name)
	}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(hashes[a], hashes[b]) })
	done := make([]bool, len(changes))
	var batch pgx.Batch
	for _, i := range order {
		w.queueChange(&batch, kind, hashes[i], changes[i], func(version int64) {
			done[i] = true
			if version > 0 {
				stamps[i] = stampOf(version)
			}
		})
	}
	run := func(b interface {
		SendBatch(context.Context, *pgx.Batch) pgx.BatchResults
	}) error {
		if err := b.SendBatch(ctx, &batch).Close(); err != nil {
			return err
		}
		var others []string
		for i, c := range changes {
			if !done[i] {
				others = append(others, c.Name)
			}
		}
		if len(others) > 0 {
			return &citekit.NoteConflictError{Names: others}
		}
		return nil
	}
	if len(changes) == 1 {
		return run(w.pool) // one statement is a transaction of its own
	}
	return pgx.BeginFunc(ctx, w.pool, func(tx pgx.Tx) error { return run(tx) })
}

// queueChange queues a change. It calls done with the version that the note has then,
// zero if there is none, unless the note has another stamp than the change says.
func (w *Workspace) queueChange(batch *pgx.Batch, kind string, hash []byte, c citekit.NoteChange, done func(version int64)) {
	key := []any{kind, hash}
	version := versionOf(c.Stamp)
	var text string
	switch isNew := c.Stamp == (citekit.Stamp{}); {
	case c.Data == nil && isNew: // there must be none
		text = `SELECT 0::bigint WHERE NOT EXISTS (SELECT FROM {s}.notes WHERE kind = $1 AND hash = $2)`
	case c.Data == nil:
		text, key = `DELETE FROM {s}.notes WHERE kind = $1 AND hash = $2 AND version = $3 RETURNING 0::bigint`, append(key, version)
	case isNew:
		text = `INSERT INTO {s}.notes (kind, hash, name, version, data) VALUES ($1, $2, $3, nextval('{s}.versions'), $4)
			ON CONFLICT DO NOTHING RETURNING version`
		key = append(key, []byte(c.Name), c.Data)
	default:
		text = `UPDATE {s}.notes SET version = nextval('{s}.versions'), data = $4 WHERE kind = $1 AND hash = $2 AND version = $3 RETURNING version`
		key = append(key, version, c.Data)
	}
	batch.Queue(w.sql(text), key...).Query(func(rows pgx.Rows) error {
		versions, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if len(versions) > 0 {
			done(versions[0])
		}
		return err
	})
}

// SourceNotes yields the notes of package ingest whose names lie after one, up to another,
// or to the end if that is "", in the order of their bytes. Names are compared by their
// first 1,024 bytes, which is all that an object of S3 has.
func (w *Workspace) SourceNotes(ctx context.Context, after, to string) iter.Seq2[citekit.Note, error] {
	return func(yield func(citekit.Note, error) bool) {
		text := `SELECT hash, name, data, version FROM {s}.notes WHERE kind = '` + ledger.Kind + `'
			AND substr(name, 1, 1024) > $1 AND ($2 = ''::bytea OR substr(name, 1, 1024) <= $2) ORDER BY substr(name, 1, 1024) LIMIT $3`
		for {
			page, err := all(ctx, w, pgx.RowToStructByPos[noteRow], text, []byte(after), []byte(to), maxListed)
			for _, n := range page {
				if !yield(citekit.Note{Name: string(n.Name), Data: n.Data, Stamp: stampOf(n.Version)}, nil) {
					return
				}
				after = string(n.Name[:min(len(n.Name), 1024)])
			}
			if err != nil {
				yield(citekit.Note{}, err)
			}
			if err != nil || len(page) < maxListed {
				return
			}
		}
	}
}
